/*
 * Tests limits of providers (gen/providers): calls just within a limit give right results, in this
 * process and as emitted C. Only the addresses that one call uses are backed by memory. Algorithms
 * just beyond a limit are not applicable, with a reason.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ast/nest/refine.h"
#include "gen/providers/provider.h"
#include "microbench/program/program.h"
#include "support/emitted.h"
#include "support/random_contraction.h"
#include "support/reserved.h"
#include "tcplan/blas.h"
#include "tcplan/emit.h"

/** An algorithm with one loop, over y. The test executes only its first iteration. */
struct subject {
    struct random_contraction given;
    struct tcplan_nest *nest;
    struct reserved tensor[TCPLAN_OPERANDS];
};

static void subject_init(struct subject *out, const char *contraction, const char *sizes,
                         const char *name, enum tcplan_dtype dtype) {
    struct tcplan_algorithm algorithm;
    struct tcplan_error error;
    random_contraction_given(&out->given, contraction, sizes, TCPLAN_COLUMN_MAJOR, dtype);
    if (tcplan_algorithm_parse(&algorithm, out->given.contraction, dtype, name, &error))
        fail_msg("%s", error.message);
    if (tcplan_nest_build(&out->nest, out->given.contraction, &algorithm, &error))
        fail_msg("%s", error.message);
}

static void subject_free(struct subject *subject) {
    tcplan_nest_free(subject->nest);
    random_contraction_free(&subject->given);
}

/** Advances to the next combination of kernel indices; returns false after the last one. */
static bool next_point(const struct subject *subject, int64_t at[TCPLAN_MAX_INDICES]) {
    const struct tcplan_problem *problem = &subject->given.problem;
    for (int i = 0; i < problem->contraction->index_count; i++) {
        if (memchr(subject->nest->algorithm.loop, i, subject->nest->algorithm.loop_count)) continue;
        if (++at[i] < problem->extent[i]) return true;
        at[i] = 0;
    }
    return false;
}

static int64_t place_at(const struct subject *subject, int tensor,
                        const int64_t at[TCPLAN_MAX_INDICES]) {
    int64_t place = 0;
    for (int i = 0; i < subject->given.problem.contraction->index_count; i++)
        place += subject->given.problem.stride_elems[tensor][i] * at[i];
    return place;
}

/** Returns the value of an element, a small whole number: products and sums are exact. */
static double element(int tensor, int64_t place) {
    return (double)((uint64_t)(place + 1) * 0x9E3779B97F4A7C15U >> (60 + tensor)) - 4;
}

static void set_tensors(struct subject *subject) {
    int64_t at[TCPLAN_MAX_INDICES] = {0};
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        reserved_init(&subject->tensor[t], subject->given.problem.elems[t],
                      subject->given.problem.dtype);
    }
    do {
        for (int t = 0; t < TCPLAN_OPERANDS; t++) {
            const int64_t place = place_at(subject, t, at);
            reserved_set(&subject->tensor[t], place, t == TCPLAN_C ? 0 : element(t, place));
        }
    } while (next_point(subject, at));
}

/** Subtracts the expected values from C: all elements must become 0. */
static void check_result(const struct subject *subject, const char *what) {
    int64_t at[TCPLAN_MAX_INDICES] = {0};
    const struct reserved *result = &subject->tensor[TCPLAN_C];
    do {
        const int64_t place = place_at(subject, TCPLAN_C, at);
        const int64_t a = place_at(subject, TCPLAN_A, at), b = place_at(subject, TCPLAN_B, at);
        reserved_set(result, place,
                     reserved_get(result, place) - element(TCPLAN_A, a) * element(TCPLAN_B, b));
    } while (next_point(subject, at));
    do {
        const double left = reserved_get(result, place_at(subject, TCPLAN_C, at));
        if (left != 0)
            fail_msg("%s, %s: off by %g", random_contraction_describe(&subject->given), what, left);
    } while (next_point(subject, at));
}

static void free_tensors(struct subject *subject) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) reserved_free(&subject->tensor[t]);
}

static void run_in_process(struct subject *subject) {
    struct tcplan_program *program = NULL;
    struct tcplan_error error;
    if (tcplan_program_build(&program, subject->nest, &subject->given.problem, &error))
        fail_msg("%s", error.message);
    const struct kernel *kernel = &program->kernel->kernel;
    set_tensors(subject);
    kernel->burst(kernel,
                  (struct kernel_operands){.first = subject->tensor[kernel->call.first].base,
                                           .second = subject->tensor[kernel->call.second].base,
                                           .result = subject->tensor[TCPLAN_C].base},
                  (struct kernel_steps){0}, 1);
    check_result(subject, "in-process");
    free_tensors(subject);
    tcplan_program_free(program);
}

/** Changes the emitted C so that the loop over y ends after its first iteration. */
static void cut_loop(char *text) {
    static const char condition[] = "; i_y < ";
    char *bound = strstr(text, condition);
    assert_non_null(bound);
    bound += sizeof condition - 1;
    *bound = '1';
    while (*++bound != ';') *bound = ' ';
}

static void run_emitted(struct subject *subject) {
    char *text = NULL;
    struct tcplan_error error;
    if (tcplan_emit_c(&text, subject->nest, &subject->given.problem, NULL, &error))
        fail_msg("%s", error.message);
    cut_loop(text);
    struct emitted *emitted = emitted_build(NULL, text);
    set_tensors(subject);
    assert_int_equal(emitted_find(emitted, "contract")(
                         subject->tensor[0].base, subject->tensor[1].base, subject->tensor[2].base),
                     0);
    check_result(subject, "emitted");
    free_tensors(subject);
    emitted_free(emitted);
    free(text);
}

static void check_within(const char *contraction, const char *sizes, const char *name,
                         enum tcplan_dtype dtype) {
    struct subject subject;
    subject_init(&subject, contraction, sizes, name, dtype);
    run_in_process(&subject);
    subject_free(&subject);
}

static void check_emitted(const char *contraction, const char *sizes, const char *name,
                          enum tcplan_dtype dtype) {
    struct subject subject;
    subject_init(&subject, contraction, sizes, name, dtype);
    run_emitted(&subject);
    subject_free(&subject);
}

static void check_beyond(const char *contraction, const char *sizes, const char *name,
                         enum tcplan_dtype dtype, const char *reason) {
    struct subject subject;
    struct tcplan_program *program = NULL;
    struct tcplan_error error = {0};
    char *text = NULL;
    subject_init(&subject, contraction, sizes, name, dtype);
    assert_int_equal(tcplan_program_build(&program, subject.nest, &subject.given.problem, &error),
                     TCPLAN_NOT_APPLICABLE);
    assert_string_equal(error.message, reason);
    error = (struct tcplan_error){0};
    assert_int_equal(tcplan_emit_c(&text, subject.nest, &subject.given.problem, NULL, &error),
                     TCPLAN_NOT_APPLICABLE);
    assert_string_equal(error.message, reason);
    subject_free(&subject);
}

static void check_applies(const char *contraction, const char *sizes, const char *name,
                          enum tcplan_dtype dtype) {
    struct subject subject;
    struct tcplan_program *program = NULL;
    struct tcplan_error error;
    subject_init(&subject, contraction, sizes, name, dtype);
    if (tcplan_program_build(&program, subject.nest, &subject.given.problem, &error))
        fail_msg("%s", error.message);
    tcplan_program_free(program);
    subject_free(&subject);
}

static void need(enum tcplan_provider provider) {
    struct tcplan_provider_info info;
    if (tcplan_provider_info(&info, provider)) return;
    print_message("%s is not there\n", tcplan_provider_name(provider));
    skip();
}

static void libxsmm_takes_matrices_of_less_than_2_gib(void **state) {
    (void)state;
    static const char reason[] =
        "gemm with 2147483648 bytes from the first element to the end of the last column of a matrix: libxsmm takes at most 2147483647";
    need(TCPLAN_PROVIDER_LIBXSMM);
    check_within("C_aby=A_ayi*B_iby", "a=16,i=8,b=8,y=2097151", "y-dgemm@libxsmm", TCPLAN_DOUBLE);
    check_emitted("C_aby=A_ayi*B_iby", "a=16,i=8,b=8,y=2097151", "y-dgemm@libxsmm", TCPLAN_DOUBLE);
    check_beyond("C_aby=A_ayi*B_iby", "a=16,i=8,b=8,y=2097152", "y-dgemm@libxsmm", TCPLAN_DOUBLE,
                 reason);
    check_within("C_aby=A_ayi*B_iby", "a=16,i=8,b=8,y=4194303", "y-sgemm@libxsmm", TCPLAN_FLOAT);
    check_beyond("C_aby=A_ayi*B_iby", "a=16,i=8,b=8,y=4194304", "y-sgemm@libxsmm", TCPLAN_FLOAT,
                 reason);
    check_within("C_aby=A_aiy*B_iyb", "a=40,i=8,b=16,y=2097151", "y-dgemm@libxsmm", TCPLAN_DOUBLE);
    check_beyond("C_aby=A_aiy*B_iyb", "a=40,i=8,b=16,y=2097152", "y-dgemm@libxsmm", TCPLAN_DOUBLE,
                 reason);
    check_within("C_ayb=A_aiy*B_byi", "a=16,i=4,b=7,y=2396745", "y-dgemm@libxsmm", TCPLAN_DOUBLE);
    check_within("C_ayb=A_aiy*B_iyb", "a=16,i=4,b=8,y=2097151", "y-dgemm@libxsmm", TCPLAN_DOUBLE);
    check_beyond("C_ayb=A_aiy*B_iyb", "a=16,i=4,b=8,y=2097152", "y-dgemm@libxsmm", TCPLAN_DOUBLE,
                 reason);
}

/** This limit of OpenBLAS exists in single precision only. */
static void openblas_writes_few_columns_of_a_result_at_once(void **state) {
    (void)state;
    check_within("C_ayb=A_aiy*B_biy", "a=16,i=8,b=17,y=8947848", "y-sgemm", TCPLAN_FLOAT);
    check_emitted("C_ayb=A_aiy*B_biy", "a=16,i=8,b=17,y=8947848", "y-sgemm", TCPLAN_FLOAT);
    check_beyond(
        "C_ayb=A_aiy*B_biy", "a=16,i=8,b=17,y=8947849", "y-sgemm", TCPLAN_FLOAT,
        "gemm with 2147483760 elements between columns of the result that are written together: openblas takes at most 2147483647");
    check_within("C_ayb=A_aiy*B_iby", "a=16,i=8,b=17,y=44739242", "y-sgemm", TCPLAN_FLOAT);
    check_beyond(
        "C_ayb=A_aiy*B_iby", "a=16,i=8,b=17,y=44739243", "y-sgemm", TCPLAN_FLOAT,
        "gemm with 2147483664 elements between columns of the result that are written together: openblas takes at most 2147483647");
    check_within("C_ayb=A_aiy*B_biy", "a=16,i=8,b=17,y=8947849", "y-dgemm", TCPLAN_DOUBLE);
}

/** 16 * 134217727 is the largest multiple of 16 below 2^31. */
static void openblas_takes_any_blas_integer_between_columns_and_elements(void **state) {
    (void)state;
    check_within("C_ayb=A_ayi*B_iby", "a=16,i=5,b=3,y=134217727", "y-dgemm", TCPLAN_DOUBLE);
    check_within("C_ayb=A_ayi*B_iby", "a=16,i=5,b=3,y=134217727", "y-zgemm", TCPLAN_DOUBLE_COMPLEX);
    check_within("C_ay=A_ayi*B_yi", "a=16,i=5,y=134217727", "y-dgemv", TCPLAN_DOUBLE);
    check_within("C_ya=A_iya*B_yi", "a=8,i=16,y=134217727", "y-sgemv", TCPLAN_FLOAT);
    check_within("C_ayb=A_ya*B_yb", "a=16,b=5,y=134217727", "y-dger", TCPLAN_DOUBLE);
    check_within("C_ya=A_ya*B_y", "a=9,y=2147483647", "y-daxpy", TCPLAN_DOUBLE);
    check_within("C_y=A_yi*B_yi", "i=9,y=2147483647", "y-sdot", TCPLAN_FLOAT);
}

static void blis_takes_any_stride(void **state) {
    (void)state;
    need(TCPLAN_PROVIDER_BLIS);
    check_within("C_aby=A_ayi*B_iby", "a=16,i=8,b=8,y=300000000", "y-dgemm@blis", TCPLAN_DOUBLE);
    check_emitted("C_aby=A_ayi*B_iby", "a=16,i=8,b=8,y=300000000", "y-dgemm@blis", TCPLAN_DOUBLE);
    check_within("C_yab=A_yai*B_yib", "a=5,i=6,b=7,y=2147483647", "y-sgemm@blis", TCPLAN_FLOAT);
    check_beyond("C_aby=A_ayi*B_iby", "a=16,i=8,b=8,y=300000000", "y-dgemm", TCPLAN_DOUBLE,
                 "index i of tensor A has stride 4800000000, beyond the BLAS integer 2147483647");
}

static void openblas_packs_vectors_of_32_mib(void **state) {
    (void)state;
    check_within("C_aby=A_ya*B_by", "a=4096,b=2,y=2", "y-dger", TCPLAN_DOUBLE);
    check_applies("C_aby=A_ya*B_by", "a=4194304,b=1,y=2", "y-dger", TCPLAN_DOUBLE);
    check_applies("C_aby=A_ay*B_by", "a=4194305,b=1,y=2", "y-dger",
                  TCPLAN_DOUBLE); /* no operand of this call is packed */
    check_beyond("C_aby=A_ya*B_by", "a=4194305,b=1,y=2", "y-dger", TCPLAN_DOUBLE,
                 "ger with 33554440 bytes in a vector with gaps: openblas takes at most 33554432");
}

static void openblas_counts_the_elements_of_complex_vectors(void **state) {
    (void)state;
    check_beyond(
        "C_ay=A_ayi*B_iy", "a=2147483640,i=2,y=1", "y-zgemv", TCPLAN_DOUBLE_COMPLEX,
        "gemv with 2147483642 elements in both vectors: openblas takes at most 2147483583");
}

static void libxsmm_sums_products_less_than_2_gib_apart(void **state) {
    (void)state;
    need(TCPLAN_PROVIDER_LIBXSMM);
    check_within("C_aby=A_aiyz*B_izby", "a=16,i=8,b=8,z=2,y=2097151", "y.z+-dbrgemm@libxsmm",
                 TCPLAN_DOUBLE);
    check_emitted("C_aby=A_aiyz*B_izby", "a=16,i=8,b=8,z=2,y=2097151", "y.z+-dbrgemm@libxsmm",
                  TCPLAN_DOUBLE);
    check_beyond(
        "C_aby=A_aiyz*B_izby", "a=16,i=8,b=8,z=2,y=2097152", "y.z+-dbrgemm@libxsmm", TCPLAN_DOUBLE,
        "brgemm with 2147483648 bytes from one product of a sum to the next: libxsmm takes at most 2147483647");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libxsmm_takes_matrices_of_less_than_2_gib),
        cmocka_unit_test(openblas_writes_few_columns_of_a_result_at_once),
        cmocka_unit_test(openblas_takes_any_blas_integer_between_columns_and_elements),
        cmocka_unit_test(openblas_packs_vectors_of_32_mib),
        cmocka_unit_test(openblas_counts_the_elements_of_complex_vectors),
        cmocka_unit_test(blis_takes_any_stride),
        cmocka_unit_test(libxsmm_sums_products_less_than_2_gib_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
