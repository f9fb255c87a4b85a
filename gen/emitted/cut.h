/** Divides loops into tiles. */
#ifndef GEN_EMITTED_CUT_H
#define GEN_EMITTED_CUT_H

#include "gen/emitted/loops.h"
#include "gen/emitted/tile.h"

enum {
    CUT_PIECES = EMITTED_MAX_VECTORS + 5
}; /* whole vectors, and masked or shorter ones for the remainder */

/** How a vector of a tile is loaded from a factor. */
enum cut_way {
    CUT_SAME,     /**< one element, repeated */
    CUT_STRAIGHT, /**< elements that are contiguous in memory */
    CUT_TURNED,   /**< contiguous along the columns of the tile: square blocks are loaded and
                     transposed */
    CUT_SCATTERED /**< elements that are loaded one at a time */
};

/** Returns whether vectors run along a summed loop. */
bool cut_is_summed(const struct emitted_loops *loops, const struct emitted_cut *cut);

/** Returns how many products are summed for an element of the result. */
int64_t cut_sums(const struct emitted_loops *loops);

/** Returns the factor that is always read as vectors: 0 or 1. */
int cut_first_factor(const struct emitted_loops *loops, const struct emitted_cut *cut);

/** Returns how `elems` elements of a column are loaded from (part 0, 1: a factor) or stored to (2:
 * the result) a tensor. A whole vector has `whole` elements. */
enum cut_way cut_way_of(const struct emitted_loops *loops, const struct emitted_cut *cut, int part,
                        int elems, int whole, int columns);

/** Divides `count` elements into whole vectors, at most EMITTED_MAX_VECTORS, then a masked or
 * shorter ones; returns their number. */
int cut_pieces(int out[CUT_PIECES], const struct emitted_loops *loops, enum emitted_set set,
               int64_t count);

/** Returns the tiles that an instruction count estimates to be about as fast as the chosen one. */
struct emitted_tiles emitted_loops_tiles(const struct emitted_loops *loops, enum emitted_set set);

#endif
