/**
 * Window replay: an algorithm's time from short stretches of it, each run in the cache state it
 * would meet.
 *
 * For each sample the nest is put at a random place; the pages that the stretch and its history
 * touch are backed; the history is replayed, oldest first; some real calls follow whose time only
 * tells how many make a stretch; then a stretch of consecutive real calls is timed as one unit.
 * Copies and scalings rarer than the stretch are timed by themselves in the same way. The sum,
 * weighted by how often each occurs, is one estimate of the whole.
 */
#ifndef MICROBENCH_WINDOW_H
#define MICROBENCH_WINDOW_H

#include "base/deadline.h"
#include "base/random.h"
#include "cachesim/history.h"
#include "microbench/program/buffers.h"
#include "microbench/program/program.h"
#include "tcplan/predict.h"

/** How much a sample takes and tells. */
enum window_grade {
    WINDOW_SCOUT, /**< some tens of microseconds and no history: tells the hopeless from the others
                   */
    WINDOW_STANDARD, /**< a stretch of a millisecond */
    WINDOW_LONG, /**< the whole history, and a stretch that averages over what the machine regulates
                  */
    WINDOW_GRADES
};

/** How windows are made. Equal for all algorithms of a ranking. */
struct window_settings {
    double window_ns;     /**< length of a timed stretch */
    double lead_ns;       /**< length of the untimed calls before it */
    double history_bytes; /**< replayed before that */
    double whole_factor;  /**< a stretch may be so many times as long to hold whole runs of a loop;
                             0: 1 */
    double apart_bytes;   /**< copies and scalings that touch more are timed in part */
    double most_call_flops; /**< one call of more is predicted from a part of it */
    struct granularity granularity;
    enum tcplan_cache_state cache;
    int threads;                /**< that share parallel loops */
    struct deadline deadline;   /**< what is only repeated to be surer of it is not repeated beyond
                                   that */
    struct kernel_maker *maker; /**< borrowed: for whom kernels are made; NULL: nobody in particular
                                 */
    double known_call_ns; /**< what a call takes, as it is known already; 0: it is not. Windows of
                             long calls are sized by it */
};

/** The settings on a machine, for one thread. */
struct window_settings window_settings_for(const struct tcplan_machine *machine,
                                           enum tcplan_cache_state cache, enum window_grade grade);

enum { WINDOW_MAX_RARE = 5 /* copies of A, B, C in, a scaling, a copy back */ };

/** A copy or scaling timed by itself. */
struct rare_operation {
    struct operation *operation;
    double scale; /**< its work over the part of it that is timed */
};

/** Where the time of the samples went: sums over all of them, each scaled to the whole contraction.
 */
struct window_strata {
    double calls_ns;                 /**< the stretches */
    double rare_ns[WINDOW_MAX_RARE]; /**< what is timed by itself */
};

struct precondition;
struct window_part;

/** One algorithm under prediction. */
struct window {
    struct window_settings settings;
    struct buffers *buffers; /**< borrowed */
    struct tcplan_program *program;
    struct refined_problem problem; /**< with the kernel's extents reduced where one call would be
                                       too long */
    int64_t total_calls;            /**< kernel calls of the whole contraction */
    double scale;                   /**< work of the whole over the work of the reduced problem */
    double warm_call_ns;            /**< a call in a stretch repeated in place */
    bool warm_disturbed; /**< that was timed while other work took the core, or is known from before
                          */
    int64_t calls;       /**< of a timed stretch, at most */
    int rare_count;
    struct rare_operation rare[WINDOW_MAX_RARE];
    bool sized; /**< a first stretch has told how long stretches really take */
    int sample_count;
    double sample_ns[TCPLAN_MAX_SAMPLES]; /**< of the whole contraction */
    bool is_disturbed; /**< the last sample: a stretch of it stayed disturbed however often it was
                          made again */
    struct window_strata strata; /**< of these samples */
    struct precondition *place;  /**< of every thread that shares a loop; private to stretch.c, as
                                    are the parts */
    struct window_part *part;
    int *by;           /**< by part: which thread did it last */
    int64_t taken;     /**< stretches timed, whatever became of them */
    int64_t disturbed; /**< of these, those in which the thread did not have its core all the time
                        */
    uint64_t seed;     /**< equal seeds sample equal places */
    struct random random;      /**< of the places of the next sample */
    struct random warm_random; /**< of those where calls are timed in place, as many as the clock
                                  asks for */
};

/**
 * Binds a nest to memory: enough to time its kernel in place, not yet to sample.
 *
 * @param buffers  the tensors of `problem`, shared by all of its algorithms
 * @return TCPLAN_OK, TCPLAN_NOT_APPLICABLE, TCPLAN_NO_MEMORY
 */
enum tcplan_status window_bind(struct window *out, const struct tcplan_nest *nest,
                               const struct tcplan_problem *problem, struct buffers *buffers,
                               const struct window_settings *settings, uint64_t seed,
                               struct tcplan_error *error);

/** Binds a nest and times a few calls in place to size its windows, or one, where that is long and
 * not known. Parameters and status as window_bind(). */
enum tcplan_status window_init(struct window *out, const struct tcplan_nest *nest,
                               const struct tcplan_problem *problem, struct buffers *buffers,
                               const struct window_settings *settings, uint64_t seed,
                               struct tcplan_error *error);

/** Whether a call takes so much longer than a stretch of a grade that a stretch of any grade up to
 * that one is one call with nothing before it. */
bool window_has_long_calls(const struct window *window, enum window_grade grade);

/**
 * What a nest of one call takes by what window_init() timed in place, without what is timed apart.
 * 0 where there are more calls: a copy that some have before them may have been among those that
 * were timed.
 */
double window_in_place_ns(const struct window *window);

/** Frees what window_bind() or window_init() made. */
void window_free(struct window *window);

/** Sets the length of a stretch to about so many calls; copies and scalings that it would now miss
 * are timed apart. */
void window_set_calls(struct window *window, double wanted);

/** Takes one more sample; TCPLAN_NO_MEMORY where one stretch alone exceeds the memory bound. */
enum tcplan_status window_sample(struct window *window, struct tcplan_error *error);

/** Pointers to the tensors' memory. */
struct tensor_pointers window_base(const struct window *window);

/** Backs what one execution of an operation touches, in the first iteration of its loops. */
enum tcplan_status window_back_first(struct window *window, const struct operation *operation,
                                     struct tcplan_error *error);

/** Backs the regions of a list; TCPLAN_NO_MEMORY where they alone exceed the memory bound. */
enum tcplan_status window_back(struct window *window, const struct region_list *list,
                               struct tcplan_error *error);

enum { WINDOW_MAX_RUN = 64 };

/**
 * Times `count` consecutive executions (1 to WINDOW_MAX_RUN, and no more than there are) of a copy
 * or scaling at a random place, as one unit, after the history was replayed and one kernel call was
 * made.
 */
enum tcplan_status window_time_operation(struct window *window, const struct operation *operation,
                                         int64_t count, double *ns, struct tcplan_error *error);

/** The work of an operation over the part of it that is timed. */
double window_operation_scale(const struct window *window, const struct operation *operation);

#endif
