/**
 * Arrangements of an algorithm with choices: the order of its loops, and how many of them are around each copy.
 *
 * A coarse model rates them: what each loop brings into caches and translations, from the inside out, as for loop orders (cachesim/loop_order.h),
 * with the copies as accesses of their own. It knows bandwidths only roughly; it is there to tell which arrangements are worth timing.
 */
#ifndef CACHESIM_ARRANGEMENT_H
#define CACHESIM_ARRANGEMENT_H

#include "base/deadline.h"
#include "tcplan/algorithm.h"
#include "tcplan/machine.h"

struct arrangement {
    struct tcplan_algorithm algorithm;
    double seconds; /**< of one execution, the kernels themselves left out */
};

/** Memory that rating one structure after the other uses again. */
struct arranger;

/** To be freed with arranger_free(); NULL when memory is out. Beyond the deadline only the best beginning of an arrangement is followed. */
struct arranger *arranger_new(struct deadline deadline);

/** NULL is fine. */
void arranger_free(struct arranger *arranger);

/**
 * The best arrangements of `structure`, by the model.
 *
 * @param out        receives at most `most`, the best first
 * @param structure  choices but for the depths of copies (-1: used in place, else copied) and its loops, in any order
 * @return their number; 0 where none can be built
 */
int arrangements_best(struct arranger *arranger, struct arrangement *out, int most, const struct tcplan_problem *problem,
                      const struct tcplan_machine *machine, const struct tcplan_algorithm *structure);

#endif
