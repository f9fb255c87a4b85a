/**
 * Chains of dependent instructions, which measure the length of a cycle.
 *
 * The time-stamp counter has a constant rate, whatever the clock rate of the core. An instruction
 * that takes one cycle and needs the result of the one before it shows the core's clock rate.
 * Other instructions show their latencies in cycles.
 */
#ifndef ROOFLINE_TIMING_CHAIN_H
#define ROOFLINE_TIMING_CHAIN_H

#include <stdint.h>

#include "tcplan/roofline.h"

/** The instruction of a chain. */
enum chain_link {
    CHAIN_ADD,      /**< integer additions: one cycle each on every known CPU */
    CHAIN_MULTIPLY, /**< integer multiplications: three cycles on x86 since 2008 */
    CHAIN_LINKS
};

/** Returns the nanoseconds of one link: the fastest of a few chains of about 20 us. 0 if this
 * architecture has no such chain. */
double chain_link_ns(enum chain_link link);

/** Returns the core's current clock rate in Hz, measured by a chain of dependent additions; 0 if
 * unknown. */
double chain_clock_hz(void);

/** Returns the median and the quartiles of many clock rates that are measured as by
 * chain_clock_hz(). */
struct tcplan_clock_rate chain_clock_rate(void);

#endif
