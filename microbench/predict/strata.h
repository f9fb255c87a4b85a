/**
 * Strata of a nest: kernel calls that differ because of the place of slow loops - in full tiles or
 * in the last, smaller one, in the first visit of the result or in later ones - and come in runs
 * longer than a stretch. Each is sampled by itself and weighted by its number: one stretch would
 * stand for all.
 */
#ifndef MICROBENCH_STRATA_H
#define MICROBENCH_STRATA_H

#include "microbench/program/program.h"

enum { STRATA_MOST = 8 };

struct stratum {
    unsigned partial; /**< the slow tiles that are in their last step */
    bool later;       /**< not the first visit */
    int64_t calls;    /**< of one run; those of strata that are too small to matter are the largest
                         one's */
};

struct strata {
    unsigned tiles; /**< the slow ones among those with a smaller last step that the kernel depends
                       on */
    uint64_t first_of; /**< the slow loops whose first iteration it depends on */
    int count;         /**< at least 1 */
    struct stratum stratum[STRATA_MOST];
};

/** The strata of a program for stretches of so many calls. One, where threads share a loop: they
 * are in different places at once. */
struct strata strata_of(const struct tcplan_program *program, int64_t stretch_calls);

/** Whether both tell the same calls apart. */
bool strata_are_alike(const struct strata *a, const struct strata *b);

/** Whether `calls` calls from `first` on begin and end in a stratum of the program's. */
bool strata_hold(const struct strata *strata, int which, const struct tcplan_program *program,
                 int64_t first, int64_t calls);

/** Nanoseconds of all calls, where those of stratum s take `call_ns[s]` each. */
double strata_weigh(const struct strata *strata, const double call_ns[]);

/** How many copies or scalings of full tiles are as many elements as all executions of one. */
double strata_full_blocks(const struct tcplan_program *program, const struct operation *operation);

#endif
