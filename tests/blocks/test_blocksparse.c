/*
 * Compares block-sparse products with loops over dense tensors, for every way to compute them. Also
 * tests that invalid lists of blocks are refused.
 */
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "blocks/block_plan.h"
#include "blocks/structure.h"
#include "support/random_blocks.h"
#include "tcplan/blocksparse.h"

static struct tcplan_planner *planner, *planner_of_three; /* threads */

static int begin(void **state) {
    (void)state;
    struct tcplan_planner **const made[] = {&planner, &planner_of_three};
    for (size_t p = 0; p < 2; p++) {
        if (tcplan_planner_new(made[p], NULL) != TCPLAN_OK ||
            tcplan_planner_set_effort(*made[p], TCPLAN_EFFORT_ESTIMATE, NULL) != TCPLAN_OK)
            return -1;
    }
    return tcplan_planner_set_oversubscription(planner_of_three, true, NULL) == TCPLAN_OK &&
                   tcplan_planner_set_threads(planner_of_three, 3, NULL) == TCPLAN_OK
               ? 0
               : -1;
}

static int end(void **state) {
    (void)state;
    tcplan_planner_free(planner);
    tcplan_planner_free(planner_of_three);
    return 0;
}

/** Plans a random product, in a way of this name unless it is NULL; NULL if the way cannot compute
 * it. */
static struct tcplan_block_plan *make_plan(const struct random_blocks *blocks, uint64_t seed,
                                           const char *way) {
    struct tcplan_planner *chosen = seed % 40 == 0 ? planner_of_three : planner;
    struct tcplan_block_plan *plan = NULL;
    struct tcplan_error error = {0};
    const enum tcplan_status status =
        way ? tcplan_block_plan_named(&plan, chosen, blocks->product, way, &error)
            : tcplan_block_plan_new(&plan, chosen, blocks->product, &error);
    if (status != TCPLAN_OK && !(way && status == TCPLAN_NOT_APPLICABLE))
        fail_msg("seed %llu: %s", (unsigned long long)seed, error.message);
    return plan;
}

/** Executes a candidate of a plan, and compares the result with the expected one. */
static void run_candidate(struct random_blocks *blocks, uint64_t seed,
                          struct tcplan_block_plan *plan, int way, double complex alpha,
                          double complex beta) {
    struct tcplan_error error = {0};
    double factor[2][2];
    random_blocks_set(factor[0], 0, blocks->dtype, alpha);
    random_blocks_set(factor[1], 0, blocks->dtype, beta);
    random_blocks_reset(blocks);
    const struct block_run run = {.plan = plan,
                                  .alpha = factor[0],
                                  .beta = factor[1],
                                  .A = (const void *const *)blocks->subject[0].block,
                                  .B = (const void *const *)blocks->subject[1].block,
                                  .D = blocks->subject[2].block};
    const struct block_candidate *candidate = &plan->candidate[way];
    if (block_plan_run(&run, candidate, &error) != TCPLAN_OK)
        fail_msg("seed %llu, %s: %s", (unsigned long long)seed, candidate->figures.way,
                 error.message);
    random_blocks_check(blocks, seed, candidate->figures.way);
}

/** Checks one random block-sparse product in every way that can compute it; returns whether blocks
 * can be packed once. Most products are planned once for all ways, every tenth once for each. */
static bool check(uint64_t seed) {
    static const char *const names[] = {"blocks", "grouped", "fused", "mixed", "dense", "packed"};
    struct random_blocks blocks;
    struct tcplan_block_plan *plan = NULL;
    unsigned ways = 0;
    random_blocks_make(&blocks, seed);
    const double complex alpha = 2 - (tcplan_dtype_is_complex(blocks.dtype) ? 1 : 0) * I,
                         beta = seed / 7 % 2 == 0 ? 3 : 0;
    random_blocks_compute(&blocks, alpha, beta);
    if (seed % 10 != 0) {
        plan = make_plan(&blocks, seed, NULL);
        assert_int_equal(decide_ways(&ways, plan, NULL, 0, NULL), TCPLAN_OK);
        assert_int_equal(pairwise_prepare_for(plan, NULL, NULL), TCPLAN_OK);
        for (int w = 0; w < BLOCK_CANDIDATES; w++)
            if (ways >> w & 1U) run_candidate(&blocks, seed, plan, w, alpha, beta);
    }
    for (int n = 0; n < BLOCK_CANDIDATES && seed % 10 == 0; n++) {
        tcplan_block_plan_free(plan);
        plan = make_plan(&blocks, seed, names[n]);
        if (plan) run_candidate(&blocks, seed, plan, plan->chosen, alpha, beta);
        ways |= (plan ? 1U : 0U) << n;
    }
    tcplan_block_plan_free(plan);
    random_blocks_free(&blocks);
    return ways >> WAY_PACKED & 1U;
}

/** Checks TCPLAN_BLOCK_PRODUCTS products, from the seed TCPLAN_BLOCK_SEED on. With the former set,
 * as by scripts/torture, no other test runs. */
static void random_products_agree_with_dense_loops(void **state) {
    const char *count = getenv("TCPLAN_BLOCK_PRODUCTS"), *first = getenv("TCPLAN_BLOCK_SEED");
    const uint64_t products = count ? strtoull(count, NULL, 10) : 1000;
    const uint64_t seed = first ? strtoull(first, NULL, 10) : 1;
    uint64_t packed = 0;
    (void)state;
    for (uint64_t n = 0; n < products; n++) packed += check(seed + n);
    assert_true(packed > products / 10);
}

/* Lists. */

/** A product of matrices with 2 by 2 blocks, `D_ij=A_ik*B_kj`. */
struct matrices {
    int64_t label[3][2], extent[4];
    int sections[2];
    struct tcplan_block_tensor tensor[3];
};

static void make_matrices(struct matrices *out) {
    *out = (struct matrices){
        .label = {{'i', 'k'}, {'k', 'j'}, {'i', 'j'}}, .extent = {2, 3, 2, 3}, .sections = {2, 2}};
    for (int t = 0; t < 3; t++)
        out->tensor[t] = (struct tcplan_block_tensor){.rank = 2,
                                                      .label = out->label[t],
                                                      .sections = out->sections,
                                                      .extent = out->extent,
                                                      .blocks = TCPLAN_BLOCKS_ALL};
}

static enum tcplan_status make(struct tcplan_block_product **out, const struct matrices *matrices,
                               struct tcplan_error *error) {
    return tcplan_block_product_make(out, &matrices->tensor[0], &matrices->tensor[1],
                                     &matrices->tensor[2], TCPLAN_DOUBLE, TCPLAN_ROW_MAJOR, error);
}

static void refuse(const struct matrices *matrices, const char *message) {
    struct tcplan_block_product *product = NULL;
    struct tcplan_error error = {0};
    assert_int_equal(make(&product, matrices, &error), TCPLAN_INVALID);
    assert_string_equal(error.message, message);
    assert_null(product);
}

static void bad_lists_are_refused(void **state) {
    static const int32_t twice[] = {0, 1, 1, 0, 0, 1}, beyond[] = {0, 2};
    const int64_t other[] = {2, 3, 2, 4};
    struct matrices m;
    (void)state;
    make_matrices(&m);
    m.tensor[0].coordinate = twice;
    m.tensor[0].blocks = 3;
    refuse(&m, "blocks 0 and 2 of A are the same, A(0,1); list each block once");
    make_matrices(&m);
    m.tensor[1].coordinate = beyond;
    m.tensor[1].blocks = 1;
    refuse(&m, "block 0 of B has section 2 of index 'j'; expected 0 to 1");
    make_matrices(&m);
    m.tensor[2].extent = other;
    refuse(&m, "section 1 of dimension 2 of D has extent 4; this index has 3 in another tensor");
    make_matrices(&m);
    m.extent[0] = m.extent[2] = 0;
    refuse(&m, "section 0 of index 'i' has extent 0; expected 1 to 2147483647");
}

static void all_blocks_that_the_product_reaches_are_found(void **state) {
    static const int32_t a[] = {0, 0}, b[] = {0, 1, 1, 0};
    struct tcplan_block_product *product = NULL;
    struct matrices m;
    (void)state;
    make_matrices(&m);
    m.tensor[0].coordinate = a;
    m.tensor[0].blocks = 1;
    m.tensor[1].coordinate = b;
    m.tensor[1].blocks = 2;
    m.tensor[2].blocks = TCPLAN_BLOCKS_REACHED;
    assert_int_equal(make(&product, &m, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_block_product_blocks(product, TCPLAN_C), 1);
    assert_int_equal(tcplan_block_product_coordinate(product, TCPLAN_C, 0)[0], 0);
    assert_int_equal(tcplan_block_product_coordinate(product, TCPLAN_C, 0)[1], 1);
    assert_int_equal(tcplan_block_product_pairs(product), 1);
    tcplan_block_product_free(product);
}

static void offsets_are_checked(void **state) {
    const int64_t outside[] = {0, 4, 10, 17}, overlapping[] = {0, 4, 9, 16},
                  good[] = {0, 4, 10, 16};
    struct tcplan_block_product *product = NULL;
    struct tcplan_error error = {0};
    struct matrices m;
    double buffer[25];
    void *pointer[4];
    (void)state;
    make_matrices(&m);
    assert_int_equal(make(&product, &m, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_block_pointers(pointer, product, TCPLAN_C, buffer, 25, good, &error),
                     TCPLAN_OK);
    assert_ptr_equal(pointer[2], buffer + 10);
    assert_int_equal(tcplan_block_pointers(pointer, product, TCPLAN_C, buffer, 25, NULL, &error),
                     TCPLAN_OK);
    assert_ptr_equal(pointer[3], buffer + 16);
    assert_int_equal(tcplan_block_pointers(pointer, product, TCPLAN_C, buffer, 25, outside, &error),
                     TCPLAN_INVALID);
    assert_string_equal(error.message,
                        "block 3, C(1,1) at offset 17, exceeds the buffer of 25 elements");
    assert_int_equal(
        tcplan_block_pointers(pointer, product, TCPLAN_C, buffer, 25, overlapping, &error),
        TCPLAN_INVALID);
    assert_string_equal(error.message,
                        "block 2 of the result, C(1,0) at offset 9, overlaps an earlier one");
    tcplan_block_product_free(product);
}

static void the_choice_is_one_of_the_candidates(void **state) {
    struct tcplan_block_product *product = NULL;
    struct tcplan_block_plan *plan = NULL;
    struct tcplan_block_candidate figures;
    struct tcplan_planner *timing = NULL;
    struct matrices m;
    (void)state;
    make_matrices(&m);
    assert_int_equal(tcplan_planner_new(&timing, NULL), TCPLAN_OK);
    assert_int_equal(make(&product, &m, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_block_plan_new(&plan, timing, product, NULL), TCPLAN_OK);
    assert_true(tcplan_block_plan_candidate(plan, 0, &figures));
    assert_true(figures.chosen);
    assert_true(figures.predicted_seconds > 0);
    assert_string_equal(figures.way, tcplan_block_plan_way(plan));
    assert_false(tcplan_block_plan_candidate(plan, tcplan_block_plan_candidates(plan), &figures));
    char *text = tcplan_block_plan_describe(plan);
    assert_non_null(strstr(text, "<- chosen"));
    free(text);
    tcplan_block_product_free(product); /* the plan stays valid without the product */
    tcplan_block_plan_free(plan);
    tcplan_planner_free(timing);
}

/** Blocks have disjoint places in the matrices of their tensors, unless they differ only in an
 * index that no other tensor has. */
static void places_of_blocks_do_not_overlap(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct random_blocks blocks;
        struct tcplan_block_plan *plan = NULL;
        struct tcplan_block_place place[3][RANDOM_BLOCKS_MOST];
        struct tcplan_block_place *const out[3] = {place[0], place[1], place[2]};
        int64_t in_pairs = 0;
        random_blocks_make(&blocks, seed);
        const struct tcplan_contraction *contraction = blocks.product->contraction;
        const bool sums = tcplan_contraction_indices(contraction, TCPLAN_SUMMED_A) != 0 ||
                          tcplan_contraction_indices(contraction, TCPLAN_SUMMED_B) != 0;
        assert_int_equal(tcplan_block_plan_named(&plan, planner, blocks.product, "blocks", NULL),
                         TCPLAN_OK);
        assert_int_equal(tcplan_block_plan_places(out, plan, NULL), TCPLAN_OK);
        for (int t = 0; t < 3; t++) {
            for (int64_t a = 0; a < blocks.subject[t].tensor.blocks; a++) {
                const struct tcplan_block_place *x = &place[t][a];
                for (int64_t b = 0; b < a; b++) {
                    const struct tcplan_block_place *y = &place[t][b];
                    const bool same = x->row == y->row && x->column == y->column;
                    const bool apart = x->row >= y->row + y->rows || y->row >= x->row + x->rows ||
                                       x->column >= y->column + y->columns ||
                                       y->column >= x->column + x->columns;
                    assert_true(sums || (apart && !same));
                }
                in_pairs += t == TCPLAN_C && x->way != NULL;
            }
        }
        assert_int_equal(in_pairs, blocks.subject[2].tensor.blocks -
                                       tcplan_block_product_unreached(blocks.product));
        tcplan_block_plan_free(plan);
        random_blocks_free(&blocks);
    }
}

enum { WIDE_SECTIONS = 4, WIDE_BLOCKS = WIDE_SECTIONS * WIDE_SECTIONS };

/** Multiplies matrices of 4 by 4 blocks in a given way. The first section has 200 rows and the
 * others 40, so that the work is long enough to be shared by threads. Returns false if the way
 * cannot compute the product. */
static bool multiply_wide(double *result, struct tcplan_planner *own, const char *way) {
    static const int64_t label[3][2] = {{'i', 'k'}, {'k', 'j'}, {'i', 'j'}};
    static const int sections[2] = {WIDE_SECTIONS, WIDE_SECTIONS};
    static const int64_t extent[2 * WIDE_SECTIONS] = {200, 40, 40, 40, 200, 40, 40, 40};
    enum { ELEMENTS = 200 * 200 };
    static double factor[WIDE_BLOCKS * ELEMENTS];
    struct tcplan_block_tensor tensor[3];
    struct tcplan_block_product *product = NULL;
    struct tcplan_block_plan *plan = NULL;
    void *pointer[2][WIDE_BLOCKS];
    for (int t = 0; t < 3; t++)
        tensor[t] = (struct tcplan_block_tensor){.rank = 2,
                                                 .label = label[t],
                                                 .sections = sections,
                                                 .extent = extent,
                                                 .blocks = TCPLAN_BLOCKS_ALL};
    for (int n = 0; n < WIDE_BLOCKS * ELEMENTS; n++) factor[n] = n % 7 - 3;
    for (int b = 0; b < WIDE_BLOCKS; b++) {
        pointer[0][b] = &factor[(size_t)b * ELEMENTS];
        pointer[1][b] = &result[(size_t)b * ELEMENTS];
    }
    assert_int_equal(tcplan_block_product_make(&product, &tensor[0], &tensor[1], &tensor[2],
                                               TCPLAN_DOUBLE, TCPLAN_ROW_MAJOR, NULL),
                     TCPLAN_OK);
    const enum tcplan_status status = tcplan_block_plan_named(&plan, own, product, way, NULL);
    if (status == TCPLAN_OK)
        assert_int_equal(tcplan_block_plan_execute(plan, (const void *const *)pointer[0],
                                                   (const void *const *)pointer[0], pointer[1],
                                                   NULL),
                         TCPLAN_OK);
    tcplan_block_plan_free(plan);
    tcplan_block_product_free(product);
    return status == TCPLAN_OK;
}

/** Values are integers, so that sums are exact in any order. */
static void threads_share_long_work(void **state) {
    static double one[WIDE_BLOCKS * 200 * 200], three[WIDE_BLOCKS * 200 * 200];
    static const char *const ways[] = {"blocks", "grouped", "fused", "mixed"};
    int ran = 0;
    (void)state;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        memset(one, 0, sizeof one);
        memset(three, 0, sizeof three);
        if (!multiply_wide(one, planner, ways[w])) continue;
        assert_true(multiply_wide(three, planner_of_three, ways[w]));
        assert_memory_equal(one, three, sizeof one);
        ran++;
    }
    assert_true(ran >= 2 && one[0] != 0);
}

/** Measured ways are executed in the same rounds; the fastest is chosen. */
static void measured_ways_are_compared(void **state) {
    static const char *const two[] = {"fused", "blocks"}, *const wrong[] = {"sideways"};
    struct tcplan_block_product *product = NULL;
    struct tcplan_block_plan *plan = NULL;
    struct tcplan_block_candidate figures;
    struct tcplan_error error;
    struct matrices m;
    double ratio, low, high, back;
    int measured = 0;
    (void)state;
    make_matrices(&m);
    assert_int_equal(make(&product, &m, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_block_plan_measure(&plan, planner, product, two, 2, NULL), TCPLAN_OK);
    for (int n = 0; tcplan_block_plan_candidate(plan, n, &figures); n++)
        measured += figures.seconds > 0;
    assert_int_equal(measured, 2);
    assert_true(tcplan_block_plan_ratio(plan, "fused", "blocks", &ratio, &low, &high));
    assert_true(low > 0 && low <= ratio && ratio <= high);
    assert_true(tcplan_block_plan_ratio(plan, "blocks", "fused", &back, &low, &high));
    assert_true(ratio * back > 0.99 && ratio * back < 1.01);
    assert_false(tcplan_block_plan_ratio(plan, "blocks", "grouped", &ratio, &low, &high));
    tcplan_block_plan_candidate(plan, 0, &figures);
    assert_true(figures.chosen && figures.seconds == tcplan_block_plan_seconds(plan));
    tcplan_block_plan_free(plan);
    plan = NULL;
    assert_int_equal(tcplan_block_plan_measure(&plan, planner, product, wrong, 1, &error),
                     TCPLAN_INVALID);
    assert_null(plan);
    tcplan_block_product_free(product);
}

/** Plans a product of matrices with 4 by 4 blocks of 5 by 5 elements: each block of the result is a
 * sum of four products. */
static struct tcplan_block_plan *plan_squares(enum tcplan_effort effort) {
    static const int sections[] = {4, 4};
    static const int64_t extent[] = {5, 5, 5, 5, 5, 5, 5, 5};
    struct tcplan_block_product *product = NULL;
    struct tcplan_block_plan *plan = NULL;
    struct tcplan_planner *own = NULL;
    struct matrices m;
    make_matrices(&m);
    for (int t = 0; t < 3; t++) {
        m.tensor[t].sections = sections;
        m.tensor[t].extent = extent;
    }
    assert_int_equal(make(&product, &m, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_new(&own, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_effort(own, effort, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_block_plan_new(&plan, own, product, NULL), TCPLAN_OK);
    tcplan_planner_free(own);
    tcplan_block_product_free(product);
    return plan;
}

static void executions_are_compared_from_normal_on(void **state) {
    const enum tcplan_effort efforts[] = {TCPLAN_EFFORT_ESTIMATE, TCPLAN_EFFORT_QUICK,
                                          TCPLAN_EFFORT_NORMAL};
    (void)state;
    for (size_t e = 0; e < sizeof efforts / sizeof *efforts; e++) {
        struct tcplan_block_plan *plan = plan_squares(efforts[e]);
        struct tcplan_block_candidate figures;
        int considered = 0, compared = 0;
        for (int n = 0; tcplan_block_plan_candidate(plan, n, &figures); n++) {
            considered += !figures.why_not;
            compared += figures.seconds > 0;
        }
        assert_true(considered >= 1);
        if (efforts[e] <= TCPLAN_EFFORT_QUICK) assert_int_equal(compared, 0);
        tcplan_block_plan_free(plan);
    }
}

static void a_sum_of_equal_pairs_is_one_call(void **state) {
    struct tcplan_block_plan *plan = plan_squares(TCPLAN_EFFORT_ESTIMATE);
    struct tcplan_block_candidate figures;
    int found = 0;
    (void)state;
    for (int n = 0; tcplan_block_plan_candidate(plan, n, &figures); n++) {
        if (strcmp(figures.way, "blocks") == 0) assert_int_equal(figures.calls, 64);
        if (strcmp(figures.way, "grouped") != 0 || figures.why_not) continue; /* no libxsmm */
        assert_int_equal(figures.calls, 16);
        found++;
    }
    assert_true(found <= 1);
    tcplan_block_plan_free(plan);
}

/* Several tensors. */

/** Three matrices of ones, with 2 by 2 blocks: every element of their product is 25. */
static void expressions_multiply_several_tensors(void **state) {
    struct matrices ab, bc;
    struct tcplan_block_tensor tensor[3], D;
    struct tcplan_block_expression *expression = NULL;
    struct tcplan_block_step step;
    struct tcplan_error error = {0};
    static const int64_t last[2] = {'j', 'l'}, outer[2] = {'i', 'l'};
    static double memory[4][4][9];
    void *block[4][4];
    (void)state;
    make_matrices(&ab);
    make_matrices(&bc);
    tensor[0] = ab.tensor[0];
    tensor[1] = ab.tensor[1];
    tensor[2] = bc.tensor[1];
    tensor[2].label = last;
    D = ab.tensor[2];
    D.label = outer;
    D.blocks = TCPLAN_BLOCKS_REACHED;
    for (int t = 0; t < 4; t++) {
        for (int b = 0; b < 4; b++) {
            block[t][b] = memory[t][b];
            for (int e = 0; e < 9; e++) memory[t][b][e] = t < 3 ? 1 : -7;
        }
    }
    assert_int_equal(tcplan_block_expression_new(&expression, planner, tensor, 3, &D, TCPLAN_DOUBLE,
                                                 TCPLAN_ROW_MAJOR, &error),
                     TCPLAN_OK);
    const void *const *const given[3] = {(const void *const *)block[0],
                                         (const void *const *)block[1],
                                         (const void *const *)block[2]};
    for (int n = 0; n < 2; n++)
        assert_int_equal(tcplan_block_expression_execute(expression, given, block[3], &error),
                         TCPLAN_OK);
    assert_true(tcplan_block_expression_step(expression, 1, &step));
    assert_int_equal(step.result, 4);
    const struct tcplan_block_product *product = step.product;
    assert_false(tcplan_block_expression_step(expression, 2, &step));
    for (int64_t b = 0; b < 4; b++) {
        int64_t extent[2];
        tcplan_block_product_shape(product, TCPLAN_RESULT, b, extent, NULL);
        for (int64_t e = 0; e < 9; e++)
            assert_true(memory[3][b][e] == (e < extent[0] * extent[1] ? 25 : -7));
    }
    tcplan_block_expression_free(expression);
    assert_int_equal(tcplan_block_expression_new(&expression, planner, tensor, 1, &D, TCPLAN_DOUBLE,
                                                 TCPLAN_ROW_MAJOR, &error),
                     TCPLAN_INVALID);
    assert_string_equal(error.message, "expected 2 to 8 tensors, found 1");
}

/** D := 2 A B - A B + 3 D with matrices of ones of 2 + 3 rows, of which each term has other blocks:
 * the first reaches the row of blocks 0, the second only block (1, 1). */
static void sums_add_to_all_blocks_of_the_result(void **state) {
    static const int32_t of_first[] = {0, 0, 0, 1}, of_second[] = {1, 0}, of_column[] = {0, 1};
    struct matrices ab;
    struct tcplan_block_tensor tensor[4], D;
    struct tcplan_block_sum *sum = NULL;
    struct tcplan_block_step step;
    struct tcplan_error error = {0};
    static double memory[5][4][9];
    void *block[5][4];
    (void)state;
    make_matrices(&ab);
    for (int t = 0; t < 4; t++) tensor[t] = ab.tensor[t % 2];
    tensor[0].blocks = 2;
    tensor[0].coordinate = of_first;
    tensor[2].blocks = 1;
    tensor[2].coordinate = of_second;
    tensor[3].blocks = 1;
    tensor[3].coordinate = of_column;
    D = ab.tensor[2];
    D.blocks = TCPLAN_BLOCKS_REACHED;
    for (int t = 0; t < 5; t++) {
        for (int b = 0; b < 4; b++) {
            block[t][b] = memory[t][b];
            for (int e = 0; e < 9; e++) memory[t][b][e] = 1;
        }
    }
    const struct tcplan_block_term term[] = {{tensor, 2, {2, 0}}, {tensor + 2, 2, {-1, 0}}};
    assert_int_equal(tcplan_block_sum_new(&sum, planner, term, 2, &D, (struct tcplan_scalar){3, 0},
                                          TCPLAN_DOUBLE, TCPLAN_ROW_MAJOR, &error),
                     TCPLAN_OK);
    const void *const *const given[4] = {
        (const void *const *)block[0], (const void *const *)block[1], (const void *const *)block[2],
        (const void *const *)block[3]};
    assert_int_equal(tcplan_block_sum_execute(sum, given, block[4], &error), TCPLAN_OK);
    assert_true(tcplan_block_expression_step(tcplan_block_sum_term(sum, 1), 0, &step));
    assert_int_equal(tcplan_block_product_blocks(step.product, TCPLAN_RESULT), 3);
    assert_true(memory[4][0][0] == 2 * 5 + 3 && memory[4][1][0] == 2 * 5 + 3);
    assert_true(memory[4][2][0] == -2 + 3); /* the first section has two elements */
    assert_true(memory[4][3][0] == 1);
    assert_null(tcplan_block_sum_term(sum, 2));
    tcplan_block_sum_free(sum);
    assert_int_equal(tcplan_block_sum_new(&sum, planner, term, 0, &D, (struct tcplan_scalar){0, 0},
                                          TCPLAN_DOUBLE, TCPLAN_ROW_MAJOR, &error),
                     TCPLAN_INVALID);
    assert_string_equal(error.message, "expected at least one term, found 0");
}

/** D := 2 A B C + 3 D with matrices of ones, whose indices have sections of 2 and 3. */
static void expressions_as_text_have_their_factors(void **state) {
    static const char *const index[] = {"i", "j", "k", "l"};
    static const int dims[4][2] = {{0, 1}, {1, 2}, {2, 3}, {0, 3}};
    const struct tcplan_block_operand operand[] = {{"A", 2, dims[0], false},
                                                   {"B", 2, dims[1], true},
                                                   {"C", 2, dims[2], false},
                                                   {"D", 2, dims[3], false}};
    struct tcplan_block_formula formula = {.index = index,
                                           .index_count = 4,
                                           .operand = operand,
                                           .count = 4,
                                           .alpha = {2, 0},
                                           .beta = {3, 0}};
    const struct tcplan_block_text text = {.sections = "i=j=k=l=2+3", .lists = "B:0 0|1 1"};
    struct tcplan_block_expression *expression = NULL;
    struct tcplan_error error = {0};
    static double memory[4][4][9];
    double seconds[TCPLAN_BLOCK_TENSORS];
    void *block[4][4];
    const char *wrong = NULL;
    (void)state;
    for (int t = 0; t < 4; t++)
        for (int b = 0; b < 4; b++) {
            block[t][b] = memory[t][b];
            for (int e = 0; e < 9; e++) memory[t][b][e] = 1;
        }
    if (tcplan_block_expression_parse(&expression, planner, &formula, &text, TCPLAN_DOUBLE, &wrong,
                                      &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    assert_int_equal(tcplan_block_expression_measure(seconds, expression, &error), TCPLAN_OK);
    for (int s = 0; s < 3; s++) assert_true(seconds[s] > 0);
    const void *const *const given[3] = {(const void *const *)block[0],
                                         (const void *const *)block[1],
                                         (const void *const *)block[2]};
    assert_int_equal(tcplan_block_expression_execute(expression, given, block[3], &error),
                     TCPLAN_OK);
    /* 2 * (2 * 2 + 3 * 3) + 3 */
    for (int b = 0; b < 4; b++) assert_true(memory[3][b][0] == 29);
    tcplan_block_expression_free(expression);
    const struct tcplan_block_operand twice[] = {operand[0], operand[0], operand[2], operand[3]};
    formula.operand = twice;
    assert_int_equal(tcplan_block_expression_parse(&expression, planner, &formula, &text,
                                                   TCPLAN_DOUBLE, &wrong, &error),
                     TCPLAN_INVALID);
    assert_string_equal(error.message,
                        "A occurs twice; expected a name of its own for each block-sparse tensor");
    formula.count = 2;
    assert_int_equal(tcplan_block_expression_parse(&expression, planner, &formula, &text,
                                                   TCPLAN_DOUBLE, &wrong, &error),
                     TCPLAN_INVALID);
    assert_string_equal(error.message,
                        "expected a product of 2 to 8 block-sparse tensors, found 1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_multiply_several_tensors),
        cmocka_unit_test(expressions_as_text_have_their_factors),
        cmocka_unit_test(sums_add_to_all_blocks_of_the_result),
        cmocka_unit_test(random_products_agree_with_dense_loops),
        cmocka_unit_test(bad_lists_are_refused),
        cmocka_unit_test(all_blocks_that_the_product_reaches_are_found),
        cmocka_unit_test(offsets_are_checked),
        cmocka_unit_test(the_choice_is_one_of_the_candidates),
        cmocka_unit_test(measured_ways_are_compared),
        cmocka_unit_test(threads_share_long_work),
        cmocka_unit_test(places_of_blocks_do_not_overlap),
        cmocka_unit_test(executions_are_compared_from_normal_on),
        cmocka_unit_test(a_sum_of_equal_pairs_is_one_call),
    };
    const struct CMUnitTest random_products[] = {
        cmocka_unit_test(random_products_agree_with_dense_loops)};
    return getenv("TCPLAN_BLOCK_PRODUCTS") ? cmocka_run_group_tests(random_products, begin, end)
                                           : cmocka_run_group_tests(tests, begin, end);
}
