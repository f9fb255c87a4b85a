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
    int count;
    struct states_look look[STATES_LOOKS];
};

/* Looks of reference_watch() are farther apart: they take a fiftieth of the time. */
#define WATCH_SECONDS 1e-3

struct reference *reference_new(void) {
    struct reference *reference = base_aligned_alloc(ALIGNMENT, sizeof *reference);
    if (!reference) return NULL;
    reference->count = 0;
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

/** In a full log every other look makes room. */
static void note_look(struct reference *reference, double seconds) {
    if (reference->count == STATES_LOOKS) {
        reference->count = STATES_LOOKS / 2;
        for (int l = 0; l < reference->count; l++) reference->look[l] = reference->look[2 * l + 1];
    }
    reference->look[reference->count++] = (struct states_look){.at_seconds = 1e-9 * (double)clock_now_ns(), .seconds = seconds};
}

double reference_seconds(struct reference *reference) {
    double smallest = INFINITY;
    if (!reference) return 0;
    gemm_seconds(reference);
    for (int t = 0; t < TIMED; t++) smallest = fmin(smallest, gemm_seconds(reference));
    note_look(reference, smallest);
    return smallest;
}

void reference_watch(struct reference *reference) {
    if (!reference) return;
    const double last = reference->count > 0 ? reference->look[reference->count - 1].at_seconds : -INFINITY;
    if (1e-9 * (double)clock_now_ns() - last > WATCH_SECONDS) reference_seconds(reference);
}

int reference_looks(const struct reference *reference, const struct states_look **out) {
    *out = reference ? reference->look : NULL;
    return reference ? reference->count : 0;
}

struct states reference_states(const struct reference *reference, const struct states *known) {
    return reference ? states_of(reference->look, reference->count, known) : (struct states){0};
}
