#include "tcplan/kernel_points.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/deadline.h"
#include "base/error.h"
#include "base/quantity.h"
#include "microbench/program/buffers.h"
#include "microbench/providers/blas.h"
#include "roofline/kernels/working_set.h"
#include "roofline/timing/chain.h"
#include "roofline/validation/fft.h"
#include "roofline/validation/measure.h"

#define SERIES_SECONDS 5.0
#define REPEAT_SECONDS 0.03 /* minimum seconds of a repeat, if the clock rate is unknown */
#define USUAL_MEMORY_BYTES ((int64_t)1 << 30)

enum { STATES = 2 };

const char *tcplan_point_kernel_name(enum tcplan_point_kernel kernel) {
    static const char *const names[TCPLAN_POINT_KERNELS] = {"daxpy", "dgemv", "dgemm", "fft"};
    return names[kernel];
}

const char *tcplan_kernel_bytes_name(enum tcplan_kernel_bytes source) {
    static const char *const names[] = {[TCPLAN_KERNEL_BYTES_ANALYTIC] = "analytic",
                                        [TCPLAN_KERNEL_BYTES_SIMULATED] = "simulated",
                                        [TCPLAN_KERNEL_BYTES_COUNTED] = "counted"};
    return names[source];
}

/* Checks of the options. */

static enum tcplan_status check_size(const struct tcplan_kernel_wanted *wanted, int64_t most_bytes,
                                     struct tcplan_error *error) {
    static const int64_t most[TCPLAN_POINT_KERNELS] = {[TCPLAN_POINT_DAXPY] = 1 << 30,
                                                       [TCPLAN_POINT_DGEMV] = 1 << 16,
                                                       [TCPLAN_POINT_DGEMM] = 1 << 16,
                                                       [TCPLAN_POINT_FFT] = FFT_MOST};
    const char *name = tcplan_point_kernel_name(wanted->kernel);
    if (wanted->n < 1 || wanted->n > most[wanted->kernel]) {
        return error_set(error, TCPLAN_INVALID, "%s: expected a size from 1 to %lld, found %lld",
                         name, (long long)most[wanted->kernel], (long long)wanted->n);
    }
    const size_t bytes = validation_bytes(wanted->kernel, wanted->n);
    if ((int64_t)bytes <= most_bytes) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID, "%s of %lld: the data take %s, but only %s may be used",
                     name, (long long)wanted->n, quantity_bytes((double)bytes).text,
                     quantity_bytes((double)most_bytes).text);
}

static enum tcplan_status check_threads(const struct tcplan_kernel_options *options, bool any_fft,
                                        struct tcplan_error *error) {
    const int most = team_most_threads();
    if (options->threads < 1 || (most > 0 && options->threads > most)) {
        return error_set(
            error, TCPLAN_INVALID,
            "expected at most %d thread%s, the number that can run at the same time here, found %d",
            most, most == 1 ? "" : "s", options->threads);
    }
    if (!any_fft || options->threads == 1) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID, "an fft takes one thread, found %d", options->threads);
}

static enum tcplan_status check(const struct tcplan_kernel_options *options, int64_t most_bytes,
                                struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    bool any_fft = false;
    for (size_t w = 0; w < options->count && status == TCPLAN_OK; w++) {
        any_fft = any_fft || options->wanted[w].kernel == TCPLAN_POINT_FFT;
        status = check_size(&options->wanted[w], most_bytes, error);
    }
    if (status == TCPLAN_OK) status = check_threads(options, any_fft, error);
    return status == TCPLAN_OK && any_fft ? fft_open(error) : status;
}

/* Measurement. */

/** State of the measurement. */
struct maker {
    const struct tcplan_kernel_options *options;
    struct tcplan_kernel_points *out;
    struct tcplan_machine machine;
    int64_t most_bytes;
    struct team *team;
    struct workspace workspace;
    struct validation_setting setting;
};

static struct tcplan_kernel_point point_of(const struct tcplan_kernel_wanted *wanted, bool cold,
                                           const struct validation_result *result) {
    const struct validation_bounds *bounds = &result->bounds;
    const struct protocol_result *time = &result->time, *bytes = &result->bytes;
    struct tcplan_kernel_point out = {
        .kernel = wanted->kernel,
        .n = wanted->n,
        .cold = cold,
        .flops = time->work.known ? time->work.median : bounds->flops,
        .flops_origin = time->work.known ? TCPLAN_ORIGIN_MEASURED : TCPLAN_ORIGIN_ANALYTIC,
        .pseudo_flops = bounds->pseudo_flops,
        .compulsory_bytes = bounds->read_bytes + bounds->written_bytes,
        .compulsory_written_bytes = bounds->written_bytes,
        .data_bytes = (int64_t)validation_bytes(wanted->kernel, wanted->n),
        .replicas_bytes = result->replicas_bytes,
        .reduced = result->lukewarm,
        .seconds = time->seconds.median,
        .seconds_q1 = time->seconds.q1,
        .seconds_q3 = time->seconds.q3,
        .runs = time->runs,
        .repeats = time->repeats,
        .disturbed = time->disturbed};
    const bool is_fft = wanted->kernel == TCPLAN_POINT_FFT;
    out.bytes = out.compulsory_bytes + (is_fft ? bounds->written_bytes : 0);
    out.written_bytes = bounds->written_bytes;
    if (!cold || !bytes->moved.known || !(bytes->moved.median > 0))
        return out; /* counted traffic of warm runs is noise, since it is counted at the memory */
    out.bytes = bytes->moved.median;
    out.written_bytes = bytes->written.median < out.bytes ? bytes->written.median : out.bytes;
    out.bytes_source =
        result->simulated ? TCPLAN_KERNEL_BYTES_SIMULATED : TCPLAN_KERNEL_BYTES_COUNTED;
    return out;
}

static void tell(const struct maker *maker, size_t done) {
    const struct tcplan_kernel_options *options = maker->options;
    if (options->progress)
        options->progress(options->progress_context, "measuring", (double)done,
                          (double)(STATES * options->count));
}

static enum tcplan_status measure_all(struct maker *maker, struct tcplan_error *error) {
    const struct tcplan_kernel_options *options = maker->options;
    const struct deadline limit = deadline_in(options->time_limit_seconds);
    struct tcplan_kernel_points *out = maker->out;
    enum tcplan_status status = TCPLAN_OK;
    for (size_t p = 0; p < STATES * options->count && status == TCPLAN_OK; p++) {
        const struct tcplan_kernel_wanted *wanted = &options->wanted[p / STATES];
        const bool cold = p % STATES == 0;
        struct validation_result result;
        if (deadline_is_over(limit)) {
            out->unmeasured++;
            continue;
        }
        tell(maker, p);
        status =
            validation_measure(&result, wanted->kernel, wanted->n, cold, &maker->setting, error);
        if (status == TCPLAN_OK) out->point[out->count++] = point_of(wanted, cold, &result);
    }
    return status;
}

/** Returns the size of the workspace: enough for replicas that exceed the caches, within the memory
 * that may be used, and for the largest kernel. */
static size_t workspace_bytes(const struct maker *maker) {
    const struct working_set set =
        working_set_for(&maker->machine, maker->machine.cache_count, 1, maker->most_bytes);
    size_t bytes = (size_t)set.bytes;
    for (size_t w = 0; w < maker->options->count; w++) {
        const size_t needed =
            validation_bytes(maker->options->wanted[w].kernel, maker->options->wanted[w].n);
        if (needed > bytes) bytes = needed;
    }
    return bytes;
}

/** Records where the counts come from and, if there are none, why. */
static void describe(struct maker *maker, const struct counter_source *counts) {
    struct tcplan_kernel_points *out = maker->out;
    const bool counted = counter_can(counts, COUNTER_READ) && counter_can(counts, COUNTER_WRITTEN);
    snprintf(out->counts, sizeof out->counts, "%s",
             maker->setting.simulated ? "simulated" : counts->class->name);
    snprintf(out->why_no_flops, sizeof out->why_no_flops, "%s", counts->why_not[COUNTER_FLOPS]);
    if (!counted && !maker->setting.simulated) {
        const bool can_read = counter_can(counts, COUNTER_READ);
        snprintf(out->why_no_bytes, sizeof out->why_no_bytes, "%s",
                 counts->why_not[can_read ? COUNTER_WRITTEN : COUNTER_READ]);
    }
    for (size_t w = 0; w < maker->options->count; w++) {
        if (maker->options->wanted[w].kernel == TCPLAN_POINT_FFT)
            snprintf(out->fft_version, sizeof out->fft_version, "%s", fft_version());
    }
}

/** Measures all points. The team consists of the calling thread, on a core of its own. */
static enum tcplan_status run(struct maker *maker, struct counter_source *counts,
                              struct tcplan_error *error) {
    const double clock_hz = chain_clock_hz();
    enum tcplan_status status =
        workspace_new(&maker->workspace, maker->team, 1, workspace_bytes(maker), false,
                      (struct deadline){0}, error);
    if (status != TCPLAN_OK) return status;
    const char *counters = maker->options->counters;
    maker->setting = (struct validation_setting){
        .machine = &maker->machine,
        .workspace = &maker->workspace,
        .team = maker->team,
        .counts = counts,
        .simulated = counters && validation_is_simulated(counters),
        .threads = maker->options->threads,
        .repeats = maker->options->repeats,
        .least_seconds = clock_hz > 0 ? PROTOCOL_CYCLES / clock_hz : REPEAT_SECONDS,
        .most_seconds = SERIES_SECONDS};
    describe(maker, counts);
    status = blas_warm_up(error);
    if (status == TCPLAN_OK) status = measure_all(maker, error);
    workspace_free(&maker->workspace);
    return status;
}

static enum tcplan_status run_on_a_core(struct maker *maker, struct tcplan_error *error) {
    struct counter_source *counts = NULL;
    const char *counters = maker->options->counters ? maker->options->counters : "perf";
    const struct blas_threads before = blas_take_threads(maker->options->threads);
    enum tcplan_status status = team_new(&maker->team, 1, NULL, error);
    if (status == TCPLAN_OK)
        status = validation_open_counts(&counts, counters, maker->options->threads, error);
    if (status == TCPLAN_OK) status = run(maker, counts, error);
    counter_close(counts);
    team_free(maker->team);
    blas_put_threads_back(&before);
    return status;
}

static int64_t memory_of(const struct tcplan_kernel_options *options) {
    const int64_t available = buffers_available_bytes();
    if (options->max_memory_bytes > 0) return options->max_memory_bytes;
    return available > 1 ? available / 2 : USUAL_MEMORY_BYTES;
}

enum tcplan_status tcplan_kernel_points_measure(struct tcplan_kernel_points **out,
                                                const struct tcplan_kernel_options *options,
                                                struct tcplan_error *error) {
    struct maker maker = {.options = options, .most_bytes = memory_of(options)};
    enum tcplan_status status = check(options, maker.most_bytes, error);
    if (status == TCPLAN_OK) status = tcplan_machine_load(&maker.machine, "live", error);
    if (status != TCPLAN_OK) return status;
    maker.out = base_alloc_zero(1, sizeof *maker.out);
    if (maker.out)
        maker.out->point = base_alloc_zero(STATES * options->count + 1, sizeof *maker.out->point);
    if (!maker.out || !maker.out->point) {
        tcplan_kernel_points_free(maker.out);
        return error_no_memory(error);
    }
    status = run_on_a_core(&maker, error);
    if (status != TCPLAN_OK) {
        tcplan_kernel_points_free(maker.out);
        return status;
    }
    *out = maker.out;
    return TCPLAN_OK;
}

void tcplan_kernel_points_free(struct tcplan_kernel_points *points) {
    if (!points) return;
    base_free(points->point);
    base_free(points);
}

/** Returns the level of memory from which the point's data come. */
static int level_of(const struct tcplan_kernel_point *point, const struct tcplan_roofline *roofline,
                    int threads) {
    const struct tcplan_machine *machine = &roofline->machine;
    if (point->cold) return machine->cache_count;
    const struct tcplan_level *found =
        tcplan_roofline_level(roofline, (double)point->data_bytes, threads);
    if (found && found->cache >= 0) return found->cache;
    int cache = 0;
    while (cache < machine->cache_count && machine->cache[cache].size_bytes < point->data_bytes)
        cache++;
    return cache;
}

struct tcplan_point tcplan_kernel_point_place(const struct tcplan_kernel_point *point,
                                              const struct tcplan_roofline *roofline, int threads,
                                              bool fused, enum tcplan_direction direction) {
    const int cache = level_of(point, roofline, threads);
    const bool first =
        cache == 0 && roofline->machine.cache_count >
                          0; /* a point in the first cache counts requests, not lines */
    const double bytes = first ? point->compulsory_bytes : point->bytes;
    const double written = first ? point->compulsory_written_bytes : point->written_bytes;
    const struct tcplan_point_subject subject = {
        .flops = point->flops,
        .dtype = TCPLAN_DOUBLE,
        .traffic = {.cache = cache,
                    .working_set_bytes = (double)point->data_bytes,
                    .compulsory_bytes = point->compulsory_bytes,
                    .write_share = point->compulsory_written_bytes / point->compulsory_bytes,
                    .updates = point->kernel != TCPLAN_POINT_FFT,
                    .model_bytes = bytes,
                    .model_write_share = bytes > 0 ? written / bytes : 0,
                    .method = first ? TCPLAN_TRAFFIC_COUNTED : TCPLAN_TRAFFIC_SIMULATED},
        .threads = threads,
        .fused = fused,
        .seconds = point->seconds,
        .origin = TCPLAN_ORIGIN_MEASURED,
        .direction = direction};
    return tcplan_point_make(roofline, &subject);
}
