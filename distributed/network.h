/** A distributed expression with its algorithms. */
#ifndef DISTRIBUTED_NETWORK_H
#define DISTRIBUTED_NETWORK_H

#include "distributed/expression.h"

/** An algorithm: an order whose steps are planned. */
struct network_algorithm {
    struct tcplan_tree *tree;
    struct planned_step *step;
    char *name;
    struct tcplan_distributed_entry entry;
    int choice; /**< number of the candidate; meaningful during the search only */
};

struct tcplan_distributed_network {
    struct expression expression;
    int processes;
    double serial_seconds;
    int64_t enumerated, over_memory;
    int count;
    struct network_algorithm *algorithm; /**< algorithms, fastest first */
};

/** Returns a step that reads or computes a tensor; `*operand` receives which of the step's operands
 * the tensor is. `tensor` is the number of an input tensor; other numbers mean the result. */
const struct tcplan_distributed *network_holder(const struct tcplan_distributed_network *network,
                                                int algorithm, int tensor,
                                                enum tcplan_operand *operand);

#endif
