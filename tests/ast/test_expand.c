/*
 * Converts algorithms of canonical products to algorithms of the original problems, and compares
 * the names and the results of both.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/expand.h"
#include "support/random_algorithm.h"
#include "support/run_algorithm.h"

enum { RANDOM = 1500, ALGORITHMS = 2 };

/** The name of an algorithm of the canonical product, and the expected name of its conversion. A
 * fused index has the name of its innermost part. */
struct named {
    const char *name;
    const char *expected; /**< expected name; NULL: the original problem has no such algorithm */
};

static void check_names(const char *contraction, const char *sizes, const struct named *named,
                        size_t count) {
    struct random_contraction given;
    struct canonical_product product;
    random_contraction_given(&given, contraction, sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    canonical_product_make(&product, &given.problem);
    for (size_t n = 0; n < count; n++) {
        struct tcplan_algorithm algorithm, expanded;
        struct tcplan_error error = {0};
        if (tcplan_algorithm_parse(&algorithm, &product.contraction, TCPLAN_DOUBLE, named[n].name,
                                   &error) != TCPLAN_OK)
            fail_msg("%s: %s", named[n].name, error.message);
        const bool is_there = algorithm_expand(&expanded, &product, &algorithm);
        assert_int_equal(is_there, named[n].expected != NULL);
        if (!is_there) continue;
        algorithm_canonical(&expanded, given.contraction);
        char *name = tcplan_algorithm_name(&expanded, given.contraction, TCPLAN_DOUBLE);
        assert_non_null(name);
        assert_string_equal(name, named[n].expected);
        free(name);
    }
    random_contraction_free(&given);
}

#define CHECK_NAMES(contraction, sizes, named)                                                     \
    check_names(contraction, sizes, named, sizeof(named) / sizeof *(named))

static void a_fused_index_is_all_of_its_parts(void **state) {
    static const struct named named[] = {{"dgemm", "dgemm"},
                                         {"a-dgemv", "ba-dgemv"},
                                         {"c|-dgemm", "e|.d|.c-dgemm"},
                                         {"i-dger", "ji-dger"},
                                         {"c'B-dgemm", "e.d.c'B-dgemm"}};
    (void)state;
    CHECK_NAMES("C_abcde=A_abij*B_ijcde", "a=2,b=3,c=2,d=3,e=4,i=2,j=5", named);
}

static void steps_end_between_parts_or_within_one(void **state) {
    static const struct named named[] = {
        {"c:2-dgemm", "ed-dgemm"},         {"c:6-dgemm", "e-dgemm"},
        {"c:12-dgemm", "e:2-dgemm"},       {"c:13-dgemm", "e:2-dgemm"},
        {"c:12.c:6-dgemm", "e:2.e-dgemm"}, {"c:12.c:2-dgemm", "e:2.e.d-dgemm"},
        {"c:1-dgemm", "edc-dgemm"},        {"c:24-dgemm", "dgemm"},
        {"c:6'B-dgemm", "e'B-dgemm"},      {"c:4'B.c-dgemv", "e.d:2'B.d.c-dgemv"}};
    (void)state;
    CHECK_NAMES("C_abcde=A_abij*B_ijcde", "a=2,b=3,c=2,d=3,e=4,i=2,j=5", named);
}

static void summed_steps_expand_to_their_parts(void **state) {
    static const struct named named[] = {{"i:4+-dbrgemm@libxsmm", "k+-dbrgemm@libxsmm"},
                                         {"i:2+-dbrgemm@libxsmm", "k+.j+-dbrgemm@libxsmm"}};
    (void)state;
    CHECK_NAMES("C_ab=A_aijk*B_ijkb", "a=4,b=4,i=2,j=2,k=3", named);
}

static void a_dropped_index_is_a_loop_around_all(void **state) {
    static const struct named named[] = {
        {"dgemm", "x-dgemm"}, {"'A-dgemm", "x'A-dgemm"}, {"b|'A-dgemv", "x.b|'A-dgemv"}};
    (void)state;
    CHECK_NAMES("C_abx=A_axi*B_ib", "a=2,b=3,i=4,x=1", named);
}

/** Checks that the canonical name of an algorithm with fused loops reads back to the same
 * algorithm. */
static void names_are_read_back(const struct random_contraction *random,
                                const struct tcplan_algorithm *algorithm) {
    struct tcplan_algorithm again, canonical = *algorithm;
    struct tcplan_error error = {0};
    algorithm_canonical(&canonical, random->contraction);
    char *name = tcplan_algorithm_name(&canonical, random->contraction, random->problem.dtype);
    assert_non_null(name);
    if (tcplan_algorithm_parse(&again, random->contraction, random->problem.dtype, name, &error) !=
        TCPLAN_OK)
        fail_msg("%s: %s", random_contraction_describe(random), error.message);
    assert_true(tcplan_algorithm_equal(&canonical, &again));
    free(name);
}

static void expanded_algorithms_compute_the_same_result(void **state) {
    struct random_contraction_options options = random_contraction_defaults();
    int expanded_count = 0, fused_count = 0, tried = 0;
    (void)state;
    options.max_rank = 4;
    options.max_parts = 3;
    options.overlaps = false;
    for (uint64_t seed = 0; seed < RANDOM; seed++) {
        struct random_contraction random;
        struct canonical_product product;
        uint64_t state_of = seed;
        random_contraction_init(&random, seed, &options);
        canonical_product_make(&product, &random.problem);
        for (int a = 0; a < ALGORITHMS && !canonical_product_is_source(&product); a++) {
            struct tcplan_algorithm algorithm, expanded;
            if (!random_algorithm(&algorithm, &product.contraction, TCPLAN_PROVIDER_BLAS,
                                  &state_of))
                continue;
            random_parallel_loop(&algorithm, &product.contraction, &state_of);
            tried++;
            if (!algorithm_expand(&expanded, &product, &algorithm)) continue;
            expanded_count++;
            fused_count += expanded.loop_count != algorithm.loop_count;
            names_are_read_back(&random, &expanded);
            if (!random_contraction_suits(&random, &expanded)) continue;
            run_algorithm_checked(&random.problem, &expanded, seed,
                                  random_contraction_describe(&random));
        }
        random_contraction_free(&random);
    }
    assert_true(expanded_count > tried / 2 && fused_count > tried / 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fused_index_is_all_of_its_parts),
        cmocka_unit_test(steps_end_between_parts_or_within_one),
        cmocka_unit_test(summed_steps_expand_to_their_parts),
        cmocka_unit_test(a_dropped_index_is_a_loop_around_all),
        cmocka_unit_test(expanded_algorithms_compute_the_same_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
