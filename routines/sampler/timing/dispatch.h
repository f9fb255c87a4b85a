/**
 * Calls a routine with an array of arguments, between two readings of the clock.
 */
#ifndef SAMPLER_DISPATCH_H
#define SAMPLER_DISPATCH_H

#include "routines/sampler/timing/routine.h"

/** Begin and end of a call, see microbench/timing/ticks.h. */
struct dispatch_times {
    uint64_t begin;
    uint64_t end;
};

/**
 * Makes a call of 1 to CALL_MAX_ARGUMENTS arguments and ignores its return value. Dispatch happens
 * before the clock is read: the timed part only puts the arguments where the routine expects them.
 */
struct dispatch_times dispatch_timed(const struct call *call);

#endif
