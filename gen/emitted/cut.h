/**
 * How loops are cut into tiles.
 */
#ifndef GEN_EMITTED_CUT_H
#define GEN_EMITTED_CUT_H

#include "gen/emitted/loops.h"
#include "gen/emitted/tile.h"

enum {
    CUT_PIECES = EMITTED_MAX_VECTORS + 5
}; /* whole vectors, and shorter ones of 16 down to 1 for the remainder */

/** How a vector of a tile is loaded from a tensor. */
enum cut_way {
    CUT_SAME,     /**< one element, repeated */
    CUT_STRAIGHT, /**< elements that are contiguous in memory */
    CUT_TURNED, /**< vectors along the columns are contiguous: square blocks of them are transposed
                 */
    CUT_SCATTERED /**< elements that are loaded one at a time */
};

/** Returns whether vectors run along a summed loop. */
bool cut_is_summed(const struct emitted_loops *loops, const struct emitted_cut *cut);

/** Returns the number of products in an element of the result. */
int64_t cut_sums(const struct emitted_loops *loops);

/** Returns the factor that is always read as vectors: 0 or 1. */
int cut_first_factor(const struct emitted_loops *loops, const struct emitted_cut *cut);

/** Returns how `elems` elements are loaded from or stored to a tensor (0, 1: a factor; 2: the
 * result) in a tile of some columns; a whole vector has `whole` elements. */
enum cut_way cut_way_of(const struct emitted_loops *loops, const struct emitted_cut *cut, int part,
                        int elems, int whole, int columns);

/** Divides `count` elements into vectors of `whole` elements, at most EMITTED_MAX_VECTORS, then
 * shorter ones; returns how many. */
int cut_pieces(int out[CUT_PIECES], int64_t count, int whole);

/** Returns tiles of loops that an instruction count rates about as good as the chosen one. */
struct emitted_tiles emitted_loops_tiles(const struct emitted_loops *loops, enum emitted_set set);

#endif
