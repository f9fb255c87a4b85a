#include <math.h>

#include "ast/algorithm/algorithm.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/units.h"
#include "microbench/predict/cutoff.h"
#include "microbench/program/reduce.h"
#include "microbench/providers/blas.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/reference.h"
#include "plan/decision/findings.h"
#include "plan/decision/select.h"
#include "plan/decision/simplicity.h"
#include "plan/learn/errors.h"
#include "plan/predictor.h"
#include "plan/trial.h"

#define RUN_LIMIT_NS NS_PER_SECOND

/*
 * Runs of at least this many seconds need no warm-up of caches, which takes a small part of them:
 * filling a second-level cache of some MiB takes a tenth of a millisecond. bench/contest.c, which
 * judges the choice, warms up shorter runs as well.
 */
#define LONG_RUN_SECONDS 2e-3
#define OPENING_WARM_UP_NS 0.25e6
#define LONG_CALL_NS 2e6

/* A run that takes longer than expected by this factor, after a run of another algorithm, counts
 * as cold. */
#define COLD_SHARE 1.07

/* Cold and disturbed runs of at least this many seconds are not repeated. */
#define LONG_RUN_AGAIN_SECONDS 5e-3

/* Expected duration of a round of two arms, in runs of the faster one: the other arm is slower,
 * and warm-up takes part of a run. */
#define RUNS_OF_TWO 2.5

/* Factor on the shortest run; a run that will take longer ends early. */
#define SLOW_FACTOR 1.05

/* Up to this factor above the fastest time, a candidate may be the fastest: windows err. */
#define NEAR_FACTOR 1.5

/* Number of long calls in a window. */
#define CALLS_OF_A_SAMPLE 10.0

/* Largest number of compared candidates; open programs; repetitions of disturbed samples. */
enum { MOST_ARMS = 512, MOST_OPEN = 8, ATTEMPTS = 2, FEWEST_ROUNDS = 2, ROUNDS_FACTOR = 4 };

/** An algorithm that is ready to be sampled. */
struct open_arm {
    bool in_use;
    size_t arm;
    int last_used; /**< number of the last sample at which it was used */
    struct trial trial;
    struct tcplan_program *program; /**< program to execute, if samples are whole runs */
};

/** State of a comparison; context of a struct select_means. */
struct comparison {
    struct ranker *ranker;
    const struct tcplan_entry *fastest; /**< the fastest evaluated entry */
    double fastest_seconds;             /**< predicted seconds of `fastest` */
    bool executes;                      /**< whether samples are whole runs, not windows */
    int samples;
    double shortest_seconds; /**< shortest run so far */
    double window_seconds;   /**< longest time of a sample so far, with preparation, in seconds */
    size_t arm_count;
    struct select_arm *arm; /**< arms; arm a is entry a of the ranking */
    struct open_arm open[MOST_OPEN];
};

static struct tcplan_entry *entry_of(const struct comparison *comparison, size_t arm) {
    return &comparison->ranker->ranking->entry[arm];
}

static void close_arm(struct comparison *comparison, struct open_arm *open) {
    if (!open->in_use) return;
    tcplan_program_free(open->program);
    trial_end(&open->trial, comparison->ranker);
    *open = (struct open_arm){0};
}

/** Returns whether an arm's calls are so long that a warm-up run could not be stopped early; its
 * first run then counts as a sample. */
static bool is_one_piece(const struct comparison *comparison, const struct open_arm *open) {
    return NS_PER_SECOND * entry_of(comparison, open->arm)->prediction.seconds >
           LONG_CALL_NS * (double)open->program->calls;
}

/** Returns whether a run is too short to warm up the caches by itself. */
static bool is_short(const struct comparison *comparison, size_t arm) {
    return entry_of(comparison, arm)->prediction.seconds <= LONG_RUN_SECONDS;
}

/** Returns the length of the warm-up before short runs: one run is enough if the second-level cache
 * holds all tensors. */
static double warm_up_ns(const struct comparison *comparison) {
    const struct tcplan_machine *machine = &comparison->ranker->machine;
    const double bytes = (double)buffers_total_bytes(comparison->ranker->ranking->buffers);
    const bool is_near = machine->cache_count > 1 && bytes <= (double)machine->cache[1].size_bytes;
    return is_near ? 0 : CUTOFF_WARM_UP_NS;
}

static enum tcplan_status open_run(struct comparison *comparison, struct open_arm *open,
                                   struct tcplan_error *error) {
    struct ranker *ranker = comparison->ranker;
    const struct tcplan_problem *problem = &ranker->ranking->problem;
    struct buffers *buffers = ranker->ranking->buffers;
    enum tcplan_status status =
        tcplan_nest_build(&open->trial.nest, problem->contraction,
                          &entry_of(comparison, open->arm)->algorithm, error);
    if (status == TCPLAN_OK)
        status = program_build_on(&open->program, open->trial.nest, problem, &buffers->scratch,
                                  &ranker->maker, error);
    if (status == TCPLAN_OK)
        status = tcplan_program_set_threads(open->program, entry_of(comparison, open->arm)->threads,
                                            error);
    if (status == TCPLAN_OK && is_short(comparison, open->arm)) {
        cutoff_warm_up(open->program, buffers, RUN_LIMIT_NS, warm_up_ns(comparison));
    } else if (status == TCPLAN_OK && !is_one_piece(comparison, open)) {
        cutoff_warm_up(open->program, buffers, OPENING_WARM_UP_NS, OPENING_WARM_UP_NS);
    }
    open->last_used = comparison->samples;
    return status;
}

static bool holds(const struct open_arm *open, size_t arm) {
    return open->in_use && open->arm == arm;
}

/** Returns the place of an open arm, or the least recently used place. */
static struct open_arm *find_open(struct comparison *comparison, size_t arm) {
    struct open_arm *oldest = &comparison->open[0];
    for (size_t o = 0; o < MOST_OPEN; o++) {
        struct open_arm *open = &comparison->open[o];
        if (holds(open, arm)) return open;
        if (open->last_used < oldest->last_used) oldest = open;
    }
    return oldest;
}

static enum tcplan_status open_arm(struct comparison *comparison, struct open_arm *open, size_t arm,
                                   struct tcplan_error *error) {
    if (holds(open, arm)) return TCPLAN_OK;
    close_arm(comparison, open);
    *open = (struct open_arm){.in_use = true, .arm = arm};
    if (comparison->executes) return open_run(comparison, open, error);
    return trial_start(&open->trial, comparison->ranker, entry_of(comparison, arm), WINDOW_LONG,
                       error);
}

/** Returns whether the arm was executed last, so that its data is in the caches. */
static bool is_warm(const struct comparison *comparison, const struct open_arm *open) {
    return open->last_used == comparison->samples;
}

/** Times one run, or several short ones. Short runs are warmed up if another arm was executed last.
 * A longer first run that is slower than expected counts as warm-up. */
static struct drift_sample sample_run(struct comparison *comparison, struct open_arm *open) {
    struct tcplan_ranking *ranking = comparison->ranker->ranking;
    const double seconds = entry_of(comparison, open->arm)->prediction.seconds;
    struct drift_sample sample = {0};
    const bool is_cold = !is_warm(comparison, open);
    if (is_short(comparison, open->arm) && is_cold)
        cutoff_warm_up(open->program, ranking->buffers, RUN_LIMIT_NS, warm_up_ns(comparison));
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        sample = cutoff_sample(open->program, ranking->buffers, seconds * NS_PER_SECOND,
                               SLOW_FACTOR * comparison->shortest_seconds,
                               comparison->ranker->reference);
        ranking->load.windows++;
        ranking->load.disturbed += sample.disturbed;
        const double again_seconds = fmax(seconds, sample.seconds);
        const bool is_long = again_seconds > LONG_RUN_AGAIN_SECONDS ||
                             again_seconds > deadline_left_seconds(comparison->ranker->deadline);
        const bool warmed_up = attempt == 0 && is_cold && !is_short(comparison, open->arm) &&
                               sample.seconds > COLD_SHARE * seconds;
        if ((!sample.disturbed && !warmed_up) || is_long) break;
    }
    return sample;
}

/** Times a window between two references; times below the limit of the ceilings are raised to the
 * limit. */
static enum tcplan_status sample_window(const struct ranker *ranker, struct open_arm *open,
                                        struct drift_sample *out, struct tcplan_error *error) {
    struct window *window = &open->trial.window;
    const double before = reference_seconds(ranker->reference);
    if (window->sample_count == TCPLAN_MAX_SAMPLES) { /* the next samples replace these, at new
                                                         places */
        window->seed += TCPLAN_MAX_SAMPLES;
        window->sample_count = 0;
    }
    enum tcplan_status status = window_sample(window, error);
    if (status != TCPLAN_OK) return status;
    const double seconds =
        fmax(window->sample_ns[window->sample_count - 1] * SECONDS_PER_NS, ranker->least_seconds);
    *out = (struct drift_sample){.seconds = seconds,
                                 .reference_seconds =
                                     sqrt(before * reference_seconds(ranker->reference)),
                                 .disturbed = window->is_disturbed};
    return TCPLAN_OK;
}

static enum tcplan_status sample_open(struct comparison *comparison, struct open_arm *open,
                                      struct drift_sample *out, struct tcplan_error *error) {
    if (!comparison->executes) return sample_window(comparison->ranker, open, out, error);
    *out = sample_run(comparison, open);
    comparison->shortest_seconds = fmin(comparison->shortest_seconds, out->seconds);
    return TCPLAN_OK;
}

static enum tcplan_status sample(void *context, size_t arm, struct drift_sample *out,
                                 struct tcplan_error *error) {
    struct comparison *comparison = context;
    struct open_arm *open = find_open(comparison, arm);
    const uint64_t start_ns = clock_now_ns();
    ranker_report(comparison->ranker, "comparing the fastest", comparison->samples,
                  INFINITY); /* no limit on the number of samples */
    const bool follows_itself = holds(open, arm) && is_warm(comparison, open);
    blas_set_threads(entry_of(comparison, arm)->threads);
    if (!follows_itself) trial_rest(comparison->ranker, entry_of(comparison, arm));
    enum tcplan_status status = open_arm(comparison, open, arm, error);
    if (status == TCPLAN_OK) status = sample_open(comparison, open, out, error);
    if (status == TCPLAN_OK)
        ranker_notify(comparison->ranker, TCPLAN_PLANNING_SAMPLED,
                      &entry_of(comparison, arm)->algorithm, out->seconds);
    ranker_step(comparison->ranker);
    open->last_used = ++comparison->samples;
    if (ranker_forgives(comparison->ranker, entry_of(comparison, arm), status))
        status = TCPLAN_NOT_APPLICABLE;
    if (status != TCPLAN_OK) close_arm(comparison, open);
    comparison->window_seconds =
        fmax(comparison->window_seconds, (double)(clock_now_ns() - start_ns) * SECONDS_PER_NS);
    return status;
}

/** Returns the seconds of warm-up before an arm's next sample. */
static double warm_up_seconds(struct comparison *comparison, size_t arm) {
    const struct open_arm *open = find_open(comparison, arm);
    const double run_seconds = entry_of(comparison, arm)->prediction.seconds;
    const bool is_open = holds(open, arm);
    if (is_short(comparison, arm))
        return is_open && is_warm(comparison, open)
                   ? 0
                   : fmax(run_seconds, SECONDS_PER_NS * warm_up_ns(comparison));
    return is_open ? 0
                   : fmin(run_seconds,
                          run_seconds / CUTOFF_PIECES + SECONDS_PER_NS * OPENING_WARM_UP_NS);
}

static double cost(void *context, size_t arm) {
    struct comparison *comparison = context;
    if (!comparison->executes) return comparison->window_seconds;
    return entry_of(comparison, arm)->prediction.seconds + warm_up_seconds(comparison, arm);
}

static double left(void *context) {
    const struct comparison *comparison = context;
    return deadline_left_seconds(comparison->ranker->deadline);
}

static int prefer(void *context, size_t a, size_t b) {
    const struct comparison *comparison = context;
    return simplicity_prefer(&comparison->ranker->ranking->problem, entry_of(comparison, a),
                             entry_of(comparison, b), comparison->ranker->options.prefer);
}

/** Returns whether the shortest comparison by runs ends before the time limit. */
static bool has_time_for_runs(const struct ranker *ranker, double run_seconds) {
    return RUNS_OF_TWO * FEWEST_ROUNDS * run_seconds <= deadline_left_seconds(ranker->deadline);
}

/** Returns whether windows time only a part of an entry's kernel calls. */
static bool has_partial_calls(const struct ranker *ranker, const struct tcplan_entry *entry) {
    return ranker->ranking->problem.flops / (double)entry->calls >
           ranker->settings[WINDOW_LONG].most_call_flops;
}

/** Returns whether windows time only a part of the kernel calls of the baseline or of a
 * candidate near the fastest. The baseline is usually a single call; timing a part of it may make
 * it look much too slow. */
static bool any_has_partial_calls(const struct ranker *ranker, const struct tcplan_entry *fastest) {
    const struct tcplan_ranking *ranking = ranker->ranking;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        const bool is_near = entry->predicted &&
                             entry->prediction.seconds <= NEAR_FACTOR * fastest->prediction.seconds;
        if (entry->calls > 0 && (is_near || entry->is_baseline) && has_partial_calls(ranker, entry))
            return true;
    }
    return false;
}

bool ranker_compares_runs(const struct ranker *ranker, const struct tcplan_entry *fastest) {
    if (fastest->basis == TCPLAN_BASIS_RUNS) return true;
    const double most_seconds = any_has_partial_calls(ranker, fastest)
                                    ? ranker->effort.executed_part_seconds
                                    : ranker->effort.executed_seconds;
    return ranker->options.cache == TCPLAN_CACHE_WARM &&
           fastest->prediction.seconds <= most_seconds &&
           has_time_for_runs(ranker, fastest->prediction.seconds) &&
           buffers_all_backed(ranker->ranking->buffers);
}

static enum tcplan_basis basis_of(const struct comparison *comparison) {
    return comparison->executes ? TCPLAN_BASIS_RUNS : TCPLAN_BASIS_LONG;
}

static struct select_rules rules_of(const struct comparison *comparison) {
    const struct ranker *ranker = comparison->ranker;
    const int least_rounds =
        ranker->effort.rounds > FEWEST_ROUNDS ? ranker->effort.rounds : FEWEST_ROUNDS;
    /* Runs above executed_seconds vary less, and a round of them takes a second or more, so no
     * additional rounds are taken, and only half of the final samples. */
    const bool is_long =
        comparison->executes && comparison->fastest_seconds > ranker->effort.executed_seconds;
    return (struct select_rules){
        .least_rounds = least_rounds,
        .most_rounds = is_long ? least_rounds : ROUNDS_FACTOR * ranker->effort.rounds,
        .final_rounds = is_long ? (ranker->effort.rounds + 1) / 2 : ranker->effort.rounds,
        .baseline_seconds = effort_seconds(ranker->effort.baseline, comparison->fastest_seconds),
        .is_steady = is_long,
        .margin = simplicity_margin(ranker->options.prefer),
        .price = effort_price(&ranker->effort, comparison->fastest_seconds),
        .elasticity = ranker_expected_elasticity(ranker, comparison->fastest_seconds),
        .expected = predictor_expected(basis_of(comparison))};
}

/** Returns how many leading entries have a prediction. */
static size_t count_arms(const struct tcplan_ranking *ranking) {
    size_t count = 0;
    while (count < ranking->entry_count && count < MOST_ARMS && ranking->entry[count].predicted)
        count++;
    return count;
}

/** Returns the fastest evaluated one of the first `count` entries; NULL: none. */
static const struct tcplan_entry *fastest_seen(const struct tcplan_ranking *ranking, size_t count) {
    for (size_t e = 0; e < count; e++) {
        if (ranking->entry[e].basis != TCPLAN_BASIS_ESTIMATE) return &ranking->entry[e];
    }
    return NULL;
}

static enum tcplan_status compare(struct comparison *comparison, struct tcplan_error *error) {
    const struct tcplan_ranking *ranking = comparison->ranker->ranking;
    const struct select_means means = {
        .context = comparison, .sample = sample, .cost = cost, .left = left, .prefer = prefer};
    struct select select;
    for (size_t a = 0; a < comparison->arm_count; a++) {
        const struct tcplan_entry *entry = &ranking->entry[a];
        struct select_arm *arm = &comparison->arm[a];
        arm->seconds = entry->prediction.seconds;
        arm->spread = errors_spread(comparison->ranker->options.experience, entry->basis);
        arm->is_baseline = entry->is_baseline;
        arm->is_stored = entry->is_stored;
        arm->withdrawn = entry->basis == TCPLAN_BASIS_ESTIMATE && !entry->is_baseline;
    }
    const struct select_rules rules = rules_of(comparison);
    const int threads = blas_threads();
    enum tcplan_status status =
        select_run(&select, &rules, comparison->arm, comparison->arm_count, &means, error);
    blas_set_threads(threads);
    for (size_t o = 0; o < MOST_OPEN; o++) close_arm(comparison, &comparison->open[o]);
    comparison->ranker->ranking->out_of_time |= select.is_out_of_time;
    if (status == TCPLAN_OK) {
        errors_learn(comparison->ranker, &select);
        findings_note(comparison->ranker, &select, basis_of(comparison));
    }
    return status;
}

/** Returns the estimated seconds of a first window. */
static double least_window_seconds(const struct ranker *ranker, const struct tcplan_entry *entry) {
    const struct window_settings *settings = &ranker->settings[WINDOW_LONG];
    const double calls = (double)entry->calls;
    const double call_seconds =
        kernel_reduced_seconds(entry->prediction.seconds / calls,
                               ranker->ranking->problem.flops / calls, settings->most_call_flops);
    return SECONDS_PER_NS * (settings->warm_up_ns + settings->window_ns) +
           CALLS_OF_A_SAMPLE * call_seconds;
}

enum tcplan_status ranker_compare(struct ranker *ranker, struct tcplan_error *error) {
    struct comparison comparison = {.ranker = ranker, .shortest_seconds = INFINITY};
    ranker_enter(ranker, TCPLAN_PLANNING_COMPARISON);
    ranker_sort(ranker->ranking);
    comparison.arm_count = count_arms(ranker->ranking);
    if (ranker->ranking->entry_count > 0)
        ranker->ranking->entry[0].picked = ranker->ranking->entry[0].missed =
            ranker->ranking->entry[0].predicted;
    comparison.fastest = fastest_seen(ranker->ranking, comparison.arm_count);
    if (!comparison.fastest) return TCPLAN_OK;
    comparison.fastest_seconds = comparison.fastest->prediction.seconds;
    comparison.executes = ranker_compares_runs(ranker, comparison.fastest);
    comparison.window_seconds = least_window_seconds(ranker, comparison.fastest);
    /* Zeroed on demand: most of this large array is never touched. */
    comparison.arm = base_alloc_zero(comparison.arm_count, sizeof *comparison.arm);
    if (!comparison.arm) return error_no_memory(error);
    enum tcplan_status status = compare(&comparison, error);
    base_free(comparison.arm);
    return status;
}
