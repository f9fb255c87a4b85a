/** Tensors of a tree, by number. */
#ifndef NETWORK_TREE_H
#define NETWORK_TREE_H

#include "tcplan/network_tree.h"

/** An operand, the result of a step, or the number 1. */
struct tree_tensor {
    int rank;
    const uint16_t *dims; /* indices of the tensor; includes the sliced ones if `is_whole` */
    bool conjugated;
    bool is_whole;    /* whether the tensor is an operand or the network's result, which are stored
                         with their sliced indices */
    const char *name; /* name; NULL for an intermediate and for the number 1 */
};

struct tree_tensor tree_tensor_of(const struct tcplan_tree *tree, int tensor);

bool tree_is_sliced(const struct tcplan_tree *tree, int index);

#endif
