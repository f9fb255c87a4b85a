/**
 * Copies between tensors of different types, and the last step of products whose result type
 * differs from the type of computation.
 *
 * Numbers are converted in double precision. A complex number that becomes real loses its
 * imaginary part.
 */
#ifndef TAPP_CONVERT_H
#define TAPP_CONVERT_H

#include <stdbool.h>
#include <stdint.h>

#include "tcplan/product.h"
#include "tcplan/types.h"

enum { TAPP_MAX_INDICES = 64 };

/** Indices, extents and strides of a tensor. */
struct tapp_shape {
    int rank;
    int64_t label[TAPP_MAX_INDICES]; /**< index of each dimension */
    int64_t extent[TAPP_MAX_INDICES];
    int64_t stride[TAPP_MAX_INDICES];
};

/** A tensor that is read or written. `at` points to the element whose indices are all 0. */
struct tapp_elements {
    enum tcplan_dtype type;
    void *at;
    const int64_t *stride; /**< strides, in the order of the dimensions of a shape */
};

/** Copies all elements of a shape: to := from. */
void tapp_convert(const struct tapp_shape *shape, struct tapp_elements to,
                  struct tapp_elements from);

/** The operands of D := op_D(alpha * T + beta * op_C(C)). */
struct tapp_combination {
    struct tapp_elements D;
    struct tapp_elements T; /**< the product; `at` is NULL if alpha is 0 */
    struct tapp_elements C; /**< the addend; `at` is NULL if beta is 0 */
    struct tcplan_scalar alpha;
    struct tcplan_scalar beta;
    bool conjugates_C;
    bool conjugates_D;
};

/** Computes D := op_D(alpha * T + beta * op_C(C)) for all elements of a shape, row by row. */
void tapp_combine(const struct tapp_shape *shape, const struct tapp_combination *combination);

/** Returns a number of the given type. */
struct tcplan_scalar tapp_scalar(const void *number, enum tcplan_dtype type);

#endif
