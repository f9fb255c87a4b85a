/**
 * The figures of each effort, as a table.
 */
#ifndef PLAN_EFFORT_H
#define PLAN_EFFORT_H

#include "tcplan/rank.h"

/**
 * The budget of a stage in CPU time: so many runs of the fastest candidate, but at least
 * `least_seconds`, which is enough for a stage with cheap steps. A step that was begun is finished.
 */
struct effort_share {
    double runs;
    double least_seconds;
};

/**
 * Limits of generating if estimates are the answer. Counts instead of times make estimates
 * reproducible. 0: no limit but time.
 */
struct effort_work {
    int sketched; /**< structures */
    int arranged;
    int rated; /**< algorithms, if all of a space are listed */
};

struct effort {
    bool times_nothing; /**< the estimates are the answer */
    bool has_threads;   /**< the ranking uses several threads */
    bool skips_memory;  /**< references time the core even for memory-bound products: those of
                           memory take milliseconds to set up */
    bool compiles;      /**< generates kernels that need a compiler, and tries them even for short
                           products */
    bool is_full;       /**< evaluates by full windows instead of probes, and every candidate if all
                             algorithms of the space are listed */
    int samples;        /**< of an evaluation */
    struct effort_share generating; /**< budget of generating; unused if times_nothing */
    struct effort_share baseline;   /**< longest sample of a baseline for the gain over it alone */
    int most_evaluations;           /**< largest number of evaluations, except if every
                                 candidate is evaluated */
    double executed_seconds; /**< whole runs are compared if the fastest takes less; tensors are
                                filled first if one pass over them takes less */
    double executed_part_seconds; /**< the same if windows would time a part of a kernel call, which
                                     errs by a tenth */
    int rounds;   /**< final samples of the pick; the comparison has up to 4 times as
                     many, and at least 2 */
    double worth; /**< expected improvement that one more run needs (effort_price()) */
};

/** Returns the seconds of a budget if the fastest candidate takes so many; INFINITY: the minimum.
 */
double effort_seconds(struct effort_share share, double fastest_seconds);

/** Returns whether a contraction has so many indices that generating ends before all promising
 * structures were seen. */
bool effort_sees_part(int index_count);

/** Returns the limits of generating for a contraction with so many indices: more indices have more
 * promising structures. */
struct effort_work effort_work(const struct effort *effort, int index_count);

/**
 * Returns the price of a second of planning: the expected improvement that an evaluation or a
 * sample needs for each second. It is `worth` per run of the fastest candidate, where a run counts
 * as a millisecond at least, with several threads as 2.5.
 */
double effort_price(const struct effort *effort, double fastest_seconds);

/**
 * Returns the factor on the price of compiling a kernel. Compiling has to pay within actual runs,
 * however short they are, unless the effort compiles anyway.
 */
double effort_compile_factor(const struct effort *effort, double fastest_seconds);

/** Returns the figures of an effort. */
const struct effort *effort_of(enum tcplan_effort effort);

#endif
