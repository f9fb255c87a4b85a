/**
 * Windows: predicts the time of a blocked algorithm from short stretches of its own calls at
 * random places, without models and without running it as a whole.
 *
 * The calls of the algorithm are divided into strata of about equal work. In each stratum one
 * stretch of consecutive calls is timed that contains every kernel of the stratum. It runs on the
 * algorithm's matrices, directly after the calls that precede it in the algorithm, so that the
 * caches are in the right state. These are the algorithm-aware timings of Peise 2017, section
 * 5.3.2, who calls them accurate but impractical because he times every call this way. The time
 * per unit of work of a kernel's calls in a stratum is applied to all its calls in that stratum.
 * The sum is one sample of the algorithm's time; each sample draws new places.
 *
 * If an algorithm has so few steps that stretches would cover most of it, its samples are whole
 * runs. A ranking compares samples of one kind: if one of its candidates has few steps, samples of
 * all are whole runs (`whole`).
 */
#ifndef TCPLAN_BLOCKED_WINDOWS_H
#define TCPLAN_BLOCKED_WINDOWS_H

#include "tcplan/binding.h"
#include "tcplan/blocked.h"
#include "tcplan/predict.h"
#include "tcplan/provider.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TCPLAN_WINDOWS_STRATA = 4,
    TCPLAN_WINDOWS_LEAST = 3, /**< smallest number of samples */
    TCPLAN_WINDOWS_MOST = 10,
    TCPLAN_WINDOWS_KERNEL = 32 /**< size of the buffer for a kernel's name, in bytes */
};

/** Sampling ends when both ends of the 95 % interval are within this share of the mean. */
#define TCPLAN_WINDOWS_PRECISION 0.01

/** Options of a prediction. Zero-initialise for the defaults. */
struct tcplan_blocked_windows_options {
    enum tcplan_provider provider;
    int threads;                   /**< number of threads; 0: 1 */
    struct tcplan_binding binding; /**< cores of threads and NUMA nodes of memory; empty: not bound
                                    */
    int strata;                    /**< number of strata; 0: TCPLAN_WINDOWS_STRATA */
    int samples; /**< maximum number of samples; 0: TCPLAN_WINDOWS_MOST; at most TCPLAN_MAX_SAMPLES
                  */
    double precision;          /**< relative half-width of the 95 % interval at which sampling ends;
                                  0: TCPLAN_WINDOWS_PRECISION */
    double time_limit_seconds; /**< time limit in seconds; 0: no limit. TCPLAN_WINDOWS_LEAST samples
                                  are always taken */
    int64_t max_memory_bytes;  /**< memory limit in bytes for two copies of the matrices; 0: three
                                  quarters of the available memory */
    uint64_t seed;             /**< seed of the random places of the stretches */
    bool whole;   /**< whether samples are whole runs; needed for a comparison with other algorithms
                     whose samples are whole runs */
    bool measure; /**< whether to run the whole algorithm after each sample, to check the prediction
                   */
};

/** A routine with its flags. */
struct tcplan_blocked_windows_kernel {
    char name[TCPLAN_WINDOWS_KERNEL]; /**< `dtrsm_RLTN` */
    int64_t calls;                    /**< number of calls in one run of the algorithm */
    int64_t timed;  /**< number of calls that were timed, in all samples together */
    double seconds; /**< seconds of all calls of this kernel in one run of the algorithm: the mean
                       over the samples */
};

/** Zero-initialise before use. */
struct tcplan_blocked_windows {
    struct tcplan_estimate estimate; /**< estimated time of the whole algorithm */
    double flops;                    /**< floating-point operations of the operation */
    int64_t calls;                   /**< number of calls in one run of the algorithm */
    int64_t stretches;               /**< number of stretches timed */
    bool whole;                      /**< whether samples are whole runs */
    bool disturbed;  /**< whether other load used the core in every repetition of some stretch */
    double executed; /**< executed work, whether timed or not, as a share of the algorithm's work */
    double spent_seconds; /**< total seconds, including the preparation of memory, but not the whole
                             runs of `measure` */
    struct tcplan_estimate measured; /**< mean time of the whole runs that `measure` requests;
                                        without samples if there were none */
    double measured_spent_seconds;   /**< seconds spent on the whole runs of `measure` */
    int kernel_count;
    struct tcplan_blocked_windows_kernel *kernel; /**< kernels in the order of their first calls;
                                                     owned */
};

/**
 * Predicts the time of an algorithm.
 *
 * @param out  receives the prediction, to be freed with tcplan_blocked_windows_free() whatever is
 *             returned
 * @return TCPLAN_OK; TCPLAN_INVALID: invalid sizes, too many calls, insufficient memory, a
 *     provider without a routine; TCPLAN_ENVIRONMENT if a call reports an error; TCPLAN_NO_MEMORY
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
