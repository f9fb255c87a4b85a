#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "roofline/validation/subject.h"
#include "tcplan/selftest.h"

/** Runs a kernel once on operands whose elements are 1; returns the largest element of the result.
 */
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
    for (size_t i = 0; i < 3 * subject.replica_bytes / sizeof(double); i++)
        ((double *)subject.memory)[i] = 1;
    assert_true(subject_run(&subject, 0, 0));
    assert_int_equal(subject.next, 1);
    const double *first = (const double *)subject.memory;
    const double *second = (const double *)(subject.memory + subject.replica_bytes);
    assert_true(first[128] == 1 + 1e-9 + 1e-9);
    assert_true(second[128] == 1 + 1e-9);
    free(subject.memory);
}

/** Returns how many checks the self-test has for a kernel. */
static int count_checks(const struct tcplan_selftest *test, const char *name, bool cold) {
    int count = 0;
    for (int c = 0; c < test->count; c++)
        count += strcmp(test->check[c].name, name) == 0 && test->check[c].cold == cold;
    return count;
}

/** Checks that work and bytes are the kernel's at this extent, that medians are between their
 * quartiles, and that the ratio is that of measured and expected values. */
static void assert_sound(const struct tcplan_check *check) {
    const double n = (double)check->n;
    const bool axpy = strcmp(check->name, "daxpy") == 0, gemm = strcmp(check->name, "dgemm") == 0;
    if (check->kind == TCPLAN_CHECK_KERNEL) {
        assert_true(check->n > 0 &&
                    check->replicas_bytes >= (check->cold ? (int64_t)check->bytes / 2 : 0));
        if (axpy) assert_true(check->flops == 2 * n && check->bytes == 24 * n);
        if (gemm) assert_true(check->flops >= 2 * n * n * n && check->bytes >= 32 * n * n);
    }
    if (check->repeats == 0) return;
    assert_true(check->measured > 0 && check->q1 <= check->measured &&
                check->measured <= check->q3);
    assert_true(check->ratio > 0 && check->ratio_q1 <= check->ratio &&
                check->ratio <= check->ratio_q3);
    if (check->repeats == 1)
        assert_float_equal(check->ratio, check->measured / check->expected, 1e-9 * check->ratio);
}

static void every_check_has_a_verdict(void **state) {
    const struct tcplan_selftest_options options = {.repeats = 2,
                                                    .max_memory_bytes = (int64_t)32 << 20};
    struct tcplan_selftest test;
    struct tcplan_error error;
    (void)state;
    if (tcplan_selftest_run(&test, &options, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    for (int cold = 0; cold <= 1; cold++) {
        assert_true(test.stopped || count_checks(&test, "daxpy", cold) == 1);
        assert_true(test.stopped || count_checks(&test, "dgemv", cold) == 1);
        assert_true(count_checks(&test, "dgemm", cold) <= 1); /* without FMA there is no bound, and
                                                                 so no check */
    }
    if (!test.stopped)
        assert_int_equal(count_checks(&test, "dgemm", false), count_checks(&test, "dgemm", true));
    bool holds = !test.stopped;
    for (int c = 0; c < test.count; c++) {
        const struct tcplan_check *check = &test.check[c];
        assert_true(check->repeats >= 0 &&
                    check->repeats <= (check->kind == TCPLAN_CHECK_KERNEL ? options.repeats
                                                                          : TCPLAN_CHECK_REPEATS));
        assert_sound(check);
        assert_int_equal(check->verdict == TCPLAN_VERDICT_HOLDS,
                         check->repeats > 0 && check->ratio >= check->lowest &&
                             check->ratio <= check->highest);
        holds = holds && check->verdict == TCPLAN_VERDICT_HOLDS;
    }
    assert_int_equal(test.verdict == TCPLAN_VERDICT_HOLDS, holds);
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
