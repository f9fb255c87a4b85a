/**
 * Work W, traffic Q and time T of a kernel by the protocol of Ofenbeck et al., Applying the
 * Roofline Model (section III).
 *
 *   repeat `repeats` times:  start; as many runs as take `least_seconds` together; stop
 *
 * and each quantity is the median over the repeats of the total, less what the same loop without
 * the kernel takes, over the runs. Warm runs are all on the same data. Cold ones rotate over
 * replicas that together exceed the caches, so that nothing is flushed while time is taken; before
 * the first repeat all replicas are run once, which fills the caches with written lines: the
 * write-back of these replaces that of the data left by the last runs. Not controlled are the
 * kernel's code, its own buffers, and address translation.
 *
 * Where the counts come from is a parameter: hardware, a record, a simulator, or nowhere; then they
 * are unknown, and are not made up.
 */
#ifndef ROOFLINE_VALIDATION_PROTOCOL_H
#define ROOFLINE_VALIDATION_PROTOCOL_H

#include "microbench/counters/source.h"

enum { PROTOCOL_REPEATS = 20, PROTOCOL_MOST_REPEATS = 1000 };

/** Cycles that a repeat takes at least. */
#define PROTOCOL_CYCLES 1e8

/** The kernel. Both functions do `runs` runs, the second all but the kernel itself. */
struct protocol_target {
    void *context;
    void (*run)(void *context, int64_t runs);
    void (*run_empty)(void *context, int64_t runs);
    int64_t replicas; /**< of its data, over which runs rotate; 1: warm */
};

struct protocol_options {
    int repeats;          /**< 1 to PROTOCOL_MOST_REPEATS; 0: PROTOCOL_REPEATS */
    double least_seconds; /**< of a repeat */
    double most_seconds;  /**< after which no further repeat is begun, but the first; 0: no bound */
    bool alone; /**< the kernel has one thread: its CPU time counts if it loses its core */
    struct counter_source *counts; /**< NULL: none */
};

/** One repeat, or the same without the kernel. */
struct protocol_sample {
    double seconds;
    bool disturbed; /**< a thread lost its core */
    struct counter_totals counts;
};

/** Of one run. */
struct protocol_quantity {
    bool known;
    double median, q1, q3;
};

struct protocol_result {
    int64_t runs; /**< of a repeat */
    int repeats;
    int disturbed;                     /**< of these */
    struct protocol_quantity overhead; /**< seconds of a repeat without the kernel */
    struct protocol_quantity seconds;
    struct protocol_quantity work; /**< flops */
    struct protocol_quantity read; /**< bytes */
    struct protocol_quantity written;
    struct protocol_quantity moved;  /**< both */
    struct protocol_quantity gflops; /**< by the counted work, or by `flops` if that is unknown */
    struct protocol_quantity intensity, intensity_read,
        intensity_written; /**< the same over moved, read and written bytes */
};

/**
 * Runs a kernel by the protocol.
 *
 * @param flops  of one run, analytic; 0: not known
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY; the message of the source of counts
 */
enum tcplan_status protocol_run(struct protocol_result *out, const struct protocol_target *target,
                                const struct protocol_options *options, double flops,
                                struct tcplan_error *error);

/**
 * The part of protocol_run() that is pure. Only undisturbed repeats count, if there are any.
 *
 * @param sample  of `count` repeats of `runs` runs
 * @param empty   of as many repeats without the kernel
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY
 */
enum tcplan_status protocol_summarise(struct protocol_result *out,
                                      const struct protocol_sample *sample,
                                      const struct protocol_sample *empty, int count, int64_t runs,
                                      double flops, struct tcplan_error *error);

/**
 * How many replicas of `bytes` make runs cold: together the last cache times its associativity, so
 * that they leave whatever way lines are mapped and replaced, or what the limit allows, at least 1.
 */
int64_t protocol_replicas(int64_t bytes, int64_t cache_bytes, int ways, int64_t limit_bytes);

#endif
