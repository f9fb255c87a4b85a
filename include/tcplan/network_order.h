/**
 * Orders of networks as programs want them: from the texts of an expression and its sizes to a
 * tree, by what a planner knows.
 *
 *   struct tcplan_network_order *order;
 *   struct tcplan_network_plan *plan;
 *   const struct tcplan_network_texts texts = {.notation = "ab,bc,cd->ad", .sizes =
 *   "a=d=300,b=20,c=400", .order = TCPLAN_ROW_MAJOR};
 *   tcplan_network_order_new(&order, planner, &texts, TCPLAN_DOUBLE, &error);
 *   tcplan_network_plan_new(&plan, tcplan_network_order_tree(order), planner, &error);
 *   tcplan_network_order_free(order);
 */
#ifndef TCPLAN_NETWORK_ORDER_H
#define TCPLAN_NETWORK_ORDER_H

#include <stdbool.h>

#include "tcplan/planner.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A network and the tree that was found for it. Read-only once made; several threads may read it
 * at once. */
struct tcplan_network_order;

/** A tree: the order in which the factors are multiplied, in steps of two tensors each. */
struct tcplan_tree;

/** An expression as text. */
struct tcplan_network_texts {
    const char *notation; /**< `E_ad=A_ab*B_bc*C_cd`, `ab,bc,cd->ad`, sums of terms:
                             docs/networks.md */
    const char *sizes; /**< the extent of every index once: `a=b=300,c=20`; NULL: there is no index
                        */
    const char *path;  /**< an order as tcplan_tree_path() writes it, whose layouts and algorithms
                          are found; NULL: it is searched */
    enum tcplan_order order; /**< how tensors lie */
    bool frees_result; /**< the layout of the result of a single term is chosen, too: it is that of
                          the tree's last step */
};

/**
 * Finds the order of a network that is fastest by estimates, with the layouts of its intermediates
 * (tcplan/network_search.h). Steps name their algorithms where the planner's effort is
 * TCPLAN_EFFORT_ESTIMATE and its plans do not improve themselves: stored ones where it has them,
 * estimated ones otherwise. With more effort steps have none, and are planned when the plan is made
 * (tcplan_network_plan_new()).
 *
 * @param out       receives the order, to be freed with tcplan_network_order_free(); untouched on
 *                  failure
 * @param planner   threads, bound of workspaces, limit of time, store and stored plans, of which
 *                  the search takes what it is asked for; it may be cancelled by
 *                  tcplan_planner_cancel(). NULL: the defaults
 * @return TCPLAN_OK; TCPLAN_INVALID (`error` marks the place, and its message says which of the
 *         texts where that is not the notation); otherwise as tcplan_network_search()
 */
TCPLAN_API enum tcplan_status tcplan_network_order_new(struct tcplan_network_order **out,
                                                       struct tcplan_planner *planner,
                                                       const struct tcplan_network_texts *texts,
                                                       enum tcplan_dtype dtype,
                                                       struct tcplan_error *error);

/** Its tree, which stays as long as the order. */
TCPLAN_API const struct tcplan_tree *tcplan_network_order_tree(
    const struct tcplan_network_order *order);

/**
 * Writes a tree as one line, layouts and slices included: `T1_ac=A_ab*B_bc; E_ad=T1_ac*C_cd`, with
 * `for x,y: ` in front where x and y are sliced, `+=` where a later term is added,
 * `T5_kl=A_km*B_ml=T2` where T2 is read instead. Factors are left out. To be freed with free();
 * NULL when memory is out.
 */
TCPLAN_API char *tcplan_tree_text(const struct tcplan_tree *tree);

/**
 * Writes the order as opt_einsum's path: `[(0, 1), (0, 1)]`. Each pair names places in the list of
 * what is left, which both leave, and to whose end their product goes. Several terms have one path
 * each, with `; ` between them. To be freed with free(); NULL when memory is out.
 */
TCPLAN_API char *tcplan_tree_path(const struct tcplan_tree *tree);

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
