/**
 * Rankings: the algorithms of a problem, fastest first. To plan once and execute often, use
 * tcplan/plan.h.
 */
#ifndef TCPLAN_RANK_H
#define TCPLAN_RANK_H

#include "tcplan/benchmark.h"
#include "tcplan/binding.h"
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

/** The source of a time in an estimate. */
enum tcplan_time_source {
    TCPLAN_TIME_NONE,  /**< no source: there is no estimate, or nothing is copied */
    TCPLAN_TIME_TIMED, /**< for kernels: timed alone in this ranking, or in an earlier one if this
                          ranking's effort includes timing */
    TCPLAN_TIME_MODEL, /**< a performance model of the case (tcplan/models.h), inside its domain, or
                          an interpolation between the models of two cases (docs/models.md) */
    TCPLAN_TIME_STORED,   /**< for kernels: the same call was timed alone earlier, and its time is
                             stored */
    TCPLAN_TIME_BEYOND,   /**< for kernels: a model of the case at the nearest sizes of its domain,
                             extrapolated by the ceilings */
    TCPLAN_TIME_CEILINGS, /**< for kernels: the machine's ceilings */
    TCPLAN_TIME_NOMINAL,  /**< for kernels: assumed speeds, because this machine's ceilings are
                             unknown */
    TCPLAN_TIME_LOOPS,    /**< for copies: the coarse model of loops and copies */
    TCPLAN_TIME_SOURCES
};

#define TCPLAN_TIME_KEPT TCPLAN_TIME_STORED /**< deprecated: its name in 0.1.0 */

/** Which algorithms are ranked. */
enum tcplan_space {
    TCPLAN_SPACE_FULL, /**< all algorithms: also fused indices, tiles, optional copies, kernels of
                          other providers, parallel loops */
    TCPLAN_SPACE_BLAS /**< the dissertation's space: one BLAS kernel inside loops, copies where BLAS
                         needs them */
};

struct tcplan_entry {
    struct tcplan_algorithm algorithm;
    int threads; /**< number of threads that execute the algorithm; the same algorithm with another
                    number has its own entry */
    enum tcplan_entry_status status;
    uint64_t ordinal; /**< position in the enumeration or in the list of candidates, from 0; orders
                         entries with equal times */
    bool predicted;   /**< whether `prediction` and `basis` are set */
    enum tcplan_basis basis;
    bool is_baseline; /**< whether the entry is the baseline, see tcplan_ranking_baseline() */
    bool is_stored; /**< whether the entry is the stored winner, see `stored_threads` of the options
                     */
    bool picked; /**< whether the entry is the choice: `rank` prints it, `emit` emits it, and plans
                    execute it (tcplan/plan.h) */
    bool compared; /**< whether the algorithm was sampled in the same rounds as the choice, and in
                      the same way */
    bool missed; /**< whether the algorithm may be as fast as the choice, but was not compared with
                    it because a limit ended the search */
    bool at_ceiling; /**< whether the windows gave a shorter time than the machine's ceilings allow;
                        `prediction` is then the time that the ceilings allow */
    /** Whether the algorithm is as fast as the fastest, within the margin of enum
     * tcplan_preference, in enough rounds of the comparison; the stored winner need only not be
     * clearly slower. If nothing was compared: whether its 95 % interval overlaps the fastest
     * one's, and one of its samples is not above the fastest one's interval. */
    bool tied;
    /**
     * time of one execution in the next minutes, at the core's mean speed during the ranking, with
     * the interval that holds 95 of 100 executions. If nothing was compared: the time as sampled,
     * without this correction
     */
    struct tcplan_estimate prediction;
    double predicting_seconds; /**< time spent on evaluations of this algorithm, but not on
                                  comparing it with others; 0: it was not evaluated */
    bool widened; /**< whether the interval of `prediction` was widened to hold single executions */
    int benchmark_count;
    struct tcplan_benchmark *benchmark; /**< with TCPLAN_PREDICT_THESIS: the timings from which the
                                           prediction is computed */
    struct tcplan_estimate measured;    /**< measured time of one execution, with its 95 %
                                           interval; only if status is MEASURED */
    double lower_bound_seconds; /**< lower bound: the kernel on operands that stay in cache, times
                                   the number of calls; or the time after which an execution was
                                   stopped; 0: neither is known */
    double estimate_seconds; /**< estimate before the evaluation: the kernels' time and, by models,
                                that of copies and cache misses; INFINITY: not estimated */
    double estimate_low;     /**< lower end of the error interval of the estimate's sources */
    double estimate_high;    /**< upper end of the error interval of the estimate's sources */
    enum tcplan_time_source kernel_source; /**< source of the kernels' time in the estimate */
    enum tcplan_time_source copy_source;   /**< source of the copies' time in the estimate: NONE,
                                              MODEL if all copies have models, or LOOPS */
    int64_t calls;                         /**< number of kernel calls in one execution */
};

/**
 * Largest number of algorithms that a ranking lists completely. Of larger spaces it lists those
 * that were evaluated; predicting all of them returns TCPLAN_OVERFLOW.
 */
enum { TCPLAN_MAX_LISTED = 20000 };

/** Disturbances of measurements by other load. */
struct tcplan_load {
    int64_t windows;    /**< number of windows timed */
    int64_t disturbed;  /**< windows in which another thread used the core; each is repeated at most
                           three times */
    double lost_share;  /**< share of the planning time during which the planning thread had no core
                         */
    double other_cores; /**< processing units that other threads kept busy during planning;
                           negative: unknown */
    double speed_share; /**< mean speed of the core during planning, relative to its best speed.
                           Speeds of shared cores vary even if no load is visible. 0: unknown */
    double good_reference_seconds; /**< time of the reference, a short fixed computation, at the
                                      core's best speed; 0: unknown */
    double elasticity; /**< elasticity: times are proportional to this power of the reference's time
                        */
    bool watches_memory; /**< whether the reference reads memory; false: it computes on data in the
                            first cache */
};

/**
 * A store of kernel times by call. Rankings that share a store time equal calls once. Only one
 * thread at a time may use it. Times are valid for this machine under similar load.
 */
struct tcplan_kernel_times;

/** Makes an empty store, to be freed with tcplan_kernel_times_free(); NULL if memory runs out. */
TCPLAN_API struct tcplan_kernel_times *tcplan_kernel_times_new(void);

/** Returns the number of calls with a time. */
TCPLAN_API size_t tcplan_kernel_times_count(const struct tcplan_kernel_times *times);

/** Frees a store; NULL is fine. */
TCPLAN_API void tcplan_kernel_times_free(struct tcplan_kernel_times *times);

/** Returns whether the ranking should end soon, with TCPLAN_CANCELLED. The ranking thread calls it
 * often. */
typedef bool tcplan_cancelled_fn(const void *context);

/** Options of a ranking. Start from tcplan_rank_defaults(); values out of range return
 * TCPLAN_INVALID. */
struct tcplan_rank_options {
    enum tcplan_predictor predictor;
    enum tcplan_stage stage;   /**< for TCPLAN_PREDICT_THESIS: the last stage to apply */
    int64_t setup_limit_bytes; /**< for TCPLAN_PREDICT_THESIS: cache setups are truncated at this
                                  size; 0: at 5/4 of the last cache */
    enum tcplan_cache_state cache;
    /**
     * maximum number of threads of the BLAS, or of parallel loops around it, 1 to
     * TCPLAN_MAX_THREADS. Algorithms with one thread compete as well. If the effort times
     * anything, this is at most the number of processing units, unless `oversubscribe` is set
     */
    int threads;
    bool exact_threads; /**< whether every algorithm uses exactly `threads` threads, as in
                           tcplan_rank_one() */
    bool oversubscribe; /**< whether more threads than processing units are allowed */
    struct tcplan_binding binding; /**< cores of threads and NUMA nodes of memory while something is
                                      timed; empty: not bound */
    enum tcplan_space space;
    int64_t max_workspace_bytes; /**< limit for the temporaries of an algorithm together; 0: none */
    enum tcplan_effort effort;
    enum tcplan_preference prefer;
    /**
     * time limit, after which no step of the search starts; 0: none. At least one algorithm is
     * predicted or estimated (TCPLAN_BASIS_ESTIMATE)
     */
    double time_limit_seconds;
    bool predict_all; /**< whether all algorithms are predicted, and none is pruned */
    uint64_t seed;    /**< equal seeds choose equal windows */
    /**
     * limit for the resident memory of tensors and temporaries; those of an algorithm take at most
     * a fifth of it. 0: to predict, an eighth of the free memory, from 384 MB to 2 GB; to measure,
     * the free memory
     */
    int64_t max_memory_bytes;
    /**
     * alignment of the arrays in executions, a power of two: they are assumed to start at
     * multiples of it, but not of twice it; 0: 16, as with malloc and numpy
     */
    int64_t alignment_bytes;
    const struct tcplan_machine *machine; /**< machine whose caches are assumed; NULL: the machine
                                             that runs this program, which takes some 10 ms to
                                             examine */
    struct tcplan_kernel_times *kernel_times; /**< times of kernels, borrowed: the ranking reads
                                                 them and adds its own; NULL: equal calls are timed
                                                 once within this ranking only */
    struct tcplan_experience *experience;     /**< experience of this machine, borrowed: the search
                                                 starts with it and adds to it. NULL: none */
    /**
     * `start_count` algorithms, borrowed, that are evaluated first, regardless of their estimates,
     * such as those of stored plans (tcplan/recall.h). Algorithms of other problems, and those
     * with too large temporaries, are skipped. Ignored if the effort times nothing
     */
    const struct tcplan_algorithm *start;
    size_t start_count;
    int stored_threads; /**< if above 0, start[0] with this number of threads is the stored winner
                           of this problem. It is compared with the fastest algorithm, and stays the
                           choice unless another one was clearly faster in the same rounds */
    /**
     * models of kernels and copies on this machine, borrowed; if the effort includes timing,
     * measured times replace those of models. NULL: none
     */
    const struct tcplan_models *models;
    /**
     * store of compiled kernels, borrowed (docs/providers.md). Kernels found there are not
     * compiled again. Since they are executed, the store is ignored if its folder belongs to
     * another user, or others can write to it. NULL, or a store without a folder: nothing is
     * stored, and the search skips kernels that it would have to compile
     */
    const struct tcplan_store *code;
    /**
     * speed of gemm for the ranking's gemm_gflops, if known; 0: it is measured afterwards, unless
     * a time limit below 2 s has passed; negative: not measured
     */
    double gemm_gflops;
    tcplan_progress_fn *progress; /**< progress callback; NULL: none */
    void *progress_context;
    tcplan_cancelled_fn *is_cancelled; /**< callback that cancels the ranking; may be NULL */
    const void *cancel_context;
    tcplan_planning_fn *watch; /**< receives the events of each algorithm during the search; may be
                                  NULL */
    void *watch_context;
};

struct buffers;

/** A ranking: first the predicted entries, by time; then pruned and open ones, by bound; last those
 * that are not applicable. tcplan_ranking_chosen() is the answer. */
struct tcplan_ranking {
    struct tcplan_problem problem;
    double algorithm_count; /**< number of algorithms: the whole `blas` space, exact below 2^53, and
                               the candidates of the `full` space */
    double candidate_count; /**< number of algorithms in algorithm_count that are candidates of the
                               `full` space only */
    double oversized_count; /**< number of algorithms of the `blas` space whose temporaries exceed
                               max_workspace_bytes; not included in algorithm_count */
    bool is_single;         /**< whether tcplan_rank_one() made the ranking */
    bool is_untimed;        /**< whether the ranking was made with TCPLAN_EFFORT_ESTIMATE */
    bool lists_all; /**< whether every algorithm has an entry for each number of threads; false:
                       only algorithms that were evaluated or cannot run have entries */
    size_t entry_count;
    struct tcplan_entry *entry;
    double pruned_count;         /**< number of algorithms excluded by a bound, listed or not */
    double pruned_bound_seconds; /**< smallest bound of the pruned algorithms; 0: none */
    double pruned_by_seconds;    /**< time in seconds of the fastest evaluation when the algorithms
                                    were pruned; the bounds of all pruned algorithms exceed it */
    double unlisted_pruned;      /**< number of pruned algorithms without an entry */
    double unlisted_bound_seconds; /**< smallest bound of the pruned algorithms without an entry */
    double open_count; /**< number of algorithms neither evaluated nor excluded by a bound */
    bool compared;     /**< whether the choice was compared with all other algorithms that may be as
                          fast; true also if there are none */
    size_t missed_count; /**< number of entries that may be as fast as the choice but were not
                            compared with it */
    bool out_of_time;    /**< whether the time limit ended the search */
    char cannot_run[TCPLAN_MESSAGE_SIZE]; /**< why the first of the algorithms that are not
                                             applicable cannot run; empty: there is none, or the
                                             reason is unknown */
    double planning_seconds; /**< wall-clock time of the ranking, without measuring gemm_gflops */
    struct tcplan_planning_part part[TCPLAN_PLANNING_STAGES]; /**< planning_seconds by stage */
    double gemm_gflops; /**< speed of a large gemm of the same type and threads on this machine */
    size_t tied_count;  /**< number of entries tied with the fastest, itself included */
    int64_t max_memory_bytes; /**< the limit for the tensors' resident memory, given or by default
                               */
    struct tcplan_load load;
    struct buffers *buffers; /**< private: the memory used for measurements */
};

/** Returns TCPLAN_INVALID if `threads` exceeds the number of this machine's processing units. */
TCPLAN_API enum tcplan_status tcplan_check_threads(int threads, struct tcplan_error *error);

/** Returns the defaults: the predictor `window`, all stages, warm caches, one thread, normal effort
 * without time limit, pruning, seed 1. */
TCPLAN_API struct tcplan_rank_options tcplan_rank_defaults(void);

/**
 * Ranks the algorithms of a problem: those of the `blas` space and, with TCPLAN_SPACE_FULL,
 * candidates of the `full` space. With several threads, each algorithm also competes with one
 * thread, and counts include both. Algorithms whose lower bound exceeds the best prediction are
 * pruned. Of the others, those with the highest expected improvement are evaluated, as many as the
 * effort permits. The `full` space is searched with the predictor `window` only, and not if every
 * algorithm is to be predicted. If there is nothing to multiply (tcplan_problem_only_scales()),
 * the ranking has one algorithm, which represents all.
 *
 * @param options  NULL: the defaults
 * @param out      receives the ranking, to be freed with tcplan_ranking_free()
 * @return TCPLAN_OK; TCPLAN_OVERFLOW if more than TCPLAN_MAX_LISTED algorithms would have to be
 *     predicted; TCPLAN_NO_MEMORY (also: tensors do not fit the address space); TCPLAN_INVALID if
 *     an option is out of range, or elements cannot be aligned to alignment_bytes;
 *     TCPLAN_CANCELLED; TCPLAN_ENVIRONMENT
 */
TCPLAN_API enum tcplan_status tcplan_rank(struct tcplan_ranking **out,
                                          const struct tcplan_problem *problem,
                                          const struct tcplan_rank_options *options,
                                          struct tcplan_error *error);

/**
 * Returns the choice: the fastest or, among equally fast algorithms, the one that enum
 * tcplan_preference selects. An entry before it that is not tied with it was not compared with it.
 * NULL if there are no entries.
 */
TCPLAN_API const struct tcplan_entry *tcplan_ranking_chosen(const struct tcplan_ranking *ranking);

/** Returns the number of entries from the first on that include the choice and `count` applicable
 * entries (or all of them, if there are fewer). */
TCPLAN_API size_t tcplan_ranking_front(const struct tcplan_ranking *ranking, size_t count);

/**
 * Predicts entries, lowest bound first, until the first `count` are certain to be the fastest of
 * the listed ones: the bounds of all others exclude them. These `count` are evaluated with full
 * windows, as needed for a comparison with measured times. Adds to planning_seconds. Returns a
 * status of tcplan_rank().
 */
TCPLAN_API enum tcplan_status tcplan_ranking_predict_front(
    struct tcplan_ranking *ranking, size_t count, const struct tcplan_rank_options *options,
    struct tcplan_error *error);

/**
 * Checks whether the tensors of a problem fit the memory as a whole, as running requires. Returns
 * TCPLAN_OK, or TCPLAN_NO_MEMORY with both sizes in the message.
 */
TCPLAN_API enum tcplan_status tcplan_measure_check(const struct tcplan_problem *problem,
                                                   const struct tcplan_rank_options *options,
                                                   struct tcplan_error *error);

/**
 * Measures entries [first, first + count) of a ranking by executing them alternately, and sets
 * `measured`. The order of entries stays. Uses the memory of the predictions, because times depend
 * on the physical pages, and backs whole tensors.
 *
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY if the tensors do not fit max_memory_bytes or the machine's
 *     memory
 */
TCPLAN_API enum tcplan_status tcplan_ranking_measure(struct tcplan_ranking *ranking, size_t first,
                                                     size_t count,
                                                     const struct tcplan_rank_options *options,
                                                     struct tcplan_error *error);

/**
 * Ranks again on the same memory, with other options. If all algorithms are listed, before and
 * after, `measured` keeps its values, but no entry has the status TCPLAN_ENTRY_MEASURED. Returns a
 * status of tcplan_rank(); with TCPLAN_OVERFLOW the ranking is unchanged.
 */
TCPLAN_API enum tcplan_status tcplan_ranking_predict(struct tcplan_ranking *ranking,
                                                     const struct tcplan_rank_options *options,
                                                     struct tcplan_error *error);

/**
 * Makes a ranking of one given algorithm, and predicts it. Returns a status of tcplan_rank(), or
 * TCPLAN_NOT_APPLICABLE; TCPLAN_INVALID also if its temporaries exceed max_workspace_bytes, or it
 * is no algorithm of the problem's contraction.
 */
TCPLAN_API enum tcplan_status tcplan_rank_one(struct tcplan_ranking **out,
                                              const struct tcplan_problem *problem,
                                              const struct tcplan_algorithm *algorithm,
                                              const struct tcplan_rank_options *options,
                                              struct tcplan_error *error);

/**
 * Returns the baseline, if it was evaluated: one call of the kernel that takes all free and
 * contracted indices, in loops over batch indices only, on operands in place or copied whole. The
 * search of the `full` space starts from it, and the choice was compared with it. NULL: it was not
 * evaluated, or there is none (more than 8 indices of a kind).
 */
TCPLAN_API const struct tcplan_entry *tcplan_ranking_baseline(const struct tcplan_ranking *ranking);

/**
 * Counts the estimates among a ranking's predictions, by the source of their kernels' times. With
 * TCPLAN_EFFORT_ESTIMATE, all predictions are estimates.
 *
 * @param count  receives the number of estimates for each source, by enum tcplan_time_source
 * @return their sum
 */
TCPLAN_API size_t tcplan_ranking_time_sources(const struct tcplan_ranking *ranking,
                                              size_t count[TCPLAN_TIME_SOURCES]);

/** Returns whether the load was heavy enough to affect times measured during this many seconds. */
TCPLAN_API bool tcplan_load_disturbs(const struct tcplan_load *load, double seconds);

/** Returns whether other load was heavy enough to affect the times of a ranking. */
TCPLAN_API bool tcplan_ranking_is_disturbed(const struct tcplan_ranking *ranking);

/** Frees a ranking; NULL is fine. */
TCPLAN_API void tcplan_ranking_free(struct tcplan_ranking *ranking);

#ifdef __cplusplus
}
#endif

#endif
