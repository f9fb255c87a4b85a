/** The internals of a product. */
#ifndef API_PRODUCT_H
#define API_PRODUCT_H

#include "tcplan/problem.h"
#include "tcplan/product.h"

struct tcplan_product {
    struct tcplan_contraction *contraction; /**< its own */
    struct tcplan_problem problem; /**< of that contraction, with the factors that are planned for
                                    */
    bool conjugates_added;         /**< beta is applied to the conjugate, if beta is not 0 */
    bool conjugates_factors; /**< D is the conjugate of the right side: alpha and beta of executions
                                are also conjugated */
};

/** A factor as an execution gives it, or the conjugate of it where the result is one of the right
 * side. */
struct tcplan_scalar product_factor(const struct tcplan_product *product, const void *value);

/**
 * Makes a product of a contraction with strides and conjugates. Takes ownership of the contraction,
 * also on failure.
 *
 * @param out  receives the product; untouched on failure
 */
enum tcplan_status product_of(struct tcplan_product **out, struct tcplan_contraction *contraction,
                              const int64_t extent[], enum tcplan_dtype dtype,
                              struct tcplan_error *error);

/** Another product of the same. */
enum tcplan_status product_copy(struct tcplan_product **out, const struct tcplan_product *product,
                                struct tcplan_error *error);

/** TCPLAN_INVALID if a type or an order is none. */
enum tcplan_status product_check_kind(enum tcplan_dtype dtype, enum tcplan_order order,
                                      struct tcplan_error *error);

/** Whether strides are those of a dense tensor; strides of dimensions of extent 0 or 1 do not
 * matter. */
bool product_is_dense(int rank, const int64_t extent[], const int64_t stride[],
                      enum tcplan_order order);

#endif
