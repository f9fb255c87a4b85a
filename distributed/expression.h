/** Expressions of several tensors that are distributed: what callers pass, and the orders. */
#ifndef DISTRIBUTED_EXPRESSION_H
#define DISTRIBUTED_EXPRESSION_H

#include "distributed/steps.h"
#include "tcplan/distributed_network.h"

/** An expression with its sizes and prescribed layouts. */
struct expression {
    struct tcplan_network *network;
    int64_t *extent;
    enum tcplan_dtype dtype;
    struct dist_grid grid;
    bool has_grid;
    struct tensor_layout *layout; /**< layout of each distinct input tensor, then of the result */
};

/**
 * Reads an expression. It must have one term of two or more tensors. Input tensors that occur twice
 * get a layout if the caller prescribes none.
 *
 * @param options  `processes` is set to that of the grid if it is 0
 * @param wrong    receives the text to which the column of an error refers
 * @return a status of tcplan_distributed_network_new()
 */
enum tcplan_status expression_read(struct expression *out, const struct tcplan_network_texts *texts,
                                   enum tcplan_dtype dtype,
                                   struct tcplan_distributed_options *options, const char **wrong,
                                   struct tcplan_error *error);

void expression_free(struct expression *expression);

enum { EXPRESSION_MOST_ORDERS = 18 };

/** An order. */
struct order {
    struct tcplan_tree *tree; /**< the order without slices and shared steps */
    double seconds;           /**< predicted seconds on one process; 0: unknown */
};

/**
 * Finds the orders to compare: every order of up to four tensors. Of more tensors, the fastest
 * order on one process, and orders that differ from it by one exchange of two subtrees. If there is
 * a path, only its order; the path may also have the form of tcplan_tree_text().
 *
 * @param out      receives the orders, fastest on one process first; each tree is to be freed with
 *                 tcplan_tree_free()
 * @return a status of tcplan_network_order_new()
 */
enum tcplan_status expression_orders(struct order out[EXPRESSION_MOST_ORDERS], int *count,
                                     const struct expression *expression,
                                     const struct tcplan_network_texts *texts,
                                     struct tcplan_planner *planner, const char **wrong,
                                     struct tcplan_error *error);

#endif
