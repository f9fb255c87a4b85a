/**
 * The preference order of equally fast algorithms: fewer threads, fewer libraries, less workspace,
 * fewer lines of C.
 */
#ifndef PLAN_DECISION_EASE_H
#define PLAN_DECISION_EASE_H

#include "tcplan/rank.h"

/** Properties of the C that is emitted for an algorithm. */
struct ease {
    int threads;
    int libraries;           /**< to link with, except the system's */
    int64_t workspace_bytes; /**< of all temporaries */
    int lines;
};

/** Returns these properties; INT_MAX lines if no C can be emitted. */
struct ease ease_of(const struct tcplan_problem *problem, const struct tcplan_algorithm *algorithm,
                    int threads);

/** Compares lexicographically; below 0 if `a` is preferred. */
int ease_compare(const struct ease *a, const struct ease *b);

/** Compares two entries by preference, then by a total order of algorithms: two processes agree. */
int ease_prefer(const struct tcplan_problem *problem, const struct tcplan_entry *a,
                const struct tcplan_entry *b);

/** Returns the share within which times are equal; 0 if the fastest is asked for. */
double ease_margin(enum tcplan_preference prefer);

#endif
