/**
 * The canonical product of a problem: the same elements, with as few indices as describe them.
 *
 * Indices whose strides continue each other in every tensor that has them act as one longer index,
 * and an index of extent 1 as none. A tensor of forty indices of extent 2 is often a matrix, so
 * algorithms are searched for among those of the canonical product and then written with the
 * indices of the problem (ast/algorithm/expand.h).
 */
#ifndef AST_PROBLEM_CANONICAL_PRODUCT_H
#define AST_PROBLEM_CANONICAL_PRODUCT_H

#include "tcplan/problem.h"

/** The indices of the problem that are one of its canonical product. */
struct canonical_index {
    int count;
    uint8_t part[TCPLAN_MAX_INDICES]; /**< the innermost first */
};

/** A canonical product. It points into itself: it must stay where it was made. */
struct canonical_product {
    const struct tcplan_problem *source;   /**< borrowed */
    struct tcplan_contraction contraction; /**< its names are those of innermost parts, borrowed */
    struct tcplan_problem problem;         /**< of that contraction */
    struct canonical_index index[TCPLAN_MAX_INDICES]; /**< of each index of that contraction */
    uint64_t dropped; /**< the indices of the problem, of extent 1, that none stands for */
};

/**
 * Makes the canonical product of a problem.
 *
 * Two indices are fused where the same tensors have them, once each, one directly behind the other
 * in storage order, and the strides of the outer one are those of the inner one times its extent:
 * of either sign, or 0. The product of their extents is at most the largest BLAS integer.
 *
 * An index of extent 1, fused or not, is dropped, unless it is in one factor only, or is the
 * contiguous index of a tensor that has others: an algorithm, which knows no extents, does not use
 * such a tensor in place without it.
 *
 * Where there is nothing to multiply, nothing is fused or dropped.
 */
void canonical_product_make(struct canonical_product *out, const struct tcplan_problem *problem);

/** Whether nothing was fused or dropped: index i of one is index i of the other. */
bool canonical_product_is_source(const struct canonical_product *product);

#endif
