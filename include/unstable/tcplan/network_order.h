/**
 * Orders of networks as programs want them: from the texts of an expression and its sizes to a tree, by what a planner knows.
 *
 *   struct tcplan_network_order *order;
 *   struct tcplan_network_plan *plan;
 *   const struct tcplan_network_texts texts = {.notation = "ab,bc,cd->ad", .sizes = "a=d=300,b=20,c=400", .order = TCPLAN_ROW_MAJOR};
 *   tcplan_network_order_new(&order, planner, &texts, TCPLAN_DOUBLE, &error);
 *   tcplan_network_plan_new(&plan, tcplan_network_order_tree(order), planner, &error);
 *   tcplan_network_order_free(order);
 */
#ifndef TCPLAN_NETWORK_ORDER_H
#define TCPLAN_NETWORK_ORDER_H

#include "tcplan/network_tree.h"
#include "tcplan/planner.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A network and the tree that was found for it. Read-only once made; several threads may read it at once. */
struct tcplan_network_order;

/** An expression as text. */
struct tcplan_network_texts {
    const char *notation; /**< as tcplan_network_parse() reads it */
    const char *sizes;    /**< as tcplan_network_sizes() reads them; NULL: there is no index */
    const char *path; /**< an order as tcplan_tree_parse_path() reads it, of which layouts and algorithms are found; NULL: it is searched */
    enum tcplan_order order; /**< how tensors lie */
    bool frees_result;       /**< the layout of the result of a single term is chosen, too: it is that of the tree's last step */
};

/**
 * Finds the order of a network that is fastest by estimates, with the layouts of its intermediates (tcplan/network_search.h). Steps name their algorithms where
 * the planner's effort is TCPLAN_EFFORT_ESTIMATE and its plans do not improve themselves: stored ones where it has them, estimated ones otherwise. With more
 * effort steps have none, and are planned when the plan is made (tcplan_network_plan_new()).
 *
 * @param out       receives the order, to be freed with tcplan_network_order_free(); untouched on failure
 * @param planner   threads, bound of workspaces, limit of time, store and stored plans, of which the search takes what it is asked for; it may be cancelled by
 *                  tcplan_planner_cancel(). NULL: the defaults
 * @return TCPLAN_OK; TCPLAN_INVALID (`error` marks the place, and its message says which of the texts where that is not the notation); otherwise as
 *         tcplan_network_search()
 */
TCPLAN_API enum tcplan_status tcplan_network_order_new(struct tcplan_network_order **out, struct tcplan_planner *planner,
                                                       const struct tcplan_network_texts *texts, enum tcplan_dtype dtype,
                                                       struct tcplan_error *error);

/** Its tree, which stays as long as the order. */
TCPLAN_API const struct tcplan_tree *tcplan_network_order_tree(const struct tcplan_network_order *order);

/** Predicted seconds of an execution. */
TCPLAN_API double tcplan_network_order_seconds(const struct tcplan_network_order *order);

/** Floating-point operations of an execution. */
TCPLAN_API double tcplan_network_order_flops(const struct tcplan_network_order *order);

/** Frees an order; NULL is fine. Plans made of it stay. */
TCPLAN_API void tcplan_network_order_free(struct tcplan_network_order *order);

#ifdef __cplusplus
}
#endif

#endif
