#include "gen/emitted/loops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/emitted.h"
#include "support/reals.h"
#include "support/rng.h"

/* Kernels of loops on integers, which are exact in every order of the sums: bit for bit what plain
 * loops give, and nothing else is touched. */

enum {
    KERNELS = 64,
    ALIGNMENTS = 6,
    GUARD = 16,
    MOST_PRODUCTS = 20000,
    AVX2 = 1 << EMITTED_PLAIN | 1 << EMITTED_AVX2
};
enum { ALL_SETS = AVX2 | 1 << EMITTED_AVX512, PARTS = 3 };

static uint64_t seed(void) {
    const char *given = getenv("TCPLAN_TEST_SEED");
    return given ? strtoull(given, NULL, 10) : 21;
}

/** Batches of kernels: more with TCPLAN_TEST_LONG. */
static int batches(void) {
    const char *given = getenv("TCPLAN_TEST_LONG");
    return given ? (int)strtol(given, NULL, 10) : 1;
}

/* Loops. */

static struct tcplan_scalar draw_factor(bool is_complex, bool may_be_zero, uint64_t *random) {
    switch (rng_below(random, 3)) {
    case 0: return (struct tcplan_scalar){may_be_zero ? 0 : 1, 0};
    case 1: return (struct tcplan_scalar){1, 0};
    default: return (struct tcplan_scalar){-2, is_complex ? (double)rng_below(random, 3) : 0};
    }
}

/** The loops of a tensor in some order, with gaps now and then, some of them backwards. */
static void draw_strides(struct emitted_loops *loops, int part, unsigned in, uint64_t *random) {
    int64_t step = rng_below(random, 8) == 0 ? 2 + (int64_t)rng_below(random, 2) : 1;
    unsigned left = in;
    while (left) {
        const int l = (int)rng_below(random, loops->count);
        if (!(left >> l & 1U)) continue;
        left &= ~(1U << l);
        loops->loop[l].stride[part] = rng_below(random, 8) == 0 ? -step : step;
        if (part < 2 && rng_below(random, 24) == 0) loops->loop[l].stride[part] = 0;
        step = step * loops->loop[l].extent +
               (rng_below(random, 4) == 0 ? (int64_t)rng_below(random, 5) : 0);
    }
}

static struct emitted_loops draw(uint64_t *random) {
    /* In which tensors: rows, columns, batch, contracted, of one factor. */
    static const unsigned kinds[] = {5, 6, 7, 3, 1, 2};
    struct emitted_loops loops = {.dtype = (enum tcplan_dtype)rng_below(random, TCPLAN_DTYPES),
                                  .count = (int)rng_below(random, 6)};
    const bool is_complex = tcplan_dtype_is_complex(loops.dtype);
    unsigned in[PARTS] = {0};
    int64_t products = 1;
    for (int l = 0; l < loops.count; l++) {
        const unsigned kind = kinds[rng_below(random, rng_below(random, 3) == 0 ? 6 : 4)];
        const int left = MOST_PRODUCTS / (int)products, most = left < 1                    ? 1
                                                               : left < 40                 ? left
                                                               : rng_below(random, 8) == 0 ? 400
                                                                                           : 40;
        loops.loop[l].extent =
            1 + (int64_t)rng_below(random, rng_below(random, 2) == 0 && most > 9 ? 9 : most);
        products *= loops.loop[l].extent;
        for (int part = 0; part < PARTS; part++) in[part] |= (kind >> part & 1U) << l;
    }
    for (int part = 0; part < PARTS; part++) draw_strides(&loops, part, in[part], random);
    for (int f = 0; f < 2; f++) loops.conjugated[f] = is_complex && rng_below(random, 2) == 0;
    loops.alpha = draw_factor(is_complex, false, random);
    loops.beta = draw_factor(is_complex, true, random);
    loops.streamed = rng_below(random, 2) == 0;
    return loops;
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

/* Tensors in memory. */

struct tensor {
    void *memory; /**< with guards */
    char *begin;
    void *first; /**< the element at which all loops begin */
    size_t bytes;
};

static struct tensor tensor_of(const struct emitted_loops *loops, int part, int misaligned,
                               uint64_t *random) {
    const size_t element = tcplan_dtype_bytes(loops->dtype),
                 real = is_single(loops->dtype) ? sizeof(float) : sizeof(double);
    int64_t lowest = 0, highest = 0;
    for (int l = 0; l < loops->count; l++) {
        const int64_t far = loops->loop[l].stride[part] * (loops->loop[l].extent - 1);
        *(far < 0 ? &lowest : &highest) += far;
    }
    struct tensor tensor = {.bytes = (size_t)(highest - lowest + 1 + 2 * GUARD) * element};
    assert_int_equal(posix_memalign(&tensor.memory, 64, tensor.bytes + 64), 0);
    tensor.begin = (char *)tensor.memory + (size_t)misaligned * real % 64;
    for (size_t i = 0; i < tensor.bytes / real; i++)
        set_number(tensor.begin, loops->dtype, (int64_t)i, (double)rng_below(random, 9) - 4);
    tensor.first = tensor.begin + (size_t)(GUARD - lowest) * element;
    return tensor;
}

/* The expected result. */

struct number {
    double re, im;
};

static struct number times(struct number a, struct number b) {
    return (struct number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/** Goes to the next values of some loops; false behind the last ones. */
static bool next(int64_t at[], const struct emitted_loops *loops, bool summed) {
    for (int l = 0; l < loops->count; l++) {
        if ((loops->loop[l].stride[2] == 0) != summed) continue;
        if (++at[l] < loops->loop[l].extent) return true;
        at[l] = 0;
    }
    return false;
}

static int64_t place_of(const struct emitted_loops *loops, int part, const int64_t at[]) {
    int64_t place = 0;
    for (int l = 0; l < loops->count; l++) place += loops->loop[l].stride[part] * at[l];
    return place;
}

static struct number read_at(const struct emitted_loops *loops, const struct tensor *tensor,
                             int part, const int64_t at[]) {
    const int parts = tcplan_dtype_is_complex(loops->dtype) ? 2 : 1;
    const int64_t place = parts * place_of(loops, part, at);
    struct number out = {number_of(tensor->first, loops->dtype, place),
                         parts == 2 ? number_of(tensor->first, loops->dtype, place + 1) : 0};
    if (part < 2 && loops->conjugated[part]) out.im = -out.im;
    return out;
}

static void multiply(const struct emitted_loops *loops, const struct tensor tensor[PARTS]) {
    const int parts = tcplan_dtype_is_complex(loops->dtype) ? 2 : 1;
    const struct number alpha = {loops->alpha.re, loops->alpha.im},
                        beta = {loops->beta.re, loops->beta.im};
    int64_t at[EMITTED_LOOPS] = {0};
    do {
        struct number sum = {0, 0};
        do {
            const struct number product =
                times(read_at(loops, &tensor[0], 0, at), read_at(loops, &tensor[1], 1, at));
            sum.re += product.re;
            sum.im += product.im;
        } while (next(at, loops, true));
        const struct number new = times(alpha, sum),
                            old = times(beta, read_at(loops, &tensor[2], 2, at));
        const int64_t place = parts * place_of(loops, 2, at);
        set_number(tensor[2].first, loops->dtype, place, new.re + old.re);
        if (parts == 2) set_number(tensor[2].first, loops->dtype, place + 1, new.im + old.im);
    } while (next(at, loops, false));
}

/* Extents of 1 move nothing: no loop of the result is taken for one that is summed over. */
static struct emitted_loops without_ones(struct emitted_loops loops) {
    int count = 0;
    for (int l = 0; l < loops.count; l++) {
        if (loops.loop[l].extent > 1) loops.loop[count++] = loops.loop[l];
    }
    loops.count = count;
    return loops;
}

static void say(const struct emitted_loops *loops, const struct emitted_cut *cut, int number,
                int alignment) {
    print_message(
        "kernel %d, alignment %d: %c%s%s, alpha %g %g, beta %g %g, %s, vectors %d along %d, columns %d along %d\n",
        number, alignment, tcplan_dtype_letter(loops->dtype),
        loops->conjugated[0] ? ", conj(A)" : "", loops->conjugated[1] ? ", conj(B)" : "",
        loops->alpha.re, loops->alpha.im, loops->beta.re, loops->beta.im,
        loops->streamed ? "streamed" : "stored", cut ? cut->vectors : -1, cut ? cut->vector : -1,
        cut ? cut->columns : -1, cut ? cut->column : -1);
    for (int l = 0; l < loops->count; l++) {
        print_message("  %lld: %lld %lld %lld\n", (long long)loops->loop[l].extent,
                      (long long)loops->loop[l].stride[0], (long long)loops->loop[l].stride[1],
                      (long long)loops->loop[l].stride[2]);
    }
}

static void check(const struct emitted_loops *loops, const struct emitted_cut *cut,
                  emitted_function *function, int number, uint64_t *random) {
    const size_t real = is_single(loops->dtype) ? sizeof(float) : sizeof(double);
    for (int a = 0; a < ALIGNMENTS; a++) {
        struct tensor got[PARTS], expected[PARTS];
        const uint64_t again = *random;
        for (int side = 0; side < 2; side++) {
            struct tensor *tensor = side == 0 ? got : expected;
            *random = again;
            for (int part = 0; part < PARTS; part++) {
                tensor[part] = tensor_of(
                    loops, part, part == 2 && a % 2 == 0 ? 0 : (int)rng_below(random, 16), random);
            }
        }
        multiply(loops, expected);
        function(got[0].first, got[1].first, got[2].first);
        bool are_equal = true; /* -0 and 0 are the same number */
        for (size_t i = 0; i < got[2].bytes / real; i++) {
            const double one = number_of(got[2].begin, loops->dtype, (int64_t)i),
                         other = number_of(expected[2].begin, loops->dtype, (int64_t)i);
            are_equal = are_equal && one == other;
        }
        if (!are_equal) say(loops, cut, number, a);
        assert_true(are_equal);
        for (int part = 0; part < PARTS; part++) {
            free(got[part].memory);
            free(expected[part].memory);
        }
    }
}

static void add_wrapper(struct strbuf *out, int number, enum tcplan_dtype dtype) {
    const char *type = is_single(dtype) ? "float" : "double";
    strbuf_add(out, "int call_%d(const void *a, const void *b, void *c);\n", number);
    strbuf_add(out, "int call_%d(const void *a, const void *b, void *c) {\n", number);
    strbuf_add(out, "    kernel_%d((const %s *)a, (const %s *)b, (%s *)c);\n    return 0;\n}\n\n",
               number, type, type, type);
}

/** A tile that a name may have, and an unrolling. */
static struct tcplan_register_tile draw_tile(uint64_t *random) {
    struct tcplan_register_tile tile = {.vectors = (uint8_t)(1 + rng_below(random, 4)),
                                        .columns = (uint8_t)(1 + rng_below(random, 8)),
                                        .unroll = (uint8_t)rng_below(random, 6)};
    if (tile.unroll > 0 && rng_below(random, 4) == 0) tile.vectors = tile.columns = 0;
    return tile;
}

/** Even kernels are cut as is chosen, some with a tile that is given, odd ones in another way. */
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
            loops[k] = without_ones(draw(&random));
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
            check(&loops[k], k % 2 ? &cut[k] : NULL, emitted_find(built, name), k, &random);
        }
        emitted_free(built);
        free(text);
    }
    print_message("%d checks of %d kernels of loops: all exact\n", batches() * KERNELS * ALIGNMENTS,
                  batches() * KERNELS);
}

/** A matrix that no near cache holds: its rows are added up a few columns at a time. */
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
        check(&loops[d], NULL, emitted_find(built, name), d, &random);
    }
    emitted_free(built);
    free(finished);
}

/** A factor that lies in memory and is used once, from end to end, and beyond 32 MiB in several
 * streams, the last values of whose loop are fewer. */
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
        check(&loops[c], NULL, emitted_find(built, name), c, &random);
    }
    emitted_free(built);
    free(finished);
}

/** Columns that lie alike to lines, so that tiles begin with them, wherever the result begins. */
static void streamed_results_are_right_wherever_they_begin(void **state) {
    enum { CASES = 4 * TCPLAN_DTYPES };
    struct strbuf text = {0};
    uint64_t random = seed();
    struct emitted_loops loops[CASES];
    (void)state;
    strbuf_add(&text, "/*\n * link: -lm\n */\n");
    emitted_add_common(&text);
    for (int c = 0; c < CASES; c++) {
        const int64_t rows = 85 + c, columns = c % 4 == 1 ? 1043 : 19,
                      step = 128; /* many: in blocks */
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
    assert_non_null(strstr(finished, "g += 512"));
    struct emitted *built = emitted_build_unoptimized(NULL, finished);
    for (int c = 0; c < CASES; c++) {
        char name[32];
        snprintf(name, sizeof name, "call_%d", c);
        check(&loops[c], NULL, emitted_find(built, name), c, &random);
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
