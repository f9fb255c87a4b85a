/*
 * contraction: C_a=A_iaj*B_ji
 * sizes: a=50,i=8,j=9
 * type: double
 * storage: column-major: the first index is contiguous
 * algorithm: j-dgemv
 *
 * C[:] := 0
 * for j = 1:j
 *   dgemv_T: C[:] += A[:,:,j]^T B[j,:]
 *
 * The tensors are dense; C must not overlap A or B, which may overlap each other:
 *
 *   A = A[i,a,j]: 8 x 50 x 9, strides 1, 8, 400
 *   B = B[j,i]: 9 x 8, strides 1, 9
 *   C = C[a]: 50, strides 1
 *
 * Planned for 1 thread of the BLAS.
 *
 * Returns 0.
 *
 * Emitted by tcplan @VERSION@.
 * link: -lopenblas -lm
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cblas.h>

/* Functions of OpenBLAS; NULL if another BLAS is linked. */
int openblas_get_num_threads(void);
void openblas_set_num_threads(int);
#pragma weak openblas_get_num_threads
#pragma weak openblas_set_num_threads

int contract(const double *A, const double *B, double *C) {
    for (ptrdiff_t j0 = 0; j0 < 50; j0++) {
        C[j0] = 0.0;
    }
    for (ptrdiff_t i_j = 0; i_j < 9; i_j++) {
        cblas_dgemv(CblasColMajor, CblasTrans, 8, 50,
                    1.0, A + 400 * i_j, 8, B + i_j, 9,
                    1.0, C, 1);
    }
    return 0;
}

/*
 * Driver: checks the algorithm at a=2,i=3,j=4 against nested loops, and times the function at
 * its own extents. OpenBLAS uses as many threads as planned; another BLAS chooses its own.
 */
static int contract_small(const double *A, const double *B, double *C) {
    for (ptrdiff_t j0 = 0; j0 < 2; j0++) {
        C[j0] = 0.0;
    }
    for (ptrdiff_t i_j = 0; i_j < 4; i_j++) {
        cblas_dgemv(CblasColMajor, CblasTrans, 3, 2,
                    1.0, A + 6 * i_j, 3, B + i_j, 4,
                    1.0, C, 1);
    }
    return 0;
}

/* Computes the contraction at the small extents by its definition. size: receives the sum of the
 * magnitudes of each element's terms. */
static void contract_naive(const double *A, const double *B, double *C, double *size) {
    for (ptrdiff_t i_a = 0; i_a < 2; i_a++) {
        double sum = 0.0;
        double magnitude = 0.0;
        for (ptrdiff_t i_i = 0; i_i < 3; i_i++) {
            for (ptrdiff_t i_j = 0; i_j < 4; i_j++) {
                const double product = (double)A[3 * i_a + i_i + 6 * i_j] * B[4 * i_i + i_j];
                sum += product;
                magnitude += fabs(product);
            }
        }
        const ptrdiff_t at = i_a;
        size[at] = magnitude;
        C[at] = sum;
    }
}

/* Uniform in [-1, 1). */
static double contract_random(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (double)(state >> 11) * 0x1p-52 - 1.0;
}

static void contract_fill(double *x, size_t count) {
    for (size_t j = 0; j < count; j++) x[j] = contract_random();
}

/* Returns the largest error of an element, divided by the sum of magnitudes of its terms; negative
 * if out of memory. */
static double contract_check(void) {
    enum {
        A_COUNT = 24,
        B_COUNT = 12,
        C_COUNT = 2
    };
    static double A[A_COUNT], B[B_COUNT], C[C_COUNT],
        expected[C_COUNT];
    static double size[C_COUNT];
    double worst = 0.0;
    contract_fill(A, A_COUNT);
    contract_fill(B, B_COUNT);
    contract_fill(C, C_COUNT);
    for (int j = 0; j < C_COUNT; j++) expected[j] = C[j];
    contract_naive(A, B, expected, size);
    if (contract_small(A, B, C) != 0) return -1.0;
    for (int j = 0; j < C_COUNT; j++) {
        const double error =
            fabs(C[j] - expected[j]) / (size[j] > 0.0 ? size[j] : 1.0);
        if (isnan(error)) return error;
        worst = fmax(worst, error);
    }
    return worst;
}

/* Returns the seconds since its first call. */
static double contract_now(void) {
    static time_t start;
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    if (!start) start = t.tv_sec;
    return (double)(t.tv_sec - start) + 1e-9 * (double)t.tv_nsec;
}

static int contract_by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Calls the function once. Its name may be that of any variable below, so the call is here. */
static int contract_run(const double *A, const double *B, double *C) {
    return contract(A, B, C);
}

/* Returns the seconds of `calls` calls; negative if out of memory. */
static double contract_sample(const double *A, const double *B, double *C, int calls) {
    const double start = contract_now();
    for (int j = 0; j < calls; j++) {
        if (contract_run(A, B, C) != 0) return -1.0;
    }
    return fmax(contract_now() - start, 0.0); /* the clock may be set back */
}

/*
 * Returns the median time of a call, repeated on the same tensors; negative if out of memory. Each
 * sample has as many calls as take 0.1 ms. The first call is not timed, because a library may
 * generate its kernel in it. Samples are taken for 0.2 s, but at least 3 unless they take 2 s.
 */
static double contract_time(const double *A, const double *B, double *C, int *samples) {
    static double sample[2000];
    int calls = 1, count = 0;
    double total = contract_sample(A, B, C, calls);
    if (total >= 0.0 && total < 1.0)
        total = contract_sample(A, B, C, calls);
    for (; total >= 0.0 && total < 1e-4 && calls < 100000;
         total = contract_sample(A, B, C, calls))
        calls *= 2;
    if (total < 0.0) return total;
    for (total = 0.0; count < 2000 && (total < 0.2 || (count < 3 && total < 2.0)); count++) {
        const double seconds = contract_sample(A, B, C, calls);
        if (seconds < 0.0) return seconds;
        sample[count] = seconds / calls;
        total += seconds;
    }
    qsort(sample, (size_t)count, sizeof *sample, contract_by_value);
    *samples = count;
    return sample[count / 2];
}

/* Exit status 0: the check passed and the function was timed; 1: the check failed; 3: out of
 * memory. */
int main(void) {
    const char *title = "contract: j-dgemv of C_a=A_iaj*B_ji: ";
    if (openblas_set_num_threads) openblas_set_num_threads(1);
    const double allowed = 20 * 0x1p-51;
    const double error = contract_check();
    if (error < 0.0) {
        printf("%sout of memory\n", title);
        return 3;
    }
    if (!(error <= allowed)) {
        printf("%scheck FAILED (max error %.1e, allowed %.1e)\n", title, error, allowed);
        return 1;
    }
    printf("%scheck passed (max error %.1e), ", title, error);
    fflush(stdout);
    double *A = malloc(28800);
    double *B = malloc(576);
    double *C = malloc(400);
    double seconds = -1.0;
    int samples = 0;
    if (A && B && C) {
        contract_fill(A, 3600);
        contract_fill(B, 72);
        contract_fill(C, 50);
        seconds = contract_time(A, B, C, &samples);
    }
    if (seconds < 0.0) {
        printf("out of memory: the tensors take 0.02978 MB\n");
    } else {
        printf("%.4g GFLOP/s, %.2e s (median of %d)\n", 7200.0 * 1e-9 / seconds, seconds,
               samples);
    }
    free(A);
    free(B);
    free(C);
    return seconds < 0.0 ? 3 : 0;
}
