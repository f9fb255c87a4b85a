/**
 * What the kernel says of a unit that counts (a PMU): its folder
 * /sys/bus/event_source/devices/NAME.
 *
 * Events are texts as `event=0x04,umask=0x03`; which bits of perf_event_attr each word fills stands
 * in the folder `format`, as `config:8-15`.
 */
#ifndef MICROBENCH_COUNTERS_PMU_H
#define MICROBENCH_COUNTERS_PMU_H

#include <stdbool.h>
#include <stdint.h>

enum { PMU_MAX_CPUS = 32, PMU_TEXT = 256, PMU_NAME = 48 };

struct pmu {
    char name[PMU_NAME];
    char folder[PMU_TEXT];
    uint32_t type;
    int cpu_count; /**< processors that a unit beside the cores is asked on, one a socket; 0: one of
                      cores */
    int cpu[PMU_MAX_CPUS];
};

/** An event of a unit. */
struct pmu_event {
    uint64_t config, config1, config2;
};

/** Reads the first bytes of a file below a root as text, without the end of its line; false where
 * it cannot be read. */
bool pmu_read_file(char *out, int size, const char *root, const char *path);

/** The unit of a name; false where the kernel has none. */
bool pmu_find(struct pmu *out, const char *root, const char *name);

/** The next unit whose name begins so, in the order of names; `*out` is the one before, or zeroed.
 */
bool pmu_next(struct pmu *out, const char *root, const char *prefix);

/** The words of an event as numbers; false where a word is not in `format` or does not fit its
 * bits. */
bool pmu_encode(struct pmu_event *out, const struct pmu *pmu, const char *words);

/**
 * An event that the kernel lists by name.
 *
 * @param scale  receives the bytes of one count where the kernel says them (its scale, in MiB),
 *               else 0
 */
bool pmu_listed(struct pmu_event *out, double *scale, const struct pmu *pmu, const char *event);

#endif
