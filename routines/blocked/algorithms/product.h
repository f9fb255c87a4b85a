/**
 * Products of several matrices as algorithms: each order of pairwise products, with each choice of
 * routines, is one algorithm.
 *
 *     product = block ":=" factor factor { factor }
 *     D := A B^T C; names have no digits, as the matrices are not divided into blocks
 *
 * The kinds of two factors determine the routines for their product: gemm for general ones; trmm
 * (trsm for an inverse) with a triangle, which overwrites the other factor; symm (hemm) with a
 * symmetric one; syrk (herk) for a matrix with its own transpose, whose result is symmetric, or
 * gemm. No routine multiplies two factors of which neither is general. Intermediate products are
 * in temporaries.
 */
#ifndef BLOCKED_PRODUCT_H
#define BLOCKED_PRODUCT_H

#include "routines/blocked/algorithms/text.h"

enum {
    PRODUCT_FACTORS = 6, /**< maximum number of factors */
    PRODUCT_WAYS = 200 /**< maximum number of ways to compute a product; further ways are omitted */
};

/** A way to compute a product, as the texts of an algorithm. */
struct product_way {
    char matrices[512];
    char steps[768];
    char note[96]; /**< the order of the pairwise products, `(A B) C` */
};

/** Zero-initialise before use. */
struct product_ways {
    int count;
    struct product_way *of; /**< ways; owned */
};

/**
 * Finds the ways to compute a product.
 *
 * @param out receives at least one way; free with product_ways_free() whatever is returned
 * @param matrices   declarations as in text.h, including the result
 * @param statement  the product
 * @param place      receives the text to which the error's column refers
 * @return TCPLAN_OK; TCPLAN_INVALID with a column: malformed, sizes do not agree, or no routines
 *     compute the product; TCPLAN_NO_MEMORY
 */
enum tcplan_status product_ways_find(struct product_ways *out, const char *matrices,
                                     const char *statement, enum tcplan_dtype dtype,
                                     enum blocked_place *place, struct tcplan_error *error);

void product_ways_free(struct product_ways *ways);

#endif
