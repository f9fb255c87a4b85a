/**
 * Executing a whole contraction, but no longer than it pays: below about a millisecond a run that
 * is cheaper than predicting it.
 */
#ifndef MICROBENCH_CUTOFF_H
#define MICROBENCH_CUTOFF_H

#include "microbench/program/buffers.h"
#include "microbench/program/program.h"
#include "microbench/timing/reference.h"

/**
 * One execution, or the mean of several, by the one clock (microbench/timing/clock.h); pages of
 * large temporaries are fresh, as the emitted code finds them.
 */
struct cutoff_run {
    double ns;
    bool finished;  /**< false: cut off after `ns` */
    bool disturbed; /**< the thread did not have the core all the time */
};

/** In pieces of so many there are in a run it is looked whether its end has come. */
enum { CUTOFF_PIECES = 16 };

/** Executes a program on tensors that are backed as a whole; ends it, unfinished, soon after
 * `limit_ns`, unless threads share a loop. */
struct cutoff_run cutoff_execute(struct tcplan_program *program, struct buffers *buffers,
                                 double limit_ns);

/** Behind something that waits for memory, processors need a millisecond to be as fast as they are
 * in repeated runs. */
#define CUTOFF_WARM_UP_NS 1e6

/** Executes a program until `least_ns` have passed, once in any case. Returns the last run; an
 * unfinished one is the only one. */
struct cutoff_run cutoff_warm_up(struct tcplan_program *program, struct buffers *buffers,
                                 double limit_ns, double least_ns);

/**
 * Executes a program that takes about `once_ns` as often as makes some tens of microseconds, and
 * with several threads two milliseconds, without a limit, and once in any case.
 */
struct cutoff_run cutoff_repeat(struct tcplan_program *program, struct buffers *buffers,
                                double once_ns);

/**
 * The same between two references. A longer run is made in pieces of some milliseconds, as far as
 * calls allow, with references in between that are not timed: what it met on its way is known then.
 */
struct drift_sample cutoff_sample(struct tcplan_program *program, struct buffers *buffers,
                                  double once_ns, struct reference *reference);

#endif
