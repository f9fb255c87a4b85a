/**
 * Caches in sequences of calls: do times of a routine by itself say how long it takes inside of an
 * algorithm? (Peise 2017, chapter 5.)
 *
 * An algorithm is run with the clock read between its calls. Each call is timed by itself as well,
 * with its operands in a cache and out of it. A cache model (cachesim/call_history.h) says how much
 * of the operands should be in that cache when the algorithm makes the call, and so mixes the two
 * times. What each stage of the source's way to that is off by is told per call, per kernel, and
 * for the whole, whose error may grow while that of the calls shrinks.
 *
 * Errors are |estimate - time| / time of calls that compute; copies, swaps and tcplan's own
 * routines are left out of the mean over calls, as the source leaves its dcopys out, but not out of
 * totals.
 */
#ifndef TCPLAN_BLOCKED_CACHE_H
#define TCPLAN_BLOCKED_CACHE_H

#include "tcplan/blocked.h"
#include "tcplan/machine.h"
#include "tcplan/progress.h"
#include "tcplan/provider.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TCPLAN_CACHE_REPETITIONS = 10, /**< the source: 100 */
    TCPLAN_CACHE_KERNEL = 32       /**< bytes of a kernel's name */
};

/** Where an estimate of a call's time is from, in the order of the chapter. */
enum tcplan_cache_stage {
    TCPLAN_CACHE_REPEATED,  /**< the call again and again */
    TCPLAN_CACHE_IN,        /**< operands in the cache: meant as a lower bound */
    TCPLAN_CACHE_OUT,       /**< out of it: meant as an upper bound */
    TCPLAN_CACHE_INITIAL,   /**< mixed by (5.1): operands are in the cache or not */
    TCPLAN_CACHE_SPLITTING, /**< small results of large inputs are touched last */
    TCPLAN_CACHE_SMOOTHED,  /**< with smoothed weights: the source's final estimate */
    TCPLAN_CACHE_DISTINCT, /**< the same, with exact distances: each line counts once, and each part
                              of an operand by itself. Not in the source */
    TCPLAN_CACHE_AWARE, /**< behind the algorithm's own calls, from emptied caches: no model, and as
                           expensive as running the algorithm */
    TCPLAN_CACHE_STAGES
};

/** `repeated`, `in`, `out`, `initial`, `splitting`, `smoothed`, `distinct`, `aware`. */
TCPLAN_API const char *tcplan_cache_stage_name(enum tcplan_cache_stage stage);

/** Zero-initialise, then set what is wanted; the machine at least. */
struct tcplan_blocked_cache_options {
    const struct tcplan_machine *machine; /**< a live one, with the cache in question */
    enum tcplan_provider provider;
    int threads;         /**< 0: 1 */
    int level;           /**< of the cache, 1 is nearest to the core; 0: the last one */
    int64_t cache_bytes; /**< 0: what the machine says of that level */
    int repetitions;     /**< of each timing; 0: TCPLAN_CACHE_REPETITIONS */
    double alpha, beta;  /**< of smoothing; 0: the source's, 4 and 2 */
    double split_share;  /**< a result is small where it is at most this share of what is only read;
                            0: a quarter */
    double time_limit_seconds;    /**< 0: none */
    int64_t max_memory_bytes;     /**< of matrices, and again of operands by themselves; 0: three
                                     eighths of what can be had, each */
    uint64_t seed;                /**< of the order in which calls are timed */
    tcplan_progress_fn *progress; /**< NULL: none */
    void *progress_context;
};

/** A call that is made. */
struct tcplan_blocked_cache_call {
    int kernel;   /**< number in the study's kernels */
    int64_t step; /**< of the outermost loop, from 1 on */
    double flops;
    bool counts;    /**< in the mean error: it computes */
    double seconds; /**< in the algorithm: the median */
    double share;   /**< of its operands' bytes that counts as in the cache, smoothed */
    double estimate[TCPLAN_CACHE_STAGES]; /**< seconds */
};

/** The calls of one routine with the same flags. Errors are means over them. */
struct tcplan_blocked_cache_kernel {
    char name[TCPLAN_CACHE_KERNEL]; /**< `dgemm_TN` */
    int64_t calls;
    bool counts;
    double seconds; /**< of all of them, in the algorithm */
    double error[TCPLAN_CACHE_STAGES];
};

/** What a study found. Zero-initialise before use. */
struct tcplan_blocked_cache {
    int level;
    int64_t cache_bytes;
    int64_t line_bytes;
    double matrix_bytes; /**< of all matrices */
    int repetitions;     /**< that there was time for */
    bool time_over;      /**< they are fewer than asked for */
    int64_t runs;        /**< of the algorithm */
    int64_t count;
    struct tcplan_blocked_cache_call *call; /**< owned, in their order */
    int kernel_count;
    struct tcplan_blocked_cache_kernel *kernel; /**< owned, in the order of their first calls */
    double seconds; /**< of the algorithm: the sum of its calls' medians */
    double spread;  /**< the machine's own: the mean over calls of the difference of medians over
                       every other run and over the rest */
    double error[TCPLAN_CACHE_STAGES]; /**< means over the calls that count */
    double over[TCPLAN_CACHE_STAGES];  /**< the largest (estimate - time) / time of these; negative:
                                          all are below */
    double under[TCPLAN_CACHE_STAGES]; /**< the smallest */
    double total[TCPLAN_CACHE_STAGES]; /**< (sum of estimates - seconds) / seconds */
    double spent_seconds[TCPLAN_CACHE_STAGES]; /**< that the timings took which a stage needs,
                                                  without those of the algorithm */
    double algorithm_spent_seconds;            /**< that the runs of the algorithm took */
};

/**
 * Studies an algorithm at some sizes.
 *
 * @param out  receives the result, to be freed with tcplan_blocked_cache_free() whatever is
 *             returned
 * @return TCPLAN_OK, also if time is over: two repetitions are made in any case; TCPLAN_INVALID:
 *         sizes, a level that the machine does not have, too many calls, too little memory, a
 *         provider that lacks a routine, a machine that is not this one; TCPLAN_ENVIRONMENT if a
 *         call reports an error; TCPLAN_NO_MEMORY
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
