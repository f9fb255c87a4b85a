#include "routines/blocked/run/inputs.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "routines/blocked/run/binding.h"
#include "tcplan/blocked_run.h"

/** Off-diagonal elements of a matrix of order n have magnitudes of at most this number over
 * sqrt(n), so that the norm of the matrix without its diagonal stays below 0.6, real or complex. */
#define BESIDE_DIAGONAL 0.35

/** Matrices that are reduced to a band have numbers near 3/2 on the diagonal, numbers near 1/2 at
 * the edge of the band, and others that are smaller than usual by this factor. Rounding errors of
 * the reduction of a random matrix grow with each step, so that two methods give different bands
 * with the same eigenvalues. For these matrices the errors do not grow. */
#define BESIDE_BAND 0.1

static bool begins_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

/** Sets the shape that a routine requires of the matrix passed as an argument. */
static void shape_by(struct inputs_shape *shape, const struct signature *signature,
                     const int64_t value[], int argument, int64_t block) {
    const struct signature_argument *of = &signature->argument[argument];
    const int uplo = signature_argument(signature, "uplo"),
              diag = signature_argument(signature, "diag");
    if (begins_with(signature->base, "getrf") || begins_with(signature->base, "getf2"))
        shape->is_pivoted = of->storage == SIGNATURE_GENERAL;
    if (of->storage != SIGNATURE_TRIANGLE && of->storage != SIGNATURE_SYMMETRIC) return;
    shape->is_triangle = true;
    shape->is_upper = uplo < 0 || value[uplo] == 'U';
    shape->is_unit = diag >= 0 && value[diag] == 'U';
    shape->reads_zeros = uplo < 0;
    if (begins_with(signature->base, "sytrd") || begins_with(signature->base, "hetrd"))
        shape->band = strlen(signature->base) > strlen("sytrd") ? block : 1;
}

/** Sets which triangle of a matrix is accessed, and whether its diagonal is, from the flags of the
 * calls that use the matrix; for algorithms without a routine for the whole operation. */
static void shape_by_calls(struct inputs_shape *shape, const struct tcplan_blocked *blocked,
                           int matrix) {
    for (int s = 0; s < blocked->statement_count; s++) {
        const struct blocked_statement *statement = &blocked->statement[s];
        const struct signature *signature = statement->signature;
        const bool tells = signature_argument(signature, "uplo") < 0;
        for (int a = 0; a < signature->count && tells; a++) {
            if (statement->has_block[a] &&
                blocked->blocks.view[statement->block[a].view].matrix == matrix) {
                shape_by(shape, signature, statement->value, a, 1);
            }
        }
    }
}

struct inputs_shape inputs_shape_of(const struct tcplan_blocked *blocked,
                                    const struct tcplan_blocked_sizes *sizes, int matrix) {
    const struct blocked_extent extent = blocked_extent_of(blocked, sizes, matrix);
    struct inputs_shape shape = {
        .rows = extent.rows, .columns = extent.columns, .leading = extent.leading};
    if (!blocked->whole) {
        shape_by_calls(&shape, blocked, matrix);
        return shape;
    }
    for (int a = 0; a < blocked->whole->count; a++) {
        if (blocked->whole->argument[a].class == SIGNATURE_DATA &&
            blocked->whole_matrix[a] == matrix) {
            shape_by(&shape, blocked->whole, blocked->whole_value, a, sizes->block);
        }
    }
    return shape;
}

bool inputs_touches(const struct inputs_shape *shape, int64_t row, int64_t column) {
    if (!shape->is_triangle) return true;
    if (row == column) return !shape->is_unit;
    return shape->is_upper ? row < column : row > column;
}

void inputs_put(char *at, enum tcplan_dtype dtype, double re, double im) {
    const double d[2] = {re, im};
    const float s[2] = {(float)re, (float)im};
    const bool is_single = dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
    memcpy(at, is_single ? (const void *)s : (const void *)d, tcplan_dtype_bytes(dtype));
}

/** Returns the number to which a random one is added. */
static double center_of(const struct inputs_shape *shape, int64_t row, int64_t column) {
    if (row == column) return shape->band > 0 ? 1.5 : 1;
    const int64_t distance = row > column ? row - column : column - row;
    return shape->band > 0 && distance == shape->band ? 0.5 : 0;
}

/** Fills one column with numbers that depend only on the seed and the column. */
static void fill_column(const struct inputs_shape *shape, enum tcplan_dtype dtype, char *at,
                        int64_t column, uint64_t seed) {
    const size_t bytes = tcplan_dtype_bytes(dtype);
    const int64_t order = shape->rows > shape->columns ? shape->rows : shape->columns;
    const double beside =
        BESIDE_DIAGONAL / sqrt((double)order) * (shape->band > 0 ? BESIDE_BAND : 1);
    struct random random = {.state = seed + (uint64_t)column * 0x9e3779b97f4a7c15U};
    for (int64_t row = 0; row < shape->rows; row++, at += bytes) {
        const double re = random_unit(&random), im = random_unit(&random);
        const double center = center_of(shape, row, column);
        if (row == column) {
            inputs_put(at, dtype, center + (shape->band > 0 ? beside : 1) * re, 0);
        } else if (inputs_touches(shape, row, column)) {
            /* LAPACK's hetrd_he2hb does not make the last element of a band real if n = kd + 1 */
            inputs_put(at, dtype, center + beside * (2 * re - 1),
                       center > 0 ? 0 : beside * (2 * im - 1));
        }
    }
}

static void swap(char *a, char *b, size_t bytes) {
    char element[2 * sizeof(double)];
    memcpy(element, a, bytes);
    memcpy(a, b, bytes);
    memcpy(b, element, bytes);
}

/** Permutes the rows of a matrix at random. */
static void mix_rows(char *memory, const struct inputs_shape *shape, size_t bytes, uint64_t seed) {
    for (int64_t column = 0; column < shape->columns; column++) {
        char *const at = memory + (size_t)(column * shape->leading) * bytes;
        struct random random = {.state = ~seed};
        for (int64_t row = shape->rows - 1; row > 0; row--) {
            const int64_t other = random_below(&random, row + 1);
            if (other != row) swap(at + (size_t)row * bytes, at + (size_t)other * bytes, bytes);
        }
    }
}

void inputs_fill(const struct tcplan_blocked *blocked, const struct tcplan_blocked_sizes *sizes,
                 int matrix, char *memory, uint64_t seed) {
    const struct tcplan_matrix *of = &blocked->blocks.matrix[matrix];
    const struct inputs_shape shape = inputs_shape_of(blocked, sizes, matrix);
    const size_t bytes = binding_element_bytes(blocked, matrix);
    const uint64_t own_seed = (seed + 1) * 0xd1342543de82ef95U + (uint64_t)matrix;
    for (int64_t column = 0; column < shape.columns && shape.rows > 0; column++) {
        char *const at = memory + (size_t)(column * shape.leading) * bytes;
        memset(at, 0, (size_t)shape.rows * bytes);
        if (of->role != TCPLAN_MATRIX_OUTPUT && !of->is_integer)
            fill_column(&shape, blocked_element_type(blocked, matrix), at, column, own_seed);
    }
    if (shape.is_pivoted) mix_rows(memory, &shape, bytes, own_seed);
}

void tcplan_blocked_fill(const struct tcplan_blocked *blocked,
                         const struct tcplan_blocked_sizes *sizes, void *const matrix[],
                         uint64_t seed) {
    for (int m = 0; m < blocked->blocks.matrix_count; m++) {
        if (blocked->blocks.matrix[m].role != TCPLAN_MATRIX_TEMPORARY)
            inputs_fill(blocked, sizes, m, matrix[m], seed);
    }
}
