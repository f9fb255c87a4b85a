/**
 * What people want of an algorithm where speed is equal: few threads, few libraries, little
 * workspace, few lines.
 */
#ifndef PLAN_DECISION_EASE_H
#define PLAN_DECISION_EASE_H

#include "tcplan/rank.h"

/** Of the C that is emitted for an algorithm. */
struct ease {
    int threads;             /**< that execute it */
    int libraries;           /**< it is linked with, but for those of the system */
    int64_t workspace_bytes; /**< of all temporaries */
    int lines;
};

/** INT_MAX lines where no C can be emitted. */
struct ease ease_of(const struct tcplan_problem *problem, const struct tcplan_algorithm *algorithm,
                    int threads);

/** Below 0 where `a` is easier to live with: by threads, then libraries, workspace, and lines. */
int ease_compare(const struct ease *a, const struct ease *b);

/** By ease, and where that is equal by what tells algorithms apart: the same two are settled alike
 * in every process. */
int ease_prefer(const struct tcplan_problem *problem, const struct tcplan_entry *a,
                const struct tcplan_entry *b);

/** Times within this share of each other are equal; 0 where the fastest is asked for. */
double ease_margin(enum tcplan_preference prefer);

#endif
