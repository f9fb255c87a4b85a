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

/** How a vector comes from a tensor. */
enum cut_way {
    CUT_SAME,     /**< one element for all */
    CUT_STRAIGHT, /**< it lies there */
    CUT_TURNED,   /**< vectors along the columns lie there: square blocks of them are turned */
    CUT_SCATTERED /**< element by element */
};

/** Whether vectors lie along a loop that is summed over. */
bool cut_is_summed(const struct emitted_loops *loops, const struct emitted_cut *cut);

/** Products in an element of the result. */
int64_t cut_sums(const struct emitted_loops *loops);

/** The factor of which vectors are read in any case: 0 or 1. */
int cut_first_factor(const struct emitted_loops *loops, const struct emitted_cut *cut);

/** How `elems` elements come from a tensor (0, 1: a factor; 2: the result), in a tile of some
 * columns; a whole vector has `whole`. */
enum cut_way cut_way_of(const struct emitted_loops *loops, const struct emitted_cut *cut, int part,
                        int elems, int whole, int columns);

/** Vectors of `whole` elements, then shorter ones, for `count` elements, at most
 * EMITTED_MAX_VECTORS whole vectors; returns how many. */
int cut_pieces(int out[CUT_PIECES], int64_t count, int whole);

/** Tiles of loops that may be about as good as the one that is chosen, by the count of their
 * instructions. */
struct emitted_tiles emitted_loops_tiles(const struct emitted_loops *loops, enum emitted_set set);

#endif
