/*
 * contraction: C_abc=A_ai*B_ibc
 * sizes: a=12,b=13,c=14,i=8
 * type: double
 * storage: column-major: the first index is contiguous
 * algorithm: dgemm
 *
 * dgemm_NN: C[:,:,:] := A[:,:] B[:,:,:]
 *
 * The tensors are dense; C must not overlap A or B, which may overlap each other:
 *
 *   A = A[a,i]: 12 x 8, strides 1, 12
 *   B = B[i,b,c]: 8 x 13 x 14, strides 1, 8, 104
 *   C = C[a,b,c]: 12 x 13 x 14, strides 1, 12, 156
 *
 * Returns 0.
 *
 * Emitted by tcplan 0.1.0.
 * link: -lopenblas -lm
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cblas.h>

int contract(const double *A, const double *B, double *C) {
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 12, 182, 8, 1.0, A, 12, B, 8, 0.0, C, 12);
    return 0;
}

/*
 * The driver. It checks the same algorithm at a=2,b=3,c=4,i=5 against naive loops, and times it at its real extents.
 * The BLAS chooses its threads: OPENBLAS_NUM_THREADS=1 in the environment makes it use one.
 */
static int contract_small(const double *A, const double *B, double *C) {
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 2, 12, 5, 1.0, A, 2, B, 5, 0.0, C, 2);
    return 0;
}

/* The contraction by its definition at the same extents. size: the sum of the magnitudes of what each element adds up. */
static void contract_naive(const double *A, const double *B, double *C, double *size) {
    for (ptrdiff_t i_a = 0; i_a < 2; i_a++) {
        for (ptrdiff_t i_b = 0; i_b < 3; i_b++) {
            for (ptrdiff_t i_c = 0; i_c < 4; i_c++) {
                double sum = 0.0;
                double magnitude = 0.0;
                for (ptrdiff_t i_i = 0; i_i < 5; i_i++) {
                    const double product = (double)A[i_a + 2 * i_i] * B[5 * i_b + 15 * i_c + i_i];
                    sum += product;
                    magnitude += fabs(product);
                }
                const ptrdiff_t at = i_a + 2 * i_b + 6 * i_c;
                size[at] = magnitude;
                C[at] = sum;
            }
        }
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

/* The largest error of an element, relative to the magnitudes it adds up; negative when memory is out. */
static double contract_check(void) {
    enum { A_COUNT = 10, B_COUNT = 60, C_COUNT = 24 };
    static double A[A_COUNT], B[B_COUNT], C[C_COUNT], expected[C_COUNT];
    static double size[C_COUNT];
    double worst = 0.0;
    contract_fill(A, A_COUNT);
    contract_fill(B, B_COUNT);
    contract_fill(C, C_COUNT);
    for (int j = 0; j < C_COUNT; j++) expected[j] = C[j];
    contract_naive(A, B, expected, size);
    if (contract_small(A, B, C) != 0) return -1.0;
    for (int j = 0; j < C_COUNT; j++) {
        const double error = fabs(C[j] - expected[j]) / (size[j] > 0.0 ? size[j] : 1.0);
        if (isnan(error)) return error;
        worst = fmax(worst, error);
    }
    return worst;
}

/* Seconds since the first call. */
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

/* One call. The function may be called like any variable below. */
static int contract_run(const double *A, const double *B, double *C) {
    return contract(A, B, C);
}

/* Seconds of `calls` calls; negative when memory is out. */
static double contract_sample(const double *A, const double *B, double *C, int calls) {
    const double start = contract_now();
    for (int j = 0; j < calls; j++) {
        if (contract_run(A, B, C) != 0) return -1.0;
    }
    return fmax(contract_now() - start, 0.0); /* the clock may be set back */
}

/*
 * The median time of a call, repeated on the same tensors; negative when memory is out. A sample is as many calls as
 * take 0.1 ms; finding how many warms up, too. Samples are taken for 0.2 s, and at least 3 unless they take 2 s.
 */
static double contract_time(const double *A, const double *B, double *C, int *samples) {
    static double sample[2000];
    int calls = 1, count = 0;
    double total = contract_sample(A, B, C, calls);
    for (; total >= 0.0 && total < 1e-4 && calls < 100000; total = contract_sample(A, B, C, calls)) calls *= 2;
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

/* Exit status 0: the check passed and the function was timed; 1: the check failed; 3: memory was out. */
int main(void) {
    const char *title = "contract: dgemm of C_abc=A_ai*B_ibc: ";
    const double allowed = 13 * 0x1p-51;
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
    double *A = aligned_alloc(64, 768);
    double *B = aligned_alloc(64, 11648);
    double *C = aligned_alloc(64, 17472);
    double seconds = -1.0;
    int samples = 0;
    if (A && B && C) {
        contract_fill(A, 96);
        contract_fill(B, 1456);
        contract_fill(C, 2184);
        seconds = contract_time(A, B, C, &samples);
    }
    if (seconds < 0.0) {
        printf("out of memory: the tensors take 0.02989 MB\n");
    } else {
        printf("%.4g GFLOP/s, %.2e s (median of %d)\n", 34944.0 * 1e-9 / seconds, seconds, samples);
    }
    free(A);
    free(B);
    free(C);
    return seconds < 0.0 ? 3 : 0;
}
