/**
 * The sums of a tile as C: vectors of rows of A times elements of B, column by column of A, which
 * stay in registers.
 */
#ifndef GEN_EMITTED_SUMS_H
#define GEN_EMITTED_SUMS_H

#include "gen/emitted/numbers.h"

/** A tile, whose function has `a` and `b` where its rows of A and its columns of B begin. */
struct emitted_sums {
    const struct emitted_gemm *gemm;
    struct emitted_numbers numbers;
    int vectors;          /**< of rows */
    const int *elems;     /**< in each of them */
    const int64_t *place; /**< where each begins in a column of A, in elements */
    int64_t step;         /**< from one column of A to the next */
    int columns;
    int unroll; /**< products in one round of the loop over k */
};

/** Their declarations, and the loop that adds to them: `cV_C` is that of vector V and column C. */
void emitted_add_sums(struct strbuf *out, const struct emitted_sums *sums);

/** `kernel_d4 c0_0 = {0}, c1_0 = {0};`: the sums of a tile of packed factors, of so many vectors
 * and columns; the parts of a complex number of B are columns. */
void emitted_add_packed_sums(struct strbuf *out, const struct emitted_numbers *numbers, int elems,
                             int vectors, int columns);

/** The products of a column of A, vectors at `a`, and a row of B, numbers at `b`, added to these.
 */
void emitted_add_packed_products(struct strbuf *out, const struct emitted_numbers *numbers,
                                 int elems, int vectors, int columns);

/** `c0_1 * re + KERNEL_SWAP_d4(c0_1) * {-im, im}`: a vector, called by a name and a number, times a
 * factor. */
void emitted_add_times(struct strbuf *out, const struct emitted_numbers *numbers, int elems,
                       struct tcplan_scalar factor, const char *name, int number);

#endif
