/** Calls a routine with an array of arguments, and reads the clock before and after the call. */
#ifndef SAMPLER_DISPATCH_H
#define SAMPLER_DISPATCH_H

#include "routines/sampler/timing/routine.h"

/** Clock readings before and after a call, see microbench/timing/ticks.h. */
struct dispatch_times {
    uint64_t begin;
    uint64_t end;
};

/**
 * Makes a call of 1 to CALL_MAX_ARGUMENTS arguments and ignores its return value. The number of
 * arguments is examined before the clock is read: the timed part only passes the arguments and
 * calls the routine.
 */
struct dispatch_times dispatch_timed(const struct call *call);

#endif
