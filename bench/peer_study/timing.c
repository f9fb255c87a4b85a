/*
 * The timed loops of bench/peers: `calls` calls of a contraction, of an ideal dgemm or of an ideal dgemv between two readings of a clock.
 * Compiled into a temporary folder by the study.
 */
#include <time.h>

#include <cblas.h>

typedef int contraction(const double *A, const double *B, double *C);

static double now_seconds(int clock_id) {
    struct timespec t;
    clock_gettime((clockid_t)clock_id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** Seconds of `calls` calls; negative where one of them did not return 0. */
double time_contraction(contraction *function, const double *A, const double *B, double *C, long calls, int clock_id) {
    int status = 0;
    double start = now_seconds(clock_id);
    for (long call = 0; call < calls; call++) {
        status |= function(A, B, C);
    }
    double seconds = now_seconds(clock_id) - start;
    return status ? -1 : seconds;
}

/** C[m,n] := A[m,k] B[k,n], all dense and column-major. */
double time_gemm(int m, int n, int k, const double *A, const double *B, double *C, long calls, int clock_id) {
    double start = now_seconds(clock_id);
    for (long call = 0; call < calls; call++) {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0, A, m, B, k, 0.0, C, m);
    }
    return now_seconds(clock_id) - start;
}

/** y[m] := A x with A[m,k], or with A' of A[k,m] where `transposed`; dense and column-major. */
double time_gemv(int transposed, int m, int k, const double *A, const double *x, double *y, long calls, int clock_id) {
    double start = now_seconds(clock_id);
    for (long call = 0; call < calls; call++) {
        if (transposed) {
            cblas_dgemv(CblasColMajor, CblasTrans, k, m, 1.0, A, k, x, 1, 0.0, y, 1);
        } else {
            cblas_dgemv(CblasColMajor, CblasNoTrans, m, k, 1.0, A, m, x, 1, 0.0, y, 1);
        }
    }
    return now_seconds(clock_id) - start;
}
