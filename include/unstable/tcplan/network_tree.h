/**
 * Trees: the order in which the factors of a network are multiplied, as steps of two tensors each.
 *
 * A tree is a list of steps in the order in which they are executed. A step multiplies two tensors,
 * operands of the network or results of earlier steps, and sums over every index that is not needed
 * afterwards: it is one contraction (tcplan/contraction.h), which also sums over indices of one
 * factor only and takes diagonals. The result of a step is a dense *intermediate* whose order of
 * indices, its *layout*, may be chosen freely; the last step of each term writes the network's
 * result, the steps of later terms add to it. A term of a single factor is one step whose second
 * factor is the number 1.
 *
 * Where intermediates are too large some indices can be *sliced*. Terms are executed one after the
 * other, the steps of each in loops over those sliced indices that its factors have, on tensors
 * without them, once for each of their values. Steps below which no tensor has a sliced index run
 * once, before the loops of their term.
 *
 * Where steps make the same tensor but for the names of its indices one of them can be *shared*
 * (tcplan_tree_share()): the others, and the steps below them, are *idle*.
 *
 * To execute or emit a tree, walk step[0] to step[step_count - 1], skip idle steps, and get each
 * contraction from tcplan_tree_step_contraction(). Each intermediate needs memory from the step
 * that makes it to the last step that reads it.
 */
#ifndef TCPLAN_NETWORK_TREE_H
#define TCPLAN_NETWORK_TREE_H

#include "tcplan/network.h"
#include "tcplan/network_order.h"
#include "tcplan/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TCPLAN_TREE_ONE =
        -1, /**< in the place of a tensor's number: the number 1, a tensor without indices */
    TCPLAN_TREE_SLICED = 32 /**< sliced indices at most */
};

struct tcplan_tree_step {
    /** Numbers of tensors: operand o of the network is o, the result of step s is operand_count +
     * s; `right` may be TCPLAN_TREE_ONE. */
    int left, right;
    int term;
    bool last; /**< of its term: it writes the network's result, and its factor, and for the first
                  term beta, are its alpha and beta */
    bool once; /**< before the loops over sliced indices: nothing below it has one */
    int same;  /**< an earlier step that makes the same tensor, with other names of indices: that is
                  read instead; -1: none */
    bool idle; /**< it is not executed: it, or a step above it, is the same as another one */
    int rank;  /**< of its result, without sliced indices unless it is the network's result */
    uint16_t dims[TCPLAN_MAX_RANK]; /**< its indices in the order of its dimensions: the layout */
    double flops;                   /**< of one execution */
    double bytes;                   /**< of its result, in one execution */
    double seconds;                 /**< predicted, of one execution; 0: not known */
    bool timed;                     /**< `seconds` are from timing, not from an estimate */
    char *algorithm; /**< owned: the algorithm that was predicted to be fastest; NULL: not known */
};

struct tcplan_tree {
    const struct tcplan_network *network; /**< borrowed */
    enum tcplan_dtype dtype;
    int64_t *extent; /**< owned: of each index */
    int step_count;
    struct tcplan_tree_step *step; /**< owned */
    int sliced_count;
    uint16_t sliced[TCPLAN_TREE_SLICED];
    bool frees_result; /**< of a single term: the layout of the result is chosen as those of
                          intermediates are, and is that of the last step */
    char prefix[16];   /**< intermediates are called so, with the number of their step from 1: no
                          tensor is called like that */
};

/**
 * Makes a tree of pairs.
 *
 * @param out     receives the tree, to be freed with tcplan_tree_free(); untouched on failure
 * @param extent  of each index of the network
 * @param pair    left and right of each step, as in struct tcplan_tree_step; NULL: from left to
 *                right, term by term. A term of n factors has n - 1 pairs, or one with
 *                TCPLAN_TREE_ONE; each tensor is in one pair
 * @param count   of pairs
 * @return TCPLAN_OK; TCPLAN_INVALID if the pairs are no tree of the network (the message names the
 *         step), or a step has more than TCPLAN_MAX_INDICES indices; TCPLAN_OVERFLOW if a tensor is
 *         too large to be counted; otherwise as tcplan_problem_init(); TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_tree_make(struct tcplan_tree **out,
                                               const struct tcplan_network *network,
                                               const int64_t extent[], enum tcplan_dtype dtype,
                                               const int (*pair)[2], int count,
                                               struct tcplan_error *error);

/** Copies a tree; NULL if memory runs out. */
TCPLAN_API struct tcplan_tree *tcplan_tree_copy(const struct tcplan_tree *tree);

/** Frees a tree; NULL is fine. */
TCPLAN_API void tcplan_tree_free(struct tcplan_tree *tree);

/** Number of indices of a tensor of a tree, as a step reads it: without sliced ones. `dims`
 * receives them, and may be NULL. */
TCPLAN_API int tcplan_tree_tensor(uint16_t dims[TCPLAN_MAX_RANK], const struct tcplan_tree *tree,
                                  int tensor);

/**
 * Slices one more index, and determines again which steps run once. TCPLAN_INVALID if it is sliced
 * already, or there are too many; otherwise as tcplan_tree_make().
 */
TCPLAN_API enum tcplan_status tcplan_tree_slice(struct tcplan_tree *tree, int index,
                                                struct tcplan_error *error);

/**
 * Shares what several steps make: of each product that is there more than once, with the same
 * factors and other names of indices, only the first is executed. Layouts of the others follow.
 * Results that are recomputed for each value of a sliced index are not shared; slicing ends
 * sharing.
 *
 * @param out        receives how many steps read the result of another step instead of their own
 * @param max_bytes  limits the memory of simultaneous intermediates, to which sharing adds; 0: any
 * @return TCPLAN_OK, or TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_tree_share(int *out, struct tcplan_tree *tree,
                                                double max_bytes, struct tcplan_error *error);

/**
 * Makes the contraction of a step: with conjugates, alpha and beta, and the strides of slices for
 * sliced operands and results; pointers are then to the first element of the slice.
 *
 * @param out    receives the contraction, to be freed with tcplan_contraction_free()
 * @param later  the result has been written by an earlier iteration of the loops over sliced
 *               indices that it lacks: it is added to, beta is 1
 * @return as tcplan_contraction_parse()
 */
TCPLAN_API enum tcplan_status tcplan_tree_step_contraction(struct tcplan_contraction **out,
                                                           const struct tcplan_tree *tree, int step,
                                                           bool later, struct tcplan_error *error);

/** The problem of a step's contraction: its indices have the network's names and extents. Status as
 * tcplan_problem_init(). */
TCPLAN_API enum tcplan_status tcplan_tree_step_problem(struct tcplan_problem *out,
                                                       const struct tcplan_tree *tree,
                                                       const struct tcplan_contraction *contraction,
                                                       struct tcplan_error *error);

/** Totals over all steps. */
struct tcplan_tree_totals {
    double seconds; /**< predicted; 0: of some step that is executed it is unknown */
    double flops;
    double slices;        /**< iterations of the loops of the term that has most; 1: none */
    double peak_bytes;    /**< of intermediates that are there at once, at most */
    double largest_bytes; /**< the largest intermediate */
};

/** How often a step is executed: never if idle, once, or in each iteration of the loops over the
 * sliced indices that its term has. */
TCPLAN_API double tcplan_tree_step_times(const struct tcplan_tree *tree, int step);

TCPLAN_API struct tcplan_tree_totals tcplan_tree_totals(const struct tcplan_tree *tree);

/* Text. */

/** The text of one step, as tcplan_tree_text() writes it. */
TCPLAN_API char *tcplan_tree_step_text(const struct tcplan_tree *tree, int step);

/**
 * Reads the text of a tree.
 *
 * @return as tcplan_tree_make(); TCPLAN_INVALID if the text is no tree of the network (`error`
 *         marks the place)
 */
TCPLAN_API enum tcplan_status tcplan_tree_parse(struct tcplan_tree **out,
                                                const struct tcplan_network *network,
                                                const int64_t extent[], enum tcplan_dtype dtype,
                                                const char *text, struct tcplan_error *error);

/** Reads a path of opt_einsum; of entries of more than two places the factors are multiplied from
 * left to right. Status as tcplan_tree_parse(). */
TCPLAN_API enum tcplan_status tcplan_tree_parse_path(struct tcplan_tree **out,
                                                     const struct tcplan_network *network,
                                                     const int64_t extent[],
                                                     enum tcplan_dtype dtype, const char *text,
                                                     struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
