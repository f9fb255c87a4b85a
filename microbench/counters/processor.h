/**
 * The events that count floating-point operations, by manufacturer and model. Processors that are
 * not in the table have none.
 */
#ifndef MICROBENCH_COUNTERS_PROCESSOR_H
#define MICROBENCH_COUNTERS_PROCESSOR_H

#include <stdint.h>

#include "microbench/counters/source.h"

enum { PROCESSOR_MAX_EVENTS = 8, PROCESSOR_VENDOR = 24 };

/** Identification of a processor in /proc/cpuinfo. */
struct processor {
    char vendor[PROCESSOR_VENDOR]; /**< `GenuineIntel`, `AuthenticAMD`; for ARM the implementer's
                                      number: `0x41`; empty: not known */
    int family;                    /**< x86 */
    int model;                     /**< x86: model number; ARM: part number */
};

/** A raw event of the core. */
struct processor_event {
    const char *name;
    uint64_t config;
    double weight;   /**< operations per count; 0: the end of a list */
    int vector_bits; /**< width of the counted vectors; 0: widths are not distinguished */
};

/** The events of a processor that add up to its operations. */
struct processor_events {
    const struct processor_event *event; /**< up to PROCESSOR_MAX_EVENTS events */
    const char *note; /**< how the counts of these events deviate from the operations; NULL: not at
                         all */
};

/** Parses text in the format of /proc/cpuinfo. */
struct processor processor_read(const char *cpuinfo);

/** Returns the events that count operations; NULL if they are unknown. */
const struct processor_events *processor_flops(const struct processor *processor);

#endif
