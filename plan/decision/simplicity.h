/**
 * Order of preference among equally fast algorithms: fewer threads, fewer libraries, less
 * workspace, fewer lines of C.
 */
#ifndef PLAN_DECISION_SIMPLICITY_H
#define PLAN_DECISION_SIMPLICITY_H

#include "tcplan/rank.h"

/** Properties by which one of several equally fast algorithms is simpler to use. */
struct simplicity {
    int threads;
    int libraries;           /**< number of libraries to link with, without the system's */
    int64_t workspace_bytes; /**< of all temporaries */
    int lines;
};

/** Returns the properties of an algorithm's emitted C; INT_MAX lines if it cannot be emitted. */
struct simplicity simplicity_of(const struct tcplan_problem *problem,
                                const struct tcplan_algorithm *algorithm, int threads);

/** Compares the members in order; negative if `a` is simpler. */
int simplicity_compare(const struct simplicity *a, const struct simplicity *b);

/** Compares two entries by simplicity, then by a total order of algorithms, so that all processes
 * choose the same one. */
int simplicity_prefer(const struct tcplan_problem *problem, const struct tcplan_entry *a,
                      const struct tcplan_entry *b);

/** Returns the relative difference within which times count as equal; 0 if the options prefer
 * speed. */
double simplicity_margin(enum tcplan_preference prefer);

#endif
