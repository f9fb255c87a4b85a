#include "tcplan/roofline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
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

static enum tcplan_status check_options(const struct tcplan_roofline_options *options, struct tcplan_error *error) {
    if (options->windows < MIN_WINDOWS || options->windows > MAX_WINDOWS) {
        return error_set(error, TCPLAN_INVALID, "expected %d to %d windows, found %d", MIN_WINDOWS, MAX_WINDOWS, options->windows);
    }
    if (!(options->window_seconds >= 1e-5 && options->window_seconds <= 10)) {
        return error_set(error, TCPLAN_INVALID, "expected windows of 0.00001 to 10 seconds, found %g", options->window_seconds);
    }
    if (options->threads < 0 || options->threads > MAX_THREADS) {
        return error_set(error, TCPLAN_INVALID, "expected 1 to %d threads, found %d", MAX_THREADS, options->threads);
    }
    const int most = team_most_threads();
    if (most > 0 && options->threads > most) { /* they spin while they wait for each other */
        return error_set(error, TCPLAN_INVALID, "expected at most %d thread%s, as many as run at the same time here, found %d", most,
                         most == 1 ? "" : "s", options->threads);
    }
    if (sweep_check(options->sweep, error) != TCPLAN_OK) return TCPLAN_INVALID;
    if (options->max_memory_bytes < 0) return error_set(error, TCPLAN_INVALID, "expected a bound on memory, found a negative number");
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

/** What the caller left open. */
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

static enum tcplan_status describe_machine(struct tcplan_roofline *roofline, const struct tcplan_roofline_options *options,
                                           struct tcplan_error *error) {
    if (!options->machine) return tcplan_machine_load(&roofline->machine, "live", error);
    roofline->machine = *options->machine;
    roofline->machine.ceilings = NULL; /* they are these */
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

/** What is neither there nor unwanted. */
static enum tcplan_status measure_missing(struct measuring *measuring, struct tcplan_error *error) {
    enum tcplan_status status = compute_measure(measuring, error);
    if (status == TCPLAN_OK) status = gemm_measure(measuring, error);
    if (status == TCPLAN_OK) status = bandwidth_measure(measuring, error);
    note_good_states(measuring);
    return status;
}

/** Those that met slow cores: in half of the time that all took at most, and within the time limit. */
static enum tcplan_status measure_slow_again(struct measuring *measuring, uint64_t start_ns, struct tcplan_error *error) {
    const uint64_t now_ns = clock_now_ns(), over_ns = now_ns + (now_ns - start_ns) / 2, limit_ns = measuring->deadline_ns;
    const struct tcplan_roofline before = *measuring->roofline;
    struct tcplan_roofline slow;
    if (tcplan_roofline_slow_count(measuring->roofline) == 0 || (limit_ns > 0 && now_ns > limit_ns)) return TCPLAN_OK;
    measuring->deadline_ns = limit_ns > 0 && limit_ns < over_ns ? limit_ns : over_ns;
    known_take_slow(measuring, &slow);
    measuring->again = &slow;
    enum tcplan_status status = measure_missing(measuring, error);
    measuring->again = NULL;
    const enum tcplan_status put = known_put_back(measuring, &slow, status == TCPLAN_OK ? error : NULL);
    note_good_states(measuring);
    measuring->roofline->unmeasured = before.unmeasured; /* what was there is there */
    measuring->roofline->left_out = before.left_out;
    measuring->roofline->above_limit = before.above_limit;
    return status == TCPLAN_OK ? put : status;
}

static enum tcplan_status measure_all(struct measuring *measuring, struct tcplan_error *error) {
    struct tcplan_roofline *roofline = measuring->roofline;
    const uint64_t start_ns = clock_now_ns();
    const double limit_seconds = measuring->options.time_limit_seconds;
    if (limit_seconds > 0) measuring->deadline_ns = start_ns + (uint64_t)(1e9 * limit_seconds);
    roofline->clock = chain_clock_rate();
    measuring->highest_hz = measuring->last_hz = roofline->clock.hz;
    enum tcplan_status status = known_take(measuring, error);
    if (status == TCPLAN_OK) status = measure_missing(measuring, error);
    if (status == TCPLAN_OK) status = measure_slow_again(measuring, start_ns, error);
    known_sort(roofline);
    if (status != TCPLAN_OK || (roofline->compute_count > 0 && roofline->bandwidth_count > 0)) return status;
    if (roofline->above_limit > roofline->left_out) {
        return error_set(error, TCPLAN_ENVIRONMENT, "every rate came out above what the cores can do: the clock is not known well enough");
    }
    if (roofline->unmeasured > 0)
        return error_set(error, TCPLAN_ENVIRONMENT, "the time was over before there was one ceiling of each kind");
    return error_set(error, TCPLAN_ENVIRONMENT, "no window was undisturbed: other work has the cores; try again when it is done");
}

static enum tcplan_status measure(struct tcplan_roofline *roofline, const struct tcplan_roofline_options *options,
                                  struct tcplan_error *error) {
    struct measuring measuring = {.roofline = roofline, .options = *options, .rough = options->untuned || options->max_memory_bytes > 0};
    complete_options(&measuring.options);
    choose_counts(&measuring);
    enum tcplan_status status = describe_machine(roofline, options, error);
    if (status != TCPLAN_OK) return status;
    kernels_choose(measuring.set);
    measuring.widths = kernels_widths(measuring.width);
    roofline->lacking = kernels_lacking();
    roofline->unbuilt = kernels_unbuilt();
    measuring.seconds = base_alloc(2 * (size_t)measuring.options.windows * sizeof *measuring.seconds);
    if (!measuring.seconds) return error_no_memory(error);
    /* A BLAS may create its threads now: later, they would be bound to the core that the calling thread is bound to then. */
    const struct blas_threads before = blas_take_threads(measuring.options.threads);
    status = team_new(&measuring.team, measuring.options.threads, NULL, error);
    if (status == TCPLAN_OK) status = measure_all(&measuring, error);
    team_free(measuring.team);
    blas_put_threads_back(&before);
    base_free(measuring.seconds);
    return status;
}

enum tcplan_status tcplan_roofline_measure(struct tcplan_roofline **out, const struct tcplan_roofline_options *options,
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
