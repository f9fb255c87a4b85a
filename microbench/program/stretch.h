/**
 * Times stretches of kernel calls, and copies and scalings by themselves. If threads share a loop,
 * each of them times its own stretch at the same time, and the slowest counts: memory, the last
 * cache and locks in the BLAS are then shared as in a real run.
 */
#ifndef MICROBENCH_STRETCH_H
#define MICROBENCH_STRETCH_H

#include "microbench/predict/window.h"
#include "microbench/timing/clock.h"

/** A run of consecutive executions of a copy or scaling, and the untimed kernel calls before it. */
struct rare_run {
    const struct operation *operation;
    int64_t occurrence;
    int64_t count;
    int64_t warm_up;
    bool follows; /**< whether the previous execution is also made before the warm-up, so that
                     shared data (mainly pages) is as near as in a real run */
};

/** One thread's part of timed work. */
struct window_part {
    struct cursor cursor;
    double rate;        /**< calls per nanosecond during the warm-up, see stretch_rate() */
    int64_t occurrence; /**< number of the execution of a copy or scaling that is timed alone */
    struct timing timing;
};

/** Allocates memory for the threads of the window's program: TCPLAN_OK or TCPLAN_NO_MEMORY. */
enum tcplan_status stretch_init(struct window *window, struct tcplan_error *error);

/** Frees that memory. */
void stretch_free(struct window *window);

/** Returns about `wanted` calls: whole runs of the innermost loops that have at most `most`
 * calls. */
int64_t stretch_whole_loops(const struct window *window, double wanted, double most);

/**
 * Returns the calls per nanosecond of a warm-up after one more piece of it. The fastest piece
 * counts: the first ones find cold caches, and a piece in which the thread lost its core would make
 * the timed stretch too short.
 * @param rate  that of the pieces before; 0: none
 */
double stretch_rate(double rate, int64_t calls, uint64_t ns);

/** Times calls of the first thread from the cursor's place on. */
struct timing stretch_time_calls(struct window *window, struct cursor *cursor, int64_t calls);

/**
 * Returns the time of parts that threads did simultaneously: that of the slowest thread. The parts
 * of one thread were sequential.
 * @param by  for each part: the thread that did it, from 0
 */
struct timing stretch_joint_timing(const struct window_part part[], const int by[], int parts);

/**
 * Times a stretch of every thread after `warm_up` untimed calls: at `position`, or at the same
 * distance into the thread's share, in the cache state of that place.
 * @param calls receives the number of calls of one thread
 * @return TCPLAN_OK or TCPLAN_NO_MEMORY
 */
enum tcplan_status stretch_time(struct window *window, int64_t position, int64_t warm_up,
                                int64_t *calls, struct timing *out, struct tcplan_error *error);

/** Times copies or scalings after the calls that precede the first of them; inside a shared
 * loop, on every thread at once. Returns a status of stretch_time(). */
enum tcplan_status stretch_time_rare(struct window *window, const struct rare_run *run,
                                     struct timing *out, struct tcplan_error *error);

#endif
