/**
 * The preference order of equally fast algorithms: fewer threads, fewer libraries, less workspace,
 * fewer lines of C.
 */
#ifndef PLAN_DECISION_SIMPLICITY_H
#define PLAN_DECISION_SIMPLICITY_H

#include "tcplan/rank.h"

/** What makes one of several equally fast algorithms simpler to use. */
struct simplicity {
    int threads;
    int libraries;           /**< to link with, except the system's */
    int64_t workspace_bytes; /**< of all temporaries */
    int lines;
};

/** Returns the properties of the C code that is emitted for an algorithm; INT_MAX lines if there is
 * none. */
struct simplicity simplicity_of(const struct tcplan_problem *problem,
                                const struct tcplan_algorithm *algorithm, int threads);

/** Compares member by member, in their order; below 0 if `a` is simpler. */
int simplicity_compare(const struct simplicity *a, const struct simplicity *b);

/** Compares two entries by simplicity, then by a total order of algorithms, so that two processes
 * agree. */
int simplicity_prefer(const struct tcplan_problem *problem, const struct tcplan_entry *a,
                      const struct tcplan_entry *b);

/** Returns the share within which times count as equal; 0 if the fastest is wanted. */
double simplicity_margin(enum tcplan_preference prefer);

#endif
