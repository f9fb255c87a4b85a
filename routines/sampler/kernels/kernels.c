#include "routines/sampler/kernels/kernels.h"

#include <complex.h>
#include <stdatomic.h>
#include <string.h>

#include "base/random.h"
#include "microbench/copy/strided.h"
#include "microbench/kernels/mul.h"
#include "routines/sampler/kernels/files.h"
#include "routines/sampler/kernels/loops.h"

void kernels_fill_float(float *out, int64_t count, uint64_t seed) {
    struct random random = {.state = seed};
    for (int64_t i = 0; i < count; i++) out[i] = (float)(random_next(&random) >> 40) * 0x1p-24F;
}

void kernels_fill_double(double *out, int64_t count, uint64_t seed) {
    struct random random = {.state = seed};
    for (int64_t i = 0; i < count; i++) out[i] = random_unit(&random);
}

/** Returns the next seed: different for each matrix, the same in each run of a program. */
static uint64_t next_seed(void) {
    static atomic_ullong calls;
    return (uint64_t)atomic_fetch_add(&calls, 1) << 32;
}

/* The following functions treat matrices as columns of real numbers: each element consists of
 * `parts` numbers, 2 if complex. */

static void fill_float(int m, int n, float *a, int ld, int parts) {
    const uint64_t seed = next_seed();
    for (int64_t j = 0; j < n; j++)
        kernels_fill_float(a + j * ld * parts, (int64_t)m * parts, seed + (uint64_t)j);
}

static void fill_double(int m, int n, double *a, int ld, int parts) {
    const uint64_t seed = next_seed();
    for (int64_t j = 0; j < n; j++)
        kernels_fill_double(a + j * ld * parts, (int64_t)m * parts, seed + (uint64_t)j);
}

static void sgerand(const int *m, const int *n, float *a, const int *ld) {
    fill_float(*m, *n, a, *ld, 1);
}
static void dgerand(const int *m, const int *n, double *a, const int *ld) {
    fill_double(*m, *n, a, *ld, 1);
}
static void cgerand(const int *m, const int *n, float *a, const int *ld) {
    fill_float(*m, *n, a, *ld, 2);
}
static void zgerand(const int *m, const int *n, double *a, const int *ld) {
    fill_double(*m, *n, a, *ld, 2);
}

/** Fills a triangle of a positive definite matrix with random numbers. The diagonal is real and
 * larger than the sum of the other absolute values in its row. */
static void po_float(char uplo, int n, float *a, int ld, int parts) {
    const uint64_t seed = next_seed();
    for (int64_t j = 0; j < n; j++) {
        const int64_t first = uplo == 'U' ? 0 : j, rows = uplo == 'U' ? j + 1 : n - j;
        float *const column = a + j * ld * parts;
        kernels_fill_float(column + first * parts, rows * parts, seed + (uint64_t)j);
        column[j * parts] += (float)n * (float)parts;
        if (parts == 2) column[j * 2 + 1] = 0;
    }
}

static void po_double(char uplo, int n, double *a, int ld, int parts) {
    const uint64_t seed = next_seed();
    for (int64_t j = 0; j < n; j++) {
        const int64_t first = uplo == 'U' ? 0 : j, rows = uplo == 'U' ? j + 1 : n - j;
        double *const column = a + j * ld * parts;
        kernels_fill_double(column + first * parts, rows * parts, seed + (uint64_t)j);
        column[j * parts] += (double)n * parts;
        if (parts == 2) column[j * 2 + 1] = 0;
    }
}

static void sporand(const char *uplo, const int *n, float *a, const int *ld) {
    po_float(*uplo, *n, a, *ld, 1);
}
static void dporand(const char *uplo, const int *n, double *a, const int *ld) {
    po_double(*uplo, *n, a, *ld, 1);
}
static void cporand(const char *uplo, const int *n, float *a, const int *ld) {
    po_float(*uplo, *n, a, *ld, 2);
}
static void zporand(const char *uplo, const int *n, double *a, const int *ld) {
    po_double(*uplo, *n, a, *ld, 2);
}

static void fill_constant(int m, int n, const char *alpha, char *a, int ld, size_t bytes) {
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < m; i++) memcpy(a + (size_t)(j * ld + i) * bytes, alpha, bytes);
    }
}

static void smemset(const int *m, const int *n, const char *alpha, char *a, const int *ld) {
    fill_constant(*m, *n, alpha, a, *ld, sizeof(float));
}
static void dmemset(const int *m, const int *n, const char *alpha, char *a, const int *ld) {
    fill_constant(*m, *n, alpha, a, *ld, sizeof(double));
}
static void cmemset(const int *m, const int *n, const char *alpha, char *a, const int *ld) {
    fill_constant(*m, *n, alpha, a, *ld, 2 * sizeof(float));
}
static void zmemset(const int *m, const int *n, const char *alpha, char *a, const int *ld) {
    fill_constant(*m, *n, alpha, a, *ld, 2 * sizeof(double));
}

/** A dimension of a copy, with the distances between neighbours in elements. */
struct dimension {
    int64_t extent, to, from;
};

static bool continues(const struct dimension *inner, const struct dimension *outer) {
    return outer->to == inner->to * inner->extent && outer->from == inner->from * inner->extent;
}

/** Sorts all dimensions but the first by increasing steps in the source, and merges those that
 * continue each other (gen/lower/copy_shape.h). */
static int arrange(struct dimension dimension[], int rank) {
    for (int a = 1; a < rank; a++) {
        for (int b = a; b > 1 && dimension[b - 1].from > dimension[b].from; b--) {
            const struct dimension other = dimension[b];
            dimension[b] = dimension[b - 1];
            dimension[b - 1] = other;
        }
    }
    int kept = 1;
    for (int d = 1; d < rank; d++) {
        if (continues(&dimension[kept - 1], &dimension[d])) {
            dimension[kept - 1].extent *= dimension[d].extent;
        } else {
            dimension[kept++] = dimension[d];
        }
    }
    return kept;
}

static void copy(enum tcplan_dtype dtype, struct dimension dimension[], int rank, bool streamed,
                 char *to, const char *from) {
    const ptrdiff_t bytes = (ptrdiff_t)tcplan_dtype_bytes(dtype);
    struct strided block = {.dtype = dtype, .streamed = streamed};
    for (int d = 0; d < rank; d++) {
        if (dimension[d].extent == 0) return;
    }
    block.rank = arrange(dimension, rank);
    for (int d = 0; d < block.rank; d++) {
        block.extent[d] = dimension[d].extent;
        block.to_bytes[d] = (ptrdiff_t)dimension[d].to * bytes;
        block.from_bytes[d] = (ptrdiff_t)dimension[d].from * bytes;
    }
    strided_run_copy(&block, to, from);
    if (streamed) strided_fence();
}

static void move(enum tcplan_dtype dtype, int n, const char *x, int incx, char *y, int incy) {
    const ptrdiff_t bytes = (ptrdiff_t)tcplan_dtype_bytes(dtype), last = n - 1;
    struct dimension dimension[] = {{.extent = n, .to = incy, .from = incx}};
    if (n <= 0) return;
    copy(dtype, dimension, 1, false, incy < 0 ? y - last * incy * bytes : y,
         incx < 0 ? x - last * incx * bytes : x);
}

static void transpose(enum tcplan_dtype dtype, bool streamed, int m, int n, const char *a, int lda,
                      char *b, int ldb) {
    struct dimension dimension[] = {{.extent = n, .to = 1, .from = lda},
                                    {.extent = m, .to = ldb, .from = 1}};
    copy(dtype, dimension, 2, streamed, b, a);
}

/** Copies an array of three dimensions, permuted. `order` has three digits from 1 to 3: the
 * source's dimensions in the order of the destination's. */
static void permute(enum tcplan_dtype dtype, int order, bool streamed, const int64_t extent[3],
                    const char *a, char *b) {
    const int of[3] = {order / 100 - 1, order / 10 % 10 - 1, order % 10 - 1};
    const int64_t from[3] = {1, extent[0], extent[0] * extent[1]};
    struct dimension dimension[3];
    int64_t to = 1;
    for (int d = 0; d < 3; d++) {
        dimension[d] = (struct dimension){.extent = extent[of[d]], .to = to, .from = from[of[d]]};
        to *= extent[of[d]];
    }
    copy(dtype, dimension, 3, streamed, b, a);
}

static const char *first_of(const char *x, int n, int increment, size_t bytes) {
    return increment < 0 ? x + (size_t)(n - 1) * (size_t) - (int64_t)increment * bytes : x;
}

/* NOLINTNEXTLINE(readability-function-size): as many parameters as the routine has arguments */
static void multiply(enum tcplan_dtype dtype, int n, const char *alpha, const char *x, int incx,
                     const char *y, int incy, const char *beta, char *z, int incz) {
    static kernel_burst_fn *const burst[TCPLAN_DTYPES] = {burst_smul, burst_dmul, burst_cmul,
                                                          burst_zmul};
    const size_t bytes = tcplan_dtype_bytes(dtype);
    struct kernel kernel = {.call = {.kernel = TCPLAN_MUL, .length = n}};
    if (n <= 0) return;
    memcpy(&kernel.alpha, alpha, bytes);
    memcpy(&kernel.beta, beta, bytes);
    kernel.call.strides[0][0] = incx;
    kernel.call.strides[1][0] = incy;
    kernel.call.strides[2][0] = incz;
    const size_t last = incz < 0 ? (size_t)(n - 1) * (size_t) - (int64_t)incz * bytes : 0;
    const struct kernel_operands at = {.first = first_of(x, n, incx, bytes),
                                       .second = first_of(y, n, incy, bytes),
                                       .result = z + last};
    burst[dtype](&kernel, at, (struct kernel_steps){0}, 1);
}

/* Operations of blocked algorithms that no library has. */

/* NOLINTBEGIN(bugprone-macro-parentheses): a type takes none */
/** Computes B := B + alpha op(A), one column of B at a time. */
#define ADDOP(letter, type, conjugate)                                                             \
    static void letter##addop(const char *trans, const int *m, const int *n, const type *alpha,    \
                              const type *a, const int *lda, type *b, const int *ldb) {            \
        const int64_t row = *trans == 'N' ? 1 : *lda, column = *trans == 'N' ? *lda : 1;           \
        for (int64_t j = 0; j < *n; j++) {                                                         \
            const type *from = a + j * column;                                                     \
            type *const to = b + j * *ldb;                                                         \
            for (int64_t i = 0; i < *m; i++)                                                       \
                to[i] += *alpha * (*trans == 'C' ? conjugate(from[i * row]) : from[i * row]);      \
        }                                                                                          \
    }

ADDOP(s, float, +)             /* NOLINT(readability-function-size) */
ADDOP(d, double, +)            /* NOLINT(readability-function-size) */
ADDOP(c, float complex, conjf) /* NOLINT(readability-function-size) */
ADDOP(z, double complex, conj) /* NOLINT(readability-function-size) */
/* NOLINTEND(bugprone-macro-parentheses) */

/* NOLINTBEGIN(bugprone-macro-parentheses): a type takes none */
/** Completes columns of a tridiagonal form after latrd, as sytrd does: nb columns at the beginning
 * of the lower triangle, or at the end of the upper one. Copies their diagonal elements to d, and
 * the off-diagonal elements e to A, where latrd leaves ones. */
#define TRIDI(letter, type, real)                                                                  \
    static void letter##tridi(const char *uplo, const int *n, const int *nb, type *a,              \
                              const int *lda, real *d, const real *e) {                            \
        const int64_t first = *uplo == 'L' ? 0 : *n - *nb;                                         \
        for (int64_t j = first; j < first + *nb; j++) {                                            \
            d[j - first] = (real)a[j + j * *lda];                                                  \
            if (*uplo == 'L' && j + 1 < *n) a[j + 1 + j * *lda] = e[j];                            \
            if (*uplo == 'U' && j > 0) a[j - 1 + j * *lda] = e[j - 1];                             \
        }                                                                                          \
    }

TRIDI(s, float, float)           /* NOLINT(readability-function-size) */
TRIDI(d, double, double)         /* NOLINT(readability-function-size) */
TRIDI(c, float complex, float)   /* NOLINT(readability-function-size) */
TRIDI(z, double complex, double) /* NOLINT(readability-function-size) */

/** Copies reflectors to V, with their ones and zeros: columns below the diagonal of A (storev C),
 * or rows above it (R). */
#define UNFOLD(letter, type)                                                                       \
    static void letter##unfold(const char *storev, const int *m, const int *n, const type *a,      \
                               const int *lda, type *v, const int *ldv) {                          \
        for (int64_t j = 0; j < *n; j++) {                                                         \
            for (int64_t i = 0; i < *m; i++) {                                                     \
                const bool is_stored = *storev == 'C' ? i > j : i < j;                             \
                v[i + j * *ldv] = is_stored ? a[i + j * *lda] : (type)(i == j);                    \
            }                                                                                      \
        }                                                                                          \
    }

UNFOLD(s, float)          /* NOLINT(readability-function-size) */
UNFOLD(d, double)         /* NOLINT(readability-function-size) */
UNFOLD(c, float complex)  /* NOLINT(readability-function-size) */
UNFOLD(z, double complex) /* NOLINT(readability-function-size) */
/* NOLINTEND(bugprone-macro-parentheses) */

static void shift(const int *n, const int *k, int *p) {
    for (int i = 0; i < *n; i++) p[i] += *k;
}

/** The routines for one type; they have as many parameters as arguments. */
#define OWN(letter, dtype)                                                                         \
    static void letter##move(const int *n, const char *x, const int *incx, char *y,                \
                             const int *incy) {                                                    \
        move(dtype, *n, x, *incx, y, *incy);                                                       \
    }                                                                                              \
    static void letter##transpose(const int *streamed, const int *m, const int *n, const char *a,  \
                                  const int *lda, char *b, const int *ldb) {                       \
        transpose(dtype, *streamed != 0, *m, *n, a, *lda, b, *ldb);                                \
    }                                                                                              \
    static void letter##permute(const int *order, const int *streamed, const int *m, const int *n, \
                                const int *k, const char *a, char *b) {                            \
        permute(dtype, *order, *streamed != 0, (const int64_t[]){*m, *n, *k}, a, b);               \
    }                                                                                              \
    static void letter##mul(const int *n, const char *alpha, const char *x, const int *incx,       \
                            const char *y, const int *incy, const char *beta, char *z,             \
                            const int *incz) {                                                     \
        multiply(dtype, *n, alpha, x, *incx, y, *incy, beta, z, *incz);                            \
    }

OWN(s, TCPLAN_FLOAT)          /* NOLINT(readability-function-size) */
OWN(d, TCPLAN_DOUBLE)         /* NOLINT(readability-function-size) */
OWN(c, TCPLAN_FLOAT_COMPLEX)  /* NOLINT(readability-function-size) */
OWN(z, TCPLAN_DOUBLE_COMPLEX) /* NOLINT(readability-function-size) */

/** A kernel for all its types. */
struct own {
    const char *base;
    routine_fn *function[TCPLAN_DTYPES];
};

#define IN_ALL_TYPES(name)                                                                         \
    {                                                                                              \
#name, {                                                                                   \
            (routine_fn *)s##name, (routine_fn *)d##name, (routine_fn *)c##name,                   \
                (routine_fn *)z##name                                                              \
        }                                                                                          \
    }

static const struct own own[] = {
    IN_ALL_TYPES(memset),
    IN_ALL_TYPES(gerand),
    IN_ALL_TYPES(porand),
    IN_ALL_TYPES(move),
    IN_ALL_TYPES(transpose),
    IN_ALL_TYPES(permute),
    IN_ALL_TYPES(mul),
    IN_ALL_TYPES(addop),
    IN_ALL_TYPES(tridi),
    IN_ALL_TYPES(unfold),
    {"shift",
     {(routine_fn *)shift, (routine_fn *)shift, (routine_fn *)shift, (routine_fn *)shift}}};

routine_fn *kernels_find(const struct signature *signature) {
    if (strcmp(signature->base, "readfile") == 0) return files_read[signature->dtype];
    if (strcmp(signature->base, "writefile") == 0) return files_write[signature->dtype];
    if (strcmp(signature->base, "loops3") == 0) return loops_three[signature->dtype];
    if (strcmp(signature->base, "loops6") == 0) return loops_six[signature->dtype];
    for (size_t k = 0; k < sizeof own / sizeof *own; k++) {
        if (strcmp(own[k].base, signature->base) == 0) return own[k].function[signature->dtype];
    }
    return NULL;
}
