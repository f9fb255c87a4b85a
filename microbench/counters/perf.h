/**
 * Counts from the processor's counters, by Linux's perf_event.
 *
 * Operations: the events of processor.h, one counter for each width and precision, without what the
 * kernel does. Misses: the kernel's event for the last cache, times the length of a line. Memory:
 * every controller that the kernel lists, on every socket, for which it asks more rights. Cycles
 * and instructions: the kernel's own general events.
 */
#ifndef MICROBENCH_COUNTERS_PERF_H
#define MICROBENCH_COUNTERS_PERF_H

#include <sys/types.h>

#include "microbench/counters/source.h"

struct perf_event_attr;

/** What perf_event is asked through, so that tests answer. Functions set errno as system calls do.
 */
struct perf_system {
    const char *root; /**< in front of /sys and /proc; empty */
    int (*open)(const struct perf_event_attr *attr, pid_t process, int cpu);
    int (*control)(int descriptor, unsigned long request);
    ssize_t (*read)(int descriptor, void *out, size_t size);
    int (*close)(int descriptor);
};

/** The system itself. */
extern const struct perf_system perf_live;

/** As counter_open(); `system` must outlive the source. */
enum tcplan_status perf_open(struct counter_source **out, const struct counter_target *target,
                             const struct perf_system *system, struct tcplan_error *error);

#endif
