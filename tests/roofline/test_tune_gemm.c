#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "microbench/timing/session.h"
#include "roofline/tuning/tuner.h"

static void configurations_are_all_combinations_in_the_papers_order(void **state) {
    (void)state;
    const struct gemm_choices choices = gemm_choices_paper();
    assert_int_equal(gemm_choices_count(&choices), 96);
    int64_t c = 0;
    for (int n = 0; n < choices.n_count; n++) {
        for (int m = 0; m < choices.m_count; m++) {
            for (int k = 0; k < choices.k_count; k++, c++) {
                const struct gemm_extents extents = gemm_choices_at(&choices, c);
                assert_int_equal(extents.n, choices.n[n]);
                assert_int_equal(extents.m, choices.m[m]);
                assert_int_equal(extents.k, choices.k[k]);
            }
        }
    }
    const struct gemm_choices quick = gemm_choices_quick();
    assert_int_equal(gemm_choices_count(&quick), 45);
}

static void complex_products_take_four_times_the_operations(void **state) {
    (void)state;
    const struct gemm_extents extents = {.m = 3, .n = 5, .k = 7};
    assert_true(gemm_flops(extents, TCPLAN_FLOAT) == 210);
    assert_true(gemm_flops(extents, TCPLAN_DOUBLE) == 210);
    assert_true(gemm_flops(extents, TCPLAN_DOUBLE_COMPLEX) == 840);
}

/* The best configuration depends on the machine. It must be one of those that were tried, with a
 * plausible speed. */
static void every_type_is_tuned(void **state) {
    (void)state;
    const struct gemm_choices choices = {
        .n_count = 2, .n = {8, 40}, .m_count = 1, .m = {48}, .k_count = 2, .k = {4, 32}};
    struct autotune_options options = autotune_defaults();
    options.iteration.most_samples = 5;
    options.invocation.most_samples = 3;
    struct session session;
    assert_int_equal(session_begin(&session, 1, NULL), TCPLAN_OK);
    for (int dtype = TCPLAN_FLOAT; dtype <= TCPLAN_DOUBLE_COMPLEX; dtype++) {
        struct autotune_result result;
        struct tcplan_error error;
        struct tuner tuner = {.gemm = &choices, .dtype = (enum tcplan_dtype)dtype, .threads = 1};
        assert_int_equal(tuner_search(&result, &tuner, &options, &error), TCPLAN_OK);
        assert_int_equal(result.count, 4);
        assert_true(result.best >= 0 && result.best < 4);
        assert_true(result.value > 0 && isfinite(result.value));
        for (int c = 0; c < 4; c++) {
            assert_true(result.record[c].applicable);
            assert_int_not_equal(result.record[c].reason, STOP_NOT);
            assert_true(result.record[c].means.mean <= result.value);
        }
        autotune_free(&result);
    }
    session_end(&session);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(configurations_are_all_combinations_in_the_papers_order),
        cmocka_unit_test(complex_products_take_four_times_the_operations),
        cmocka_unit_test(every_type_is_tuned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
