#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "roofline/ceilings/intensity.h"
#include "roofline/ceilings/known.h"
#include "roofline/ceilings/limit.h"
#include "roofline/ceilings/measuring.h"
#include "roofline/ceilings/sweep.h"
#include "roofline/kernels/stream_check.h"
#include "roofline/kernels/stream_parts.h"
#include "roofline/kernels/working_set.h"

#define CHUNK_BYTES_PER_SECOND                                                                     \
    16e9 /* assumed bandwidth of memory for one thread; sets how many bytes a timed window covers  \
          */

#define FILL_SHARE 0.5  /* maximum share of the remaining time for filling memory */
#define SWEEP_SHARE 0.5 /* share of the remaining time for the sweep; ceilings get the rest */

enum { CHUNKS_AT_LEAST = 4 };

/** Lays out the arrays of a window: the whole set for a cache, a part of the set for memory. */
static void lay_out(struct stream_work *work, const struct measuring *measuring,
                    struct working_set set, bool in_memory) {
    const int64_t chunk = (int64_t)(measuring->options.window_seconds * CHUNK_BYTES_PER_SECOND);
    stream_work_lay_out(work, set.bytes,
                        !in_memory                            ? INT64_MAX
                        : chunk < set.bytes / CHUNKS_AT_LEAST ? chunk
                                                              : set.bytes / CHUNKS_AT_LEAST);
}

/** Sets the number of passes that fill a window. */
static void fill_window(struct stream_work *work, struct measuring *measuring, int threads) {
    work->passes = measuring_repetitions(
        measuring, measuring_trial(measuring, threads, stream_work_run, work), 1);
    /* A single pass over a set in a near cache is too short to time, so the number of passes is
     * estimated again from a window of many passes. */
    work->passes = measuring_repetitions(
        measuring, measuring_trial(measuring, threads, stream_work_run, work), work->passes);
}

/** Context of try_parts(). */
struct parts_trial {
    const struct measuring *measuring;
    struct stream_work *work;
    int threads;
};

static double try_parts(void *context, int parts) {
    const struct parts_trial *trial = context;
    trial->work->parts = parts;
    return measuring_trial(trial->measuring, trial->threads, stream_work_run, trial->work);
}

/** Chooses one stream or several for loads from memory, whichever is faster. */
static void choose_parts(struct stream_work *work, const struct measuring *measuring, int threads) {
    struct parts_trial trial = {.measuring = measuring, .work = work, .threads = threads};
    if (work->kernel->operation == STREAM_LOAD)
        work->parts = stream_parts_faster(try_parts, &trial);
}

/** Describes the ceiling of a kernel in a level. */
static struct tcplan_ceiling ceiling_of(const struct measuring *measuring,
                                        const struct stream_kernel *kernel, int cache,
                                        int threads) {
    const struct stream_shape shape = stream_shape(kernel->operation);
    struct tcplan_ceiling ceiling = {
        .precision = TCPLAN_DOUBLE,
        .vector_bits = kernel->vector_bits,
        .threads = threads,
        .cache = cache,
        .line_bytes_per_count_byte = shape.line_bytes / (shape.read_bytes + shape.written_bytes)};
    snprintf(ceiling.name, sizeof ceiling.name, "%s", stream_name(kernel->operation));
    working_set_level(ceiling.level, sizeof ceiling.level, &measuring->roofline->machine, cache);
    return ceiling;
}

static enum tcplan_status measure(struct measuring *measuring, struct stream_work *work,
                                  struct working_set set, int cache, int threads,
                                  struct tcplan_error *error) {
    const bool in_memory = cache == measuring->roofline->machine.cache_count;
    struct tcplan_ceiling ceiling = ceiling_of(measuring, work->kernel, cache, threads);
    /* the set may fit a cache, because memory is short */
    const bool is_near = work->workspace && work->workspace->cut && set.reduced;
    if (is_near && !known_is_done(measuring, &ceiling)) {
        measuring->roofline->unmeasured++;
        return TCPLAN_OK;
    }
    if (known_is_settled(measuring, &ceiling)) return TCPLAN_OK;
    ceiling.working_set_bytes = set.bytes;
    ceiling.reduced = set.reduced;
    ceiling.rough = !measuring->options.machine &&
                    !tcplan_roofline_has_sweeps(measuring->roofline, NULL, threads, true);
    lay_out(work, measuring, set, in_memory);
    if (in_memory) {
        choose_parts(work, measuring, threads);
    } else {
        fill_window(work, measuring, threads);
    }
    struct team_series series = measuring_series(measuring);
    measuring_time(measuring, &ceiling, threads, stream_work_run, work, &series);
    series.wrong = series.wrong || !team_run(measuring->team, threads, stream_work_check, work);
    return measuring_add(measuring, &ceiling, &series, stream_work_bytes(work) * threads,
                         limit_bytes(work->kernel, cache == 0), error);
}

/** Returns the working set for a cache or memory: from the level that a sweep found, else from
 * sizes reported by the system or the caller. */
static struct working_set find_set(const struct measuring *measuring,
                                   const struct stream_work *work, int cache, int threads,
                                   int64_t limit_bytes) {
    const struct tcplan_roofline *roofline = measuring->roofline;
    const int64_t room =
        work->workspace ? threads * ((int64_t)work->workspace->bytes - 4096) : limit_bytes;
    size_t first = 0, count = 0;
    while (first < roofline->level_count && roofline->level[first].threads != threads) first++;
    while (first + count < roofline->level_count &&
           roofline->level[first + count].threads == threads)
        count++;
    for (size_t l = 0; l < count && !measuring->options.machine; l++) {
        if (roofline->level[first + l].cache == cache) {
            return working_set_of_level(roofline->level + first, (int)count, (int)l,
                                        limit_bytes < room ? limit_bytes : room);
        }
    }
    return working_set_for(&roofline->machine, cache, threads, limit_bytes);
}

/** Returns number `place` of the kernels that may be requested: all kernels with the widest
 * vectors, and with narrower vectors those for which widths are compared. NULL after the last. */
static const struct stream_kernel *kernel_at(const struct measuring *measuring, int place) {
    for (int w = 0; w < measuring->widths; w++) {
        const struct kernel_set *set = measuring->width[w];
        for (int k = 0; k < set->stream_count; k++) {
            if ((w == 0 || stream_tells_width(set->stream[k].operation)) && place-- == 0)
                return &set->stream[k];
        }
    }
    return NULL;
}

/** Returns an upper bound on the number of ceilings with this number of threads. */
static int count_ceilings(const struct measuring *measuring, const struct stream_work *work,
                          int threads, int64_t limit_bytes) {
    int levels = 0, kernels = 0;
    for (int c = 0; c <= measuring->roofline->machine.cache_count; c++)
        levels += find_set(measuring, work, c, threads, limit_bytes).bytes > 0;
    while (kernel_at(measuring, kernels)) kernels++;
    return levels * kernels;
}

/** Measures all kernels in all levels with one number of threads. */
static enum tcplan_status measure_levels(struct measuring *measuring, struct stream_work *work,
                                         int threads, int64_t limit_bytes,
                                         struct tcplan_error *error) {
    const struct tcplan_machine *machine = &measuring->roofline->machine;
    enum tcplan_status status = TCPLAN_OK;
    measuring_begin(measuring, "moving data", threads,
                    count_ceilings(measuring, work, threads, limit_bytes));
    for (int c = 0; c <= machine->cache_count; c++) {
        const struct working_set working_set = find_set(measuring, work, c, threads, limit_bytes);
        for (int k = 0; (work->kernel = kernel_at(measuring, k)) && working_set.bytes > 0 &&
                        status == TCPLAN_OK;
             k++) {
            status = measure(measuring, work, working_set, c, threads, error);
        }
    }
    return status;
}

/** Measures operation rates at several operational intensities, on the working sets of the
 * bandwidths. */
static enum tcplan_status measure_intensities(struct measuring *measuring, struct stream_work *work,
                                              int threads, int64_t limit_bytes,
                                              struct tcplan_error *error) {
    int64_t bytes[TCPLAN_MAX_CACHE_LEVELS + 1];
    for (int c = 0; c <= measuring->roofline->machine.cache_count; c++)
        bytes[c] = find_set(measuring, work, c, threads, limit_bytes).bytes;
    return intensity_measure(measuring, work, bytes, threads, error);
}

/** Returns whether any ceiling remains to be measured with this number of threads. If none remains,
 * no workspace is allocated. */
static bool is_any_open(const struct measuring *measuring, int threads) {
    if (!tcplan_roofline_has_sweeps(measuring->roofline, measuring->options.sweep, threads, true))
        return true;
    if (measuring->options.intensities &&
        !tcplan_roofline_has_intensities(measuring->roofline, threads))
        return true;
    for (int c = 0; c <= measuring->roofline->machine.cache_count; c++) {
        for (int k = 0; kernel_at(measuring, k); k++) {
            const struct tcplan_ceiling ceiling =
                ceiling_of(measuring, kernel_at(measuring, k), c, threads);
            if (!known_is_done(measuring, &ceiling)) return true;
        }
    }
    return false;
}

static enum tcplan_status check_kernels(const struct measuring *measuring,
                                        struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int w = 0; w < measuring->widths && status == TCPLAN_OK; w++)
        status = stream_check(measuring->width[w], error);
    return status;
}

/** Runs a complete sweep, or no sweep at all: in an incomplete one, the last cache would look like
 * memory. */
static enum tcplan_status sweep(struct measuring *measuring, struct stream_work *work, int threads,
                                struct tcplan_error *error) {
    const struct deadline deadline = measuring->deadline;
    if (work->workspace->cut) {
        measuring->roofline->unmeasured++;
        return TCPLAN_OK;
    }
    measuring->deadline = deadline_share(deadline, SWEEP_SHARE);
    const enum tcplan_status status = sweep_measure(measuring, work, threads, error);
    measuring->deadline = deadline;
    return status;
}

/** Measures with one number of threads, in a workspace for the largest working set. */
static enum tcplan_status measure_threads(struct measuring *measuring, struct stream_work *work,
                                          int threads, int64_t limit_bytes,
                                          struct tcplan_error *error) {
    const struct tcplan_machine *machine = &measuring->roofline->machine;
    const struct working_set largest =
        working_set_for(machine, machine->cache_count, threads, limit_bytes);
    struct workspace workspace = {0};
    /* Without a workspace, ceilings are counted, not measured. */
    if (!is_any_open(measuring, threads) || known_is_over(measuring))
        return measure_levels(measuring, work, threads, limit_bytes, error);
    memset(measuring->following, 0, sizeof measuring->following);
    enum tcplan_status status = check_kernels(measuring, error);
    if (status != TCPLAN_OK) return status;
    status = workspace_new(&workspace, measuring->team, threads, (size_t)largest.bytes + 4096,
                           measuring->options.small_pages,
                           deadline_share(measuring->deadline, FILL_SHARE), error);
    if (status != TCPLAN_OK) return status;
    measuring->roofline->huge_page_share = workspace_huge_share();
    work->workspace = &workspace;
    const int64_t room = threads * ((int64_t)workspace.bytes - 4096);
    if (room < limit_bytes) limit_bytes = room;
    status = sweep(measuring, work, threads, error);
    if (status == TCPLAN_OK) status = measure_levels(measuring, work, threads, limit_bytes, error);
    if (status == TCPLAN_OK && measuring->options.intensities)
        status = measure_intensities(measuring, work, threads, limit_bytes, error);
    measuring_note_steadiness(measuring, threads);
    work->workspace = NULL;
    workspace_free(&workspace);
    return status;
}

enum tcplan_status bandwidth_measure(struct measuring *measuring, int threads,
                                     struct tcplan_error *error) {
    struct stream_work work = {.loaded = base_alloc((size_t)threads * sizeof *work.loaded),
                               .window = base_alloc((size_t)threads * sizeof *work.window)};
    enum tcplan_status status = work.loaded && work.window ? TCPLAN_OK : error_no_memory(error);
    if (status == TCPLAN_OK)
        status =
            measure_threads(measuring, &work, threads, measuring->options.max_memory_bytes, error);
    base_free(work.loaded);
    base_free(work.window);
    return status;
}
