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

enum { KERNEL_LOOPS = 12 };

/* How vectors come from a factor. */
enum kernel_way {
    KERNEL_STRAIGHT,   /* they lie along the first loop */
    KERNEL_SAME,       /* one element of b for all */
    KERNEL_TRANSPOSED, /* they lie along the second loop: blocks are transposed */
    KERNEL_GATHERED    /* element by element */
};

/* c := alpha a b + beta c over some loops: c is contiguous along the first; the second is that
 * along which a transposed factor lies, or summed over; then those of the result, then those that
 * are summed over. */
struct kernel_loops {
    int results, count;
    ptrdiff_t extent[KERNEL_LOOPS];
    ptrdiff_t stride[KERNEL_LOOPS][3];
    ptrdiff_t offset[3];
    double alpha[2], beta[2]; /* real and imaginary parts */
    double sign[2];           /* of the imaginary parts of a and b: -1 if conjugated */
    enum kernel_way way[2];   /* of a and b */
    int streamed;             /* whole lines of c go past the caches unless it is read */
    int sums;                 /* whether anything is summed over, */
    int sums_second;          /* and whether that is the second loop */
};

/* Goes on to the next values of some loops, from the first to before the last; returns 0 behind
 * the last ones. */
__attribute__((unused)) static int kernel_next(ptrdiff_t at[KERNEL_LOOPS], ptrdiff_t place[3],
                                               const struct kernel_loops *loops, int first,
                                               int last) {
    for (int l = first; l < last; l++) {
        const int is_over = ++at[l] == loops->extent[l];
        for (int p = 0; p < 3; p++)
            place[p] += loops->stride[l][p] * (is_over ? 1 - loops->extent[l] : 1);
        if (!is_over) return 1;
        at[l] = 0;
    }
    return 0;
}

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
