/**
 * Functions of the tiles of loop kernels: `NAME_SET_ELEMSxCOLUMNS(a, b, c)` computes and writes a
 * tile's elements, and contains the loops over summed indices.
 */
#ifndef GEN_EMITTED_LOOPS_TILE_H
#define GEN_EMITTED_LOOPS_TILE_H

#include "gen/emitted/cut.h"
#include "gen/emitted/numbers.h"

enum { LOOPS_LONG_BYTES = 4096 /* steps that no hardware foresees */ };

extern const char loops_letters[]; /**< what functions call A, B and C */

/** A kernel for one instruction set on its way. */
struct loops_writer {
    struct strbuf *out;
    const char *name;
    const struct emitted_loops *loops;
    struct emitted_cut cut;
    enum emitted_set set;
    struct emitted_numbers numbers;
    int whole;      /**< elements in a vector */
    int first;      /**< the factor of which vectors are read, and the other one */
    bool is_summed; /**< vectors lie along a loop that is summed over */
    bool has_sums;
    int sums_before; /**< of other pieces, whose sums are numbered first */
};

/** A tile: pieces of vectors one behind the other, and columns. */
struct loops_tile {
    const int *elems;
    int pieces;
    int columns;
};

/** Elements from value to value of a loop in a tensor; of no loop (-1) 0. */
int64_t loops_stride(const struct loops_writer *writer, int part, int loop);

/** Whether the result goes past the caches: whole vectors of it can. */
bool loops_streams(const struct emitted_loops *loops);

/** Four spaces for each level. */
void loops_indent(const struct loops_writer *writer, int level);

/** Adds ` + 8 * i3`, a step in elements converted to numbers; nothing if it is 0. */
void loops_add_step(const struct loops_writer *writer, int64_t elems, int loop);

/** `count` closing braces, the outermost at `level`. */
void loops_end(const struct loops_writer *writer, int level, int count);

/** Elements of a tile's first pieces. */
int loops_tile_elems(const struct loops_tile *tile, int pieces);

/** How a piece of a tile comes from a tensor. */
enum cut_way loops_way(const struct loops_writer *writer, const struct loops_tile *tile, int part,
                       int piece);

/** The function of a tile. */
void loops_add_tile(const struct loops_writer *writer, const struct loops_tile *tile);

/** That of vectors that are summed up: each is added to the sums of its own length, all of which
 * are added up in the end. */
void loops_add_summed_tile(const struct loops_writer *writer, const struct loops_tile *whole,
                           const struct loops_tile *rest);

#endif
