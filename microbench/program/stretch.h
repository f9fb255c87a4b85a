/**
 * Timing stretches: of kernel calls, and of copies and scalings by themselves.
 *
 * Where threads share a loop all of them time a stretch of their own at the same time, and the
 * slowest counts: memory, the last cache and what the BLAS locks are then shared as in a run.
 */
#ifndef MICROBENCH_STRETCH_H
#define MICROBENCH_STRETCH_H

#include "microbench/predict/window.h"
#include "microbench/timing/clock.h"

/** A run of consecutive executions of a copy or scaling, and the real kernel calls before it that
 * are not timed. */
struct rare_run {
    const struct operation *operation;
    int64_t occurrence;
    int64_t count;
    int64_t lead;
    bool follows; /**< the execution before it is made, too, in front of the lead: what they share,
                     pages above all, is at hand as it would be */
};

/** What one thread does of a stretch. */
struct window_part {
    struct cursor cursor;
    double rate;        /**< calls per nanosecond in the lead */
    int64_t occurrence; /**< of a copy or scaling timed by itself */
    struct timing timing;
};

/** Memory for the threads of the window's program: TCPLAN_OK or TCPLAN_NO_MEMORY. */
enum tcplan_status stretch_init(struct window *window, struct tcplan_error *error);

/** Gives it back. */
void stretch_free(struct window *window);

/** About `wanted` calls, whole runs of the innermost loops that have `most` calls or less. */
int64_t stretch_whole_loops(const struct window *window, double wanted, double most);

/** Times calls of the first thread from the cursor's place on. */
struct timing stretch_time_calls(struct window *window, struct cursor *cursor, int64_t calls);

/**
 * The time that parts take together which threads did at the same time: that of the slowest thread.
 * Those of one thread came one after the other.
 *
 * @param by  by part: which thread did it, from 0
 */
struct timing stretch_joint_timing(const struct window_part part[], const int by[], int parts);

/**
 * Times a stretch of every thread at `position`, or as far into its share, in the cache state it
 * would meet there, after `lead` untimed calls.
 *
 * @param calls  receives the calls of one thread
 * @return TCPLAN_OK or TCPLAN_NO_MEMORY
 */
enum tcplan_status stretch_time(struct window *window, int64_t position, int64_t lead,
                                int64_t *calls, struct timing *out, struct tcplan_error *error);

/** Times copies or scalings after the calls that precede the first of them; inside a shared loop of
 * every thread at once. Status as above. */
enum tcplan_status stretch_time_rare(struct window *window, const struct rare_run *run,
                                     struct timing *out, struct tcplan_error *error);

#endif
