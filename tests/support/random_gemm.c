#include "support/random_gemm.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/reals.h"
#include "support/rng.h"

enum { MOST_PRODUCTS = 2000000, GUARD = 16 };

/** Draws strides of a matrix: columns or rows contiguous, or neither, with or without gaps,
 * sometimes negative. */
static void draw_strides(int64_t strides[2], int rows, int columns, bool backwards,
                         uint64_t *random) {
    const int unit = rng_below(random, 5) == 0 ? 2 + (int)rng_below(random, 2) : 1;
    const int inner = rng_below(random, 3) == 0 ? 1 : 0;
    const int extent = inner == 0 ? rows : columns;
    const int gap = rng_below(random, 2) == 0 ? 0 : (int)rng_below(random, 5);
    strides[inner] = unit;
    strides[1 - inner] = (int64_t)unit * extent + gap;
    if (backwards && rng_below(random, 8) == 0) strides[rng_below(random, 2)] *= -1;
}

static struct tcplan_scalar draw_factor(bool is_complex, bool may_be_zero, uint64_t *random) {
    switch (rng_below(random, 3)) {
    case 0: return (struct tcplan_scalar){may_be_zero ? 0 : 1, 0};
    case 1: return (struct tcplan_scalar){1, 0};
    default: return (struct tcplan_scalar){-2, is_complex ? (double)rng_below(random, 3) : 0};
    }
}

/** Draws large extents: more than one part of k, or one block of columns; sometimes a wide or
 * transposed result. */
static void draw_large(struct emitted_gemm *gemm, uint64_t *random) {
    gemm->k = EMITTED_MAX_K + 1 + (int)rng_below(random, rng_below(random, 4) == 0 ? 900 : 300);
    gemm->m = 1 + (int)rng_below(random, 50);
    if (rng_below(random, 3) == 0) gemm->n = 1 + (int)rng_below(random, 200);
}

/** Draws strides for the dimensions of a matrix in a random order, contiguous or with gaps. */
static void lay_out(struct emitted_gemm *gemm, int part, uint64_t *random) {
    static const int role[3][2] = {{0, 2}, {2, 1}, {0, 1}};
    int left[2] = {0, 0};
    int64_t *stride[2];
    const struct blas_call_split *split[2];
    int64_t next = 1;
    for (int side = 0; side < 2; side++) {
        const int operand = role[part][side] == 2 ? part : part == 2;
        split[side] = &gemm->split[role[part][side]];
        stride[side] = gemm->split[role[part][side]].stride[operand];
    }
    while (left[0] < split[0]->count || left[1] < split[1]->count) {
        const int drawn = (int)rng_below(random, 2);
        const int side = left[drawn] < split[drawn]->count ? drawn : 1 - drawn;
        const bool reversed =
            part == 1; /* prevents fused indices from being contiguous with each other */
        const int d = reversed ? split[side]->count - 1 - left[side] : left[side];
        left[side]++;
        stride[side][d] = next;
        next = next * split[side]->extent[d] + (rng_below(random, 4) == 0 ? 3 : 0);
    }
    for (int side = 0; side < 2; side++) gemm->strides[part][side] = stride[side][0];
}

/** Draws two or three indices for each role. */
static void draw_extents(struct emitted_gemm *gemm, uint64_t *random) {
    int *extent[3] = {&gemm->m, &gemm->n, &gemm->k};
    for (int r = 0; r < 3; r++) {
        gemm->split[r].count = 2 + (int)rng_below(random, 2);
        *extent[r] = 1;
        for (int d = 0; d < gemm->split[r].count; d++) {
            const bool is_cut =
                r == 2 && rng_below(random, 4) == 0; /* some k are divided into blocks, of whole
                                                        cache lines of either factor */
            gemm->split[r].extent[d] = is_cut ? 8 * (1 + (int)rng_below(random, 4))
                                              : 1 + (int)rng_below(random, d == 0 ? 20 : 5);
            *extent[r] *= gemm->split[r].extent[d];
        }
    }
}

/** Draws a product with several indices for each role, no two of which are contiguous with each
 * other. */
static void draw_split(struct emitted_gemm *gemm, uint64_t *random) {
    int *extent[3] = {&gemm->m, &gemm->n, &gemm->k};
    do {
        draw_extents(gemm, random);
    } while ((double)gemm->m * gemm->n * gemm->k > MOST_PRODUCTS); /* limits the time of the plain
                                                                      loops, which compute the
                                                                      product for every alignment */
    for (int part = 0; part < 3; part++) lay_out(gemm, part, random);
    for (int r = 0; r < 3; r++) { /* makes the index of some roles a single one */
        if (rng_below(random, 3) > 0) continue;
        *extent[r] = gemm->split[r].extent[0];
        gemm->split[r].count = 0;
    }
}

/** Draws a product whose result is written by non-temporal stores. Its columns are whole cache
 * lines, or have the same alignment; it has several columns, or more than one panel. */
static void draw_lines(struct emitted_gemm *gemm, uint64_t *random) {
    const int line = EMITTED_LINE_BYTES / (int)tcplan_dtype_bytes(gemm->dtype);
    const bool is_turned = rng_below(random, 3) == 0, is_high = rng_below(random, 8) == 0;
    const int64_t gap = rng_below(random, 3) == 0 ? line * (int64_t)rng_below(random, 3) : 0;
    const int rows = line * (1 + (int)rng_below(random, is_high ? 50 : 9)),
              columns = 16 + (int)rng_below(random, 30);
    gemm->k = 1 + (int)rng_below(random, is_high ? 512 : 12);
    gemm->m = is_turned ? columns : rows;
    gemm->n = is_turned ? rows : columns;
    for (int part = 0; part < 2; part++) {
        draw_strides(gemm->strides[part], part == 0 ? gemm->m : gemm->k,
                     part == 0 ? gemm->k : gemm->n, true, random);
    }
    gemm->strides[2][is_turned] = 1;
    gemm->strides[2][!is_turned] = rows + gap;
    gemm->beta = (struct tcplan_scalar){0, 0};
    gemm->streamed = true;
}

/** Draws a product whose rows are contiguous along different indices in the first factor and in
 * the result, which is written by non-temporal stores. */
static void draw_transposing(struct emitted_gemm *gemm, uint64_t *random) {
    const int line = EMITTED_LINE_BYTES / (int)tcplan_dtype_bytes(gemm->dtype);
    const bool has_third = rng_below(random, 2) == 0, is_turned = rng_below(random, 3) == 0;
    const int x = line * (2 + (int)rng_below(random, 3)),
              y = line * (1 + (int)rng_below(random, 3)),
              z = has_third ? 1 + (int)rng_below(random, 3) : 1,
              columns = 4 + (int)rng_below(random, 9);
    const int64_t gap = rng_below(random, 3) == 0 ? line : 0;
    struct blas_call_split rows = {.count = has_third ? 3 : 2, .extent = {x, y, z}};
    gemm->k = 1 + (int)rng_below(random, 20);
    for (int r = 0; r < 3; r++) gemm->split[r].count = 0;
    const bool next_to_x = has_third && rng_below(random, 2) == 0; /* z continues x in the result */
    rows.stride[0][1] = 1;
    rows.stride[1][0] = 1;
    int64_t column = next_to_x ? x * z : x + gap;
    rows.stride[1][2] = next_to_x ? x : column * columns;
    rows.stride[1][1] = next_to_x ? column * columns : rows.stride[1][2] * z;
    const int64_t k = y + (int64_t)rng_below(random, 2);
    rows.stride[0][2] = k * gemm->k;
    rows.stride[0][0] = rows.stride[0][2] * z + 1;
    const int role = is_turned ? 1 : 0;
    gemm->m = is_turned ? columns : x * y * z;
    gemm->n = is_turned ? x * y * z : columns;
    gemm->split[role] = rows;
    gemm->strides[role][role] = rows.stride[0][0];
    gemm->strides[role][1 - role] = k;
    gemm->strides[2][role] = 1;
    gemm->strides[2][1 - role] = column;
    gemm->strides[1 - role][1 - role] = rng_below(random, 2) == 0 ? 1 : gemm->k;
    gemm->strides[1 - role][role] = gemm->strides[1 - role][1 - role] == 1 ? columns : 1;
    gemm->beta = (struct tcplan_scalar){0, 0};
    gemm->streamed = true;
}

struct emitted_gemm random_gemm(uint64_t *random) {
    struct emitted_gemm gemm = {.dtype = (enum tcplan_dtype)rng_below(random, TCPLAN_DTYPES)};
    const bool is_complex = tcplan_dtype_is_complex(gemm.dtype);
    gemm.m = 1 + (int)rng_below(random, rng_below(random, 6) == 0 ? 400 : 40);
    gemm.n = 1 + (int)rng_below(random, 20);
    gemm.k = 1 + (int)rng_below(random, rng_below(random, 4) == 0 ? EMITTED_MAX_K : 12);
    if (rng_below(random, 4) == 0) draw_large(&gemm, random);
    draw_strides(gemm.strides[0], gemm.m, gemm.k, true, random);
    if (rng_below(random, 8) == 0) { /* with some probability, columns of A conflict in a cache, and
                                        C has enough columns for packing A to be worthwhile */
        const bool is_far =
            rng_below(random, 2) == 0; /* sometimes the conflicts are in the L2 cache as well; then
                                          few columns of C suffice */
        gemm.k = 12 + (int)rng_below(random, 20);
        gemm.n = (is_far ? 14 : 50) + (int)rng_below(random, 40);
        gemm.strides[0][0] = 1;
        gemm.strides[0][1] = is_far ? 8192 : 512;
    }
    draw_strides(gemm.strides[1], gemm.k, gemm.n, true, random);
    draw_strides(gemm.strides[2], gemm.m, gemm.n, true, random);
    if (rng_below(random, 4) == 0) draw_split(&gemm, random);
    assert_true(emitted_takes(&gemm));
    for (int f = 0; f < 2; f++) gemm.conjugated[f] = is_complex && rng_below(random, 2) == 0;
    gemm.alpha = draw_factor(is_complex, false, random);
    gemm.beta = draw_factor(is_complex, true, random);
    gemm.streamed = rng_below(random, 2) == 0;
    const bool is_split = gemm.split[0].count + gemm.split[1].count + gemm.split[2].count > 0;
    if (rng_below(random, 5) == 0 && !is_split) draw_lines(&gemm, random);
    if (rng_below(random, 5) == 0) draw_transposing(&gemm, random);
    return gemm;
}

/* Matrices in memory. */

struct matrix {
    void *memory; /**< with guards */
    void *first;  /**< address of the element in the first row and column */
    size_t bytes;
};

/** Returns the offset of a row (side 0) or column (side 1) of a matrix. */
static int64_t place_of(const struct emitted_gemm *gemm, int part, int side, int index) {
    static const int role[3][2] = {{0, 2}, {2, 1}, {0, 1}};
    const struct blas_call_split *split = &gemm->split[role[part][side]];
    const int operand = role[part][side] == 2 ? part : part == 2;
    int64_t place = 0;
    if (split->count == 0) return gemm->strides[part][side] * index;
    for (int d = 0; d < split->count; d++) {
        place += split->stride[operand][d] * (index % split->extent[d]);
        index /= split->extent[d];
    }
    return place;
}

static int extent_of(const struct emitted_gemm *gemm, int part, int side) {
    const int extent[3][2] = {{gemm->m, gemm->k}, {gemm->k, gemm->n}, {gemm->m, gemm->n}};
    return extent[part][side];
}

/** Computes the offsets of the lowest and the highest element from the first one. */
static void reach(int64_t *lowest, int64_t *highest, const struct emitted_gemm *gemm, int part) {
    int64_t far[2];
    for (int side = 0; side < 2; side++)
        far[side] = place_of(gemm, part, side, extent_of(gemm, part, side) - 1);
    *lowest = *highest = 0;
    for (int side = 0; side < 2; side++) *(far[side] < 0 ? lowest : highest) += far[side];
}

static struct matrix matrix_of(const struct emitted_gemm *gemm, int part, int misaligned,
                               uint64_t *random) {
    const enum tcplan_dtype dtype = gemm->dtype;
    const size_t element = tcplan_dtype_bytes(dtype);
    int64_t lowest, highest;
    reach(&lowest, &highest, gemm, part);
    struct matrix matrix = {.bytes = (size_t)(highest - lowest + 1 + 2 * GUARD) * element};
    const size_t real = is_single(dtype) ? sizeof(float) : sizeof(double);
    assert_int_equal(posix_memalign(&matrix.memory, 64, matrix.bytes + 64), 0);
    char *begin = (char *)matrix.memory + (size_t)misaligned * real % 64;
    for (size_t i = 0; i < matrix.bytes / real; i++)
        set_number(begin, dtype, (int64_t)i, (double)rng_below(random, 9) - 4);
    matrix.first = begin + (size_t)(GUARD - lowest) * element;
    return matrix;
}

static const char *begin_of(const struct matrix *matrix, const struct emitted_gemm *gemm,
                            int part) {
    int64_t lowest, highest;
    reach(&lowest, &highest, gemm, part);
    return (const char *)matrix->first - (size_t)(GUARD - lowest) * tcplan_dtype_bytes(gemm->dtype);
}

/* The expected result. */

struct number {
    double re, im;
};

static struct number times(struct number a, struct number b) {
    return (struct number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/** Returns the elements of a factor, conjugated where the product conjugates them: A by rows, B by
 * columns, so that the elements of a sum are consecutive. To be freed. */
static struct number *elements_of(const struct emitted_gemm *gemm, const struct matrix *matrix,
                                  int part) {
    const int parts = tcplan_dtype_is_complex(gemm->dtype) ? 2 : 1, summed = 1 - part;
    const int lines = extent_of(gemm, part, part), length = gemm->k;
    struct number *element = malloc((size_t)lines * (size_t)length * sizeof *element);
    assert_non_null(element);
    for (int p = 0; p < length; p++) {
        const int64_t begin = place_of(gemm, part, summed, p);
        for (int l = 0; l < lines; l++) {
            const int64_t place = parts * (begin + place_of(gemm, part, part, l));
            struct number *out = &element[(int64_t)l * length + p];
            out->re = number_of(matrix->first, gemm->dtype, place);
            out->im = parts == 2 ? number_of(matrix->first, gemm->dtype, place + 1) : 0;
            if (gemm->conjugated[part]) out->im = -out->im;
        }
    }
    return element;
}

static struct number sum_of(const struct number *a, const struct number *b, int count) {
    struct number sum = {0, 0};
    for (int p = 0; p < count; p++) {
        const struct number product = times(a[p], b[p]);
        sum.re += product.re;
        sum.im += product.im;
    }
    return sum;
}

static void multiply(const struct emitted_gemm *gemm, const struct matrix matrix[3]) {
    const int parts = tcplan_dtype_is_complex(gemm->dtype) ? 2 : 1;
    const struct number alpha = {gemm->alpha.re, gemm->alpha.im},
                        beta = {gemm->beta.re, gemm->beta.im};
    struct number *a = elements_of(gemm, &matrix[0], 0), *b = elements_of(gemm, &matrix[1], 1);
    for (int row = 0; row < gemm->m; row++) {
        for (int column = 0; column < gemm->n; column++) {
            const int64_t place =
                parts * (place_of(gemm, 2, 0, row) + place_of(gemm, 2, 1, column));
            const struct number sum =
                sum_of(&a[(int64_t)row * gemm->k], &b[(int64_t)column * gemm->k], gemm->k);
            const struct number was = {
                number_of(matrix[2].first, gemm->dtype, place),
                parts == 2 ? number_of(matrix[2].first, gemm->dtype, place + 1) : 0};
            const struct number new = times(alpha, sum), old = times(beta, was);
            set_number(matrix[2].first, gemm->dtype, place, new.re + old.re);
            if (parts == 2) set_number(matrix[2].first, gemm->dtype, place + 1, new.im + old.im);
        }
    }
    free(a);
    free(b);
}

/** Sets the elements of a result that a call must not read to NaN. */
static void hide_result(const struct emitted_gemm *gemm, const struct matrix *result) {
    const int parts = tcplan_dtype_is_complex(gemm->dtype) ? 2 : 1;
    if (gemm->beta.re != 0 || gemm->beta.im != 0) return;
    for (int row = 0; row < gemm->m; row++) {
        for (int column = 0; column < gemm->n; column++) {
            const int64_t place =
                parts * (place_of(gemm, 2, 0, row) + place_of(gemm, 2, 1, column));
            for (int part = 0; part < parts; part++)
                set_number(result->first, gemm->dtype, place + part, NAN);
        }
    }
}

/* Compares elements: bit for bit, but 0 equals -0. */
static bool are_equal(const struct emitted_gemm *gemm, const char *got, const char *expected,
                      size_t bytes) {
    const size_t real = is_single(gemm->dtype) ? sizeof(float) : sizeof(double);
    for (size_t i = 0; i < bytes / real; i++) {
        if (number_of(got, gemm->dtype, (int64_t)i) != number_of(expected, gemm->dtype, (int64_t)i))
            return false;
    }
    return true;
}

void random_gemm_check(const struct emitted_gemm *gemm, random_gemm_call *call, const void *context,
                       int number, uint64_t *random) {
    const bool is_aligned = rng_below(random, 4) == 0;
    const uint64_t again = *random;
    struct matrix got[3], expected[3];
    for (int side = 0; side < 2; side++) {
        struct matrix *matrix = side == 0 ? got : expected;
        *random = again;
        const int misaligned = (int)rng_below(random, 16);
        matrix[0] = matrix_of(gemm, 0, misaligned, random);
        matrix[1] = matrix_of(gemm, 1, (int)rng_below(random, 16), random);
        matrix[2] = matrix_of(gemm, 2, is_aligned ? 0 : (int)rng_below(random, 16), random);
    }
    multiply(gemm, expected);
    hide_result(gemm, &got[2]);
    call(context, got[0].first, got[1].first, got[2].first);
    const char *begin = begin_of(&got[2], gemm, 2);
    const char *wanted = begin_of(&expected[2], gemm, 2);
    if (!are_equal(gemm, begin, wanted, got[2].bytes)) {
        fail_msg(
            "kernel %d%s: %c%s%s, %d x %d x %d, strides %lld %lld, %lld %lld, %lld %lld, alpha %g %g, beta %g %g",
            number, gemm->streamed ? ", streamed" : "", tcplan_dtype_letter(gemm->dtype),
            gemm->conjugated[0] ? ", conj(A)" : "", gemm->conjugated[1] ? ", conj(B)" : "", gemm->m,
            gemm->n, gemm->k, (long long)gemm->strides[0][0], (long long)gemm->strides[0][1],
            (long long)gemm->strides[1][0], (long long)gemm->strides[1][1],
            (long long)gemm->strides[2][0], (long long)gemm->strides[2][1], gemm->alpha.re,
            gemm->alpha.im, gemm->beta.re, gemm->beta.im);
    }
    for (int part = 0; part < 3; part++) {
        free(got[part].memory);
        free(expected[part].memory);
    }
}
