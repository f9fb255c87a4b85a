/**
 * Strata of a nest: groups of kernel calls that differ by the place of slow loops (full tiles or
 * the smaller last one, the first visit of the result or later ones) and follow each other for
 * longer than a timed stretch of calls. Each stratum is sampled and weighted by its number of
 * calls.
 */
#ifndef MICROBENCH_STRATA_H
#define MICROBENCH_STRATA_H

#include "microbench/program/program.h"

enum { STRATA_MOST = 8 };

struct stratum {
    unsigned partial; /**< bit set of the slow tiles that are in their last step */
    bool later;       /**< whether the result was visited before */
    int64_t calls;    /**< number of calls in one execution; those of negligible strata count in the
                         largest stratum */
};

struct strata {
    unsigned tiles; /**< bit set of the slow tiles whose last step is smaller, if the kernel depends
                       on that */
    uint64_t first_of; /**< set of the slow loops whose first iteration the kernel depends on */
    int count;         /**< number of strata, at least 1 */
    struct stratum stratum[STRATA_MOST];
};

/** Divides the calls of a program into strata, for stretches of this many calls. There is one
 * stratum if threads share a loop, since they are at different places at once. */
struct strata strata_of(const struct tcplan_program *program, int64_t stretch_calls);

/** Returns whether two divisions distinguish the same groups of calls. */
bool strata_are_alike(const struct strata *a, const struct strata *b);

/** Returns whether `calls` calls from `first` on begin and end in stratum `which`. */
bool strata_hold(const struct strata *strata, int which, const struct tcplan_program *program,
                 int64_t first, int64_t calls);

/** Returns the nanoseconds of all calls if those of stratum s take `call_ns[s]` each. */
double strata_weigh(const struct strata *strata, const double call_ns[]);

/** Returns the number of executions of an operation, counted in full tiles: smaller last tiles
 * count as fractions. */
double strata_full_blocks(const struct tcplan_program *program, const struct operation *operation);

#endif
