#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "microbench/providers/providers.h"
#include "routines/sampler/kernels/kernels.h"
#include "routines/sampler/signatures/formula.h"
#include "routines/sampler/timing/routine.h"
#include "support/rng.h"

enum { GUARD = 64, CANARY = 0x5a, CELLS = 16384 };

/** Memory of one operand: guard bytes, elements, guard bytes. */
struct guarded {
    _Alignas(64) unsigned char bytes[CELLS + 2 * GUARD];
    unsigned char before[CELLS];
    size_t used;
};

static struct guarded memory[SIGNATURE_MAX_ARGUMENTS];

static int size_of(const char *name) {
    static const struct {
        const char *name;
        int size;
    } sizes[] = {{"m", 5},    {"n", 7},    {"k", 3},    {"kl", 1},  {"ku", 2},  {"k1", 1},
                 {"k2", 5},   {"nb", 2},   {"nrhs", 3}, {"ilo", 1}, {"ihi", 6}, {"n1", 500},
                 {"n2", 400}, {"n3", 300}, {"n4", 0},   {"kd", 2}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        if (strcmp(sizes[s].name, name) == 0) return sizes[s].size;
    }
    fail_msg("no size for %s", name);
    return 0;
}

/** Sets flags to combination `number`; returns false if there are fewer combinations. Every other
 * combination has negative increments. */
static bool set_values(const struct signature *signature, int64_t value[], int number,
                       bool backward) {
    bool given[SIGNATURE_MAX_ARGUMENTS] = {false};
    for (int a = 0; a < signature->count; a++) {
        const struct signature_argument *argument = &signature->argument[a];
        value[a] = 0;
        given[a] = argument->class == SIGNATURE_FLAG || argument->class == SIGNATURE_DIM ||
                   argument->class == SIGNATURE_INC;
        if (argument->class == SIGNATURE_FLAG) {
            value[a] = argument->value[number % argument->values];
            number /= argument->values;
        }
        if (argument->class == SIGNATURE_DIM) value[a] = size_of(argument->name);
        if (argument->class == SIGNATURE_INC) value[a] = backward ? -3 : 2;
    }
    for (int a = signature->count - 1; a >= 0; a--) { /* later sizes are bounds of earlier ones */
        const struct signature_argument *argument = &signature->argument[a];
        if (argument->class == SIGNATURE_DIM && argument->least)
            value[a] =
                (int64_t)fmax((double)value[a], formula_value(argument->least, signature, value));
    }
    signature_complete(signature, value, given);
    for (int a = 0; a < signature->count; a++)
        value[a] += signature->argument[a].class == SIGNATURE_LD ? 2 : 0;
    return number == 0;
}

static void put_real(const struct signature *signature, int a, size_t place, double number) {
    const int parts = signature_is_complex(signature, a) ? 2 : 1;
    const int bytes = signature_element_bytes(signature, a) / parts;
    unsigned char *const at = memory[a].bytes + GUARD + place * (size_t)bytes;
    const float s = (float)number;
    memcpy(at, bytes == 4 ? (const void *)&s : (const void *)&number, (size_t)bytes);
}

/** Fills operands with random numbers, large diagonals, and valid pivots. */
static void fill(const struct signature *signature, const int64_t value[], int a, uint64_t *rng) {
    const struct signature_argument *argument = &signature->argument[a];
    const int64_t extent = signature_extent(signature, value, a);
    const int parts = signature_is_complex(signature, a) ? 2 : 1;
    memset(memory[a].bytes, CANARY, sizeof memory[a].bytes);
    memory[a].used = (size_t)extent * (size_t)signature_element_bytes(signature, a);
    assert_true(memory[a].used <= CELLS);
    for (int64_t i = 0; i < extent; i++) {
        if (argument->elements == SIGNATURE_INTEGER) {
            const int pivot = 1 + (int)(i % 5);
            memcpy(memory[a].bytes + GUARD + i * 4, &pivot, sizeof pivot);
            continue;
        }
        for (int p = 0; p < parts; p++)
            put_real(signature, a, (size_t)(i * parts + p), (double)rng_below(rng, 1000) / 1000);
    }
    if (argument->storage != SIGNATURE_VECTOR && argument->storage != SIGNATURE_PACKED &&
        argument->stride >= 0) {
        int64_t rows, columns;
        signature_shape(signature, value, a, &rows, &columns);
        for (int64_t d = 0; d < rows && d < columns; d++) {
            const size_t place = (size_t)(d * (value[argument->stride] + 1)) * (size_t)parts;
            put_real(signature, a, place, 30 + (double)rng_below(rng, 1000) / 1000);
            if (parts == 2) put_real(signature, a, place + 1, 0);
        }
    }
    memcpy(memory[a].before, memory[a].bytes + GUARD, memory[a].used);
}

/** Returns whether element (i, j) is in the triangle that `uplo` selects. */
static bool is_in_triangle(const struct signature *signature, const int64_t value[], int64_t i,
                           int64_t j) {
    const int uplo = signature_argument(signature, "uplo");
    return uplo < 0 || (value[uplo] == 'L' ? i >= j : i <= j);
}

static void check_triangle(const struct signature *signature, const int64_t value[], int a) {
    const struct signature_argument *argument = &signature->argument[a];
    const size_t bytes = (size_t)signature_element_bytes(signature, a);
    int64_t rows, columns;
    if (argument->storage != SIGNATURE_TRIANGLE && argument->storage != SIGNATURE_SYMMETRIC) return;
    signature_shape(signature, value, a, &rows, &columns);
    for (int64_t j = 0; j < rows; j++) {
        for (int64_t i = 0; i < rows; i++) {
            const size_t place = (size_t)(i + j * value[argument->stride]) * bytes;
            if (is_in_triangle(signature, value, i, j)) continue;
            if (memcmp(memory[a].before + place, memory[a].bytes + GUARD + place, bytes) != 0) {
                fail_msg("%s writes beyond the triangle of %s", signature->name, argument->name);
            }
        }
    }
}

static void check_memory(const struct signature *signature, const int64_t value[], int a) {
    const struct signature_argument *argument = &signature->argument[a];
    const struct guarded *guarded = &memory[a];
    for (size_t b = 0; b < sizeof guarded->bytes; b++) {
        if (b == GUARD) b += guarded->used;
        if (guarded->bytes[b] != CANARY)
            fail_msg("%s writes beyond %s", signature->name, argument->name);
    }
    if (!(argument->access & SIGNATURE_WRITTEN) &&
        memcmp(guarded->before, guarded->bytes + GUARD, guarded->used) != 0) {
        fail_msg("%s writes to %s, which it should only read", signature->name, argument->name);
    }
    check_triangle(signature, value, a);
}

static char path[] = "/tmp/tcplan-routines-XXXXXX";

static char *text_of(const char *name) {
    static char routine[] = "DGETRF", options[] = " ";
    return strcmp(name, "file") == 0 ? path : strcmp(name, "name") == 0 ? routine : options;
}

static bool has_memory(const struct signature_argument *argument) {
    return argument->class == SIGNATURE_DATA || argument->class == SIGNATURE_WORK;
}

static void call_one(const struct routine *routine, const int64_t value[], uint64_t *rng) {
    static struct call call;
    const struct signature *signature = routine->signature;
    struct call_scalar scalar[SIGNATURE_MAX_ARGUMENTS];
    void *data[SIGNATURE_MAX_ARGUMENTS] = {NULL};
    struct tcplan_error error;
    for (int a = 0; a < signature->count; a++) {
        scalar[a] = (struct call_scalar){0.75, 0.25};
        if (signature->argument[a].class == SIGNATURE_STRING)
            data[a] = text_of(signature->argument[a].name);
        if (!has_memory(&signature->argument[a])) continue;
        fill(signature, value, a, rng);
        data[a] = memory[a].bytes + GUARD;
    }
    if (call_prepare(&call, routine, value, scalar, data, &error) != TCPLAN_OK)
        fail_msg("%s: %s", signature->name, error.message);
    assert_true(call_pivots_are_good(&call));
    call_make(&call);
    if (call_info(&call) != 0) fail_msg("%s: info %d", signature->name, call_info(&call));
    for (int a = 0; a < signature->count; a++) {
        if (has_memory(&signature->argument[a])) check_memory(signature, value, a);
    }
}

static void call_with_all_flags(const struct routine *routine) {
    uint64_t rng = 1;
    for (int number = 0;; number++) {
        int64_t value[SIGNATURE_MAX_ARGUMENTS];
        if (!set_values(routine->signature, value, number, number % 2 == 1)) break;
        call_one(routine, value, &rng);
        set_values(routine->signature, value, number, number % 2 == 0);
        call_one(routine, value, &rng);
    }
}

static void every_routine_keeps_within_its_signature(void **state) {
    int lacking = 0;
    (void)state;
    for (int r = 0; r < signature_count(); r++) {
        const struct signature *signature;
        struct routine routine;
        struct tcplan_error error;
        assert_int_equal(signature_at(&signature, r, NULL), TCPLAN_OK);
        if (routine_bind(&routine, signature, TCPLAN_PROVIDER_BLAS, &error) != TCPLAN_OK) {
            print_message("%s\n",
                          error.message); /* a routine that only some versions of OpenBLAS have */
            lacking++;
            continue;
        }
        call_with_all_flags(&routine);
    }
    assert_true(lacking <= 16);
}

static void providers_describe_their_kernels(void **state) {
    static const struct {
        const char *name;
        enum tcplan_provider provider;
    } rows[] = {{"dgemm@blis", TCPLAN_PROVIDER_BLIS},
                {"ztrsm@blis", TCPLAN_PROVIDER_BLIS},
                {"dgemm@libxsmm", TCPLAN_PROVIDER_LIBXSMM},
                {"sgemm@libxsmm", TCPLAN_PROVIDER_LIBXSMM},
                {"dgemm@openblas", TCPLAN_PROVIDER_BLAS}};
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct tcplan_provider_info info;
        struct routine routine;
        struct tcplan_error error;
        if (!tcplan_provider_info(&info, rows[r].provider)) continue;
        if (routine_parse(&routine, rows[r].name, &error) != TCPLAN_OK)
            fail_msg("%s", error.message);
        assert_int_equal(routine.provider, rows[r].provider);
        call_with_all_flags(&routine);
    }
}

static void refuse(const char *name, size_t column, size_t length, const char *begin) {
    struct routine routine;
    struct tcplan_error error;
    assert_int_equal(routine_parse(&routine, name, &error), TCPLAN_INVALID);
    if (strncmp(error.message, begin, strlen(begin)) != 0)
        fail_msg("'%s' does not begin with '%s'", error.message, begin);
    assert_int_equal(error.column, column);
    assert_int_equal(error.length, length);
}

static void unknown_names_are_refused(void **state) {
    struct tcplan_provider_info info;
    (void)state;
    refuse("dgemmm", 1, 6, "unknown kernel 'dgemmm'; did you mean 'dgemm'?");
    refuse("dgemm@openblass", 7, 9, "unknown provider 'openblass'; did you mean 'openblas'?");
    refuse("dgemm@", 7, 0, "unknown provider ''");
    refuse("dmemset@libxsmm", 1, 15, "dmemset is a routine of tcplan");
    if (tcplan_provider_info(&info, TCPLAN_PROVIDER_BLIS)) refuse("dpotrf@blis", 1, 11, "BLIS ");
    if (tcplan_provider_info(&info, TCPLAN_PROVIDER_LIBXSMM))
        refuse("dtrsm@libxsmm", 1, 13, "libxsmm ");
    refuse("dgemm@blas4", 1, 11, "unknown provider blas4");
}

/* Results. */

static struct call made;

static void make(const char *name, const int64_t value[], const struct call_scalar scalar[],
                 void *const data[]) {
    struct routine routine;
    struct tcplan_error error;
    if (routine_parse(&routine, name, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    if (call_prepare(&made, &routine, value, scalar, data, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    call_make(&made);
}

static void routines_receive_their_arguments(void **state) {
    double a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 2, 0, 1, 1}, c[4] = {1, 1, 1, 1};
    const int64_t value[] = {'N', 'T', 2, 2, 3, 0, 0, 2, 0, 2, 0, 0, 2};
    const struct call_scalar scalar[13] = {[5] = {2, 0}, [10] = {-1, 0}};
    void *const data[13] = {[6] = a, [8] = b, [11] = c};
    (void)state;
    make("dgemm", value, scalar, data); /* computes C := 2 A B^T - C */
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) sum += a[i + 2 * k] * b[j + 2 * k];
            assert_true(c[i + 2 * j] == 2 * sum - 1);
        }
    }
}

static void own_copies_are_transpositions(void **state) {
    float a[2 * 60], b[2 * 60];
    uint64_t rng = 3;
    (void)state;
    for (int i = 0; i < 120; i++) a[i] = (float)rng_below(&rng, 1000);
    for (int streamed = 0; streamed < 2; streamed++) {
        memset(b, 0, sizeof b);
        void *const data[] = {NULL, NULL, NULL, a, NULL, b, NULL};
        make("ctranspose", (const int64_t[]){streamed, 5, 7, 0, 6, 0, 8}, NULL, data);
        for (int i = 0; i < 5; i++) {
            for (int j = 0; j < 7; j++)
                assert_memory_equal(&b[2 * (j + 8 * i)], &a[2 * (i + 6 * j)], 2 * sizeof(float));
        }
    }
}

static void own_copies_are_permutations(void **state) {
    static const int orders[] = {123, 132, 213, 231, 312, 321};
    const int extent[3] = {3, 4, 5};
    double a[60], b[60];
    (void)state;
    for (int i = 0; i < 60; i++) a[i] = i;
    for (int o = 0; o < 12; o++) {
        const int of[3] = {orders[o / 2] / 100 - 1, orders[o / 2] / 10 % 10 - 1,
                           orders[o / 2] % 10 - 1};
        void *const data[] = {NULL, NULL, NULL, NULL, NULL, a, b};
        make("dpermute", (const int64_t[]){orders[o / 2], o % 2, 3, 4, 5, 0, 0}, NULL, data);
        for (int i = 0; i < 60; i++) {
            const int at[3] = {i % 3, i / 3 % 4, i / 12};
            const int to = at[of[0]] + extent[of[0]] * (at[of[1]] + extent[of[1]] * at[of[2]]);
            assert_true(b[to] == a[i]);
        }
    }
}

static void own_products_are_element_by_element(void **state) {
    double x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[8] = {2, 2, 2, 2, 3, 3, 3, 3},
           z[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    const int64_t value[] = {4, 0, 0, 2, 0, -1, 0, 0, 1};
    const struct call_scalar scalar[9] = {[1] = {10, 0}, [6] = {-1, 0}};
    void *const data[] = {NULL, NULL, x, NULL, y, NULL, NULL, z, NULL};
    (void)state;
    y[3] = 5; /* y has a negative increment, so this is its first element */
    make("dmul", value, scalar, data);
    assert_true(z[0] == 10 * 1 * 5 - 1 && z[1] == 10 * 3 * 2 - 1 && z[2] == 10 * 5 * 2 - 1 &&
                z[3] == 10 * 7 * 2 - 1 && z[4] == 1);
}

/** Compares the loops with a sum for each element, with partial blocks and leading dimensions above
 * the rows. */
static void plain_loops_multiply_matrices(void **state) {
    enum { M = 5, N = 7, K = 3, LD = 8 };
    double a[LD * K], b[LD * N], start[LD * N], c[LD * N];
    (void)state;
    for (int i = 0; i < LD * K; i++) a[i] = i % 5 - 2;
    for (int i = 0; i < LD * N; i++) b[i] = start[i] = i % 7 - 3;
    for (int nb = 0; nb <= 8; nb++) {
        const int o = nb > 0; /* the six loops have one more argument */
        int64_t value[12] = {M, N, K, nb};
        struct call_scalar scalar[12] = {{0, 0}};
        void *data[12] = {NULL};
        scalar[3 + o] = (struct call_scalar){2, 0};
        scalar[8 + o] = (struct call_scalar){nb % 2 ? 0 : -1, 0};
        data[4 + o] = a;
        data[6 + o] = b;
        data[9 + o] = c;
        value[3 + o] = 0;
        value[5 + o] = value[7 + o] = value[10 + o] = LD;
        memcpy(c, start, sizeof c);
        make(o ? "dloops6" : "dloops3", value, scalar, data);
        for (int e = 0; e < LD * N; e++) {
            double sum = start[e];
            if (e % LD < M) sum *= nb % 2 ? 0 : -1;
            for (int p = 0; p < K && e % LD < M; p++)
                sum += 2 * a[e % LD + p * LD] * b[p + e / LD * LD];
            assert_true(c[e] == sum);
        }
    }
}

static void helpers_fill_as_documented(void **state) {
    static double a[2 * 900];
    void *data[] = {NULL, NULL, a, NULL};
    (void)state;
    make("zgerand", (const int64_t[]){20, 30, 0, 30}, NULL, data);
    for (int i = 0; i < 2 * 900; i++) assert_true(a[i] >= 0 && a[i] < 1);
    assert_true(a[2 * 20] == 0 && a[0] != a[2] && a[0] != a[60]); /* the row after the matrix is
                                                                     unchanged, the matrix is not */
    void *const filled[] = {NULL, NULL, NULL, a, NULL};
    make("zmemset", (const int64_t[]){20, 30, 0, 0, 30},
         (const struct call_scalar[]){{0, 0}, {0, 0}, {2, 3}}, filled);
    assert_true(a[0] == 2 && a[1] == 3 && a[2 * (19 + 29 * 30)] == 2 && a[2 * 20] == 0);
    for (int u = 0; u < 2; u++) { /* Cholesky succeeds: the matrix is positive definite */
        void *const po[] = {NULL, NULL, a, NULL, NULL};
        make("zporand", (const int64_t[]){"LU"[u], 30, 0, 30}, NULL, po);
        make("zpotrf", (const int64_t[]){"LU"[u], 30, 0, 30, 0}, NULL, po);
        assert_int_equal(call_info(&made), 0);
    }
}

/** Calls a routine that reads a 3 x 2 matrix from a file; returns info. */
static int with_file(const char *name, char *file, double *a, int64_t ld) {
    void *const data[] = {file, NULL, NULL, a, NULL, NULL};
    make(name, (const int64_t[]){0, 3, 2, 0, ld, 0}, NULL, data);
    return call_info(&made);
}

static void matrices_go_to_files_and_come_back(void **state) {
    double a[10] = {1, 2, 3, -1, -1, 4, 5, 6, -1, -1}, b[8] = {0};
    char nowhere[] = "/tmp/no-such-folder/matrix", stdout_name[] = "-";
    struct routine routine;
    (void)state;
    assert_int_equal(with_file("dwritefile", path, a, 5), 0);
    assert_int_equal(with_file("dreadfile", path, b, 4), 0);
    for (int i = 0; i < 3; i++) assert_true(b[i] == i + 1 && b[4 + i] == i + 4);
    assert_true(b[3] == 0 && b[7] == 0); /* after the columns */
    assert_int_equal(with_file("dwritefile", nowhere, a, 5), 1);
    assert_int_equal(with_file("dreadfile", nowhere, b, 4), 1);
    assert_int_equal(with_file("dwritefile", stdout_name, a, 5), 1);
    assert_int_equal(truncate(path, 5 * sizeof *a), 0);
    assert_int_equal(with_file("dreadfile", path, b, 4), 2);
    assert_int_equal(routine_parse(&routine, "dreadfile", NULL), TCPLAN_OK);
    void *const data[] = {NULL, NULL, NULL, a, NULL, NULL};
    assert_int_equal(
        call_prepare(&made, &routine, (const int64_t[]){0, 3, 2, 0, 5, 0}, NULL, data, NULL),
        TCPLAN_INVALID);
}

static void pivots_are_rows(void **state) {
    double a[20] = {0};
    int pivots[4] = {9, 2, 3, 4};
    void *const data[] = {NULL, a, NULL, NULL, NULL, pivots, NULL};
    struct routine routine;
    (void)state;
    assert_int_equal(routine_parse(&routine, "dlaswp", NULL), TCPLAN_OK);
    assert_int_equal(
        call_prepare(&made, &routine, (const int64_t[]){4, 0, 5, 2, 4, 0, 1}, NULL, data, NULL),
        TCPLAN_OK);
    assert_true(call_pivots_are_good(&made)); /* good, because the first pivot is outside of the
                                                 range that laswp reads */
    assert_int_equal(
        call_prepare(&made, &routine, (const int64_t[]){4, 0, 5, 1, 4, 0, 1}, NULL, data, NULL),
        TCPLAN_OK);
    assert_false(call_pivots_are_good(&made));
    pivots[0] = 0;
    assert_false(call_pivots_are_good(&made));
}

/** Writes a file of elements for the routines that read a file. */
static int make_file(void **state) {
    static const char zeros[CELLS];
    (void)state;
    const int descriptor = mkstemp(path);
    if (descriptor < 0) return -1;
    const bool is_written = write(descriptor, zeros, sizeof zeros) == (ssize_t)sizeof zeros;
    return close(descriptor) == 0 && is_written ? 0 : -1;
}

static int remove_file(void **state) {
    (void)state;
    return unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_routine_keeps_within_its_signature),
        cmocka_unit_test(providers_describe_their_kernels),
        cmocka_unit_test(unknown_names_are_refused),
        cmocka_unit_test(routines_receive_their_arguments),
        cmocka_unit_test(own_copies_are_transpositions),
        cmocka_unit_test(own_copies_are_permutations),
        cmocka_unit_test(own_products_are_element_by_element),
        cmocka_unit_test(plain_loops_multiply_matrices),
        cmocka_unit_test(helpers_fill_as_documented),
        cmocka_unit_test(matrices_go_to_files_and_come_back),
        cmocka_unit_test(pivots_are_rows),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
