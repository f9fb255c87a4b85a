/** Limits on what planning generates, times and compares, for each enum tcplan_effort. */
#ifndef PLAN_EFFORT_H
#define PLAN_EFFORT_H

#include "tcplan/rank.h"

/**
 * The budget of a stage in CPU time: a number of runs of the fastest candidate, but at least
 * `least_seconds`, enough for a stage whose steps take little time. A step that was begun is
 * finished.
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
    int rated; /**< maximum number of algorithms to estimate, if all of a space are listed */
};

struct effort {
    bool times_nothing; /**< whether estimates are the answer: nothing is timed */
    bool has_threads;   /**< whether the ranking uses several threads */
    bool skips_memory;  /**< whether memory-bound products use references of the core only:
                           references of the memory take milliseconds to set up */
    bool compiles;      /**< whether kernels that need a compiler are generated, and tried for short
                           products too */
    bool is_full; /**< whether candidates are evaluated by full windows instead of probes. If all
                     algorithms of the space are listed, every candidate is evaluated */
    int samples;  /**< number of samples of one evaluation */
    struct effort_share generating; /**< budget of generating candidates; unused if times_nothing */
    struct effort_share baseline;   /**< longest sample of a baseline that is taken only for the
                                       speedup */
    int most_evaluations; /**< maximum number of evaluations, unless every candidate is evaluated */
    double executed_seconds;      /**< seconds: if the fastest candidate takes less, whole runs are
                                       compared; if one pass over the tensors takes less, they are
                                       filled first */
    double executed_part_seconds; /**< like executed_seconds, for candidates whose windows would
                                     time a part of a kernel call, with errors of a tenth */
    int rounds;   /**< final samples of the chosen candidate; the comparison has up to 4 times as
                     many, and at least 2 */
    double worth; /**< expected improvement that an additional run must have, see effort_price() */
    double least_run_seconds; /**< seconds as which shorter runs count, because shorter waits do not
                                 matter */
    double most_run_seconds;  /**< seconds as which longer runs count, because longer waits matter
                                 however long runs are */
};

/** Returns the seconds of a budget if the fastest candidate takes `fastest_seconds`; INFINITY: the
 * minimum. */
double effort_seconds(struct effort_share share, double fastest_seconds);

/** Returns the limits of generating for a contraction with this number of indices: more indices
 * have more promising structures. */
struct effort_work effort_work(const struct effort *effort, int index_count);

/**
 * Returns the price of a second of planning: the expected improvement that an evaluation or a
 * sample needs for each second. It is `worth` divided by the time of a run of the fastest
 * candidate, which counts as at least `least_run_seconds`, with several threads 2.5 times that, and
 * at most `most_run_seconds`.
 */
double effort_price(const struct effort *effort, double fastest_seconds);

/**
 * Returns the factor on the price of compiling a kernel. Compiling has to pay within actual runs,
 * however short they are. If the effort compiles for short products, it may pay in later plans.
 */
double effort_compile_factor(const struct effort *effort, double fastest_seconds);

/** Returns whether kernels of a provider are the library's own, because an estimate compiles none.
 */
bool effort_uses_built_in(bool estimates, enum tcplan_provider provider);

/** Returns the limits and prices of an effort. */
const struct effort *effort_of(enum tcplan_effort effort);

#endif
