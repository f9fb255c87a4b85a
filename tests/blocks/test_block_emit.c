/* Tests that emitted C of random block-sparse products agrees with dense loops, for every way. */
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

/** Makes C for `D=2*A*B*C+3*D`, whose products are outer ones, sums and copies. */
static char *emit_expression(enum tcplan_dtype dtype, const char *sections,
                             struct tcplan_planner *used) {
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
    if (tcplan_block_expression_parse(&expression, used, &formula, &text, dtype, NULL, &error) !=
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
        char *text = emit_expression((enum tcplan_dtype)d, sections[d], planner);
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
    char *text = emit_expression(TCPLAN_DOUBLE, "i=j=k=l=3@0+4@1 x=2@0", planner);
    char *call = strstr(text, "    if (!status) status = chain_step2(");
    assert_non_null(call);
    *strchr(call, '!') = ' ';
    assert_int_equal(emitted_run(NULL, text, output, sizeof output), 1);
    assert_non_null(strstr(output, "chain: check FAILED"));
    free(text);
}

static struct tcplan_planner *planner_of_two_threads(void) {
    struct tcplan_planner *two = NULL;
    assert_int_equal(tcplan_planner_new(&two, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_effort(two, TCPLAN_EFFORT_ESTIMATE, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_oversubscription(two, true, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_threads(two, 2, NULL), TCPLAN_OK);
    return two;
}

/** A product for two threads, and what its code must contain: the rows of the shares that all
 * threads compute together and that thread 0 computes, or how the threads divide the work. */
static const struct shared_case {
    const char *contraction, *sections, *charge, *way, *contains;
    enum tcplan_dtype dtype;
} shared_cases[] = {
    {"C_ij=2*A_ik*B_kj+3*C_ij", "i=j=k=60+50+40", NULL, "blocks", "    {0, 0, 0},\n    {0, 0, 0}",
     TCPLAN_DOUBLE},
    {"C_ij=A_ik*B_kj", "i=j=k=120+20+10", NULL, "blocks", "    {0, 0, 0},\n    {0, 3, 3}",
     TCPLAN_FLOAT},
    {"C_ij=A_ik*B_kj+3*C_ij", "i=j=k=6x24", NULL, "grouped", "    {0, 18, 108}", TCPLAN_DOUBLE},
    {"C_ij=A_ki*B_jk+3*C_ij", "i=j=k=4x20@0+4x20@1+4x20@2+4x20@3", "A:i-k=0; B:k-j=0", "fused",
     "    {0, 0, 0},\n    {2, 0, 0},\n    {4, 0, 0}", TCPLAN_DOUBLE_COMPLEX},
    {"C_ij=A_ki*B_jk", "i=j=k=90@0+90@0+20@1+20@1+15@2", "A:i-k=0; B:k-j=0", "fused",
     "    {0, 0, 0},\n    {1, 0, 0}", TCPLAN_FLOAT_COMPLEX},
    {"C_ij=A_ki*B_jk+2*C_ij", "i=j=40@1+100@2 k=100@1+200@2", "A:i-k=0; B:k-j=0", "dense",
     "matrix->threads);", TCPLAN_DOUBLE},
    {"C_abij=2*A_aick*B_kcbj+3*C_abij", "a=b=12@0+9@1 i=j=10@0+13@1 c=k=7@0+16@1",
     "A:a+i-c-k=0; B:k+c-b-j=0", "packed", "_copy_in, &copies_a, FACTORS_A, 2);", TCPLAN_DOUBLE},
    {"C_ij=2*A_ik*B_kj+3*C_ij", "i=j=k=3+4", NULL, "blocks", "_shares[] = {\n    {0, 0, 0},\n",
     TCPLAN_DOUBLE},
};

enum { SHARED_CASES = sizeof shared_cases / sizeof *shared_cases };

static char *emit_shared(struct tcplan_planner *two, const struct shared_case *wanted,
                         const char *name) {
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_block_product *product = NULL;
    struct tcplan_block_plan *plan = NULL;
    struct tcplan_error error = {0};
    const struct tcplan_block_text text = {.sections = wanted->sections, .charge = wanted->charge};
    const struct tcplan_block_emit_options options = {.function = name, .with_main = true};
    const char *wrong = NULL;
    char *out = NULL;
    if (tcplan_contraction_parse(&contraction, wanted->contraction, TCPLAN_ROW_MAJOR, &error) !=
            TCPLAN_OK ||
        tcplan_block_product_parse(&product, contraction, &text, wanted->dtype, &wrong, &error) !=
            TCPLAN_OK ||
        tcplan_block_plan_named(&plan, two, product, wanted->way, &error) != TCPLAN_OK ||
        tcplan_block_plan_emit(&out, plan, &options, &error) != TCPLAN_OK)
        fail_msg("%s: %s", wanted->way, error.message);
    tcplan_block_plan_free(plan);
    tcplan_block_product_free(product);
    tcplan_contraction_free(contraction);
    return out;
}

/** The driver of a plan for two threads finds the result, whether all threads compute a block
 * together, each its own, or one thread everything. */
static void two_threads_agree_with_the_sums(void **state) {
    struct tcplan_planner *two = planner_of_two_threads();
    char name[SHARED_CASES][8], *text[SHARED_CASES];
    const char *title[SHARED_CASES];
    (void)state;
    for (int n = 0; n < SHARED_CASES; n++) {
        snprintf(name[n], sizeof name[n], "f%d", n);
        title[n] = name[n];
        text[n] = emit_shared(two, &shared_cases[n], name[n]);
        if (!strstr(text[n], shared_cases[n].contains))
            fail_msg("%s does not contain '%s':\n%.200s", shared_cases[n].way,
                     shared_cases[n].contains, strstr(text[n], "_shares[] = {"));
        if (n + 1 < SHARED_CASES)
            assert_non_null(strstr(text[n], "team_run(threads, "));
        else
            assert_null(strstr(text[n], "team_run(")); /* the product is too small to share */
    }
    emitted_check_drivers(emitted_run, NULL, text, SHARED_CASES, title);
    for (int n = 0; n < SHARED_CASES; n++) free(text[n]);
    tcplan_planner_free(two);
}

/** A row that no share has leaves a block incomplete, which the driver finds. */
static void a_missing_share_fails_the_check(void **state) {
    struct tcplan_planner *two = planner_of_two_threads();
    char *text = emit_shared(two, &shared_cases[0], "contract"), output[512];
    char *shares = strstr(text, "    {0, 27, 27}");
    (void)state;
    assert_non_null(shares);
    memcpy(shares, "    {0, 26, 26}", strlen("    {0, 26, 26}"));
    assert_int_equal(emitted_run(NULL, text, output, sizeof output), 1);
    assert_non_null(strstr(output, "check FAILED"));
    free(text);
    tcplan_planner_free(two);
}

static void two_threads_compute_an_expression(void **state) {
    struct tcplan_planner *two = planner_of_two_threads();
    char *text = emit_expression(TCPLAN_DOUBLE, "i=j=k=l=30@0+40@1+20@-1 x=2@0+3@1", two);
    char output[512];
    (void)state;
    assert_non_null(strstr(text, "team_run(threads, chain_step2_divide_team"));
    if (emitted_run(NULL, text, output, sizeof output) != 0 ||
        !strstr(output, "chain: check passed"))
        fail_msg("%s", output);
    free(text);
    tcplan_planner_free(two);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(emitted_products_agree_with_dense_loops),
        cmocka_unit_test(drivers_check_the_result),
        cmocka_unit_test(a_wrong_table_fails_the_check),
        cmocka_unit_test(drivers_of_expressions_check_the_result),
        cmocka_unit_test(a_missing_product_fails_the_check),
        cmocka_unit_test(two_threads_agree_with_the_sums),
        cmocka_unit_test(a_missing_share_fails_the_check),
        cmocka_unit_test(two_threads_compute_an_expression),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
