/**
 * Random contractions given as lists of indices; executions of their plans are compared with naive
 * loops.
 */
#ifndef SUPPORT_LISTED_PRODUCT_H
#define SUPPORT_LISTED_PRODUCT_H

#include "support/naive.h"
#include "support/random_contraction.h"
#include "tcplan/plan.h"

/** A random contraction, and the same contraction as lists of dimensions, without alpha and beta.
 */
struct listed_product {
    struct random_contraction random;
    int64_t label[TCPLAN_TENSORS][TCPLAN_MAX_RANK];
    int64_t extent[TCPLAN_TENSORS][TCPLAN_MAX_RANK];
    int64_t stride[TCPLAN_TENSORS][TCPLAN_MAX_RANK];
    struct tcplan_dimensions tensor[TCPLAN_TENSORS]; /**< dimensions of each operand; TCPLAN_C is
                                                        the result */
    bool has_addend;
    struct tcplan_product *product;
};

/** Makes product number `seed`. Labels are letters or any numbers. Dense strides are given or
 * omitted. Fails the test if tcplan refuses the product. */
void listed_product_init(struct listed_product *out, uint64_t seed);

void listed_product_free(struct listed_product *listed);

/** Returns a random alpha or beta of a class. 0: zero; 1: one; 2: another number. */
struct tcplan_scalar listed_product_factor(const struct listed_product *listed, int class,
                                           uint64_t *random);

/**
 * Executes a plan of the product with alpha and beta on new tensors, and compares the result with
 * naive loops. Fails the test if they differ.
 *
 * @param workspace  NULL: the plan's own
 */
void listed_product_check(const struct listed_product *listed, struct tcplan_plan *plan,
                          struct tcplan_scalar alpha, struct tcplan_scalar beta, int threads,
                          void *workspace, int64_t workspace_bytes);

#endif
