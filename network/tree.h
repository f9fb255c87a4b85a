/** Tensors of a tree by number. */
#ifndef NETWORK_TREE_H
#define NETWORK_TREE_H

#include "tcplan/network_tree.h"

/** An operand, the result of a step, or the number 1. */
struct tree_tensor {
    int rank;
    const uint16_t *dims; /* with the sliced indices if the tensor is whole */
    bool conjugated;
    bool is_whole;    /* an operand or the network's result, stored with its sliced indices */
    const char *name; /* NULL: an intermediate, or the number 1 */
};

struct tree_tensor tree_tensor_of(const struct tcplan_tree *tree, int tensor);

bool tree_is_sliced(const struct tcplan_tree *tree, int index);

#endif
