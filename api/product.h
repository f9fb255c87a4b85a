/** The internals of a product. */
#ifndef API_PRODUCT_H
#define API_PRODUCT_H

#include "tcplan/problem.h"
#include "tcplan/product.h"

struct tcplan_product {
    struct tcplan_contraction *contraction; /**< the contraction, owned by the product */
    struct tcplan_problem problem; /**< the problem of `contraction`, with the planned factors */
    bool conjugates_added;         /**< whether beta multiplies the conjugate of the added tensor */
    bool conjugates_factors; /**< whether D is the conjugate of the right side, so alpha and beta of
                                executions are conjugated, too */
};

/** Reads a factor of an execution in the type of the product. Conjugates it if D is the conjugate
 * of the right side. */
struct tcplan_scalar product_factor(const struct tcplan_product *product, const void *value);

/**
 * Makes a product from a contraction with strides and conjugates. The product owns the contraction
 * from now on, also on failure.
 *
 * @param out receives the product; untouched on failure
 */
enum tcplan_status product_of(struct tcplan_product **out, struct tcplan_contraction *contraction,
                              const int64_t extent[], enum tcplan_dtype dtype,
                              struct tcplan_error *error);

/** Makes a copy of a product. */
enum tcplan_status product_copy(struct tcplan_product **out, const struct tcplan_product *product,
                                struct tcplan_error *error);

/** Returns TCPLAN_INVALID if a value is not in its enumeration. */
enum tcplan_status product_check_kind(enum tcplan_dtype dtype, enum tcplan_order order,
                                      struct tcplan_error *error);

/** Returns whether a tensor with these strides is dense; strides of dimensions of extent 0 or 1 do
 * not matter. */
bool product_is_dense(int rank, const int64_t extent[], const int64_t stride[],
                      enum tcplan_order order);

#endif
