/* Emitted C of random block-sparse products agrees with dense loops, in every way. */
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "blocks/structure.h"
#include "gen/emit/joined.h"
#include "support/emitted.h"
#include "support/random_blocks.h"

enum { PRODUCTS_IN_FILE = 24, WAYS = 6 };

static const char *const ways[WAYS] = {"blocks", "grouped", "fused", "mixed", "dense", "packed"};

static struct tcplan_planner *planner;

static int begin(void **state) {
    (void)state;
    return tcplan_planner_new(&planner, NULL) == TCPLAN_OK &&
                   tcplan_planner_set_effort(planner, TCPLAN_EFFORT_ESTIMATE, NULL) == TCPLAN_OK
               ? 0
               : -1;
}

static int end(void **state) {
    (void)state;
    tcplan_planner_free(planner);
    return 0;
}

/** Makes the product of a seed, with alpha and beta of the product itself, which emitted code
 * contains. */
static void make(struct random_blocks *blocks, uint64_t seed) {
    static const double alphas[] = {1, 1, 2}, betas[] = {0, 1, 3};
    random_blocks_make(blocks, seed);
    blocks->product->contraction->alpha = (struct tcplan_scalar){alphas[seed % 3], 0};
    blocks->product->contraction->beta = (struct tcplan_scalar){betas[seed / 3 % 3], 0};
}

/** Emits a product, computed in a given way, as the function NAME and related functions; NULL if
 * the product cannot be computed in that way. */
static char *emit(uint64_t seed, const char *way, const char *name, bool with_main) {
    struct random_blocks blocks;
    struct tcplan_block_plan *plan = NULL;
    struct tcplan_error error = {0};
    char *text = NULL;
    make(&blocks, seed);
    const enum tcplan_status status =
        tcplan_block_plan_named(&plan, planner, blocks.product, way, &error);
    if (status == TCPLAN_OK) {
        const struct tcplan_block_emit_options options = {.function = name, .with_main = with_main};
        if (tcplan_block_plan_emit(&text, plan, &options, &error) != TCPLAN_OK)
            fail_msg("seed %llu, %s: %s", (unsigned long long)seed, way, error.message);
    } else if (status != TCPLAN_NOT_APPLICABLE) {
        fail_msg("seed %llu, %s: %s", (unsigned long long)seed, way, error.message);
    }
    tcplan_block_plan_free(plan);
    random_blocks_free(&blocks);
    return text;
}

/** Calls the function of a product and compares the result with dense loops. */
static void call(const struct emitted *emitted, uint64_t seed, const char *way, const char *name) {
    struct random_blocks blocks;
    union {
        emitted_function *found;
        int (*call)(const void *const A[], const void *const B[], void *const C[]);
    } function = {emitted_find(emitted, name)};
    make(&blocks, seed);
    random_blocks_compute(&blocks, blocks.product->contraction->alpha.re,
                          blocks.product->contraction->beta.re);
    struct random_subject *subject = blocks.subject;
    assert_int_equal(function.call((const void *const *)subject[0].block,
                                   (const void *const *)subject[1].block, subject[2].block),
                     0);
    random_blocks_check(&blocks, seed, way);
    random_blocks_free(&blocks);
}

/** Compiles products of several seeds, each in every way, as one file, and calls them. */
static void check(uint64_t first) {
    struct strbuf text = {0}, head = {0};
    struct emit_joined joined = {0};
    bool has[PRODUCTS_IN_FILE][WAYS] = {{false}};
    char name[32];
    for (int n = 0; n < PRODUCTS_IN_FILE; n++) {
        for (int w = 0; w < WAYS; w++) {
            snprintf(name, sizeof name, "f%d_%s", n, ways[w]);
            char *emitted = emit(first + (uint64_t)n, ways[w], name, false);
            if (!emitted) continue;
            has[n][w] = true;
            const char *links = strstr(emitted, "link: ");
            assert_non_null(links);
            emit_joined_add_links(&joined, links + strlen("link: "));
            strbuf_append(&text, emitted, strlen(emitted));
            free(emitted);
        }
    }
    strbuf_add(&head, "/*\n * ");
    emit_joined_link(&head, &joined);
    strbuf_add(&head, " */\n");
    strbuf_append(&head, text.text, text.length);
    struct emitted *emitted = emitted_build_unoptimized(NULL, head.text);
    for (int n = 0; n < PRODUCTS_IN_FILE; n++) {
        for (int w = 0; w < WAYS; w++) {
            snprintf(name, sizeof name, "f%d_%s", n, ways[w]);
            if (has[n][w]) call(emitted, first + (uint64_t)n, ways[w], name);
        }
    }
    emitted_free(emitted);
    emit_joined_free(&joined);
    strbuf_free(&text);
    strbuf_free(&head);
}

static void emitted_products_agree_with_dense_loops(void **state) {
    const char *count = getenv("TCPLAN_BLOCK_PRODUCTS"), *first = getenv("TCPLAN_BLOCK_SEED");
    const uint64_t products = count ? strtoull(count, NULL, 10) : 2 * PRODUCTS_IN_FILE;
    const uint64_t seed = first ? strtoull(first, NULL, 10) : 1;
    (void)state;
    for (uint64_t n = 0; n < products; n += PRODUCTS_IN_FILE) check(seed + n);
}

/** Emitted drivers check their results without the table of pairs: they find the terms of each
 * element from section numbers. */
static void drivers_check_the_result(void **state) {
    char output[512];
    int ran = 0;
    (void)state;
    for (uint64_t seed = 3; ran < 4; seed += 5) {
        char *text = emit(seed, ran % 2 == 0 ? "fused" : "blocks", NULL, true);
        if (!text) continue;
        if (emitted_run(NULL, text, output, sizeof output) != 0 ||
            !strstr(output, "contract: check passed"))
            fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, output, text);
        free(text);
        ran++;
    }
}

/** A driver reports an error if the table of pairs in its function is wrong. */
static void a_wrong_table_fails_the_check(void **state) {
    char output[512];
    (void)state;
    for (uint64_t seed = 1;; seed++) {
        char *text = emit(seed, "blocks", NULL, true);
        char *runs = text ? strstr(text, "contract_runs[] = {\n    {") : NULL;
        char *pairs = runs ? strstr(runs, "contract_pairs[][2] = {\n    {0, 0}, {1, ") : NULL;
        if (pairs) {
            char *factor = strstr(pairs, "{1, ");
            factor[1] = '0';
            assert_int_equal(emitted_run(NULL, text, output, sizeof output), 1);
            assert_non_null(strstr(output, "check FAILED"));
        }
        free(text);
        if (pairs) return;
    }
}

static void plans_of_several_threads_are_refused(void **state) {
    struct tcplan_planner *two = NULL;
    struct tcplan_block_plan *plan = NULL;
    struct tcplan_error error = {0};
    struct random_blocks blocks;
    char *text = NULL;
    (void)state;
    assert_int_equal(tcplan_planner_new(&two, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_effort(two, TCPLAN_EFFORT_ESTIMATE, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_oversubscription(two, true, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_threads(two, 2, NULL), TCPLAN_OK);
    make(&blocks, 1);
    assert_int_equal(tcplan_block_plan_named(&plan, two, blocks.product, "blocks", &error),
                     TCPLAN_OK);
    assert_int_equal(tcplan_block_plan_emit(&text, plan, NULL, &error), TCPLAN_NOT_APPLICABLE);
    assert_string_equal(error.message,
                        "emitted block-sparse products use one thread; the plan has 2");
    tcplan_block_plan_free(plan);
    random_blocks_free(&blocks);
    tcplan_planner_free(two);
}

/** Makes C for `D=2*A*B*C+3*D`, whose products are outer ones, sums and copies. */
static char *emit_expression(enum tcplan_dtype dtype, const char *sections) {
    static const char *const index[] = {"i", "j", "k", "l", "x"};
    static const int dims[4][3] = {{0, 4, 1}, {1, 2}, {4, 2, 3}, {3, 0}};
    const struct tcplan_block_operand operand[] = {{"L", 3, dims[0], true},
                                                   {"M", 2, dims[1], false},
                                                   {"N", 3, dims[2], false},
                                                   {"D", 2, dims[3], false}};
    const struct tcplan_block_formula formula = {.index = index,
                                                 .index_count = 5,
                                                 .operand = operand,
                                                 .count = 4,
                                                 .alpha = {2, 0},
                                                 .beta = {0.5, 0}};
    const struct tcplan_block_text text = {.sections = sections,
                                           .charge = "L:i+x-j=0; M:j-k=0; N:k+x-l=0"};
    struct tcplan_block_expression *expression = NULL;
    struct tcplan_error error = {0};
    char *out = NULL;
    const struct tcplan_block_emit_options options = {.function = "chain", .with_main = true};
    if (tcplan_block_expression_parse(&expression, planner, &formula, &text, dtype, NULL, &error) !=
            TCPLAN_OK ||
        tcplan_block_expression_emit(&out, expression, &options, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    tcplan_block_expression_free(expression);
    return out;
}

static void drivers_of_expressions_check_the_result(void **state) {
    static const char *const sections[] = {"i=j=k=l=3@0+4@1+2@-1 x=2@0+3@1", "i=k=x=1@0 j=l=2@0",
                                           "i=l=5@1 j=k=2@2+4@3 x=1@1+1@2",
                                           "i=j=k=l=x=2@0+3@0+1@1"};
    char output[512];
    (void)state;
    for (int d = 0; d < TCPLAN_DTYPES; d++) {
        char *text = emit_expression((enum tcplan_dtype)d, sections[d]);
        if (emitted_run(NULL, text, output, sizeof output) != 0 ||
            !strstr(output, "chain: check passed"))
            fail_msg("%s\n%s", output, text);
        free(text);
    }
}

/** A function that omits a product does not find the result of the products. */
static void a_missing_product_fails_the_check(void **state) {
    char output[512];
    (void)state;
    char *text = emit_expression(TCPLAN_DOUBLE, "i=j=k=l=3@0+4@1 x=2@0");
    char *call = strstr(text, "    if (!status) status = chain_step2(");
    assert_non_null(call);
    *strchr(call, '!') = ' ';
    assert_int_equal(emitted_run(NULL, text, output, sizeof output), 1);
    assert_non_null(strstr(output, "chain: check FAILED"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(emitted_products_agree_with_dense_loops),
        cmocka_unit_test(drivers_check_the_result),
        cmocka_unit_test(a_wrong_table_fails_the_check),
        cmocka_unit_test(drivers_of_expressions_check_the_result),
        cmocka_unit_test(a_missing_product_fails_the_check),
        cmocka_unit_test(plans_of_several_threads_are_refused),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
