/*
 * Orders of loops: what is found is what there is, in the order of the model, and the model prefers what everybody would.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ast/algorithm.h"
#include "base/alloc.h"
#include "cachesim/loop_order.h"
#include "gen/enumerate.h"
#include "support/random_contraction.h"

enum { MOST = 200 };

static const struct tcplan_machine machine = {
    .line_bytes = 64,
    .cache_count = 2,
    .cache = {{.level = 1, .size_bytes = 32 << 10, .line_bytes = 64}, {.level = 2, .size_bytes = 1 << 20, .line_bytes = 64}}};

static const struct tcplan_machine without_caches = {.line_bytes = 64};

/** Orders of one family. */
struct found {
    size_t count;
    struct tcplan_algorithm algorithm[MOST];
};

static struct found find(const struct tcplan_problem *problem, const struct tcplan_machine *on, const struct tcplan_algorithm *family,
                         size_t most) {
    struct tcplan_error error = {0};
    struct found found;
    assert_in_range(most, 1, MOST);
    if (loop_orders_best(found.algorithm, &found.count, most, problem, on, family, (struct deadline){0}, &error))
        fail_msg("%s", error.message);
    return found;
}

/** What differs from the family at most in the order of its loops. */
static void assert_order_of(const struct tcplan_algorithm *algorithm, const struct tcplan_algorithm *family) {
    int seen[TCPLAN_MAX_INDICES] = {0};
    assert_int_equal(algorithm->kernel, family->kernel);
    assert_memory_equal(algorithm->group, family->group, sizeof family->group);
    assert_int_equal(algorithm->loop_count, family->loop_count);
    for (int l = 0; l < family->loop_count; l++) {
        seen[algorithm->loop[l]]++;
        seen[family->loop[l]]++;
    }
    for (int l = 0; l < family->loop_count; l++) assert_int_equal(seen[family->loop[l]], 2);
}

/** Each an order of the family, none twice, none before a better one. */
static void assert_found(const struct found *found, const struct tcplan_problem *problem, const struct tcplan_machine *on,
                         const struct tcplan_algorithm *family) {
    for (size_t f = 0; f < found->count; f++) {
        const struct tcplan_algorithm *algorithm = &found->algorithm[f];
        const double seconds = loop_order_seconds(problem, on, algorithm);
        assert_order_of(algorithm, family);
        assert_true(isfinite(seconds) && seconds > 0);
        if (f > 0) assert_true(loop_order_seconds(problem, on, algorithm - 1) <= seconds);
        for (size_t other = 0; other < f; other++) {
            assert_true(memcmp(found->algorithm[other].loop, algorithm->loop, algorithm->loop_count) != 0);
        }
    }
}

/* All orders. */

/** The smallest of all orders, one after the other; *orders receives how many there are. */
static double exhaustive_minimum(const struct tcplan_problem *problem, const struct tcplan_machine *on,
                                 const struct tcplan_algorithm *family, size_t *orders) {
    struct tcplan_algorithm algorithm = *family;
    double smallest = INFINITY;
    *orders = 0;
    do {
        algorithm_apply_rules(&algorithm, problem->contraction); /* copies stay where they belong in this order */
        smallest = fmin(smallest, loop_order_seconds(problem, on, &algorithm));
        (*orders)++;
    } while (enumerator_next_order(algorithm.loop, algorithm.loop_count));
    return smallest;
}

static void check_family(const struct random_contraction *random, const struct tcplan_machine *on, const struct tcplan_algorithm *family) {
    size_t orders;
    const double smallest = exhaustive_minimum(&random->problem, on, family, &orders);
    const struct found all = find(&random->problem, on, family, MOST), one = find(&random->problem, on, family, 1);
    if (all.count != orders) fail_msg("%s: %zu of %zu orders", random_contraction_describe(random), all.count, orders);
    assert_found(&all, &random->problem, on, family);
    if (loop_order_seconds(&random->problem, on, &all.algorithm[0]) != smallest) {
        fail_msg("%s: there is a better order", random_contraction_describe(random));
    }
    assert_int_equal(one.count, 1);
    assert_memory_equal(one.algorithm[0].loop, all.algorithm[0].loop, family->loop_count);
}

static void few_orders_are_all_found_and_the_first_is_the_best_there_is(void **state) {
    (void)state;
    struct random_contraction_options options = random_contraction_defaults();
    options.zeros = false;
    options.min_rank = 0;
    options.max_extent = 40;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct random_contraction random;
        struct tcplan_enumerator enumerator;
        struct tcplan_algorithm family;
        random_contraction_init(&random, seed, &options);
        tcplan_enumerator_init(&enumerator, random.contraction);
        while (enumerator_next_family(&enumerator, &family)) check_family(&random, seed % 5 ? &machine : &without_caches, &family);
        random_contraction_free(&random);
    }
}

static void an_algorithm_without_loops_is_its_only_order(void **state) {
    (void)state;
    struct random_contraction given;
    struct tcplan_algorithm family;
    random_contraction_given(&given, "C_ab=A_ai*B_ib", "a=b=i=9", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    assert_int_equal(tcplan_algorithm_parse(&family, given.contraction, TCPLAN_DOUBLE, "dgemm", NULL), TCPLAN_OK);
    const struct found found = find(&given.problem, &machine, &family, MOST);
    assert_int_equal(found.count, 1);
    assert_order_of(&found.algorithm[0], &family);
    random_contraction_free(&given);
}

static void twelve_loops_have_as_many_orders_as_are_wanted(void **state) {
    (void)state;
    static const size_t most[] = {1, 7, MOST};
    struct random_contraction given;
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm family;
    random_contraction_given(&given, "C_abcdefgh=A_abcdijklm*B_mlkjiefgh", "a=b=c=d=e=f=g=h=i=j=k=l=m=3", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    tcplan_enumerator_init(&enumerator, given.contraction);
    assert_true(enumerator_next_family(&enumerator, &family));
    assert_int_equal(family.loop_count, 12);
    for (size_t m = 0; m < sizeof most / sizeof *most; m++) {
        const struct found found = find(&given.problem, &machine, &family, most[m]);
        assert_int_equal(found.count, most[m]);
        assert_found(&found, &given.problem, &machine, &family);
    }
    random_contraction_free(&given);
}

/* Preferences. */

static void the_loop_over_neighbouring_elements_goes_inside(void **state) {
    (void)state;
    /* Vectors and small matrices that lie next to each other along x: the same lines, the same pages. */
    static const struct {
        const char *contraction;
        const char *sizes;
        enum tcplan_order order;
        const char *family;
        const char *best;
    } expected[] = {{"C_xya=A_xya*B_xy", "x=y=500,a=64", TCPLAN_COLUMN_MAJOR, "xy-daxpy", "yx-daxpy"},
                    {"C_ayx=A_ayx*B_yx", "x=y=500,a=64", TCPLAN_ROW_MAJOR, "xy-daxpy", "yx-daxpy"},
                    {"C_abxy=A_aixy*B_ibxy", "x=y=1000,a=b=i=4", TCPLAN_COLUMN_MAJOR, "xy-dgemm", "yx-dgemm"},
                    {"C_yxab=A_yxai*B_yxib", "x=y=1000,a=b=i=4", TCPLAN_ROW_MAJOR, "xy-dgemm", "yx-dgemm"}};
    for (size_t e = 0; e < sizeof expected / sizeof *expected; e++) {
        struct random_contraction given;
        struct tcplan_algorithm family, best;
        random_contraction_given(&given, expected[e].contraction, expected[e].sizes, expected[e].order, TCPLAN_DOUBLE);
        assert_int_equal(tcplan_algorithm_parse(&family, given.contraction, TCPLAN_DOUBLE, expected[e].family, NULL), TCPLAN_OK);
        assert_int_equal(tcplan_algorithm_parse(&best, given.contraction, TCPLAN_DOUBLE, expected[e].best, NULL), TCPLAN_OK);
        const struct found found = find(&given.problem, &machine, &family, MOST);
        assert_int_equal(found.count, 2);
        assert_memory_equal(found.algorithm[0].loop, best.loop, 2);
        random_contraction_free(&given);
    }
}

static void what_does_not_vary_with_the_inner_loop_stays_in_cache(void **state) {
    (void)state;
    /* Both columns are as long as a cache; that of C is read and stays, or that of A does and C is brought in again and again. */
    struct random_contraction given;
    struct tcplan_algorithm family;
    random_contraction_given(&given, "C_ab=A_ai*B_ib", "a=3000,b=i=300", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    assert_int_equal(tcplan_algorithm_parse(&family, given.contraction, TCPLAN_DOUBLE, "ib-daxpy", NULL), TCPLAN_OK);
    const struct found found = find(&given.problem, &machine, &family, MOST);
    assert_int_equal(found.count, 2);
    assert_string_equal(given.contraction->index[found.algorithm[0].loop[1]].name, "i"); /* B is read along its columns */
    random_contraction_free(&given);
}

static void a_copy_stays_outside_of_loops_that_it_does_not_depend_on(void **state) {
    (void)state;
    /* B[j,b,:,:] has no unit stride and does not vary with d: inside of all others, d meets a copy that was made before. */
    struct random_contraction given;
    struct tcplan_algorithm family;
    random_contraction_given(&given, "C_adbc=A_ijad*B_jbic", "a=4,b=j=5,c=i=30,d=50", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    assert_int_equal(tcplan_algorithm_parse(&family, given.contraction, TCPLAN_DOUBLE, "djb-dgemm", NULL), TCPLAN_OK);
    const struct found found = find(&given.problem, &machine, &family, MOST);
    assert_int_equal(found.count, 6);
    for (size_t f = 0; f < found.count; f++) {
        const char *inner = given.contraction->index[found.algorithm[f].loop[2]].name;
        assert_int_equal(strcmp(inner, "d") == 0, f < 2);
    }
    random_contraction_free(&given);
}

/* Memory. */

static void running_out_of_memory_is_reported(void **state) {
    (void)state;
    struct random_contraction given;
    struct tcplan_algorithm family;
    struct tcplan_algorithm out[MOST];
    size_t found;
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    long successes = 0;
    random_contraction_given(&given, "C_abc=A_ai*B_ibc", "a=b=c=9,i=3", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    assert_int_equal(tcplan_algorithm_parse(&family, given.contraction, TCPLAN_DOUBLE, "abc-ddot", NULL), TCPLAN_OK);
    for (; status == TCPLAN_NO_MEMORY; successes++) {
        struct tcplan_error error = {0};
        base_alloc_fail_after(successes);
        status = loop_orders_best(out, &found, MOST, &given.problem, &machine, &family, (struct deadline){0}, &error);
        base_alloc_fail_after(-1);
        assert_int_equal(error.status, status);
    }
    assert_int_equal(status, TCPLAN_OK);
    assert_int_equal(found, 6);
    assert_true(successes > 1);
    random_contraction_free(&given);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_orders_are_all_found_and_the_first_is_the_best_there_is),
        cmocka_unit_test(an_algorithm_without_loops_is_its_only_order),
        cmocka_unit_test(twelve_loops_have_as_many_orders_as_are_wanted),
        cmocka_unit_test(the_loop_over_neighbouring_elements_goes_inside),
        cmocka_unit_test(what_does_not_vary_with_the_inner_loop_stays_in_cache),
        cmocka_unit_test(a_copy_stays_outside_of_loops_that_it_does_not_depend_on),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
