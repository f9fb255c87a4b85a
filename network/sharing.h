/**
 * Steps of a tree that make equal tensors, apart from the names of indices, share one tensor.
 */
#ifndef NETWORK_SHARING_H
#define NETWORK_SHARING_H

#include "network/products.h"
#include "tcplan/network_tree.h"

/** Makes step `step` read the result of step `with` instead of its own. If the results differ, or
 * if one of the steps is not executed exactly once, returns false and changes nothing. */
bool sharing_add(struct tcplan_tree *tree, int step, int with);

/** Undoes sharing_add(), so that the step is executed again. */
void sharing_remove(struct tcplan_tree *tree, int step);

/** Maps each index of step `from` to the matching index of step `to`; returns false if their
 * results differ. */
bool sharing_map(uint16_t map[TCPLAN_NETWORK_INDICES], const struct tcplan_tree *tree, int from,
                 int to);

/** Gives a step that reads the result of another step the layout of that result; returns false if
 * memory runs out. */
bool sharing_follow(struct tcplan_tree *tree, int step);

/** Returns whether step `a` is executed before step `b`. */
bool sharing_before(const struct tcplan_tree *tree, int a, int b);

/** Returns the step that makes a tensor, which must not be an operand. */
static inline int sharing_maker(const struct tcplan_tree *tree, int tensor) {
    const int step = tensor - tree->network->operand_count;
    return tree->step[step].same >= 0 ? tree->step[step].same : step;
}

#endif
