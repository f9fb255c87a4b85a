#include "roofline/ceilings/measuring.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/deadline.h"
#include "base/error.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/drift.h"
#include "roofline/ceilings/limit.h"
#include "roofline/timing/chain.h"
#include "roofline/timing/summary.h"

/** A rate above this multiple of its limit cannot be due to an uncertain clock: the kernel did not
 * do the counted work. */
#define BROKEN_FACTOR 2

/** Time limit, on a busy machine, of a trial that determines how many calls fill a window. */
#define TRIAL_SECONDS 0.2

/** Time limit of a series: SERIES_FACTOR times the requested length of its windows, but at least
 * LEAST_SERIES_SECONDS; LEAST_HURRIED_SECONDS with options.untuned. */
#define LEAST_SERIES_SECONDS 1
#define LEAST_HURRIED_SECONDS 0.1
#define SERIES_FACTOR 20

/** Time limit of a series that begins just before the deadline. */
#define SHORTEST_SERIES_SECONDS 0.01

/** A window is in the good clock regime if its reference takes at most this factor longer than the
 * reference in that regime. References spread by some per cent. */
#define GOOD_TOLERANCE 1.1

/** Assumed relative random error of a reference's time. */
#define REFERENCE_SPREAD 0.03

enum { ATTEMPTS_PER_WINDOW = 20, LEAST_GOOD_WINDOWS = 3, MOST_STATES = 1024 };

/** A series measured on slow cores is repeated for this long. Nine of ten slow clock regimes of a
 * shared core end sooner (docs/roofline.md). */
#define PATIENCE_NS 100e6

struct team_series measuring_series(const struct measuring *measuring) {
    const double seconds =
        SERIES_FACTOR * measuring->options.windows * measuring->options.window_seconds;
    const double least = measuring->options.untuned ? LEAST_HURRIED_SECONDS : LEAST_SERIES_SECONDS;
    const double left = fmax(deadline_left_seconds(measuring->deadline), SHORTEST_SERIES_SECONDS);
    return (struct team_series){.wanted = measuring->options.windows,
                                .most_seconds = fmin(fmax(seconds, least), left),
                                .attempts = ATTEMPTS_PER_WINDOW * measuring->options.windows,
                                .seconds = measuring->seconds,
                                .references = measuring->seconds + measuring->options.windows};
}

static double smallest_reference(const struct team_series *series) {
    double smallest = INFINITY;
    for (int w = 0; w < series->counted; w++) {
        if (series->references[w] > 0) smallest = fmin(smallest, series->references[w]);
    }
    return smallest;
}

static void add_references(const struct tcplan_ceiling *ceiling, size_t count, int threads,
                           double *found, int *found_count) {
    for (size_t c = 0; c < count && *found_count < MOST_STATES; c++) {
        const bool counts = ceiling[c].threads == threads && ceiling[c].good_reference_seconds > 0;
        if (counts) found[(*found_count)++] = ceiling[c].good_reference_seconds;
    }
}

/** Returns the time of the reference in the good clock regime, from the references of the ceilings
 * so far and, unless infinite, `one_more`; 0: unknown. */
static double good_reference(const struct tcplan_roofline *roofline, int threads, double one_more) {
    double found[MOST_STATES + 1];
    int count = 0;
    add_references(roofline->compute, roofline->compute_count, threads, found, &count);
    add_references(roofline->bandwidth, roofline->bandwidth_count, threads, found, &count);
    if (isfinite(one_more)) found[count++] = one_more;
    return drift_good(found, count);
}

static void set_good(struct tcplan_ceiling *ceiling, size_t count, int threads, double seconds) {
    for (size_t c = 0; c < count; c++) {
        if (ceiling[c].threads == threads && ceiling[c].good_reference_seconds > 0)
            ceiling[c].good_reference_seconds = seconds;
    }
}

void measuring_note_good_state(struct tcplan_roofline *roofline, int threads) {
    const double good = good_reference(roofline, threads, INFINITY);
    set_good(roofline->compute, roofline->compute_count, threads, good);
    set_good(roofline->bandwidth, roofline->bandwidth_count, threads, good);
}

bool measuring_keep_good(struct team_series *series, double good_seconds) {
    int good = 0;
    for (int w = 0; w < series->counted; w++)
        good += series->references[w] <= GOOD_TOLERANCE * good_seconds;
    if (good < LEAST_GOOD_WINDOWS) return false;
    good = 0;
    for (int w = 0; w < series->counted; w++) {
        if (series->references[w] > GOOD_TOLERANCE * good_seconds) continue;
        series->references[good] = series->references[w];
        series->seconds[good++] = series->seconds[w];
    }
    series->counted = good;
    return true;
}

static void follow(struct following *following, const struct team_series *series) {
    for (int w = 0; w < series->counted; w++)
        drift_add(&following->regression, series->seconds[w], series->references[w]);
    following->windows += series->counted;
}

/** Returns 1 minus the elasticity. The elasticity is shrunk towards 1 by the random error of the
 * references. */
double measuring_steadiness(const struct following *following) {
    const double chance = REFERENCE_SPREAD * REFERENCE_SPREAD * following->windows;
    const double power = chance > 0 ? (following->regression.products + chance) /
                                          (following->regression.squares + chance)
                                    : 1;
    return 1 - fmin(fmax(power, 0), 1);
}

void measuring_note_steadiness(struct measuring *measuring, int threads) {
    struct tcplan_roofline *roofline = measuring->roofline;
    for (size_t c = 0; c < roofline->bandwidth_count; c++) {
        struct tcplan_ceiling *ceiling = &roofline->bandwidth[c];
        const struct following *following = &measuring->following[ceiling->cache];
        if (ceiling->threads == threads && following->windows > 0)
            ceiling->steadiness = measuring_steadiness(following);
    }
}

void measuring_time(struct measuring *measuring, struct tcplan_ceiling *ceiling, int active,
                    team_fn *work, void *context, struct team_series *series) {
    const uint64_t start_ns = clock_now_ns();
    double smallest = INFINITY;
    if (ceiling->cache >= 0) drift_begin_series(&measuring->following[ceiling->cache].regression);
    do {
        team_time(measuring->team, active, work, context, series);
        if (ceiling->cache >= 0) follow(&measuring->following[ceiling->cache], series);
        smallest = fmin(smallest, smallest_reference(series));
        const double good = good_reference(measuring->roofline, ceiling->threads, smallest);
        if (series->wrong || series->counted == 0 || measuring_keep_good(series, good)) break;
        series->first += series->counted + series->dropped + 1;
    } while ((double)(clock_now_ns() - start_ns) < PATIENCE_NS &&
             !deadline_is_over(measuring->deadline));
    if (series->counted == 0 || !isfinite(smallest)) return;
    ceiling->good_reference_seconds = smallest;
    ceiling->reference_seconds = summary_make(series->references, series->counted).median;
}

double measuring_trial_seconds(const struct team_series *trial) {
    double seconds = 0;
    for (int w = 0; w < trial->counted; w++) seconds = fmax(seconds, trial->seconds[w]);
    return seconds;
}

double measuring_trial(const struct measuring *measuring, int threads, team_fn *work,
                       void *context) {
    double seconds[3];
    struct team_series trial = {
        .wanted = 3, .attempts = 30, .most_seconds = TRIAL_SECONDS, .seconds = seconds};
    team_time(measuring->team, threads, work, context, &trial);
    return measuring_trial_seconds(&trial);
}

int64_t measuring_repetitions(const struct measuring *measuring, double seconds, int64_t count) {
    const double repetitions =
        seconds > 0 ? measuring->options.window_seconds / seconds * (double)count : (double)count;
    return repetitions < 1 ? 1 : repetitions < 1e15 ? (int64_t)repetitions : (int64_t)1e15;
}

int measuring_thread_counts(const struct measuring *measuring) {
    return measuring->counts;
}

int measuring_threads(const struct measuring *measuring, int place) {
    return measuring->count[place];
}

double measuring_most_flops(const struct measuring *measuring, enum tcplan_dtype dtype) {
    const bool single = dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
    double most = 0;
    for (int s = 0; s < KERNEL_SETS && measuring->set[s]; s++) {
        for (int k = 0; k < measuring->set[s]->compute_count; k++) {
            const struct compute_kernel *kernel = &measuring->set[s]->compute[k];
            const bool mixed = compute_mix(kernel->operation) != TCPLAN_MIX_NONE;
            if (!mixed && kernel->precision == (single ? TCPLAN_FLOAT : TCPLAN_DOUBLE))
                most = fmax(most, limit_flops(kernel));
        }
    }
    return most;
}

static void report(const struct measuring *measuring) {
    const struct tcplan_roofline_options *options = &measuring->options;
    const struct activity *activity = &measuring->activity;
    if (options->progress)
        options->progress(options->progress_context, activity->name, activity->done,
                          activity->total);
}

void measuring_begin(struct measuring *measuring, const char *name, int threads, int steps) {
    struct activity *activity = &measuring->activity;
    *activity = (struct activity){.total = steps};
    snprintf(activity->name, sizeof activity->name, "%.24s", name);
    const size_t length = strlen(activity->name);
    if (threads > 0)
        snprintf(activity->name + length, sizeof activity->name - length, ", %d thread%s", threads,
                 threads == 1 ? "" : "s");
    report(measuring);
}

void measuring_step(struct measuring *measuring) {
    measuring->activity.done += measuring->activity.done < measuring->activity.total;
    if (*measuring->activity.name) report(measuring);
}

static struct tcplan_ceiling *append(struct tcplan_ceiling **list, size_t *count, size_t *capacity,
                                     const struct tcplan_ceiling *ceiling) {
    if (*count == *capacity) {
        const size_t more = *capacity * 2 + 32;
        struct tcplan_ceiling *grown = base_realloc(*list, more * sizeof **list);
        if (!grown) return NULL;
        *list = grown;
        *capacity = more;
    }
    (*list)[*count] = *ceiling;
    return &(*list)[(*count)++];
}

enum tcplan_status measuring_append(struct measuring *measuring,
                                    const struct tcplan_ceiling *ceiling,
                                    struct tcplan_error *error) {
    struct tcplan_roofline *roofline = measuring->roofline;
    const bool added = ceiling->cache < 0 ? append(&roofline->compute, &roofline->compute_count,
                                                   &measuring->compute_capacity, ceiling) != NULL
                                          : append(&roofline->bandwidth, &roofline->bandwidth_count,
                                                   &measuring->bandwidth_capacity, ceiling) != NULL;
    return added ? TCPLAN_OK : error_no_memory(error);
}

static enum tcplan_status check(const struct tcplan_ceiling *ceiling,
                                const struct team_series *series, struct tcplan_error *error) {
    const bool bandwidth = ceiling->cache >= 0;
    if (series->wrong) {
        return error_set(error, TCPLAN_ENVIRONMENT,
                         "the kernel %s (%d bits) computes wrong results: the compiler changed it",
                         ceiling->name, ceiling->vector_bits);
    }
    if (ceiling->limit > 0 && ceiling->rate > ceiling->limit * BROKEN_FACTOR) {
        return error_set(
            error, TCPLAN_ENVIRONMENT,
            "%s%s%s (%d bits, %d threads) reached %.4g %s, but the cores can reach at most %.4g: "
            "the measurement is broken",
            ceiling->name, bandwidth ? " in " : "", ceiling->level, ceiling->vector_bits,
            ceiling->threads, ceiling->rate, bandwidth ? "GB/s" : "GFLOP/s", ceiling->limit);
    }
    return TCPLAN_OK;
}

static void note_clock(struct tcplan_ceiling *ceiling, double before_hz, double after_hz) {
    if (!(before_hz > 0 && after_hz > 0)) return;
    ceiling->clock_hz = (before_hz + after_hz) / 2;
    ceiling->clock_drift = fmax(after_hz, before_hz) / fmin(after_hz, before_hz) - 1;
}

enum tcplan_status measuring_add(struct measuring *measuring, struct tcplan_ceiling *ceiling,
                                 const struct team_series *series, double amount,
                                 double limit_per_cycle, struct tcplan_error *error) {
    struct tcplan_roofline *roofline = measuring->roofline;
    const double hz = chain_clock_hz(); /* the clock rate may have changed since the last ceiling */
    note_clock(ceiling, measuring->last_hz, hz);
    measuring->last_hz = hz;
    if (hz > measuring->highest_hz) measuring->highest_hz = hz;
    ceiling->origin = TCPLAN_ORIGIN_MEASURED;
    ceiling->windows = series->counted;
    ceiling->dropped = series->dropped;
    ceiling->limit = 1e-9 * limit_per_cycle * measuring->highest_hz * ceiling->threads;
    measuring_step(measuring);
    if (series->counted > 0) {
        const struct summary summary = summary_make(series->seconds, series->counted);
        ceiling->rate = 1e-9 * amount / summary.median;
        ceiling->q1 = 1e-9 * amount / summary.q3;
        ceiling->q3 = 1e-9 * amount / summary.q1;
    }
    enum tcplan_status status = check(ceiling, series, error);
    if (status != TCPLAN_OK) return status;
    const bool above_limit = ceiling->limit > 0 && ceiling->rate > ceiling->limit * LIMIT_TOLERANCE;
    roofline->left_out += series->counted == 0;
    roofline->above_limit += above_limit;
    if (series->counted == 0 || above_limit) return TCPLAN_OK;
    ceiling->rough = ceiling->rough || measuring->rough;
    return measuring_append(measuring, ceiling, error);
}
