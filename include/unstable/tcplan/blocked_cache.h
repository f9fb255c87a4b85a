/**
 * Studies caches in sequences of calls: do isolated timings of a routine predict its time inside an
 * algorithm? (Peise 2017, chapter 5.)
 *
 * An algorithm is run with the clock read between its calls. Each call is also timed alone, with
 * its operands in a cache and out of it. A cache model (cachesim/call_history.h) predicts the share
 * of the operands in that cache when the algorithm makes the call, and weights the two times by it.
 * The error of each stage of the method is reported per call, per kernel, and for the whole
 * algorithm, where it may grow although the errors of the calls shrink.
 *
 * Errors are |estimate - time| / time of calls that compute; copies, swaps and tcplan's own
 * routines are left out of the mean over calls, as the source leaves its dcopys out, but not out of
 * totals.
 */
#ifndef TCPLAN_BLOCKED_CACHE_H
#define TCPLAN_BLOCKED_CACHE_H

#include "tcplan/binding.h"
#include "tcplan/blocked.h"
#include "tcplan/machine.h"
#include "tcplan/progress.h"
#include "tcplan/provider.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TCPLAN_CACHE_REPETITIONS = 10, /**< default number of repetitions; the dissertation uses 100 */
    TCPLAN_CACHE_KERNEL = 32       /**< size of the buffer for a kernel's name, in bytes */
};

/** Stages of the method: ways to estimate the time of a call, in the order of the dissertation's
 * chapter 5. */
enum tcplan_cache_stage {
    TCPLAN_CACHE_REPEATED,  /**< the call repeated */
    TCPLAN_CACHE_IN,        /**< operands in the cache: meant as a lower bound */
    TCPLAN_CACHE_OUT,       /**< operands not in the cache: meant as an upper bound */
    TCPLAN_CACHE_INITIAL,   /**< a mix of IN and OUT by equation (5.1), with each operand wholly in
                               the cache or not at all */
    TCPLAN_CACHE_SPLITTING, /**< like INITIAL, but small results of large inputs count as touched
                               last */
    TCPLAN_CACHE_SMOOTHED,  /**< like SPLITTING, with smoothed weights; the dissertation's final
                               estimate */
    TCPLAN_CACHE_DISTINCT, /**< like SMOOTHED, with exact distances: each line counts once, and each
                              part of an operand separately. Not in the dissertation */
    TCPLAN_CACHE_AWARE, /**< timed after the algorithm's own preceding calls, from emptied caches:
                           no model, and as expensive as running the algorithm */
    TCPLAN_CACHE_STAGES
};

/** Returns the name of a stage: `repeated`, `in`, `out`, `initial`, `splitting`, `smoothed`,
 * `distinct` or `aware`. */
TCPLAN_API const char *tcplan_cache_stage_name(enum tcplan_cache_stage stage);

/** Options of a study. Zero-initialise, then set the members you need; `machine` is required. */
struct tcplan_blocked_cache_options {
    const struct tcplan_machine *machine; /**< this machine, with the cache to be studied */
    enum tcplan_provider provider;
    int threads;                   /**< number of threads; 0: 1 */
    struct tcplan_binding binding; /**< cores of threads and NUMA nodes of memory; empty: not bound
                                    */
    int level; /**< level of the cache to study; 1 is nearest to the core; 0: the last level */
    int64_t cache_bytes; /**< size of that cache in bytes; 0: as detected on the machine */
    int repetitions;     /**< number of repetitions of each timing; 0: TCPLAN_CACHE_REPETITIONS */
    double alpha, beta;  /**< parameters of the smoothing; 0: the dissertation's values, 4 and 2 */
    double split_share;  /**< a result is small if it is at most this share of the read-only
                            operands; 0: a quarter */
    double time_limit_seconds;    /**< time limit; 0: none */
    int64_t max_memory_bytes;     /**< memory limit for the matrices, and the same limit for the
                                     operands of isolated timings; 0: three eighths of the available
                                     memory for each */
    uint64_t seed;                /**< seed of the random order in which calls are timed */
    tcplan_progress_fn *progress; /**< progress callback; NULL: no callback */
    void *progress_context;
};

/** An executed call. */
struct tcplan_blocked_cache_call {
    int kernel;   /**< number of the call's kernel in the study */
    int64_t step; /**< step of the outermost loop, counted from 1 */
    double flops;
    bool counts;    /**< whether mean errors include the call: it computes, unlike copies, swaps and
                       tcplan's own routines */
    double seconds; /**< median seconds of the call within the algorithm */
    double share;   /**< smoothed share of the operands' bytes that the model finds in the cache */
    double estimate[TCPLAN_CACHE_STAGES]; /**< estimated seconds by stage, enum tcplan_cache_stage
                                           */
};

/** All calls of one routine with the same flags. Errors are means over these calls. */
struct tcplan_blocked_cache_kernel {
    char name[TCPLAN_CACHE_KERNEL]; /**< `dgemm_TN` */
    int64_t calls;
    bool counts;
    double seconds; /**< total seconds of these calls within the algorithm */
    double error[TCPLAN_CACHE_STAGES];
};

/** Results of a study. Zero-initialise before use. */
struct tcplan_blocked_cache {
    int level;
    int64_t cache_bytes;
    int64_t line_bytes;
    double matrix_bytes; /**< size of all matrices in bytes */
    int repetitions;     /**< repetitions done */
    bool time_over;      /**< whether the time limit allowed fewer repetitions than requested */
    int64_t runs;        /**< number of runs of the algorithm */
    int64_t count;
    struct tcplan_blocked_cache_call *call; /**< calls in the order of execution; owned */
    int kernel_count;
    struct tcplan_blocked_cache_kernel *kernel; /**< kernels in the order of their first calls;
                                                   owned */
    double seconds; /**< seconds of the algorithm: the sum of the median times of its calls */
    double spread;  /**< noise of the machine: the difference between the medians of even and of odd
                       runs, averaged over calls */
    double error[TCPLAN_CACHE_STAGES]; /**< for each stage, the mean error over the calls with
                                          `counts` */
    double over[TCPLAN_CACHE_STAGES];  /**< for each stage, the largest (estimate - time) / time of
                                          the calls with `counts`; negative: all estimates are too
                                          low */
    double under[TCPLAN_CACHE_STAGES]; /**< for each stage, the smallest (estimate - time) / time of
                                          the calls with `counts` */
    double total[TCPLAN_CACHE_STAGES]; /**< for each stage, (sum of estimates - seconds) / seconds
                                        */
    double spent_seconds[TCPLAN_CACHE_STAGES]; /**< seconds spent on the timings that a stage needs,
                                                  without runs of the algorithm */
    double algorithm_spent_seconds;            /**< seconds spent on runs of the algorithm */
};

/**
 * Studies an algorithm at some sizes.
 *
 * @param out  receives the result, to be freed with tcplan_blocked_cache_free() whatever is
 *             returned
 * @return TCPLAN_OK, also if the time limit was reached (at least two repetitions are made);
 *         TCPLAN_INVALID: invalid sizes, a missing cache level, too many calls, insufficient
 *         memory, a provider without a routine, or another machine than this one;
 *         TCPLAN_ENVIRONMENT if a call reports an error; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_blocked_cache_study(
    struct tcplan_blocked_cache *out, const struct tcplan_blocked *blocked,
    const struct tcplan_blocked_sizes *sizes, const struct tcplan_blocked_cache_options *options,
    struct tcplan_error *error);

TCPLAN_API void tcplan_blocked_cache_free(struct tcplan_blocked_cache *study);

#ifdef __cplusplus
}
#endif

#endif
