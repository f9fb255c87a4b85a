/*
 * Tests products of several matrices: every blocked algorithm for a product agrees with naive loops
 * over whole matrices.
 */
#include <complex.h>
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
#include "routines/blocked/algorithms/product.h"
#include "support/rng.h"
#include "tcplan/blocked_run.h"

enum { MOST = 24, FACTORS = 6 };

/** A matrix with all its elements stored, also those of the other triangle; the naive loops use it.
 */
struct whole {
    int rows, columns;
    double _Complex at[MOST * MOST];
};

/** A product to test: its text, and its factors from left to right. Each factor is the number of a
 * matrix and an operation, such as a transposition. */
struct row {
    enum tcplan_dtype dtype;
    const char *matrices, *statement;
    int ways; /* expected number of algorithms for the product */
    int count;
    struct {
        int matrix;
        const char *op;
    } factor[FACTORS];
};

static const struct row rows[] = {
    {TCPLAN_DOUBLE, "A(m,k) B(k,n) =D(m,n)", "D := A B", 1, 2, {{0, ""}, {1, ""}}},
    {TCPLAN_DOUBLE,
     "A(m,k) B(k,l) C(l,n) =D(m,n)",
     "D := A B C",
     2,
     3,
     {{0, ""}, {1, ""}, {2, ""}}},
    {TCPLAN_DOUBLE,
     "A(m,k) B(k,l) C(l,n) E(n,p) =D(m,p)",
     "D := A B C E",
     5,
     4,
     {{0, ""}, {1, ""}, {2, ""}, {3, ""}}},
    {TCPLAN_DOUBLE,
     "A(k,m) B(l,k) C(n,l) =D(m,n)",
     "D := A^T B^T C^T",
     2,
     3,
     {{0, "T"}, {1, "T"}, {2, "T"}}},
    {TCPLAN_DOUBLE,
     "A(m,k) L(k,k).lower B(k,n) =D(m,n)",
     "D := A L B",
     2,
     3,
     {{0, ""}, {1, ""}, {2, ""}}},
    {TCPLAN_DOUBLE,
     "A(m,k) L(k,k).unit.lower B(k,n) =D(m,n)",
     "D := A L^-T B",
     2,
     3,
     {{0, ""}, {1, "-T"}, {2, ""}}},
    {TCPLAN_DOUBLE_COMPLEX,
     "L(k,k).upper B(k,n) C(n,m) =D(k,m)",
     "D := L^H B C",
     2,
     3,
     {{0, "H"}, {1, ""}, {2, ""}}},
    {TCPLAN_DOUBLE,
     "B(m,n) C(n,k) L(k,k).lower =D(m,k)",
     "D := B C L^-1",
     2,
     3,
     {{0, ""}, {1, ""}, {2, "-1"}}},
    {TCPLAN_DOUBLE, "B(n,m) L(n,n).lower =D(m,n)", "D := B^T L", 1, 2, {{0, "T"}, {1, ""}}},
    {TCPLAN_DOUBLE,
     "S(k,k).symmetric.upper B(k,n) C(n,m) =D(k,m)",
     "D := S^T B C",
     2,
     3,
     {{0, ""}, {1, ""}, {2, ""}}},
    {TCPLAN_DOUBLE_COMPLEX,
     "A(m,k) S(k,k).hermitian.lower =D(m,k)",
     "D := A S",
     1,
     2,
     {{0, ""}, {1, ""}}},
    {TCPLAN_DOUBLE, "A(m,k) B(m,n) =D(m,n)", "D := A A^T B", 3, 3, {{0, ""}, {0, "T"}, {1, ""}}},
    {TCPLAN_DOUBLE_COMPLEX,
     "A(k,m) B(m,n) =D(m,n)",
     "D := A^H A B",
     3,
     3,
     {{0, "H"}, {0, ""}, {1, ""}}},
    {TCPLAN_DOUBLE, "A(m,k) =D(m,m).symmetric.lower", "D := A A^T", 1, 2, {{0, ""}, {0, "T"}}},
    {TCPLAN_DOUBLE,
     "A(m,k) L(k,k).lower S(k,k).symmetric.lower B(k,n) =D(m,n)",
     "D := A L^-T S B",
     3,
     4,
     {{0, ""}, {1, "-T"}, {2, ""}, {3, ""}}},
};

/* Naive loops. */

/** Copies a matrix from memory to a whole matrix: all elements, one triangle and zeros, or one
 * triangle and its mirror image. */
static void read_whole(struct whole *out, const struct tcplan_view *view, const void *memory, int m,
                       int n, bool is_complex) {
    *out = (struct whole){.rows = m, .columns = n};
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) {
            const bool stored =
                view->triangle == TCPLAN_GENERAL || i == j || (view->is_upper ? i < j : i > j);
            const int from = stored || view->triangle == TCPLAN_TRIANGLE ? i + j * m : j + i * m;
            double _Complex value = is_complex ? ((const double _Complex *)memory)[from]
                                               : ((const double *)memory)[from];
            if (!stored && view->triangle == TCPLAN_HERMITIAN) value = conj(value);
            if (!stored && view->triangle == TCPLAN_TRIANGLE) value = 0;
            if (i == j && view->is_unit) value = 1;
            out->at[i + j * m] = value;
        }
    }
}

/** Inverts a triangular matrix by Gauss-Jordan elimination without pivots. */
static void invert(struct whole *matrix) {
    const int n = matrix->rows;
    struct whole out = {.rows = n, .columns = n};
    for (int i = 0; i < n; i++) out.at[i + i * n] = 1;
    for (int k = 0; k < n; k++) {
        const double _Complex pivot = matrix->at[k + k * n];
        for (int j = 0; j < n; j++) {
            matrix->at[k + j * n] /= pivot;
            out.at[k + j * n] /= pivot;
        }
        for (int i = 0; i < n; i++) {
            const double _Complex factor = matrix->at[i + k * n];
            for (int j = 0; j < n && i != k; j++) {
                matrix->at[i + j * n] -= factor * matrix->at[k + j * n];
                out.at[i + j * n] -= factor * out.at[k + j * n];
            }
        }
    }
    *matrix = out;
}

static void apply_op(struct whole *matrix, const char *op) {
    struct whole out = {.rows = matrix->columns, .columns = matrix->rows};
    if (*op == '-') invert(matrix);
    if (!strpbrk(op, "TH")) return;
    for (int j = 0; j < out.columns; j++) {
        for (int i = 0; i < out.rows; i++) {
            const double _Complex value = matrix->at[j + i * matrix->rows];
            out.at[i + j * out.rows] = strchr(op, 'H') ? conj(value) : value;
        }
    }
    *matrix = out;
}

static void multiply(struct whole *product, const struct whole *by) {
    struct whole out = {.rows = product->rows, .columns = by->columns};
    assert_int_equal(product->columns, by->rows);
    for (int j = 0; j < out.columns; j++) {
        for (int i = 0; i < out.rows; i++) {
            for (int k = 0; k < by->rows; k++)
                out.at[i + j * out.rows] +=
                    product->at[i + k * product->rows] * by->at[k + j * by->rows];
        }
    }
    *product = out;
}

/* One algorithm for a product, with its matrices. */

struct trial {
    const struct row *row;
    struct tcplan_blocked *blocked;
    struct tcplan_blocked_sizes sizes;
    void *matrix[TCPLAN_MAX_MATRICES];
};

static void begin(struct trial *out, const struct row *row, const struct product_way *way,
                  uint64_t *rng) {
    const struct blocked_source source = {
        .name = "way", .note = way->note, .matrices = way->matrices, .steps = way->steps};
    struct tcplan_error error = {.message = ""};
    *out = (struct trial){.row = row, .sizes = {.block = 4}};
    if (blocked_build(&out->blocked, &source, row->dtype, NULL, &error) != TCPLAN_OK)
        fail_msg("%s | %s | %s: %s", row->statement, way->matrices, way->steps, error.message);
    for (int s = 0; s < TCPLAN_BLOCK_SIZES; s++) out->sizes.size[s] = 1 + rng_below(rng, MOST - 1);
    for (int m = 0; m < tcplan_blocked_blocks(out->blocked)->matrix_count; m++) {
        if (tcplan_blocked_blocks(out->blocked)->matrix[m].role == TCPLAN_MATRIX_TEMPORARY)
            continue;
        out->matrix[m] = calloc(1, (size_t)tcplan_blocked_bytes(out->blocked, &out->sizes, m) + 16);
        assert_non_null(out->matrix[m]);
    }
    tcplan_blocked_fill(out->blocked, &out->sizes, out->matrix, rng_below(rng, 1000));
}

static void end(struct trial *trial) {
    for (int m = 0; m < TCPLAN_MAX_MATRICES; m++) free(trial->matrix[m]);
    tcplan_blocked_free(trial->blocked);
}

static void read_matrix(struct whole *out, const struct trial *trial, int matrix) {
    const struct tcplan_blocks *blocks = tcplan_blocked_blocks(trial->blocked);
    int64_t m, n, leading;
    int view = 0;
    while (blocks->view[view].matrix != matrix) view++;
    tcplan_blocked_extents(trial->blocked, &trial->sizes, matrix, &m, &n, &leading);
    read_whole(out, &blocks->view[view], trial->matrix[matrix], (int)m, (int)n,
               trial->row->dtype == TCPLAN_DOUBLE_COMPLEX);
}

static void compare(const struct trial *trial, const struct product_way *way) {
    const struct tcplan_blocks *blocks = tcplan_blocked_blocks(trial->blocked);
    struct whole product = {.rows = 0}, next = {.rows = 0}, result = {.rows = 0};
    int d = 0;
    while (blocks->matrix[d].role != TCPLAN_MATRIX_OUTPUT) d++;
    for (int f = 0; f < trial->row->count; f++) {
        struct whole *to = f == 0 ? &product : &next;
        read_matrix(to, trial, trial->row->factor[f].matrix);
        apply_op(to, trial->row->factor[f].op);
        if (f > 0) multiply(&product, &next);
    }
    read_matrix(&result, trial, d);
    double largest = 1;
    for (int i = 0; i < product.rows * product.columns; i++)
        largest = fmax(largest, cabs(product.at[i]));
    for (int i = 0; i < product.rows * product.columns; i++) {
        if (cabs(product.at[i] - result.at[i]) <= 1e-12 * largest) continue;
        fail_msg("%s by %s: element %d is off by %g", trial->row->statement, way->steps, i,
                 cabs(product.at[i] - result.at[i]));
    }
}

static void every_way_computes_the_product(void **state) {
    uint64_t rng = 3;
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct product_ways ways;
        struct tcplan_error error = {.message = ""};
        enum blocked_place place;
        if (product_ways_find(&ways, rows[r].matrices, rows[r].statement, rows[r].dtype, &place,
                              &error) != TCPLAN_OK)
            fail_msg("%s: %s", rows[r].statement, error.message);
        if (ways.count != rows[r].ways)
            fail_msg("%s: %d ways, expected %d", rows[r].statement, ways.count, rows[r].ways);
        for (int w = 0; w < ways.count; w++) {
            for (int v = 0; v < w; v++)
                assert_true(strcmp(ways.of[w].steps, ways.of[v].steps) != 0 ||
                            strcmp(ways.of[w].matrices, ways.of[v].matrices) != 0);
            for (int draws = 0; draws < 4; draws++) {
                struct tcplan_blocked_outcome outcome;
                struct trial trial;
                begin(&trial, &rows[r], &ways.of[w], &rng);
                if (tcplan_blocked_run(&outcome, trial.blocked, &trial.sizes, TCPLAN_PROVIDER_BLAS,
                                       trial.matrix, &error) != TCPLAN_OK)
                    fail_msg("%s: %s", rows[r].statement, error.message);
                compare(&trial, &ways.of[w]);
                end(&trial);
            }
        }
        product_ways_free(&ways);
    }
}

static void the_order_with_fewer_operations_is_found_by_them(void **state) {
    struct product_ways ways;
    enum blocked_place place;
    double flops[2];
    (void)state;
    assert_int_equal(
        product_ways_find(&ways, rows[1].matrices, rows[1].statement, TCPLAN_DOUBLE, &place, NULL),
        TCPLAN_OK);
    for (int w = 0; w < 2; w++) {
        const struct blocked_source source = {.name = "way",
                                              .note = ways.of[w].note,
                                              .matrices = ways.of[w].matrices,
                                              .steps = ways.of[w].steps};
        const struct tcplan_blocked_sizes sizes = {.size = {1000, 10, 1000, 10}, .block = 1};
        struct tcplan_blocked *blocked = NULL;
        assert_int_equal(blocked_build(&blocked, &source, TCPLAN_DOUBLE, NULL, NULL), TCPLAN_OK);
        flops[w] = tcplan_blocked_flops(blocked, &sizes);
        tcplan_blocked_free(blocked);
    }
    assert_string_equal(ways.of[0].note, "A (B C)");
    assert_string_equal(ways.of[1].note, "(A B) C");
    assert_true(flops[0] == 2.0 * (10 * 1000 * 10 + 1000 * 10 * 10) &&
                flops[1] == 2.0 * (1000 * 10 * 1000 + 1000 * 1000 * 10));
    product_ways_free(&ways);
}

static void malformed_products_are_refused_with_the_place(void **state) {
    static const struct {
        const char *matrices, *statement, *expected;
        size_t column;
    } refused[] = {
        {"A(m,k) B(k,n) =D(m,n)", "D := A", "expected at least two factors", 7},
        {"A(m,k) B(k,n) =D(m,n)", "D = A B", "expected ':='", 3},
        {"A(m,k) B(k,n) =D(m,n)", "D := A E", "unknown matrix 'E'", 8},
        {"A(m,k) B(k,n) =D(m,n)", "D := B A", "do not match", 8},
        {"A(m,k) B(k,n) =D(n,m)", "D := A B", "do not match: the result", 1},
        {"A(m,k) B(k,n) =D(m,n)", "D := A^-1 B", "only triangular matrices can be inverted", 6},
        {"A(m,m) +D(m,m)", "D := A D", "the result must not be one of the factors", 1},
        {"A(m,m).lower B(m,m).upper =D(m,m)", "D := A B",
         "no order of routines computes this product", 1},
        {"A(m,k) B(k,n) =D(m,n)", "D := A B A B A B A B", "do not match", 10},
        {"A(m,m) =D(m,m)", "D := A A A A A A A", "expected at most six factors", 18},
        {"A(m,k) x(k) =D(m,k)", "D := A x", "vectors cannot be factors", 8},
        {"A(m,k) B(k,m) =D(m,m).symmetric.lower", "D := A B",
         "no order of routines computes this product", 1},
    };
    (void)state;
    for (size_t r = 0; r < sizeof refused / sizeof *refused; r++) {
        struct product_ways ways;
        struct tcplan_error error = {.message = ""};
        enum blocked_place place;
        assert_int_equal(product_ways_find(&ways, refused[r].matrices, refused[r].statement,
                                           TCPLAN_DOUBLE, &place, &error),
                         TCPLAN_INVALID);
        if (!strstr(error.message, refused[r].expected))
            fail_msg("%s: %s, expected %s", refused[r].statement, error.message,
                     refused[r].expected);
        if (error.column != refused[r].column)
            fail_msg("%s: column %zu, expected %zu", refused[r].statement, error.column,
                     refused[r].column);
        product_ways_free(&ways);
    }
}

static void a_file_may_have_products_and_algorithms(void **state) {
    struct tcplan_blocked **algorithm = NULL;
    struct tcplan_error error = {.message = ""};
    int count = 0;
    (void)state;
    if (tcplan_blocked_read(&algorithm, &count, TCPLAN_TESTS_DIR "/../examples/blocked/chains.xml",
                            TCPLAN_DOUBLE, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    assert_int_equal(count, 2 + 3 + 3);
    assert_string_equal(tcplan_blocked_name(algorithm[0]), "chain_1");
    assert_string_equal(tcplan_blocked_name(algorithm[4]), "gram_3");
    for (int a = 0; a < count; a++) tcplan_blocked_free(algorithm[a]);
    free(algorithm);
}

static void out_of_memory_is_reported(void **state) {
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    (void)state;
    for (long successes = 0; status == TCPLAN_NO_MEMORY && successes < 10000; successes++) {
        struct product_ways ways;
        enum blocked_place place;
        base_alloc_fail_after(successes);
        status = product_ways_find(&ways, rows[2].matrices, rows[2].statement, TCPLAN_DOUBLE,
                                   &place, NULL);
        base_alloc_fail_after(-1);
        product_ways_free(&ways);
    }
    assert_int_equal(status, TCPLAN_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_computes_the_product),
        cmocka_unit_test(the_order_with_fewer_operations_is_found_by_them),
        cmocka_unit_test(malformed_products_are_refused_with_the_place),
        cmocka_unit_test(a_file_may_have_products_and_algorithms),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
