/* Tests listings, which contain the algorithms of a product as a planner ranks them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "tcplan/tcplan.h"

static struct tcplan_listing *listing_of(const char *notation, const char *sizes,
                                         enum tcplan_effort effort, enum tcplan_order order) {
    struct tcplan_planner *planner = NULL;
    struct tcplan_product *product = NULL;
    struct tcplan_listing *listing = NULL;
    struct tcplan_error error = {0};
    assert_int_equal(tcplan_planner_new(&planner, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_effort(planner, effort, NULL), TCPLAN_OK);
    if (tcplan_product_parse(&product, notation, sizes, NULL, TCPLAN_DOUBLE, order, &error))
        fail_msg("%s", error.message);
    if (tcplan_listing_new(&listing, planner, product, &error))
        fail_msg("%s with %s: %s", notation, sizes, error.message);
    tcplan_product_free(product); /* the listing must stay valid without its product */
    tcplan_planner_free(planner);
    return listing;
}

static struct tcplan_listing_summary summary_of(const struct tcplan_listing *listing) {
    struct tcplan_listing_summary summary = {.size = sizeof summary};
    assert_int_equal(tcplan_listing_summarize(listing, &summary), TCPLAN_OK);
    return summary;
}

static struct tcplan_listed line_of(const struct tcplan_listing *listing, size_t number) {
    struct tcplan_listed line = {.size = sizeof line};
    assert_int_equal(tcplan_listing_line(listing, number, &line), TCPLAN_OK);
    return line;
}

static void every_line_names_an_algorithm_that_can_be_planned(void **state) {
    struct tcplan_listing *listing = listing_of("C_abc=A_ai*B_ibc", "a=7,b=8,c=9,i=5",
                                                TCPLAN_EFFORT_ESTIMATE, TCPLAN_COLUMN_MAJOR);
    const struct tcplan_listing_summary summary = summary_of(listing);
    struct tcplan_product *product = NULL;
    (void)state;
    assert_int_equal(tcplan_product_parse(&product, "C_abc=A_ai*B_ibc", "a=7,b=8,c=9,i=5", NULL,
                                          TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, NULL),
                     TCPLAN_OK);
    assert_true(summary.lines > 2);
    assert_true(summary.algorithms >= (double)summary.lines);
    for (size_t l = 0; l < summary.lines; l++) {
        const struct tcplan_listed line = line_of(listing, l);
        struct tcplan_plan *plan = NULL;
        if (line.status != TCPLAN_ENTRY_PREDICTED) continue;
        assert_int_equal(line.basis, TCPLAN_BASIS_ESTIMATE);
        assert_true(line.seconds > 0 && line.low <= line.seconds && line.seconds <= line.high);
        if (tcplan_plan_named(&plan, NULL, product, line.algorithm, NULL) != TCPLAN_OK)
            fail_msg("no plan with %s", line.algorithm);
        assert_string_equal(tcplan_plan_algorithm(plan), line.algorithm);
        tcplan_plan_free(plan);
    }
    tcplan_product_free(product);
    tcplan_listing_free(listing);
}

static void estimates_come_fastest_first(void **state) {
    struct tcplan_listing *listing =
        listing_of("C_ab=A_ai*B_ib", "a=40,b=30,i=20", TCPLAN_EFFORT_ESTIMATE, TCPLAN_ROW_MAJOR);
    const struct tcplan_listing_summary summary = summary_of(listing);
    double before = 0;
    (void)state;
    assert_false(summary.out_of_time);
    assert_true(summary.gemm_gflops == 0); /* nothing was timed */
    for (size_t l = 0; l < summary.lines && line_of(listing, l).status == TCPLAN_ENTRY_PREDICTED;
         l++) {
        assert_true(line_of(listing, l).seconds >= before);
        before = line_of(listing, l).seconds;
    }
    tcplan_listing_free(listing);
}

static void timings_give_the_speed_of_gemm(void **state) {
    struct tcplan_listing *listing =
        listing_of("C_ab=A_ai*B_ib", "a=b=i=12", TCPLAN_EFFORT_QUICK, TCPLAN_COLUMN_MAJOR);
    (void)state;
    assert_true(summary_of(listing).gemm_gflops > 0);
    assert_int_not_equal(line_of(listing, 0).basis, TCPLAN_BASIS_ESTIMATE);
    tcplan_listing_free(listing);
}

static void products_without_elements_have_an_algorithm(void **state) {
    static const char *const product[][2] = {{"C_d=A*B_d", "d=0"},
                                             {"C=A_aa*B_a", "a=0"},
                                             {"C_ab=A_ai*B_ib", "a=3,b=4,i=0"},
                                             {"C_ab=A_ai*B_ib", "a=0,b=4,i=5"},
                                             {"C_abz=A_az*B_bz", "a=b=2,z=0"},
                                             {"C_a=A_ai*B_i", "a=3,i=0"}};
    (void)state;
    for (size_t p = 0; p < sizeof product / sizeof *product; p++) {
        for (int order = TCPLAN_COLUMN_MAJOR; order <= TCPLAN_ROW_MAJOR; order++) {
            struct tcplan_listing *listing = listing_of(
                product[p][0], product[p][1], TCPLAN_EFFORT_ESTIMATE, (enum tcplan_order)order);
            assert_int_equal(line_of(listing, 0).status, TCPLAN_ENTRY_PREDICTED);
            tcplan_listing_free(listing);
        }
    }
}

static void unresolvable_sizes_are_refused(void **state) {
    struct tcplan_listing *listing =
        listing_of("C_ab=A_ai*B_ib", "a=4,b=3,i=2", TCPLAN_EFFORT_ESTIMATE, TCPLAN_COLUMN_MAJOR);
    struct tcplan_listed line = {.size = sizeof line};
    struct tcplan_listing_summary summary = {.size = sizeof summary + 8};
    struct tcplan_error error = {0};
    (void)state;
    assert_int_equal(tcplan_listing_line(listing, summary_of(listing).lines, &line),
                     TCPLAN_INVALID);
    assert_int_equal(tcplan_listing_line(listing, 0, NULL), TCPLAN_INVALID);
    assert_int_equal(tcplan_listing_line(NULL, 0, &line), TCPLAN_INVALID);
    assert_null(line.algorithm);
    assert_int_equal(tcplan_listing_summarize(listing, &summary), TCPLAN_INVALID);
    summary.size = 0;
    assert_int_equal(tcplan_listing_summarize(listing, &summary), TCPLAN_INVALID);
    assert_int_equal(tcplan_listing_new(NULL, NULL, NULL, &error), TCPLAN_INVALID);
    assert_string_equal(error.message,
                        "expected a pointer for the listing and a product, found NULL");
    tcplan_listing_free(NULL);
    tcplan_listing_free(listing);
}

static void a_structure_of_an_earlier_version_is_filled_up_to_its_size(void **state) {
    struct tcplan_listing *listing =
        listing_of("C_ab=A_ai*B_ib", "a=4,b=3,i=2", TCPLAN_EFFORT_ESTIMATE, TCPLAN_COLUMN_MAJOR);
    struct tcplan_listed line = {
        .size = offsetof(struct tcplan_listed, low), .low = -1, .is_baseline = true};
    (void)state;
    assert_int_equal(tcplan_listing_line(listing, 0, &line), TCPLAN_OK);
    assert_true(line.seconds > 0);
    assert_true(line.low == -1);
    assert_int_equal(line.size, offsetof(struct tcplan_listed, low));
    tcplan_listing_free(listing);
}

static void out_of_memory_is_reported(void **state) {
    struct tcplan_product *product = NULL;
    struct tcplan_planner *planner = NULL;
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    long fails = 0;
    (void)state;
    assert_int_equal(tcplan_planner_new(&planner, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_effort(planner, TCPLAN_EFFORT_ESTIMATE, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_product_parse(&product, "C_a=A_ai*B_i", "a=3,i=2", NULL, TCPLAN_DOUBLE,
                                          TCPLAN_COLUMN_MAJOR, NULL),
                     TCPLAN_OK);
    while (status == TCPLAN_NO_MEMORY) {
        struct tcplan_listing *listing = NULL;
        base_alloc_fail_after(fails++);
        status = tcplan_listing_new(&listing, planner, product, NULL);
        base_alloc_fail_after(-1);
        assert_true((listing != NULL) == (status == TCPLAN_OK));
        tcplan_listing_free(listing);
    }
    assert_int_equal(status, TCPLAN_OK);
    assert_true(fails > 10);
    tcplan_product_free(product);
    tcplan_planner_free(planner);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_names_an_algorithm_that_can_be_planned),
        cmocka_unit_test(estimates_come_fastest_first),
        cmocka_unit_test(timings_give_the_speed_of_gemm),
        cmocka_unit_test(products_without_elements_have_an_algorithm),
        cmocka_unit_test(unresolvable_sizes_are_refused),
        cmocka_unit_test(a_structure_of_an_earlier_version_is_filled_up_to_its_size),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
