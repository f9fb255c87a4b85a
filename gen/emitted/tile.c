/*
 * The choice of a tile: an estimate of the cycles of all tiles of a product, by what their instructions need of a core with two units for products and
 * two loads and one store in a cycle, as most have.
 */
#include "gen/emitted/tile.h"

enum { CALL = 6 }; /* cycles: of a tile's addresses and loop */

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

/** A tile of so many vectors and columns. */
static double cycles(const struct emitted_gemm *gemm, int vectors, int columns) {
    const int parts = emitted_reals(gemm->dtype);
    const double products = 0.5 * vectors * columns * parts;
    const double loads = 0.5 * (vectors + columns * parts);
    return CALL + vectors * columns + gemm->k * larger(larger(products, loads), EMITTED_LATENCY * parts);
}

double emitted_estimate(const struct emitted_gemm *gemm, enum emitted_set set, const struct emitted_tile *tile) {
    struct emitted_rows rows[EMITTED_ROW_BLOCKS];
    const int blocks = emitted_split_rows(rows, gemm, set, tile);
    const int whole = gemm->n / tile->columns;
    const int rest = gemm->n % tile->columns;
    double sum = 0;
    for (int b = 0; b < blocks; b++) {
        const double columns = (double)whole * cycles(gemm, rows[b].pieces, tile->columns);
        sum += (double)rows[b].count * (columns + (rest > 0 ? cycles(gemm, rows[b].pieces, rest) : 0));
    }
    return sum;
}

/** Sums, a column of A - of complex numbers once more, times i - and an element of B. */
static bool fits(const struct emitted_gemm *gemm, enum emitted_set set, int vectors, int columns) {
    const int parts = emitted_reals(gemm->dtype);
    return vectors * columns + vectors * parts + parts <= registers_of[set];
}

/** All of a short loop, some products of a long one. */
static int rounds_of(const struct emitted_gemm *gemm) {
    return gemm->k <= 16 ? gemm->k : 4;
}

struct emitted_tile emitted_choose_tile(const struct emitted_gemm *gemm, enum emitted_set set) {
    struct emitted_tile best = {1, 1, rounds_of(gemm)};
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

/** Vectors shorter than the whole ones for the last rows; returns how many. */
static int split_last(int out[], int rows, int vector_elems) {
    int count = 0;
    for (int elems = vector_elems / 2; rows > 0; elems /= 2) {
        if (rows < elems) continue;
        out[count++] = elems;
        rows -= elems;
    }
    return count;
}

static void add_piece(struct emitted_rows *rows, int elems) {
    rows->elems[rows->pieces++] = elems;
    rows->rows += elems;
}

int emitted_split_rows(struct emitted_rows out[EMITTED_ROW_BLOCKS], const struct emitted_gemm *gemm, enum emitted_set set,
                       const struct emitted_tile *tile) {
    const int elems = emitted_vector_elems(gemm->dtype, set);
    const int whole = gemm->m / elems;
    int last[EMITTED_MAX_PIECES];
    const int lasts = split_last(last, gemm->m % elems, elems);
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
