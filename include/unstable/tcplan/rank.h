/**
 * Rankings: the algorithms of a problem, the fastest first. To plan once and execute often is
 * tcplan/plan.h.
 */
#ifndef TCPLAN_RANK_H
#define TCPLAN_RANK_H

#include "tcplan/benchmark.h"
#include "tcplan/experience.h"
#include "tcplan/listing.h"
#include "tcplan/planner.h"
#include "tcplan/planning.h"
#include "tcplan/predict.h"
#include "tcplan/program.h"
#include "tcplan/progress.h"
#include "tcplan/store.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where a time in an estimate is from. */
enum tcplan_time_source {
    TCPLAN_TIME_NONE,     /**< there is none: no estimate, or nothing is copied */
    TCPLAN_TIME_TIMED,    /**< kernels: timed by themselves, in this ranking or before it where that
                             may time */
    TCPLAN_TIME_MODEL,    /**< a performance model (tcplan/models.h) of the case, on its domain, or
                             between those of two cases (docs/models.md) */
    TCPLAN_TIME_STORED,   /**< kernels: this very call was timed before, by itself */
    TCPLAN_TIME_BEYOND,   /**< kernels: a model of the case, at the nearest sizes of its domain, and
                             from there by the ceilings */
    TCPLAN_TIME_CEILINGS, /**< kernels: the machine's ceilings */
    TCPLAN_TIME_NOMINAL,  /**< kernels: speeds that machines have; the ceilings of this one are not
                             known */
    TCPLAN_TIME_LOOPS,    /**< copies: the coarse model of loops and copies */
    TCPLAN_TIME_SOURCES
};

#define TCPLAN_TIME_KEPT TCPLAN_TIME_STORED /**< deprecated: its name in 0.1.0 */

/** Which algorithms are ranked. */
enum tcplan_space {
    TCPLAN_SPACE_FULL, /**< also fused indices, tiles, copies as a choice, other providers' kernels,
                          parallel loops */
    TCPLAN_SPACE_BLAS /**< the dissertation's: one BLAS kernel inside loops, copies where BLAS needs
                         them */
};

struct tcplan_entry {
    struct tcplan_algorithm algorithm;
    int threads; /**< that execute it: an algorithm with other threads is another entry */
    enum tcplan_entry_status status;
    uint64_t ordinal; /**< place in the enumeration, or in the order that candidates were found in,
                         from 0: settles equal times */
    bool predicted;   /**< `prediction` and `basis` are set */
    enum tcplan_basis basis;
    bool is_baseline; /**< see tcplan_ranking_baseline() */
    bool picked;   /**< the choice: what `rank` and `emit` answer, and plans (tcplan/plan.h) execute
                    */
    bool compared; /**< sampled in the same rounds as the pick, and by the same means */
    bool missed;   /**< it may be as fast as the pick, and was not compared with it: a limit came
                      before that */
    bool at_ceiling; /**< windows said that it is faster than the machine's ceilings allow: it is
                        taken for as fast as they allow */
    bool tied; /**< as fast as the fastest within the margin of enum tcplan_preference, by enough
                  rounds of the comparison. If nothing was compared: its interval overlaps that of
                  the fastest, and one of its samples is not above that interval */
    /**
     * of one execution in the next minutes, at the core's mean speed as far as it was watched, and
     * the interval that holds 95 of 100 executions. If nothing was compared: as it was timed
     */
    struct tcplan_estimate prediction;
    bool widened; /**< its interval holds single executions */
    int benchmark_count;
    struct tcplan_benchmark *benchmark; /**< TCPLAN_PREDICT_THESIS: where the prediction comes from
                                         */
    struct tcplan_estimate measured;    /**< status measured: likewise */
    double lower_bound_seconds; /**< the kernel on operands that stay in cache, times the calls; or
                                   an execution that was cut off after so long; 0 where neither was
                                   timed */
    double estimate_seconds;    /**< before it was looked at: the kernels and, by models, copies and
                                   what caches miss; INFINITY: not estimated */
    double estimate_low;        /**< lower and upper end of the possible error of its sources */
    double estimate_high;
    enum tcplan_time_source kernel_source; /**< where the time of the kernels in it is from */
    enum tcplan_time_source copy_source;   /**< and of its copies: NONE, MODEL where all are from
                                              models, or LOOPS */
    int64_t calls;                         /**< kernel calls of one execution */
};

/**
 * A ranking lists every algorithm if there are at most so many; of larger spaces it lists those
 * that were looked at. Asking to predict all of a larger space is refused.
 */
enum { TCPLAN_MAX_LISTED = 20000 };

/** Disturbances of the measurements. */
struct tcplan_load {
    int64_t windows;   /**< timed */
    int64_t disturbed; /**< of these, those in which another thread had the core; taken again, three
                          times at most */
    double lost_share; /**< of the time of planning in which this thread had no core */
    double other_cores; /**< processing units that other threads kept busy meanwhile; negative:
                           unknown */
    double speed_share; /**< the core's mean speed while it was watched, over its best. Cores that
                           are shared swing, and load does not show it. 0: not known */
    double good_reference_seconds; /**< at its best speed, of the reference: a short piece of work
                                      that is always the same; 0: not known */
    double elasticity;             /**< times change by this power of the reference's time */
    bool watches_memory; /**< that work reads memory; otherwise it computes in the first cache */
};

/**
 * Times of kernels, by call: rankings that share a store time equal calls once. For one thread of
 * control at a time; it holds for this machine and as long as its load is alike.
 */
struct tcplan_kernel_times;

/** An empty store, to be freed with tcplan_kernel_times_free(); NULL if memory runs out. */
TCPLAN_API struct tcplan_kernel_times *tcplan_kernel_times_new(void);

/** Number of calls recorded. */
TCPLAN_API size_t tcplan_kernel_times_count(const struct tcplan_kernel_times *times);

/** Frees a store; NULL is fine. */
TCPLAN_API void tcplan_kernel_times_free(struct tcplan_kernel_times *times);

/** Whether a ranking is to end as soon as possible, with TCPLAN_CANCELLED: asked often, by the
 * thread that ranks. */
typedef bool tcplan_cancelled_fn(const void *context);

/** Values out of range are refused with TCPLAN_INVALID; tcplan_rank_defaults() is where to
 * begin. */
struct tcplan_rank_options {
    enum tcplan_predictor predictor;
    enum tcplan_stage stage;   /**< TCPLAN_PREDICT_THESIS: how much of the method is applied */
    int64_t setup_limit_bytes; /**< TCPLAN_PREDICT_THESIS: cache setups are cut here; 0: at 5/4 of
                                  the last cache */
    enum tcplan_cache_state cache;
    /**
     * 1 to TCPLAN_MAX_THREADS: of the BLAS, or of parallel loops around it, at most; one thread
     * competes as well. Where times are taken: no more than processing units, unless
     * `oversubscribe` is set
     */
    int threads;
    bool exact_threads; /**< exactly so many, as with tcplan_rank_one() */
    bool oversubscribe; /**< more threads than processing units are meant */
    enum tcplan_space space;
    int64_t max_workspace_bytes; /**< bound on all temporaries of an algorithm; 0: none. A ranking
                                    keeps the one it was made with. */
    enum tcplan_effort effort;
    enum tcplan_preference prefer;
    /**
     * no step of the search is begun after that; 0: none. One algorithm is predicted, or estimated
     * (TCPLAN_BASIS_ESTIMATE).
     */
    double time_limit_seconds;
    bool predict_all; /**< prune nothing */
    uint64_t seed;    /**< equal seeds choose equal windows */
    /**
     * bound on the resident memory of tensors and temporaries, a fifth of which these take at most;
     * 0: to predict, an eighth of the free memory, from 384 MB to 2 GB; to measure, the free memory
     */
    int64_t max_memory_bytes;
    /**
     * of the arrays that will be computed on, a power of two: they begin at multiples of it and of
     * no more; 0: 16, as malloc's and numpy's do
     */
    int64_t alignment_bytes;
    const struct tcplan_machine *machine; /**< caches to assume; NULL: this machine's, which takes
                                             some 10 ms to find out */
    struct tcplan_kernel_times *kernel_times; /**< borrowed: used and added to; NULL: equal calls
                                                 are shared within the ranking only */
    struct tcplan_experience *experience; /**< borrowed: the search begins with it, and adds to it;
                                             one of this machine. NULL: none */
    /**
     * borrowed: `start_count` algorithms that are looked at first, whatever is expected of them, as
     * those of a stored plan (tcplan/recall.h). Algorithms of other problems, and too large ones,
     * are skipped. Where nothing is timed they are not looked at
     */
    const struct tcplan_algorithm *start;
    size_t start_count;
    /**
     * borrowed: times of kernels and copies, of this machine; what timing would show is shown by
     * timing where the effort has it. NULL: none
     */
    const struct tcplan_models *models;
    /**
     * borrowed: where compiled kernels are kept (docs/providers.md), and those that are kept there
     * are not compiled again. Kept kernels are executed: where the store's folder is another
     * user's, or others can write to it, nothing of it is. NULL, or without a folder: nothing is
     * kept, and a search looks at no kernels that it would have to compile
     */
    const struct tcplan_store *code;
    /**
     * known speed of gemm, for the ranking's; 0: measure it afterwards, unless a limit below 2 s is
     * over; negative: leave it at 0
     */
    double gemm_gflops;
    tcplan_progress_fn *progress; /**< NULL: none */
    void *progress_context;
    tcplan_cancelled_fn *is_cancelled; /**< may be NULL */
    const void *cancel_context;
    tcplan_planning_fn *watch; /**< receives the events of each algorithm during the search; may be
                                  NULL */
    void *watch_context;
};

struct buffers;

/** A ranking: predicted entries by time, then pruned and open ones by bound, then those that do not
 * apply. tcplan_ranking_chosen() is the answer. */
struct tcplan_ranking {
    struct tcplan_problem problem;
    double algorithm_count; /**< of the whole `blas` space, exact below 2^53, and the candidates of
                               the `full` space */
    double candidate_count; /**< of these, those of the `full` space alone */
    double oversized_count; /**< algorithms of the `blas` space whose temporaries exceed
                               max_workspace_bytes: not part of algorithm_count */
    bool is_single;         /**< made with tcplan_rank_one() */
    bool is_untimed;        /**< made with TCPLAN_EFFORT_ESTIMATE */
    bool lists_all; /**< every algorithm has an entry, for each number of threads; otherwise those
                       that were looked at, or cannot run */
    size_t entry_count;
    struct tcplan_entry *entry;
    double pruned_count;         /**< algorithms that a bound excludes, listed or not */
    double pruned_bound_seconds; /**< the smallest of these bounds; 0: there is none */
    double pruned_by_seconds; /**< the time that these exceed: of the fastest evaluation when they
                                 were pruned */
    double unlisted_pruned;   /**< of pruned_count, those without an entry */
    double unlisted_bound_seconds; /**< the smallest bound of these */
    double open_count;             /**< algorithms that were not looked at and no bound excludes */
    bool compared; /**< the choice was compared with others that may be as fast, or there are none
                    */
    size_t missed_count; /**< entries that may be as fast as the choice and were not compared with
                            it, itself not included */
    bool out_of_time;    /**< the time limit ended the search */
    char cannot_run[TCPLAN_MESSAGE_SIZE]; /**< why the first of the algorithms that do not apply
                                             cannot run; empty: all can, or unknown */
    double planning_seconds; /**< wall clock, everything included but the speed of gemm */
    struct tcplan_planning_part part[TCPLAN_PLANNING_STAGES]; /**< of that */
    double gemm_gflops; /**< this machine's speed for a large gemm of the same type and threads */
    size_t tied_count;  /**< entries tied with the fastest, itself included */
    int64_t max_memory_bytes; /**< the bound on the tensors' resident memory that held, asked for or
                                 by default */
    struct tcplan_load load;
    struct buffers *buffers; /**< private: the memory that was measured on */
};

/** Refuses, with TCPLAN_INVALID, more threads than this machine has processing units. */
TCPLAN_API enum tcplan_status tcplan_check_threads(int threads, struct tcplan_error *error);

/** The defaults: window, all stages, warm, one thread, normal effort without time limit, pruning,
 * seed 1. */
TCPLAN_API struct tcplan_rank_options tcplan_rank_defaults(void);

/**
 * Ranks the algorithms of a problem, with several threads also by one thread, which is compared
 * with them; counts include both: those of the `blas` space and, unless that is all that is asked
 * for, candidates of the `full` space. Algorithms whose lower bound exceeds the best prediction are
 * pruned; of the others, those with the highest expected improvement are evaluated, as many as the
 * effort allows. The `full` space is searched with the predictor `window`, and not where every
 * algorithm is to be predicted. Where nothing is multiplied (tcplan_problem_only_scales()) the
 * ranking has one algorithm, which represents all.
 *
 * @param options  NULL: the defaults
 * @param out      receives the ranking, to be freed with tcplan_ranking_free()
 * @return TCPLAN_OK; TCPLAN_OVERFLOW if all of more than TCPLAN_MAX_LISTED algorithms are to be
 *         predicted; TCPLAN_NO_MEMORY (also: tensors do not fit the address space); TCPLAN_INVALID
 *         if an option cannot be so, or elements cannot be aligned to alignment_bytes;
 *         TCPLAN_CANCELLED; TCPLAN_ENVIRONMENT
 */
TCPLAN_API enum tcplan_status tcplan_rank(struct tcplan_ranking **out,
                                          const struct tcplan_problem *problem,
                                          const struct tcplan_rank_options *options,
                                          struct tcplan_error *error);

/**
 * The answer: the fastest, or of algorithms that are equally fast the one that enum
 * tcplan_preference prefers; an entry before it that is not tied with it was not compared with it.
 * NULL if there are no entries.
 */
TCPLAN_API const struct tcplan_entry *tcplan_ranking_chosen(const struct tcplan_ranking *ranking);

/** The number of entries from the first on that include `count` that can run, or all of them, and
 * the choice. */
TCPLAN_API size_t tcplan_ranking_front(const struct tcplan_ranking *ranking, size_t count);

/**
 * Predicts pruned entries until the first `count` are the `count` fastest of those listed for
 * certain, their bounds excluding all others, and gives these full windows: what a comparison with
 * measured times needs. Adds to planning_seconds. Status as tcplan_rank().
 */
TCPLAN_API enum tcplan_status tcplan_ranking_predict_front(
    struct tcplan_ranking *ranking, size_t count, const struct tcplan_rank_options *options,
    struct tcplan_error *error);

/**
 * Whether the tensors of a problem can be backed as a whole, as running needs: TCPLAN_OK, or
 * TCPLAN_NO_MEMORY with the figures.
 */
TCPLAN_API enum tcplan_status tcplan_measure_check(const struct tcplan_problem *problem,
                                                   const struct tcplan_rank_options *options,
                                                   struct tcplan_error *error);

/**
 * Runs entries [first, first + count) of a ranking for real, interleaved, and fills in `measured`;
 * re-sorts nothing. The whole tensors are backed, in the memory that the predictions were made on:
 * where physical pages lie is part of the result.
 *
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY if the tensors do not fit max_memory_bytes or the machine's
 *         memory
 */
TCPLAN_API enum tcplan_status tcplan_ranking_measure(struct tcplan_ranking *ranking, size_t first,
                                                     size_t count,
                                                     const struct tcplan_rank_options *options,
                                                     struct tcplan_error *error);

/**
 * Ranks anew, with options of their own, on the same memory. Where all algorithms are listed,
 * before and after, their measured times stay in `measured`, with one number of threads; which
 * entries have one is forgotten. Status as tcplan_rank(); with TCPLAN_OVERFLOW the ranking stays as
 * it was.
 */
TCPLAN_API enum tcplan_status tcplan_ranking_predict(struct tcplan_ranking *ranking,
                                                     const struct tcplan_rank_options *options,
                                                     struct tcplan_error *error);

/**
 * Makes a ranking with the one given algorithm, predicted. Status as tcplan_rank(), and
 * TCPLAN_NOT_APPLICABLE; TCPLAN_INVALID if its temporaries exceed max_workspace_bytes, or it is no
 * algorithm of the problem's contraction.
 */
TCPLAN_API enum tcplan_status tcplan_rank_one(struct tcplan_ranking **out,
                                              const struct tcplan_problem *problem,
                                              const struct tcplan_algorithm *algorithm,
                                              const struct tcplan_rank_options *options,
                                              struct tcplan_error *error);

/**
 * The baseline, if it was looked at: one call of the kernel that takes all free and contracted
 * indices, in loops over batch indices only, on operands as they are or copied whole. The search of
 * the `full` space starts from it, and the chosen algorithm was compared with it. NULL: it was not
 * looked at, or there is none (more than 8 indices of a kind).
 */
TCPLAN_API const struct tcplan_entry *tcplan_ranking_baseline(const struct tcplan_ranking *ranking);

/**
 * Counts the estimates that a ranking gives as predictions, by the source of their kernels' times.
 * With TCPLAN_EFFORT_ESTIMATE, all predictions are estimates.
 *
 * @param count  receives the number of estimates for each source, by enum tcplan_time_source
 * @return their sum
 */
TCPLAN_API size_t tcplan_ranking_time_sources(const struct tcplan_ranking *ranking,
                                              size_t count[TCPLAN_TIME_SOURCES]);

/** Whether load within so many seconds was heavy enough to be seen in times that were taken then.
 */
TCPLAN_API bool tcplan_load_disturbs(const struct tcplan_load *load, double seconds);

/** Whether other load was heavy enough to be seen in the times of a ranking. */
TCPLAN_API bool tcplan_ranking_is_disturbed(const struct tcplan_ranking *ranking);

/** Frees a ranking; NULL is fine. */
TCPLAN_API void tcplan_ranking_free(struct tcplan_ranking *ranking);

#ifdef __cplusplus
}
#endif

#endif
