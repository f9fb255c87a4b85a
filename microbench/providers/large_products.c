#include "microbench/providers/large_products.h"

#include <complex.h>

#include "base/alloc.h"
#include "base/random.h"
#include "microbench/kernels/kernels.h"
#include "microbench/providers/providers.h"

static const struct extents {
    int m, n, k;
} extents[] = {{64, 64, 64}, {97, 101, 103}, {300, 260, 129}, {17, 600, 400}};
enum {
    EXTENTS = sizeof extents / sizeof *extents,
    MOST_ELEMENTS = 17 * 600 + 600 * 400,
    MOST_EXTENT = 600,
    ALIGNMENT = 64
};
enum { VECTOR_BITS = 16, LARGEST = 3 }; /* |C x| < 2 * 600 * 2 * 3 * 400 * 3 * 2^16 < 2^53 */

/** A matrix whose element (i, j) is at i * step[0] + j * step[1]. */
struct matrix {
    char *memory;
    enum tcplan_dtype dtype;
    int rows, columns;
    int step[2];
};

static double _Complex load(const struct matrix *matrix, int i, int j) {
    const int at = i * matrix->step[0] + j * matrix->step[1];
    switch (matrix->dtype) {
    case TCPLAN_FLOAT: return ((const float *)matrix->memory)[at];
    case TCPLAN_FLOAT_COMPLEX: return ((const float _Complex *)matrix->memory)[at];
    case TCPLAN_DOUBLE_COMPLEX: return ((const double _Complex *)matrix->memory)[at];
    case TCPLAN_DOUBLE:
    case TCPLAN_DTYPES: break;
    }
    return ((const double *)matrix->memory)[at];
}

static void fill(const struct matrix *matrix, struct random *random) {
    const int numbers =
        matrix->rows * matrix->columns * (tcplan_dtype_is_complex(matrix->dtype) ? 2 : 1);
    const bool single = matrix->dtype == TCPLAN_FLOAT || matrix->dtype == TCPLAN_FLOAT_COMPLEX;
    for (int i = 0; i < numbers; i++) {
        const int value = (int)random_below(random, 2 * LARGEST + 1) - LARGEST;
        if (single) {
            ((float *)matrix->memory)[i] = (float)value;
        } else {
            ((double *)matrix->memory)[i] = value;
        }
    }
}

static void multiply_vector(double _Complex *out, const struct matrix *matrix,
                            const double _Complex *vector) {
    for (int i = 0; i < matrix->rows; i++) {
        out[i] = 0;
        for (int j = 0; j < matrix->columns; j++) {
            const double _Complex element = load(matrix, i, j), factor = vector[j];
            const double re = creal(element) * creal(factor) - cimag(element) * cimag(factor);
            const double im = creal(element) * cimag(factor) + cimag(element) * creal(factor);
            out[i] += re + im * _Complex_I;
        }
    }
}

static bool agree(const struct matrix *a, const struct matrix *b, const struct matrix *c,
                  struct random *random) {
    double _Complex x[MOST_EXTENT], inner[MOST_EXTENT], expected[MOST_EXTENT], found[MOST_EXTENT];
    bool right = true;
    for (int j = 0; j < b->columns; j++) x[j] = (double)random_below(random, 1 << VECTOR_BITS);
    multiply_vector(inner, b, x);
    multiply_vector(expected, a, inner);
    multiply_vector(found, c, x);
    for (int i = 0; i < c->rows; i++) right = right && found[i] == expected[i];
    return right;
}

/** Lays out a matrix; rows and columns are exchanged if it is stored transposed. */
static struct matrix lay_out(char *memory, enum tcplan_dtype dtype, int rows, int columns,
                             bool transposed) {
    return (struct matrix){.memory = memory,
                           .dtype = dtype,
                           .rows = rows,
                           .columns = columns,
                           .step = {transposed ? columns : 1, transposed ? 1 : rows}};
}

static bool is_right(enum tcplan_provider provider, enum tcplan_dtype dtype, struct extents e,
                     unsigned which, char *const memory[3], struct random *random) {
    const bool transposed[2] = {(which & 1) != 0, (which & 2) != 0};
    const struct matrix a = lay_out(memory[0], dtype, e.m, e.k, transposed[0]),
                        b = lay_out(memory[1], dtype, e.k, e.n, transposed[1]),
                        c = lay_out(memory[2], dtype, e.m, e.n, false);
    const struct blas_call call = {
        .kernel = TCPLAN_GEMM,
        .provider = provider,
        .transposed = {transposed[0], transposed[1]},
        .m = e.m,
        .n = e.n,
        .k = e.k,
        .ld = {transposed[0] ? e.k : e.m, transposed[1] ? e.n : e.k, e.m},
        .strides = {{a.step[0], a.step[1]}, {b.step[0], b.step[1]}, {c.step[0], c.step[1]}},
        .alpha = {1, 0},
    };
    const struct kernel kernel = kernel_bind(&call, dtype, NULL);
    if (!kernel.burst) return true;
    fill(&a, random);
    fill(&b, random);
    kernel.burst(
        &kernel,
        (struct kernel_operands){.first = a.memory, .second = b.memory, .result = c.memory},
        (struct kernel_steps){0}, 1);
    return agree(&a, &b, &c, random);
}

bool large_products_of(enum tcplan_provider provider, enum tcplan_dtype dtype) {
    const size_t bytes = (size_t)MOST_ELEMENTS * tcplan_dtype_bytes(dtype);
    char *memory[3] = {NULL};
    struct random random = {.state = 1};
    bool right = true, enough = true;
    for (int m = 0; m < 3; m++)
        enough = (memory[m] = base_aligned_alloc(ALIGNMENT, bytes)) && enough;
    for (unsigned n = 0; n < EXTENTS * 4 && right && enough; n++) {
        right = is_right(provider, dtype, extents[n / 4], n % 4, memory, &random);
    }
    for (int m = 0; m < 3; m++) base_free(memory[m]);
    return right;
}
