/*
 * Compiles emitted blocked algorithms with strict warnings, for every element type, executes them,
 * and compares the results with those of this process. Some emitted texts are compared with golden
 * files.
 */
#include <float.h>
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
#include "base/strbuf.h"
#include "support/emitted.h"
#include "support/golden.h"
#include "tcplan/blocked_emit.h"
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

static char *emit(const struct tcplan_blocked *blocked,
                  const struct tcplan_blocked_emit_options *options) {
    struct tcplan_error error = {0};
    char *text = NULL;
    if (tcplan_blocked_emit(&text, blocked, options, &error) != TCPLAN_OK)
        fail_msg("%s: %s", tcplan_blocked_name(blocked), error.message);
    return text;
}

/** The matrices after running an algorithm in this process, and after calling the emitted function.
 */
struct pair {
    const struct tcplan_blocked *blocked;
    struct tcplan_blocked_sizes sizes;
    void *result[TCPLAN_MAX_MATRICES], *expected[TCPLAN_MAX_MATRICES];
};

static bool is_argument(const struct pair *pair, int m) {
    return tcplan_blocked_blocks(pair->blocked)->matrix[m].role != TCPLAN_MATRIX_TEMPORARY;
}

static void begin(struct pair *pair, const struct tcplan_blocked *blocked, int64_t m, int64_t n,
                  int64_t b) {
    const bool has_three = tcplan_blocked_blocks(blocked)->size_count == 3;
    /* Q has at most as many reflectors as rows. */
    *pair = (struct pair){.blocked = blocked,
                          .sizes = {.size = {m, has_three && n > m ? m : n, 11}, .block = b}};
    for (int i = 0; i < tcplan_blocked_blocks(blocked)->matrix_count; i++) {
        int64_t rows, columns, leading;
        tcplan_blocked_extents(blocked, &pair->sizes, i, &rows, &columns, &leading);
        if (is_argument(pair, i)) pair->sizes.leading[i] = leading + 3;
    }
    for (int i = 0; i < tcplan_blocked_blocks(blocked)->matrix_count; i++) {
        const size_t bytes = (size_t)tcplan_blocked_bytes(blocked, &pair->sizes, i) + 64;
        if (!is_argument(pair, i)) continue;
        pair->result[i] = calloc(1, bytes);
        pair->expected[i] = calloc(1, bytes);
        assert_non_null(pair->result[i]);
        assert_non_null(pair->expected[i]);
    }
    tcplan_blocked_fill(blocked, &pair->sizes, pair->result, 7);
    tcplan_blocked_fill(blocked, &pair->sizes, pair->expected, 7);
}

static void end(struct pair *pair) {
    for (int i = 0; i < TCPLAN_MAX_MATRICES; i++) {
        free(pair->result[i]);
        free(pair->expected[i]);
    }
}

static bool is_vector(const struct pair *pair, int m) {
    const struct tcplan_blocks *blocks = tcplan_blocked_blocks(pair->blocked);
    return blocks->range[blocks->matrix[m].columns].of < 0;
}

/** Calls an emitted function. Its parameters are the sizes, each matrix with its leading dimension,
 * and the block size unless `chosen` (the function chooses it). */
static int call(const struct pair *pair, emitted_function *function, bool chosen) {
    typedef int one_size(int, void *, int, int);
    typedef int two_matrices(int, void *, int, const void *, int, int);
    typedef int three_matrices(int, int, const void *, int, const void *, int, void *, int, int);
    typedef int with_vector(int, int, void *, int, void *, int);
    typedef int one_with_vector(int, void *, int, void *, int);
    typedef int one_with_vectors(int, void *, int, void *, void *, void *, int);
    typedef int by_choice(int, void *, int);
    typedef int three_sizes(int, int, int, const void *, int, const void *, void *, int, int);
    typedef int least_squares(int, int, int, void *, int, void *, int, int);
    int matrices = 0;
    for (int i = 0; i < tcplan_blocked_blocks(pair->blocked)->matrix_count; i++)
        matrices += is_argument(pair, i);
    const bool has_vector = matrices > 1 && is_vector(pair, 1);
    const int m = (int)pair->sizes.size[0], n = (int)pair->sizes.size[1],
              b = (int)pair->sizes.block;
    const int ld[] = {(int)pair->sizes.leading[0], (int)pair->sizes.leading[1],
                      (int)pair->sizes.leading[2]};
    void *const *x = pair->result;
    if (chosen) return ((by_choice *)(void (*)(void))function)(m, x[0], ld[0]);
    if (matrices == 4)
        return ((one_with_vectors *)(void (*)(void))function)(m, x[0], ld[0], x[1], x[2], x[3], b);
    if (has_vector && tcplan_blocked_blocks(pair->blocked)->size_count == 1)
        return ((one_with_vector *)(void (*)(void))function)(m, x[0], ld[0], x[1], b);
    if (tcplan_blocked_blocks(pair->blocked)->size_count == 3 && matrices == 2)
        return ((least_squares *)(void (*)(void))function)(m, n, (int)pair->sizes.size[2], x[0],
                                                           ld[0], x[1], ld[1], b);
    if (tcplan_blocked_blocks(pair->blocked)->size_count == 3)
        return ((three_sizes *)(void (*)(void))function)(m, n, (int)pair->sizes.size[2], x[0],
                                                         ld[0], x[1], x[2], ld[2], b);
    if (has_vector) return ((with_vector *)(void (*)(void))function)(m, n, x[0], ld[0], x[1], b);
    if (matrices == 3)
        return ((three_matrices *)(void (*)(void))function)(m, n, x[0], ld[0], x[1], ld[1], x[2],
                                                            ld[2], b);
    if (matrices == 2)
        return ((two_matrices *)(void (*)(void))function)(m, x[0], ld[0], x[1], ld[1], b);
    return ((one_size *)(void (*)(void))function)(m, x[0], ld[0], b);
}

static double part(const void *matrix, bool is_single, size_t i) {
    return is_single ? (double)((const float *)matrix)[i] : ((const double *)matrix)[i];
}

/** Returns the largest difference between corresponding elements of matrix m, relative to the
 * largest element; pivots must be equal. */
static double difference(const struct pair *pair, int m) {
    const enum tcplan_dtype dtype = tcplan_blocked_dtype(pair->blocked);
    const bool is_single = dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
    const size_t bytes = (size_t)tcplan_blocked_bytes(pair->blocked, &pair->sizes, m);
    double most = 0, largest = 0;
    const void *result = pair->result[m], *expected = pair->expected[m];
    if (!result || !expected) return INFINITY;
    if (tcplan_blocked_blocks(pair->blocked)->matrix[m].is_integer)
        return memcmp(result, expected, bytes) == 0 ? 0 : INFINITY;
    for (size_t i = 0; i < bytes / (is_single ? sizeof(float) : sizeof(double)); i++) {
        const double by = fabs(part(result, is_single, i) - part(expected, is_single, i));
        if (isnan(by)) return INFINITY;
        most = fmax(most, by);
        largest = fmax(largest, fabs(part(expected, is_single, i)));
    }
    return most > 0 ? most / largest : 0;
}

/** Compares the results of both functions, with a tolerance for sums in any order, of as many terms
 * as the matrices have rows or columns. */
static void compare(const struct pair *pair) {
    const enum tcplan_dtype dtype = tcplan_blocked_dtype(pair->blocked);
    const double unit =
        dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX ? FLT_EPSILON : DBL_EPSILON;
    const double terms = (double)(pair->sizes.size[0] + pair->sizes.size[1]);
    for (int m = 0; m < tcplan_blocked_blocks(pair->blocked)->matrix_count; m++) {
        if (!is_argument(pair, m)) continue;
        const double by = difference(pair, m);
        if (by <= 20 * (terms + 1) * unit) continue;
        fail_msg("%c%s %lld %lld b=%lld: %s differs by %g of its largest number",
                 tcplan_dtype_letter(dtype), tcplan_blocked_name(pair->blocked),
                 (long long)pair->sizes.size[0], (long long)pair->sizes.size[1],
                 (long long)pair->sizes.block, tcplan_blocked_blocks(pair->blocked)->matrix[m].name,
                 by);
    }
}

static void check(const struct tcplan_blocked *blocked, emitted_function *function, int64_t m,
                  int64_t n, int64_t b) {
    struct tcplan_blocked_outcome outcome;
    struct tcplan_error error = {0};
    struct pair pair;
    begin(&pair, blocked, m, n, b);
    if (tcplan_blocked_run(&outcome, blocked, &pair.sizes, TCPLAN_PROVIDER_BLAS, pair.expected,
                           &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    assert_int_equal(call(&pair, function, false), outcome.info);
    compare(&pair);
    end(&pair);
}

/* All algorithms. */

static void for_all(enum tcplan_dtype dtype,
                    void (*visit)(void *context, const struct tcplan_blocked *blocked),
                    void *context) {
    for (int operation = 0; operation < tcplan_blocked_operations(); operation++) {
        struct tcplan_blocked_operation of;
        tcplan_blocked_operation(&of, operation);
        for (int algorithm = 0; algorithm < of.algorithms; algorithm++) {
            struct tcplan_blocked *blocked = NULL;
            assert_int_equal(tcplan_blocked_make(&blocked, operation, algorithm, dtype, NULL),
                             TCPLAN_OK);
            visit(context, blocked);
            tcplan_blocked_free(blocked);
        }
    }
}

static void add_text(void *context, const struct tcplan_blocked *blocked) {
    char *text = emit(blocked, NULL);
    strbuf_add(context, "%s\n", text);
    free(text);
}

static void check_all(void *context, const struct tcplan_blocked *blocked) {
    static const int cases[][3] = {{0, 0, 3},   {1, 1, 5},   {24, 24, 8}, {29, 18, 7},
                                   {13, 22, 6}, {9, 10, 40}, {6, 5, 1}};
    emitted_function *function = emitted_find(context, tcplan_blocked_name(blocked));
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        check(blocked, function, cases[c][0], cases[c][1], cases[c][2]);
}

static void every_algorithm_as_c_agrees_with_its_run(void **state) {
    (void)state;
    for (int dtype = 0; dtype < TCPLAN_DTYPES; dtype++) {
        struct strbuf all = {0};
        for_all((enum tcplan_dtype)dtype, add_text, &all);
        char *text = strbuf_finish(&all);
        assert_non_null(text);
        struct emitted *emitted = emitted_build_unoptimized(NULL, text);
        free(text);
        for_all((enum tcplan_dtype)dtype, check_all, emitted);
        emitted_free(emitted);
    }
}

static void texts_alone_compile_with_strict_warnings(void **state) {
    static const char *const names[] = {"potrf_L3",   "trtri_UN7",    "potrf_Ur", "trtri_LNr2",
                                        "trsyl_m1n1", "trsyl_10m2m1", "lauum_L1", "sygst_1U1",
                                        "getrf_1",    "geqrf",        "getrf_r",  "sytrd_U"};
    (void)state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct tcplan_blocked *blocked =
            make(names[n], n % 2 ? TCPLAN_FLOAT_COMPLEX : TCPLAN_FLOAT);
        char *text = emit(blocked, NULL);
        struct emitted *emitted = emitted_build(NULL, text);
        check(blocked, emitted_find(emitted, tcplan_blocked_name(blocked)), 31, 27, 8);
        emitted_free(emitted);
        free(text);
        tcplan_blocked_free(blocked);
    }
}

/** Reads the blocked algorithms of an XML file in the folder of this test. */
static struct tcplan_blocked **read_own(int *count, const char *file) {
    struct tcplan_blocked **algorithm = NULL;
    struct tcplan_error error = {0};
    char path[400];
    snprintf(path, sizeof path, "%s/%s", TCPLAN_TESTS_DIR, file);
    if (tcplan_blocked_read(&algorithm, count, path, TCPLAN_DOUBLE, &error) != TCPLAN_OK)
        fail_msg("%s: %s", file, error.message);
    return algorithm;
}

/** Emits and calls the algorithm of a file. Its operands are one matrix of one size, a matrix and a
 * vector of two sizes, or those of the Sylvester equation. */
static void check_own(const char *file, int64_t m, int64_t n, int64_t b) {
    int count = 0;
    struct tcplan_blocked **algorithm = read_own(&count, file);
    for (int a = 0; a < count; a++) {
        char *text = emit(algorithm[a], NULL);
        struct emitted *emitted = emitted_build_unoptimized(NULL, text);
        check(algorithm[a], emitted_find(emitted, tcplan_blocked_name(algorithm[a])), m, n, b);
        emitted_free(emitted);
        free(text);
        tcplan_blocked_free(algorithm[a]);
    }
    free(algorithm);
}

static void users_own_algorithms_are_emitted(void **state) {
    (void)state;
    check_own("fuzz/corpus/blocked/cholesky.xml", 600, 0, 48);
    check_own("fuzz/corpus/blocked/lu.xml", 40, 33, 8);
    check_own("fuzz/corpus/blocked/qr.xml", 40, 33, 8);
    check_own("fuzz/corpus/blocked/sylvester.xml", 19, 22, 5);
    check_own("fuzz/corpus/blocked/halves.xml", 83, 0, 12);
    check_own("fuzz/corpus/blocked/halves.xml", 40, 0, 2);
}

/** The last algorithm of the example file calls all others. */
static void the_example_is_emitted(void **state) {
    int count = 0;
    struct tcplan_blocked **algorithm = read_own(&count, "../examples/blocked/ldlt.xml");
    char *text = emit(algorithm[count - 1], NULL);
    struct emitted *emitted = emitted_build_unoptimized(NULL, text);
    (void)state;
    check(algorithm[count - 1], emitted_find(emitted, "ldlt"), 45, 0, 8);
    emitted_free(emitted);
    free(text);
    for (int a = 0; a < count; a++) tcplan_blocked_free(algorithm[a]);
    free(algorithm);
}

/* The driver. */

static void a_driver_checks_the_function_and_times_it(void **state) {
    static const char *const names[] = {"potrf_L3",  "potrf_Ur", "trtri_LN1", "lauum_U1",
                                        "sygst_1L1", "getrf_1",  "geqrf",     "trsyl_m1n2",
                                        "trsyl_rm",  "sytrd_U",  "sytrd_L",   "sytrd_L",
                                        "getrf_r",   "sy2sb_L",  "sy2sb_U",   "sy2sb_L"};
    (void)state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        const struct tcplan_blocked_emit_options options = {.with_main = true};
        const enum tcplan_dtype dtype = (enum tcplan_dtype)(n % TCPLAN_DTYPES);
        struct tcplan_blocked *blocked = make(names[n], dtype);
        char *text = emit(blocked, &options), output[400];
        const int status = n < TCPLAN_DTYPES
                               ? emitted_run(NULL, text, output, sizeof output)
                               : emitted_run_unoptimized(NULL, text, output, sizeof output);
        if (status != 0) fail_msg("%s: %s", names[n], output);
        assert_non_null(strstr(output, "check passed"));
        assert_non_null(strstr(output, "n = 1000"));
        assert_non_null(strstr(output, "GFLOP/s"));
        free(text);
        tcplan_blocked_free(blocked);
    }
}

static void a_driver_notices_another_result(void **state) {
    const struct tcplan_blocked_emit_options options = {.with_main = true};
    struct tcplan_blocked *blocked = make("potrf_L3", TCPLAN_DOUBLE);
    char *text = emit(blocked, &options), output[400];
    char *sign = strstr(text, "-1.0, A21");
    (void)state;
    assert_non_null(sign);
    sign[1] = '0'; /* changes the factor -1.0 in the update of A22 to -0.9 */
    sign[3] = '9';
    assert_int_equal(emitted_run_unoptimized(NULL, text, output, sizeof output), 1);
    assert_non_null(strstr(output, "check FAILED"));
    free(text);
    tcplan_blocked_free(blocked);
}

static void golden(const char *name, enum tcplan_dtype dtype, const char *file) {
    struct tcplan_blocked *blocked = make(name, dtype);
    char *text = emit(blocked, NULL);
    golden_check(file, text);
    free(text);
    tcplan_blocked_free(blocked);
}

static void texts_are_those_of_the_stored_files(void **state) {
    (void)state;
    golden("potrf_L3", TCPLAN_DOUBLE, "blocked/dpotrf_L3.c");
    golden("trtri_LN5", TCPLAN_DOUBLE, "blocked/dtrtri_LN5.c");
    golden("potrf_Lr", TCPLAN_DOUBLE, "blocked/dpotrf_Lr.c");
    golden("trsyl_7m1m2", TCPLAN_FLOAT, "blocked/strsyl_7m1m2.c");
    golden("getrf_1", TCPLAN_DOUBLE, "blocked/dgetrf_1.c");
    golden("getrf_r", TCPLAN_DOUBLE, "blocked/dgetrf_r.c");
    golden("sytrd_L", TCPLAN_DOUBLE_COMPLEX, "blocked/zsytrd_L.c");
    golden("geqrf", TCPLAN_DOUBLE_COMPLEX, "blocked/zgeqrf.c");
}

/** A recursive function returns a row number that counts from the first row of the whole matrix. If
 * several pivots are zero, it returns the first of them, and computes all results. */
static void recursions_report_rows_of_the_whole_matrix(void **state) {
    int count = 0;
    struct tcplan_blocked **algorithm = read_own(&count, "fuzz/corpus/blocked/halves.xml");
    (void)state;
    for (int a = 0; a < count; a++) {
        char *text = emit(algorithm[a], NULL);
        struct emitted *emitted = emitted_build_unoptimized(NULL, text);
        struct tcplan_blocked_outcome outcome = {.info = 0};
        struct pair pair;
        begin(&pair, algorithm[a], 70, 0, 6);
        const size_t column = 41 * (size_t)pair.sizes.leading[0];
        for (size_t i = 0; i < 70; i++)
            ((double *)pair.result[0])[column + i] = ((double *)pair.expected[0])[column + i] = 0;
        assert_int_equal(tcplan_blocked_run(&outcome, algorithm[a], &pair.sizes,
                                            TCPLAN_PROVIDER_BLAS, pair.expected, NULL),
                         TCPLAN_OK);
        assert_int_equal(outcome.info, 42);
        assert_int_equal(
            call(&pair, emitted_find(emitted, tcplan_blocked_name(algorithm[a])), false), 42);
        end(&pair);
        emitted_free(emitted);
        free(text);
        tcplan_blocked_free(algorithm[a]);
    }
    free(algorithm);
}

static void a_function_returns_the_info_of_lapack(void **state) {
    struct tcplan_blocked *blocked = make("potrf_L2", TCPLAN_DOUBLE);
    char *text = emit(blocked, NULL);
    struct emitted *emitted = emitted_build_unoptimized(NULL, text);
    emitted_function *function = emitted_find(emitted, "potrf_L2");
    struct pair pair;
    (void)state;
    begin(&pair, blocked, 20, 0, 6);
    ((double *)pair.result[0])[14 + 14 * pair.sizes.leading[0]] = -1;
    assert_int_equal(call(&pair, function, false), 15);
    pair.sizes.block = 0;
    assert_int_equal(call(&pair, function, false), -4);
    pair.sizes.leading[0] = 19;
    assert_int_equal(call(&pair, function, false), -3);
    pair.sizes.size[0] = -1;
    assert_int_equal(call(&pair, function, false), -1);
    end(&pair);
    emitted_free(emitted);
    free(text);
    tcplan_blocked_free(blocked);
}

static void zeros_on_the_diagonal_are_reported(void **state) {
    static const char *const names[] = {"trtri_LN1", "getrf_1", "getrf_r"};
    (void)state;
    for (int n = 0; n < 3; n++) {
        struct tcplan_blocked *blocked = make(names[n], TCPLAN_DOUBLE);
        char *text = emit(blocked, NULL);
        struct emitted *emitted = emitted_build_unoptimized(NULL, text);
        struct pair pair;
        begin(&pair, blocked, 11, 11, 4);
        for (int row = 0; row < 11; row++)
            ((double *)pair.result[0])[row + 8 * pair.sizes.leading[0]] = 0;
        assert_int_equal(call(&pair, emitted_find(emitted, tcplan_blocked_name(blocked)), false),
                         9);
        end(&pair);
        emitted_free(emitted);
        free(text);
        tcplan_blocked_free(blocked);
    }
}

static void a_function_finds_its_block_size(void **state) {
    static const struct tcplan_blocked_choice choice[] = {{10, 4}, {20, 7}, {30, 16}};
    const struct tcplan_blocked_emit_options options = {
        .function = "cholesky", .choice = choice, .choice_count = 3};
    struct tcplan_blocked *blocked = make("potrf_L3", TCPLAN_DOUBLE);
    char *text = emit(blocked, &options);
    struct emitted *emitted = emitted_build_unoptimized(NULL, text);
    (void)state;
    for (int n = 0; n <= 35; n += 5) {
        struct tcplan_blocked_outcome outcome;
        struct pair pair;
        begin(&pair, blocked, n, 0, n <= 10 ? 4 : n <= 20 ? 7 : 16);
        assert_int_equal(tcplan_blocked_run(&outcome, blocked, &pair.sizes, TCPLAN_PROVIDER_BLAS,
                                            pair.expected, NULL),
                         TCPLAN_OK);
        assert_int_equal(call(&pair, emitted_find(emitted, "cholesky"), true), 0);
        compare(&pair);
        end(&pair);
    }
    assert_non_null(strstr(text, "{{10, 4}, {20, 7}, {30, 16}}"));
    emitted_free(emitted);
    free(text);
    tcplan_blocked_free(blocked);
}

/* Invalid input. */

static void invalid_names_and_choices_are_refused(void **state) {
    static const struct tcplan_blocked_choice falling[] = {{20, 4}, {10, 7}}, zero[] = {{20, 0}};
    const struct tcplan_blocked_emit_options options[] = {{.function = "int"},
                                                          {.function = "two words"},
                                                          {.choice = falling, .choice_count = 2},
                                                          {.choice = zero, .choice_count = 1}};
    struct tcplan_blocked *blocked = make("potrf_L3", TCPLAN_DOUBLE);
    (void)state;
    for (size_t o = 0; o < sizeof options / sizeof *options; o++) {
        struct tcplan_error error = {0};
        char *text = NULL;
        assert_int_equal(tcplan_blocked_emit(&text, blocked, &options[o], &error), TCPLAN_INVALID);
        assert_null(text);
        assert_true(strlen(error.message) > 0);
    }
    tcplan_blocked_free(blocked);
}

/** Two emitted functions of a recursion give equal results: one looks up its block size, the other,
 * which the recursion calls for halves, gets it as an argument. */
static void a_recursion_also_looks_up_its_block_size(void **state) {
    static const struct tcplan_blocked_choice choice[] = {{10, 4}, {60, 9}};
    const struct tcplan_blocked_emit_options options[] = {
        {.choice = choice, .choice_count = 2},
        {.choice = choice, .choice_count = 2, .with_main = true}};
    struct tcplan_blocked *blocked = make("potrf_Lr", TCPLAN_DOUBLE);
    char *text = emit(blocked, &options[0]);
    struct emitted *emitted = emitted_build_unoptimized(NULL, text);
    struct tcplan_blocked_outcome outcome;
    struct pair pair;
    (void)state;
    begin(&pair, blocked, 53, 0, 9);
    assert_int_equal(tcplan_blocked_run(&outcome, blocked, &pair.sizes, TCPLAN_PROVIDER_BLAS,
                                        pair.expected, NULL),
                     TCPLAN_OK);
    assert_int_equal(call(&pair, emitted_find(emitted, "potrf_Lr"), true), 0);
    compare(&pair);
    end(&pair);
    emitted_free(emitted);
    free(text);
    assert_int_equal(tcplan_blocked_emit(&text, blocked, &options[1], NULL), TCPLAN_INVALID);
    tcplan_blocked_free(blocked);
}

static void out_of_memory_is_reported(void **state) {
    struct tcplan_blocked *blocked = make("geqrf", TCPLAN_DOUBLE);
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    char *text = NULL;
    (void)state;
    for (long successes = 0; status == TCPLAN_NO_MEMORY && successes < 100000; successes++) {
        base_alloc_fail_after(successes);
        status = tcplan_blocked_emit(&text, blocked, NULL, NULL);
        base_alloc_fail_after(-1);
    }
    assert_int_equal(status, TCPLAN_OK);
    free(text);
    tcplan_blocked_free(blocked);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_as_c_agrees_with_its_run),
        cmocka_unit_test(texts_alone_compile_with_strict_warnings),
        cmocka_unit_test(users_own_algorithms_are_emitted),
        cmocka_unit_test(recursions_report_rows_of_the_whole_matrix),
        cmocka_unit_test(texts_are_those_of_the_stored_files),
        cmocka_unit_test(the_example_is_emitted),
        cmocka_unit_test(a_driver_checks_the_function_and_times_it),
        cmocka_unit_test(a_driver_notices_another_result),
        cmocka_unit_test(a_recursion_also_looks_up_its_block_size),
        cmocka_unit_test(a_function_returns_the_info_of_lapack),
        cmocka_unit_test(zeros_on_the_diagonal_are_reported),
        cmocka_unit_test(a_function_finds_its_block_size),
        cmocka_unit_test(invalid_names_and_choices_are_refused),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
