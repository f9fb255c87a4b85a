/**
 * The canonical product of a problem: the same elements described by as few indices as possible.
 * Indices whose strides continue each other in every tensor that has them act as one longer index;
 * an index of extent 1 has no effect. A tensor of forty indices of extent 2 is often a matrix.
 * Algorithms are therefore searched for in the canonical product and then rewritten with the
 * indices of the problem (ast/algorithm/expand.h).
 */
#ifndef AST_PROBLEM_CANONICAL_PRODUCT_H
#define AST_PROBLEM_CANONICAL_PRODUCT_H

#include "tcplan/problem.h"

/** The problem's indices that one index of the canonical product represents. */
struct canonical_index {
    int count;
    uint8_t part[TCPLAN_MAX_INDICES]; /**< numbers of the fused indices, innermost first */
};

/** A canonical product. It contains pointers to itself and must not be moved. */
struct canonical_product {
    const struct tcplan_problem *source;   /**< the problem, borrowed */
    struct tcplan_contraction contraction; /**< the contraction; its indices have the names of their
                                              innermost parts, borrowed */
    struct tcplan_problem problem;         /**< the problem of `contraction` */
    struct canonical_index index[TCPLAN_MAX_INDICES]; /**< the fused indices of each index of
                                                         `contraction` */
    uint64_t dropped; /**< the problem's indices of extent 1 that are not represented */
};

/**
 * Makes the canonical product of a problem.
 *
 * Two indices are fused if the same tensors have them, once each, adjacent in storage order, and
 * the outer stride is the inner stride times the inner extent (of either sign, or 0). The product
 * of their extents is at most the largest BLAS integer.
 *
 * An index of extent 1, fused or not, is dropped unless it is in one factor only or is the
 * contiguous index of a tensor with other indices: algorithms do not depend on extents, and could
 * not use the tensor in place without that index. If there is nothing to multiply, nothing is
 * fused or dropped.
 */
void canonical_product_make(struct canonical_product *out, const struct tcplan_problem *problem);

/** Returns whether nothing was fused or dropped: indices then have the same numbers in both. */
bool canonical_product_is_source(const struct canonical_product *product);

#endif
