/**
 * Trees: the order in which the factors of a network are multiplied, as steps of two tensors each.
 *
 * A tree is a list of steps in the order in which they are executed. A step multiplies two
 * tensors, operands of the network or results of earlier steps, and sums over every index that is
 * not needed later. It is one contraction (tcplan/contraction.h), which may also sum over indices
 * of one factor and take diagonals. The result of a step is a dense *intermediate* whose order of
 * indices, its *layout*, may be chosen freely; the last step of each term writes the network's
 * result, the steps of later terms add to it. A term of a single factor is one step whose second
 * factor is the number 1.
 *
 * If intermediates are too large, some indices can be *sliced*. The steps of each term then run in
 * loops over the sliced indices of its factors, on tensors without these indices, once for each of
 * their values. Steps that depend on no tensor with a sliced index run once, before the loops of
 * their term.
 *
 * If several steps compute the same tensor with other index names, one of them can be *shared*
 * (tcplan_tree_share()). The others, and the steps on which only they depend, are *idle*.
 *
 * Terms of single tensors can be *joined*: one step computes them in one pass over memory, and the
 * others are idle. A term can be joined with no other; the pass then replaces the kernels of its
 * algorithm. The search and tcplan_tree_estimate() join terms where that is predicted to be faster.
 *
 * To execute or emit a tree, walk step[0] to step[step_count - 1], skip idle steps, and get each
 * contraction from tcplan_tree_step_contraction(). Each intermediate needs memory from the step
 * that computes it to the last step that reads it.
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
        -1, /**< stands for the number 1, a tensor without indices, in place of a tensor's number */
    TCPLAN_TREE_SLICED = 32 /**< maximum number of sliced indices */
};

struct tcplan_tree_step {
    /** Numbers of tensors: operand o of the network is o, the result of step s is operand_count +
     * s; `right` may be TCPLAN_TREE_ONE. */
    int left, right;
    int term;
    bool last;  /**< whether this is the last step of its term, which writes the network's result.
                   Its alpha is then the term's factor; in the first term, its beta is the network's
                   beta */
    bool once;  /**< whether the step runs before the loops over sliced indices, because it depends
                   on none of these indices */
    int same;   /**< number of an earlier step that computes the same tensor with other index names
                   and whose result is read instead; -1: none */
    bool idle;  /**< whether the step is not executed, because another step replaces it or replaces
                   the only step that reads its result */
    int joined; /**< number of the step that computes this term, and others if there are any, in one
                   pass over memory; it may be this step itself; -1: none */
    int rank;   /**< number of dimensions of the result, without sliced indices unless it is the
                   network's result */
    uint16_t dims[TCPLAN_MAX_RANK]; /**< indices of the result in the order of its dimensions: the
                                       layout */
    double flops;                   /**< floating-point operations per execution */
    double bytes;                   /**< size in bytes of the result of one execution */
    double seconds;                 /**< predicted seconds per execution; 0: unknown */
    bool timed;                     /**< whether `seconds` were timed; false: they are estimated */
    double pass_seconds; /**< timed seconds of the pass over memory that would compute this term and
                            all terms that may be joined with it; 0: not timed */
    bool pass_streamed;  /**< whether the pass writes the result by non-temporal stores */
    int pass_threads;    /**< number of threads of the pass; 0: that of the planner */
    bool alone_timed;    /**< if `joined` is this step itself: whether `alone_seconds` were timed */
    /** If `joined` is this step itself: seconds and operations of its own term alone; `seconds` and
     * `flops` are then those of the whole pass. */
    double alone_seconds, alone_flops;
    double apart_seconds; /**< if `joined` is this step itself: seconds of all joined terms,
                             executed one after the other */
    char *algorithm;      /**< owned: the algorithm predicted to be fastest; NULL: unknown */
};

struct tcplan_tree {
    const struct tcplan_network *network; /**< borrowed */
    enum tcplan_dtype dtype;
    int64_t *extent; /**< owned; one per index */
    int step_count;
    struct tcplan_tree_step *step; /**< owned */
    int sliced_count;
    uint16_t sliced[TCPLAN_TREE_SLICED];
    bool frees_result; /**< whether the layout of a single term's result may be chosen like that of
                          an intermediate; it is then that of the last step */
    char prefix[16];   /**< intermediates are named with this prefix and the number of their step,
                          from 1; no other tensor has such a name */
};

/**
 * Makes a tree from pairs of tensors.
 *
 * @param out     receives the tree, to be freed with tcplan_tree_free(); untouched on failure
 * @param extent  extent of each index of the network
 * @param pair    numbers of the left and right tensor of each step, as in struct tcplan_tree_step;
 *                NULL: from left to right, term by term. A term of n factors has n - 1 pairs, and a
 *                term of one factor has one pair, with TCPLAN_TREE_ONE. Each tensor is in exactly
 *                one pair
 * @param count   number of pairs
 * @return TCPLAN_OK; TCPLAN_INVALID if the pairs do not form a tree of the network (the message
 *         names the step), or a step has more than TCPLAN_MAX_INDICES indices; TCPLAN_OVERFLOW if a
 *         tensor is too large to be counted; otherwise a status of tcplan_problem_init();
 *         TCPLAN_NO_MEMORY
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

/** Returns the number of indices of a tensor as a step reads it: without sliced ones. `dims`
 * receives these indices, and may be NULL. */
TCPLAN_API int tcplan_tree_tensor(uint16_t dims[TCPLAN_MAX_RANK], const struct tcplan_tree *tree,
                                  int tensor);

/**
 * Slices one more index, and determines again which steps run once. Returns TCPLAN_INVALID if the
 * index is already sliced, or too many are; otherwise a status of tcplan_tree_make().
 */
TCPLAN_API enum tcplan_status tcplan_tree_slice(struct tcplan_tree *tree, int index,
                                                struct tcplan_error *error);

/**
 * Executes equal products once: among products with the same factors, which may differ in index
 * names, only the first is executed; the others take its layout. Results that are recomputed for
 * each value of a sliced index are not shared, and slicing undoes sharing.
 *
 * @param out        receives how many steps read the result of another step instead of their own
 * @param max_bytes  limits the memory of simultaneous intermediates, which sharing increases; 0:
 *                   unlimited
 * @return TCPLAN_OK, or TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_tree_share(int *out, struct tcplan_tree *tree,
                                                double max_bytes, struct tcplan_error *error);

/**
 * Makes the contraction of a step: with conjugates, alpha and beta, and with strides if its
 * operands or result are sliced. Pointers then address the first element of the slice.
 *
 * @param out    receives the contraction, to be freed with tcplan_contraction_free()
 * @param later  true if an earlier iteration over a sliced index that the result lacks has already
 *               written the result: beta is then 1
 * @return a status of tcplan_contraction_parse()
 */
TCPLAN_API enum tcplan_status tcplan_tree_step_contraction(struct tcplan_contraction **out,
                                                           const struct tcplan_tree *tree, int step,
                                                           bool later, struct tcplan_error *error);

/** Makes the problem of a step's contraction. Indices have the network's names and extents. Returns
 * a status of tcplan_problem_init(). */
TCPLAN_API enum tcplan_status tcplan_tree_step_problem(struct tcplan_problem *out,
                                                       const struct tcplan_tree *tree,
                                                       const struct tcplan_contraction *contraction,
                                                       struct tcplan_error *error);

/** Totals over all steps. */
struct tcplan_tree_totals {
    double seconds; /**< predicted time of all steps; 0: unknown for some executed step */
    double flops;
    double slices;     /**< number of loop iterations of the term that has the most; 1: no slices */
    double peak_bytes; /**< maximum bytes of intermediates that exist at the same time */
    double largest_bytes; /**< size of the largest intermediate */
};

/** Returns how often a step is executed: never if idle, once, or once per iteration of the loops
 * over its term's sliced indices. */
TCPLAN_API double tcplan_tree_step_times(const struct tcplan_tree *tree, int step);

TCPLAN_API struct tcplan_tree_totals tcplan_tree_totals(const struct tcplan_tree *tree);

/* Text of trees. */

/** Returns the text of one step in the form of tcplan_tree_text(), with the factors of terms and
 * with all terms that it adds up: `Z_ab=2*T_ab-T_ba`. To be freed with free(); NULL if memory runs
 * out.
 */
TCPLAN_API char *tcplan_tree_step_text(const struct tcplan_tree *tree, int step);

/**
 * Reads the text of a tree.
 *
 * @return a status of tcplan_tree_make(); TCPLAN_INVALID also if the text is not a tree of the
 *         network (`error` marks the place)
 */
TCPLAN_API enum tcplan_status tcplan_tree_parse(struct tcplan_tree **out,
                                                const struct tcplan_network *network,
                                                const int64_t extent[], enum tcplan_dtype dtype,
                                                const char *text, struct tcplan_error *error);

/** Reads an opt_einsum path. The factors of an entry with more than two positions are multiplied
 * from left to right. Returns a status of tcplan_tree_parse(). */
TCPLAN_API enum tcplan_status tcplan_tree_parse_path(struct tcplan_tree **out,
                                                     const struct tcplan_network *network,
                                                     const int64_t extent[],
                                                     enum tcplan_dtype dtype, const char *text,
                                                     struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
