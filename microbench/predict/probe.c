#include "microbench/predict/probe.h"

#include <math.h>

#include "microbench/predict/kernel_bursts.h"
#include "microbench/providers/blas.h"
#include "microbench/timing/clock.h"

enum {
    ALIGNMENT = 64,
    MAX_COUNT = 1 << 16,
    LEAST_SUMMED = 8,
    MOST_SUMMED = 64,
    GAP = KERNEL_PACKED_INCREMENT - 1
};

/* What a cut-down call may do and touch: long enough for kernels to be at their speed, short enough
 * to time dozens. */
#define MAX_PRODUCTS 4e6
#define MAX_ELEMENTS 131072.0
#define LEAST_NS 2000.0

/*
 * The first call of this length and more is a repetition by itself: what is cold about it no longer
 * counts. Where it takes this often what is of interest, no second one tells more.
 */
#define LONG_NS 20e3
#define VERY_LONG_NS 100e3
#define HOPELESS_FACTOR 3.0

static double products(const struct blas_call *call) {
    return (double)call->m * call->n * call->k * (double)(call->length > 0 ? call->length : 1) *
           (call->products > 0 ? call->products : 1);
}

/** Elements of matrices, behind every column the gap up to the next line. */
struct matrices {
    double first, second, result;
};

static struct matrices matrices_of(const struct blas_call *call) {
    const double m = call->m + GAP, n = call->n + GAP, k = call->k + GAP;
    return (struct matrices){.first = m * k, .second = k * n, .result = m * n};
}

/** Elements that an operand has at most. */
static double largest_elements(const struct blas_call *call) {
    const struct kernel_bursts *bursts = kernel_bursts_of(call->kernel);
    if (bursts->elements) return bursts->elements(call);
    const struct matrices matrices = matrices_of(call);
    return fmax(matrices.first, fmax(matrices.second, matrices.result));
}

/** What is to stay in the second cache: matrices together, or the longest vector. */
static double elements(const struct blas_call *call) {
    const struct kernel_bursts *bursts = kernel_bursts_of(call->kernel);
    if (bursts->elements) return bursts->elements(call);
    const struct matrices matrices = matrices_of(call);
    return matrices.first + matrices.second + matrices.result;
}

static void pack(struct blas_call *call) {
    const struct kernel_bursts *bursts = kernel_bursts_of(call->kernel);
    if (bursts->pack) bursts->pack(call);
}

/** Halves the number of products that are summed up, or the largest extent; false where all are
 * small. */
static bool halve(struct probe_call *probe) {
    struct blas_call *call = &probe->call;
    if (call->products >= 2 * LEAST_SUMMED) {
        const int fewer = call->products / 2;
        probe->scale *= (double)call->products / fewer;
        call->products = fewer;
        return true;
    }
    int *largest = call->m >= call->n && call->m >= call->k ? &call->m
                   : call->n >= call->k                     ? &call->n
                                                            : &call->k;
    const int64_t extent = call->length > 1 ? call->length : *largest;
    const int64_t half = (extent / 2 + 7) / 8 * 8;
    if (half >= extent) return false;
    probe->scale *= (double)extent / (double)half;
    if (call->length > 1) {
        call->length = half;
    } else {
        *largest = (int)half;
    }
    return true;
}

struct probe_call probe_call_of(const struct blas_call *call) {
    struct probe_call probe = {.call = *call, .scale = 1};
    struct blas_call *cut = &probe.call;
    cut->fetches_ahead = false;
    pack(cut);
    while (cut->products > MOST_SUMMED || products(cut) > MAX_PRODUCTS ||
           elements(cut) > MAX_ELEMENTS) {
        if (!halve(&probe)) break;
    }
    pack(cut);
    return probe;
}

static struct timing time_batch(const struct kernel *kernel, struct kernel_operands at,
                                int64_t count) {
    const bool alone = blas_threads() == 1;
    const struct clock_start start = clock_start();
    kernel->burst(kernel, at, (struct kernel_steps){0}, count);
    return clock_stop(&start, alone);
}

/* Operands do not lie alike in their pages, where stores would wait for loads (4 KiB aliasing). */
#define APART_BYTES 1344

/** Memory for an operand of so many bytes; NULL when memory is out. */
static char *reserve(struct scratch *scratch, enum tcplan_operand operand, size_t bytes) {
    const size_t behind = (size_t)operand * APART_BYTES;
    char *memory = scratch_get(scratch, operand, behind + bytes);
    return memory ? memory + behind : NULL;
}

int probe_time(struct scratch *scratch, const struct probe_call *probe, enum tcplan_dtype dtype,
               double most_ns, double ns[PROBE_REPETITIONS]) {
    const struct kernel kernel = kernel_bind(&probe->call, dtype, NULL);
    const size_t bytes =
        ((size_t)largest_elements(&probe->call) * tcplan_dtype_bytes(dtype) / ALIGNMENT + 8) *
        ALIGNMENT;
    const struct kernel_operands at = {.first = reserve(scratch, TCPLAN_A, bytes),
                                       .second = reserve(scratch, TCPLAN_B, bytes),
                                       .result = reserve(scratch, TCPLAN_C, bytes)};
    if (!kernel.burst || !at.first || !at.second || !at.result) return 0;
    struct timing batch = time_batch(&kernel, at, 1);
    const int wanted = batch.ns >= VERY_LONG_NS ? PROBE_FEWEST : PROBE_REPETITIONS;
    int64_t count = 1;
    int taken = 0;
    if (batch.ns >= LONG_NS) {
        ns[taken++] = batch.ns;
        if (!batch.disturbed && batch.ns > HOPELESS_FACTOR * most_ns) return taken;
    }
    while (taken == 0 && count < MAX_COUNT && time_batch(&kernel, at, count).ns < LEAST_NS)
        count *= 2;
    for (; taken < wanted; taken++) ns[taken] = time_batch(&kernel, at, count).ns / (double)count;
    return taken;
}
