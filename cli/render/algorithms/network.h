/**
 * Orders of expressions of several tensors.
 */
#ifndef CLI_RENDER_ALGORITHMS_NETWORK_H
#define CLI_RENDER_ALGORITHMS_NETWORK_H

#include "cli/render/view.h"
#include "tcplan/network_measure.h"
#include "tcplan/network_search.h"

/** What was found of an expression. */
struct ordered {
    const struct request *request;
    const struct tcplan_network *network;
    const int64_t *extent; /**< of each of its indices */
    const struct tcplan_network_found *found;
    const struct tcplan_tree *given;                /**< the order of --path; NULL: none */
    const struct tcplan_network_measured *measured; /**< of that order, else of the best; NULL:
                                                       nothing was run */
    bool with_flops; /**< the steps of the order of the fewest operations as well */
};

extern const struct view order_view;

#endif
