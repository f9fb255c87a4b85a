#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "roofline/effective_size.h"
#include "roofline/known.h"
#include "roofline/limit.h"
#include "roofline/measuring.h"
#include "roofline/stream_check.h"
#include "roofline/summary.h"
#include "roofline/working_set.h"
#include "roofline/workspace.h"

#define CHUNK_BYTES_PER_SECOND 16e9 /* of one thread: what a window in memory is made for */

#define SWEEP_SECONDS 0.5

enum { CACHE_LINE = 64, CHUNKS_AT_LEAST = 4, SWEEP_SIZES = 64, SWEEP_WINDOWS = 5, SWEEP_ATTEMPTS = 25 };

/** What every thread does in a window. */
struct work {
    const struct stream_kernel *kernel;
    const struct workspace *workspace;
    int64_t elems;       /* of one array */
    int64_t chunk_elems; /* of one array, in one window; all of them where there is no next window to leave them to */
    int64_t passes;
    double *loaded;  /* of each thread, in the last window */
    int64_t *window; /* of each thread: the last one */
};

/** Arrays start on different lines of a page, so that their elements do not compete for the same place in the nearest cache. */
static size_t array_offset(const struct work *work, int array) {
    const size_t bytes = (size_t)work->elems * sizeof(double);
    return (size_t)array * (bytes + 17 * CACHE_LINE);
}

static struct stream stream_at(const struct work *work, int thread, int64_t window) {
    char *region = work->workspace->region[thread];
    const int64_t first = window % (work->elems / work->chunk_elems) * work->chunk_elems;
    const int arrays = stream_shape(work->kernel->operation).arrays;
    return (struct stream){.a = (double *)region + first,
                           .b = arrays > 1 ? (const double *)(region + array_offset(work, 1)) + first : NULL,
                           .c = arrays > 2 ? (const double *)(region + array_offset(work, 2)) + first : NULL,
                           .s = window % 2 == 0 ? 1 : -1,
                           .elems = work->chunk_elems,
                           .passes = work->passes};
}

static bool run(void *context, int thread, int64_t window) {
    const struct work *work = context;
    const struct stream stream = stream_at(work, thread, window);
    work->loaded[thread] = work->kernel->run(&stream);
    work->window[thread] = window;
    return true;
}

/** Whether the last window loaded what there is. */
static bool check(void *context, int thread, int64_t window) {
    const struct work *work = context;
    const struct stream_shape shape = stream_shape(work->kernel->operation);
    (void)window;
    if (shape.written_bytes > 0) return true;
    const struct stream stream = stream_at(work, thread, work->window[thread]);
    return work->loaded[thread] == stream_check_loaded(work->kernel, &stream);
}

/** The share of an array's bytes that is counted. */
static double counted_bytes(const struct work *work) {
    const struct stream_shape shape = stream_shape(work->kernel->operation);
    const int64_t visited = work->chunk_elems / shape.stride;
    return (double)(shape.read_bytes + shape.written_bytes) * (double)visited * (double)work->passes;
}

static void lay_out(struct work *work, const struct measuring *measuring, struct working_set set, bool in_memory) {
    const int64_t element_bytes = (int64_t)sizeof(double) * stream_shape(work->kernel->operation).arrays;
    work->elems = set.bytes / element_bytes / STREAM_BLOCK_ELEMS * STREAM_BLOCK_ELEMS;
    work->chunk_elems = work->elems;
    work->passes = 1;
    if (!in_memory) return;
    int64_t chunk = (int64_t)(measuring->options.window_seconds * CHUNK_BYTES_PER_SECOND) / element_bytes;
    if (chunk > work->elems / CHUNKS_AT_LEAST) chunk = work->elems / CHUNKS_AT_LEAST;
    chunk = chunk / STREAM_BLOCK_ELEMS * STREAM_BLOCK_ELEMS;
    work->chunk_elems = chunk > 0 ? chunk : STREAM_BLOCK_ELEMS;
}

/** Passes that fill a window. */
static void fill_window(struct work *work, struct measuring *measuring, int threads) {
    work->passes = measuring_repetitions(measuring, measuring_trial(measuring, threads, run, work), 1);
    /* One pass is too short to tell in a near cache. */
    work->passes = measuring_repetitions(measuring, measuring_trial(measuring, threads, run, work), work->passes);
}

/** What is to be measured: a kernel in a level. */
static struct tcplan_ceiling ceiling_of(const struct measuring *measuring, const struct stream_kernel *kernel, int cache, int threads) {
    const struct stream_shape shape = stream_shape(kernel->operation);
    struct tcplan_ceiling ceiling = {.precision = TCPLAN_DOUBLE,
                                     .vector_bits = kernel->vector_bits,
                                     .threads = threads,
                                     .cache = cache,
                                     .line_bytes_per_count_byte = shape.line_bytes / (shape.read_bytes + shape.written_bytes)};
    snprintf(ceiling.name, sizeof ceiling.name, "%s", stream_name(kernel->operation));
    working_set_level(ceiling.level, sizeof ceiling.level, &measuring->roofline->machine, cache);
    return ceiling;
}

static enum tcplan_status measure(struct measuring *measuring, struct work *work, struct working_set set, int cache, int threads,
                                  struct tcplan_error *error) {
    const bool in_memory = cache == measuring->roofline->machine.cache_count;
    struct tcplan_ceiling ceiling = ceiling_of(measuring, work->kernel, cache, threads);
    if (known_is_settled(measuring, &ceiling)) return TCPLAN_OK;
    ceiling.working_set_bytes = set.bytes;
    ceiling.reduced = set.reduced;
    measuring_report(measuring, in_memory ? "moving data in memory" : "moving data in caches");
    lay_out(work, measuring, set, in_memory);
    if (!in_memory) fill_window(work, measuring, threads);
    struct team_series series = measuring_series(measuring);
    measuring_time(measuring, &ceiling, threads, run, work, &series);
    series.wrong = series.wrong || !team_run(measuring->team, threads, check, work);
    return measuring_add(measuring, &ceiling, &series, counted_bytes(work) * threads, limit_bytes(work->kernel, cache == 0), error);
}

/** All kernels in all levels with one number of threads. */
static enum tcplan_status measure_levels(struct measuring *measuring, struct work *work, int threads, int64_t limit_bytes,
                                         struct tcplan_error *error) {
    const struct kernel_set *set = measuring->set[0];
    const struct tcplan_machine *machine = &measuring->roofline->machine;
    enum tcplan_status status = TCPLAN_OK;
    for (int c = 0; c <= machine->cache_count; c++) {
        const struct working_set working_set = working_set_for(machine, c, threads, limit_bytes);
        for (int k = 0; k < set->stream_count && working_set.bytes > 0 && status == TCPLAN_OK; k++) {
            work->kernel = &set->stream[k];
            status = measure(measuring, work, working_set, c, threads, error);
        }
    }
    return status;
}

/* How much the caches hold. */

static struct tcplan_ceiling *find_load(const struct measuring *measuring, int cache, int threads) {
    struct tcplan_roofline *roofline = measuring->roofline;
    const struct tcplan_ceiling *load = tcplan_roofline_bandwidth(roofline, "load", cache, threads);
    return load ? &roofline->bandwidth[load - roofline->bandwidth] : NULL;
}

/** The rate of loads from a set, of all threads; 0 where no window counted. */
static double load_rate(struct measuring *measuring, struct work *work, int64_t bytes, int threads) {
    double seconds[SWEEP_WINDOWS];
    struct team_series series = {.wanted = SWEEP_WINDOWS, .attempts = SWEEP_ATTEMPTS, .most_seconds = SWEEP_SECONDS, .seconds = seconds};
    lay_out(work, measuring, (struct working_set){.bytes = bytes}, false);
    fill_window(work, measuring, threads);
    team_time(measuring->team, threads, run, work, &series);
    return series.counted > 0 ? 1e-9 * counted_bytes(work) * threads / summary_make(seconds, series.counted).median : 0;
}

/** Loads from larger and larger sets until they come from the next level, or the set is twice what the cache should hold. */
static void find_size(struct measuring *measuring, struct work *work, struct tcplan_ceiling *load, double outer_rate) {
    const int threads = load->threads;
    const int64_t nominal = measuring->roofline->machine.cache[load->cache].size_bytes;
    const int64_t most = 2 * nominal < (int64_t)work->workspace->bytes ? 2 * nominal : (int64_t)work->workspace->bytes;
    struct size_rate sweep[SWEEP_SIZES];
    int count = 0;
    load->holds_bytes = threads * load->working_set_bytes;
    if (!effective_size_is_found(load->rate, outer_rate)) return;
    for (int64_t bytes = load->working_set_bytes; count < SWEEP_SIZES;) {
        bytes = effective_size_next(bytes, (int64_t)sizeof(double) * STREAM_BLOCK_ELEMS);
        if (bytes > most || known_is_over(measuring)) break;
        const double rate = load_rate(measuring, work, bytes, threads);
        if (!(rate > 0)) continue; /* disturbed: the next one tells */
        sweep[count++] = (struct size_rate){.bytes = bytes, .rate = rate};
        if (effective_size(sweep, count, 0, load->rate, outer_rate) < bytes) break;
    }
    load->holds_bytes = threads * effective_size(sweep, count, load->working_set_bytes, load->rate, outer_rate);
}

static void find_sizes(struct measuring *measuring, struct work *work, int threads) {
    const struct kernel_set *set = measuring->set[0];
    const struct tcplan_ceiling *outer = NULL;
    work->kernel = NULL;
    for (int k = 0; k < set->stream_count; k++) {
        if (set->stream[k].operation == STREAM_LOAD) work->kernel = &set->stream[k];
    }
    for (int c = measuring->roofline->machine.cache_count; c >= 0 && work->kernel; c--) {
        struct tcplan_ceiling *load = find_load(measuring, c, threads);
        measuring_report(measuring, "finding what caches hold");
        if (load && outer && load->holds_bytes == 0) find_size(measuring, work, load, outer->rate);
        if (load) outer = load;
    }
}

/** Whether anything is to be measured with so many threads: a workspace is costly to have. */
static bool is_any_open(const struct measuring *measuring, int threads) {
    const struct kernel_set *set = measuring->set[0];
    for (int c = 0; c <= measuring->roofline->machine.cache_count; c++) {
        for (int k = 0; k < set->stream_count; k++) {
            const struct tcplan_ceiling ceiling = ceiling_of(measuring, &set->stream[k], c, threads);
            if (!known_is_done(measuring, &ceiling)) return true;
        }
    }
    return false;
}

/** A region for the largest working set, with room between the arrays. */
static enum tcplan_status measure_threads(struct measuring *measuring, struct work *work, int threads, int64_t limit_bytes,
                                          struct tcplan_error *error) {
    const struct tcplan_machine *machine = &measuring->roofline->machine;
    const struct working_set largest = working_set_for(machine, machine->cache_count, threads, limit_bytes);
    struct workspace workspace = {0};
    /* Without a workspace where nothing will be measured: then they are only counted. */
    if (!is_any_open(measuring, threads) || known_is_over(measuring)) return measure_levels(measuring, work, threads, limit_bytes, error);
    measuring_report(measuring, "moving data in memory");
    memset(measuring->following, 0, sizeof measuring->following);
    enum tcplan_status status =
        workspace_new(&workspace, measuring->team, threads, (size_t)largest.bytes + 4096, measuring->options.small_pages, error);
    if (status != TCPLAN_OK) return status;
    measuring->roofline->huge_page_share = workspace_huge_share();
    work->workspace = &workspace;
    status = measure_levels(measuring, work, threads, limit_bytes, error);
    if (status == TCPLAN_OK) find_sizes(measuring, work, threads);
    measuring_note_steadiness(measuring, threads);
    work->workspace = NULL;
    workspace_free(&workspace);
    return status;
}

enum tcplan_status bandwidth_measure(struct measuring *measuring, struct tcplan_error *error) {
    const size_t threads = (size_t)measuring->options.threads;
    struct work work = {.loaded = base_alloc(threads * sizeof *work.loaded), .window = base_alloc(threads * sizeof *work.window)};
    enum tcplan_status status = work.loaded && work.window ? stream_check(measuring->set[0], error) : error_no_memory(error);
    for (int t = 0; t < measuring_thread_counts(measuring) && status == TCPLAN_OK; t++) {
        status = measure_threads(measuring, &work, measuring_threads(measuring, t), measuring->options.max_memory_bytes, error);
    }
    base_free(work.loaded);
    base_free(work.window);
    return status;
}

int bandwidth_expected(const struct measuring *measuring) {
    const struct tcplan_machine *machine = &measuring->roofline->machine;
    int levels = 0;
    for (int t = 0; t < measuring_thread_counts(measuring); t++) {
        for (int c = 0; c <= machine->cache_count; c++) {
            levels += working_set_for(machine, c, measuring_threads(measuring, t), measuring->options.max_memory_bytes).bytes > 0;
        }
    }
    return levels * measuring->set[0]->stream_count;
}
