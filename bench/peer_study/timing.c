/*
 * The timed loops of bench/peers: `calls` calls of a contraction, of an ideal gemm or of an ideal
 * gemv between two readings of a clock. `type` is the BLAS letter of the element type: s, d, c or
 * z. Compiled into a temporary folder by the study.
 */
#include <time.h>

#include <cblas.h>

typedef int contraction(const void *A, const void *B, void *C);

static double now_seconds(int clock_id) {
    struct timespec t;
    clock_gettime((clockid_t)clock_id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** Returns the seconds of `calls` calls; negative if one of them did not return 0. */
double time_contraction(contraction *function, const void *A, const void *B, void *C, long calls,
                        int clock_id) {
    int status = 0;
    double start = now_seconds(clock_id);
    for (long call = 0; call < calls; call++) {
        status |= function(A, B, C);
    }
    double seconds = now_seconds(clock_id) - start;
    return status ? -1 : seconds;
}

/* Scalars of the complex routines, which take their addresses. */
static const float one_c[2] = {1, 0}, zero_c[2] = {0, 0};
static const double one_z[2] = {1, 0}, zero_z[2] = {0, 0};

static void gemm(int type, int m, int n, int k, const void *A, const void *B, void *C) {
    const CBLAS_TRANSPOSE no = CblasNoTrans;
    switch (type) {
    case 's': cblas_sgemm(CblasColMajor, no, no, m, n, k, 1, A, m, B, k, 0, C, m); break;
    case 'd': cblas_dgemm(CblasColMajor, no, no, m, n, k, 1, A, m, B, k, 0, C, m); break;
    case 'c': cblas_cgemm(CblasColMajor, no, no, m, n, k, one_c, A, m, B, k, zero_c, C, m); break;
    default: cblas_zgemm(CblasColMajor, no, no, m, n, k, one_z, A, m, B, k, zero_z, C, m); break;
    }
}

/** Times C[m,n] := A[m,k] B[k,n], all dense and column-major. */
double time_gemm(int type, int m, int n, int k, const void *A, const void *B, void *C, long calls,
                 int clock_id) {
    double start = now_seconds(clock_id);
    for (long call = 0; call < calls; call++) gemm(type, m, n, k, A, B, C);
    return now_seconds(clock_id) - start;
}

/** Multiplies a matrix A with `rows` rows and `columns` columns by the vector x. */
static void gemv(int type, CBLAS_TRANSPOSE op, int rows, int columns, const void *A, const void *x,
                 void *y) {
    switch (type) {
    case 's': cblas_sgemv(CblasColMajor, op, rows, columns, 1, A, rows, x, 1, 0, y, 1); break;
    case 'd': cblas_dgemv(CblasColMajor, op, rows, columns, 1, A, rows, x, 1, 0, y, 1); break;
    case 'c':
        cblas_cgemv(CblasColMajor, op, rows, columns, one_c, A, rows, x, 1, zero_c, y, 1);
        break;
    default:
        cblas_zgemv(CblasColMajor, op, rows, columns, one_z, A, rows, x, 1, zero_z, y, 1);
        break;
    }
}

/** Returns the seconds of `calls` calls of y[m] := A x with A[m,k] or, if `transposed`, with the
 * transpose of A[k,m]; dense and column-major. */
double time_gemv(int type, int transposed, int m, int k, const void *A, const void *x, void *y,
                 long calls, int clock_id) {
    double start = now_seconds(clock_id);
    for (long call = 0; call < calls; call++) {
        gemv(type, transposed ? CblasTrans : CblasNoTrans, transposed ? k : m, transposed ? m : k,
             A, x, y);
    }
    return now_seconds(clock_id) - start;
}
