#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "cachesim/setup.h"
#include "support/named_nest.h"

enum { A = TCPLAN_A, B = TCPLAN_B, C = TCPLAN_C };

/** Compares a setup with text in the notation of Peise (2017); a star marks a prefetched part. */
static void assert_listed(const struct tcplan_call_class *call_class, const char *expected) {
    struct strbuf text = {0};
    for (int s = 0; s < call_class->listed_count; s++) {
        const struct tcplan_setup_step *step = &call_class->setup[s];
        if (s > 0) strbuf_add(&text, " ");
        if (step->remote) strbuf_add(&text, "[%" PRId64 "]", step->elems);
        if (!step->remote)
            strbuf_add(&text, "%c%s", "ABC"[step->operand], step -> prefetch ? "*" : "");
    }
    assert_string_equal(text.text ? text.text : "", expected);
    strbuf_free(&text);
}

/* Analyses the running example of Peise (2017), ca-dgemv, for a cache of 6 MiB. */

static struct tcplan_analysis *analyse(const char *algorithm, enum tcplan_stage stage,
                                       double limit_bytes) {
    struct named_nest named;
    named_nest_init(&named, "C_abc+=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, "a=b=c=400,i=8",
                    TCPLAN_DOUBLE, algorithm);
    const struct tcplan_analysis_options options = {
        .stage = stage, .line_bytes = 64, .limit_bytes = limit_bytes, .first_share = 0.01};
    struct tcplan_analysis *analysis = NULL;
    assert_int_equal(tcplan_analysis_build(&analysis, named.nest, &named.problem, &options, NULL),
                     TCPLAN_OK);
    named_nest_free(&named);
    return analysis;
}

static const double cache_limit = 1.25 * 6 * 1024 * 1024;

/* Table 6.2. */
static void sizes_and_distances_are_those_of_the_table(void **state) {
    (void)state;
    struct tcplan_analysis *analysis = analyse("ca-dgemv", TCPLAN_STAGE_ACCESS, INFINITY);
    const struct tcplan_access *access = analysis->call_class[0].access;
    assert_true(access[B].elems == 3200 && access[A].elems == 8 && access[C].elems == 400);
    assert_true(access[B].distance_elems == 0 && access[A].distance_elems == 166400 &&
                access[C].distance_elems == 65283200);
    assert_int_equal(access[B].collected_count, 0);
    assert_int_equal(access[A].collected_count, 3);
    assert_true(access[A].collected[B].elems == 3200 && access[A].collected[C].elems == 160000);
    tcplan_analysis_free(analysis);
}

/* Example 6.7. */
static void distances_are_sums_of_the_following_entries(void **state) {
    (void)state;
    struct tcplan_analysis *analysis = analyse("ca-dgemv", TCPLAN_STAGE_ACCESS, INFINITY);
    assert_int_equal(analysis->class_count, 1);
    assert_listed(&analysis->call_class[0], "C [65116792] A [163200] B");
    assert_false(analysis->call_class[0].truncated);
    tcplan_analysis_free(analysis);
}

static void the_list_is_cut_at_the_limit(void **state) {
    (void)state;
    struct tcplan_analysis *analysis = analyse("ca-dgemv", TCPLAN_STAGE_ACCESS, cache_limit);
    assert_listed(&analysis->call_class[0], "[816632] A [163200] B");
    assert_int_equal(analysis->call_class[0].setup_count, 4);
    assert_true(analysis->call_class[0].truncated);
    tcplan_analysis_free(analysis);
}

/* Example 6.9. */
static void a_setup_of_operands_only_is_redundant(void **state) {
    (void)state;
    struct tcplan_analysis *analysis = analyse("ca-dgemv", TCPLAN_STAGE_PREFETCH, cache_limit);
    const struct tcplan_call_class *steady = &analysis->call_class[0];
    assert_int_equal(analysis->class_count, 1);
    assert_true(steady->access[A].prefetched && steady->access[A].shares_lines &&
                steady->access[A].prefetch_distance_elems == 0);
    assert_true(steady->access[C].prefetched && steady->access[C].shares_lines &&
                steady->access[C].prefetch_distance_elems == 0);
    assert_false(steady->access[B].prefetched);
    assert_listed(steady, "C* A* B");
    assert_int_equal(steady->setup_count, 0);
    tcplan_analysis_free(analysis);
}

/* Example 6.10. */
static void failed_prefetching_has_the_setup_without_it(void **state) {
    (void)state;
    struct tcplan_analysis *analysis = analyse("ca-dgemv", TCPLAN_STAGE_FAILURE, cache_limit);
    assert_int_equal(analysis->class_count, 2);
    assert_int_equal(analysis->call_class[1].kind, TCPLAN_CLASS_PREFETCH_FAILURE);
    assert_listed(&analysis->call_class[1], "[816632] A [163200] B");
    assert_true(analysis->call_class[0].calls == 140000 && analysis->call_class[1].calls == 20000);
    tcplan_analysis_free(analysis);
}

/* Example 6.11 of Peise (2017): C is cached except in the first iteration over i; columns of A are
 * prefetched, and elements of B share cache lines. */
static void a_first_iteration_has_a_setup_of_its_own(void **state) {
    (void)state;
    struct tcplan_analysis *analysis = analyse("ci-dger", TCPLAN_STAGE_FIRST, cache_limit);
    assert_int_equal(analysis->class_count, 2);
    const struct tcplan_call_class *steady = &analysis->call_class[0],
                                   *first = &analysis->call_class[1];
    assert_true(steady->calls == 2800 && first->calls == 400);
    assert_true(steady->access[A].prefetched && !steady->access[A].shares_lines &&
                steady->access[B].shares_lines);
    /* The previous iteration of c used all of A; the next column of A is prefetched. */
    assert_listed(steady, "A [5992] B* A* C");
    assert_int_equal(first->kind, TCPLAN_CLASS_FIRST);
    assert_int_equal(first->loop, 1);
    assert_listed(first, "[816240] A [166400]");
    assert_false(first->access[A].prefetched);
    tcplan_analysis_free(analysis);
}

static void repeated_kernels_need_no_setup(void **state) {
    (void)state;
    struct tcplan_analysis *analysis = analyse("ca-dgemv", TCPLAN_STAGE_REPEATED, cache_limit);
    assert_int_equal(analysis->class_count, 1);
    assert_int_equal(analysis->call_class[0].setup_count, 0);
    assert_int_equal(analysis->call_class[0].listed_count, 0);
    tcplan_analysis_free(analysis);
}

/** Makes a class of calls whose three operands have these sizes and distances, in elements;
 * distance -1: never touched. */
static struct tcplan_call_class make_class(const int64_t elems[], const int64_t distance[]) {
    struct tcplan_call_class made = {0};
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        made.access[t].elems = elems[t];
        made.access[t].never = distance[t] < 0;
        made.access[t].distance_elems = distance[t] < 0 ? INT64_MAX : distance[t];
    }
    return made;
}

static void assert_setup(struct tcplan_call_class made, int64_t limit_elems, const char *expected) {
    static const int64_t prefetched_elems[TCPLAN_OPERANDS] = {8, 8, 8};
    assert_true(setup_fill(&made, prefetched_elems, limit_elems));
    assert_listed(&made, expected);
}

static void near_operands_need_no_remote_access_between_them(void **state) {
    (void)state;
    assert_setup(make_class((int64_t[]){100, 10, 10}, (int64_t[]){0, 50, 120}), INT64_MAX,
                 "C [10] B A");
}

static void equal_distances_keep_the_order_of_the_kernel(void **state) {
    (void)state;
    assert_setup(make_class((int64_t[]){1, 2, 3}, (int64_t[]){7, 7, 7}), INT64_MAX, "A B C [7]");
}

static void an_operand_at_the_limit_stays(void **state) {
    (void)state;
    assert_setup(make_class((int64_t[]){1, 2, 3}, (int64_t[]){10, 11, 0}), 10, "A [7] C");
}

static void a_large_operand_may_fill_the_cache_alone(void **state) {
    (void)state;
    struct tcplan_call_class made = make_class((int64_t[]){1000, 2, 3}, (int64_t[]){0, 5000, 5000});
    assert_true(setup_fill(&made, (int64_t[]){8, 8, 8}, 100));
    assert_listed(&made, "A");
    /* only the access to A stays: repeated calls would leave B and C cached, but not A */
    assert_int_equal(made.setup_count, 1);
}

static void an_operand_never_touched_is_out_of_reach(void **state) {
    (void)state;
    assert_setup(make_class((int64_t[]){1, 2, 3}, (int64_t[]){-1, 0, 5}), 100, "[92] C [3] B");
    assert_setup(make_class((int64_t[]){1, 2, 3}, (int64_t[]){-1, 0, 5}), INT64_MAX, "C [3] B");
}

static void a_partly_prefetched_operand_appears_twice(void **state) {
    (void)state;
    struct tcplan_call_class made = make_class((int64_t[]){100, 8, 30}, (int64_t[]){500, 400, 0});
    made.access[A].prefetched = made.access[B].prefetched = true;
    made.access[A].prefetch_distance_elems = 20;
    assert_setup(made, INT64_MAX, "A [454] A* B* C");
}

static void sums_beyond_an_int64_are_refused(void **state) {
    (void)state;
    struct tcplan_call_class made =
        make_class((int64_t[]){INT64_MAX / 2, INT64_MAX / 2, 9}, (int64_t[]){0, 0, 0});
    assert_false(setup_fill(&made, (int64_t[]){8, 8, 8}, INT64_MAX));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_and_distances_are_those_of_the_table),
        cmocka_unit_test(distances_are_sums_of_the_following_entries),
        cmocka_unit_test(the_list_is_cut_at_the_limit),
        cmocka_unit_test(a_setup_of_operands_only_is_redundant),
        cmocka_unit_test(failed_prefetching_has_the_setup_without_it),
        cmocka_unit_test(a_first_iteration_has_a_setup_of_its_own),
        cmocka_unit_test(repeated_kernels_need_no_setup),
        cmocka_unit_test(near_operands_need_no_remote_access_between_them),
        cmocka_unit_test(equal_distances_keep_the_order_of_the_kernel),
        cmocka_unit_test(an_operand_at_the_limit_stays),
        cmocka_unit_test(a_large_operand_may_fill_the_cache_alone),
        cmocka_unit_test(an_operand_never_touched_is_out_of_reach),
        cmocka_unit_test(a_partly_prefetched_operand_appears_twice),
        cmocka_unit_test(sums_beyond_an_int64_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
