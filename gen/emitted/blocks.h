/**
 * The blocks and the order of indices of packed kernels, whether their extents are fixed
 * (gen/emitted/packed.c) or arguments (gen/emitted/general.c).
 */
#ifndef GEN_EMITTED_BLOCKS_H
#define GEN_EMITTED_BLOCKS_H

#include "gen/emitted/emitted.h"

/** The dimensions of a product; each may be several fused indices. */
enum { ROLE_ROWS, ROLE_COLUMNS, ROLE_CONTRACTED, ROLES };

enum {
    BLOCKS_ROUND = 4,           /**< products between two prefetches, which are unrolled */
    BLOCKS_MOST_COLUMNS = 2048, /**< columns of a block, whose tables are on the stack */
    BLOCKS_NEAR_BYTES =
        160 << 10, /**< bytes of a block of B on the stack: a part of a small second cache */
    BLOCKS_FAR_BYTES =
        2 << 20 /**< bytes of a block of B in allocated memory: a part of the last cache */
};

/** Returns the size of a panel of A. */
int blocks_panel_bytes(enum emitted_set set);

/** Returns a / b, rounded up. */
int64_t blocks_divide_up(int64_t a, int64_t b);

/** Returns the length of equal parts of `all`, rounded up: as long as possible, but at most `most`.
 */
int64_t blocks_even_part(int64_t all, int64_t most);

/**
 * Returns how many of n columns fit in a block of so many bytes: whole tiles, in blocks of equal
 * size.
 *
 * @param width         columns of a tile
 * @param column_bytes  bytes of the part of k in a column
 */
int64_t blocks_columns(int64_t n, int64_t width, int64_t column_bytes, int64_t bytes);

/** Returns whether a role consists of several indices that are not contiguous. */
bool blocks_is_split(const struct emitted_gemm *gemm, int role);

/** Returns the product with its indices in the memory order of A, which is read once for each
 * block; rows are ordered as in the result if A is read along k. */
struct emitted_gemm blocks_in_order(const struct emitted_gemm *gemm);

/**
 * Splits k if one of the factors is contiguous along another index of k than the other factor: a
 * part of k is then a block of both indices, so that whole lines of either factor are used. In A's
 * order alone, every element of B would need another line. Returns the length of such a part, at
 * most `most`; 0: k is not split.
 */
int64_t blocks_cut_contracted(struct emitted_gemm *gemm, int64_t most, int round);

#endif
