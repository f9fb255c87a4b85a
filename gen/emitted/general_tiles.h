/** Tiles that read both factors in place, or small copies of them: see gen/runtime/general.h. */
#ifndef GEN_EMITTED_GENERAL_TILES_H
#define GEN_EMITTED_GENERAL_TILES_H

#include "gen/emitted/emitted.h"
#include "gen/emitted/loops.h"
#include "gen/runtime/general.h"

/** Return the most vectors and columns of a tile, so that its sums fit in registers.
 * @param columns  all columns of the product */
int general_tiles_most_vectors(enum kernel_tile_way way, int64_t columns);
int general_tiles_most_columns(enum tcplan_dtype dtype, enum emitted_set set,
                               enum kernel_tile_way way, int vectors);

/**
 * Appends the kernel of a type, `void NAME(const struct kernel_tiles *, const T *a, const T *b, T
 * *c)`, and its helpers.
 * @param loops  name of the kernel of loops with the same type, before it in the file
 */
void general_add_tiles(struct strbuf *out, const char *name, const char *loops,
                       enum tcplan_dtype dtype, enum emitted_set set);

/** Returns the loops of a product; count is 0 if it has too many indices. */
struct emitted_loops general_tiles_loops(const struct emitted_gemm *gemm);

/**
 * Lays out tiles for simplified loops. Returns false if the result is not contiguous along a loop,
 * or the factors are too large to be read in place.
 *
 * @param exchanged  receives whether the caller must pass the factors in reverse order
 * @param set        becomes one with shorter vectors if the loop along them is short
 */
bool general_tiles_of(struct kernel_tiles *out, bool *exchanged, enum emitted_set *set,
                      const struct emitted_loops *loops);

/** Returns the loop along which a tensor is contiguous; -1: there is none. */
int general_contiguous_loop(const struct emitted_loops *loops, int part);

/** Returns loops with exchanged factors. */
struct emitted_loops general_exchanged(const struct emitted_loops *loops);

#endif
