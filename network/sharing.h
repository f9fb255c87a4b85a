/**
 * Steps of a tree that make equal tensors, except for the names of their indices, and share one.
 */
#ifndef NETWORK_SHARING_H
#define NETWORK_SHARING_H

#include "network/products.h"
#include "tcplan/network_tree.h"

/** Makes a step read the result of an earlier one instead of its own. Returns false, without a
 * change, if the results differ or one of the steps is not executed exactly once. */
bool sharing_add(struct tcplan_tree *tree, int step, int with);

/** Undoes sharing_add(): the step is executed again. */
void sharing_remove(struct tcplan_tree *tree, int step);

/** Finds the index of step `to` that matches each index of step `from`; returns false if their
 * results differ. */
bool sharing_map(uint16_t map[TCPLAN_NETWORK_INDICES], const struct tcplan_tree *tree, int from,
                 int to);

/** Gives a step that reads the result of another one the layout of that result; returns false if
 * memory runs out. */
bool sharing_follow(struct tcplan_tree *tree, int step);

/** Returns whether a step is executed before another one. */
bool sharing_before(const struct tcplan_tree *tree, int a, int b);

/** Returns the step that makes a tensor, which must not be an operand. */
static inline int sharing_maker(const struct tcplan_tree *tree, int tensor) {
    const int step = tensor - tree->network->operand_count;
    return tree->step[step].same >= 0 ? tree->step[step].same : step;
}

#endif
