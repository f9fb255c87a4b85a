/*
 * Products of matrices whose factors are packed: types of the arguments, and offsets of indices in
 * memory. Offsets and strides count real numbers: a complex element has two.
 */
#ifndef KERNEL_PRODUCTS_H
#define KERNEL_PRODUCTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { KERNEL_PIECES = 24 };

/* Rows, columns or contracted indices of a product: one index, or several fused ones, innermost
 * first. */
struct kernel_role {
    int count;
    ptrdiff_t extent[KERNEL_PIECES];
    ptrdiff_t stride[2][KERNEL_PIECES]; /* strides in the two operands with the role */
};

/* Arguments of a product c := alpha a b + beta c. */
struct kernel_gemm {
    ptrdiff_t m, n, k;
    struct kernel_role rows;       /* rows of a and c */
    struct kernel_role columns;    /* columns of b and c */
    struct kernel_role contracted; /* contracted indices of a and b */
    double alpha[2], beta[2];      /* real and imaginary parts */
    double sign[2];                /* sign of the imaginary parts of a and b: -1 if conjugated */
    ptrdiff_t apart[2]; /* distance of contracted indices that are neighbours in memory of a and b;
                           0: none are */
    int vectors, tile_columns; /* vectors and columns of a tile, at most the kernel's largest */
    ptrdiff_t panel_rows;      /* rows that are packed, or read in place, at once: whole tiles */
    ptrdiff_t block_k;         /* contracted indices that are packed at once */
    ptrdiff_t block_columns;   /* columns that are packed at once: whole tiles */
    ptrdiff_t near_columns;    /* columns packed at once if no memory can be allocated; equal to
                                  block_columns if none is needed */
    int keeps;                 /* whether all of a is packed once: a panel has all rows */
    int in_place;              /* whether tiles read a in place if its rows are contiguous */
    int by_rows; /* whether a has smaller strides along contracted indices than along rows */
};

/* Memory that kernels used last, for the next call: the first access to a fresh page takes long. It
 * begins with its size. Kernels that are loaded separately may share it. */
static void *kernel_own_spare;
__attribute__((unused)) static void **kernel_spare = &kernel_own_spare;

/* Returns memory for at least `bytes`, after a size; NULL if there is none. */
__attribute__((unused)) static void *kernel_take_memory(size_t bytes) {
    size_t *memory = (size_t *)__atomic_exchange_n(kernel_spare, NULL, __ATOMIC_ACQ_REL);
    if (memory && memory[0] >= bytes) return memory;
    free(memory);
    memory = (size_t *)malloc(sizeof *memory + bytes);
    if (memory) memory[0] = bytes;
    return memory;
}

__attribute__((unused)) static void kernel_return_memory(void *memory) {
    if (memory) free(__atomic_exchange_n(kernel_spare, memory, __ATOMIC_ACQ_REL));
}

/* Runs when the program ends or the library is unloaded. */
__attribute__((destructor)) static void kernel_release_memory(void) {
    free(__atomic_exchange_n(&kernel_own_spare, NULL, __ATOMIC_ACQ_REL));
}

/* Computes the offsets of `count` indices of a role in an operand, from index `first` on. */
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

/* Returns the offset of one index of a role in an operand. */
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

/* Returns whether places have equal distances. */
__attribute__((unused)) static int kernel_is_even(const ptrdiff_t *place, ptrdiff_t count,
                                                  ptrdiff_t distance) {
    for (ptrdiff_t x = 1; x < count; x++) {
        if (place[x] != place[0] + distance * x) return 0;
    }
    return 1;
}

/* Determines for each vector of `elems` contracted indices, which are `apart` from each other,
 * whether it is contiguous. */
__attribute__((unused)) static void kernel_runs(unsigned char *is_run, const ptrdiff_t *place,
                                                ptrdiff_t k, ptrdiff_t apart, ptrdiff_t elems,
                                                ptrdiff_t parts) {
    for (ptrdiff_t p = 0; apart > 0 && p + elems * apart <= k; p += elems * apart) {
        for (ptrdiff_t x = p; x < p + apart; x++, is_run++) {
            *is_run = 1;
            for (ptrdiff_t e = 1; e < elems; e++) {
                if (place[x + apart * e] != place[x] + parts * e) *is_run = 0;
            }
        }
    }
}

/* Returns whether the rows of a tile from index `first` on have equal distances, because they are
 * within the innermost index. */
__attribute__((unused)) static int kernel_is_run(const struct kernel_role *role, ptrdiff_t first,
                                                 ptrdiff_t rows) {
    return role->count == 1 || first % role->extent[0] + rows <= role->extent[0];
}

#endif
