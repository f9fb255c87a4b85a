/**
 * Tensors of a tree, by number.
 */
#ifndef NETWORK_TREE_H
#define NETWORK_TREE_H

#include "tcplan/network_tree.h"

/** An operand, what a step makes, or the number 1. */
struct tree_tensor {
    int rank;
    const uint16_t *dims; /* sliced ones included where it is whole */
    bool conjugated;
    bool is_whole;    /* an operand or the network's result, which lie in memory with their sliced
                         indices */
    const char *name; /* NULL: an intermediate, or the number 1 */
};

struct tree_tensor tree_tensor_of(const struct tcplan_tree *tree, int tensor);

bool tree_is_sliced(const struct tcplan_tree *tree, int index);

#endif
