/**
 * Autotuned ceilings: finds the configuration with which dgemm or STREAM's triad is fastest, and
 * its speed, for a core, a NUMA node, a socket and the machine (Autotuning Benchmarking
 * Techniques: A Roofline Model Case Study).
 *
 * All configurations are measured, but each one only until it is known not to be the best. A
 * configuration is measured in several *invocations*, each in its own process with other memory
 * addresses; each invocation measures repeatedly, in *iterations*. Values are means of means.
 */
#ifndef TCPLAN_TUNING_H
#define TCPLAN_TUNING_H

#include <stdbool.h>
#include <stdint.h>

#include "tcplan/ceilings.h"
#include "tcplan/progress.h"
#include "tcplan/provider.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A kernel whose parameters autotuning chooses. */
enum tcplan_tuned {
    TCPLAN_TUNED_DGEMM, /**< dgemm of a BLAS; its extents are tuned */
    TCPLAN_TUNED_TRIAD, /**< a(i) = b(i) + s c(i), in the last-level cache and in memory; tunes the
                           length, the number and cores of threads, and the place of memory */
    TCPLAN_TUNED_SGEMM, /**< like TCPLAN_TUNED_DGEMM, for float */
    TCPLAN_TUNED_CGEMM, /**< like TCPLAN_TUNED_DGEMM, for complex float */
    TCPLAN_TUNED_ZGEMM  /**< like TCPLAN_TUNED_DGEMM, for complex double */
};

/** Reasons to end a measurement early, as bits; the letters are the paper's. */
enum tcplan_tune_stop {
    TCPLAN_TUNE_PRECISE =
        1,                 /**< C: iterations end when the 99 % interval of their mean is narrow */
    TCPLAN_TUNE_INNER = 2, /**< I: iterations end when their whole 99 % interval is worse than
                              the best configuration so far */
    TCPLAN_TUNE_OUTER = 4  /**< O: invocations end for reasons C and I, applied to their means */
};

enum tcplan_tune_order { TCPLAN_TUNE_FORWARD, TCPLAN_TUNE_REVERSE, TCPLAN_TUNE_RANDOM };

enum tcplan_tune_interval {
    TCPLAN_TUNE_STUDENT, /**< Student's t interval, which is correct for few samples */
    TCPLAN_TUNE_NORMAL,  /**< the paper's normal interval: too narrow for fewer than about 30
                            samples, and therefore quicker */
    TCPLAN_TUNE_MEDIAN   /**< the value of an invocation is the median of its iterations, with an
                            interval of order statistics, which needs 8 iterations; for invocations
                            Student's interval */
};

enum tcplan_tune_extents {
    TCPLAN_TUNE_QUICK, /**< 45 configurations that take seconds: n 120 to 1920, m 128 to 2048, k 32
                          to 512 */
    TCPLAN_TUNE_PAPER  /**< 96 that take minutes: n 500 to 4000, m 512 to 4096, k 64 to 2048 */
};

struct tcplan_tune_options {
    enum tcplan_tuned benchmark;
    unsigned stops; /**< reasons to end early, as bits of enum tcplan_tune_stop */
    enum tcplan_tune_order order;
    uint64_t seed;       /**< seed of the random order */
    int64_t invocations; /**< maximum number of invocations per configuration */
    int64_t iterations;  /**< maximum number of iterations per invocation */
    double seconds;      /**< maximum duration of an invocation */
    double tolerance;    /**< for reason C: half width of the 99 % interval / mean */
    enum tcplan_tune_interval interval;
    int64_t least_count; /**< for reason I: minimum number of iterations before it may apply; a
                            larger number protects configurations that become fast late */
    bool ramps; /**< whether iterations before and while a configuration becomes faster are not
                   counted, and the series does not end early for reasons C or I (trend test of Mann
                   and Kendall on the last 32 iterations) */
    enum tcplan_tune_extents extents; /**< set of extents for gemm */
    enum tcplan_provider provider;    /**< library of gemm */
    bool configurations; /**< whether the result has a row for each configuration instead of one for
                            the fastest */
    int threads; /**< measure only with this number of threads; 0: with those of each part of the
                    machine */
    int64_t max_memory_bytes; /**< for the triad: memory limit for all vectors; 0: half of the
                                 available memory. Never exceeds the available memory */
    const struct tcplan_roofline *known;  /**< for the triad: ceilings with effective cache sizes,
                                             used instead of the reported ones; NULL: none */
    const struct tcplan_machine *machine; /**< machine whose caches and data sheet are used; NULL:
                                             the machine that runs this program */
    const char *const *program; /**< path and arguments of a program that calls tcplan_tune_serve(),
                                   ended by NULL; NULL: everything runs in this process */
    double patience_seconds; /**< time after which a process that has not answered is ended; 0: ten
                                times `seconds` plus a minute */
    tcplan_progress_fn *progress; /**< progress callback; NULL: none */
    void *progress_context;
};

/** Returns the paper's options (dgemm, C, I and O, forward, 10 invocations, 200 iterations, 10 s, 1
 * %, least count 2), except for Student's interval and quick extents. */
TCPLAN_API struct tcplan_tune_options tcplan_tune_defaults(void);

/** Theoretical peaks of a machine. */
struct tcplan_peak {
    double clock_hz; /**< core clock; 0: unknown */
    enum tcplan_origin clock_origin;
    int vector_bits; /**< width of the widest vectors with FMA; 0: unknown */
    int fma_units;   /**< number of FMAs with these vectors per cycle; 0: unknown */
    enum tcplan_origin units_origin;
    double fma_per_cycle; /**< measured value from which `fma_units` is rounded; 0: not measured */
    double core_gflops;   /**< analytic peak of one core in double precision; 0: unknown */
    double memory_transfers; /**< memory transfers per second and channel; 0: unknown */
    int memory_channels;     /**< memory channels per socket; 0: unknown */
    enum tcplan_origin memory_origin;
    double socket_gbytes; /**< analytic memory bandwidth of a socket in 1e9 bytes per second; 0:
                             unknown */
};

enum { TCPLAN_PART_NAME = 12 };

/** The fastest configuration in one part of the machine and one level of the memory, or, with
 * tcplan_tune_options.configurations, one of the configurations: `configurations` is then 1, and
 * `slowest` equals `rate`. */
struct tcplan_tuned_row {
    char part[TCPLAN_PART_NAME];   /**< `core`, `NUMA node`, `socket` or `machine`; `threads`: a
                                      number of threads that was requested and is none of these */
    int threads;                   /**< number of cores of this part */
    int sockets;                   /**< number of sockets that contain these cores */
    char level[TCPLAN_LEVEL_NAME]; /**< for the triad: `L3` or `DRAM` */
    bool reduced; /**< for the triad: whether memory did not suffice for vectors that certainly
                     exceed the caches */
    int64_t wanted_bytes; /**< for the triad in memory: bytes that all vectors together should have,
                             four times the last caches of these cores */
    bool too_little_memory; /**< for the triad in memory: whether nothing was measured, because the
                               permitted memory is smaller than these caches */
    bool found;       /**< whether a fastest configuration was found; false: every measurement was
                         disturbed or lost, and only the counts below are known */
    int64_t m, n, k;  /**< extents of gemm */
    int64_t elements; /**< for the triad: length of a vector */
    int used_threads; /**< number of threads of the fastest configuration; for gemm always
                         `threads` */
    bool spread;      /**< whether threads run on distant cores; false: on adjacent cores */
    bool interleaved; /**< whether memory comes from all NUMA nodes in turn; false: from the
                         threads' own nodes */
    double rate;      /**< GFLOP/s, or 1e9 bytes per second at 24 bytes per element */
    double slowest;   /**< rate of the slowest configuration */
    double peak;      /**< theoretical rate; 0: unknown */
    double seconds;   /**< duration of the search */
    int64_t configurations;
    int64_t invocations;
    int64_t iterations;
    int64_t disturbed; /**< number of iterations repeated because of other load */
    int64_t lost;      /**< number of invocations repeated because their process died or hung */
    int64_t left_out;  /**< number of configurations that cannot run or were lost twice */
};

/** The result of a tuning, to be freed with tcplan_tuning_free(). */
struct tcplan_tuning {
    struct tcplan_machine machine; /**< the machine, with the measured sizes of its caches, if known
                                    */
    int64_t reported_cache_bytes;  /**< reported size of the last cache */
    bool cache_found;              /**< whether the last cache in `machine` has its measured size */
    int64_t available_bytes;       /**< available memory; 0: unknown */
    struct tcplan_tune_options options; /**< the options used, without their pointers */
    struct tcplan_peak peak;
    double seconds;
    int count;
    struct tcplan_tuned_row *row;
    char lost_reason[TCPLAN_MESSAGE_SIZE]; /**< reason of the last lost invocation; empty: none was
                                              lost */
};

/**
 * Tunes a kernel for a core, a NUMA node, a socket and the machine; parts that are the same are
 * tuned once.
 *
 * @param options  NULL: the defaults
 * @return TCPLAN_OK, also if nothing was found; TCPLAN_INVALID if an option is out of range, for
 *     example more threads than cores; TCPLAN_ENVIRONMENT if processes or threads cannot be
 *     started; TCPLAN_NOT_APPLICABLE if this program lacks the library of gemm; TCPLAN_NO_MEMORY.
 *     If the status is not TCPLAN_OK, there is nothing to free
 */
TCPLAN_API enum tcplan_status tcplan_tune(struct tcplan_tuning *out,
                                          const struct tcplan_tune_options *options,
                                          struct tcplan_error *error);

/** Returns whether a benchmark is a gemm. */
TCPLAN_API bool tcplan_tuned_is_gemm(enum tcplan_tuned benchmark);

/** Frees the rows. */
TCPLAN_API void tcplan_tuning_free(struct tcplan_tuning *tuning);

/** Does the work of a process started by tcplan_tune(): one invocation. Returns whether this
 * process was started by it. */
TCPLAN_API bool tcplan_tune_serve(void);

#ifdef __cplusplus
}
#endif

#endif
