/**
 * Calling a routine whose arguments are an array, between two readings of the clock.
 */
#ifndef SAMPLER_DISPATCH_H
#define SAMPLER_DISPATCH_H

#include "routines/sampler/timing/routine.h"

/** When a call began and ended, see microbench/timing/ticks.h. */
struct dispatch_times {
    uint64_t begin;
    uint64_t end;
};

/**
 * Makes a call of 1 to CALL_MAX_ARGUMENTS arguments. Its return value is ignored. Which call it is
 * is decided before the clock is read: in between there is nothing but to put the arguments where
 * the routine expects them.
 */
struct dispatch_times dispatch_timed(const struct call *call);

#endif
