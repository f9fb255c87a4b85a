/*
 * Compares every blocked algorithm, for every element type, with LAPACK's routine: with sizes that
 * the block size divides and others, with blocks larger than the matrix, and with matrices for
 * which the operation fails.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "routines/blocked/run/inputs.h"
#include "support/rng.h"
#include "tcplan/blocked_run.h"

static struct tcplan_blocked *make(const char *name, enum tcplan_dtype dtype) {
    struct tcplan_blocked *blocked = NULL;
    struct tcplan_error error = {0};
    int operation = -1, algorithm = -1;
    if (tcplan_blocked_find(&operation, &algorithm, &dtype, name, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    if (tcplan_blocked_make(&blocked, operation, algorithm < 0 ? 0 : algorithm, dtype, &error) !=
        TCPLAN_OK)
        fail_msg("%s", error.message);
    return blocked;
}

static void verify(const struct tcplan_blocked *blocked, const struct tcplan_blocked_sizes *sizes,
                   uint64_t seed) {
    struct tcplan_blocked_verdict verdict;
    struct tcplan_error error = {0};
    const char *name = tcplan_blocked_name(blocked),
               letter = tcplan_dtype_letter(tcplan_blocked_dtype(blocked));
    const long long first = sizes->size[0], second = sizes->size[1], b = sizes->block;
    if (tcplan_blocked_verify(&verdict, blocked, sizes, seed, &error) != TCPLAN_OK) {
        fail_msg("%c%s %lld %lld b=%lld: %s", letter, name, first, second, b, error.message);
    }
    if (verdict.passed && verdict.outcome.end == TCPLAN_BLOCKED_COMPUTED) return;
    fail_msg("%c%s %lld %lld b=%lld: %s, %s %g of %g; touched %s; info %lld, of %s %lld", letter,
             name, first, second, b, tcplan_blocked_end_text(verdict.outcome.end),
             verdict.worst ? verdict.worst : "-", verdict.error, verdict.allowed,
             verdict.touched ? verdict.touched : "nothing", (long long)verdict.outcome.info,
             verdict.lapack, (long long)verdict.lapack_info);
}

/** Draws sizes and leading dimensions for test `number`: the first tests are edge cases, later ones
 * are random. */
static struct tcplan_blocked_sizes draw(const struct tcplan_blocked *blocked, int number,
                                        uint64_t *rng) {
    static const struct {
        int m, n, b;
    } edges[] = {{0, 0, 4},   {1, 1, 1}, {1, 1, 64},   {24, 24, 8}, {24, 32, 8}, {23, 24, 8},
                 {33, 17, 8}, {5, 7, 1}, {9, 40, 100}, {0, 3, 2},   {3, 0, 2}};
    const int count = sizeof edges / sizeof *edges;
    struct tcplan_blocked_sizes sizes = {.block = 1 + rng_below(rng, 20)};
    for (int s = 0; s < TCPLAN_BLOCK_SIZES; s++) sizes.size[s] = rng_below(rng, 50);
    if (number < count) {
        sizes = (struct tcplan_blocked_sizes){.size = {edges[number].m, edges[number].n, 7},
                                              .block = edges[number].b};
    }
    if (tcplan_blocked_blocks(blocked)->size_count == 3 && sizes.size[1] > sizes.size[0])
        sizes.size[1] = sizes.size[0]; /* Q has at most as many reflectors as rows */
    for (int s = 0; s < 3 && strcmp(tcplan_blocked_name(blocked), "gels") == 0; s++) {
        if (sizes.size[s] == 0)
            sizes.size[s] = 1; /* if a size is 0, LAPACK's gels does not factor A, and clears B */
    }
    for (int m = 0; m < tcplan_blocked_blocks(blocked)->matrix_count && number % 2; m++) {
        int64_t rows, columns, leading;
        tcplan_blocked_extents(blocked, &sizes, m, &rows, &columns, &leading);
        sizes.leading[m] = leading + rng_below(rng, 5);
    }
    return sizes;
}

static void verify_operation(int operation, int cases) {
    struct tcplan_blocked_operation of;
    tcplan_blocked_operation(&of, operation);
    for (int algorithm = 0; algorithm < of.algorithms; algorithm++) {
        for (int dtype = 0; dtype < TCPLAN_DTYPES; dtype++) {
            struct tcplan_blocked *blocked = NULL;
            uint64_t rng = (uint64_t)operation * 1000 + (uint64_t)algorithm;
            assert_int_equal(
                tcplan_blocked_make(&blocked, operation, algorithm, (enum tcplan_dtype)dtype, NULL),
                TCPLAN_OK);
            for (int c = 0; c < cases; c++) {
                const struct tcplan_blocked_sizes sizes = draw(blocked, c, &rng);
                verify(blocked, &sizes, (uint64_t)c);
            }
            tcplan_blocked_free(blocked);
        }
    }
}

static void every_algorithm_agrees_with_lapack(void **state) {
    (void)state;
    for (int operation = 0; operation < tcplan_blocked_operations(); operation++) {
        struct tcplan_blocked_operation of;
        tcplan_blocked_operation(&of, operation);
        verify_operation(operation, of.algorithms > 10 ? 14 : 30);
    }
}

static void blocks_of_usual_sizes_agree_with_lapack(void **state) {
    static const char *const names[] = {
        "potrf_L3", "potrf_Ur",  "trtri_LN3", "trtri_UN8", "lauum_U1",   "trtri_LNr2",  "sygst_1L1",
        "lauum_Lr", "sygst_1Ur", "getrf_1",   "geqrf",     "trsyl_m1n2", "trsyl_7m2m1", "ormqr_LT",
        "ormqr_RN", "trsyl_rm",  "trsyl_rn",  "ormqr_LN",  "ormqr_RT",   "gels",        "getrf_r",
        "sytrd_L",  "sytrd_U",   "sy2sb_L",   "sy2sb_U"};
    (void)state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct tcplan_blocked *blocked =
            make(names[n], n % 2 ? TCPLAN_DOUBLE_COMPLEX : TCPLAN_DOUBLE);
        const struct tcplan_blocked_sizes sizes = {.size = {203, 177, 91}, .block = 64};
        verify(blocked, &sizes, n);
        tcplan_blocked_free(blocked);
    }
}

static void nested_algorithms_agree_with_lapack(void **state) {
    struct tcplan_blocked **algorithm = NULL;
    struct tcplan_error error = {0};
    int count = 0;
    (void)state;
    if (tcplan_blocked_read(&algorithm, &count,
                            TCPLAN_TESTS_DIR "/fuzz/corpus/blocked/cholesky.xml",
                            TCPLAN_FLOAT_COMPLEX, &error) != TCPLAN_OK) {
        fail_msg("%s", error.message);
    }
    for (int a = 0; a < count; a++) {
        const struct tcplan_blocked_sizes sizes = {.size = {600}, .block = 48};
        verify(algorithm[a], &sizes, 3);
        tcplan_blocked_free(algorithm[a]);
    }
    free(algorithm);
}

/** An algorithm with matrices to run it on, for the tests of operations that fail. */
struct trial {
    struct tcplan_blocked *blocked;
    struct tcplan_blocked_sizes sizes;
    void *matrix[TCPLAN_MAX_MATRICES];
};

static void begin(struct trial *trial, const char *name, enum tcplan_dtype dtype, int64_t n,
                  int64_t b) {
    *trial = (struct trial){.blocked = make(name, dtype), .sizes = {.size = {n, n}, .block = b}};
    for (int m = 0; m < tcplan_blocked_blocks(trial->blocked)->matrix_count; m++) {
        if (tcplan_blocked_blocks(trial->blocked)->matrix[m].role == TCPLAN_MATRIX_TEMPORARY)
            continue;
        trial->matrix[m] =
            calloc(1, (size_t)tcplan_blocked_bytes(trial->blocked, &trial->sizes, m) + 1);
        assert_non_null(trial->matrix[m]);
    }
    tcplan_blocked_fill(trial->blocked, &trial->sizes, trial->matrix, 1);
}

static void end(struct trial *trial) {
    for (int m = 0; m < TCPLAN_MAX_MATRICES; m++) free(trial->matrix[m]);
    tcplan_blocked_free(trial->blocked);
}

static void put(struct trial *trial, int matrix, int64_t row, int64_t column, double value) {
    const enum tcplan_dtype dtype = tcplan_blocked_dtype(trial->blocked);
    int64_t rows, columns, leading;
    tcplan_blocked_extents(trial->blocked, &trial->sizes, matrix, &rows, &columns, &leading);
    inputs_put((char *)trial->matrix[matrix] +
                   (size_t)(row + column * leading) * tcplan_dtype_bytes(dtype),
               dtype, value, 0);
}

static struct tcplan_blocked_outcome run(struct trial *trial) {
    struct tcplan_blocked_outcome outcome;
    struct tcplan_error error = {0};
    if (tcplan_blocked_run(&outcome, trial->blocked, &trial->sizes, TCPLAN_PROVIDER_BLAS,
                           trial->matrix, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    return outcome;
}

static void an_indefinite_matrix_stops_at_its_minor(void **state) {
    static const char *const names[] = {"potrf_L1", "potrf_L2", "potrf_L3", "potrf_Lr",
                                        "potrf_U1", "potrf_U2", "potrf_U3", "potrf_Ur"};
    (void)state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        for (int dtype = 0; dtype < TCPLAN_DTYPES; dtype++) {
            struct trial trial;
            begin(&trial, names[n], (enum tcplan_dtype)dtype, 23, 5);
            put(&trial, 0, 16, 16, -3);
            const struct tcplan_blocked_outcome outcome = run(&trial);
            assert_int_equal(outcome.end, TCPLAN_BLOCKED_INDEFINITE);
            assert_int_equal(outcome.info, 17);
            end(&trial);
        }
    }
}

static void a_triangle_with_a_zero_is_not_inverted(void **state) {
    static const char *const names[] = {"1", "2", "3", "4", "5", "6", "7", "8", "r1", "r2", "r3"};
    (void)state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct trial trial;
        char name[TCPLAN_BLOCKED_NAME];
        snprintf(name, sizeof name, "trtri_LN%s", names[n]);
        begin(&trial, name, TCPLAN_DOUBLE, 20, 6);
        put(&trial, 0, 13, 13, 0);
        const struct tcplan_blocked_outcome outcome = run(&trial);
        assert_int_equal(outcome.end, TCPLAN_BLOCKED_SINGULAR);
        assert_int_equal(outcome.info, 14);
        assert_int_equal(outcome.calls, 0);
        end(&trial);
    }
}

static void a_singular_matrix_is_factored_and_reported(void **state) {
    (void)state;
    for (int dtype = 0; dtype < TCPLAN_DTYPES; dtype++) {
        struct trial trial;
        begin(&trial, dtype % 2 ? "getrf_1" : "getrf_r", (enum tcplan_dtype)dtype, 19, 4);
        for (int row = 0; row < 19; row++) put(&trial, 0, row, 10, 0);
        const struct tcplan_blocked_outcome outcome = run(&trial);
        assert_int_equal(outcome.end, TCPLAN_BLOCKED_SINGULAR);
        assert_int_equal(outcome.info, 11);
        assert_true(outcome.calls > 20);
        end(&trial);
    }
}

static void a_factor_with_a_zero_is_refused_before_sygst(void **state) {
    struct trial trial;
    (void)state;
    begin(&trial, "sygst_1L1", TCPLAN_DOUBLE, 9, 4);
    put(&trial, 1, 8, 8, 0);
    const struct tcplan_blocked_outcome outcome = run(&trial);
    assert_int_equal(outcome.end, TCPLAN_BLOCKED_SINGULAR);
    assert_int_equal(outcome.info, 9);
    end(&trial);
}

static void common_eigenvalues_of_sylvesters_matrices_are_reported(void **state) {
    static const char *const names[] = {"trsyl_m1n1", "trsyl_n2m2", "trsyl_1n1m1", "trsyl_14m2n2"};
    (void)state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct trial trial;
        begin(&trial, names[n], TCPLAN_DOUBLE, 12, 5);
        put(&trial, 0, 7, 7, 1.5);
        put(&trial, 1, 4, 4, -1.5);
        const struct tcplan_blocked_outcome outcome = run(&trial);
        assert_int_equal(outcome.end, TCPLAN_BLOCKED_CLOSE);
        assert_int_equal(outcome.info, 1);
        end(&trial);
    }
}

static void info_of_matrices_without_a_result_agrees_with_lapack(void **state) {
    static const char *const names[] = {"potrf_L1",   "potrf_L2",  "potrf_U3",  "potrf_Lr",
                                        "potrf_Ur",   "trtri_LN1", "trtri_UN6", "trtri_LNr1",
                                        "trtri_UNr3", "getrf_1",   "getrf_r"};
    uint64_t rng = 9;
    (void)state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        for (int c = 0; c < 20; c++) {
            struct tcplan_blocked *blocked = make(names[n], (enum tcplan_dtype)(c % TCPLAN_DTYPES));
            const struct tcplan_blocked_sizes sizes = draw(blocked, c, &rng);
            struct tcplan_blocked_verdict verdict;
            struct tcplan_error error = {0};
            if (tcplan_blocked_verify_info(&verdict, blocked, &sizes, (uint64_t)c, &error) !=
                TCPLAN_OK)
                fail_msg("%s: %s", names[n], error.message);
            if (!verdict.passed) {
                fail_msg("%s %lld %lld b=%lld: info %lld, of LAPACK %lld, touched %s", names[n],
                         (long long)sizes.size[0], (long long)sizes.size[1], (long long)sizes.block,
                         (long long)verdict.outcome.info, (long long)verdict.lapack_info,
                         verdict.touched ? verdict.touched : "nothing");
            }
            tcplan_blocked_free(blocked);
        }
    }
    struct tcplan_blocked *blocked = make("lauum_L1", TCPLAN_DOUBLE);
    struct tcplan_blocked_verdict verdict;
    assert_int_equal(
        tcplan_blocked_verify_info(
            &verdict, blocked, &(struct tcplan_blocked_sizes){.size = {5}, .block = 2}, 1, NULL),
        TCPLAN_NOT_APPLICABLE);
    tcplan_blocked_free(blocked);
}

/* Invalid input. */

static void an_algorithm_without_a_whole_routine_is_not_verified(void **state) {
    struct tcplan_blocked_verdict verdict;
    struct tcplan_blocked **algorithm = NULL;
    const struct tcplan_blocked_sizes sizes = {.size = {9, 9}, .block = 4};
    int count = 0;
    (void)state;
    assert_int_equal(tcplan_blocked_read(&algorithm, &count,
                                         TCPLAN_TESTS_DIR "/fuzz/corpus/blocked/lu.xml",
                                         TCPLAN_DOUBLE, NULL),
                     TCPLAN_OK);
    assert_int_equal(count, 1);
    assert_int_equal(tcplan_blocked_verify(&verdict, algorithm[0], &sizes, 1, NULL),
                     TCPLAN_NOT_APPLICABLE);
    tcplan_blocked_free(algorithm[0]);
    free(algorithm);
}

static void out_of_memory_and_wrong_sizes_are_errors(void **state) {
    struct tcplan_blocked_outcome outcome;
    struct trial trial;
    void *none[TCPLAN_MAX_MATRICES] = {NULL};
    (void)state;
    begin(&trial, "potrf_L3", TCPLAN_DOUBLE, 8, 3);
    assert_int_equal(
        tcplan_blocked_run(&outcome, trial.blocked, &trial.sizes, TCPLAN_PROVIDER_BLAS, none, NULL),
        TCPLAN_INVALID);
    trial.sizes.block = 0;
    assert_int_equal(tcplan_blocked_run(&outcome, trial.blocked, &trial.sizes, TCPLAN_PROVIDER_BLAS,
                                        trial.matrix, NULL),
                     TCPLAN_INVALID);
    trial.sizes = (struct tcplan_blocked_sizes){.size = {-1}, .block = 4};
    assert_int_equal(tcplan_blocked_run(&outcome, trial.blocked, &trial.sizes, TCPLAN_PROVIDER_BLAS,
                                        trial.matrix, NULL),
                     TCPLAN_INVALID);
    trial.sizes = (struct tcplan_blocked_sizes){.size = {0}, .block = 4};
    assert_int_equal(
        tcplan_blocked_run(&outcome, trial.blocked, &trial.sizes, TCPLAN_PROVIDER_BLAS, none, NULL),
        TCPLAN_OK);
    assert_int_equal(outcome.calls, 0);
    end(&trial);
}

static void a_provider_without_the_routines_is_refused(void **state) {
    struct tcplan_blocked_outcome outcome;
    struct tcplan_error error = {0};
    struct trial trial;
    (void)state;
    begin(&trial, "potrf_L3", TCPLAN_DOUBLE, 8, 3);
    assert_int_equal(tcplan_blocked_run(&outcome, trial.blocked, &trial.sizes,
                                        TCPLAN_PROVIDER_LIBXSMM, trial.matrix, &error),
                     TCPLAN_INVALID);
    assert_true(strlen(error.message) > 0);
    end(&trial);
}

static void out_of_memory_is_reported(void **state) {
    struct tcplan_blocked_verdict verdict;
    struct tcplan_blocked *blocked = make("geqrf", TCPLAN_DOUBLE);
    const struct tcplan_blocked_sizes sizes = {.size = {9, 7}, .block = 3};
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    (void)state;
    for (long successes = 0; status == TCPLAN_NO_MEMORY && successes < 1000; successes++) {
        base_alloc_fail_after(successes);
        status = tcplan_blocked_verify(&verdict, blocked, &sizes, 1, NULL);
        base_alloc_fail_after(-1);
    }
    assert_int_equal(status, TCPLAN_OK);
    assert_true(verdict.passed);
    tcplan_blocked_free(blocked);
}

/** A check without LAPACK: two elements of L L^T equal those of the matrix. */
static void a_factor_times_its_transpose_is_the_matrix(void **state) {
    struct trial trial;
    struct tcplan_blocked_outcome outcome;
    (void)state;
    begin(&trial, "potrf_L3", TCPLAN_DOUBLE, 16, 4);
    outcome = run(&trial);
    const double *a = trial.matrix[0];
    if (!a) abort();
    const double first = a[0] * a[0];
    double last = 0;
    for (int k = 0; k <= 15; k++) last += a[15 + k * 16] * a[15 + k * 16];
    tcplan_blocked_fill(trial.blocked, &trial.sizes, trial.matrix, 1);
    assert_true(outcome.end == TCPLAN_BLOCKED_COMPUTED);
    assert_true(fabs(first - a[0]) < 1e-12);
    assert_true(fabs(last - a[15 + 15 * 16]) < 1e-12);
    end(&trial);
}

/* Reads the algorithms for A = L D L^T of the example file. */

static void read_ldlt(struct tcplan_blocked *algorithm[], enum tcplan_dtype dtype) {
    struct tcplan_blocked **all = NULL;
    struct tcplan_error error = {0};
    int count = 0;
    if (tcplan_blocked_read(&all, &count, TCPLAN_TESTS_DIR "/../examples/blocked/ldlt.xml", dtype,
                            &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    assert_int_equal(count, 3);
    for (int a = 0; a < count; a++) algorithm[a] = all[a];
    free(all);
}

/** Returns element (i, j), i >= j, of L D L^T. */
static double product_at(const double *a, int64_t n, int64_t i, int64_t j) {
    double sum = 0;
    for (int64_t k = 0; k <= j; k++)
        sum += (k == i ? 1 : a[i + k * n]) * a[k + k * n] * (k == j ? 1 : a[j + k * n]);
    return sum;
}

static void factors_of_the_example_multiply_to_the_matrix(void **state) {
    static const int cases[][2] = {{1, 4}, {16, 4}, {37, 8}, {20, 50}, {23, 1}};
    struct tcplan_blocked *algorithm[3] = {NULL};
    (void)state;
    read_ldlt(algorithm, TCPLAN_DOUBLE);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const int64_t n = cases[c][0];
        const struct tcplan_blocked_sizes sizes = {.size = {n}, .block = cases[c][1]};
        struct tcplan_blocked_outcome outcome;
        struct tcplan_error error = {0};
        double *a = calloc((size_t)(n * n), sizeof *a), *was = calloc((size_t)(n * n), sizeof *was);
        void *matrix[TCPLAN_MAX_MATRICES] = {a};
        assert_true(a && was);
        tcplan_blocked_fill(algorithm[2], &sizes, matrix, 5);
        for (int64_t i = 0; i < n; i += 3)
            a[i + i * n] = -a[i + i * n]; /* the factorisation also works for indefinite matrices */
        memcpy(was, a, (size_t)(n * n) * sizeof *a);
        if (tcplan_blocked_run(&outcome, algorithm[2], &sizes, TCPLAN_PROVIDER_BLAS, matrix,
                               &error) != TCPLAN_OK)
            fail_msg("%s", error.message);
        assert_int_equal(outcome.end, TCPLAN_BLOCKED_COMPUTED);
        for (int64_t j = 0; j < n; j++) {
            for (int64_t i = 0; i < n; i++) {
                if (i < j) assert_true(a[i + j * n] == was[i + j * n]);
                if (i >= j) assert_true(fabs(product_at(a, n, i, j) - was[i + j * n]) < 1e-12);
            }
        }
        free(a);
        free(was);
    }
    for (int a = 0; a < 3; a++) tcplan_blocked_free(algorithm[a]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_agrees_with_lapack),
        cmocka_unit_test(blocks_of_usual_sizes_agree_with_lapack),
        cmocka_unit_test(nested_algorithms_agree_with_lapack),
        cmocka_unit_test(an_indefinite_matrix_stops_at_its_minor),
        cmocka_unit_test(a_triangle_with_a_zero_is_not_inverted),
        cmocka_unit_test(a_singular_matrix_is_factored_and_reported),
        cmocka_unit_test(a_factor_with_a_zero_is_refused_before_sygst),
        cmocka_unit_test(common_eigenvalues_of_sylvesters_matrices_are_reported),
        cmocka_unit_test(info_of_matrices_without_a_result_agrees_with_lapack),
        cmocka_unit_test(out_of_memory_and_wrong_sizes_are_errors),
        cmocka_unit_test(an_algorithm_without_a_whole_routine_is_not_verified),
        cmocka_unit_test(a_provider_without_the_routines_is_refused),
        cmocka_unit_test(out_of_memory_is_reported),
        cmocka_unit_test(a_factor_times_its_transpose_is_the_matrix),
        cmocka_unit_test(factors_of_the_example_multiply_to_the_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
