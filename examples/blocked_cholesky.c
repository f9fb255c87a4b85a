/**
 * A blocked algorithm in a program: solves A x = y for a positive definite A by the right-looking
 * Cholesky factorisation, with a block size that the program chooses.
 *
 *   cc blocked_cholesky.c $(pkg-config --cflags --libs tcplan-unstable) -lm -o blocked_cholesky
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <tcplan/unstable.h>

enum { N = 300, BLOCK = 64 };

/** Overwrites x with L^-T L^-1 x. L is stored in the lower triangle of a. */
static void solve(const double *a, double *x) {
    for (int j = 0; j < N; j++) {
        x[j] /= a[j + j * N];
        for (int i = j + 1; i < N; i++) x[i] -= a[i + j * N] * x[j];
    }
    for (int j = N - 1; j >= 0; j--) {
        for (int i = j + 1; i < N; i++) x[j] -= a[i + j * N] * x[i];
        x[j] /= a[j + j * N];
    }
}

/** Factors a in place and prints the outcome. A matrix that is not positive definite is an outcome,
 * not an error. */
static int factor(double *a) {
    const struct tcplan_blocked_sizes sizes = {.size = {N}, .block = BLOCK};
    enum tcplan_dtype dtype = TCPLAN_DOUBLE;
    struct tcplan_blocked *cholesky = NULL;
    struct tcplan_blocked_outcome outcome;
    struct tcplan_error error;
    void *matrix[TCPLAN_MAX_MATRICES] = {a};
    int operation, algorithm;
    enum tcplan_status status =
        tcplan_blocked_find(&operation, &algorithm, &dtype, "potrf_L3", &error);
    if (status == TCPLAN_OK)
        status = tcplan_blocked_make(&cholesky, operation, algorithm, dtype, &error);
    if (status == TCPLAN_OK)
        status =
            tcplan_blocked_run(&outcome, cholesky, &sizes, TCPLAN_PROVIDER_BLAS, matrix, &error);
    tcplan_blocked_free(cholesky);
    if (status != TCPLAN_OK) {
        fprintf(stderr, "blocked_cholesky: %s\n", error.message);
        return EXIT_FAILURE;
    }
    printf("%s after %lld calls\n", tcplan_blocked_end_text(outcome.end), (long long)outcome.calls);
    return outcome.end == TCPLAN_BLOCKED_COMPUTED ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(void) {
    double *a = calloc((size_t)N * N, sizeof *a), x[N];
    if (!a) return EXIT_FAILURE;
    for (int j = 0; j < N; j++) { /* The matrix of second differences. The solution for a right-hand
                                     side of ones is a parabola. */
        a[j + j * N] = 2;
        if (j + 1 < N) a[j + 1 + j * N] = -1;
        x[j] = 1;
    }
    int status = factor(a);
    if (status == EXIT_SUCCESS) {
        solve(a, x);
        const double middle = (N / 2.0 + 1) * (N / 2.0) / 2;
        printf("x[%d] = %.6f\n", N / 2, x[N / 2]);
        if (fabs(x[N / 2] - middle) > 1e-6 * middle) status = EXIT_FAILURE;
    }
    free(a);
    return status;
}
