#include "roofline/timing/workspace.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/error.h"

enum { HUGE_PAGE_BYTES = 1 << 21, PATTERN_PERIOD = 61 };

struct filling {
    const struct workspace *workspace;
    struct deadline deadline;
    size_t *filled; /* number of bytes filled by each thread */
};

/** Fills a region, until the deadline, with whole numbers, whose sums are exact in any order.
 * Neighbours differ. */
static bool fill(void *context, int thread, int64_t window) {
    const struct filling *filling = context;
    double *region = (double *)filling->workspace->region[thread];
    const size_t elems = filling->workspace->bytes / sizeof(double),
                 page = HUGE_PAGE_BYTES / sizeof(double);
    size_t i = 0;
    (void)window;
    do {
        const size_t end = i + page < elems ? i + page : elems;
        for (; i < end; i++) region[i] = (double)(1 + i % PATTERN_PERIOD);
    } while (i < elems && !deadline_is_over(filling->deadline));
    filling->filled[thread] = i * sizeof(double);
    return true;
}

/** Maps more than needed, and unmaps what precedes and follows the aligned part. */
char *workspace_map(size_t bytes, bool small_pages) {
    const size_t mapped = bytes + HUGE_PAGE_BYTES;
    char *memory = mmap(NULL, mapped, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    const size_t before = (HUGE_PAGE_BYTES - (uintptr_t)memory % HUGE_PAGE_BYTES) % HUGE_PAGE_BYTES;
    if (before > 0) munmap(memory, before);
    assert(before + bytes < mapped);
    munmap(memory + before + bytes, mapped - before - bytes);
    madvise(memory + before, bytes, small_pages ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
    return memory + before;
}

enum tcplan_status workspace_new(struct workspace *out, struct team *team, int threads,
                                 size_t bytes, bool small_pages, struct deadline deadline,
                                 struct tcplan_error *error) {
    bytes = (bytes + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    *out = (struct workspace){.bytes = bytes,
                              .mapped_bytes = bytes,
                              .region = base_alloc((size_t)threads * sizeof *out->region),
                              .filled = base_alloc((size_t)threads * sizeof *out->filled)};
    if (!out->region || !out->filled) {
        workspace_free(out);
        return error_no_memory(error);
    }
    for (int t = 0; t < threads; t++) {
        out->region[t] = workspace_map(bytes, small_pages);
        if (!out->region[t]) {
            workspace_free(out);
            return error_no_memory(error);
        }
        out->threads++;
    }
    struct filling filling = {.workspace = out, .deadline = deadline, .filled = out->filled};
    team_run(team, threads, fill, &filling);
    for (int t = 0; t < threads; t++)
        out->bytes = out->filled[t] < out->bytes ? out->filled[t] : out->bytes;
    out->cut = out->bytes < bytes;
    return TCPLAN_OK;
}

void workspace_refill(const struct workspace *workspace, struct team *team) {
    struct filling filling = {.workspace = workspace, .filled = workspace->filled};
    team_run(team, workspace->threads, fill, &filling);
}

double workspace_huge_share(void) {
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    double resident_kib = 0;
    double huge_kib = -1;
    while (file && fgets(line, sizeof line, file)) {
        (void)sscanf(line, "Anonymous: %lf", &resident_kib);
        (void)sscanf(line, "AnonHugePages: %lf", &huge_kib);
    }
    if (file) fclose(file);
    return resident_kib > 0 && huge_kib >= 0 ? huge_kib / resident_kib : -1;
}

void workspace_free(struct workspace *workspace) {
    for (int t = 0; t < workspace->threads; t++)
        munmap(workspace->region[t], workspace->mapped_bytes);
    base_free(workspace->region);
    base_free(workspace->filled);
    *workspace = (struct workspace){0};
}
