/**
 * Access distances: the dissertation's back-traversal of a loop nest (section 6.2.3), for any
 * mixture of loops, copies, scalings and one kernel.
 *
 * The walk goes backwards in time from a kernel call until it meets the operand again, and collects
 * the data that it passes:
 *
 *   - nodes before the kernel, or before the loop around it, in the same body: if one of them
 *     touches the operand, this was the last access;
 *   - a loop in which the operand is constant (case 1): the walk passes the nodes that follow in
 *     the body, and ends in the previous iteration;
 *   - a loop in which it varies (case 2): everything in the loop, joined across its iterations,
 *     was touched since; the walk continues outside;
 *   - the root (case 3): the last access was in the previous execution of the contraction (warm
 *     caches), or there was none (cold).
 *
 * A loop in its first iteration (section 6.2.6), or with a single iteration, has no previous one:
 * the walk skips it, and the next outer loop joins it into the collection. The call, copy or
 * scaling at which the walk ends is not collected itself, as in the dissertation's examples
 * (distance 0 for an operand that does not vary); if it is inside a loop, however, it is collected
 * with that loop.
 *
 * Relation to a simulation of every access. Let D be the size of the collection joined with the
 * data that the end node touches from the operand on and that the kernel touches up to the operand
 * (all of it already in the collection if the walk ends inside a loop). Simulate with the data of
 * all iterations of the loop in which the walk ended at the same addresses, as the collection
 * treats `B[:,:,c]` for every c. Then each element of the operand has been touched D - 1 other
 * elements ago, exactly, in every call whose loops are in the state that the walk assumes. With
 * the actual addresses,
 *
 *     D - 1 <= LRU stack distance <= D - 1 + the sizes of the joined operands that vary with that
 *     loop  (less than 2 D),
 *
 * because each of these may have been touched in two iterations, its end in the previous one and
 * its beginning in the current one. At two kinds of ends, there is no lower bound:
 *
 *   - A node next to the loops may touch more than the kernel's operand (a scaling before a loop):
 *     the distance depends on the operand's position in it.
 *   - An operand that does not vary with a loop in its first iteration was touched in that loop's
 *     last iteration, which the dissertation's rule (the collection "already contains" the loop)
 *     overlooks.
 *
 * tests/cachesim/test_oracle.c checks all of this on random nests.
 */
#ifndef CACHESIM_DISTANCE_H
#define CACHESIM_DISTANCE_H

#include "cachesim/collection.h"

/** The place where a walk ended. */
enum distance_end {
    DISTANCE_SIBLING,   /**< the previous access is at a node that is executed once before the call,
                           in the same iteration of all loops around that node */
    DISTANCE_ITERATION, /**< the previous access is in the previous iteration of a loop */
    DISTANCE_EXECUTION, /**< the previous access is in the previous execution of the contraction */
    DISTANCE_NEVER      /**< nowhere: the operand was never touched */
};

struct distance {
    struct collection collected;
    enum distance_end end;
    int loop; /**< for DISTANCE_ITERATION: the loop's position from the outside in; otherwise -1 */
    const struct tcplan_node *node; /**< the node at which the walk ended: a copy, scaling or
                                       kernel, which is not collected, or a loop, which is; NULL:
                                       DISTANCE_NEVER */
};

/** The call from which a walk starts. */
struct distance_call {
    const struct tcplan_nest *nest;
    const struct refined_problem *problem;
    int first; /**< position of the outermost loop in its first iteration: loops inside it are in
                  their first iteration too, loops outside it are not; the number of loops: none is
                */
    bool warm; /**< whether the contraction is repeated */
};

/** Returns how long ago an operand of the kernel was last touched. */
struct distance distance_of_access(const struct distance_call *call, enum tcplan_operand operand);

/**
 * Returns the distance of the previous iteration of the innermost loop, in which hardware
 * prefetched the next operands (section 6.2.4): the data that the loop's body touches besides the
 * kernel. `first` is ignored.
 */
struct distance distance_of_prefetch(const struct distance_call *call);

#endif
