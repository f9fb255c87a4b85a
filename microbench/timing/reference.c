#include "microbench/timing/reference.h"

#include <cblas.h>
#include <math.h>
#include <stddef.h>

#include "base/alloc.h"
#include "microbench/timing/clock.h"

/* Three matrices of this extent take 55 kB. The BLAS does not use threads for so little. */
enum { EXTENT = 48, TIMED = 2, ALIGNMENT = 64 };

struct reference {
    double a[EXTENT * EXTENT];
    double b[EXTENT * EXTENT];
    double c[EXTENT * EXTENT];
};

struct reference *reference_new(void) {
    struct reference *reference = base_aligned_alloc(ALIGNMENT, sizeof *reference);
    if (!reference) return NULL;
    for (int e = 0; e < EXTENT * EXTENT; e++) reference->a[e] = reference->b[e] = reference->c[e] = 1.0 / EXTENT;
    return reference;
}

void reference_free(struct reference *reference) {
    base_free(reference);
}

static double gemm_seconds(struct reference *reference) {
    const struct clock_start start = clock_start();
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, EXTENT, EXTENT, EXTENT, 1, reference->a, EXTENT, reference->b, EXTENT, 0,
                reference->c, EXTENT);
    return clock_stop(&start, true).ns * 1e-9;
}

double reference_seconds(struct reference *reference) {
    double smallest = INFINITY;
    if (!reference) return 0;
    gemm_seconds(reference);
    for (int t = 0; t < TIMED; t++) smallest = fmin(smallest, gemm_seconds(reference));
    return smallest;
}
