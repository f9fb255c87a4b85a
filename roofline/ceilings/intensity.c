#include "roofline/ceilings/intensity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "roofline/ceilings/known.h"
#include "roofline/ceilings/limit.h"
#include "roofline/kernels/working_set.h"
#include "roofline/timing/summary.h"

#define POINT_SECONDS 0.2

enum {
    POINTS = 11, /* 1, 2, 4, ..., 1024 operations */
    FLOPS_MOST = 1 << (POINTS - 1),
    ELEMENT_BYTES = 2 * sizeof(double) /* bytes of an element, loaded and stored */,
    WINDOWS = 9,
    ATTEMPTS = 27,
    CHECK_ELEMS = STREAM_BLOCK_ELEMS
};

/** The work of each thread in a window. With s = 0.5 the elements stay small: x * s + (1 - s)
 * approaches 1. A single operation per element adds 0.5. */
struct flops_work {
    stream_fn *run;
    struct stream stream[1]; /* all members except the array `a` */
    int64_t elems; /* elements of the whole set; each window takes the next stream->elems of them */
    const struct workspace *workspace;
};

static bool run(void *context, int thread, int64_t window) {
    const struct flops_work *work = context;
    struct stream stream = *work->stream;
    stream.a = (double *)work->workspace->region[thread] +
               window % (work->elems / stream.elems) * stream.elems;
    work->run(&stream);
    return true;
}

static bool is_right(stream_fn *flops, int count) {
    _Alignas(64) double a[CHECK_ELEMS];
    for (int i = 0; i < CHECK_ELEMS; i++) a[i] = 1 + i % 7;
    flops(&(struct stream){.a = a, .s = 0.5, .elems = CHECK_ELEMS, .passes = 1, .flops = count});
    for (int i = 0; i < CHECK_ELEMS; i++) {
        double expected = 1 + i % 7;
        if (count % 2 != 0) expected += 0.5;
        for (int f = 1; f < count; f += 2) expected = expected * 0.5 + 0.5;
        if (a[i] != expected) return false;
    }
    return true;
}

/** Chooses the passes, or in memory the part of the set, that fill a window. */
static void fill_window(struct flops_work *work, struct measuring *measuring, int threads,
                        bool in_memory) {
    const double seconds = measuring->options.window_seconds;
    for (int again = 0; again < 2; again++) {
        const double found = measuring_trial(measuring, threads, run, work);
        const double share = found > 0 ? seconds / found : 1;
        if (!in_memory) {
            work->stream->passes =
                (int64_t)fmax(1, fmin(share * (double)work->stream->passes, 1e9));
            continue;
        }
        const double elems = fmin(share * (double)work->stream->elems, (double)work->elems / 4);
        work->stream->elems = (int64_t)fmax(elems / STREAM_BLOCK_ELEMS, 1) * STREAM_BLOCK_ELEMS;
    }
}

enum tcplan_status intensity_append(struct tcplan_roofline *roofline,
                                    const struct tcplan_ceiling *point,
                                    struct tcplan_error *error) {
    struct tcplan_ceiling *grown =
        base_realloc(roofline->intensity, (roofline->intensity_count + 1) * sizeof *grown);
    if (!grown) return error_no_memory(error);
    roofline->intensity = grown;
    roofline->intensity[roofline->intensity_count++] = *point;
    return TCPLAN_OK;
}

static enum tcplan_status measure(struct measuring *measuring, struct flops_work *work,
                                  struct tcplan_ceiling *point, struct tcplan_error *error) {
    double seconds[WINDOWS];
    struct team_series series = {
        .wanted = WINDOWS, .attempts = ATTEMPTS, .most_seconds = POINT_SECONDS, .seconds = seconds};
    const int threads = point->threads;
    const bool in_memory = point->cache == measuring->roofline->machine.cache_count;
    work->elems = point->working_set_bytes / (int64_t)sizeof(double) / STREAM_BLOCK_ELEMS *
                  STREAM_BLOCK_ELEMS;
    work->stream->elems =
        in_memory ? work->elems / 64 / STREAM_BLOCK_ELEMS * STREAM_BLOCK_ELEMS : work->elems;
    work->stream->passes = 1;
    fill_window(work, measuring, threads, in_memory);
    team_time(measuring->team, threads, run, work, &series);
    point->windows = series.counted;
    point->dropped = series.dropped;
    if (series.counted == 0) return TCPLAN_OK;
    const struct summary summary = summary_make(seconds, series.counted);
    const double flops = 1e-9 * (double)work->stream->elems * (double)work->stream->passes *
                         work->stream->flops * threads;
    point->rate = flops / summary.median;
    point->q1 = flops / summary.q3;
    point->q3 = flops / summary.q1;
    point->limit = 1e-9 * limit_double_flops(point->vector_bits) * measuring->highest_hz * threads;
    if (point->limit > 0 && point->rate > LIMIT_TOLERANCE * point->limit)
        return TCPLAN_OK; /* above the limit: the point is omitted */
    return intensity_append(measuring->roofline, point, error);
}

static enum tcplan_status measure_level(struct measuring *measuring, struct flops_work *work,
                                        int cache, int64_t set_bytes, int threads,
                                        struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int flops = 1; flops <= FLOPS_MOST && status == TCPLAN_OK && !known_is_over(measuring);
         flops *= 2) {
        struct tcplan_ceiling point = {.name = "flops",
                                       .precision = TCPLAN_DOUBLE,
                                       .vector_bits = measuring->set[0]->flops_bits,
                                       .threads = threads,
                                       .origin = TCPLAN_ORIGIN_MEASURED,
                                       .cache = cache,
                                       .working_set_bytes = set_bytes,
                                       .intensity = (double)flops / ELEMENT_BYTES,
                                       .rough = measuring->rough};
        working_set_level(point.level, sizeof point.level, &measuring->roofline->machine, cache);
        work->stream->flops = flops;
        status = measure(measuring, work, &point, error);
        measuring_step(measuring);
    }
    return status;
}

enum tcplan_status intensity_measure(struct measuring *measuring, struct stream_work *streams,
                                     const int64_t set_bytes[], int threads,
                                     struct tcplan_error *error) {
    const struct tcplan_roofline *roofline = measuring->roofline;
    struct flops_work work = {
        .run = measuring->set[0]->flops, .stream = {{.s = 0.5}}, .workspace = streams->workspace};
    enum tcplan_status status = TCPLAN_OK;
    if (!work.run || tcplan_roofline_has_intensities(roofline, threads)) return TCPLAN_OK;
    for (int flops = 1; flops <= FLOPS_MOST; flops *= 2) {
        if (!is_right(work.run, flops)) {
            return error_set(
                error, TCPLAN_ENVIRONMENT,
                "the kernel of %d operations per element computes wrong results: the compiler "
                "changed it",
                flops);
        }
    }
    int levels = 0;
    for (int c = 0; c <= roofline->machine.cache_count; c++) levels += set_bytes[c] > 0;
    measuring_begin(measuring, "rates over intensity", threads, levels * POINTS);
    for (int c = 0; c <= roofline->machine.cache_count && status == TCPLAN_OK; c++) {
        if (set_bytes[c] > 0)
            status = measure_level(measuring, &work, c, set_bytes[c], threads, error);
    }
    return status;
}
