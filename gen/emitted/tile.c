/*
 * Chooses a tile by an estimate of the cycles of every tile of a product, from the demands of its
 * instructions on a typical core: two product units, two loads and one store per cycle.
 */
#include "gen/emitted/tile.h"

#include <assert.h>
#include <math.h>

static const int bytes_of[EMITTED_SETS] = {16, 32, 64};
static const int registers_of[EMITTED_SETS] = {16, 16, 32};

int emitted_reals(enum tcplan_dtype dtype) {
    return tcplan_dtype_is_complex(dtype) ? 2 : 1;
}

int emitted_registers(enum emitted_set set) {
    return registers_of[set];
}

int emitted_vector_elems(enum tcplan_dtype dtype, enum emitted_set set) {
    const int elems = bytes_of[set] / (int)tcplan_dtype_bytes(dtype);
    return elems > 0 ? elems : 1;
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

/*
 * Cycles for the addresses and the loop of a tile, and for a load while products are computed, of a
 * vector of A or an element of B; and the number of sums up to which products have their full
 * speed. Fitted to the measured order of tiles: with 16 registers, 2 x 4 vectors are faster than
 * 2 x 6 (1.02 to 1.2 times as long) and 1 x 8 (1.2 times). AVX-512 loads elements within products,
 * most of its vectors cross cache lines, and tiles with more sums end with long bursts of stores:
 * 2 x 8 vectors take 1.02 to 1.09 times as long as 1 x 8, and 1 x 16 up to 1.27 times as long as
 * 1 x 10 (means over placements of the operands of 17 products, Zen 4).
 */
static const struct {
    double call, vector, element, many_factor;
    int many;
} cost_of[EMITTED_SETS] = {{6, 0.4, 0.4, 1.25, 9}, {6, 0.4, 0.4, 1.25, 9}, {2, 0.8, 0.2, 1.5, 10}};

/** Returns the cycles of a product with tiles of `vectors` and `columns`. */
static double cycles(const struct emitted_gemm *gemm, enum emitted_set set, int vectors,
                     int columns) {
    const int parts = emitted_reals(gemm->dtype);
    const bool are_many = vectors * columns > cost_of[set].many + parts - 1;
    const double products =
        0.5 * vectors * columns * parts * (are_many ? cost_of[set].many_factor : 1);
    const double loads = 0.5 * (vectors + columns * parts);
    const double besides = cost_of[set].vector * vectors + cost_of[set].element * columns * parts;
    return cost_of[set].call + vectors * columns +
           gemm->k * (larger(larger(products, loads), EMITTED_LATENCY * parts) + besides);
}

double emitted_estimate(const struct emitted_gemm *gemm, enum emitted_set set,
                        const struct emitted_tile *tile) {
    struct emitted_rows rows[EMITTED_ROW_BLOCKS];
    const int blocks = emitted_split_rows(rows, gemm, set, tile);
    const int whole = gemm->n / tile->columns;
    const int rest = gemm->n % tile->columns;
    double sum = 0;
    for (int b = 0; b < blocks; b++) {
        const double columns = (double)whole * cycles(gemm, set, rows[b].pieces, tile->columns);
        sum += (double)rows[b].count *
               (columns + (rest > 0 ? cycles(gemm, set, rows[b].pieces, rest) : 0));
    }
    return sum;
}

/** Returns whether the registers suffice for a tile: its sums, a column of A (for complex numbers
 * also times i), and an element of B. */
static bool fits(const struct emitted_gemm *gemm, enum emitted_set set, int vectors, int columns) {
    const int parts = emitted_reals(gemm->dtype);
    return vectors * columns + vectors * parts + parts <= registers_of[set];
}

/** Returns the given unrolling; otherwise, all of a short loop over k, or a few products of a long
 * one. */
static int rounds_of(const struct emitted_gemm *gemm) {
    if (gemm->tile.unroll > 0) return gemm->tile.unroll;
    return gemm->k <= 16 ? gemm->k : 4;
}

struct emitted_tile emitted_choose_tile(const struct emitted_gemm *gemm, enum emitted_set set) {
    struct emitted_tile best = {1, 1, rounds_of(gemm)};
    if (gemm->tile.vectors > 0)
        return (struct emitted_tile){gemm->tile.vectors, gemm->tile.columns, best.unroll};
    double least = emitted_estimate(gemm, set, &best);
    for (int vectors = 1; vectors <= EMITTED_MAX_VECTORS; vectors++) {
        for (int columns = 1; columns <= gemm->n && fits(gemm, set, vectors, columns); columns++) {
            const struct emitted_tile tile = {vectors, columns, best.unroll};
            const double own = emitted_estimate(gemm, set, &tile);
            if (own >= least) continue;
            least = own;
            best = tile;
        }
    }
    return best;
}

/* Tiles with up to this factor of the fewest estimated cycles may be the fastest. */
#define ALIKE 1.15

void emitted_tiles_add(struct emitted_tiles *tiles, struct tcplan_register_tile tile, double cycles,
                       double most) {
    int at = tiles->count;
    if (cycles > most) return;
    while (at > 0 && tiles->cycles[at - 1] > cycles) at--;
    if (at == EMITTED_TILES) return;
    if (tiles->count < EMITTED_TILES) tiles->count++;
    for (int t = tiles->count - 1; t > at; t--) {
        tiles->tile[t] = tiles->tile[t - 1];
        tiles->cycles[t] = tiles->cycles[t - 1];
    }
    tiles->tile[at] = tile;
    tiles->cycles[at] = cycles;
    assert(at == 0 || tiles->cycles[at - 1] <= cycles);
    assert(at + 1 == tiles->count || cycles <= tiles->cycles[at + 1]);
}

static int column_tiles(const struct emitted_gemm *gemm, int columns) {
    return (gemm->n + columns - 1) / columns;
}

/** Returns the best tile of a number of vectors that divides the columns into another number of
 * tiles than the chosen one, if that has as many vectors; columns 0: none. */
static struct emitted_tile other_tile(const struct emitted_gemm *gemm, enum emitted_set set,
                                      const struct emitted_tile *chosen, int vectors) {
    struct emitted_tile best = {.vectors = vectors, .unroll = chosen->unroll};
    double least = INFINITY;
    for (int columns = 1;
         columns <= gemm->n && columns <= TCPLAN_MAX_COLUMNS && fits(gemm, set, vectors, columns);
         columns++) {
        const struct emitted_tile tile = {vectors, columns, chosen->unroll};
        const double own = emitted_estimate(gemm, set, &tile);
        if (own >= least || (vectors == chosen->vectors &&
                             column_tiles(gemm, columns) == column_tiles(gemm, chosen->columns)))
            continue;
        least = own;
        best = tile;
    }
    return best;
}

struct emitted_tiles emitted_gemm_tiles(const struct emitted_gemm *gemm, enum emitted_set set) {
    struct emitted_tiles out = {0};
    if (emitted_packs(gemm) || emitted_transposes(gemm)) return out;
    const struct emitted_gemm own = emitted_turns(gemm) ? emitted_transposed(gemm) : *gemm;
    const struct emitted_tile chosen = emitted_choose_tile(&own, set);
    const double least = emitted_estimate(&own, set, &chosen);
    const int elems = emitted_vector_elems(own.dtype, set);
    for (int vectors = 1; vectors <= EMITTED_MAX_VECTORS && (vectors - 1) * elems < own.m;
         vectors++) {
        const struct emitted_tile tile = other_tile(&own, set, &chosen, vectors);
        if (tile.columns == 0) continue;
        emitted_tiles_add(&out,
                          (struct tcplan_register_tile){.vectors = (uint8_t)vectors,
                                                        .columns = (uint8_t)tile.columns},
                          emitted_estimate(&own, set, &tile), ALIKE * least);
    }
    return out;
}

bool emitted_masks(enum emitted_set set) {
    return set == EMITTED_AVX512;
}

int emitted_split_rest(int out[], int rest, int vector_elems, bool masks) {
    int count = 0;
    if (masks && rest > 0) {
        out[count++] = rest;
        rest = 0;
    }
    for (int elems = vector_elems / 2; rest > 0; elems /= 2) {
        if (rest < elems) continue;
        assert(elems > 0 && count < EMITTED_MAX_PIECES);
        out[count++] = elems;
        rest -= elems;
    }
    return count;
}

static void add_piece(struct emitted_rows *rows, int elems) {
    assert(rows->pieces < EMITTED_MAX_PIECES);
    rows->elems[rows->pieces++] = elems;
    rows->rows += elems;
}

int emitted_split_rows(struct emitted_rows out[EMITTED_ROW_BLOCKS], const struct emitted_gemm *gemm,
                       enum emitted_set set, const struct emitted_tile *tile) {
    const int elems = emitted_vector_elems(gemm->dtype, set);
    const int whole = gemm->m / elems;
    int last[EMITTED_MAX_PIECES];
    const int lasts = emitted_split_rest(last, gemm->m % elems, elems, emitted_masks(set));
    int blocks = 0;
    for (int b = 0; b < EMITTED_ROW_BLOCKS; b++) out[b] = (struct emitted_rows){.count = 1};
    if (whole >= tile->vectors) {
        out[0].count = whole / tile->vectors;
        for (int v = 0; v < tile->vectors; v++) add_piece(&out[0], elems);
        blocks++;
    }
    for (int v = 0; v < whole % tile->vectors; v++) add_piece(&out[blocks], elems);
    if (out[blocks].pieces > 0 && out[blocks].pieces + lasts > tile->vectors) blocks++;
    for (int l = 0; l < lasts; l++) add_piece(&out[blocks], last[l]);
    return blocks + (out[blocks].pieces > 0);
}
