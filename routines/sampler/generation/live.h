/**
 * Measuring on this machine: the means of points_measure() (S2, canonical protocol).
 *
 * The session pins the thread and warms the library up. Each execution stands between two
 * references (microbench/timing/reference.h), here as calls of the queue
 * (routines/sampler/timing/reference_calls.h).
 *
 * A core's speed also depends on what it executed just before (microbench/timing/settling.h). So
 * calls and references are repeated until the core is as they themselves leave it: a call for
 * SETTLING_SECONDS, references for about SETTLING_REFERENCE_SECONDS.
 *
 *   warm       the call is made on the same operands, once at least, until the core has settled;
 *              the one behind that counts. Several executions are one run of the queue
 *   cold       so in one place, then once more in the other, whose lines were taken out of all
 *              caches, and whose pages out of what the processor knows of addresses
 *   streaming  both places are taken out of the caches; the call is made in one, and then counts in
 *   the other, which lies behind it. There is nothing with
 *              which the core could settle: short calls find it as the references left it
 */
#ifndef SAMPLER_GENERATION_LIVE_H
#define SAMPLER_GENERATION_LIVE_H

#include "microbench/timing/settling.h"
#include "routines/sampler/generation/operands.h"
#include "routines/sampler/generation/points.h"

struct live;

/** A call is repeated so often at most before one counts. */
enum { LIVE_MOST_SETTLING = 2048 };

/** The subject and options of measurements. */
struct live_options {
    enum tcplan_provider provider;
    int threads;
    enum tcplan_model_placement placement;
    const struct tcplan_machine *machine; /**< borrowed */
    int64_t max_memory_bytes;             /**< 0: four fifths of the available memory */
    double settling_seconds; /**< SETTLING_SECONDS as a rule; negative: a call is made twice */
};

/**
 * Begins a session for cases, borrowed, whose numbers are those of jobs' tasks.
 *
 * @param out  receives it, to be closed with live_close()
 * @return as operands_new(); TCPLAN_ENVIRONMENT if the processor cannot empty its caches and the
 *         placement needs it
 */
enum tcplan_status live_open(struct live **out, const struct generation_case of[],
                             const int64_t leading[], int count, const struct live_options *options,
                             struct tcplan_error *error);

/**
 * Implements struct points_means; `context` is a struct live.
 *
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY; TCPLAN_INVALID if a call is refused; TCPLAN_ENVIRONMENT if
 *         one reports an error in `info`, or does not end within a hundred times the expected time
 */
enum tcplan_status live_measure(void *context, const struct points_job job[], int count,
                                struct points_timing out[], struct tcplan_error *error);

/** Seconds of the monotonic clock. */
double live_now(void *context);

/** Whether a call that did not end is still running: the program should end by _exit(). */
bool live_given_up(const struct live *live);

/** Ends the session; NULL is fine. Where a call is still running its memory stays. */
void live_close(struct live *live);

#endif
