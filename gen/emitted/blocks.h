/**
 * The blocks and the order of indices of products whose factors are packed, see
 * gen/emitted/general.c.
 */
#ifndef GEN_EMITTED_BLOCKS_H
#define GEN_EMITTED_BLOCKS_H

#include "gen/emitted/emitted.h"

/** The dimensions of a product; each may be several fused indices. */
enum { ROLE_ROWS, ROLE_COLUMNS, ROLE_CONTRACTED, ROLES };

enum {
    BLOCKS_ROUND = 4, /**< products between two prefetches; the loop over them is unrolled */
    BLOCKS_MOST_COLUMNS =
        2048, /**< maximum number of columns in a block; their tables are on the stack */
    BLOCKS_NEAR_BYTES = 160 << 10, /**< maximum number of bytes of a packed block of B on the stack:
                                      a part of a small L2 cache */
    BLOCKS_KEPT_BYTES = 128 << 10, /**< maximum number of bytes of a packed A that is kept for all
                                      columns: a part of the L2 cache */
    BLOCKS_FAR_BYTES = 2 << 20     /**< maximum number of bytes of a packed block of B in allocated
                                      memory: a part of the last cache */
};

/** Returns the size of a panel of A. */
int blocks_panel_bytes(enum emitted_set set);

/** Returns a / b, rounded up. */
int64_t blocks_divide_up(int64_t a, int64_t b);

/** Divides `all` into equal parts, as few as possible, of at most `most`; returns their length,
 * rounded up. */
int64_t blocks_even_part(int64_t all, int64_t most);

/**
 * Returns the number of columns in a block: a multiple of `width` that takes at most `bytes` bytes,
 * chosen so that the blocks of the n columns are about equally wide.
 *
 * @param width         columns of a tile
 * @param column_bytes  bytes of one column, for a part of k
 */
int64_t blocks_columns(int64_t n, int64_t width, int64_t column_bytes, int64_t bytes);

/** Returns whether a role has several fused indices that are not contiguous with each other. */
bool blocks_is_split(const struct emitted_gemm *gemm, int role);

/** Returns the product with its fused indices in the memory order of A, because A is read once for
 * each block of B. If A is contiguous along k, rows have the order of the result. If only B is
 * contiguous along k, k has the order of B. */
struct emitted_gemm blocks_in_order(const struct emitted_gemm *gemm);

/**
 * Divides k for two factors that are contiguous along different indices of k. A part of k is then
 * a block of both indices, so that both factors are read in whole cache lines. Returns the length
 * of a part, at most `most`; 0: k is not divided.
 */
int64_t blocks_cut_contracted(struct emitted_gemm *gemm, int64_t most, int round);

#endif
