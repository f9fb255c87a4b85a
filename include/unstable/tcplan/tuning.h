/**
 * Autotuned ceilings: the configuration with which dgemm or STREAM's triad is fastest, and how fast
 * that is, for a core, a NUMA node, a socket and the machine (Autotuning Benchmarking Techniques: A
 * Roofline Model Case Study).
 *
 * All configurations are measured, each no longer than it takes to know that it is not the best
 * one. It is invoked several times, each in its own process with other memory addresses, and each
 * invocation repeats its measurement in iterations; values are means of means.
 */
#ifndef TCPLAN_TUNING_H
#define TCPLAN_TUNING_H

#include <stdbool.h>
#include <stdint.h>

#include "tcplan/ceilings.h"
#include "tcplan/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is tuned. */
enum tcplan_tuned {
    TCPLAN_TUNED_DGEMM, /**< of the BLAS: the extents */
    TCPLAN_TUNED_TRIAD  /**< a(i) = b(i) + s c(i), in the last cache and in memory: length, threads,
                           where these run and where the memory lies */
};

/** Reasons to end a measurement early, as bits; the letters are the paper's. */
enum tcplan_tune_stop {
    TCPLAN_TUNE_PRECISE = 1, /**< C: iterations end when the interval of their mean is narrow */
    TCPLAN_TUNE_INNER =
        2, /**< I: iterations end when the whole interval is worse than the best so far */
    TCPLAN_TUNE_OUTER = 4 /**< O: invocations end by both */
};

enum tcplan_tune_order { TCPLAN_TUNE_FORWARD, TCPLAN_TUNE_REVERSE, TCPLAN_TUNE_RANDOM };

enum tcplan_tune_interval {
    TCPLAN_TUNE_STUDENT, /**< for a few samples */
    TCPLAN_TUNE_NORMAL   /**< the paper's: too narrow below some 30 samples, and so quicker */
};

enum tcplan_tune_extents {
    TCPLAN_TUNE_QUICK, /**< 45 configurations that take seconds: n 120 to 1920, m 128 to 2048, k 32
                          to 512 */
    TCPLAN_TUNE_PAPER  /**< 96 that take minutes: n 500 to 4000, m 512 to 4096, k 64 to 2048 */
};

struct tcplan_tune_options {
    enum tcplan_tuned benchmark;
    unsigned stops; /**< enum tcplan_tune_stop */
    enum tcplan_tune_order order;
    uint64_t seed;       /**< of the random order */
    int64_t invocations; /**< of a configuration, at most */
    int64_t iterations;  /**< of an invocation, at most */
    double seconds;      /**< of an invocation, at most */
    double tolerance;    /**< C: a share of the mean */
    enum tcplan_tune_interval interval;
    int64_t least_count; /**< I: iterations before it; more protect what becomes fast late */
    enum tcplan_tune_extents extents; /**< dgemm */
    int threads;                      /**< only so many; 0: those of each part of the machine */
    int64_t max_memory_bytes; /**< triad: of all vectors; 0: half of the available memory. More than
                                 is available is not used */
    const struct tcplan_roofline *known;  /**< triad: ceilings with measured effective cache sizes,
                                             used instead of the reported sizes; NULL: none */
    const struct tcplan_machine *machine; /**< whose caches and data sheet count; NULL: this machine
                                           */
    const char *const *program; /**< path and arguments of a program that calls tcplan_tune_serve(),
                                   ended by NULL; NULL: no processes */
    double patience_seconds; /**< after which a process that has not answered is ended; 0: a minute
                                more than ten times `seconds` */
    tcplan_progress_fn *progress; /**< NULL: none */
    void *progress_context;
};

/** The paper's: dgemm, C, I and O, forward, 10 invocations, 200 iterations, 10 s, 1 %, least count
 * 2; but Student's interval and quick extents. */
TCPLAN_API struct tcplan_tune_options tcplan_tune_defaults(void);

/** Theoretical peaks of a machine. */
struct tcplan_peak {
    double clock_hz; /**< of a core; 0: not known */
    enum tcplan_origin clock_origin;
    int vector_bits; /**< of the widest vectors that it multiplies and adds; 0: not known */
    int fma_units;   /**< how many of these in a cycle; 0: not known */
    enum tcplan_origin units_origin;
    double fma_per_cycle;    /**< measured: what `fma_units` is rounded from; 0: not measured */
    double core_gflops;      /**< analytic: double precision; 0: not known */
    double memory_transfers; /**< in a second, of one channel; 0: not known */
    int memory_channels;     /**< of a socket; 0: not known */
    enum tcplan_origin memory_origin;
    double socket_gbytes; /**< analytic: in a second, of a socket; 0: not known */
};

enum { TCPLAN_TUNED_ROWS = 8, TCPLAN_PART_NAME = 12 };

/** The fastest configuration in one part of the machine and one level of the memory. */
struct tcplan_tuned_row {
    char part[TCPLAN_PART_NAME];   /**< `core`, `NUMA node`, `socket`, `machine`; `threads`: none of
                                      them, a number that was asked for */
    int threads;                   /**< cores of it */
    int sockets;                   /**< that these are on */
    char level[TCPLAN_LEVEL_NAME]; /**< triad: `L3` or `DRAM` */
    bool reduced; /**< triad: there is not enough memory for vectors that certainly do not fit the
                     caches */
    int64_t wanted_bytes;   /**< triad in memory: of all vectors: four times what the last caches of
                               these cores hold */
    bool too_little_memory; /**< triad in memory: less than these caches hold may be used, so that
                               nothing was measured */
    bool found;       /**< otherwise everything was disturbed or lost, and only counts are known */
    int64_t m, n, k;  /**< dgemm */
    int64_t elements; /**< triad: of a vector */
    int used_threads; /**< the fastest number; dgemm: all */
    bool spread;      /**< they are far from each other; otherwise close */
    bool interleaved; /**< memory comes from all NUMA nodes in turn; otherwise it is local */
    double rate;      /**< GFLOP/s or 1e9 bytes a second, 24 an element */
    double slowest;   /**< of the worst configuration */
    double peak;      /**< in theory; 0: not known */
    double seconds;   /**< of the search */
    int64_t configurations;
    int64_t invocations;
    int64_t iterations;
    int64_t disturbed; /**< further iterations, which do not count */
    int64_t lost;      /**< further invocations, whose process died or hung */
    int64_t left_out;  /**< configurations that cannot be run, or were lost twice */
};

struct tcplan_tuning {
    struct tcplan_machine machine;      /**< caches as large as they were found to be, where that is
                                           known */
    int64_t reported_cache_bytes;       /**< of the last cache */
    bool cache_found;                   /**< it is as large as loads found it to be */
    int64_t available_bytes;            /**< of memory; 0: not known */
    struct tcplan_tune_options options; /**< without pointers */
    struct tcplan_peak peak;
    double seconds;
    int count;
    struct tcplan_tuned_row row[TCPLAN_TUNED_ROWS];
    char lost_reason[TCPLAN_MESSAGE_SIZE]; /**< of the last invocation that was lost; empty: none
                                              was */
};

/**
 * Searches, for a core, a NUMA node, a socket and the machine, each once where some are the same.
 *
 * @param options  NULL: the defaults
 * @return TCPLAN_OK, also if nothing was found; TCPLAN_INVALID if an option is out of range, as
 *         more threads than there are cores; TCPLAN_ENVIRONMENT if processes or threads cannot be
 *         had; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_tune(struct tcplan_tuning *out,
                                          const struct tcplan_tune_options *options,
                                          struct tcplan_error *error);

/** The work of a process that tcplan_tune() started: one invocation. Returns whether there was one.
 */
TCPLAN_API bool tcplan_tune_serve(void);

#ifdef __cplusplus
}
#endif

#endif
