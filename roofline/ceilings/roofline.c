#include "tcplan/roofline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/deadline.h"
#include "base/error.h"
#include "cachesim/places.h"
#include "microbench/program/buffers.h"
#include "microbench/providers/blas.h"
#include "microbench/timing/clock.h"
#include "roofline/ceilings/known.h"
#include "roofline/ceilings/measuring.h"
#include "roofline/ceilings/sweep.h"
#include "roofline/timing/chain.h"

enum { MIN_WINDOWS = 3, MAX_WINDOWS = 1000, MAX_THREADS = 4096 };

struct tcplan_roofline_options tcplan_roofline_defaults(void) {
    return (struct tcplan_roofline_options){.windows = 20, .window_seconds = 2e-3};
}

static enum tcplan_status check_options(const struct tcplan_roofline_options *options,
                                        struct tcplan_error *error) {
    if (options->windows < MIN_WINDOWS || options->windows > MAX_WINDOWS) {
        return error_set(error, TCPLAN_INVALID, "expected %d to %d windows, found %d", MIN_WINDOWS,
                         MAX_WINDOWS, options->windows);
    }
    if (!(options->window_seconds >= 1e-5 && options->window_seconds <= 10)) {
        return error_set(error, TCPLAN_INVALID,
                         "expected windows of 0.00001 to 10 seconds, found %g",
                         options->window_seconds);
    }
    if (options->threads < 0 || options->threads > MAX_THREADS) {
        return error_set(error, TCPLAN_INVALID, "expected 1 to %d threads, found %d", MAX_THREADS,
                         options->threads);
    }
    const int most = team_most_threads();
    if (most > 0 && options->threads > most) { /* waiting threads spin, so each needs a processor of
                                                  its own */
        return error_set(
            error, TCPLAN_INVALID,
            "expected at most %d thread%s, the number that can run at the same time here, found %d",
            most, most == 1 ? "" : "s", options->threads);
    }
    if (sweep_check(options->sweep, error) != TCPLAN_OK) return TCPLAN_INVALID;
    if (options->max_memory_bytes < 0)
        return error_set(error, TCPLAN_INVALID,
                         "expected a memory limit of at least 0, found a negative number");
    return TCPLAN_OK;
}

double tcplan_roofline_clock_now(void) {
    enum { READINGS = 5 };
    double fastest = 0;
    for (int r = 0; r < READINGS; r++) fastest = fmax(fastest, chain_clock_hz());
    return fastest;
}

int tcplan_roofline_thread_counts(int out[TCPLAN_ROOFLINE_COUNTS], int most) {
    struct places places;
    if (places_load(&places, NULL, NULL) == TCPLAN_OK) return places_counts(out, &places, most);
    out[0] = 1;
    if (most > 1) out[1] = most;
    return most > 1 ? 2 : 1;
}

/** Replaces options of 0 by their defaults. */
static void complete_options(struct tcplan_roofline_options *options) {
    if (options->max_memory_bytes == 0) options->max_memory_bytes = buffers_available_bytes() / 2;
    if (options->max_memory_bytes == 0) options->max_memory_bytes = (int64_t)1 << 30;
}

static void choose_counts(struct measuring *measuring) {
    const int threads = measuring->options.threads;
    measuring->counts = tcplan_roofline_thread_counts(measuring->count, threads);
    if (measuring->options.one_count) {
        measuring->count[0] = measuring->count[measuring->counts - 1];
        measuring->counts = 1;
    }
    measuring->options.threads = measuring->count[measuring->counts - 1];
}

static enum tcplan_status describe_machine(struct tcplan_roofline *roofline,
                                           const struct tcplan_roofline_options *options,
                                           struct tcplan_error *error) {
    if (!options->machine) return tcplan_machine_load(&roofline->machine, "live", error);
    roofline->machine = *options->machine;
    roofline->machine.ceilings =
        NULL; /* the given machine's ceilings are replaced by those being measured */
    return TCPLAN_OK;
}

static void describe_blas(struct tcplan_roofline *roofline) {
    const struct tcplan_blas blas = tcplan_blas_info();
    snprintf(roofline->blas, sizeof roofline->blas, "%s", blas.text);
}

static void note_good_states(struct measuring *measuring) {
    for (int t = 0; t < measuring_thread_counts(measuring); t++) {
        measuring_note_good_state(measuring->roofline, measuring_threads(measuring, t));
    }
}

typedef enum tcplan_status kind_fn(struct measuring *measuring, int threads,
                                   struct tcplan_error *error);

/** The kinds of ceilings, the most important first. */
static kind_fn *const kinds[] = {compute_measure, bandwidth_measure, gemm_measure};
enum { KINDS = sizeof kinds / sizeof *kinds };

/**
 * Measures the requested ceilings that are missing, one number of threads after the other.
 *
 * @param shared divides the remaining time equally among kinds and numbers of threads, so that a
 *     time limit leaves some ceilings of each
 */
static enum tcplan_status measure_missing(struct measuring *measuring, struct deadline deadline,
                                          bool shared, struct tcplan_error *error) {
    const int steps = KINDS * measuring_thread_counts(measuring);
    enum tcplan_status status = TCPLAN_OK;
    for (int s = 0; s < steps && status == TCPLAN_OK; s++) {
        measuring->deadline = shared ? deadline_share(deadline, 1.0 / (steps - s)) : deadline;
        status = kinds[s % KINDS](measuring, measuring_threads(measuring, s / KINDS), error);
    }
    note_good_states(measuring);
    return status;
}

/** Measures the ceilings for which their share of the time was too short, in the time that other
 * ceilings did not use. */
static enum tcplan_status measure_rest(struct measuring *measuring, struct deadline deadline,
                                       struct tcplan_error *error) {
    struct tcplan_roofline *roofline = measuring->roofline;
    if (roofline->unmeasured == 0 || deadline_is_over(deadline)) return TCPLAN_OK;
    /* the missing ceilings are counted again */
    roofline->unmeasured = roofline->left_out = roofline->above_limit = 0;
    return measure_missing(measuring, deadline, false, error);
}

/** Measures again the ceilings that were measured on slow cores, for at most half of `seconds`, the
 * time that the measurement took so far. */
static enum tcplan_status measure_slow_again(struct measuring *measuring, double seconds,
                                             struct deadline deadline, struct tcplan_error *error) {
    const struct tcplan_roofline before = *measuring->roofline;
    struct tcplan_roofline slow;
    if (tcplan_roofline_slow_count(measuring->roofline) == 0 || deadline_is_over(deadline))
        return TCPLAN_OK;
    known_take_slow(measuring, &slow);
    measuring->again = &slow;
    enum tcplan_status status = measure_missing(
        measuring, deadline_first(deadline, deadline_in(seconds / 2)), false, error);
    measuring->again = NULL;
    const enum tcplan_status put =
        known_put_back(measuring, &slow, status == TCPLAN_OK ? error : NULL);
    note_good_states(measuring);
    /* the ceilings that were removed are in the roofline again */
    measuring->roofline->unmeasured = before.unmeasured;
    measuring->roofline->left_out = before.left_out;
    measuring->roofline->above_limit = before.above_limit;
    return status == TCPLAN_OK ? put : status;
}

static bool is_interrupted(const void *context) {
    const volatile sig_atomic_t *const *interrupted = context;
    return **interrupted != 0;
}

/** Returns a deadline that refers to `options`, which must outlive it. */
static struct deadline deadline_of(const struct tcplan_roofline_options *options) {
    struct deadline out = deadline_in(options->time_limit_seconds);
    if (!options->interrupted) return out;
    out.is_cancelled = is_interrupted;
    out.context = &options->interrupted;
    return out;
}

/**
 * Returns an error unless there are compute and bandwidth ceilings. If the time limit ended the
 * measurement, one ceiling is enough.
 */
static enum tcplan_status check_found(const struct tcplan_roofline *roofline,
                                      struct tcplan_error *error) {
    const bool cut = roofline->unmeasured > 0;
    if (roofline->compute_count > 0 && roofline->bandwidth_count > 0) return TCPLAN_OK;
    if (cut && roofline->compute_count + roofline->bandwidth_count > 0) return TCPLAN_OK;
    if (roofline->above_limit > roofline->left_out) {
        return error_set(
            error, TCPLAN_ENVIRONMENT,
            "every rate exceeds the theoretical peak: the clock is not known well enough");
    }
    if (cut)
        return error_set(error, TCPLAN_ENVIRONMENT,
                         "time limit reached before the first ceiling was measured");
    return error_set(error, TCPLAN_ENVIRONMENT,
                     "other load disturbed every window; try again on an idle machine");
}

static enum tcplan_status measure_all(struct measuring *measuring, struct deadline deadline,
                                      struct tcplan_error *error) {
    struct tcplan_roofline *roofline = measuring->roofline;
    const double start = monotonic_seconds();
    roofline->clock = chain_clock_rate();
    measuring->highest_hz = measuring->last_hz = roofline->clock.hz;
    enum tcplan_status status = known_take(measuring, error);
    if (status == TCPLAN_OK) status = measure_missing(measuring, deadline, true, error);
    if (status == TCPLAN_OK) status = measure_rest(measuring, deadline, error);
    if (status == TCPLAN_OK)
        status = measure_slow_again(measuring, monotonic_seconds() - start, deadline, error);
    known_sort(roofline);
    return status == TCPLAN_OK ? check_found(roofline, error) : status;
}

static enum tcplan_status measure(struct tcplan_roofline *roofline,
                                  const struct tcplan_roofline_options *options,
                                  struct tcplan_error *error) {
    const struct deadline deadline = deadline_of(options);
    struct measuring measuring = {.roofline = roofline,
                                  .options = *options,
                                  .rough = options->untuned || options->max_memory_bytes > 0};
    complete_options(&measuring.options);
    choose_counts(&measuring);
    enum tcplan_status status = blas_check_memory(measuring.options.threads, error);
    if (status == TCPLAN_OK) status = describe_machine(roofline, options, error);
    if (status != TCPLAN_OK) return status;
    kernels_choose(measuring.set);
    measuring.widths = kernels_widths(measuring.width);
    roofline->lacking = kernels_lacking();
    roofline->unbuilt = kernels_unbuilt();
    measuring.seconds =
        base_alloc(2 * (size_t)measuring.options.windows * sizeof *measuring.seconds);
    if (!measuring.seconds) return error_no_memory(error);
    /* Lets a BLAS create its threads now. Later the calling thread is bound to a core, and new
     * threads would inherit that. */
    const struct blas_threads before = blas_take_threads(measuring.options.threads);
    status = team_new(&measuring.team, measuring.options.threads, NULL, error);
    if (status == TCPLAN_OK) status = measure_all(&measuring, deadline, error);
    team_free(measuring.team);
    blas_put_threads_back(&before);
    base_free(measuring.seconds);
    return status;
}

enum tcplan_status tcplan_roofline_measure(struct tcplan_roofline **out,
                                           const struct tcplan_roofline_options *options,
                                           struct tcplan_error *error) {
    const struct tcplan_roofline_options defaults = tcplan_roofline_defaults();
    const uint64_t start_ns = clock_now_ns();
    if (!options) options = &defaults;
    enum tcplan_status status = check_options(options, error);
    if (status != TCPLAN_OK) return status;
    struct tcplan_roofline *roofline = base_alloc(sizeof *roofline);
    if (!roofline) return error_no_memory(error);
    *roofline = (struct tcplan_roofline){.huge_page_share = -1, .made = (int64_t)time(NULL)};
    describe_blas(roofline);
    status = measure(roofline, options, error);
    roofline->seconds += 1e-9 * (double)(clock_now_ns() - start_ns);
    if (status == TCPLAN_OK) {
        *out = roofline;
    } else {
        tcplan_roofline_free(roofline);
    }
    return status;
}
