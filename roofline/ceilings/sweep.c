#include "roofline/ceilings/sweep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "microbench/timing/clock.h"
#include "roofline/ceilings/intensity.h"
#include "roofline/ceilings/known.h"
#include "roofline/ceilings/levels.h"
#include "roofline/ceilings/limit.h"
#include "roofline/kernels/working_set.h"
#include "roofline/timing/summary.h"

/** Ratio of consecutive sizes of a sweep. Three steps make a factor of 1.5, within which the border
 * of a level is to be known. */
#define GROWTH 1.15
#define GROWTH_IN_A_HURRY 1.3

#define MOST_WINDOW_SECONDS 1e-3
#define ROUND_SECONDS                                                                              \
    0.05 /* time limit of a set in a round, without the pass that brings the set into its level */
#define SWEEP_SECONDS 5.0 /* time limit, after which no further round with a kernel begins */

enum { FIRST_BYTES = 4 << 10, SIZES_MOST = 200, ROUNDS = 3, WINDOWS = 3, ATTEMPTS = 12 };

/** The sweep of one kernel. */
struct sweep {
    struct measuring *measuring;
    struct stream_work *work;
    int threads;
    double window_seconds;
    double guess; /* estimated bytes per second of one thread with the next set: the rate of the
                     previous set */
    int count;
    struct tcplan_ceiling point[SIZES_MOST];
};

static const struct stream_kernel *kernel_named(const struct measuring *measuring, const char *name,
                                                size_t length) {
    const struct kernel_set *set = measuring->set[0];
    for (int k = 0; k < set->stream_count; k++) {
        const char *own = stream_name(set->stream[k].operation);
        if (strlen(own) == length && strncmp(own, name, length) == 0) return &set->stream[k];
    }
    return NULL;
}

static void start(struct sweep *sweep) {
    const struct stream_shape shape = stream_shape(sweep->work->kernel->operation);
    const int64_t most = (int64_t)sweep->work->workspace->bytes - 4096;
    const double growth = sweep->measuring->options.untuned ? GROWTH_IN_A_HURRY : GROWTH;
    const int64_t unit = (int64_t)sizeof(double) * STREAM_BLOCK_ELEMS;
    sweep->count = 0;
    for (int64_t bytes = FIRST_BYTES; bytes <= most && sweep->count < SIZES_MOST;
         bytes = levels_next_size(bytes, growth, unit)) {
        struct tcplan_ceiling *point = &sweep->point[sweep->count++];
        *point = (struct tcplan_ceiling){.precision = TCPLAN_DOUBLE,
                                         .vector_bits = sweep->work->kernel->vector_bits,
                                         .threads = sweep->threads,
                                         .cache = -1,
                                         .rough = sweep->measuring->rough,
                                         .working_set_bytes = bytes,
                                         .line_bytes_per_count_byte =
                                             shape.line_bytes /
                                             (shape.read_bytes + shape.written_bytes)};
        snprintf(point->name, sizeof point->name, "%s",
                 stream_name(sweep->work->kernel->operation));
    }
}

/** Estimates the rate of the first set from passes over the smallest set. */
static void guess(struct sweep *sweep) {
    struct stream_work *work = sweep->work;
    stream_work_lay_out(work, FIRST_BYTES, FIRST_BYTES);
    sweep->guess = 1e9;
    for (int again = 0; again < 2; again++) {
        const double passes =
            sweep->guess * sweep->window_seconds / stream_work_bytes(work) * (double)work->passes;
        work->passes = passes > 1 ? (int64_t)passes : 1;
        const double seconds =
            measuring_trial(sweep->measuring, sweep->threads, stream_work_run, work);
        if (seconds > 0) sweep->guess = stream_work_bytes(work) / seconds;
    }
}

/** Measures the rate of a set in one round; keeps the highest rate of all rounds. */
static void visit(struct sweep *sweep, struct tcplan_ceiling *point) {
    struct stream_work *work = sweep->work;
    double seconds[WINDOWS];
    struct team_series series = {
        .wanted = WINDOWS, .attempts = ATTEMPTS, .most_seconds = ROUND_SECONDS, .seconds = seconds};
    const double window_bytes = sweep->guess * sweep->window_seconds;
    stream_work_lay_out(work, point->working_set_bytes, INT64_MAX);
    if (window_bytes < (double)point->working_set_bytes) { /* several windows together make a pass
                                                              over the set */
        team_run(sweep->measuring->team, sweep->threads, stream_work_run, work);
        stream_work_lay_out(work, point->working_set_bytes, (int64_t)window_bytes);
    } else {
        work->passes = (int64_t)fmax(1, window_bytes / stream_work_bytes(work));
    }
    team_time(sweep->measuring->team, sweep->threads, stream_work_run, work, &series);
    point->dropped += series.dropped;
    if (series.counted == 0) return;
    const struct summary summary = summary_make(seconds, series.counted);
    const double bytes = stream_work_bytes(work), all = 1e-9 * bytes * sweep->threads;
    sweep->guess = bytes / summary.median;
    point->windows += series.counted;
    if (all / summary.median <= point->rate) return;
    point->rate = all / summary.median;
    point->q1 = all / summary.q3;
    point->q3 = all / summary.q1;
}

/** Measures the sets in rounds; returns false if the deadline passed before the first round ended.
 */
static bool go(struct sweep *sweep) {
    const uint64_t start_ns = clock_now_ns();
    char activity[TCPLAN_CEILING_NAME + 16];
    start(sweep);
    snprintf(activity, sizeof activity, "sweeping with %s",
             stream_name(sweep->work->kernel->operation));
    measuring_begin(sweep->measuring, activity, sweep->threads, ROUNDS * sweep->count);
    guess(sweep);
    for (int round = 0; round < ROUNDS; round++) {
        for (int p = 0; p < sweep->count; p++) {
            if (known_is_over(sweep->measuring)) return round > 0;
            if (round > 0 && 1e-9 * (double)(clock_now_ns() - start_ns) > SWEEP_SECONDS)
                return true;
            visit(sweep, &sweep->point[p]);
            measuring_step(sweep->measuring);
        }
    }
    return true;
}

static enum tcplan_status append_point(struct tcplan_roofline *roofline,
                                       const struct tcplan_ceiling *point,
                                       struct tcplan_error *error) {
    struct tcplan_ceiling *grown =
        base_realloc(roofline->sweep, (roofline->sweep_count + 1) * sizeof *grown);
    if (!grown) return error_no_memory(error);
    roofline->sweep = grown;
    roofline->sweep[roofline->sweep_count++] = *point;
    return TCPLAN_OK;
}

static enum tcplan_status append_level(struct tcplan_roofline *roofline,
                                       const struct tcplan_level *level,
                                       struct tcplan_error *error) {
    struct tcplan_level *grown =
        base_realloc(roofline->level, (roofline->level_count + 1) * sizeof *grown);
    if (!grown) return error_no_memory(error);
    roofline->level = grown;
    roofline->level[roofline->level_count++] = *level;
    return TCPLAN_OK;
}

/** Adds the measured rates to the roofline, except those above the cores' limits. */
static enum tcplan_status keep(struct sweep *sweep, struct tcplan_error *error) {
    const double limit = 1e-9 * limit_bytes(sweep->work->kernel, true) *
                         sweep->measuring->highest_hz * sweep->threads;
    enum tcplan_status status = TCPLAN_OK;
    for (int p = 0; p < sweep->count && status == TCPLAN_OK; p++) {
        struct tcplan_ceiling *point = &sweep->point[p];
        point->limit = limit;
        if (limit > 0 && point->rate > LIMIT_TOLERANCE * limit) point->rate = 0;
        if (point->rate > 0) status = append_point(sweep->measuring->roofline, point, error);
    }
    return status;
}

static struct tcplan_level level_from(const struct plateau *plateau, int cache,
                                      const struct tcplan_machine *machine, int threads) {
    struct tcplan_level level = {.cache = cache,
                                 .threads = threads,
                                 .first_bytes = plateau->first_bytes,
                                 .last_bytes = plateau->last_bytes,
                                 .holds_bytes = threads * plateau->holds_bytes,
                                 .rate = plateau->rate};
    if (cache >= 0) working_set_level(level.name, sizeof level.name, machine, cache);
    return level;
}

static enum tcplan_status find_levels(const struct sweep *sweep, struct tcplan_error *error) {
    struct tcplan_roofline *roofline = sweep->measuring->roofline;
    struct size_rate curve[SIZES_MOST];
    struct plateau plateau[LEVELS_MOST];
    int cache[LEVELS_MOST];
    for (int p = 0; p < sweep->count; p++)
        curve[p] = (struct size_rate){sweep->point[p].working_set_bytes, sweep->point[p].rate};
    const int count = levels_find(plateau, curve, sweep->count);
    levels_match(cache, plateau, count, &roofline->machine, sweep->threads);
    enum tcplan_status status = TCPLAN_OK;
    for (int p = 0; p < count && status == TCPLAN_OK; p++) {
        const struct tcplan_level level =
            level_from(&plateau[p], cache[p], &roofline->machine, sweep->threads);
        status = append_level(roofline, &level, error);
    }
    return status;
}

/** Sweeps with one kernel and adds the rates to the roofline. */
static enum tcplan_status sweep_with(struct sweep *sweep, const struct stream_kernel *kernel,
                                     struct tcplan_error *error) {
    sweep->work->kernel = kernel;
    if (!go(sweep)) { /* an incomplete curve does not show the levels */
        sweep->count = 0;
        sweep->measuring->roofline->unmeasured++;
    }
    if (!team_run(sweep->measuring->team, sweep->threads, stream_work_check, sweep->work)) {
        return error_set(error, TCPLAN_ENVIRONMENT,
                         "the kernel %s (%d bits) computes wrong results: the compiler changed it",
                         stream_name(kernel->operation), kernel->vector_bits);
    }
    return keep(sweep, error);
}

enum tcplan_status sweep_measure(struct measuring *measuring, struct stream_work *work, int threads,
                                 struct tcplan_error *error) {
    struct sweep *sweep = base_alloc(sizeof *sweep);
    if (!sweep) return error_no_memory(error);
    *sweep = (struct sweep){.measuring = measuring,
                            .work = work,
                            .threads = threads,
                            .window_seconds =
                                fmin(measuring->options.window_seconds, MOST_WINDOW_SECONDS)};
    const struct tcplan_roofline *roofline = measuring->roofline;
    enum tcplan_status status = TCPLAN_OK;
    if (!tcplan_roofline_has_sweeps(roofline, NULL, threads, true) && !known_is_over(measuring)) {
        status = sweep_with(sweep, kernel_named(measuring, "load", strlen("load")), error);
        if (status == TCPLAN_OK && sweep->count > 0) status = find_levels(sweep, error);
    }
    const char *name = measuring->options.sweep ? measuring->options.sweep : "";
    while (*name && status == TCPLAN_OK && !known_is_over(measuring)) {
        const struct stream_kernel *kernel = kernel_named(measuring, name, strcspn(name, ","));
        /* Some processors have no non-temporal stores. */
        const bool open = kernel && !tcplan_roofline_has_sweeps(
                                        roofline, stream_name(kernel->operation), threads, true);
        if (open) status = sweep_with(sweep, kernel, error);
        name += strcspn(name, ",");
        name += *name == ',';
    }
    base_free(sweep);
    return status;
}

enum tcplan_status sweep_take(struct measuring *measuring, struct tcplan_error *error) {
    const struct tcplan_roofline *known = measuring->options.known;
    enum tcplan_status status = TCPLAN_OK;
    for (size_t s = 0; s < known->sweep_count && status == TCPLAN_OK; s++) {
        if (!known->sweep[s].rough || measuring->rough)
            status = append_point(measuring->roofline, &known->sweep[s], error);
    }
    for (size_t i = 0; i < known->intensity_count && status == TCPLAN_OK; i++) {
        if (!known->intensity[i].rough || measuring->rough)
            status = intensity_append(measuring->roofline, &known->intensity[i], error);
    }
    for (size_t l = 0; l < known->level_count && status == TCPLAN_OK; l++) {
        const bool taken =
            tcplan_roofline_has_sweeps(measuring->roofline, NULL, known->level[l].threads, true);
        if (taken) status = append_level(measuring->roofline, &known->level[l], error);
    }
    return status;
}

enum tcplan_status sweep_check(const char *kernels, struct tcplan_error *error) {
    for (const char *name = kernels ? kernels : ""; *name;) {
        const size_t length = strcspn(name, ",");
        bool known = false;
        for (int o = 0; o < STREAM_OPERATIONS; o++) {
            const char *own = stream_name((enum stream_operation)o);
            known = known || (strlen(own) == length && strncmp(own, name, length) == 0);
        }
        if (!known)
            return error_set(error, TCPLAN_INVALID,
                             "expected kernels such as 'store,triad', found '%.100s'", name);
        name += length + (name[length] == ',');
    }
    return TCPLAN_OK;
}
