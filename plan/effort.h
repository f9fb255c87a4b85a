/**
 * What the efforts mean: one table, one line each.
 */
#ifndef PLAN_EFFORT_H
#define PLAN_EFFORT_H

#include "tcplan/plan.h"

struct effort {
    int scouts;              /**< windows to see whether an algorithm can be among the fastest; 0: none, all get full windows */
    size_t most_promoted;    /**< of those that scouts have seen get full windows */
    int windows;             /**< of a millisecond, for those that can */
    size_t most_orders;      /**< of the loops of one family that are looked at */
    int most_candidates;     /**< of the full space that scouts look at */
    int patience;            /**< orders in a row that bring nothing before a family is left; 0: no end */
    int most_contenders;     /**< compared in the end */
    double executed_seconds; /**< contenders predicted to take less are executed as a whole */
    int least_rounds;        /**< of that comparison */
    int most_rounds;         /**< where they cannot be told apart */
    double precise_share;    /**< half the width of an interval that is narrow enough */
    double comparison_share; /**< of the time before that the comparison may take in addition to what it takes at least */
};

/** The figures of an effort. */
const struct effort *effort_of(enum tcplan_effort effort);

#endif
