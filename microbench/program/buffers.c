#include "microbench/program/buffers.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "ast/contraction/contraction.h"
#include "base/alloc.h"
#include "base/error.h"
#include "microbench/copy/strided.h"
#include "microbench/timing/clock.h"

/* Bytes of pages that are mapped at once: they are still in the L2 cache when they are filled. */
enum { POPULATED_BYTES = 1 << 18 };

enum {
    PATTERN_PERIOD = 61,
    PIECE_PAGES = 1024 /* pages backed between two checks of the deadline; backing them takes some
                          milliseconds */
};

/* Nanoseconds from which touching a page shows that a hypervisor had to provide the page; a
 * page-table walk takes less. */
#define SLOW_TOUCH_NS 2000

enum {
    PROBED_ONE_IN = 16, /* one in this many pages is touched first */
    SLOW_ONE_IN =
        32, /* if at most one in this many touches is slow, the other pages are not touched */
    MOST_SWEEPS = 4
};

/** Fills a page with different numbers near 1, valid in every type; zeros and denormals would
 * change the speed of kernels. */
static void fill_pattern(char *page, size_t bytes, enum tcplan_dtype dtype) {
    const bool single = dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
    const size_t count = bytes / (single ? sizeof(float) : sizeof(double));
    for (size_t i = 0; i < count; i++) {
        const double value = 0.5 + (double)(i % PATTERN_PERIOD) / PATTERN_PERIOD;
        if (single) {
            ((float *)page)[i] = (float)value;
        } else {
            ((double *)page)[i] = value;
        }
    }
}

static void *map_lazily(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/** Disables huge pages, so that a touched page backs only itself and the count of backed pages
 * is right. */
static void refuse_huge_pages(const struct reservation *reservation) {
#ifdef MADV_NOHUGEPAGE
    madvise(reservation->pages, reservation->bytes + reservation->slack_bytes, MADV_NOHUGEPAGE);
#else
    (void)reservation;
#endif
}

/* Multiples of these numbers modulo 2^32 cover a hypercube of four dimensions evenly: the inverse
 * powers of the generalised golden ratio (Roberts 2018, The Unreasonable Effectiveness of
 * Quasirandom Sequences). */
static const uint32_t even[TCPLAN_TENSORS] = {3679390609, 3152041523, 2700274806, 2313257605};

size_t buffers_shift_bytes(const struct buffers *buffers, enum tcplan_operand operand,
                           int placement) {
    if (placement == 0) return 0;
    const uint64_t steps = buffers->page_bytes / (2 * buffers->alignment);
    const uint32_t share = (uint32_t)placement * even[operand];
    return (size_t)(share * steps >> 32) * 2 * buffers->alignment;
}

static size_t bitmap_bytes(const struct buffers *buffers, const struct reservation *reservation) {
    return reservation->bytes / buffers->page_bytes / 8 + 1;
}

/** Returns the largest stride of a tensor in bytes. */
static size_t largest_stride_bytes(const struct tcplan_problem *problem,
                                   enum tcplan_operand operand) {
    int64_t largest = 0;
    for (int index = 0; index < problem->contraction->index_count; index++) {
        const int64_t stride = problem->stride_elems[operand][index];
        if (problem->extent[index] > 1 && stride > largest) largest = stride;
    }
    return (size_t)largest * problem->element_bytes;
}

/** Reserves memory for `bytes`, starting `behind` bytes after a page boundary. */
static bool reserve(struct buffers *buffers, struct reservation *reservation, size_t behind,
                    size_t bytes, size_t stride_bytes) {
    reservation->bytes =
        (behind + bytes + buffers->page_bytes - 1) / buffers->page_bytes * buffers->page_bytes;
    reservation->slack_bytes = stride_bytes + buffers->page_bytes;
    reservation->pages = map_lazily(reservation->bytes + reservation->slack_bytes);
    if (reservation->pages) reservation->base = reservation->pages + behind;
    reservation->backed = map_lazily(bitmap_bytes(buffers, reservation));
    return reservation->pages && reservation->backed;
}

/** Returns the unused memory in bytes, for systems that do not report how much of the file cache
 * they could release. */
static int64_t unused_bytes(void) {
    struct sysinfo info;
    return sysinfo(&info) == 0 ? (int64_t)(info.freeram + info.bufferram) * info.mem_unit : 0;
}

int64_t buffers_available_bytes(void) {
    FILE *file = fopen("/proc/meminfo", "r");
    if (!file) return unused_bytes();
    char line[128];
    long long kibibytes = 0;
    while (fgets(line, sizeof line, file) && sscanf(line, "MemAvailable: %lld kB", &kibibytes) != 1)
        continue;
    fclose(file);
    return kibibytes > 0 ? (int64_t)kibibytes * 1024 : unused_bytes();
}

enum tcplan_status buffers_reserve(struct buffers *out, const struct tcplan_problem *problem,
                                   size_t alignment, size_t limit_bytes,
                                   struct tcplan_error *error) {
    *out =
        (struct buffers){.page_bytes = (size_t)sysconf(_SC_PAGESIZE),
                         .alignment = alignment,
                         .now_ns = clock_now_ns,
                         .limit_bytes = (size_t)((1 - SCRATCH_SHARE) * (double)limit_bytes),
                         .scratch = {.limit_bytes = (size_t)(SCRATCH_SHARE * (double)limit_bytes)}};
    out->pattern = base_alloc(out->page_bytes);
    if (!out->pattern) return error_no_memory(error);
    fill_pattern(out->pattern, out->page_bytes, problem->dtype);
    enum tcplan_operand tensor[TCPLAN_TENSORS];
    const int count = contraction_tensors(problem->contraction, tensor);
    for (int i = 0; i < count; i++) {
        const enum tcplan_operand t = tensor[i];
        const size_t bytes = (size_t)problem->elems[t] * problem->element_bytes;
        out->tensor[t].first_bytes = (size_t)problem->first_elems[t] * problem->element_bytes;
        if (reserve(out, &out->tensor[t], alignment % out->page_bytes, bytes,
                    largest_stride_bytes(problem, t)))
            continue;
        buffers_free(out);
        return error_set(error, TCPLAN_NO_MEMORY,
                         "cannot reserve %zu bytes of address space for tensor %s", bytes,
                         problem->contraction->tensor[t].name);
    }
    const size_t bytes = buffers_total_bytes(out);
    out->scratch.kept_bytes = limit_bytes > bytes ? limit_bytes - bytes : 0;
    for (int t = 0; t < TCPLAN_TENSORS && bytes > out->limit_bytes; t++) {
        if (out->tensor[t].pages) refuse_huge_pages(&out->tensor[t]);
    }
    return TCPLAN_OK;
}

void buffers_free(struct buffers *buffers) {
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        struct reservation *reservation = &buffers->tensor[t];
        if (reservation->pages)
            munmap(reservation->pages, reservation->bytes + reservation->slack_bytes);
        if (reservation->backed) munmap(reservation->backed, bitmap_bytes(buffers, reservation));
    }
    base_free(buffers->pattern);
    scratch_free(&buffers->scratch);
    *buffers = (struct buffers){0};
}

static bool is_backed(const struct reservation *reservation, size_t page) {
    return (reservation->backed[page / 8] >> page % 8 & 1) != 0;
}

/** Is called with `count` adjacent pages of a region. */
typedef void pages_fn(struct buffers *buffers, struct reservation *reservation, size_t page,
                      size_t count, void *context);

/** What a visit of a region does: calls a function for its backed pages, or for its other pages. */
struct page_visit {
    bool backed;
    pages_fn *visit;
    void *context;
};

/** Visits a run that begins `offset` bytes after the beginning of a reservation's pages. */
static void visit_run(struct buffers *buffers, struct reservation *reservation, int64_t offset,
                      int64_t bytes, const struct page_visit *to) {
    const size_t end = (size_t)(offset + bytes - 1) / buffers->page_bytes + 1;
    for (size_t page = (size_t)offset / buffers->page_bytes; page < end;) {
        size_t count = 0;
        while (page + count < end && is_backed(reservation, page + count) == to->backed) count++;
        if (count > 0) to->visit(buffers, reservation, page, count, to->context);
        page += count + 1;
    }
}

static void visit_level(struct buffers *buffers, const struct region *region, int level,
                        int run_rank, int64_t run_bytes, int64_t offset,
                        const struct page_visit *to) {
    if (level < run_rank) {
        struct reservation *reservation = &buffers->tensor[region->operand];
        visit_run(buffers, reservation, reservation->base - reservation->pages + offset, run_bytes,
                  to);
        return;
    }
    const struct region_dimension *dimension = &region->dimension[level];
    for (int64_t i = 0; i < dimension->extent; i++) {
        visit_level(buffers, region, level - 1, run_rank, run_bytes,
                    offset + i * dimension->stride_bytes, to);
    }
}

static void visit_region(struct buffers *buffers, const struct region *region,
                         const struct page_visit *to) {
    if (region->temporary) return;
    int64_t run_bytes;
    const int run_rank = region_run(region, (int64_t)buffers->page_bytes, &run_bytes);
    visit_level(buffers, region, region->rank - 1, run_rank, run_bytes, region->offset_bytes, to);
}

static void count_pages(struct buffers *buffers, struct reservation *reservation, size_t page,
                        size_t count, void *context) {
    (void)reservation;
    (void)page;
    *(size_t *)context += count * buffers->page_bytes;
}

size_t buffers_missing_bytes(struct buffers *buffers, const struct region *region) {
    size_t bytes = 0;
    visit_region(buffers, region, &(struct page_visit){false, count_pages, &bytes});
    return bytes;
}

/** Maps many pages with one call, which is cheaper than a fault for each. If the call fails,
 * pages fault one by one. */
static void populate(char *first, size_t bytes) {
#ifdef MADV_POPULATE_WRITE
    madvise(first, bytes, MADV_POPULATE_WRITE);
#else
    (void)first;
    (void)bytes;
#endif
}

/** Writes the pattern to a page, with non-temporal stores if `streamed`. */
static void fill_page(const struct buffers *buffers, char *page, bool streamed) {
    const struct strided block = {.rank = 1,
                                  .extent = {(int64_t)(buffers->page_bytes / sizeof(double))},
                                  .to_bytes = {sizeof(double)},
                                  .from_bytes = {sizeof(double)},
                                  .dtype = TCPLAN_DOUBLE,
                                  .streamed = streamed};
    strided_run_copy(&block, page, buffers->pattern);
}

static void back_pages(struct buffers *buffers, struct reservation *reservation, size_t page,
                       size_t count, void *context) {
    (void)context;
    /* Pages that are released and backed again for each stretch are filled with non-temporal
     * stores, because a cache would not hold their lines in a real run. */
    const bool comes_again = buffers_total_bytes(buffers) > buffers->limit_bytes;
    const size_t together = POPULATED_BYTES / buffers->page_bytes + 1;
    size_t done = 0, some;
    for (; done < count && !deadline_is_cancelled(buffers->scratch.deadline); done += some) {
        some = count - done < together ? count - done : together;
        char *first = reservation->pages + (page + done) * buffers->page_bytes;
        if (some > 1) populate(first, some * buffers->page_bytes);
        for (size_t p = 0; p < some; p++)
            fill_page(buffers, first + p * buffers->page_bytes, comes_again);
    }
    for (size_t p = page; p < page + done; p++)
        reservation->backed[p / 8] |= (uint8_t)(1U << p % 8);
    buffers->resident_bytes += done * buffers->page_bytes;
    buffers->backed_pages += (int64_t)done;
}

void buffers_back(struct buffers *buffers, const struct region *region) {
    if (buffers_all_backed(buffers)) return;
    const uint64_t start_ns = clock_thread_cpu_ns();
    visit_region(buffers, region, &(struct page_visit){false, back_pages, NULL});
    strided_fence();
    buffers->backing_ns += clock_thread_cpu_ns() - start_ns;
}

/** State of touching memory until all touches are fast. */
struct settling {
    const struct region *region;
    size_t count;
    const struct scratch_memory *memory; /**< memory of the temporaries */
    size_t memory_count;
};

/** State of touching one of each `step` visited pages. */
struct touching {
    size_t step;
    size_t visited, touched, slow;
};

/** Reads and rewrites pages, so that they are present; their content stays the same. */
static void touch_memory(const struct buffers *buffers, char *first, size_t count,
                         struct touching *touching) {
    uint64_t before_ns = buffers->now_ns();
    for (size_t p = 0; p < count; p++) {
        if (touching->visited++ % touching->step != 0) continue;
        volatile char *byte = first + p * buffers->page_bytes;
        *byte = *byte;
        const uint64_t now_ns = buffers->now_ns();
        touching->touched++;
        touching->slow += now_ns - before_ns > SLOW_TOUCH_NS;
        before_ns = now_ns;
    }
}

static void touch_pages(struct buffers *buffers, struct reservation *reservation, size_t page,
                        size_t count, void *context) {
    touch_memory(buffers, reservation->pages + page * buffers->page_bytes, count, context);
}

static struct touching touch(struct buffers *buffers, const struct settling *what, size_t step) {
    struct touching touching = {.step = step};
    const struct page_visit to = {true, touch_pages, &touching};
    for (size_t r = 0; r < what->count; r++) visit_region(buffers, &what->region[r], &to);
    for (size_t m = 0; m < what->memory_count; m++)
        touch_memory(buffers, what->memory[m].first, what->memory[m].bytes / buffers->page_bytes,
                     &touching);
    return touching;
}

static void settle(struct buffers *buffers, const struct settling *what) {
    const uint64_t start_ns = clock_thread_cpu_ns();
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        const struct touching probed = touch(buffers, what, PROBED_ONE_IN);
        if (probed.slow * SLOW_ONE_IN <= probed.touched) break;
        touch(buffers, what, 1);
    }
    buffers->backing_ns += clock_thread_cpu_ns() - start_ns;
}

void buffers_settle(struct buffers *buffers, const struct region region[], size_t count) {
    settle(buffers, &(struct settling){.region = region, .count = count});
}

void buffers_settle_all(struct buffers *buffers) {
    struct region whole[TCPLAN_TENSORS];
    size_t count = 0;
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        const struct reservation *reservation = &buffers->tensor[t];
        if (!reservation->pages) continue;
        const int64_t behind = reservation->base - reservation->pages;
        whole[count++] = (struct region){
            .operand = (enum tcplan_operand)t,
            .rank = 1,
            .offset_bytes = -behind,
            .element_bytes = 1,
            .dimension = {{.extent = (int64_t)reservation->bytes, .stride_bytes = 1}}};
    }
    buffers_settle(buffers, whole, count);
}

void buffers_settle_temporaries(struct buffers *buffers) {
    struct scratch_memory memory[SCRATCH_BLOCKS];
    const size_t count = scratch_memory(&buffers->scratch, memory);
    settle(buffers, &(struct settling){.memory = memory, .memory_count = count});
}

void buffers_release(struct buffers *buffers) {
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        struct reservation *reservation = &buffers->tensor[t];
        if (!reservation->pages) continue;
        madvise(reservation->pages, reservation->bytes + reservation->slack_bytes, MADV_DONTNEED);
        madvise(reservation->backed, bitmap_bytes(buffers, reservation), MADV_DONTNEED);
    }
    buffers->resident_bytes = 0;
}

void buffers_back_until(struct buffers *buffers, struct deadline deadline) {
    const size_t piece = PIECE_PAGES * buffers->page_bytes;
    const uint64_t start_ns = clock_thread_cpu_ns();
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        struct reservation *reservation = &buffers->tensor[t];
        for (size_t at = 0; at < reservation->bytes && !deadline_is_over(deadline); at += piece) {
            const size_t left = reservation->bytes - at;
            visit_run(buffers, reservation, (int64_t)at, (int64_t)(left < piece ? left : piece),
                      &(struct page_visit){false, back_pages, NULL});
        }
    }
    buffers->backing_ns += clock_thread_cpu_ns() - start_ns;
}

void buffers_back_all(struct buffers *buffers) {
    buffers_back_until(buffers, (struct deadline){0});
}

size_t buffers_total_bytes(const struct buffers *buffers) {
    size_t bytes = 0;
    for (int t = 0; t < TCPLAN_TENSORS; t++) bytes += buffers->tensor[t].bytes;
    return bytes;
}

bool buffers_all_backed(const struct buffers *buffers) {
    return buffers->resident_bytes == buffers_total_bytes(buffers);
}
