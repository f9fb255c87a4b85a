/**
 * One micro-benchmark of the dissertation (section 6.2.3): the accesses of a cache setup, then a
 * timed kernel call.
 *
 * The setup reads operands that the nest reads and rewrites those it writes, one word for each
 * cache line; remote accesses stream over memory of no operand. The timer's own time is subtracted.
 *
 * Kernels too short for the clock are timed in batches: consecutive calls, whose total time is
 * divided by their number. Operands that vary with the loop from one call of the class to the next
 * advance as in the nest, at least to the next cache line. Each setup access is made for all calls
 * of the batch before the next access. The other operands stay in place, as in the nest. A
 * repetition in which the thread lost its core is repeated.
 */
#ifndef MICROBENCH_BENCHMARK_H
#define MICROBENCH_BENCHMARK_H

#include "microbench/predict/window.h"
#include "tcplan/analysis.h"

enum { BENCHMARK_REPETITIONS = 10, BENCHMARK_MAX_BATCH = 256 };

/** Memory that represents all other data which the nest touches. */
struct remote_memory {
    char *base; /**< the memory; NULL until the first use */
    size_t bytes;
    size_t limit_bytes; /**< bytes of the memory; longer setups read it repeatedly */
};

void remote_memory_free(struct remote_memory *remote);

/** Settings shared by all benchmarks of a ranking. */
struct benchmark_settings {
    int64_t line_bytes;
    double near_bytes; /**< bytes of the first cache; the moving operands of a batch use at most
                          half */
    double timer_ns;   /**< the time that reading the clock takes, in nanoseconds */
};

/** Derives the settings from the machine and the clock. */
struct benchmark_settings benchmark_settings_for(const struct tcplan_machine *machine);

/** A prepared benchmark. */
struct benchmark {
    const struct benchmark_settings *settings;
    const struct tcplan_call_class *call_class;
    struct window *window;
    struct remote_memory *remote;
    int64_t batch; /**< number of calls that are timed together; 1: a single call */
    bool moves[TCPLAN_OPERANDS];
};

/** Prepares the benchmark of a class of calls of the window's nest. All pointers are borrowed. */
struct benchmark benchmark_make(const struct benchmark_settings *settings,
                                const struct tcplan_call_class *call_class, struct window *window,
                                struct remote_memory *remote);

/** Describes everything that the benchmark's time depends on in one line, to be released with
 * free(); NULL if out of memory. */
char *benchmark_text(const struct benchmark *benchmark);

/** Runs the benchmark; `sample_ns` receives the time of one call for each repetition. */
enum tcplan_status benchmark_run(const struct benchmark *benchmark,
                                 double sample_ns[BENCHMARK_REPETITIONS],
                                 struct tcplan_error *error);

#endif
