/**
 * Measures work W, traffic Q and time T of a kernel by the protocol of Ofenbeck et al., Applying
 * the Roofline Model (section III).
 *
 *   repeat `repeats` times:  start; as many runs as take `least_seconds` together; stop
 *
 * Each quantity is the median over the repeats: the total, less that of the same loop without the
 * kernel, divided by the number of runs. Warm runs use the same data. Cold runs rotate over
 * replicas that together exceed the caches, so that no cache needs to be flushed. Before the first
 * repeat each replica is used once, which fills the caches with written lines. Writing these lines
 * back during the repeats compensates for the lines that the last runs leave in the caches. The
 * kernel's code, its own buffers and address translation are not controlled.
 *
 * The source of counts is a parameter: hardware, a record, a simulator, or none. Without a source,
 * work and traffic are unknown.
 */
#ifndef ROOFLINE_VALIDATION_PROTOCOL_H
#define ROOFLINE_VALIDATION_PROTOCOL_H

#include "microbench/counters/source.h"

enum { PROTOCOL_REPEATS = 20, PROTOCOL_MOST_REPEATS = 1000 };

/** Minimum number of cycles of a repeat. */
#define PROTOCOL_CYCLES 1e8

/** A kernel. run() does `runs` runs; run_empty() does the same without the kernel itself. */
struct protocol_target {
    void *context;
    void (*run)(void *context, int64_t runs);
    void (*run_empty)(void *context, int64_t runs);
    int64_t replicas; /**< number of replicas of the data, over which runs rotate; 1: warm runs */
};

struct protocol_options {
    int repeats;          /**< number of repeats, 1 to PROTOCOL_MOST_REPEATS; 0: PROTOCOL_REPEATS */
    double least_seconds; /**< minimum seconds of a repeat */
    double most_seconds;  /**< time limit, after which no repeat but the first begins; 0: none */
    bool alone; /**< whether the kernel has one thread; if this loses its core, CPU time is used */
    struct counter_source *counts; /**< source of counts; NULL: none */
};

/** The measurement of a repeat, with or without the kernel. */
struct protocol_sample {
    double seconds;
    bool disturbed; /**< whether a thread lost its core */
    struct counter_totals counts;
};

/** A quantity of one run. */
struct protocol_quantity {
    bool known;
    double median, q1, q3;
};

struct protocol_result {
    int64_t runs; /**< number of runs in a repeat */
    int repeats;
    int disturbed;                     /**< number of repeats that were disturbed */
    struct protocol_quantity overhead; /**< seconds of a repeat without the kernel */
    struct protocol_quantity seconds;
    struct protocol_quantity work; /**< floating-point operations */
    struct protocol_quantity read; /**< bytes read from memory */
    struct protocol_quantity written;
    struct protocol_quantity moved;  /**< bytes read and written */
    struct protocol_quantity gflops; /**< speed from the counted work, or from `flops` if the work
                                        is unknown */
    struct protocol_quantity intensity, intensity_read,
        intensity_written; /**< operational intensities: operations per byte moved, read and written
                            */
};

/**
 * Measures a kernel by the protocol.
 *
 * @param flops  operations of one run by analysis; 0: unknown
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY; the status of the source of counts
 */
enum tcplan_status protocol_run(struct protocol_result *out, const struct protocol_target *target,
                                const struct protocol_options *options, double flops,
                                struct tcplan_error *error);

/**
 * Summarises the samples of protocol_run(). Pure. If there are undisturbed repeats, only these
 * count.
 *
 * @param sample  `count` repeats of `runs` runs
 * @param empty  the same number of repeats without the kernel
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY
 */
enum tcplan_status protocol_summarise(struct protocol_result *out,
                                      const struct protocol_sample *sample,
                                      const struct protocol_sample *empty, int count, int64_t runs,
                                      double flops, struct tcplan_error *error);

/**
 * Returns how many replicas of `bytes` make runs cold. The replicas together are as large as the
 * last cache times its associativity, so that each is evicted before it is reused, whatever the
 * mapping and replacement of lines. The result is at least 1; otherwise the replicas take at most
 * `limit_bytes`.
 */
int64_t protocol_replicas(int64_t bytes, int64_t cache_bytes, int ways, int64_t limit_bytes);

#endif
