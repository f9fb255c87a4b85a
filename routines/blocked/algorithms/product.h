/**
 * Products of several matrices, as algorithms: each order of products of two matrices with each
 * choice of routines is one.
 *
 *   product = block ":=" factor factor { factor }             D := A B^T C, matrices without
 *                                                             digits: no loop cuts them
 *
 * The kinds of two factors determine the routines for their product: gemm of general ones, trmm
 * (trsm where it is inverted) with a triangle, which replaces the other factor, symm (hemm) with a
 * symmetric one, syrk (herk) of a matrix with its own transpose, whose result is symmetric then; or
 * gemm. There is no routine for the product of two that are no general matrices. Intermediate
 * products are in temporaries.
 */
#ifndef BLOCKED_PRODUCT_H
#define BLOCKED_PRODUCT_H

#include "routines/blocked/algorithms/text.h"

enum {
    PRODUCT_FACTORS = 6, /**< at most */
    PRODUCT_WAYS = 200   /**< ways to compute a product, at most: others are left out */
};

/** A way to compute a product: texts of an algorithm. */
struct product_way {
    char matrices[512];
    char steps[768];
    char note[96]; /**< the order, `(A B) C` */
};

/** Zero-initialise before use. */
struct product_ways {
    int count;
    struct product_way *of; /**< owned */
};

/**
 * Finds the ways to compute a product.
 *
 * @param out        receives them, one at least, to be freed with product_ways_free() whatever is
 *                   returned
 * @param matrices   as text.h has them; the result is one of them
 * @param statement  the product
 * @param place      receives the text to which the error's column refers
 * @return TCPLAN_OK; TCPLAN_INVALID with a column: malformed, sizes that do not agree, no routines
 *         that compute it; TCPLAN_NO_MEMORY
 */
enum tcplan_status product_ways_find(struct product_ways *out, const char *matrices,
                                     const char *statement, enum tcplan_dtype dtype,
                                     enum blocked_place *place, struct tcplan_error *error);

void product_ways_free(struct product_ways *ways);

#endif
