#include "gen/emitted/loops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/emitted.h"
#include "support/random_loops.h"
#include "support/rng.h"

/* tcplan's own loop kernels, on integers, whose sums are exact in every order: results equal those
 * of simple loops bit for bit, and the memory around them is unchanged. */

enum { KERNELS = 64, ALIGNMENTS = 6, AVX2 = 1 << EMITTED_PLAIN | 1 << EMITTED_AVX2 };
enum { ALL_SETS = AVX2 | 1 << EMITTED_AVX512, PARTS = 3 };

static uint64_t seed(void) {
    const char *given = getenv("TCPLAN_TEST_SEED");
    return given ? strtoull(given, NULL, 10) : 21;
}

/** Returns the number of batches of kernels: more with TCPLAN_TEST_LONG. */
static int batches(void) {
    const char *given = getenv("TCPLAN_TEST_LONG");
    return given ? (int)strtol(given, NULL, 10) : 1;
}

static struct emitted_cut draw_cut(const struct emitted_loops *loops, uint64_t *random) {
    struct emitted_cut cut = {.vector = -1, .column = -1, .vectors = 1, .columns = 1};
    if (loops->count > 0) cut.vector = (int)rng_below(random, loops->count);
    if (cut.vector >= 0) cut.vectors = 1 + (int)rng_below(random, 3);
    for (int l = 0; l < loops->count; l++) {
        if (l == cut.vector || loops->loop[l].stride[2] == 0 || rng_below(random, 2) == 0) continue;
        cut.column = l;
        const int64_t extent = loops->loop[l].extent;
        cut.columns = rng_below(random, 2) == 0 && extent >= 4
                          ? extent >= 8 ? 8 : 4
                          : 1 + (int)rng_below(random, extent < 6 ? (int)extent : 6);
    }
    return cut;
}

static void call(const void *context, const void *a, const void *b, void *c) {
    (*(emitted_function *const *)context)(a, b, c);
}

static void check(const struct emitted_loops *loops, emitted_function *function, int number,
                  uint64_t *random) {
    for (int a = 0; a < ALIGNMENTS; a++) random_loops_check(loops, call, &function, number, random);
}

static void add_wrapper(struct strbuf *out, int number, enum tcplan_dtype dtype) {
    const bool is_single = dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
    const char *type = is_single ? "float" : "double";
    strbuf_add(out, "int call_%d(const void *a, const void *b, void *c);\n", number);
    strbuf_add(out, "int call_%d(const void *a, const void *b, void *c) {\n", number);
    strbuf_add(out, "    kernel_%d((const %s *)a, (const %s *)b, (%s *)c);\n    return 0;\n}\n\n",
               number, type, type, type);
}

/** Draws a register tile that a name may contain, and an unrolling. */
static struct tcplan_register_tile draw_tile(uint64_t *random) {
    struct tcplan_register_tile tile = {.vectors = (uint8_t)(1 + rng_below(random, 4)),
                                        .columns = (uint8_t)(1 + rng_below(random, 8)),
                                        .unroll = (uint8_t)rng_below(random, 6)};
    if (tile.unroll > 0 && rng_below(random, 4) == 0) tile.vectors = tile.columns = 0;
    return tile;
}

/** Returns the text of a C file of random kernels. Kernels with even numbers have the default
 * blocking, some with a given tile; others have another blocking. */
static char *file_of(const struct emitted_loops *loops, const struct emitted_cut *cut) {
    struct strbuf text = {0};
    strbuf_add(&text, "/*\n * link: -lm\n */\n");
    emitted_add_common(&text);
    for (int k = 0; k < KERNELS; k++) {
        char name[32];
        struct emitted_loops simple = loops[k];
        emitted_simplify(&simple);
        snprintf(name, sizeof name, "kernel_%d", k);
        emitted_add_loops(&text, name, &simple,
                          k % 3 == 2   ? 1U << EMITTED_PLAIN
                          : k % 3 == 0 ? AVX2
                                       : ALL_SETS,
                          k % 2 ? &cut[k] : NULL);
        add_wrapper(&text, k, loops[k].dtype);
    }
    char *finished = strbuf_finish(&text);
    assert_non_null(finished);
    return finished;
}

static void kernels_agree_with_naive_loops(void **state) {
    uint64_t random = seed();
    (void)state;
    for (int b = 0; b < batches(); b++) {
        struct emitted_loops loops[KERNELS];
        struct emitted_cut cut[KERNELS];
        for (int k = 0; k < KERNELS; k++) {
            loops[k] = random_loops(&random);
            struct emitted_loops simple = loops[k];
            emitted_simplify(&simple);
            cut[k] = draw_cut(&simple, &random);
            if (k % 4 == 0) loops[k].tile = draw_tile(&random);
        }
        char *text = file_of(loops, cut);
        struct emitted *built = emitted_build_unoptimized(b % 2 == 0 ? NULL : "clang", text);
        for (int k = 0; k < KERNELS; k++) {
            char name[32];
            snprintf(name, sizeof name, "call_%d", k);
            check(&loops[k], emitted_find(built, name), k, &random);
        }
        emitted_free(built);
        free(text);
    }
    print_message("%d checks of %d kernels of loops, compiled: all exact\n",
                  batches() * KERNELS * ALIGNMENTS, batches() * KERNELS);
}

/** A matrix larger than the L2 cache: its rows are summed for a few columns at a time. */
static void sums_of_many_long_columns_are_right(void **state) {
    enum { LONG = 1031, WIDE = 131 };
    struct strbuf text = {0};
    uint64_t random = seed();
    struct emitted_loops loops[TCPLAN_DTYPES];
    (void)state;
    strbuf_add(&text, "/*\n * link: -lm\n */\n");
    emitted_add_common(&text);
    for (int d = 0; d < TCPLAN_DTYPES; d++) {
        char name[32];
        loops[d] = (struct emitted_loops){
            .dtype = (enum tcplan_dtype)d, .count = 2, .alpha = {-2, 0}, .beta = {(double)d, 0}};
        loops[d].loop[0] = (struct blas_call_loop){LONG, {1, 0, 1}};
        loops[d].loop[1] = (struct blas_call_loop){WIDE, {LONG + 2, d % 2, 0}};
        snprintf(name, sizeof name, "kernel_%d", d);
        emitted_add_loops(&text, name, &loops[d], ALL_SETS, NULL);
        add_wrapper(&text, d, loops[d].dtype);
    }
    char *finished = strbuf_finish(&text);
    assert_non_null(finished);
    assert_non_null(strstr(finished, "kernel_1_next_avx2("));
    struct emitted *built = emitted_build_unoptimized(NULL, finished);
    for (int d = 0; d < TCPLAN_DTYPES; d++) {
        char name[32];
        snprintf(name, sizeof name, "call_%d", d);
        check(&loops[d], emitted_find(built, name), d, &random);
    }
    emitted_free(built);
    free(finished);
}

/** A factor that is read once, sequentially. Above 32 MiB, it is read as several streams, whose
 * last iterations have fewer values. */
static void factors_that_are_used_once_are_read_as_streams(void **state) {
    enum { ROWS = 59, RUN = 37, SHORT = 64, CASES = TCPLAN_DTYPES + 1 };
    struct strbuf text = {0};
    uint64_t random = seed();
    struct emitted_loops loops[CASES];
    (void)state;
    strbuf_add(&text, "/*\n * link: -lm\n */\n");
    emitted_add_common(&text);
    for (int c = 0; c < CASES; c++) {
        const bool is_long = c == TCPLAN_DTYPES;
        char name[32];
        loops[c] = (struct emitted_loops){.dtype = is_long ? TCPLAN_DOUBLE : (enum tcplan_dtype)c,
                                          .count = 3,
                                          .alpha = {c % 2 ? -2 : 1, 0},
                                          .beta = {(double)(c % 3), 0}};
        loops[c].loop[0] = (struct blas_call_loop){ROWS, {RUN, 0, 3}};
        loops[c].loop[1] = (struct blas_call_loop){RUN, {1, 1, 0}};
        loops[c].loop[2] =
            (struct blas_call_loop){is_long ? 31 * SHORT + 3 : SHORT, {RUN * ROWS, RUN + 2, 0}};
        snprintf(name, sizeof name, "kernel_%d", c);
        emitted_add_loops(&text, name, &loops[c], ALL_SETS, NULL);
        add_wrapper(&text, c, loops[c].dtype);
    }
    char *finished = strbuf_finish(&text);
    assert_non_null(finished);
    assert_non_null(strstr(finished, "kernel_1_next_avx2("));
    assert_null(strstr(finished, "kernel_1_last_avx2("));
    assert_non_null(strstr(finished, "kernel_4_last_avx2("));
    struct emitted *built = emitted_build_unoptimized(NULL, finished);
    for (int c = 0; c < CASES; c++) {
        char name[32];
        snprintf(name, sizeof name, "call_%d", c);
        check(&loops[c], emitted_find(built, name), c, &random);
    }
    emitted_free(built);
    free(finished);
}

/** All columns of the result have the same alignment, so tiles start at cache lines, for every
 * alignment of the first column. */
static void streamed_results_are_right_wherever_they_begin(void **state) {
    enum { CASES = 4 * TCPLAN_DTYPES };
    struct strbuf text = {0};
    uint64_t random = seed();
    struct emitted_loops loops[CASES];
    (void)state;
    strbuf_add(&text, "/*\n * link: -lm\n */\n");
    emitted_add_common(&text);
    for (int c = 0; c < CASES; c++) {
        const int64_t rows = (c % 4 == 1 ? 1043 : 85) + c, /* 1043: several blocks */
            columns = 19, step = 1088;
        char name[32];
        loops[c] = (struct emitted_loops){
            .dtype = (enum tcplan_dtype)(c / 4), .count = 2, .alpha = {1, 0}, .streamed = true};
        loops[c].loop[0] = (struct blas_call_loop){rows, {c % 2 ? columns : 1, c % 4 < 2, 1}};
        loops[c].loop[1] = (struct blas_call_loop){columns, {c % 2 ? 1 : rows, c % 4 == 3, step}};
        snprintf(name, sizeof name, "kernel_%d", c);
        emitted_add_loops(&text, name, &loops[c], ALL_SETS, NULL);
        add_wrapper(&text, c, loops[c].dtype);
    }
    char *finished = strbuf_finish(&text);
    assert_non_null(finished);
    assert_non_null(strstr(finished, "lead"));
    assert_non_null(strstr(finished, "g += 1024"));
    struct emitted *built = emitted_build_unoptimized(NULL, finished);
    for (int c = 0; c < CASES; c++) {
        char name[32];
        snprintf(name, sizeof name, "call_%d", c);
        check(&loops[c], emitted_find(built, name), c, &random);
    }
    emitted_free(built);
    free(finished);
}

static struct emitted_loops two_loops(int64_t a, int64_t b, const int64_t strides[2][PARTS]) {
    struct emitted_loops loops = {.dtype = TCPLAN_DOUBLE, .count = 2, .alpha = {1, 0}};
    loops.loop[0].extent = a;
    loops.loop[1].extent = b;
    for (int l = 0; l < 2; l++) {
        for (int part = 0; part < PARTS; part++) loops.loop[l].stride[part] = strides[l][part];
    }
    return loops;
}

static void loops_that_continue_each_other_are_one(void **state) {
    const int64_t whole[2][PARTS] = {{1, 1, 1}, {8, 8, 8}},
                  transposed[2][PARTS] = {{1, 5, 1}, {8, 1, 8}};
    (void)state;
    struct emitted_loops loops = two_loops(8, 5, whole);
    emitted_simplify(&loops);
    assert_int_equal(loops.count, 1);
    assert_int_equal(loops.loop[0].extent, 40);
    loops = two_loops(8, 5, transposed);
    emitted_simplify(&loops);
    assert_int_equal(loops.count, 2);
    loops = two_loops(1, 5, transposed);
    emitted_simplify(&loops);
    assert_int_equal(loops.count, 1);
}

static void results_with_negative_strides_are_reversed(void **state) {
    const int64_t backwards[2][PARTS] = {{1, 1, -1}, {8, 8, -8}};
    (void)state;
    struct emitted_loops loops = two_loops(8, 5, backwards);
    emitted_simplify(&loops);
    assert_int_equal(loops.count, 1);
    assert_int_equal(loops.loop[0].stride[2], 1);
    assert_int_equal(loops.loop[0].stride[0], -1);
    assert_int_equal(loops.offset[2], -39);
    assert_int_equal(loops.offset[0], 39);
}

static void vectors_run_along_contiguous_elements(void **state) {
    const int64_t product[2][PARTS] = {{1, 64, 1}, {64, 1, 64}},
                  rows[2][PARTS] = {{1, 0, 0}, {64, 0, 1}};
    (void)state;
    const struct emitted_loops transposed = two_loops(64, 64, product);
    assert_int_equal(emitted_choose_cut(&transposed, EMITTED_AVX2).vector, 0);
    assert_int_equal(emitted_choose_cut(&transposed, EMITTED_AVX2).columns % 4, 0);
    const struct emitted_loops sums = two_loops(64, 64, rows);
    assert_int_equal(emitted_choose_cut(&sums, EMITTED_AVX2).vector, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_agree_with_naive_loops),
        cmocka_unit_test(sums_of_many_long_columns_are_right),
        cmocka_unit_test(factors_that_are_used_once_are_read_as_streams),
        cmocka_unit_test(streamed_results_are_right_wherever_they_begin),
        cmocka_unit_test(loops_that_continue_each_other_are_one),
        cmocka_unit_test(results_with_negative_strides_are_reversed),
        cmocka_unit_test(vectors_run_along_contiguous_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
