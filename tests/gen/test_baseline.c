/*
 * Tests which algorithm the baseline is, and that it computes the right result for every
 * contraction.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gen/lower/blas_call.h"
#include "gen/space/baseline.h"
#include "support/random_contraction.h"
#include "support/run_algorithm.h"
#include "tcplan/blas.h"
#include "tcplan/rank.h"

static void the_baseline_is_one_kernel_on_operands_in_place_or_copied_whole(void **state) {
    (void)state;
    static const char *const expected[][3] = {
        {"C_ab=A_ai*B_ib", "a=4,b=5,i=6", "dgemm"},
        {"C_abc=A_ai*B_ibc", "a=4,b=5,c=7,i=6", "dgemm"},
        {"C_a=A_iaj*B_ji", "a=4,i=5,j=6", "'A-dgemv"}, /* i and j are contracted, but not adjacent
                                                          in A */
        {"C_abc=A_ija*B_jbic", "a=4,b=5,c=6,i=3,j=2", "'B-dgemm"}, /* b and c are free, but not
                                                                      adjacent in B */
        {"C=A_i*B_i", "i=9", "ddot"},
        {"C_ab=A_a*B_b", "a=4,b=5", "dger"},
        {"C_hab=A_hai*B_hib", "h=3,a=4,b=5,i=6", "'ABC.h-dgemm"},
        {"C_abh=A_aih*B_ibh", "h=3,a=4,b=5,i=6", "h-dgemm"},
        {"C_abgh=A_aihg*B_ibgh", "g=2,h=3,a=4,b=5,i=6", "hg-dgemm"},
        {"C_ab=A_ab*B_ab", "a=4,b=5", "dmul"},
    };
    for (size_t e = 0; e < sizeof expected / sizeof *expected; e++) {
        struct random_contraction given;
        struct tcplan_algorithm baseline;
        random_contraction_given(&given, expected[e][0], expected[e][1], TCPLAN_COLUMN_MAJOR,
                                 TCPLAN_DOUBLE);
        assert_true(baseline_of(&baseline, &given.problem));
        char *name = tcplan_algorithm_name(&baseline, given.contraction, TCPLAN_DOUBLE);
        assert_string_equal(name, expected[e][2]);
        free(name);
        random_contraction_free(&given);
    }
}

static void every_baseline_computes_its_contraction(void **state) {
    (void)state;
    struct random_contraction_options options = random_contraction_defaults();
    int found = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct random_contraction given;
        struct tcplan_algorithm baseline;
        random_contraction_init(&given, seed, &options);
        if (baseline_of(&baseline, &given.problem)) {
            run_algorithm_checked(&given.problem, &baseline, seed,
                                  random_contraction_describe(&given));
            found++;
        }
        random_contraction_free(&given);
    }
    assert_true(found > 290);
}

static void kernels_that_split_groups_take_the_whole_product_in_place(void **state) {
    (void)state;
    struct random_contraction given;
    struct tcplan_algorithm whole;
    random_contraction_given(&given, "C_abcdh=A_aebfh*B_fdech", "a=4,b=5,c=3,d=2,e=6,f=3,h=2",
                             TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    assert_false(baseline_in_place(&whole, &given.problem, TCPLAN_PROVIDER_BLAS));
    assert_false(baseline_in_place(&whole, &given.problem, TCPLAN_PROVIDER_BLIS));
    assert_true(baseline_in_place(&whole, &given.problem, TCPLAN_PROVIDER_EMITTED));
    char *name = tcplan_algorithm_name(&whole, given.contraction, TCPLAN_DOUBLE);
    assert_string_equal(name, "h-dgemm@emitted");
    free(name);
    random_contraction_free(&given);
}

static void a_whole_product_is_sliced_along_an_index_of_its_result(void **state) {
    (void)state;
    static const char *const expected[] = {"a-dgemm@emitted", NULL, "c-dgemm@emitted",
                                           NULL}; /* there is no such kernel: without b, B is not a
                                                     matrix, and d is contracted */
    struct random_contraction given;
    struct tcplan_algorithm sliced;
    random_contraction_given(&given, "C_abc=A_dca*B_bd", "a=4,b=5,c=3,d=6", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    for (int i = 0; i < given.contraction->index_count; i++) {
        const char *index = given.contraction->index[i].name;
        const bool is_there = baseline_sliced(&sliced, &given.problem, TCPLAN_PROVIDER_EMITTED, i);
        assert_int_equal(is_there, expected[*index - 'a'] != NULL);
        if (!is_there) continue;
        char *name = tcplan_algorithm_name(&sliced, given.contraction, TCPLAN_DOUBLE);
        assert_string_equal(name, expected[*index - 'a']);
        free(name);
        run_algorithm_checked(&given.problem, &sliced, 1, random_contraction_describe(&given));
    }
    random_contraction_free(&given);
}

static void threads_share_the_whole_product_in_equal_parts(void **state) {
    (void)state;
    static const struct {
        const char *contraction, *sizes, *expected;
        int threads;
    } cases[] = {
        {"C_abcd=A_ec*B_abed", "a=9,b=5,c=6,d=72,e=6", "d:36|-dgemm@emitted", 2},
        {"C_abcd=A_ec*B_abed", "a=9,b=5,c=6,d=72,e=6", "d:24|-dgemm@emitted", 3},
        {"C_abcd=A_ec*B_abed", "a=9,b=5,c=6,d=3,e=6", "c:2|-dgemm@emitted",
         4}, /* the loop is over c: d is too short */
        {"C_ab=A_ai*B_ib", "a=40,b=1,i=6", "a:24|-dgemm@emitted", 2}, /* tiles of 24 rows are whole
                                                                         cache lines */
        {"C_abcdh=A_aebfh*B_fdech", "a=4,b=5,c=3,d=2,e=6,f=3,h=2", "h|-dgemm@emitted", 2},
        {"C_abcdh=A_aebfh*B_fdech", "a=4,b=5,c=3,d=2,e=6,f=3,h=2", NULL, 3},
        {"C_ab=A_ai*B_ib", "a=40,b=40,i=6", NULL, 1},
    };
    for (size_t e = 0; e < sizeof cases / sizeof *cases; e++) {
        struct random_contraction given;
        struct tcplan_algorithm shared;
        random_contraction_given(&given, cases[e].contraction, cases[e].sizes, TCPLAN_COLUMN_MAJOR,
                                 TCPLAN_DOUBLE);
        const bool is_there =
            baseline_shared(&shared, &given.problem, TCPLAN_PROVIDER_EMITTED, cases[e].threads);
        assert_int_equal(is_there, cases[e].expected != NULL);
        char *name =
            is_there ? tcplan_algorithm_name(&shared, given.contraction, TCPLAN_DOUBLE) : NULL;
        if (is_there) assert_string_equal(name, cases[e].expected);
        free(name);
        random_contraction_free(&given);
    }
}

/** Each of these algorithms has a kernel of its own, compiled for it. */
static void every_whole_product_in_place_computes_its_contraction(void **state) {
    (void)state;
    struct random_contraction_options options = random_contraction_defaults();
    struct tcplan_provider_info info;
    int found = 0;
    if (!tcplan_provider_info(&info, TCPLAN_PROVIDER_EMITTED)) skip();
    for (uint64_t seed = 1; found < 16 && seed <= 300; seed++) {
        struct random_contraction given;
        struct tcplan_algorithm whole;
        struct blas_call call;
        double calls;
        random_contraction_init(&given, seed, &options);
        if (baseline_in_place(&whole, &given.problem, TCPLAN_PROVIDER_EMITTED) &&
            blas_call_of(&call, &calls, &given.problem, &whole, NULL) == TCPLAN_OK &&
            call.split[0].count + call.split[1].count + call.split[2].count > 0) {
            run_algorithm_checked(&given.problem, &whole, seed,
                                  random_contraction_describe(&given));
            found++;
        }
        random_contraction_free(&given);
    }
    assert_true(found >= 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_baseline_is_one_kernel_on_operands_in_place_or_copied_whole),
        cmocka_unit_test(every_baseline_computes_its_contraction),
        cmocka_unit_test(kernels_that_split_groups_take_the_whole_product_in_place),
        cmocka_unit_test(a_whole_product_is_sliced_along_an_index_of_its_result),
        cmocka_unit_test(threads_share_the_whole_product_in_equal_parts),
        cmocka_unit_test(every_whole_product_in_place_computes_its_contraction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
