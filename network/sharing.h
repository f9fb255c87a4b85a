/**
 * Steps of a tree that make the same tensor but for the names of its indices, and share it.
 */
#ifndef NETWORK_SHARING_H
#define NETWORK_SHARING_H

#include "network/products.h"
#include "tcplan/network_tree.h"

/** Lets a step read what an earlier one makes; returns false and does nothing if their results
 * differ, or one is not executed exactly once. */
bool sharing_add(struct tcplan_tree *tree, int step, int with);

/** Executes it again. */
void sharing_remove(struct tcplan_tree *tree, int step);

/** Which index of step `to` stands for each one of step `from`, which makes the same; false if it
 * does not. */
bool sharing_map(uint16_t map[TCPLAN_NETWORK_INDICES], const struct tcplan_tree *tree, int from,
                 int to);

/** Gives a step that reads what another one makes the layout of that; false if memory runs out. */
bool sharing_follow(struct tcplan_tree *tree, int step);

/** Whether a step is executed before another one. */
bool sharing_before(const struct tcplan_tree *tree, int a, int b);

/** The step that makes a tensor, which is none of the operands. */
static inline int sharing_maker(const struct tcplan_tree *tree, int tensor) {
    const int step = tensor - tree->network->operand_count;
    return tree->step[step].same >= 0 ? tree->step[step].same : step;
}

#endif
