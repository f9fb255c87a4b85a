/**
 * What structures take at least, before any is arranged: by the model of arrangements, with each
 * tensor brought once, and each copied element as cheap as it can be.
 */
#ifndef CACHESIM_ARRANGEMENT_LEAST_H
#define CACHESIM_ARRANGEMENT_LEAST_H

#include <stdbool.h>

#include "cachesim/arrangement/units.h"
#include "tcplan/algorithm.h"
#include "tcplan/machine.h"

/** What is the same for all structures of a problem in what they take at least: made once, then
 * thousands of structures are put in order by it. */
struct arrangement_least {
    const struct tcplan_problem *problem; /**< borrowed */
    struct tcplan_costs costs;
    int unit_count;
    struct arrangement_unit unit[ARRANGEMENT_UNITS];
    struct {
        uint64_t moving; /**< indices that have more than one value */
        int nearest; /**< the one of them whose elements lie closest together; -1: there is none */
        double elements;
        double run;                        /**< elements that lie side by side, at most */
        double blocks[ARRANGEMENT_BLOCKS]; /**< of all of it */
        double line_seconds[2]; /**< bringing these into each unit that does not hold all, once;
                                   [1]: of those whose result is streamed */
    } tensor[TCPLAN_OPERANDS];
};

/** Problem is borrowed. */
struct arrangement_least arrangement_least_of(const struct tcplan_problem *problem,
                                              const struct tcplan_machine *machine);

/** What no structure takes less than: each tensor is brought once, or goes there; a result that is
 * streamed goes past the caches. */
double arrangement_least_tensors_seconds(const struct arrangement_least *least, bool streamed);

/**
 * What a structure takes at least by the model, the kernels themselves left out: every
 * arrangement's seconds are at least these. Takes no memory and little time: thousands of
 * structures are put in order by it before any is arranged.
 *
 * @param in_any_way  whether the same with indices in steps, and the result's copy streamed, takes
 *                    no less than this, either: then it is not looked at what single calls touch
 */
double arrangement_least_seconds(const struct arrangement_least *least,
                                 const struct tcplan_algorithm *structure, bool in_any_way);

#endif
