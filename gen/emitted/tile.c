/*
 * Chooses a tile by an estimate of the cycles of every tile of a product, from the demands of its
 * instructions on a typical core: two product units, two loads and one store per cycle.
 */
#include "gen/emitted/tile.h"

#include <assert.h>

enum { CALL = 6 }; /* cycles for the addresses and the loop of a tile */

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
 * Cost of a load in cycles while products are computed; and products slow down if more than half
 * of the registers plus one are sums. Fitted to the measured order of tiles: with 16 registers, 2
 * x 4 vectors are faster than 2 x 6 (1.02 to 1.2 times as long) and 1 x 8 (1.2 times).
 */
#define LOAD_CYCLES 0.4
#define MANY_FACTOR 1.25

/** Returns the cycles of a product with tiles of `vectors` and `columns`. */
static double cycles(const struct emitted_gemm *gemm, enum emitted_set set, int vectors,
                     int columns) {
    const int parts = emitted_reals(gemm->dtype);
    const bool are_many = vectors * columns > registers_of[set] / 2 + parts;
    const double products = 0.5 * vectors * columns * parts * (are_many ? MANY_FACTOR : 1);
    const double loads = 0.5 * (vectors + columns * parts);
    const double besides = LOAD_CYCLES * (vectors + columns * parts);
    return CALL + vectors * columns +
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
#define ALIKE 1.1

void emitted_tiles_add(struct emitted_tiles *tiles, struct tcplan_register_tile tile, double cycles,
                       double chosen) {
    int at = tiles->count;
    if (cycles > ALIKE * chosen) return;
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

struct emitted_tiles emitted_gemm_tiles(const struct emitted_gemm *gemm, enum emitted_set set) {
    struct emitted_tiles out = {0};
    if (emitted_packs(gemm)) return out;
    const struct emitted_gemm own = emitted_turns(gemm) ? emitted_transposed(gemm) : *gemm;
    const struct emitted_tile chosen = emitted_choose_tile(&own, set);
    const double least = emitted_estimate(&own, set, &chosen);
    for (int vectors = 1; vectors <= EMITTED_MAX_VECTORS; vectors++) {
        for (int columns = 1;
             columns <= own.n && columns <= TCPLAN_MAX_COLUMNS && fits(&own, set, vectors, columns);
             columns++) {
            const struct emitted_tile tile = {vectors, columns, chosen.unroll};
            if (vectors == chosen.vectors && columns == chosen.columns) continue;
            emitted_tiles_add(&out,
                              (struct tcplan_register_tile){.vectors = (uint8_t)vectors,
                                                            .columns = (uint8_t)columns},
                              emitted_estimate(&own, set, &tile), least);
        }
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
