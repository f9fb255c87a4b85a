/**
 * Measures on this machine: implements struct points_means for points_measure().
 *
 * The session pins the thread and warms up the library. Each execution lies between two references
 * (microbench/timing/reference.h), which are calls in the queue here
 * (routines/sampler/timing/reference_calls.h).
 *
 * A core's speed also depends on what it executed just before (microbench/timing/settling.h). So
 * calls and references are repeated until they determine the core's state: a call for
 * SETTLING_SECONDS, references for about SETTLING_REFERENCE_SECONDS.
 *
 *     warm       repeats the call on the same operands, at least once, until the core has settled;
 *                the next call counts. Several executions are queued and run together
 *     cold       does the same in one place, then makes one call in another place, whose lines were
 *                evicted from all caches, and whose pages from the TLBs
 *     streaming  evicts both places from the caches, makes the call in one, and counts the call in
 *                the other, which follows it in memory. The core has no time to settle: it runs
 *                short calls in the state in which the references left it
 *
 * If an event is counted instead of time, `seconds` of a sample is the count divided by 1e9, and
 * there are no references: counts do not depend on the core's speed. One call precedes the counted
 * one.
 */
#ifndef SAMPLER_GENERATION_LIVE_H
#define SAMPLER_GENERATION_LIVE_H

#include "microbench/timing/settling.h"
#include "routines/sampler/generation/operands.h"
#include "routines/sampler/generation/points.h"

struct live;

/** Maximum number of repetitions of a call that do not count, before the first one that does. */
enum { LIVE_MOST_SETTLING = 2048 };

/** The subject and options of measurements. */
struct live_options {
    enum tcplan_provider provider;
    int threads;
    struct tcplan_binding binding; /**< cores and memory; empty: none */
    enum tcplan_model_placement placement;
    const struct tcplan_machine *machine; /**< borrowed */
    const char *counter;                  /**< event to be counted instead of time; NULL: time */
    const char *counters;     /**< source of the counts (counter_open()); NULL: `perf` */
    int64_t max_memory_bytes; /**< memory limit; 0: four fifths of the available memory */
    double settling_seconds;  /**< seconds of warm-up, usually SETTLING_SECONDS; negative: one call
                               */
};

/**
 * Begins a session for cases, which are borrowed; a job's task is the index of its case.
 *
 * @param out  receives the session; close with live_close()
 * @return a status of operands_new(); TCPLAN_ENVIRONMENT if the processor cannot empty its caches
 *         and the placement needs that, or if the event cannot be counted
 */
enum tcplan_status live_open(struct live **out, const struct generation_case of[],
                             const int64_t leading[], int count, const struct live_options *options,
                             struct tcplan_error *error);

/**
 * Implements struct points_means; `context` is a struct live.
 *
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY; TCPLAN_INVALID if a call is refused; TCPLAN_ENVIRONMENT if
 *     a call reports an error in `info`, or does not end within a hundred times the expected time
 */
enum tcplan_status live_measure(void *context, const struct points_job job[], int count,
                                struct points_timing out[], struct tcplan_error *error);

/** Returns the seconds of the monotonic clock. */
double live_now(void *context);

/** Returns whether a call that did not end is still running: the program should end by _exit(). */
bool live_given_up(const struct live *live);

/** Ends the session; NULL is fine. If a call is still running, its memory is not freed. */
void live_close(struct live *live);

#endif
