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

/* Largest numbers of operations and bytes of a shortened call: enough for a kernel's full speed,
 * but few enough to time dozens of kernels. */
#define MAX_PRODUCTS 4e6
#define MAX_ELEMENTS 131072.0
#define LEAST_NS 2000.0

/*
 * From LONG_NS on, the first call counts as a repetition, since cold caches no longer matter; from
 * VERY_LONG_NS on, fewer repetitions suffice. A first call longer than HOPELESS_FACTOR times the
 * limit of interest is not repeated.
 */
#define LONG_NS 20e3
#define VERY_LONG_NS 100e3
#define HOPELESS_FACTOR 3.0

static double products(const struct blas_call *call) {
    return (double)call->m * call->n * call->k * (double)(call->length > 0 ? call->length : 1) *
           (call->products > 0 ? call->products : 1);
}

/** Upper bounds of the elements of a call's three matrices: each extent is increased by GAP. */
struct matrices {
    double first, second, result;
};

static struct matrices matrices_of(const struct blas_call *call) {
    const double m = call->m + GAP, n = call->n + GAP, k = call->k + GAP;
    return (struct matrices){.first = m * k, .second = k * n, .result = m * n};
}

/** Returns the number of elements of the call's largest operand. */
static double largest_elements(const struct blas_call *call) {
    const struct kernel_bursts *bursts = kernel_bursts_of(call->kernel);
    if (bursts->elements) return bursts->elements(call);
    const struct matrices matrices = matrices_of(call);
    return fmax(matrices.first, fmax(matrices.second, matrices.result));
}

/** Returns the elements that should stay in the second cache: all matrices, or the longest
 * vector. */
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

/** Halves the number of summed products or the largest extent; returns false if all are small. */
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

/* Offsets operands within their pages, to avoid loads that wait for stores (4 KiB aliasing). */
#define APART_BYTES 1344

/** Returns memory for an operand of this many bytes; NULL if out of memory. */
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
