/*
 * Products of matrices with extents and strides as arguments: the arguments of a kernel, and the
 * places of indices in memory. Places and strides count numbers: a complex element has two.
 */
#ifndef KERNEL_GENERAL_H
#define KERNEL_GENERAL_H

#include <stddef.h>

enum { KERNEL_PIECES = 24 };

/* The rows, columns or contracted indices: one index, or several fused ones, innermost first. */
struct kernel_role {
    int count;
    ptrdiff_t extent[KERNEL_PIECES];
    ptrdiff_t stride[2][KERNEL_PIECES]; /* places in the two operands with the role */
};

/* c := alpha a b + beta c. */
struct kernel_gemm {
    ptrdiff_t m, n, k;
    struct kernel_role rows;       /* rows, in a and c */
    struct kernel_role columns;    /* columns, in b and c */
    struct kernel_role contracted; /* contracted indices, in a and b */
    double alpha[2], beta[2];      /* real and imaginary parts */
    double sign[2];                /* sign of the imaginary parts of a and b: -1 if conjugated */
    int vectors, tile_columns;     /* vectors and columns of a tile, at most those of the kernel */
    ptrdiff_t panel_rows;          /* rows packed or read in place at once: whole tiles */
    ptrdiff_t block_k;             /* contracted indices packed at once */
    ptrdiff_t block_columns;       /* columns packed at once: whole tiles */
    ptrdiff_t near_columns; /* the same if no memory can be allocated; block_columns if none is
                               needed */
    int in_place;           /* tiles read a in place if its rows are contiguous */
    int by_rows;            /* contracted indices are closer to each other in a than rows */
};

/* Sets the places of `count` indices of a role in an operand, from index `first` on. */
__attribute__((unused)) static void kernel_places(ptrdiff_t *to, const struct kernel_role *role,
                                                  int operand, ptrdiff_t first, ptrdiff_t count) {
    const ptrdiff_t *stride = role->stride[operand];
    ptrdiff_t at[KERNEL_PIECES], base = 0;
    for (int d = 0; d < role->count; d++) {
        at[d] = d + 1 < role->count ? first % role->extent[d] : first;
        first = d + 1 < role->count ? first / role->extent[d] : 0;
        base += at[d] * stride[d];
    }
    while (count > 0) {
        const ptrdiff_t left = role->extent[0] - at[0];
        const ptrdiff_t run = left < count ? left : count;
        for (ptrdiff_t x = 0; x < run; x++) to[x] = base + stride[0] * x;
        to += run;
        count -= run;
        at[0] += run;
        base += stride[0] * run;
        for (int d = 0; d + 1 < role->count && at[d] == role->extent[d]; d++) {
            base += stride[d + 1] - stride[d] * role->extent[d];
            at[d] = 0;
            at[d + 1]++;
        }
    }
}

/* Returns the place of one index. */
__attribute__((unused)) static inline ptrdiff_t kernel_place(const struct kernel_role *role,
                                                             int operand, ptrdiff_t index) {
    const ptrdiff_t *stride = role->stride[operand];
    ptrdiff_t place = 0;
    for (int d = 0; d + 1 < role->count; d++, stride++) {
        place += index % role->extent[d] * *stride;
        index /= role->extent[d];
    }
    return place + index * *stride;
}

/* Whether the rows of a tile from index `first` on are all within the innermost index. */
__attribute__((unused)) static int kernel_is_run(const struct kernel_role *role, ptrdiff_t first,
                                                 ptrdiff_t rows) {
    return role->count == 1 || first % role->extent[0] + rows <= role->extent[0];
}

#endif
