/*
 * Tests cache models of nests with tiles, fused indices and copies in any layout: the data that the
 * nests touch, how often, and the memory traffic.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ast/nest/refine.h"
#include "ast/problem/slice.h"
#include "base/indexset.h"
#include "cachesim/access_trace.h"
#include "support/random_algorithm.h"
#include "tcplan/analysis.h"
#include "tcplan/traffic.h"

/** The elements that an execution touches. */
struct footprint {
    const struct refined_problem *problem;
    struct access_layout layout;
    int64_t elems[COLLECTION_SLOTS];
    bool *touched[TCPLAN_TENSORS];
    int64_t kernel_calls;
};

static void note_node(void *context, const struct tcplan_node *node, const int64_t at[]) {
    struct footprint *footprint = context;
    (void)at;
    footprint->kernel_calls += node->kind == TCPLAN_NODE_KERNEL;
}

static void note_run(void *context, const struct access_run *run) {
    struct footprint *footprint = context;
    const int slot = (int)run->slice.operand + (run->slice.temporary ? TCPLAN_TENSORS : 0);
    for (int64_t i = 0; i < run->count; i++) {
        const uint64_t offset =
            run->address + (uint64_t)(i * run->stride_bytes) - footprint->layout.address[slot];
        const int64_t element = (int64_t)(offset / footprint->problem->written.element_bytes);
        assert_true(element >= 0 && element < footprint->elems[slot]);
        if (!run->slice.temporary) footprint->touched[slot][element] = true;
    }
}

/** Returns the number of elements of an operand that the product uses; repeated indices restrict it
 * to diagonals. */
static int64_t elements_of(const struct tcplan_problem *problem, enum tcplan_operand operand) {
    int64_t elements = 1;
    for (int i = 0; i < problem->contraction->index_count; i++) {
        if (indexset_has(problem->contraction->tensor[operand].indices &
                             ~problem->contraction->tensor[operand].still,
                         i))
            elements *= problem->extent[i];
    }
    return elements;
}

/** Returns whether an execution touches a tensor: not an addend that is absent or has beta = 0. */
static bool is_touched(const struct tcplan_problem *problem, int tensor) {
    const struct tcplan_scalar beta = problem->contraction->beta;
    if (tensor != TCPLAN_ADDEND) return true;
    return tcplan_contraction_has_addend(problem->contraction) && (beta.re != 0 || beta.im != 0);
}

static void check_footprint(const struct random_contraction *random,
                            const struct tcplan_nest *nest) {
    const struct refined_problem refined = problem_refine(&random->problem, nest->refinement);
    struct footprint footprint = {.problem = &refined, .layout = access_layout_of(&refined)};
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        footprint.elems[TCPLAN_TENSORS + t] = refined.temporary_elems[t];
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        footprint.elems[t] = refined.written.elems[t];
        footprint.touched[t] =
            calloc((size_t)refined.written.elems[t] + 1, sizeof *footprint.touched[t]);
        assert_non_null(footprint.touched[t]);
    }
    access_trace(
        nest, &refined, &footprint.layout,
        &(struct access_visitor){.context = &footprint, .run = note_run, .node = note_node});
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        int64_t touched = 0;
        for (int64_t e = 0; e < refined.written.elems[t]; e++) touched += footprint.touched[t][e];
        if (touched != (is_touched(&random->problem, t)
                            ? elements_of(&random->problem, (enum tcplan_operand)t)
                            : 0))
            fail_msg("%s", random_contraction_describe(random));
        free(footprint.touched[t]);
    }
    struct tcplan_analysis *analysis = NULL;
    const struct tcplan_machine machine = {.line_bytes = 64, .page_bytes = 4096};
    const struct tcplan_analysis_options options = tcplan_analysis_defaults(&machine);
    assert_int_equal(tcplan_analysis_build(&analysis, nest, &random->problem, &options, NULL),
                     TCPLAN_OK);
    int64_t calls = 0;
    for (int c = 0; c < analysis->class_count; c++) calls += analysis->call_class[c].calls;
    assert_int_equal(analysis->calls, footprint.kernel_calls);
    assert_int_equal(calls, footprint.kernel_calls);
    tcplan_analysis_free(analysis);
}

static void nests_touch_all_of_their_tensors_and_nothing_else(void **state) {
    (void)state;
    struct random_contraction_options options = random_contraction_defaults();
    options.zeros = false;
    options.overlaps = false;
    int built = 0;
    for (uint64_t seed = 70001; seed < 70401; seed++) {
        struct random_contraction random;
        uint64_t random_state = seed;
        random_contraction_init(&random, seed, &options);
        for (int a = 0; a < 6; a++) {
            struct tcplan_algorithm algorithm;
            struct tcplan_nest *nest = NULL;
            if (tcplan_problem_only_scales(&random.problem)) break; /* nothing is executed */
            if (!random_algorithm(&algorithm, random.contraction,
                                  a % 4 ? TCPLAN_PROVIDER_BLAS : TCPLAN_PROVIDER_LIBXSMM,
                                  &random_state))
                continue;
            assert_int_equal(tcplan_nest_build(&nest, random.contraction, &algorithm, NULL),
                             TCPLAN_OK);
            check_footprint(&random, nest);
            tcplan_nest_free(nest);
            built++;
        }
        random_contraction_free(&random);
    }
    assert_true(built > 1200);
}

/** Returns the traffic of `C_abc=A_bda*B_dc` with a in tiles of 8: each tile of the result is
 * computed in a temporary and copied back transposed. */
static struct tcplan_traffic tiled_traffic(const char *sizes, bool streamed, int64_t cache_kib) {
    struct random_contraction given;
    struct tcplan_nest *nest = NULL;
    struct tcplan_traffic traffic;
    const struct tcplan_machine machine = {
        .line_bytes = 64,
        .page_bytes = 4096,
        .cache_count = 1,
        .cache = {{.level = 1, .size_bytes = cache_kib << 10, .line_bytes = 64, .ways = -1}}};
    random_contraction_given(&given, "C_abc=A_bda*B_dc", sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    const struct tcplan_algorithm algorithm = {
        .kernel = TCPLAN_GEMM,
        .group = {indexset_of(1), indexset_of(2), indexset_of(3)},
        .copy = {{.depth = -1}, {.depth = -1}, {.depth = 1, .streamed = streamed}},
        .parallel = -1,
        .split_count = 1,
        .split = {{0, 8}},
        .loop_count = 2,
        .loop = {4, 0}};
    assert_int_equal(tcplan_nest_build(&nest, given.contraction, &algorithm, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_traffic_model(&traffic, nest, &given.problem, &machine, 1, NULL),
                     TCPLAN_OK);
    tcplan_nest_free(nest);
    random_contraction_free(&given);
    return traffic;
}

static void streamed_lines_are_not_fetched(void **state) {
    (void)state;
    const char *sizes = "a=68,b=16,c=16,d=16";
    const double result_bytes = 68.0 * 16 * 16 * 8;
    const struct tcplan_traffic plain = tiled_traffic(sizes, false, 64);
    const struct tcplan_traffic streamed = tiled_traffic(sizes, true, 64);
    assert_int_equal(plain.method, TCPLAN_TRAFFIC_SIMULATED);
    assert_int_equal(streamed.method, TCPLAN_TRAFFIC_SIMULATED);
    /* columns, and so tiles, start within cache lines: two neighbouring tiles then fetch the
     * same line */
    assert_true(plain.model_bytes - streamed.model_bytes >= 0.9 * result_bytes);
    assert_true(fabs(streamed.model_bytes - streamed.compulsory_bytes) <
                0.1 * streamed.compulsory_bytes);
}

static void samples_agree_with_the_simulation_of_every_access(void **state) {
    (void)state;
    /* The small problem is simulated completely, the large one is sampled. In both, A and C move
     * through memory once, because tiles stay in the cache. */
    const struct tcplan_traffic small = tiled_traffic("a=68,b=32,c=16,d=16", true, 64);
    const struct tcplan_traffic large = tiled_traffic("a=6800,b=32,c=16,d=16", true, 64);
    assert_int_equal(small.method, TCPLAN_TRAFFIC_SIMULATED);
    assert_int_equal(large.method, TCPLAN_TRAFFIC_SAMPLED);
    const double small_ratio = small.model_bytes / small.compulsory_bytes,
                 large_ratio = large.model_bytes / large.compulsory_bytes;
    if (!(fabs(large_ratio - small_ratio) < 0.1))
        fail_msg("%g of the compulsory bytes simulated, %g sampled", small_ratio, large_ratio);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nests_touch_all_of_their_tensors_and_nothing_else),
        cmocka_unit_test(streamed_lines_are_not_fetched),
        cmocka_unit_test(samples_agree_with_the_simulation_of_every_access)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
