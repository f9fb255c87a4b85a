#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "roofline/subject.h"
#include "tcplan/selftest.h"

/** One run of a subject on ones; returns the largest number there is then. */
static double result_of(enum tcplan_kernel kernel, int64_t n) {
    struct subject subject = {.kernel = kernel, .n = n, .replicas = 1, .runs = 1};
    subject_bind(&subject);
    const size_t elems = subject.replica_bytes / sizeof(double);
    double *memory = aligned_alloc(4096, subject.replica_bytes);
    assert_non_null(memory);
    for (size_t i = 0; i < elems; i++) memory[i] = 1;
    subject.memory = (char *)memory;
    assert_true(subject_run(&subject, 0, 0));
    double largest = 0;
    for (size_t i = 0; i < elems; i++) largest = memory[i] > largest ? memory[i] : largest;
    free(memory);
    return largest;
}

static void kernels_do_their_work(void **state) {
    (void)state;
    assert_true(result_of(TCPLAN_AXPY, 300) == 1 + 1e-9);
    assert_float_equal(result_of(TCPLAN_GEMV, 30), 1 + 30e-9, 1e-12);
    assert_float_equal(result_of(TCPLAN_GEMM, 30), 1 + 30e-9, 1e-12);
}

static void work_and_traffic_are_those_of_the_paper(void **state) {
    const struct subject daxpy = {.kernel = TCPLAN_AXPY, .n = 100};
    const struct subject dgemv = {.kernel = TCPLAN_GEMV, .n = 100};
    const struct subject dgemm = {.kernel = TCPLAN_GEMM, .n = 100};
    (void)state;
    assert_true(subject_flops(&daxpy) == 200 && subject_bytes(&daxpy) == 2400);
    assert_true(subject_flops(&dgemv) == 20200 && subject_bytes(&dgemv) == 82400);
    assert_true(subject_flops(&dgemm) == 2020000 && subject_bytes(&dgemm) == 320000);
}

static void replicas_are_used_in_turn(void **state) {
    struct subject subject = {.kernel = TCPLAN_AXPY, .n = 128, .replicas = 3, .runs = 4};
    (void)state;
    subject_bind(&subject);
    subject.memory = aligned_alloc(4096, 3 * subject.replica_bytes);
    assert_non_null(subject.memory);
    for (size_t i = 0; i < 3 * subject.replica_bytes / sizeof(double); i++) ((double *)subject.memory)[i] = 1;
    assert_true(subject_run(&subject, 0, 0));
    assert_int_equal(subject.next, 1);
    const double *first = (const double *)subject.memory;
    const double *second = (const double *)(subject.memory + subject.replica_bytes);
    assert_true(first[128] == 1 + 1e-9 + 1e-9);
    assert_true(second[128] == 1 + 1e-9);
    free(subject.memory);
}

static void every_check_has_a_verdict(void **state) {
    const struct tcplan_selftest_options options = {.repeats = 2, .max_memory_bytes = (int64_t)32 << 20};
    struct tcplan_selftest test;
    struct tcplan_error error;
    (void)state;
    if (tcplan_selftest_run(&test, &options, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    assert_true(test.count >= 4);
    bool holds = true;
    for (int c = 0; c < test.count; c++) {
        const struct tcplan_check *check = &test.check[c];
        assert_true(check->repeats >= 0 && check->repeats <= TCPLAN_CHECK_REPEATS);
        assert_int_equal(check->holds, check->repeats > 0 && check->ratio >= check->lowest && check->ratio <= check->highest);
        holds = holds && check->holds;
    }
    assert_int_equal(test.holds, holds);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_do_their_work),
        cmocka_unit_test(work_and_traffic_are_those_of_the_paper),
        cmocka_unit_test(replicas_are_used_in_turn),
        cmocka_unit_test(every_check_has_a_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
