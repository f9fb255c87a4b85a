/**
 * Threads on cores of their own that start timed windows together.
 *
 * A window counts only where every thread had its core all the time: one that was switched away, or
 * whose CPU time falls behind the wall clock, spoils it. Time that the host of a virtual machine
 * takes away appears in the CPU time if the host reports it, and otherwise in the spread.
 */
#ifndef ROOFLINE_TIMING_TEAM_H
#define ROOFLINE_TIMING_TEAM_H

#include <stdbool.h>
#include <stdint.h>

#include "tcplan/status.h"

struct team;

/** The work of one thread in one window; false where the result is wrong, which ends the series. */
typedef bool team_fn(void *context, int thread, int64_t window);

/** The windows of one series. */
struct team_series {
    int64_t first; /**< number given to the first window, which is not timed: it warms caches and
                      clocks */
    bool warm;     /**< they are warm: also time the first window */
    int wanted;    /**< undisturbed windows */
    int attempts;  /**< windows at most */
    double most_seconds; /**< after which no further window is started; 0: no bound */
    double *seconds;    /**< receives the `counted` times: from the first thread's start to the last
                           one's end */
    double *references; /**< receives, with each time, the reference (microbench/timing/reference.h)
                           of the slowest core; NULL: no reference is run */
    int counted;
    int dropped; /**< disturbed windows */
    bool wrong;  /**< a thread's work said so */
};

/**
 * Starts threads, the calling one being the first, each bound to a core of its own as long as there
 * are any.
 *
 * @param threads    at least 1
 * @param processor  of each thread; NULL: one of each core, in the order of the topology
 * @return TCPLAN_OK, TCPLAN_NO_MEMORY, TCPLAN_ENVIRONMENT if a thread cannot be had
 */
enum tcplan_status team_new(struct team **out, int threads, const int *processor,
                            struct tcplan_error *error);

/** How many threads can run at the same time: processors that the calling thread may run on; 0: not
 * known. */
int team_most_threads(void);

/** Whether every thread is bound to a core that no other one is bound to. */
bool team_is_bound(const struct team *team);

/** Has each of the first `active` threads do its work once, untimed; returns false if one returns
 * false. */
bool team_run(struct team *team, int active, team_fn *work, void *context);

/** Times windows of the first `active` threads; the numbers of windows count up without gaps. */
void team_time(struct team *team, int active, team_fn *work, void *context,
               struct team_series *series);

/** Ends the threads and puts the caller's affinity back; NULL is fine. */
void team_free(struct team *team);

#endif
