/*
 * Simplifies loops, and chooses how they are cut into tiles.
 */
#include <math.h>
#include <string.h>

#include "gen/emitted/cut.h"

enum {
    LATENCY = 4,
    CALL = 1,
    OTHER = 5
}; /* cycles. LATENCY: of a product-and-add; CALL: of a call of a tile's function; OTHER: of a
      change to another tile size */
enum {
    MOST_COLUMNS = 16,
    STREAMED_COLUMNS = 4
}; /* MOST_COLUMNS: maximum number of columns of a tile; STREAMED_COLUMNS: the maximum for a
      non-temporal result, whose partial lines are completed in cache only if they are few */

static void remove_loop(struct emitted_loops *loops, int at) {
    loops->count--;
    memmove(&loops->loop[at], &loops->loop[at + 1],
            (size_t)(loops->count - at) * sizeof *loops->loop);
}

/** Returns whether two loops are contiguous with each other in all tensors, the second outside the
 * first. */
static bool continues(const struct blas_call_loop *first, const struct blas_call_loop *second) {
    for (int part = 0; part < 3; part++) {
        if (second->stride[part] != first->stride[part] * first->extent) return false;
    }
    return true;
}

static bool fuse(struct emitted_loops *loops) {
    for (int x = 0; x < loops->count; x++) {
        for (int y = 0; y < loops->count; y++) {
            if (x == y || !continues(&loops->loop[x], &loops->loop[y])) continue;
            loops->loop[x].extent *= loops->loop[y].extent;
            remove_loop(loops, y);
            return true;
        }
    }
    return false;
}

/** Reverses a loop with a negative stride in the result or, if that stride is 0, in the first
 * factor with a nonzero stride. */
static void turn_upwards(struct emitted_loops *loops, struct blas_call_loop *loop) {
    const int64_t leading = loop->stride[2] != 0   ? loop->stride[2]
                            : loop->stride[0] != 0 ? loop->stride[0]
                                                   : loop->stride[1];
    if (leading >= 0) return;
    for (int part = 0; part < 3; part++) {
        loops->offset[part] += loop->stride[part] * (loop->extent - 1);
        loop->stride[part] = -loop->stride[part];
    }
}

void emitted_fuse(struct emitted_loops *loops) {
    for (int l = loops->count - 1; l >= 0; l--) {
        if (loops->loop[l].extent == 1) remove_loop(loops, l);
    }
    while (fuse(loops)) continue;
}

void emitted_simplify(struct emitted_loops *loops) {
    for (int l = 0; l < loops->count; l++) turn_upwards(loops, &loops->loop[l]);
    emitted_fuse(loops);
}

struct emitted_loops emitted_loops_of(const struct blas_call *call, enum tcplan_dtype dtype) {
    struct emitted_loops loops = {.dtype = dtype,
                                  .count = call->loop_count,
                                  .alpha = call->alpha,
                                  .beta = call->beta,
                                  .tile = call->tile,
                                  .streamed = call->streamed};
    memcpy(loops.loop, call->loop, sizeof loops.loop);
    for (int part = 0; part < 2; part++) loops.conjugated[part] = call->conjugated[part];
    emitted_simplify(&loops);
    return loops;
}

static const int registers_of[EMITTED_SETS] = {16, 16, 32};

static double larger(double a, double b) {
    return a > b ? a : b;
}

static int64_t stride_of(const struct emitted_loops *loops, int part, int loop) {
    return loop < 0 ? 0 : loops->loop[loop].stride[part];
}

bool cut_is_summed(const struct emitted_loops *loops, const struct emitted_cut *cut) {
    return cut->vector >= 0 && loops->loop[cut->vector].stride[2] == 0;
}

int64_t cut_sums(const struct emitted_loops *loops) {
    int64_t sums = 1;
    for (int l = 0; l < loops->count; l++) {
        if (loops->loop[l].stride[2] == 0) sums *= loops->loop[l].extent;
    }
    return sums;
}

int cut_first_factor(const struct emitted_loops *loops, const struct emitted_cut *cut) {
    return stride_of(loops, 0, cut->vector) == 0 && stride_of(loops, 1, cut->vector) != 0 ? 1 : 0;
}

enum cut_way cut_way_of(const struct emitted_loops *loops, const struct emitted_cut *cut, int part,
                        int elems, int whole, int columns) {
    const int64_t along = stride_of(loops, part, cut->vector);
    const bool is_first = part == cut_first_factor(loops, cut);
    if (part < 2 && along == 0 && !is_first) return CUT_SAME;
    if (along == 1 || elems == 1) return CUT_STRAIGHT;
    if (part < 2 && elems == whole && whole > 1 && columns % whole == 0 &&
        stride_of(loops, part, cut->column) == 1)
        return CUT_TURNED;
    return CUT_SCATTERED;
}

/*
 * Costs of loads of vectors, which may cross a cache line; masked ones do so even if they load few
 * elements. C_abcd=A_aebf*B_dfce with all extents 5 takes 1500 ns with five masked loads for five
 * products, 890 with one (Zen 4).
 */
#define VECTOR_LOAD 1.25
#define MASKED_LOAD 1.5

/** Returns the cost of loading `elems` elements, in load instructions; a core executes two per
 * cycle. */
static double load_cost(enum cut_way way, int elems, int parts) {
    switch (way) {
    case CUT_SAME: return 1.15 * parts;
    case CUT_STRAIGHT:
        return elems == 1 ? 1 : (elems & (elems - 1)) == 0 ? VECTOR_LOAD : MASKED_LOAD;
    case CUT_TURNED: return elems > 4 ? 4 : elems > 2 ? 2.5 : 2;
    case CUT_SCATTERED: return elems > 1 ? 1.5 * elems : 1;
    }
    return 1;
}

/** Returns the number of vector registers in use: sums, and the most operands needed at one time.
 */
static int live_registers(const struct emitted_loops *loops, const struct emitted_cut *cut,
                          int pieces, int columns, int whole) {
    const int parts = emitted_reals(loops->dtype), first = cut_first_factor(loops, cut);
    const bool moves = stride_of(loops, first, cut->column) != 0;
    const bool turns = cut_way_of(loops, cut, first, whole, whole, columns) == CUT_TURNED ||
                       cut_way_of(loops, cut, 1 - first, whole, whole, columns) == CUT_TURNED;
    const bool is_same = cut_way_of(loops, cut, 1 - first, whole, whole, columns) == CUT_SAME;
    const int own = (moves ? 1 : pieces) * parts, other = is_same ? parts
                                                          : stride_of(loops, 1 - first, cut->column)
                                                              ? 1
                                                              : pieces;
    return (cut_sums(loops) > 1 ? pieces * columns : 1) + own + other + (turns ? whole : 0);
}

/** Returns whether a factor is loaded along the columns and transposed in registers, in whole
 * vectors. */
static bool cut_turns(const struct emitted_loops *loops, const struct emitted_cut *cut, int whole) {
    return cut_way_of(loops, cut, 0, whole, whole, cut->columns) == CUT_TURNED ||
           cut_way_of(loops, cut, 1, whole, whole, cut->columns) == CUT_TURNED;
}

/* Cost of the first cache line of a column's piece. Without sums, stores dominate, and the first
 * line takes longest: tiles of 2 x 16 vectors took 1.1 to 1.35 times as long as 4 x 8. */
enum { FIRST_LINE = 1 };

/* Sets of a small L1 cache, and columns whose lines, two each, fit in a set with other data. */
enum { L1_SETS = 64, SET_COLUMNS = 3 };

/** Returns whether columns of a tile conflict in the L1 cache, because their distance is a multiple
 * of many lines. */
static bool conflicts(const struct emitted_loops *loops, const struct emitted_cut *cut,
                      int columns) {
    const int64_t bytes =
        stride_of(loops, 2, cut->column) * (int64_t)tcplan_dtype_bytes(loops->dtype);
    int sets = L1_SETS;
    if (bytes == 0 || bytes % EMITTED_LINE_BYTES != 0) return false;
    for (int64_t lines = bytes / EMITTED_LINE_BYTES; sets > 1 && lines % 2 == 0; lines /= 2)
        sets /= 2;
    return columns > SET_COLUMNS * sets;
}

/* While sums wait for their products, a core starts up to this many of the next tiles. */
#define FORESEEN 4.0

/* Tiles with more sums are slower by this factor, because registers become scarce or stores come in
 * long bursts. */
static const int many_sums[EMITTED_SETS] = {9, 9, 12};
#define MANY_FACTOR 1.08

/** Returns the cycles of a tile of `vectors` times `columns`, for all summed products. */
static double tile_cycles(const struct emitted_loops *loops, const struct emitted_cut *cut,
                          enum emitted_set set, const int elems[], int pieces, int columns,
                          double sums) {
    const int parts = emitted_reals(loops->dtype), whole = emitted_vector_elems(loops->dtype, set);
    const int live = live_registers(loops, cut, pieces, columns, whole);
    double loads = 0, stores = 0;
    for (int part = 0; part < 2; part++) {
        const double times = stride_of(loops, part, cut->column) != 0 ? columns : 1;
        double own = 0;
        for (int p = 0; p < pieces; p++) {
            const enum cut_way way = cut_way_of(loops, cut, part, elems[p], whole, columns);
            if (way != CUT_SAME || p == 0) own += load_cost(way, elems[p], parts);
        }
        loads += times * own;
    }
    const double products = (double)pieces * columns * (parts == 2 ? 3 : 1);
    const double chain = sums > 1 ? LATENCY * parts : 0;
    double cycles = larger(0.5 * products, 0.5 * loads);
    if (sums > 1 && pieces * columns > many_sums[set]) cycles *= MANY_FACTOR;
    if (live > registers_of[set]) cycles += live - registers_of[set];
    const double waiting = sums > FORESEEN ? (sums - FORESEEN) * larger(chain - cycles, 0) : 0;
    for (int p = 0; p < pieces; p++) {
        const bool in_one =
            cut_is_summed(loops, cut) || stride_of(loops, 2, cut->vector) == 1 || elems[p] == 1;
        stores += cut_is_summed(loops, cut) ? 2.0 * elems[p] : in_one ? 1 : 1.5 * elems[p];
    }
    if (cut_sums(loops) == 1 && !cut_turns(loops, cut, whole)) stores += FIRST_LINE;
    if (sums > 1 && conflicts(loops, cut, columns)) stores *= 2;
    return CALL + stores * columns + sums * cycles + waiting;
}

int cut_pieces(int out[CUT_PIECES], const struct emitted_loops *loops, enum emitted_set set,
               int64_t count) {
    const int whole = emitted_vector_elems(loops->dtype, set);
    int pieces = 0;
    for (; count >= whole; count -= whole) out[pieces++] = whole;
    return pieces + emitted_split_rest(out + pieces, (int)count, whole,
                                       emitted_masks(set) && !loops->streamed);
}

double emitted_cut_cycles(const struct emitted_loops *loops, enum emitted_set set,
                          const struct emitted_cut *cut) {
    const int whole = emitted_vector_elems(loops->dtype, set);
    const int64_t length = cut->vector < 0 ? 1 : loops->loop[cut->vector].extent;
    const int64_t width = cut->column < 0 ? 1 : loops->loop[cut->column].extent;
    const int64_t block = (int64_t)whole * cut->vectors;
    const bool is_summed = cut_is_summed(loops, cut);
    const double sums = (double)cut_sums(loops) / (is_summed ? (double)length : 1);
    double others = 1, cycles = 0;
    int full[CUT_PIECES], rest[CUT_PIECES];
    for (int l = 0; l < loops->count; l++) {
        if (l != cut->vector && l != cut->column && loops->loop[l].stride[2] != 0)
            others *= (double)loops->loop[l].extent;
    }
    const int fulls = cut_pieces(full, loops, set, length < block ? length : block);
    const int rests = length < block ? 0 : cut_pieces(rest, loops, set, length % block);
    const int64_t blocks = length < block ? 1 : length / block;
    for (int side = 0; side < 2; side++) {
        const int columns = side == 0 ? cut->columns : (int)(width % cut->columns);
        const int64_t times = side == 0 ? width / cut->columns : 1;
        if (columns == 0) continue;
        if (side == 1) cycles += OTHER;
        if (is_summed) {
            cycles += times * tile_cycles(loops, cut, set, full, fulls, columns, sums * blocks);
            if (rests > 0)
                cycles += times * tile_cycles(loops, cut, set, rest, rests, columns, sums);
        } else {
            cycles += times * blocks * tile_cycles(loops, cut, set, full, fulls, columns, sums);
            if (rests > 0)
                cycles +=
                    times * (OTHER + tile_cycles(loops, cut, set, rest, rests, columns, sums));
        }
    }
    return others * cycles;
}

/* Sizes of a tile of a transposed, non-temporal result: bytes of each column of the result, and of
 * each row that is read. With 64 for both, some shapes took twice as long. */
enum { STREAMED_BYTES = 128, READ_BYTES = 64 };

static bool fits_lines(const struct emitted_loops *loops, const struct emitted_cut *cut,
                       int whole) {
    const int bytes = (int)tcplan_dtype_bytes(loops->dtype);
    return cut->vectors * whole * bytes <= STREAMED_BYTES && cut->columns * bytes <= READ_BYTES;
}

/** Returns whether the sums and operands of a tile fit in the vector registers. If the result is
 * non-temporal, also checks that the tile has few enough columns, or is written by whole lines. */
static bool fits(const struct emitted_loops *loops, enum emitted_set set,
                 const struct emitted_cut *cut) {
    const int whole = emitted_vector_elems(loops->dtype, set);
    const bool turns = cut_turns(loops, cut, whole);
    if (loops->streamed && turns && !fits_lines(loops, cut, whole)) return false;
    if (loops->streamed && !turns && cut->columns > STREAMED_COLUMNS && cut->columns > whole)
        return false;
    if (cut_sums(loops) == 1) return cut->vectors * cut->columns <= 2 * registers_of[set];
    return live_registers(loops, cut, cut->vectors, cut->columns, whole) <= registers_of[set];
}

/* more cycles than any product takes */
#define LACKING 1e30

/** Evaluates a cut with the given register tile, limited to the extents, and replaces `best` if the
 * cut is better. Loops that are at least as long as the tile are preferred. */
static void try_given(struct emitted_cut *best, double *least, const struct emitted_loops *loops,
                      enum emitted_set set, struct emitted_cut cut) {
    const int64_t width = cut.column < 0 ? 1 : loops->loop[cut.column].extent;
    const int whole = emitted_vector_elems(loops->dtype, set);
    cut.vectors = loops->tile.vectors;
    cut.columns = loops->tile.columns < width ? loops->tile.columns : (int)width;
    const bool is_short = loops->loop[cut.vector].extent < (int64_t)cut.vectors * whole;
    const double own = emitted_cut_cycles(loops, set, &cut) +
                       LACKING * (is_short + loops->tile.columns - cut.columns);
    if (own >= *least) return;
    *least = own;
    *best = cut;
}

/** Returns whether the columns of a cut are nearer to each other in the result than those of
 * another cut. */
static bool is_nearer(const struct emitted_loops *loops, const struct emitted_cut *cut,
                      const struct emitted_cut *other) {
    return cut->column >= 0 && other->column >= 0 &&
           stride_of(loops, 2, cut->column) < stride_of(loops, 2, other->column);
}

static void try_sizes(struct emitted_cut *best, double *least, const struct emitted_loops *loops,
                      enum emitted_set set, struct emitted_cut cut) {
    const int64_t width = cut.column < 0 ? 1 : loops->loop[cut.column].extent;
    for (cut.vectors = 1; cut.vectors <= (cut.vector < 0 ? 1 : EMITTED_MAX_VECTORS);
         cut.vectors++) {
        for (cut.columns = 1; cut.columns <= width && cut.columns <= MOST_COLUMNS; cut.columns++) {
            if (!fits(loops, set, &cut)) break;
            const double own = emitted_cut_cycles(loops, set, &cut);
            if (own > *least || (own == *least && !is_nearer(loops, &cut, best))) continue;
            *least = own;
            *best = cut;
        }
    }
}

struct emitted_cut emitted_choose_cut(const struct emitted_loops *loops, enum emitted_set set) {
    struct emitted_cut best = {.vector = -1, .column = -1, .vectors = 1, .columns = 1};
    const bool is_given = loops->tile.vectors > 0;
    double least = is_given ? INFINITY : emitted_cut_cycles(loops, set, &best);
    for (int v = 0; v < loops->count; v++) {
        for (int u = -1; u < loops->count; u++) {
            if (u == v || (u >= 0 && loops->loop[u].stride[2] == 0)) continue;
            (is_given ? try_given : try_sizes)(&best, &least, loops, set,
                                               (struct emitted_cut){.vector = v, .column = u});
        }
    }
    best.unroll = loops->tile.unroll;
    return best;
}

/* Tiles with up to this factor of the fewest estimated cycles may be the fastest. */
#define ALIKE 1.1

struct emitted_tiles emitted_loops_tiles(const struct emitted_loops *loops, enum emitted_set set) {
    struct emitted_tiles out = {0};
    struct emitted_loops own = *loops;
    const struct emitted_cut chosen = emitted_choose_cut(loops, set);
    const double least = emitted_cut_cycles(loops, set, &chosen);
    if (loops->count == 0) return out;
    for (int vectors = 1; vectors <= EMITTED_MAX_VECTORS; vectors++) {
        for (int columns = 1; columns <= MOST_COLUMNS; columns++) {
            own.tile.vectors = (uint8_t)vectors;
            own.tile.columns = (uint8_t)columns;
            const struct emitted_cut cut = emitted_choose_cut(&own, set);
            const bool is_named = cut.vectors == vectors && cut.columns == columns;
            const bool is_chosen = vectors == chosen.vectors && columns == chosen.columns;
            if (!is_named || is_chosen || !fits(loops, set, &cut)) continue;
            emitted_tiles_add(&out, own.tile, emitted_cut_cycles(loops, set, &cut), ALIKE * least);
        }
    }
    return out;
}
