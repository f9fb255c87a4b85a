/**
 * Window replay: predicts an algorithm's time from short stretches of it, each run in the cache
 * state it would meet.
 *
 * For each sample the nest is placed at a random position. The pages that the stretch and its
 * history touch are backed, and the history is replayed, oldest access first. Some real calls
 * follow, which warm up and show how many calls make a stretch. Then a stretch of consecutive real
 * calls is timed as one unit. Copies and scalings rarer than a stretch are timed by themselves in
 * the same way. The sum, weighted by how often each part occurs, is one estimate of the whole.
 */
#ifndef MICROBENCH_WINDOW_H
#define MICROBENCH_WINDOW_H

#include "base/deadline.h"
#include "base/random.h"
#include "cachesim/history.h"
#include "microbench/program/buffers.h"
#include "microbench/program/program.h"
#include "tcplan/predict.h"

/** The cost and accuracy of a sample. */
enum window_grade {
    WINDOW_PROBE, /**< some tens of microseconds or more, without preceding accesses: finds hopeless
                     algorithms */
    WINDOW_STANDARD, /**< about a millisecond of calls */
    WINDOW_LONG, /**< all preceding accesses, and calls for two milliseconds, which averages over
                    steps of the power regulation */
    WINDOW_GRADES
};

/** Parameters of windows, the same for all algorithms of a ranking. */
struct window_settings {
    double window_ns;     /**< nanoseconds of the timed calls */
    double warm_up_ns;    /**< nanoseconds of the untimed calls before them */
    double history_bytes; /**< bytes of the preceding accesses that are replayed */
    double whole_factor;  /**< factor by which timed calls may take longer to contain all iterations
                             of a loop; 0: 1 */
    double apart_bytes;   /**< copies and scalings that touch more bytes are timed in part */
    double most_call_flops; /**< calls with more operations are timed in part */
    struct granularity granularity;
    enum tcplan_cache_state cache;
    int threads;                /**< number of threads that share parallel loops */
    struct deadline deadline;   /**< time after which no measurement is repeated */
    struct kernel_maker *maker; /**< compiles kernels; borrowed; may be NULL */
    double known_call_ns; /**< known nanoseconds of a call, with which windows of long calls are
                             sized; 0: unknown */
};

/** Returns the settings for one thread on a machine. */
struct window_settings window_settings_for(const struct tcplan_machine *machine,
                                           enum tcplan_cache_state cache, enum window_grade grade);

/** Lengthens the timed calls and the warm-up to `ns` nanoseconds each, at most to a millisecond.
 * Calls that touch many pages are slower until the page tables are in cache. */
void window_settings_lengthen(struct window_settings *settings, double ns);

enum { WINDOW_MAX_RARE = 5 /* copies of A, B and C, a scaling, and a copy back */ };

/** A copy or scaling that is timed separately. */
struct rare_operation {
    struct operation *operation;
    double scale; /**< the work of the operation divided by that of its timed part */
};

/** Parts of the samples: sums over all samples, each for the whole contraction. */
struct window_strata {
    double calls_ns;                 /**< stretches */
    double rare_ns[WINDOW_MAX_RARE]; /**< times of copies and scalings that are timed separately */
};

struct precondition;
struct window_part;

/** An algorithm under prediction. */
struct window {
    struct window_settings settings;
    struct buffers *buffers; /**< borrowed */
    struct tcplan_program *program;
    struct refined_problem problem; /**< the problem; if a call would take too long, with reduced
                                       extents of the kernel */
    int64_t total_calls;            /**< number of kernel calls in the whole contraction */
    double scale; /**< the work of the whole problem divided by that of the reduced problem */
    double warm_call_ns; /**< nanoseconds of a call with its operands in cache */
    bool warm_disturbed; /**< whether that measurement was disturbed, or replaced by a known time */
    int64_t calls;       /**< maximum number of calls in a timed stretch */
    int rare_count;
    struct rare_operation rare[WINDOW_MAX_RARE];
    bool sized; /**< whether a first stretch has shown how long its calls take */
    int sample_count;
    double sample_ns[TCPLAN_MAX_SAMPLES]; /**< samples: estimated nanoseconds of the whole
                                             contraction */
    bool is_disturbed; /**< whether the stretch of the last sample was disturbed in all attempts */
    struct window_strata strata; /**< strata from which the samples are drawn */
    struct precondition *place;  /**< one for each thread of a parallel loop; private to stretch.c,
                                    like `part` and `by` */
    struct window_part *part;
    int *by;                   /**< for each part: number of the thread that executed it last */
    int64_t taken;             /**< number of timed stretches, with repeated ones */
    int64_t disturbed;         /**< number of stretches in which the thread lost its core */
    uint64_t seed;             /**< equal seeds give the same places of samples */
    struct random random;      /**< random state for the places of samples */
    struct random warm_random; /**< random state for timing calls with warm caches; separate, as
                                  their number depends on the clock */
};

/**
 * Binds a nest to memory: its kernel can be timed in place, but samples need window_init().
 * @param buffers  the tensors of `problem`, shared by all of its algorithms
 * @return TCPLAN_OK, TCPLAN_NOT_APPLICABLE, TCPLAN_NO_MEMORY
 */
enum tcplan_status window_bind(struct window *out, const struct tcplan_nest *nest,
                               const struct tcplan_problem *problem, struct buffers *buffers,
                               const struct window_settings *settings, uint64_t seed,
                               struct tcplan_error *error);

/** Binds a nest and times a few calls in place to size its windows; a single call if it is long
 * and its time not known. Takes the parameters and returns a status of window_bind(). */
enum tcplan_status window_init(struct window *out, const struct tcplan_nest *nest,
                               const struct tcplan_problem *problem, struct buffers *buffers,
                               const struct window_settings *settings, uint64_t seed,
                               struct tcplan_error *error);

/** Returns whether calls are so much longer than the stretches of a grade that, at this grade
 * and lower ones, a stretch is one call without preceding accesses. */
bool window_has_long_calls(const struct window *window, enum window_grade grade);

/**
 * Returns the time of a nest of one call as window_init() timed it in place, without the operations
 * that are timed separately. Returns 0 if there are more calls, because copies may have been timed
 * with them.
 */
double window_in_place_ns(const struct window *window);

/** Frees the memory of window_bind() or window_init(). */
void window_free(struct window *window);

/** Sets the length of a stretch to about this many calls. Copies and scalings that occur less
 * than once in such a stretch are timed separately. */
void window_set_calls(struct window *window, double wanted);

/** Takes one more sample; TCPLAN_NO_MEMORY if one stretch alone exceeds the memory limit. */
enum tcplan_status window_sample(struct window *window, struct tcplan_error *error);

/** Returns pointers to the tensors' memory. */
struct tensor_pointers window_base(const struct window *window);

/** Backs the memory that one execution of an operation touches, in the first iteration of its
 * loops. */
enum tcplan_status window_back_first(struct window *window, const struct operation *operation,
                                     struct tcplan_error *error);

/** Backs the regions of a list; TCPLAN_NO_MEMORY if they alone exceed the memory limit. */
enum tcplan_status window_back(struct window *window, const struct region_list *list,
                               struct tcplan_error *error);

enum { WINDOW_MAX_RUN = 64 };

/**
 * Times `count` consecutive executions of a copy or scaling at a random place, as one unit, after
 * replaying the history and one kernel call. `count` is 1 to WINDOW_MAX_RUN and at most the number
 * of executions.
 */
enum tcplan_status window_time_operation(struct window *window, const struct operation *operation,
                                         int64_t count, double *ns, struct tcplan_error *error);

/** Returns the work of an operation divided by that of its timed part. */
double window_operation_scale(const struct window *window, const struct operation *operation);

#endif
