/*
 * Compares copies of blocks with loops over the elements: all shapes and types, non-temporal and
 * accumulating copies, all alignments, and parts of blocks.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "microbench/copy/copy.h"
#include "support/rng.h"
#include "support/upper_registers.h"

typedef float copy_element;

#include "gen/runtime/copy_begin.h"
#include "gen/runtime/copy_real.h"
#include "gen/runtime/copy_transpose_4.h"

#include "gen/runtime/copy_end.h"

enum { MOST_RANK = 5, SPARE = 64 };

/** A copy to test: a block, the extents of the copied part, and memory of both sides. */
struct given {
    struct strided block;
    int64_t part[TCPLAN_MAX_INDICES];
    size_t to_bytes, from_bytes;
    char *to, *from,
        *expected; /* with SPARE bytes before and after the block, which the copy must not change */
    size_t to_shift, from_shift; /* bytes from a line boundary to the first element */
};

static size_t element_bytes(enum tcplan_dtype dtype) {
    return tcplan_dtype_bytes(dtype);
}

static bool is_single(enum tcplan_dtype dtype) {
    return dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
}

/** Draws an extent: 1, less than a vector, about a line, or several blocks. The product of the
 * extents is at most `budget`. */
static int64_t draw_extent(uint64_t *bits, int64_t budget) {
    const int64_t extent = rng_once_in(bits, 12)  ? 400 + rng_below(bits, 700)
                           : rng_once_in(bits, 3) ? 8 * (1 + rng_below(bits, 9))
                                                  : 1 + rng_below(bits, 40);
    return extent < budget ? extent : 1 + rng_below(bits, 3);
}

static void shuffle(int place[], int count, uint64_t *bits) {
    for (int i = 0; i < count; i++) place[i] = i;
    for (int i = count - 1; i > 0; i--) {
        const int other = rng_below(bits, i + 1), kept = place[i];
        place[i] = place[other];
        place[other] = kept;
    }
}

/** Sets the strides of a block: its dimensions are contiguous in the order of `place`, with random
 * gaps. Returns the size in bytes. */
static size_t lay_out(ptrdiff_t step_bytes[], const struct strided *block, const int place[],
                      uint64_t *bits) {
    ptrdiff_t step = (ptrdiff_t)element_bytes(block->dtype) *
                     (rng_once_in(bits, 5) ? 1 + rng_below(bits, 4) : 1);
    for (int p = 0; p < block->rank; p++) {
        step_bytes[place[p]] = step;
        step *= (ptrdiff_t)block->extent[place[p]];
        if (rng_once_in(bits, 6))
            step += (ptrdiff_t)element_bytes(block->dtype) * rng_below(bits, 9);
    }
    return (size_t)step;
}

/** Sorts the dimensions as copies require: first that with the smallest stride in the destination,
 * then that with the smallest stride in the source, then all others. */
static void order(struct strided *block) {
    for (int place = 0; place < 2 && place < block->rank; place++) {
        const ptrdiff_t *step = place == 0 ? block->to_bytes : block->from_bytes;
        int closest = place;
        for (int d = place; d < block->rank; d++) {
            if (step[d] < step[closest]) closest = d;
        }
        const int64_t extent = block->extent[place];
        const ptrdiff_t to = block->to_bytes[place], from = block->from_bytes[place];
        block->extent[place] = block->extent[closest];
        block->to_bytes[place] = block->to_bytes[closest];
        block->from_bytes[place] = block->from_bytes[closest];
        block->extent[closest] = extent;
        block->to_bytes[closest] = to;
        block->from_bytes[closest] = from;
    }
}

/** Negates some strides, so that the first element is at the end of these dimensions. */
static void turn_some(ptrdiff_t step_bytes[], ptrdiff_t *first_bytes, const struct strided *block,
                      uint64_t *bits) {
    for (int d = 0; d < block->rank; d++) {
        if (!rng_once_in(bits, 6)) continue;
        *first_bytes += (ptrdiff_t)(block->extent[d] - 1) * step_bytes[d];
        step_bytes[d] = -step_bytes[d];
    }
}

static char *memory_new(size_t bytes, enum tcplan_dtype dtype, uint64_t *bits) {
    const size_t whole = (bytes + 63) / 64 * 64;
    char *memory = aligned_alloc(64, whole);
    assert_non_null(memory);
    for (size_t i = 0; i < whole / sizeof(double); i++) {
        const double value = rng_real(bits);
        const float single[2] = {(float)value, (float)rng_real(bits)};
        memcpy(memory + i * sizeof value,
               is_single(dtype) ? (const void *)single : (const void *)&value, sizeof value);
    }
    return memory;
}

static void draw_factor(struct strided *block, uint64_t *bits) {
    for (int part = 0; part < 2; part++) {
        const double value = rng_real(bits);
        if (is_single(block->dtype)) block->factor.c[part] = (float)value;
        if (!is_single(block->dtype)) block->factor.z[part] = value;
    }
}

static void given_draw(struct given *given, uint64_t *bits) {
    int place[MOST_RANK];
    int64_t budget = 60000;
    *given = (struct given){.block = {.dtype = (enum tcplan_dtype)rng_below(bits, TCPLAN_DTYPES),
                                      .rank = 1 + rng_below(bits, MOST_RANK)}};
    struct strided *block = &given->block;
    for (int d = 0; d < block->rank; d++) {
        block->extent[d] = draw_extent(bits, budget);
        budget /= block->extent[d];
    }
    shuffle(place, block->rank, bits);
    const size_t to_bytes = lay_out(block->to_bytes, block, place, bits);
    if (!rng_once_in(bits, 4)) shuffle(place, block->rank, bits);
    const size_t from_bytes = lay_out(block->from_bytes, block, place, bits);
    order(block);
    if (rng_once_in(bits, 3)) turn_some(block->to_bytes, &block->to_first_bytes, block, bits);
    if (rng_once_in(bits, 3)) turn_some(block->from_bytes, &block->from_first_bytes, block, bits);
    if (rng_once_in(bits, 8)) block->from_bytes[rng_below(bits, block->rank)] = 0;
    block->streamed = rng_once_in(bits, 2);
    block->accumulates = rng_once_in(bits, 3);
    draw_factor(block, bits);
    for (int d = 0; d < block->rank; d++)
        given->part[d] =
            rng_once_in(bits, 3) ? 1 + rng_below(bits, (int)block->extent[d]) : block->extent[d];
    const size_t unit = is_single(block->dtype)
                            ? sizeof(float)
                            : sizeof(double); /* addresses of complex numbers are multiples of the
                                                 size of a real number */
    given->to_shift = SPARE + (rng_once_in(bits, 2) ? 0 : unit * (size_t)rng_below(bits, 16));
    given->from_shift = SPARE + (rng_once_in(bits, 2) ? 0 : unit * (size_t)rng_below(bits, 16));
    given->to_bytes = given->to_shift + to_bytes + SPARE;
    given->from_bytes = given->from_shift + from_bytes + SPARE;
    given->to = memory_new(given->to_bytes, block->dtype, bits);
    given->from = memory_new(given->from_bytes, block->dtype, bits);
    given->expected = memory_new(given->to_bytes, block->dtype, bits);
    memcpy(given->expected, given->to, given->to_bytes);
}

static void given_free(struct given *given) {
    free(given->to);
    free(given->from);
    free(given->expected);
}

/** Computes to := from + factor * to for one element. */
static void accumulate(char *to, const char *from, const struct strided *block) {
    const bool single = is_single(block->dtype), complex = tcplan_dtype_is_complex(block->dtype);
    double x[2] = {0}, y[2] = {0}, f[2] = {0};
    for (int part = 0; part <= (complex ? 1 : 0); part++) {
        x[part] = single ? (double)((const float *)(const void *)from)[part]
                         : ((const double *)(const void *)from)[part];
        y[part] = single ? (double)((float *)(void *)to)[part] : ((double *)(void *)to)[part];
        f[part] = single ? (double)block->factor.c[part] : block->factor.z[part];
    }
    const double sum[2] = {x[0] + f[0] * y[0] - f[1] * y[1], x[1] + f[0] * y[1] + f[1] * y[0]};
    for (int part = 0; part <= (complex ? 1 : 0); part++) {
        if (single) ((float *)(void *)to)[part] = (float)sum[part];
        if (!single) ((double *)(void *)to)[part] = sum[part];
    }
}

static void expect(const struct given *given, int d, char *to, const char *from) {
    const struct strided *block = &given->block;
    if (d < 0) {
        if (block->accumulates) accumulate(to, from, block);
        if (!block->accumulates) memcpy(to, from, element_bytes(block->dtype));
        return;
    }
    for (int64_t i = 0; i < given->part[d]; i++)
        expect(given, d - 1, to + i * block->to_bytes[d], from + i * block->from_bytes[d]);
}

static double difference(const struct given *given) {
    double worst = 0;
    const bool single = is_single(given->block.dtype);
    if (!given->block.accumulates)
        return memcmp(given->to, given->expected, given->to_bytes) == 0 ? 0 : INFINITY;
    for (size_t at = 0; at + sizeof(double) <= given->to_bytes;
         at += single ? sizeof(float) : sizeof(double)) {
        const void *found = given->to + at, *expected = given->expected + at;
        const double off = single ? (double)(*(const float *)found - *(const float *)expected)
                                  : *(const double *)found - *(const double *)expected;
        worst = fmax(worst, isnan(off) ? INFINITY : fabs(off));
    }
    return worst;
}

static void report(const struct given *given, uint64_t seed) {
    const struct strided *block = &given->block;
    print_message("copy %llu: type %c,%s%s shifts %zu and %zu\n", (unsigned long long)seed,
                  tcplan_dtype_letter(block->dtype), block->streamed ? " streamed," : "",
                  block->accumulates ? " accumulating," : "", given->to_shift, given->from_shift);
    for (int d = 0; d < block->rank; d++) {
        print_message("  %lld of %lld: to %td, from %td bytes\n", (long long)given->part[d],
                      (long long)block->extent[d], block->to_bytes[d], block->from_bytes[d]);
    }
}

static void blocks_of_any_shape_are_copied_and_nothing_else_is_touched(void **state) {
    (void)state;
    const bool are_cleared = upper_registers_are_cleared();
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        struct given given;
        uint64_t bits = seed;
        given_draw(&given, &bits);
        expect(&given, given.block.rank - 1,
               given.expected + given.to_shift + given.block.to_first_bytes,
               given.from + given.from_shift + given.block.from_first_bytes);
        strided_run_copy_part(&given.block, given.part, given.to + given.to_shift,
                              given.from + given.from_shift);
        const bool leaves_registers_used = are_cleared && upper_registers_are_used();
        strided_fence();
        if (leaves_registers_used) {
            report(&given, seed);
            fail_msg("the upper halves of vector registers are left in use");
        }
        if (!(difference(&given) <= (is_single(given.block.dtype) ? 1e-6 : 1e-14))) {
            report(&given, seed);
            fail();
        }
        given_free(&given);
    }
}

/* Ends of rows. */

/** A tensor of rows that is written in tiles: each has `wide` elements of all rows. */
struct tiled {
    enum tcplan_dtype dtype;
    ptrdiff_t length, rows,
        step; /* elements per row, number of rows, distance between rows in elements */
    ptrdiff_t wide;
    bool in_order; /* whether rows of the tile are contiguous; otherwise columns are */
};

enum {
    TILED_ROWS = 21,
    TILED_LENGTH = 130,
    TILED_BYTES = 16 * (TILED_ROWS * (TILED_LENGTH + 14) + 64)
};

/** Sets element `i` of a row to a value without zero bytes. */
static void put_element(char *to, const struct tiled *tiled, ptrdiff_t row, ptrdiff_t i) {
    const size_t parts = tcplan_dtype_is_complex(tiled->dtype) ? 2 : 1;
    for (size_t part = 0; part < parts; part++) {
        const double value = (double)(1 + row * 1000 + i) * (part == 0 ? 1 : -1);
        const float single = (float)value;
        if (is_single(tiled->dtype)) memcpy(to + part * sizeof single, &single, sizeof single);
        if (!is_single(tiled->dtype)) memcpy(to + part * sizeof value, &value, sizeof value);
    }
}

static void copy_tiled(char *to, const struct tiled *tiled, char *ends, bool backwards) {
    static char tile[16 * TILED_ROWS * TILED_LENGTH];
    const ptrdiff_t blocks = (tiled->length + tiled->wide - 1) / tiled->wide,
                    bytes = (ptrdiff_t)element_bytes(tiled->dtype);
    for (ptrdiff_t b = 0; b < blocks; b++) {
        const ptrdiff_t first = (backwards ? blocks - 1 - b : b) * tiled->wide;
        const ptrdiff_t wide =
            tiled->length - first < tiled->wide ? tiled->length - first : tiled->wide;
        const ptrdiff_t along = tiled->in_order ? 1 : tiled->rows,
                        across = tiled->in_order ? wide : 1;
        const struct strided block = {.dtype = tiled->dtype,
                                      .rank = 2,
                                      .extent = {wide, tiled->rows},
                                      .to_bytes = {bytes, tiled->step * bytes},
                                      .from_bytes = {along * bytes, across * bytes},
                                      .streamed = true};
        for (ptrdiff_t row = 0; row < tiled->rows; row++) {
            for (ptrdiff_t i = 0; i < wide; i++)
                put_element(tile + (i * along + row * across) * bytes, tiled, row, first + i);
        }
        strided_run_copy_on(&block, to + first * bytes, tile, ends);
    }
    strided_write_ends(tiled->dtype, ends, 2 * tiled->rows);
    strided_fence();
}

/** Writes the tiles of rows with every alignment, in order and in random order. */
static void ends_of_rows_become_lines_in_any_order_of_blocks(void **state) {
    (void)state;
    static _Alignas(64) char memory[TILED_BYTES], expected[TILED_BYTES];
    static _Alignas(64) char ends[2 * TILED_ROWS * STRIDED_END_BYTES];
    uint64_t bits = 5;
    for (int n = 0; n < 4000; n++) {
        const ptrdiff_t length = 1 + rng_below(&bits, TILED_LENGTH);
        const ptrdiff_t gap =
            rng_once_in(&bits, 2) ? (16 - length % 16) % 16 : rng_below(&bits, 14);
        const struct tiled tiled = {.dtype = (enum tcplan_dtype)(n % TCPLAN_DTYPES),
                                    .length = length,
                                    .rows = 1 + rng_below(&bits, TILED_ROWS),
                                    .step = length + (rng_once_in(&bits, 4) ? 0 : gap),
                                    .wide = rng_once_in(&bits, 2) ? 16 : 1 + rng_below(&bits, 40),
                                    .in_order = rng_once_in(&bits, 2)};
        const size_t bytes = element_bytes(tiled.dtype),
                     first = (16 + (size_t)(n / TCPLAN_DTYPES) % 16) * bytes;
        memset(memory, 0, sizeof memory);
        memset(expected, 0, sizeof expected);
        for (ptrdiff_t row = 0; row < tiled.rows; row++) {
            for (ptrdiff_t i = 0; i < length; i++)
                put_element(expected + first + (size_t)(row * tiled.step + i) * bytes, &tiled, row,
                            i);
        }
        copy_tiled(memory + first, &tiled, ends, rng_once_in(&bits, 4));
        if (memcmp(memory, expected, sizeof memory) == 0) continue;
        fail_msg("%d: type %c, %td rows of %td, %td apart, by %td", n,
                 tcplan_dtype_letter(tiled.dtype), tiled.rows, length, tiled.step, tiled.wide);
    }
}

static int waiting(const struct copy_end *end, int count) {
    int lines = 0;
    for (int e = 0; e < count; e++) lines += end[e].waiting != 0;
    return lines;
}

/** Rows are contiguous with each other. If each block has whole rows, only the first and last lines
 * of the tensor are written in parts. */
static void waiting_elements_are_written_with_their_whole_line(void **state) {
    (void)state;
    static _Alignas(64) float memory[64];
    struct copy_end end[2] = {0};
    const float from[20] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
    const struct copy_dimension twenty = {20, 1, 1}, twelve = {12, 1, 1};
    copy_block(memory, from, 1, &twenty, COPY_STREAM, 0, end);
    copy_fence();
    assert_true(memory[15] == 16 && memory[16] == 0 && waiting(end, 2) == 1);
    copy_block(memory + 20, from, 1, &twelve, COPY_STREAM, 0, end);
    copy_fence();
    assert_true(memory[16] == 17 && memory[19] == 20 && memory[20] == 1 && memory[31] == 12 &&
                waiting(end, 2) == 0);
}

/** The first elements of a row share a cache line with the last ones of the previous row. If tiles
 * are contiguous along rows, the last ones are written later, and the first ones wait for them. */
static void a_part_waits_for_the_part_before_it_in_memory(void **state) {
    (void)state;
    static _Alignas(64) float memory[32];
    struct copy_end end[2] = {0};
    const float from[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const struct copy_dimension eight = {8, 1, 1}, four = {4, 1, 1};
    copy_block(memory + 8, from, 1, &eight, COPY_STREAM, 0, end);
    copy_block(memory, from, 1, &four, COPY_STREAM, 0, end);
    copy_fence();
    assert_true(memory[8] == 0 && memory[0] == 0 && waiting(end, 2) == 1);
    copy_block(memory + 4, from, 1, &four, COPY_STREAM, 0, end);
    copy_fence();
    assert_true(memory[3] == 4 && memory[4] == 1 && memory[15] == 8 && waiting(end, 2) == 0);
}

/** Parts of three cache lines of one row. Only a few lines can wait: elements of the others are
 * written at once. */
static void elements_without_an_end_are_written(void **state) {
    (void)state;
    static _Alignas(64) float memory[64];
    struct copy_end end[2] = {0};
    const float from[4] = {1, 2, 3, 4};
    const struct copy_dimension four = {4, 1, 1};
    for (int line = 0; line < 3; line++) {
        copy_block(memory + 16 * line, from, 1, &four, COPY_STREAM, 0, end);
        assert_true(memory[16 * line] == 0 && (line == 0 || memory[16 * line - 16] == 1) &&
                    waiting(end, 2) == 1);
    }
    copy_ends_write(end, 2);
    assert_true(memory[32] == 1 && memory[35] == 4 && memory[36] == 0 && waiting(end, 2) == 0);
}

/* Without vectors. */

static void transpositions_without_vectors_are_the_same(void **state) {
    (void)state;
    enum { MOST = 90 };
    static _Alignas(64) float from[MOST * MOST], with[MOST * MOST], without[MOST * MOST];
    uint64_t bits = 1;
    for (int n = 0; n < 300; n++) {
        const ptrdiff_t width = 1 + rng_below(&bits, MOST), height = 1 + rng_below(&bits, MOST);
        const struct copy_dimension i = {width, 1, height}, j = {height, width, 1};
        const bool stream = rng_once_in(&bits, 2);
        const struct copy_mode vectors = {.stream = stream, .avx2 = copy_has_avx2()},
                               scalars = {.stream = stream};
        for (int k = 0; k < MOST * MOST; k++) from[k] = (float)rng_real(&bits);
        memset(with, 0, sizeof with);
        memset(without, 0, sizeof without);
        copy_plane(with, from, i, j, from, &vectors);
        copy_plane(without, from, i, j, from, &scalars);
        copy_fence();
        assert_memory_equal(with, without, sizeof with);
        for (ptrdiff_t y = 0; y < height; y++) {
            for (ptrdiff_t x = 0; x < width; x++)
                assert_true(with[y * width + x] == from[x * height + y]);
        }
    }
}

static void a_block_without_dimensions_is_one_element(void **state) {
    (void)state;
    float to = 2;
    const float from = 3;
    copy_block(&to, &from, 0, NULL, 0, 0, NULL);
    assert_true(to == 3);
    copy_block(&to, &from, 0, NULL, COPY_ACCUMULATE, 2, NULL);
    assert_true(to == 9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_any_shape_are_copied_and_nothing_else_is_touched),
        cmocka_unit_test(transpositions_without_vectors_are_the_same),
        cmocka_unit_test(ends_of_rows_become_lines_in_any_order_of_blocks),
        cmocka_unit_test(a_part_waits_for_the_part_before_it_in_memory),
        cmocka_unit_test(elements_without_an_end_are_written),
        cmocka_unit_test(waiting_elements_are_written_with_their_whole_line),
        cmocka_unit_test(a_block_without_dimensions_is_one_element)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
