/**
 * One micro-benchmark of the dissertation (section 6.2.3): the accesses of a cache setup, then a
 * timed kernel call.
 *
 * Operands are read where they are read and rewritten where they are written, one word a cache
 * line; remote accesses stream over memory that belongs to no operand. The timer's own time is
 * subtracted.
 *
 * A kernel too short for the clock is timed in a batch: several calls back to back, the total
 * divided by their number. Operands that vary with the loop whose steps lead from one call of the
 * class to the next move on as in the nest, at least to the next cache line; each access of the
 * setup is made for all of their places in turn. The other operands stay, as they do in the nest. A
 * repetition during which the thread lost the core is made again.
 */
#ifndef MICROBENCH_BENCHMARK_H
#define MICROBENCH_BENCHMARK_H

#include "microbench/predict/window.h"
#include "tcplan/analysis.h"

enum { BENCHMARK_REPETITIONS = 10, BENCHMARK_MAX_BATCH = 256 };

/** Memory that stands for everything else a nest touches. */
struct remote_memory {
    char *base; /**< NULL until the first use */
    size_t bytes;
    size_t limit_bytes; /**< longer setups pass over it more than once */
};

void remote_memory_free(struct remote_memory *remote);

/** What all benchmarks of a ranking have in common. */
struct benchmark_settings {
    int64_t line_bytes;
    double near_bytes; /**< the moving operands of a batch stay within half of this, the first cache
                          level */
    double timer_ns;   /**< what reading the clock adds to a time */
};

/** Reads machine and clock. */
struct benchmark_settings benchmark_settings_for(const struct tcplan_machine *machine);

/** A benchmark laid out. */
struct benchmark {
    const struct benchmark_settings *settings;
    const struct tcplan_call_class *call_class;
    struct window *window;
    struct remote_memory *remote;
    int64_t batch; /**< 1: a single call */
    bool moves[TCPLAN_OPERANDS];
};

/** Lays out the benchmark of a class of calls of the window's nest. All pointers are borrowed. */
struct benchmark benchmark_make(const struct benchmark_settings *settings,
                                const struct tcplan_call_class *call_class, struct window *window,
                                struct remote_memory *remote);

/** Everything that its time depends on, in one line, to be freed with free(); NULL when memory is
 * out. */
char *benchmark_text(const struct benchmark *benchmark);

/** Makes it; `sample_ns` receives the time of one call, once for each repetition. */
enum tcplan_status benchmark_run(const struct benchmark *benchmark,
                                 double sample_ns[BENCHMARK_REPETITIONS],
                                 struct tcplan_error *error);

#endif
