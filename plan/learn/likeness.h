/**
 * The similarity of two candidates, of one contraction or of two.
 *
 * Each difference adds to their distance. The correlation of their errors is exp(-distance^2) (a
 * Gaussian kernel).
 */
#ifndef PLAN_LEARN_LIKENESS_H
#define PLAN_LEARN_LIKENESS_H

#include "store/experience.h"
#include "tcplan/rank.h"

/** A description of a candidate that does not depend on its contraction. */
struct likeness {
    struct evaluation evaluation;
    double m, n, k, call; /**< base-2 logarithms of the extents of a call and of its
                             nanoseconds */
};

/** Describes a candidate. The caller sets `problem`, `cold`, `ratio` and `censored` of
 * `evaluation`. */
struct likeness likeness_of(const struct tcplan_problem *problem,
                            const struct tcplan_entry *candidate);

/** Describes a recorded evaluation. */
struct likeness likeness_of_evaluation(const struct evaluation *evaluation);

/** Correlations of candidates farther apart than this are below 1/50 and are ignored. */
#define LIKENESS_FAR 2.0

/** Returns the distance of two candidates of any contractions. Distances above LIKENESS_FAR may
 * be too small, but stay above it. */
double likeness_apart(const struct likeness *a, const struct likeness *b);

/** Returns the additional distance of two algorithms of one contraction, which results from
 * their choice of indices. */
double likeness_apart_within(const struct tcplan_algorithm *a, const struct tcplan_algorithm *b,
                             int index_count);

#endif
