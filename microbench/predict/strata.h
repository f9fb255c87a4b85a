/**
 * Strata of a nest: groups of kernel calls that differ by the place of slow loops (full tiles or
 * the smaller last one, the first visit of the result or later ones) and come in runs longer than a
 * stretch. Each stratum is sampled by itself and weighted by its number of calls; otherwise one
 * stretch would represent all.
 */
#ifndef MICROBENCH_STRATA_H
#define MICROBENCH_STRATA_H

#include "microbench/program/program.h"

enum { STRATA_MOST = 8 };

struct stratum {
    unsigned partial; /**< slow tiles in their last step */
    bool later;       /**< a later visit of the result, not the first */
    int64_t calls;    /**< calls in one run; those of negligible strata are added to the largest */
};

struct strata {
    unsigned tiles;    /**< slow tiles with a smaller last step that the kernel depends on */
    uint64_t first_of; /**< slow loops whose first iteration the kernel depends on */
    int count;         /**< at least 1 */
    struct stratum stratum[STRATA_MOST];
};

/** Divides the calls of a program into strata, for stretches of this many calls. There is one
 * stratum if threads share a loop, since they are at different places at once. */
struct strata strata_of(const struct tcplan_program *program, int64_t stretch_calls);

/** Returns whether two divisions distinguish the same calls. */
bool strata_are_alike(const struct strata *a, const struct strata *b);

/** Returns whether the `calls` calls from `first` on begin and end in one stratum. */
bool strata_hold(const struct strata *strata, int which, const struct tcplan_program *program,
                 int64_t first, int64_t calls);

/** Returns the nanoseconds of all calls if those of stratum s take `call_ns[s]` each. */
double strata_weigh(const struct strata *strata, const double call_ns[]);

/** Returns the number of copies or scalings of full tiles with as many elements as all
 * executions of one. */
double strata_full_blocks(const struct tcplan_program *program, const struct operation *operation);

#endif
