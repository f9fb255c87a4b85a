/**
 * How a product is cut into tiles.
 */
#ifndef GEN_EMITTED_TILE_H
#define GEN_EMITTED_TILE_H

#include "gen/emitted/emitted.h"

enum {
    EMITTED_MAX_VECTORS = 6, /* of rows of a tile */
    EMITTED_MAX_PIECES = 10, /* these, or rows that are left in vectors of 8, 4, 2 and 1 */
    EMITTED_ROW_BLOCKS = 4   /* whole ones; vectors that are left; shorter ones that are left; one that is always empty */
};

/** Blocks of rows that are alike, one behind the other. */
struct emitted_rows {
    int count;                     /**< of blocks */
    int rows;                      /**< of each, which are vectors of */
    int elems[EMITTED_MAX_PIECES]; /**< so many elements */
    int pieces;
};

/** The rows of C in blocks, from the first on; returns how many kinds there are. */
int emitted_split_rows(struct emitted_rows out[EMITTED_ROW_BLOCKS], const struct emitted_gemm *gemm, enum emitted_set set,
                       const struct emitted_tile *tile);

/** Cycles of a product in cache, roughly. */
double emitted_estimate(const struct emitted_gemm *gemm, enum emitted_set set, const struct emitted_tile *tile);

/** Real numbers in an element; elements in a vector, at least 1. */
int emitted_reals(enum tcplan_dtype dtype);
int emitted_vector_elems(enum tcplan_dtype dtype, enum emitted_set set);

#endif
