/**
 * Threads on different cores that start timed windows together.
 *
 * A window counts only if each thread had its core all the time. A thread that was switched off,
 * or whose CPU time lags behind wall time, makes it count as disturbed. Time that the host of a
 * virtual machine takes away shows in the CPU time if the host reports it, and otherwise in the
 * spread.
 */
#ifndef ROOFLINE_TIMING_TEAM_H
#define ROOFLINE_TIMING_TEAM_H

#include <stdbool.h>
#include <stdint.h>

#include "tcplan/status.h"

struct team;

/** The work of one thread in one window. Returns false if the result is wrong, which ends the
 * series. */
typedef bool team_fn(void *context, int thread, int64_t window);

/** The windows of one series. */
struct team_series {
    int64_t first; /**< number of the first window, which is not timed unless `warm` is true */
    bool warm;     /**< whether caches and clocks are warm, so that the first window is timed too */
    int wanted;    /**< number of undisturbed windows wanted */
    int attempts;  /**< maximum number of windows */
    double most_seconds; /**< no window is started after this time; 0: no limit */
    double *seconds; /**< receives `counted` times in seconds, each from the first thread's start to
                        the last thread's end */
    double *references; /**< receives, for each time, the seconds of the reference
                           (microbench/timing/reference.h) on the slowest core; NULL: no reference
                           is run */
    int counted;
    int dropped; /**< number of disturbed windows */
    bool wrong;  /**< whether the work of a thread returned false */
};

/**
 * Starts threads, of which the calling one is the first, and binds each to a different core. If
 * there are more threads than cores, none is bound.
 *
 * @param threads  at least 1
 * @param processor  processor of each thread; NULL: one on each core, in the order of the topology
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY; TCPLAN_ENVIRONMENT if a thread cannot be started
 */
enum tcplan_status team_new(struct team **out, int threads, const int *processor,
                            struct tcplan_error *error);

/** Returns the number of processors on which the calling thread may run, which is also the number
 * of threads that can run at the same time; 0: unknown. */
int team_most_threads(void);

/** Returns whether the threads are bound to processors. */
bool team_is_bound(const struct team *team);

/** Runs the work once on each of the first `active` threads, untimed. Returns false if the work of
 * a thread returns false. */
bool team_run(struct team *team, int active, team_fn *work, void *context);

/** Times windows of the first `active` threads. Windows are numbered consecutively from
 * series->first. */
void team_time(struct team *team, int active, team_fn *work, void *context,
               struct team_series *series);

/** Ends the threads and restores the caller's affinity; NULL is fine. */
void team_free(struct team *team);

#endif
