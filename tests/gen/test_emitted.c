#include "gen/emitted/emitted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/emitted.h"
#include "support/random_gemm.h"
#include "support/rng.h"

enum {
    KERNELS = 96,
    ALIGNMENTS = 24,
    AVX2 = 1 << EMITTED_PLAIN | 1 << EMITTED_AVX2,
    ALL_SETS = AVX2 | 1 << EMITTED_AVX512
};

static uint64_t seed(void) {
    const char *given = getenv("TCPLAN_TEST_SEED");
    return given ? strtoull(given, NULL, 10) : 21;
}

/** Returns the number of batches of kernels: more with TCPLAN_TEST_LONG. */
static int batches(void) {
    const char *given = getenv("TCPLAN_TEST_LONG");
    return given ? (int)strtol(given, NULL, 10) : 1;
}

static void add_wrapper(struct strbuf *out, int number, enum tcplan_dtype dtype,
                        const char *suffix) {
    const bool is_single = dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
    const char *type = is_single ? "float" : "double";
    strbuf_add(out, "int call_%d%s(const void *a, const void *b, void *c);\n", number, suffix);
    strbuf_add(out, "int call_%d%s(const void *a, const void *b, void *c) {\n", number, suffix);
    strbuf_add(out, "    kernel_%d%s((const %s *)a, (const %s *)b, (%s *)c);\n    return 0;\n}\n\n",
               number, suffix, type, type, type);
}

/** Draws a register tile that a name may contain, an unrolling, or both. Large ones are rare,
 * because they take long to compile. */
static struct tcplan_register_tile draw_tile(uint64_t *random) {
    const bool is_large = rng_below(random, 8) == 0;
    struct tcplan_register_tile tile = {
        .vectors = (uint8_t)(1 + rng_below(random, is_large ? TCPLAN_MAX_VECTORS : 4)),
        .columns = (uint8_t)(1 + rng_below(random, is_large ? 12 : 6)),
        .unroll = (uint8_t)rng_below(random, 6)};
    if (tile.unroll > 0 && rng_below(random, 4) == 0) tile.vectors = tile.columns = 0;
    return tile;
}

/** Returns the text of a C file of random kernels. Kernels with even numbers have the default tile,
 * others a random one; each is emitted for all instruction sets, and for the generic one only. */
static char *file_of(const struct emitted_gemm *gemm, int count, uint64_t *random) {
    struct strbuf text = {0};
    strbuf_add(&text, "/*\n * link: -lm\n */\n");
    emitted_add_common(&text);
    for (int g = 0; g < count; g++) {
        struct emitted_gemm own = gemm[g];
        if (g % 2) own.tile = draw_tile(random);
        char name[32];
        snprintf(name, sizeof name, "kernel_%d", g);
        emitted_add_gemm(&text, name, &own,
                         g % 3 == 2   ? 1U << EMITTED_PLAIN
                         : g % 3 == 0 ? AVX2
                                      : ALL_SETS);
        add_wrapper(&text, g, gemm[g].dtype, "");
    }
    char *finished = strbuf_finish(&text);
    assert_non_null(finished);
    return finished;
}

static void call(const void *context, const void *a, const void *b, void *c) {
    (*(emitted_function *const *)context)(a, b, c);
}

static void kernels_agree_with_naive_loops(void **state) {
    uint64_t random = seed();
    (void)state;
    for (int b = 0; b < batches(); b++) {
        struct emitted_gemm gemm[KERNELS];
        for (int g = 0; g < KERNELS; g++) gemm[g] = random_gemm(&random);
        char *text = file_of(gemm, KERNELS, &random);
        struct emitted *built = emitted_build_unoptimized(b % 2 == 0 ? NULL : "clang", text);
        for (int g = 0; g < KERNELS; g++) {
            char name[32];
            snprintf(name, sizeof name, "call_%d", g);
            emitted_function *const function = emitted_find(built, name);
            for (int a = 0; a < ALIGNMENTS; a++)
                random_gemm_check(&gemm[g], call, &function, g, &random);
        }
        emitted_free(built);
        free(text);
    }
    print_message("%d checks of %d kernels of products, compiled: all exact\n",
                  batches() * KERNELS * ALIGNMENTS, batches() * KERNELS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_agree_with_naive_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
