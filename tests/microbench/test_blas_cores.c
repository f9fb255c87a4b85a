#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "microbench/providers/blas_cores.h"
#include "microbench/providers/large_products.h"
#include "microbench/providers/small_products.h"

static const struct core_facts prescott = {
    .is = {.name = "OpenBLAS", .version = "0.3.21", .core = "Prescott"}, .processor = VECTORS_512};
static const struct core_facts zen = {
    .is = {.name = "OpenBLAS", .version = "0.3.21", .core = "Zen"}, .processor = VECTORS_512};
static const struct core_facts skylake = {
    .is = {.name = "OpenBLAS", .version = "0.3.21", .core = "SkylakeX"},
    .processor = VECTORS_512_BF16};
static const struct core_facts reference = {.is = {.name = "libblas.so.3"},
                                            .processor = VECTORS_512};

static struct tcplan_blas_trials two_trials(void) {
    return (struct tcplan_blas_trials){
        .peak_gflops = 100,
        .count = 3,
        .trial = {{.core = "Prescott", .gflops = 15},
                  {.core = "SkylakeX", .setting = "SkylakeX", .gflops = 75},
                  {.core = "Haswell", .setting = "Haswell", .gflops = 45}}};
}

static struct tcplan_blas_advice advise(const struct core_facts *facts,
                                        const struct tcplan_blas_trials *trials,
                                        const char *setting) {
    struct tcplan_blas_advice advice;
    blas_cores_advise(&advice, facts, trials, setting);
    return advice;
}

static void names_alone_find_narrow_kernels(void **state) {
    (void)state;
    const struct tcplan_blas_advice advice = advise(&prescott, NULL, NULL);
    assert_int_equal(advice.finding, TCPLAN_BLAS_NARROW);
    assert_non_null(strstr(advice.text, "128-bit vectors without FMA"));
    assert_non_null(strstr(advice.text, "OPENBLAS_CORETYPE"));
    assert_string_equal(advice.better_core, "");
    assert_int_equal(advise(&zen, NULL, NULL).finding, TCPLAN_BLAS_NARROW);
    assert_int_equal(advise(&skylake, NULL, NULL).finding, TCPLAN_BLAS_SUITS);
    assert_int_equal(advise(&reference, NULL, NULL).finding, TCPLAN_BLAS_SUITS);
}

static void names_alone_say_nothing_about_a_chosen_core_type(void **state) {
    (void)state;
    assert_string_equal(advise(&prescott, NULL, "Prescott").text, "");
}

static void an_unknown_core_type_is_not_compared(void **state) {
    (void)state;
    const struct core_facts unknown = {.is = {.name = "OpenBLAS", .core = "NewCore"},
                                       .processor = VECTORS_512};
    assert_int_equal(advise(&unknown, NULL, NULL).finding, TCPLAN_BLAS_SUITS);
}

static void the_fastest_right_core_type_is_recommended(void **state) {
    (void)state;
    const struct tcplan_blas_trials trials = two_trials();
    const struct tcplan_blas_advice advice = advise(&prescott, &trials, NULL);
    assert_int_equal(advice.finding, TCPLAN_BLAS_FASTER);
    assert_string_equal(advice.better_setting, "SkylakeX");
    assert_true(advice.factor == 5);
    assert_non_null(strstr(advice.text, "OPENBLAS_CORETYPE=SkylakeX makes dgemm 5.0 times faster"));
    assert_null(strstr(advice.text, "now set"));
}

static void a_chosen_core_type_is_named(void **state) {
    (void)state;
    const struct tcplan_blas_trials trials = two_trials();
    assert_non_null(strstr(advise(&prescott, &trials, "Prescott").text,
                           "OPENBLAS_CORETYPE is now set to Prescott"));
}

static void wrong_core_types_are_not_recommended(void **state) {
    (void)state;
    struct tcplan_blas_trials trials = two_trials();
    strcpy(trials.trial[1].wrong, "sgemm");
    assert_string_equal(advise(&prescott, &trials, NULL).better_setting, "Haswell");
    strcpy(trials.trial[2].wrong, "zdotc");
    const struct tcplan_blas_advice advice = advise(&prescott, &trials, NULL);
    assert_int_equal(advice.finding, TCPLAN_BLAS_SLOW);
    assert_null(strstr(advice.text, "OPENBLAS_CORETYPE"));
}

static void a_wrong_selection_is_named_whatever_its_speed(void **state) {
    (void)state;
    struct tcplan_blas_trials trials = two_trials();
    strcpy(trials.trial[1].wrong, "sgemm, zgemm");
    const struct tcplan_blas_advice advice = advise(&skylake, &trials, NULL);
    assert_int_equal(advice.finding, TCPLAN_BLAS_WRONG);
    assert_non_null(strstr(
        advice.text, "wrong results on this processor (sgemm, zgemm): OPENBLAS_CORETYPE=Haswell"));
    trials.count = 2;
    assert_non_null(strstr(advise(&skylake, &trials, NULL).text, "use another BLAS"));
}

static void small_gains_are_not_worth_a_variable(void **state) {
    (void)state;
    struct tcplan_blas_trials trials = two_trials();
    trials.trial[0].gflops = 70;
    assert_int_equal(advise(&prescott, &trials, NULL).finding, TCPLAN_BLAS_SUITS);
}

static void a_setting_that_is_a_number_is_explained(void **state) {
    (void)state;
    const struct core_facts facts = {.is = {.name = "BLIS", .version = "0.9.0", .core = "haswell"},
                                     .processor = VECTORS_512};
    const struct tcplan_blas_trials trials = {
        .peak_gflops = 100,
        .count = 2,
        .trial = {{.core = "haswell", .gflops = 40},
                  {.core = "skx", .setting = "0", .gflops = 80}}};
    assert_non_null(strstr(advise(&facts, &trials, NULL).text,
                           "BLIS_ARCH_TYPE=0 (skx) makes dgemm 2.0 times faster"));
}

static void a_library_without_core_types_is_compared_with_the_peak(void **state) {
    (void)state;
    const struct tcplan_blas_trials trials = {
        .peak_gflops = 100, .count = 1, .trial = {{.core = "", .gflops = 3}}};
    const struct tcplan_blas_advice advice = advise(&reference, &trials, NULL);
    assert_int_equal(advice.finding, TCPLAN_BLAS_SLOW);
    assert_null(advice.variable);
    assert_non_null(strstr(advice.text, "dgemm of libblas.so.3 reaches 3 GFLOP/s, 3 %"));
}

static void an_opened_file_is_named(void **state) {
    (void)state;
    const struct core_facts opened = {
        .is = prescott.is, .processor = prescott.processor, .opened_as = "blas2"};
    const struct tcplan_blas_trials slow = {
        .peak_gflops = 100, .count = 1, .trial = {{.core = "Prescott", .gflops = 3}}};
    const char *text = advise(&opened, NULL, NULL).text;
    assert_ptr_equal(strstr(text, "blas2: OpenBLAS 0.3.21 (Prescott) uses 128-bit"), text);
    assert_non_null(strstr(text, "'tcplan machine --blas FILE'"));
    text = advise(&opened, &slow, NULL).text;
    assert_ptr_equal(strstr(text, "blas2: dgemm of OpenBLAS 0.3.21 (Prescott) reaches 3"), text);
}

static void other_core_types_are_tried_for_a_reason(void **state) {
    (void)state;
    const struct tcplan_core_trial good = {.gflops = 80}, slow = {.gflops = 20},
                                   wrong = {.gflops = 80, .wrong = "sgemm"};
    assert_false(blas_cores_are_suspect(&skylake, &good, 100));
    assert_true(blas_cores_are_suspect(&skylake, &slow, 100));
    assert_true(blas_cores_are_suspect(&skylake, &wrong, 100));
    assert_true(blas_cores_are_suspect(&zen, &good, 100));
}

static void every_provider_here_computes_right_products(void **state) {
    (void)state;
    for (int d = 0; d < TCPLAN_DTYPES; d++) {
        const enum tcplan_dtype dtype = (enum tcplan_dtype)d;
        assert_true(small_products_of(TCPLAN_PROVIDER_BLAS, TCPLAN_GEMM, dtype));
        assert_true(small_products_of(TCPLAN_PROVIDER_BLIS, TCPLAN_GEMM, dtype));
        assert_true(large_products_of(TCPLAN_PROVIDER_BLAS, dtype));
        assert_true(large_products_of(TCPLAN_PROVIDER_BLIS, dtype));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_alone_find_narrow_kernels),
        cmocka_unit_test(names_alone_say_nothing_about_a_chosen_core_type),
        cmocka_unit_test(an_unknown_core_type_is_not_compared),
        cmocka_unit_test(the_fastest_right_core_type_is_recommended),
        cmocka_unit_test(a_chosen_core_type_is_named),
        cmocka_unit_test(wrong_core_types_are_not_recommended),
        cmocka_unit_test(a_wrong_selection_is_named_whatever_its_speed),
        cmocka_unit_test(small_gains_are_not_worth_a_variable),
        cmocka_unit_test(a_setting_that_is_a_number_is_explained),
        cmocka_unit_test(a_library_without_core_types_is_compared_with_the_peak),
        cmocka_unit_test(an_opened_file_is_named),
        cmocka_unit_test(other_core_types_are_tried_for_a_reason),
        cmocka_unit_test(every_provider_here_computes_right_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
