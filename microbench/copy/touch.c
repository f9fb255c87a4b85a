#include "microbench/copy/touch.h"

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

/** Touches, fills or evicts one contiguous run of memory. */
typedef void run_fn(char *first, int64_t bytes, int64_t line_bytes);

static inline __attribute__((always_inline)) void visit_runs(const struct region *region, int level,
                                                             int run_rank, int64_t run_bytes,
                                                             char *at, int64_t line_bytes,
                                                             run_fn *visit) {
    if (level < run_rank) {
        visit(at, run_bytes, line_bytes);
        return;
    }
    /* A loop over the innermost dimension outside the runs, with counters for all dimensions
     * around it. */
    int64_t counter[TCPLAN_MAX_INDICES] = {0};
    const struct region_dimension *inner = &region->dimension[run_rank];
    for (;;) {
        char *row = at;
        for (int64_t i = 0; i < inner->extent; i++, row += inner->stride_bytes)
            visit(row, run_bytes, line_bytes);
        int d = run_rank + 1;
        for (; d < region->rank; d++) {
            at += region->dimension[d].stride_bytes;
            if (++counter[d] < region->dimension[d].extent) break;
            at -= counter[d] * region->dimension[d].stride_bytes;
            counter[d] = 0;
        }
        if (d >= region->rank) return;
    }
}

static void read_run(char *first, int64_t bytes, int64_t line_bytes) {
    for (int64_t offset = 0; offset < bytes; offset += line_bytes)
        (void)*(volatile char *)(first + offset);
    (void)*(volatile char *)(first + bytes - 1);
}

static void rewrite_run(char *first, int64_t bytes, int64_t line_bytes) {
    for (int64_t offset = 0; offset < bytes; offset += line_bytes) {
        volatile char *at = first + offset;
        *at = *at;
    }
    volatile char *last = first + bytes - 1;
    *last = *last;
}

void touch_region(const struct region *region, char *base, int64_t line_bytes) {
    int64_t run_bytes;
    const int run_rank = region_run(region, line_bytes, &run_bytes);
    char *at = base + region->offset_bytes;
    if (region->written) {
        visit_runs(region, region->rank - 1, run_rank, run_bytes, at, line_bytes, rewrite_run);
    } else {
        visit_runs(region, region->rank - 1, run_rank, run_bytes, at, line_bytes, read_run);
    }
}

static void fill_run(char *first, int64_t bytes, int64_t page_bytes) {
    char *page = first - (uintptr_t)first % (uintptr_t)page_bytes;
    for (; page < first + bytes; page += page_bytes) {
        uint64_t word;
        memcpy(&word, page, sizeof word);
        if (word == 0) memset(page, TOUCH_FILL, (size_t)page_bytes);
    }
}

void touch_fill(const struct region *region, char *base, int64_t page_bytes) {
    int64_t run_bytes;
    const int run_rank = region_run(region, page_bytes, &run_bytes);
    visit_runs(region, region->rank - 1, run_rank, run_bytes, base + region->offset_bytes,
               page_bytes, fill_run);
}

/* User code can evict cache lines on x86-64, and on arm64 under Linux. */
#if defined(__x86_64__)
#define CAN_EVICT true
static void evict_line(char *at) {
    _mm_clflush(at);
}

static void await_evicted(void) {
    _mm_mfence();
}
#elif defined(__aarch64__) && defined(__linux__)
#define CAN_EVICT true
static void evict_line(char *at) {
    __asm__ volatile("dc civac, %0" : : "r"(at) : "memory");
}

static void await_evicted(void) {
    __asm__ volatile("dsb ish" : : : "memory");
}
#else
#define CAN_EVICT false
static void evict_line(char *at) {
    (void)at;
}

static void await_evicted(void) {
}
#endif

static void evict_run(char *first, int64_t bytes, int64_t line_bytes) {
    for (int64_t offset = 0; offset < bytes; offset += line_bytes) evict_line(first + offset);
    evict_line(first + bytes - 1);
}

bool touch_evict(const struct region *region, char *base, int64_t line_bytes) {
    if (!CAN_EVICT) return false;
    int64_t run_bytes;
    const int run_rank = region_run(region, line_bytes, &run_bytes);
    visit_runs(region, region->rank - 1, run_rank, run_bytes, base + region->offset_bytes,
               line_bytes, evict_run);
    await_evicted();
    return true;
}
