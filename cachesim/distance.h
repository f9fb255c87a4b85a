/**
 * Access distances: the dissertation's back-traversal of a loop nest (section 6.2.3), for any
 * mixture of loops, copies, scalings and one kernel.
 *
 * The walk goes backwards in time from a kernel call until it meets the operand again, and collects
 * the data that it passes:
 *
 *   - nodes before the kernel, or before the loop around it, in the same body: an operand one of
 *     them touches was last touched there;
 *   - a loop with whose iterations the operand does not vary (case 1): past the nodes that
 *     follow in the body, the previous iteration holds it;
 *   - a loop with which it varies (case 2): everything in the loop, joined across it, has been
 *     touched since; the walk continues outside;
 *   - the root (case 3): the previous execution of the contraction holds the operand (warm caches),
 *     or nothing does (cold).
 *
 * A loop in its first iteration (section 6.2.6), or with only one, has no previous iteration: the
 * walk passes it by, and the loop outside then finds it joined in the collection. The call, copy or
 * scaling at which the walk ends is not collected itself, as in the dissertation's examples
 * (distance 0 for an operand that does not vary); one inside a loop is, with the whole of that
 * loop.
 *
 * The result that a simulation must give. Let D be the size of the collection joined with the data
 * that the end node touches from the operand on and that the kernel touches up to the operand (all
 * of it already in the collection if the walk ends inside a loop). Simulate with the data of all
 * iterations of the loop in which the walk ended laid over each other: the collection names
 * `B[:,:,c]` whichever c. Then each element of the operand has been touched D - 1 other elements
 * ago, exactly, in every call whose loops are in the state that the walk assumes. With the data
 * where they are,
 *
 *     D - 1 <= LRU stack distance <= D - 1 + the sizes of the joined operands that vary with that
 *     loop  (below 2 D):
 *
 * each of these may have been touched in two iterations, its tail in the previous one and its head
 * in this. Two kinds of ends are looser, and have no bound from below:
 *
 *   - A node next to the loops may touch more than the kernel's operand (a scaling before a loop):
 *     the operand's place in it decides.
 *   - An operand that does not vary with a loop in its first iteration was touched in that loop's
 *     last one, which the dissertation's rule (the collection "already contains" the loop)
 *     overlooks.
 *
 * tests/cachesim/test_oracle.c checks all of this on random nests.
 */
#ifndef CACHESIM_DISTANCE_H
#define CACHESIM_DISTANCE_H

#include "cachesim/collection.h"

/** The place where a walk ended. */
enum distance_end {
    DISTANCE_SIBLING,   /**< at a node that runs once before the call, in the same iteration of all
                           loops around that node */
    DISTANCE_ITERATION, /**< in the previous iteration of a loop */
    DISTANCE_EXECUTION, /**< in the previous execution of the contraction */
    DISTANCE_NEVER      /**< nowhere */
};

struct distance {
    struct collection collected;
    enum distance_end end;
    int loop; /**< ITERATION: the loop's position from the outside in; otherwise -1 */
    const struct tcplan_node *node; /**< the node at which it ended: a copy, scaling or kernel, or a
                                       loop, which is collected; NULL: never */
};

/** The call a walk starts from. */
struct distance_call {
    const struct tcplan_nest *nest;
    const struct refined_problem *problem;
    int first; /**< loops from this position inwards are in their first iteration, those outside are
                  not; the number of loops: none is */
    bool warm; /**< the contraction is repeated */
};

/** How long ago an operand of the kernel was touched. */
struct distance distance_of_access(const struct distance_call *call, enum tcplan_operand operand);

/**
 * Returns the distance of the previous iteration of the innermost loop, in which hardware
 * prefetched the next operands (section 6.2.4): the data that the loop's body touches besides the
 * kernel. `first` is ignored.
 */
struct distance distance_of_prefetch(const struct distance_call *call);

#endif
