/**
 * Finds the order in which to multiply the factors of a network: from the text of an expression and
 * its sizes to a tree.
 *
 *   struct tcplan_network_order *order;
 *   struct tcplan_network_plan *plan;
 *   const struct tcplan_network_texts texts = {.notation = "ab,bc,cd->ad",
 *                                              .sizes = "a=d=300,b=20,c=400",
 *                                              .order = TCPLAN_ROW_MAJOR};
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

/** A network and the tree found for it. It is read-only: several threads may read it at once. */
struct tcplan_network_order;

/** The order in which the factors are multiplied, as a tree of steps with two tensors each. */
struct tcplan_tree;

/** An expression as text. */
struct tcplan_network_texts {
    const char *notation; /**< `E_ad=A_ab*B_bc*C_cd`, `ab,bc,cd->ad`, sums of terms:
                             docs/networks.md */
    const char *sizes;    /**< the extent of every index, each once, such as `a=b=300,c=20`; NULL if
                             there is no index */
    const char *path; /**< an order in the form of tcplan_tree_path(): only layouts and algorithms
                         are searched; NULL: the order is searched as well */
    enum tcplan_order order; /**< the storage order of dense tensors */
    bool frees_result; /**< whether to choose the layout of a single term's result, too: that of the
                          tree's last step */
    bool coarse;       /**< whether to rate orders by tcplan_step_seconds() alone, in less than a
                          millisecond for eight factors. `path` is then ignored, steps name no algorithm,
                          and the order's seconds and operations are 0 */
};

/**
 * Finds the order with the shortest estimated time, and the layouts of intermediates. The steps
 * name their algorithms: stored ones if present, else estimated ones. Some steps have no algorithm
 * yet; tcplan_network_plan_new() plans them. All steps lack an algorithm if plans improve
 * themselves or with TCPLAN_EFFORT_THOROUGH, none with TCPLAN_EFFORT_ESTIMATE. With other efforts,
 * the longest steps lack one: as many as are needed for the rest to take an estimated tenth of the
 * total time, but at most eight different products.
 *
 * @param out       receives the order, to be freed with tcplan_network_order_free(); untouched on
 *                  failure
 * @param planner   gives threads, workspace bound, time limit, store and stored plans;
 *                  tcplan_planner_cancel() cancels the search. NULL: the defaults
 * @return TCPLAN_OK; TCPLAN_INVALID if a pointer is NULL, a text is invalid (`error` marks the
 *         place; its message names the text unless it is the notation), a step would have more
 *         indices than a product may have, or intermediates exceed the workspace bound even with
 *         sliced indices; TCPLAN_OVERFLOW if a tensor is too large; TCPLAN_CANCELLED;
 *         TCPLAN_NO_MEMORY; TCPLAN_ENVIRONMENT if the machine is not recognised
 */
TCPLAN_API enum tcplan_status tcplan_network_order_new(struct tcplan_network_order **out,
                                                       struct tcplan_planner *planner,
                                                       const struct tcplan_network_texts *texts,
                                                       enum tcplan_dtype dtype,
                                                       struct tcplan_error *error);

/** Returns the tree, valid until the order is freed. */
TCPLAN_API const struct tcplan_tree *tcplan_network_order_tree(
    const struct tcplan_network_order *order);

/**
 * Returns a tree as one line, with layouts and slices: `T1_ac=A_ab*B_bc; E_ad=T1_ac*C_cd`. It
 * starts with `for x,y: ` if the indices x and y are sliced. `+=` adds a later term,
 * `T5_kl=A_km*B_ml=T2` reads T2 instead of computing T5. Numerical factors are omitted. The caller
 * frees it with free(); NULL if memory runs out.
 */
TCPLAN_API char *tcplan_tree_text(const struct tcplan_tree *tree);

/**
 * Returns the order as a path of opt_einsum: `[(0, 1), (0, 1)]`. Each pair has two positions in the
 * list of remaining tensors; both tensors are removed, and their product is appended. Several terms
 * have one path each, separated by `; `. The caller frees the text with free(); NULL if memory runs
 * out.
 */
TCPLAN_API char *tcplan_tree_path(const struct tcplan_tree *tree);

/** Returns the predicted seconds of one execution; 0 if they are unknown for some step, or the
 * order was found with tcplan_network_texts.coarse. */
TCPLAN_API double tcplan_network_order_seconds(const struct tcplan_network_order *order);

/** Returns the floating-point operations of one execution; 0 if the order was found with
 * tcplan_network_texts.coarse. */
TCPLAN_API double tcplan_network_order_flops(const struct tcplan_network_order *order);

/** Frees an order; does nothing if it is NULL. Plans made from it stay valid. */
TCPLAN_API void tcplan_network_order_free(struct tcplan_network_order *order);

/** The extents of a product of two tensors: for each kind of index, the product of the extents (1
 * without such an index). Real numbers, so that large networks fit. */
struct tcplan_step_extents {
    double batch;      /**< product of the extents of indices in both factors and in the result */
    double left;       /**< product of the extents of indices in the left factor and the result */
    double right;      /**< product of the extents of indices in the right factor and the result */
    double contracted; /**< product of the extents of indices in both factors but not in the result
                        */
};

/**
 * Predicts the seconds of one step of an order from its extents alone, in some microseconds, for
 * searches that rate thousands of steps. It is the coarse prediction with which
 * tcplan_network_order_new() rates orders: the call of a matrix, vector or element-wise kernel at
 * the speed of the stored ceilings, plus moving and packing the three tensors once, plus a
 * constant. The layouts of the tensors have no effect.
 *
 * @param out      receives the seconds; INFINITY if they exceed the range of double; untouched on
 *                 failure
 * @param planner  gives threads and store; NULL: the defaults. Without stored ceilings
 *                 (`tcplan roofline`), speeds are nominal
 * @return TCPLAN_OK; TCPLAN_INVALID if a pointer is NULL or an extent is not a number of at least
 *         0; TCPLAN_CANCELLED; TCPLAN_NO_MEMORY; TCPLAN_ENVIRONMENT if the machine is not
 *         recognised
 */
TCPLAN_API enum tcplan_status tcplan_step_seconds(double *out, struct tcplan_planner *planner,
                                                  const struct tcplan_step_extents *extents,
                                                  enum tcplan_dtype dtype,
                                                  struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
