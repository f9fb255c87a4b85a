/**
 * How alike two candidates are, of one contraction or of two: the one measure by which what is
 * known of one tells of another.
 *
 * Each thing in which they differ adds to their distance, and what is known of one says
 * exp(-distance^2) as much of the other as of itself (a Gaussian kernel).
 */
#ifndef PLAN_LEARN_LIKENESS_H
#define PLAN_LEARN_LIKENESS_H

#include "store/experience.h"
#include "tcplan/rank.h"

/** A candidate without the names and numbers of its contraction. */
struct likeness {
    struct look look;
    double m, n, k, call; /**< logarithms, to the base of 2, of the extents of a call and of its
                             nanoseconds */
};

/** Of a candidate; who makes a look at it sets `problem`, `cold`, `ratio` and `cut`. */
struct likeness likeness_of(const struct tcplan_problem *problem,
                            const struct tcplan_entry *candidate);

/** Of a look. */
struct likeness likeness_of_look(const struct look *look);

/** What is farther apart says nothing of each other: less than a fiftieth. */
#define LIKENESS_FAR 2.0

/** How far two are apart, whatever they compute; of those beyond LIKENESS_FAR only that. */
double likeness_apart(const struct likeness *a, const struct likeness *b);

/** How much farther two algorithms of one contraction are apart, whose indices can be compared. */
double likeness_apart_within(const struct tcplan_algorithm *a, const struct tcplan_algorithm *b,
                             int index_count);

#endif
