/** How a product is divided into register tiles. */
#ifndef GEN_EMITTED_TILE_H
#define GEN_EMITTED_TILE_H

#include "gen/emitted/emitted.h"

enum { EMITTED_LATENCY = 4 }; /* latency of a product-and-add, in cycles */

enum {
    EMITTED_MAX_VECTORS = TCPLAN_MAX_VECTORS, /* maximum number of vectors in a column of a tile */
    EMITTED_MAX_PIECES = 10, /* whole vectors, and masked or shorter ones for the remaining rows */
    EMITTED_ROW_BLOCKS = 4   /* whole tiles; remaining whole vectors; remaining elements; an empty
                                entry at the end */
};

/** Consecutive blocks of rows with the same vectors. */
struct emitted_rows {
    int count;                     /**< number of blocks */
    int rows;                      /**< vectors in each block */
    int elems[EMITTED_MAX_PIECES]; /**< elements in each vector */
    int pieces;
};

/** Divides the rows of C into blocks, first to last; returns how many entries of `out` are used. */
int emitted_split_rows(struct emitted_rows out[EMITTED_ROW_BLOCKS], const struct emitted_gemm *gemm,
                       enum emitted_set set, const struct emitted_tile *tile);

/** Returns whether an instruction set has masks that load and store a part of a vector. */
bool emitted_masks(enum emitted_set set);

/** Divides `rest` elements, fewer than a vector has, into the elements of one masked vector, or of
 * shorter and shorter vectors; returns their number. */
int emitted_split_rest(int out[], int rest, int vector_elems, bool masks);

/** Returns whether both factors are packed, see gen/emitted/packed.c: k is long, or neither rows
 * nor columns of the result are contiguous and it is not written line by line. */
bool emitted_packs(const struct emitted_gemm *gemm);

/** Returns whether rows and columns are exchanged, so that vectors run along the contiguous or
 * the longer dimension of the result. */
bool emitted_turns(const struct emitted_gemm *gemm);

/** Returns a product with rows and columns exchanged. */
struct emitted_gemm emitted_transposed(const struct emitted_gemm *gemm);

/** A kernel that packs both factors, for one instruction set. */
struct emitted_packed {
    const struct emitted_gemm *gemm; /**< product with rows and columns already exchanged */
    enum emitted_set set;
};

/** Appends the function NAME_SET of a packed kernel, and its helpers. */
void emitted_add_packed(struct strbuf *out, const char *name, const struct emitted_packed *packed);

/** Returns whether the result, transposed or not, is written line by line by non-temporal stores
 * from registers, see gen/emitted/lines.c: its columns are lines, or are aligned alike. */
bool emitted_goes_by_lines(const struct emitted_gemm *gemm);

/** Appends the function NAME_SET and its helpers for a product that is written line by line. */
void emitted_add_lines(struct strbuf *out, const char *name, const struct emitted_packed *lines);

/** Returns whether a kernel transposes tiles in registers, see gen/emitted/transposing.c: the
 * product is written by non-temporal stores, and different indices of its rows, or with 2 of its
 * columns, are contiguous in the result and in the factor. 0: no. */
int emitted_transposes(const struct emitted_gemm *gemm);

/** Appends the function NAME_SET and its helpers for a product whose tiles are transposed. */
void emitted_add_transposing(struct strbuf *out, const char *name,
                             const struct emitted_packed *product);

/** Returns the approximate cycles of a product with operands in cache. */
double emitted_estimate(const struct emitted_gemm *gemm, enum emitted_set set,
                        const struct emitted_tile *tile);

enum { EMITTED_TILES = 2 };

/** Register tiles that may be about as fast as the chosen one, fastest first: of a gemm, at most
 * one of each number of vectors. */
struct emitted_tiles {
    int count;
    struct tcplan_register_tile tile[EMITTED_TILES];
    double cycles[EMITTED_TILES];
};

/** Adds a tile with `cycles` to the list, unless these are more than `most`. */
void emitted_tiles_add(struct emitted_tiles *tiles, struct tcplan_register_tile tile, double cycles,
                       double most);

/** Returns the tiles that an instruction count estimates to be about as fast as the chosen one;
 * none if both factors are packed. */
struct emitted_tiles emitted_gemm_tiles(const struct emitted_gemm *gemm, enum emitted_set set);

/** Returns the number of vector registers of an instruction set. */
int emitted_registers(enum emitted_set set);

/** Return how many real numbers an element has, and how many elements a vector has, at least 1. */
int emitted_reals(enum tcplan_dtype dtype);
int emitted_vector_elems(enum tcplan_dtype dtype, enum emitted_set set);

#endif
