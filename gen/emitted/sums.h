/**
 * C for the sums of a tile: vectors of rows of A times elements of B, one column of A after the
 * other. The sums stay in registers.
 */
#ifndef GEN_EMITTED_SUMS_H
#define GEN_EMITTED_SUMS_H

#include "gen/emitted/numbers.h"

/** A tile of a product. In its function, `a` and `b` are the addresses of its rows of A and of its
 * columns of B. */
struct emitted_sums {
    const struct emitted_gemm *gemm;
    struct emitted_numbers numbers;
    int vectors;          /**< number of vectors in a column of the tile */
    const int *elems;     /**< elements in each vector */
    const int64_t *place; /**< offset of each vector in a column of A, in elements */
    int64_t step;         /**< stride between columns of A, in elements */
    int columns;
    int unroll; /**< products per iteration of the loop over k */
};

/** Emits the declarations of the sums and the loop that adds products; `cV_C` is the sum for vector
 * V and column C. */
void emitted_add_sums(struct strbuf *out, const struct emitted_sums *sums);

/** Adds `kernel_d4 c0_0 = {0}, c1_0 = {0};`: the sums of a tile of packed factors, `vectors` for
 * each of `columns` columns. Each part of a complex number of B counts as a column. */
void emitted_add_packed_sums(struct strbuf *out, const struct emitted_numbers *numbers,
                             const char *indent, int elems, int vectors, int columns);

/** Emits the statements that add the products of a column of A (vectors at `a`) and a row of B
 * (numbers at `b`) to the sums of emitted_add_packed_sums(). */
void emitted_add_packed_products(struct strbuf *out, const struct emitted_numbers *numbers,
                                 const char *indent, int elems, int vectors, int columns);

/** Prints `c0_1 * re + KERNEL_SWAP_d4(c0_1) * {-im, im}`: a vector, given by name and number, times
 * a complex factor. */
void emitted_add_times(struct strbuf *out, const struct emitted_numbers *numbers, int elems,
                       struct tcplan_scalar factor, const char *name, int number);

#endif
