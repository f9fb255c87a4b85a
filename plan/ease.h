/**
 * What people want of an algorithm where speed is equal: few libraries, little workspace, few lines.
 */
#ifndef PLAN_EASE_H
#define PLAN_EASE_H

#include "tcplan/rank.h"

/** Of the C that is emitted for an algorithm. */
struct ease {
    int libraries;           /**< it is linked with, but for those of the system */
    int64_t workspace_bytes; /**< of all temporaries */
    int lines;
};

/** INT_MAX lines where no C can be emitted. */
struct ease ease_of(const struct tcplan_problem *problem, const struct tcplan_algorithm *algorithm, int threads);

/** Below 0 where `a` is easier to live with: by libraries, then workspace, then lines. */
int ease_compare(const struct ease *a, const struct ease *b);

#endif
