/**
 * Chains of dependent instructions: what a cycle lasts.
 *
 * The time-stamp counter counts at a rate of its own, whatever the core does. An instruction that
 * needs the result of the one before it, and takes one cycle, shows the core's rate; others show
 * their latencies in cycles.
 */
#ifndef ROOFLINE_TIMING_CHAIN_H
#define ROOFLINE_TIMING_CHAIN_H

#include <stdint.h>

#include "tcplan/roofline.h"

/** The instruction of a chain. */
enum chain_link {
    CHAIN_ADD,      /**< integer additions: one cycle each on every CPU known */
    CHAIN_MULTIPLY, /**< integer multiplications: three cycles on x86 since 2008 */
    CHAIN_LINKS
};

/** Nanoseconds of one link: the smallest of a few chains of about 20 us; 0 if this architecture has
 * no such chain. */
double chain_link_ns(enum chain_link link);

/** Returns the core's present clock rate in Hz, from additions; 0 if unknown. */
double chain_clock_hz(void);

/** The same of many chains: median and quartiles. */
struct tcplan_clock_rate chain_clock_rate(void);

#endif
