/**
 * A performance monitoring unit (PMU) as the kernel describes it in
 * /sys/bus/event_source/devices/NAME. Events are texts such as `event=0x04,umask=0x03`; files in
 * its folder `format` give the bits of perf_event_attr for each word, such as `config:8-15`.
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
    int cpu_count; /**< for units outside of cores: processors on which to open events, one for each
                      socket. 0: the unit is part of each core */
    int cpu[PMU_MAX_CPUS];
};

/** An event of a PMU. */
struct pmu_event {
    uint64_t config, config1, config2;
};

/** Reads the beginning of a file below a root as text, without its line end; returns false if
 * the file cannot be read. */
bool pmu_read_file(char *out, int size, const char *root, const char *path);

/** Finds a PMU by name; returns false if the kernel has none. */
bool pmu_find(struct pmu *out, const char *root, const char *name);

/** Finds the next PMU, by name, whose name begins with a prefix; `*out` is the previous one, or
 * zeroed. */
bool pmu_next(struct pmu *out, const char *root, const char *prefix);

/** Encodes the words of an event; returns false if a word is not in `format` or does not fit its
 * bits. */
bool pmu_encode(struct pmu_event *out, const struct pmu *pmu, const char *words);

/**
 * Encodes an event that the kernel lists by name.
 * @param scale  receives the bytes per count if the kernel gives a scale (in MiB), else 0
 */
bool pmu_listed(struct pmu_event *out, double *scale, const struct pmu *pmu, const char *event);

#endif
