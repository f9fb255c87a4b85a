/**
 * Rankings: the algorithms of a problem, fastest first. To plan once and execute often, use
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

/** The source of a time in an estimate. */
enum tcplan_time_source {
    TCPLAN_TIME_NONE,  /**< none: no estimate, or nothing is copied */
    TCPLAN_TIME_TIMED, /**< kernels: timed alone, in this ranking or, if that may time, before it */
    TCPLAN_TIME_MODEL, /**< a performance model (tcplan/models.h) of the case, on its domain, or
                          between those of two cases (docs/models.md) */
    TCPLAN_TIME_STORED,   /**< kernels: this very call was timed before, by itself */
    TCPLAN_TIME_BEYOND,   /**< kernels: a model of the case, at the nearest sizes of its domain, and
                             from there by the ceilings */
    TCPLAN_TIME_CEILINGS, /**< kernels: the machine's ceilings */
    TCPLAN_TIME_NOMINAL,  /**< kernels: assumed speeds; this machine's ceilings are unknown */
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
    int threads; /**< number of threads that execute it: each number has its own entry */
    enum tcplan_entry_status status;
    uint64_t ordinal; /**< position in the enumeration or in the list of candidates, from 0: breaks
                         ties */
    bool predicted;   /**< `prediction` and `basis` are set */
    enum tcplan_basis basis;
    bool is_baseline; /**< see tcplan_ranking_baseline() */
    bool picked;      /**< the choice: printed by `rank`, emitted by `emit`, executed by plans
                         (tcplan/plan.h) */
    bool compared;    /**< sampled in the same rounds as the choice, and in the same way */
    bool missed;      /**< may be as fast as the choice but was not compared with it because a limit
                         ended the search */
    bool at_ceiling;  /**< windows gave a time below that of the machine's ceilings, which replaces
                         it */
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
    double lower_bound_seconds; /**< time of the kernel on operands that stay in cache, times the
                                   number of calls; or the time after which an execution was
                                   stopped; 0: neither was timed */
    double estimate_seconds; /**< estimate before its evaluation: kernels and, by models, copies and
                                cache misses; INFINITY: not estimated */
    double estimate_low;     /**< lower and upper end of the possible error of its sources */
    double estimate_high;
    enum tcplan_time_source kernel_source; /**< source of the kernels' time in it */
    enum tcplan_time_source copy_source;   /**< source of the copies' time in it: NONE, MODEL if all
                                              are from models, or LOOPS */
    int64_t calls;                         /**< kernel calls of one execution */
};

/**
 * A ranking lists every algorithm if there are at most so many; of larger spaces it lists those
 * that were evaluated. Predicting all of a larger space returns TCPLAN_OVERFLOW.
 */
enum { TCPLAN_MAX_LISTED = 20000 };

/** Disturbances of the measurements. */
struct tcplan_load {
    int64_t windows;    /**< number of windows timed */
    int64_t disturbed;  /**< windows in which another thread used the core; each is repeated at most
                           three times */
    double lost_share;  /**< share of the planning time in which this thread had no core */
    double other_cores; /**< processing units that other threads kept busy meanwhile; negative:
                           unknown */
    double speed_share; /**< mean speed of the core while observed, relative to its best. Speeds of
                           shared cores vary in a way that load does not show. 0: unknown */
    double good_reference_seconds; /**< time of the reference, a fixed short piece of work, at the
                                      core's best speed; 0: unknown */
    double elasticity;             /**< times change by this power of the reference's time */
    bool watches_memory; /**< the reference reads memory; false: it computes in the first cache */
};

/**
 * Times of kernels, by call: rankings that share a store time equal calls once. Only one thread at
 * a time may use it. Times are valid for this machine under similar load.
 */
struct tcplan_kernel_times;

/** An empty store, to be freed with tcplan_kernel_times_free(); NULL if memory runs out. */
TCPLAN_API struct tcplan_kernel_times *tcplan_kernel_times_new(void);

/** Number of calls recorded. */
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
    enum tcplan_stage stage;   /**< TCPLAN_PREDICT_THESIS: how much of the method is applied */
    int64_t setup_limit_bytes; /**< TCPLAN_PREDICT_THESIS: cache setups are truncated at this size;
                                  0: at 5/4 of the last cache */
    enum tcplan_cache_state cache;
    /**
     * 1 to TCPLAN_MAX_THREADS: of the BLAS, or of parallel loops around it, at most; one thread
     * competes as well. Where times are taken: no more than processing units, unless
     * `oversubscribe` is set
     */
    int threads;
    bool exact_threads; /**< uses exactly `threads`, as tcplan_rank_one() does */
    bool oversubscribe; /**< allows more threads than processing units */
    enum tcplan_space space;
    int64_t max_workspace_bytes; /**< bound on all temporaries of an algorithm; 0: none. A ranking
                                    keeps the one it was made with. */
    enum tcplan_effort effort;
    enum tcplan_preference prefer;
    /**
     * no step of the search starts after it; 0: no limit. At least one algorithm is predicted or
     * estimated (TCPLAN_BASIS_ESTIMATE)
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
    struct tcplan_experience *experience; /**< borrowed: the search starts with it and adds to it;
                                             must be of this machine. NULL: none */
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
    bool lists_all; /**< every algorithm has an entry for each number of threads; otherwise only
                       those that were evaluated or cannot run */
    size_t entry_count;
    struct tcplan_entry *entry;
    double pruned_count;         /**< algorithms that a bound excludes, listed or not */
    double pruned_bound_seconds; /**< smallest bound of these; 0: none */
    double pruned_by_seconds; /**< the time that these bounds exceed: that of the fastest evaluation
                                 when they were pruned */
    double unlisted_pruned;   /**< of pruned_count, those without an entry */
    double unlisted_bound_seconds; /**< smallest bound of these */
    double open_count;             /**< algorithms neither evaluated nor excluded by a bound */
    bool compared; /**< the choice was compared with others that may be as fast, or there are none
                    */
    size_t missed_count; /**< entries that may be as fast as the choice and were not compared with
                            it, itself not included */
    bool out_of_time;    /**< the time limit ended the search */
    char cannot_run[TCPLAN_MESSAGE_SIZE]; /**< why the first of the algorithms that do not apply
                                             cannot run; empty: all can, or unknown */
    double planning_seconds; /**< wall clock, everything included but the speed of gemm */
    struct tcplan_planning_part part[TCPLAN_PLANNING_STAGES]; /**< parts of that time */
    double gemm_gflops; /**< speed of a large gemm of the same type and threads on this machine */
    size_t tied_count;  /**< entries tied with the fastest, itself included */
    int64_t max_memory_bytes; /**< the limit used for the tensors' resident memory, given or by
                                 default */
    struct tcplan_load load;
    struct buffers *buffers; /**< private: the memory used for measurements */
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
 * Returns the choice: the fastest or, among equally fast algorithms, the one that enum
 * tcplan_preference selects. An entry before it that is not tied with it was not compared with it.
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

/** Returns whether load during this many seconds was heavy enough to affect times measured then. */
TCPLAN_API bool tcplan_load_disturbs(const struct tcplan_load *load, double seconds);

/** Returns whether other load was heavy enough to affect the times of a ranking. */
TCPLAN_API bool tcplan_ranking_is_disturbed(const struct tcplan_ranking *ranking);

/** Frees a ranking; NULL is fine. */
TCPLAN_API void tcplan_ranking_free(struct tcplan_ranking *ranking);

#ifdef __cplusplus
}
#endif

#endif
