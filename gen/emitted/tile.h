/**
 * How a product is cut into tiles.
 */
#ifndef GEN_EMITTED_TILE_H
#define GEN_EMITTED_TILE_H

#include "gen/emitted/emitted.h"

enum { EMITTED_LATENCY = 4 }; /* cycles: of a product that is added to the one before */

enum {
    EMITTED_MAX_VECTORS = TCPLAN_MAX_VECTORS, /* of rows of a tile */
    EMITTED_MAX_PIECES = 10, /* these, or rows that are left in vectors of 8, 4, 2 and 1 */
    EMITTED_ROW_BLOCKS = 4   /* whole ones; vectors that are left; shorter ones that are left; one
                                that is always empty */
};

/** Blocks of rows that are alike, one behind the other. */
struct emitted_rows {
    int count;                     /**< of blocks */
    int rows;                      /**< of each, which are vectors of */
    int elems[EMITTED_MAX_PIECES]; /**< so many elements */
    int pieces;
};

/** The rows of C in blocks, from the first on; returns how many kinds there are. */
int emitted_split_rows(struct emitted_rows out[EMITTED_ROW_BLOCKS], const struct emitted_gemm *gemm,
                       enum emitted_set set, const struct emitted_tile *tile);

/** Returns whether both factors are packed, see gen/emitted/packed.c: k is long, or neither rows
 * nor columns of the result are contiguous and it is not written line by line. */
bool emitted_packs(const struct emitted_gemm *gemm);

/** Returns whether rows and columns are exchanged, so that vectors run along the contiguous or
 * the longer dimension of the result. */
bool emitted_turns(const struct emitted_gemm *gemm);

/** The same product, rows and columns exchanged. */
struct emitted_gemm emitted_transposed(const struct emitted_gemm *gemm);

/** Such a kernel for one instruction set. */
struct emitted_packed {
    const struct emitted_gemm *gemm; /**< exchanged already */
    enum emitted_set set;
};

/** Appends the function NAME_SET, and those that it calls. */
void emitted_add_packed(struct strbuf *out, const char *name, const struct emitted_packed *packed);

/** Whether the result, turned or not, is streamed from registers, line by line, see
 * gen/emitted/lines.c: its columns are lines, or lie alike to them. */
bool emitted_goes_by_lines(const struct emitted_gemm *gemm);

/** Appends the function NAME_SET and its helpers for a product that is written line by line. */
void emitted_add_lines(struct strbuf *out, const char *name, const struct emitted_packed *lines);

/** Cycles of a product in cache, roughly. */
double emitted_estimate(const struct emitted_gemm *gemm, enum emitted_set set,
                        const struct emitted_tile *tile);

enum { EMITTED_TILES = 2 };

/** Tiles of a kernel that may be about as good as the one that is chosen, the best first. */
struct emitted_tiles {
    int count;
    struct tcplan_register_tile tile[EMITTED_TILES];
    double cycles[EMITTED_TILES];
};

/** Takes a tile into account of so many cycles, where the chosen one takes `chosen`. */
void emitted_tiles_add(struct emitted_tiles *tiles, struct tcplan_register_tile tile, double cycles,
                       double chosen);

/** Those of a product, by the count of its instructions; none where both factors are packed. */
struct emitted_tiles emitted_gemm_tiles(const struct emitted_gemm *gemm, enum emitted_set set);

/** Vectors that an instruction set has registers for. */
int emitted_registers(enum emitted_set set);

/** Real numbers in an element; elements in a vector, at least 1. */
int emitted_reals(enum tcplan_dtype dtype);
int emitted_vector_elems(enum tcplan_dtype dtype, enum emitted_set set);

#endif
