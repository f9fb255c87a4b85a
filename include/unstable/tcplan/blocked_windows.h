/**
 * Windows: how long a blocked algorithm takes, from short stretches of its own calls at random
 * places; no models are needed, and it is not run as a whole.
 *
 * The calls of the algorithm are divided into strata of about equal work. In each a stretch is
 * timed that has every kernel of the stratum: calls in their order, on the algorithm's matrices,
 * behind those that come before them in the algorithm, which leave the caches as they would (the
 * source's algorithm-aware timings, Peise 2017, section 5.3.2, which it calls accurate and
 * impractical, as it makes one for each call). The time per unit of work of a kernel's calls in a
 * stratum is applied to all its calls in that stratum. The sum is one sample of the algorithm's
 * time; places are drawn anew for each.
 *
 * Where stretches would be most of an algorithm that has few steps, samples are whole runs. A
 * ranking compares samples of one kind: if one of its candidates has few steps, samples of all are
 * whole runs (`whole`).
 */
#ifndef TCPLAN_BLOCKED_WINDOWS_H
#define TCPLAN_BLOCKED_WINDOWS_H

#include "tcplan/blocked.h"
#include "tcplan/predict.h"
#include "tcplan/provider.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TCPLAN_WINDOWS_STRATA = 4,
    TCPLAN_WINDOWS_LEAST = 3, /**< samples */
    TCPLAN_WINDOWS_MOST = 10,
    TCPLAN_WINDOWS_KERNEL = 32 /**< bytes of a kernel's name */
};

/** Samples are taken until the interval is within this share to either side. */
#define TCPLAN_WINDOWS_PRECISION 0.01

/** All of it zero: as usual. */
struct tcplan_blocked_windows_options {
    enum tcplan_provider provider;
    int threads;      /**< 0: 1 */
    int strata;       /**< 0: TCPLAN_WINDOWS_STRATA */
    int samples;      /**< at most; 0: TCPLAN_WINDOWS_MOST; TCPLAN_MAX_SAMPLES is the most */
    double precision; /**< 0: TCPLAN_WINDOWS_PRECISION */
    double time_limit_seconds; /**< 0: none; TCPLAN_WINDOWS_LEAST samples are taken in any case */
    int64_t max_memory_bytes;  /**< of the matrices, each twice; 0: three quarters of the available
                                  memory */
    uint64_t seed;             /**< of places */
    bool whole;                /**< samples are whole runs: to be compared with others that are */
    bool measure; /**< behind each sample the whole algorithm is run: what the prediction is held
                     against */
};

/** A routine with its flags. */
struct tcplan_blocked_windows_kernel {
    char name[TCPLAN_WINDOWS_KERNEL]; /**< `dtrsm_RLTN` */
    int64_t calls;                    /**< of the algorithm */
    int64_t timed;                    /**< in all samples */
    double seconds;                   /**< that all its calls take: the mean over the samples */
};

/** Zero-initialise before use. */
struct tcplan_blocked_windows {
    struct tcplan_estimate estimate; /**< of the whole */
    double flops;                    /**< of the operation */
    int64_t calls;                   /**< that the algorithm makes */
    int64_t stretches;               /**< that were timed */
    bool whole;                      /**< samples are whole runs */
    bool disturbed;       /**< some stretch met other load on its core each time it was made */
    double executed;      /**< the work of all calls that were made, timed or not, as a share of the
                             algorithm's */
    double spent_seconds; /**< in all, including the preparation of memory; without whole runs that
                             were asked for */
    struct tcplan_estimate measured; /**< mean of the whole runs; no samples: none was asked for */
    double measured_spent_seconds;   /**< that these took */
    int kernel_count;
    struct tcplan_blocked_windows_kernel *kernel; /**< owned, in the order of their first calls */
};

/**
 * Predicts.
 *
 * @param out  receives the prediction, to be freed with tcplan_blocked_windows_free() whatever is
 *             returned
 * @return TCPLAN_OK; TCPLAN_INVALID: sizes, too many calls, too little memory, a provider that
 *         lacks a routine; TCPLAN_ENVIRONMENT if a call reports an error; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_blocked_windows(
    struct tcplan_blocked_windows *out, const struct tcplan_blocked *blocked,
    const struct tcplan_blocked_sizes *sizes, const struct tcplan_blocked_windows_options *options,
    struct tcplan_error *error);

TCPLAN_API void tcplan_blocked_windows_free(struct tcplan_blocked_windows *windows);

#ifdef __cplusplus
}
#endif

#endif
