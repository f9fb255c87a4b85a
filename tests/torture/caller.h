/**
 * State of the calling program that a library call must not change: rounding of numbers, signals,
 * processors, environment.
 */
#ifndef TORTURE_CALLER_H
#define TORTURE_CALLER_H

#include <sched.h>
#include <signal.h>
#include <stdint.h>

enum { CALLER_SIGNALS = 32 };

struct caller {
    int rounding;
    unsigned modes; /* control bits of the floating-point unit, without exception flags */
    sigset_t blocked;
    struct sigaction handler[CALLER_SIGNALS];
    cpu_set_t processors;
    uint64_t environment;
};

/** Records the present state of the program. */
void caller_record(struct caller *out);

/** Returns NULL if the state is unchanged, otherwise what changed. */
const char *caller_changed(const struct caller *before);

#endif
