#include "microbench/timing/reference.h"

#include <cblas.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/settling.h"

enum {
    EXTENT = SETTLING_EXTENT,
    TIMED = 2,
    ALIGNMENT = 64,
    LINE_BYTES = 64,
    HUGE_PAGE_BYTES = 2 << 20
};

/* LEAST_RINGS: smallest ratio of ring size to last-cache size at which each pass over the ring
 * misses the cache. SLOWEST_MEMORY: a lower bound on one core's memory bandwidth, in bytes per
 * second. */
#define LEAST_RINGS 2.0
#define SLOWEST_MEMORY 2e9

struct reference {
    enum reference_kind kind;
    struct settling settling; /**< warm-up of the core, for REFERENCE_CORE */
    char *ring;               /**< memory that REFERENCE_MEMORY reads; NULL: not needed yet */
    size_t place;
    double taken_seconds; /**< seconds that the last timing took */
    double a[EXTENT * EXTENT];
    double b[EXTENT * EXTENT];
    double c[EXTENT * EXTENT];
    int count;
    struct drift_timing timing[DRIFT_TIMINGS];
};

/* The least interval between timings by reference_watch(), and their greatest share of the time. */
#define WATCH_SECONDS 1e-3
#define WATCH_SHARE 0.04

struct reference *reference_new(void) {
    struct reference *reference = base_aligned_alloc(ALIGNMENT, sizeof *reference);
    if (!reference) return NULL;
    reference->kind = REFERENCE_CORE;
    reference->settling = (struct settling){0};
    reference->ring = NULL;
    reference->place = 0;
    reference->taken_seconds = 0;
    reference->count = 0;
    for (int e = 0; e < EXTENT * EXTENT; e++)
        reference->a[e] = reference->b[e] = reference->c[e] = 1.0 / EXTENT;
    return reference;
}

void reference_free(struct reference *reference) {
    if (reference) base_free(reference->ring);
    base_free(reference);
}

/** Times one dgemm; a settling_call_fn. */
static double gemm_seconds(void *context) {
    struct reference *reference = context;
    const struct clock_start start = clock_start();
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, EXTENT, EXTENT, EXTENT, 1, reference->a,
                EXTENT, reference->b, EXTENT, 0, reference->c, EXTENT);
    return clock_stop(&start, true).ns * 1e-9;
}

/** Reads one word of every line, from the part of the ring that was read least recently. */
static double stream_seconds(struct reference *reference) {
    const volatile char *piece = reference->ring + reference->place;
    reference->place = (reference->place + REFERENCE_BYTES) % REFERENCE_RING_BYTES;
    const struct clock_start start = clock_start();
    for (size_t offset = 0; offset < REFERENCE_BYTES; offset += LINE_BYTES) (void)piece[offset];
    return clock_stop(&start, true).ns * 1e-9;
}

/** Returns seconds of the monotonic clock. */
static double now_seconds(void) {
    return 1e-9 * (double)clock_now_ns();
}

/** Logs a timing. If the log is full, first drops every other entry. */
static void note_timing(struct reference *reference, double seconds) {
    if (reference->count == DRIFT_TIMINGS) {
        reference->count = DRIFT_TIMINGS / 2;
        for (int l = 0; l < reference->count; l++)
            reference->timing[l] = reference->timing[2 * l + 1];
    }
    reference->timing[reference->count++] =
        (struct drift_timing){.at_seconds = now_seconds(), .seconds = seconds};
}

static double seconds_of_kind(struct reference *reference, enum reference_kind kind,
                              double limit_seconds) {
    double smallest = INFINITY;
    if (kind == REFERENCE_CORE)
        return settling_reference(&reference->settling, now_seconds(), limit_seconds, gemm_seconds,
                                  reference);
    for (int t = 0; t < TIMED; t++) smallest = fmin(smallest, stream_seconds(reference));
    return smallest;
}

double reference_seconds_within(struct reference *reference, double limit_seconds) {
    if (!reference) return 0;
    const double begin_seconds = now_seconds();
    const double seconds = seconds_of_kind(reference, reference->kind, limit_seconds);
    note_timing(reference, seconds);
    reference->taken_seconds = reference->timing[reference->count - 1].at_seconds - begin_seconds;
    return seconds;
}

double reference_seconds(struct reference *reference) {
    return reference_seconds_within(reference, SETTLING_REFERENCE_SECONDS);
}

void reference_watch(struct reference *reference) {
    if (!reference) return;
    const double last =
        reference->count > 0 ? reference->timing[reference->count - 1].at_seconds : -INFINITY;
    if (now_seconds() - last > fmax(WATCH_SECONDS, reference->taken_seconds / WATCH_SHARE))
        reference_seconds(reference);
}

int reference_timings(const struct reference *reference, const struct drift_timing **out) {
    *out = reference ? reference->timing : NULL;
    return reference ? reference->count : 0;
}

/* Kinds. */

/** Backs the ring, in huge pages if possible, which is faster; returns false if out of memory. */
static bool make_ring(struct reference *reference) {
    if (reference->ring) return true;
    reference->ring = base_aligned_alloc(HUGE_PAGE_BYTES, REFERENCE_RING_BYTES);
    if (!reference->ring) return false;
#ifdef MADV_HUGEPAGE
    madvise(reference->ring, REFERENCE_RING_BYTES, MADV_HUGEPAGE);
#endif
    memset(reference->ring, 1, REFERENCE_RING_BYTES);
    return true;
}

bool reference_is_memory_bound(double flops, double bytes, double core_seconds,
                               double memory_seconds) {
    return bytes / REFERENCE_BYTES * memory_seconds > flops / REFERENCE_FLOPS * core_seconds;
}

void reference_choose(struct reference *reference, double flops, double bytes) {
    if (!reference || bytes < LEAST_RINGS * REFERENCE_RING_BYTES) return;
    const double core_seconds =
        seconds_of_kind(reference, REFERENCE_CORE, SETTLING_REFERENCE_SECONDS);
    const bool may_be =
        reference_is_memory_bound(flops, bytes, core_seconds, REFERENCE_BYTES / SLOWEST_MEMORY);
    const bool is_bound =
        may_be && make_ring(reference) &&
        reference_is_memory_bound(flops, bytes, core_seconds,
                                  seconds_of_kind(reference, REFERENCE_MEMORY, 0));
    const enum reference_kind kind = is_bound ? REFERENCE_MEMORY : REFERENCE_CORE;
    if (kind == reference->kind) return;
    reference->kind = kind;
    reference->count = 0;
}

enum reference_kind reference_kind(const struct reference *reference) {
    return reference ? reference->kind : REFERENCE_CORE;
}

double reference_count(const struct reference *reference, double flops, double bytes) {
    return reference_kind(reference) == REFERENCE_MEMORY ? bytes / REFERENCE_BYTES
                                                         : flops / REFERENCE_FLOPS;
}
