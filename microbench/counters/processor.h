/**
 * Which events count a processor's floating-point operations: a table by manufacturer and model.
 * What is not in it is not guessed.
 */
#ifndef MICROBENCH_COUNTERS_PROCESSOR_H
#define MICROBENCH_COUNTERS_PROCESSOR_H

#include <stdint.h>

#include "microbench/counters/source.h"

enum { PROCESSOR_MAX_EVENTS = 8, PROCESSOR_VENDOR = 24 };

/** What /proc/cpuinfo says. */
struct processor {
    char vendor[PROCESSOR_VENDOR]; /**< `GenuineIntel`, `AuthenticAMD`; of ARM the number of the
                                      implementer: `0x41`; empty: not known */
    int family;                    /**< x86 */
    int model;                     /**< x86; of ARM the part */
};

/** An event of the core by its number, as the kernel's raw events have it. */
struct processor_event {
    const char *name;
    uint64_t config;
    double weight;   /**< operations of one count; 0: the end of a list */
    int vector_bits; /**< 0: not told apart */
};

/** The events of a processor whose sum is its operations. */
struct processor_events {
    const struct processor_event *event; /**< PROCESSOR_MAX_EVENTS at most */
    const char *note;                    /**< what they count differently; NULL: nothing */
};

/** Reads a text as /proc/cpuinfo has it. */
struct processor processor_read(const char *cpuinfo);

/** The events that count operations, or NULL where they are not known. */
const struct processor_events *processor_flops(const struct processor *processor);

#endif
