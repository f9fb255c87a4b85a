/**
 * State of the calling program that a call must not change:
 * how numbers are rounded, signals, processors, the environment.
 */
#ifndef TORTURE_CALLER_H
#define TORTURE_CALLER_H

#include <sched.h>
#include <signal.h>
#include <stdint.h>

enum { CALLER_SIGNALS = 32 };

struct caller {
    int rounding;
    unsigned modes; /* of the floating-point unit, but for what happened */
    sigset_t blocked;
    struct sigaction handler[CALLER_SIGNALS];
    cpu_set_t processors;
    uint64_t environment;
};

/** As it is now. */
void caller_look(struct caller *out);

/** NULL where all is as it was, else what changed. */
const char *caller_changed(const struct caller *before);

#endif
