/**
 * Emits one function for each tile shape of a loop kernel: `NAME_SET_ELEMSxCOLUMNS(a, b, c)`
 * computes and writes a tile's elements, and contains the loops over summed indices.
 */
#ifndef GEN_EMITTED_LOOPS_TILE_H
#define GEN_EMITTED_LOOPS_TILE_H

#include "gen/emitted/cut.h"
#include "gen/emitted/numbers.h"

enum { LOOPS_LONG_BYTES = 4096 /* steps too long for hardware prefetchers */ };

extern const char loops_letters[]; /**< names of A, B and C in functions */

/** State of generating a kernel for one instruction set. */
struct loops_writer {
    struct strbuf *out;
    const char *name;
    const struct emitted_loops *loops;
    struct emitted_cut cut;
    enum emitted_set set;
    struct emitted_numbers numbers;
    int whole;      /**< elements in a whole vector */
    int first;      /**< number of the factor that is read as vectors, and of the second factor */
    bool is_summed; /**< whether vectors run along a summed loop */
    bool has_sums;
    int sums_before; /**< number of sums of other vector lengths, which come first */
};

/** A tile: consecutive pieces of vectors, and columns. */
struct loops_tile {
    const int *elems;
    int pieces;
    int columns;
};

/** Returns the stride in a tensor of the loop along vectors or columns; 0 if there is no such loop
 * (-1). */
int64_t loops_stride(const struct loops_writer *writer, int part, int loop);

/** Returns whether non-temporal stores write the result, which needs whole vectors. */
bool loops_streams(const struct emitted_loops *loops);

/** Adds four spaces for each level. */
void loops_indent(const struct loops_writer *writer, int level);

/** Adds ` + 8 * i3`, a step in elements converted to numbers; nothing if it is 0. */
void loops_add_step(const struct loops_writer *writer, int64_t elems, int loop);

/** Adds `count` closing braces, the outermost at `level`. */
void loops_end(const struct loops_writer *writer, int level, int count);

/** Returns the number of elements in a tile's first pieces. */
int loops_tile_elems(const struct loops_tile *tile, int pieces);

/** Returns how a vector of a tile is loaded from a tensor. */
enum cut_way loops_way(const struct loops_writer *writer, const struct loops_tile *tile, int part,
                       int piece);

/** Emits the function of a tile. */
void loops_add_tile(const struct loops_writer *writer, const struct loops_tile *tile);

/** Emits the function of a tile whose vectors run along a summed loop. Each vector is added to the
 * sums of its own length; all sums are added up at the end. */
void loops_add_summed_tile(const struct loops_writer *writer, const struct loops_tile *whole,
                           const struct loops_tile *rest);

#endif
