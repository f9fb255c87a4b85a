/**
 * Reads the processor's counters through Linux's perf_event.
 *
 * Operations: the events of processor.h, one counter for each width and precision, without the
 * kernel's work. Misses: the kernel's event for the last cache, times the line length. Memory:
 * every listed controller on every socket, which needs more rights. Cycles and instructions: the
 * kernel's generic events. Named events: what the kernel or the processor calls by that name.
 */
#ifndef MICROBENCH_COUNTERS_PERF_H
#define MICROBENCH_COUNTERS_PERF_H

#include <sys/types.h>

#include "microbench/counters/source.h"

struct perf_event_attr;

/** System calls and files that perf_event needs; tests replace them. Functions set errno like
 * system calls. */
struct perf_system {
    const char *root; /**< prefix of the paths /sys and /proc; usually empty */
    int (*open)(const struct perf_event_attr *attr, pid_t process, int cpu);
    int (*control)(int descriptor, unsigned long request);
    ssize_t (*read)(int descriptor, void *out, size_t size);
    int (*close)(int descriptor);
};

/** The real system's files and system calls. */
extern const struct perf_system perf_live;

/** Opens a source of counts by perf_event, like counter_open(); `system` must outlive the source.
 */
enum tcplan_status perf_open(struct counter_source **out, const struct counter_target *target,
                             const struct perf_system *system, struct tcplan_error *error);

#endif
