/**
 * Executes a whole contraction within a time limit. A run below about a millisecond is cheaper than
 * a prediction.
 */
#ifndef MICROBENCH_CUTOFF_H
#define MICROBENCH_CUTOFF_H

#include "microbench/program/buffers.h"
#include "microbench/program/program.h"
#include "microbench/timing/reference.h"

/**
 * One execution, or the mean of several, by the common clock (microbench/timing/clock.h). Pages of
 * large temporaries are fresh, as in emitted code.
 */
struct cutoff_run {
    double ns;
    bool finished;  /**< whether the execution finished; false: it was stopped after `ns` */
    bool disturbed; /**< whether the thread lost its core at some time */
};

/** How often the time limit is checked in an execution. */
enum { CUTOFF_PIECES = 16 };

/** Executes a program whose tensors are fully backed; stops it soon after `limit_ns`, unless
 * threads share a loop. */
struct cutoff_run cutoff_execute(struct tcplan_program *program, struct buffers *buffers,
                                 double limit_ns);

/** Duration of the warm-up after which processors that waited for memory reach the speed of
 * repeated runs. */
#define CUTOFF_WARM_UP_NS 1e6

/** A warm-up ends with the first run after this time, warm or not. */
#define CUTOFF_MOST_WARM_UP_NS 5e6

/**
 * Returns whether a program is warm after its run number `runs`, which took `run_ns`; the previous
 * run took `before_ns`, and the warm-up `spent_ns` so far. It is warm if at least three runs have
 * ended, `least_ns` have passed, and the run was not much faster than the previous one; or if
 * CUTOFF_MOST_WARM_UP_NS have passed. The reason for three runs: if an earlier program wrote the
 * result with non-temporal stores, runs get faster up to the third, although the second can take as
 * long as the first. Pure.
 */
bool cutoff_is_warm(int runs, double run_ns, double before_ns, double spent_ns, double least_ns);

/** Executes a program until it is warm. Returns the last run, the only one that may be
 * unfinished. Its time is that of the run before, if that was shorter. */
struct cutoff_run cutoff_warm_up(struct tcplan_program *program, struct buffers *buffers,
                                 double limit_ns, double least_ns);

/**
 * Repeats a program that takes about `once_ns` for some tens of microseconds (two milliseconds with
 * several threads), at least once and without a limit. If the buffers move, short runs are made at
 * every placement of their tensors.
 */
struct cutoff_run cutoff_repeat(struct tcplan_program *program, struct buffers *buffers,
                                double once_ns);

/**
 * Repeats a program like cutoff_repeat(), between two timings of the reference. A longer run is
 * split into pieces of some milliseconds, as far as calls allow, with untimed references in
 * between that show how the speed changed.
 *
 * A run in pieces of equal calls ends after a quarter of them if the whole would exceed
 * `most_seconds` at their speed; that extrapolated time is returned then. INFINITY: it always ends
 * after the last call.
 */
struct drift_sample cutoff_sample(struct tcplan_program *program, struct buffers *buffers,
                                  double once_ns, double most_seconds, struct reference *reference);

#endif
