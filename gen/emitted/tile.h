/**
 * How a product is cut into tiles.
 */
#ifndef GEN_EMITTED_TILE_H
#define GEN_EMITTED_TILE_H

#include "gen/emitted/emitted.h"

enum { EMITTED_LATENCY = 4 }; /* cycles of a product that waits for the previous one */

enum {
    EMITTED_MAX_VECTORS = TCPLAN_MAX_VECTORS, /* vectors of rows of a tile */
    EMITTED_MAX_PIECES = 10, /* these, or the remaining rows in vectors of 8, 4, 2 and 1 elements */
    EMITTED_ROW_BLOCKS = 4   /* blocks of whole tiles; of the remaining vectors; of the remaining
                                shorter ones; and an empty last one */
};

/** Consecutive, equal blocks of rows. */
struct emitted_rows {
    int count;                     /**< number of blocks */
    int rows;                      /**< vectors of each block */
    int elems[EMITTED_MAX_PIECES]; /**< elements of each vector */
    int pieces;
};

/** Divides the rows of C into blocks, from the first row on; returns how many kinds there are. */
int emitted_split_rows(struct emitted_rows out[EMITTED_ROW_BLOCKS], const struct emitted_gemm *gemm,
                       enum emitted_set set, const struct emitted_tile *tile);

/** Returns whether both factors are packed, see gen/emitted/packed.c: k is long, or neither rows
 * nor columns of the result are contiguous and it is not written line by line. */
bool emitted_packs(const struct emitted_gemm *gemm);

/** Returns whether rows and columns are exchanged, so that vectors run along the contiguous or
 * the longer dimension of the result. */
bool emitted_turns(const struct emitted_gemm *gemm);

/** Returns the same product with rows and columns exchanged. */
struct emitted_gemm emitted_transposed(const struct emitted_gemm *gemm);

/** The kernel of a product for one instruction set. */
struct emitted_packed {
    const struct emitted_gemm *gemm; /**< with rows and columns already exchanged */
    enum emitted_set set;
};

/** Appends the function NAME_SET and its helpers. */
void emitted_add_packed(struct strbuf *out, const char *name, const struct emitted_packed *packed);

/** Returns whether the result, transposed or not, is written line by line by non-temporal stores
 * from registers, see gen/emitted/lines.c: its columns are lines, or are aligned alike. */
bool emitted_goes_by_lines(const struct emitted_gemm *gemm);

/** Appends the function NAME_SET and its helpers for a product that is written line by line. */
void emitted_add_lines(struct strbuf *out, const char *name, const struct emitted_packed *lines);

/** Returns the approximate cycles of a product with operands in cache. */
double emitted_estimate(const struct emitted_gemm *gemm, enum emitted_set set,
                        const struct emitted_tile *tile);

enum { EMITTED_TILES = 2 };

/** Tiles of a kernel that may be about as good as the chosen one, the best first. */
struct emitted_tiles {
    int count;
    struct tcplan_register_tile tile[EMITTED_TILES];
    double cycles[EMITTED_TILES];
};

/**
 * Adds a tile with so many cycles if it is about as good as the chosen one, with `chosen` cycles.
 */
void emitted_tiles_add(struct emitted_tiles *tiles, struct tcplan_register_tile tile, double cycles,
                       double chosen);

/** Returns such tiles of a product by instruction count; none if both factors are packed. */
struct emitted_tiles emitted_gemm_tiles(const struct emitted_gemm *gemm, enum emitted_set set);

/** Returns the number of vector registers of an instruction set. */
int emitted_registers(enum emitted_set set);

/** Return the real numbers in an element, and the elements in a vector, at least 1. */
int emitted_reals(enum tcplan_dtype dtype);
int emitted_vector_elems(enum tcplan_dtype dtype, enum emitted_set set);

#endif
