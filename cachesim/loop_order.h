/**
 * Which orders of an algorithm's loops are worth a look: a coarse model of what they cost besides the kernel calls.
 *
 * Loops are added around the kernel from the inside out. While what they touch together fits a cache, an operand that does not vary with the next
 * loop is found there again, and one that does brings in only the lines that are new; once they exceed it, every iteration brings in
 * everything anew. (The reuse that access distances tell exactly, dissertation, section 6.2.3, here for a set of loops at a time.) Lines
 * weigh by the level they come from, pages by what a translation costs, copies by their elements. The figures are typical, not measured: they
 * settle what is tried first, never what is fastest.
 */
#ifndef CACHESIM_LOOP_ORDER_H
#define CACHESIM_LOOP_ORDER_H

#include "base/deadline.h"
#include "tcplan/algorithm.h"
#include "tcplan/machine.h"

/** Seconds that the loops of an algorithm of the `blas` space are thought to cost besides its kernel calls; INFINITY when memory is out. */
double loop_order_seconds(const struct tcplan_problem *problem, const struct tcplan_machine *machine,
                          const struct tcplan_algorithm *algorithm);

/**
 * Finds good orders of the loops of `family`, best first, without looking at all of them: partial orders are extended from the inside out, and
 * of those with equally many loops only the best are kept. Where that bound exceeds the number of orders, all are looked at. Beyond the
 * deadline only the best partial order is extended.
 *
 * @param out   receives up to `most` algorithms that differ from `family` in the order of their loops, and where copies are with it, only
 * @param found receives how many
 * @return TCPLAN_OK or TCPLAN_NO_MEMORY
 */
enum tcplan_status loop_orders_best(struct tcplan_algorithm *out, size_t *found, size_t most, const struct tcplan_problem *problem,
                                    const struct tcplan_machine *machine, const struct tcplan_algorithm *family, struct deadline deadline,
                                    struct tcplan_error *error);

#endif
