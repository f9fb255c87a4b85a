#include "plan/predictor.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/units.h"
#include "microbench/predict/cutoff.h"
#include "microbench/predict/repeated.h"
#include "microbench/predict/scaling.h"
#include "microbench/program/reduce.h"
#include "microbench/timing/statistics.h"
#include "plan/trial.h"

/* Factor on the best prediction; a run that takes longer is right-censored, and no further windows
 * are taken. */
#define HOPELESS_FACTOR 1.5

/* Factor on the time limit of the first run after another algorithm: that run takes up to three
 * times as long as later ones if the other algorithm used non-temporal stores. In runs of many
 * milliseconds, this delay is a smaller part. */
#define COLD_FACTOR 3.0
#define LONG_COLD_FACTOR 1.5

/* Nanoseconds. Runs below SHORT_RUN_NS are timed several at a time; runs above LONG_RUN_NS vary
 * less, so one sample is enough. */
#define SHORT_RUN_NS 20e3
#define LONG_RUN_NS 300e3

/* RUNS: runs of an algorithm that is predicted alone. CUTS: right-censored runs that exclude an
 * algorithm; more than one, because other load may have disturbed a run. */
enum { RUNS = 4, CUTS = 2 };

/* Share of all elements that are copied outside of all loops, from which whole runs are used
 * instead of windows. */
#define WHOLE_SHARE 0.5

/* Warm-up of a first evaluation in nanoseconds. If runs ended before caches are warm, the
 * repetition would find the result in the last cache, and an algorithm with non-temporal stores
 * would seem faster. */
#define EVALUATION_WARM_UP_NS 0.25e6

/**
 * The instruments (windows, runs and so on): the prior spread of their samples, and their
 * systematic error as a share of the time. The systematic error includes cache state that no replay
 * restores, sharing of the last cache, and the placement of pages. With it, intervals contained the
 * measured median in 95 of 100 cases of the tuning half of bench/library.c.
 */
static const struct {
    struct expected_spread expected;
    double systematic_share;
} experience[] = {
    [TCPLAN_BASIS_PROBE] = {.expected = {.share = 0.25, .freedom = 20, .disturbed_factor = 2.5},
                            .systematic_share = 0.5},
    [TCPLAN_BASIS_WINDOWS] = {.expected = {.share = 0.1, .freedom = 3, .disturbed_factor = 2.5},
                              .systematic_share = 0.25},
    [TCPLAN_BASIS_LONG] = {.expected = {.share = 0.1, .freedom = 3, .disturbed_factor = 2.5},
                           .systematic_share = 0.1},
    [TCPLAN_BASIS_RUNS] = {.expected = {.share = 0.03, .freedom = 3, .disturbed_factor = 1.5},
                           .systematic_share = 0.1},
};

struct expected_spread predictor_expected(enum tcplan_basis basis) {
    return experience[basis].expected;
}

double predictor_systematic_share(enum tcplan_basis basis) {
    return experience[basis].systematic_share;
}

static void note_estimate(struct tcplan_entry *entry, struct tcplan_estimate estimate,
                          enum tcplan_basis basis) {
    entry->prediction = estimate;
    entry->basis = basis;
    entry->predicted = true;
    entry->at_ceiling = entry->widened = false;
    entry->status = TCPLAN_ENTRY_PREDICTED;
}

void note_samples(struct tcplan_entry *entry, const double *sample_ns, int count,
                  enum tcplan_basis basis) {
    struct tcplan_estimate estimate =
        statistics_informed_estimate(sample_ns, count, experience[basis].expected);
    const double systematic = experience[basis].systematic_share * estimate.seconds;
    estimate.low = fmax(0, estimate.seconds - hypot(estimate.seconds - estimate.low, systematic));
    estimate.high = estimate.seconds + hypot(estimate.high - estimate.seconds, systematic);
    note_estimate(entry, estimate, basis);
}

/** Excludes an entry because of its lower bound. */
static void note_bound(struct tcplan_entry *entry, double seconds) {
    entry->status = TCPLAN_ENTRY_PRUNED;
    entry->lower_bound_seconds = fmax(entry->lower_bound_seconds, seconds);
}

void note_guess(struct tcplan_entry *entry, double least_seconds) {
    const struct tcplan_estimate guess = {.seconds = fmax(entry->estimate_seconds, least_seconds),
                                          .low = fmax(entry->estimate_low, least_seconds),
                                          .high = fmax(entry->estimate_high, least_seconds)};
    note_estimate(entry, guess, TCPLAN_BASIS_ESTIMATE);
}

/* Windows. */

/** Returns whether a time in nanoseconds excludes an algorithm. */
static bool is_hopeless(const struct prediction_task *task, double ns) {
    return ns * SECONDS_PER_NS > HOPELESS_FACTOR * task->best_seconds;
}

/** Takes samples until there are enough or the entry is excluded. For long calls one sample
 * replaces several windows. */
static enum tcplan_status sample_windows(const struct prediction_task *task, struct window *window,
                                         struct tcplan_error *error) {
    const bool has_long_calls = window_has_long_calls(window, WINDOW_STANDARD);
    const int count = has_long_calls && task->grade == WINDOW_PROBE ? 1 : task->windows;
    enum tcplan_status status = TCPLAN_OK;
    while (status == TCPLAN_OK && window->sample_count < count) {
        status = window_sample(window, error);
        if (ranker_is_late(task->ranker)) break;
        if (is_hopeless(task, statistics_smallest(window->sample_ns, window->sample_count))) break;
    }
    if (status != TCPLAN_OK) return status;
    const bool is_probe =
        task->grade == WINDOW_PROBE &&
        (!has_long_calls || window->scale > 1); /* like probes, only a part of a call is timed */
    note_samples(task->entry, window->sample_ns, window->sample_count,
                 is_probe ? TCPLAN_BASIS_PROBE : TCPLAN_BASIS_WINDOWS);
    return TCPLAN_OK;
}

/** Predicts by windows. A single call that takes too long excludes the entry, like a right-censored
 * run. */
static enum tcplan_status predict_with_windows(const struct prediction_task *task,
                                               struct tcplan_error *error) {
    struct trial trial;
    enum tcplan_status status = trial_start(&trial, task->ranker, task->entry, task->grade, error);
    if (status != TCPLAN_OK) return status;
    const double in_place_ns = window_in_place_ns(&trial.window);
    const bool stays_open = isfinite(task->best_seconds) && ranker_is_late(task->ranker);
    if (is_hopeless(task, in_place_ns)) {
        note_bound(task->entry, in_place_ns * SECONDS_PER_NS);
    } else if (!stays_open) {
        status = sample_windows(task, &trial.window, error);
    }
    trial_end(&trial, task->ranker);
    return status;
}

/* Ceilings. */

/* Rounding error of a mean of equal times. */
#define ROUNDING 1e-9

void note_ceiling(struct tcplan_entry *entry, double least_seconds) {
    struct tcplan_estimate *prediction = &entry->prediction;
    const bool from_windows =
        entry->basis != TCPLAN_BASIS_RUNS && entry->basis != TCPLAN_BASIS_ESTIMATE;
    entry->at_ceiling =
        entry->predicted && from_windows && prediction->seconds <= least_seconds * (1 + ROUNDING);
    if (!entry->at_ceiling) return;
    prediction->seconds = least_seconds;
    prediction->low = fmax(prediction->low, least_seconds);
    prediction->high = fmax(prediction->high, least_seconds);
}

/* Runs. */

/**
 * Returns whether most elements are copied outside of all loops. A window contains these copies,
 * which take most of a run, so a whole run takes little longer than a window and is more accurate.
 * The run may be stopped after the copies.
 */
static bool copies_most_whole(const struct prediction_task *task) {
    const struct tcplan_problem *problem = &task->ranker->ranking->problem;
    double copied = 0, all = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const double elems = tcplan_problem_own_elems(problem, (enum tcplan_operand)t);
        all += elems;
        if (task->entry->algorithm.copy[t].depth == 0) copied += elems;
    }
    return copied > WHOLE_SHARE * all;
}

/** An execution of an algorithm, and its limits. */
struct execution {
    struct tcplan_nest *nest;
    struct tcplan_program *program;
    double limit_ns;
    double warm_up_ns;
    bool warms_up;       /**< whether a disturbed run at the end of the warm-up is ignored */
    bool is_likely_slow; /**< whether the estimate is slow as well, so that one right-censored run
                            excludes the algorithm */
    int runs;
};

/** Returns the time limit of runs that may be cold, which is at least that of short runs: a run
 * with a limit reads the clock between its calls, and so takes much longer if calls take tens of
 * nanoseconds. */
static double cold_limit_ns(double limit_ns) {
    const double cold_ns =
        fmax(LONG_COLD_FACTOR * limit_ns, fmin(COLD_FACTOR * limit_ns, CUTOFF_MOST_WARM_UP_NS));
    return fmax(cold_ns, SHORT_RUN_NS);
}

/**
 * Warms up, then runs until there are enough samples. Of long runs, the last one of the warm-up is
 * the sample. Disturbed runs are repeated.
 *
 * @return number of samples; 0: runs exceeded the limit, and a warm one takes at least *censored_ns
 */
static int take_runs(const struct execution *execution, struct buffers *buffers,
                     struct tcplan_load *load, double sample_ns[RUNS], double *censored_ns) {
    const double cold_ns = cold_limit_ns(execution->limit_ns);
    struct cutoff_run run =
        cutoff_warm_up(execution->program, buffers, cold_ns, execution->warm_up_ns);
    const double once_ns = run.ns;
    const bool is_warm = run.finished; /* the limit may have ended the first run */
    const bool is_short = is_warm && once_ns < SHORT_RUN_NS;
    const bool is_sample = !is_warm || once_ns > LONG_RUN_NS;
    const int wanted = is_sample ? 1 : execution->runs;
    const int most_cuts = execution->is_likely_slow ? 1 : CUTS;
    int count = 0;
    int cuts = 0;
    *censored_ns = INFINITY;
    for (int attempt = 0; count < wanted && cuts < most_cuts; attempt++) {
        const bool is_first = is_sample && attempt == 0;
        /* Evaluations also use disturbed runs, because they only sort candidates. */
        const bool counts =
            is_first && (is_warm ? !execution->warms_up : execution->is_likely_slow);
        if (!is_first)
            run = is_short ? cutoff_repeat(execution->program, buffers, once_ns)
                           : cutoff_execute(execution->program, buffers, execution->limit_ns);
        load->windows++;
        load->disturbed += run.disturbed;
        if (run.disturbed && attempt < wanted && !counts) continue;
        if (run.finished) {
            sample_ns[count++] = run.ns;
        } else {
            const double cold_factor = is_first ? cold_ns / execution->limit_ns : 1;
            *censored_ns = fmin(*censored_ns, run.ns / cold_factor);
            cuts++;
        }
    }
    return count == wanted ? count : 0;
}

static enum tcplan_status run_execution(const struct prediction_task *task,
                                        const struct execution *execution, bool *done) {
    struct tcplan_ranking *ranking = task->ranker->ranking;
    struct tcplan_entry *entry = task->entry;
    double sample_ns[RUNS];
    double censored_ns;
    entry->calls = execution->program->calls;
    const int runs =
        take_runs(execution, ranking->buffers, &ranking->load, sample_ns, &censored_ns);
    if (runs > 0) {
        note_samples(entry, sample_ns, runs, TCPLAN_BASIS_RUNS);
        *done = true;
    } else if (isfinite(task->best_seconds)) {
        note_bound(entry, censored_ns * SECONDS_PER_NS);
        *done = true;
    }
    return TCPLAN_OK;
}

/** Predicts by whole runs. *done stays false if a run exceeds its time limit although no
 * candidate is faster than that limit. */
static enum tcplan_status predict_with_runs(const struct prediction_task *task,
                                            double limit_seconds, bool *done,
                                            struct tcplan_error *error) {
    const struct tcplan_problem *problem = &task->ranker->ranking->problem;
    const bool is_first = task->grade == WINDOW_PROBE && task->windows > 0;
    struct execution execution = {.limit_ns = NS_PER_SECOND * limit_seconds,
                                  .warms_up = !is_first || !copies_most_whole(task),
                                  .is_likely_slow = task->entry->estimate_seconds > limit_seconds,
                                  .warm_up_ns =
                                      is_first ? EVALUATION_WARM_UP_NS : CUTOFF_WARM_UP_NS,
                                  .runs = is_first ? task->windows : RUNS};
    enum tcplan_status status =
        tcplan_nest_build(&execution.nest, problem->contraction, &task->entry->algorithm, error);
    if (status == TCPLAN_OK)
        status =
            program_build_on(&execution.program, execution.nest, problem,
                             &task->ranker->ranking->buffers->scratch, &task->ranker->maker, error);
    if (status == TCPLAN_OK)
        status = tcplan_program_set_threads(execution.program, task->entry->threads, error);
    if (status == TCPLAN_NOT_APPLICABLE) ranking_exclude(task->ranker->ranking, task->entry, error);
    if (status == TCPLAN_OK) status = run_execution(task, &execution, done);
    tcplan_program_free(execution.program);
    tcplan_nest_free(execution.nest);
    return status;
}

/** Returns whether a single right-censored run evaluates an algorithm, because copies of whole
 * tensors dominate. */
static bool is_censored_whole(const struct prediction_task *task) {
    return task->grade == WINDOW_PROBE && isfinite(task->best_seconds) &&
           HOPELESS_FACTOR * task->best_seconds <= task->ranker->effort.executed_seconds &&
           copies_most_whole(task);
}

/** Returns whether to evaluate by runs: tensors are in memory, caches shall be warm, and runs
 * are short or windows would take as long. */
static bool pays_to_run(const struct prediction_task *task) {
    const struct ranker *ranker = task->ranker;
    const double bound_seconds = task->entry->lower_bound_seconds;
    if (ranker->options.cache != TCPLAN_CACHE_WARM || !buffers_all_backed(ranker->ranking->buffers))
        return false;
    if (is_censored_whole(task)) return true;
    if (bound_seconds <= 0 || bound_seconds > RUN_SECONDS) return false;
    if (isfinite(task->best_seconds)) return task->best_seconds <= RUN_SECONDS;
    return isinf(task->entry->estimate_seconds) ||
           task->entry->estimate_seconds <= HOPELESS_FACTOR * RUN_SECONDS;
}

/** Returns the time in seconds after which a run is right-censored. */
static double run_limit_seconds(const struct prediction_task *task) {
    if (is_censored_whole(task)) return HOPELESS_FACTOR * task->best_seconds;
    return HOPELESS_FACTOR * fmin(task->best_seconds, RUN_SECONDS);
}

static double window_seconds(const struct prediction_task *task, double seconds) {
    const struct ranker *ranker = task->ranker;
    const struct window_settings settings = trial_settings(ranker, task->entry, task->grade);
    const double calls = (double)task->entry->calls;
    const double call_seconds = kernel_reduced_seconds(
        seconds / calls, ranker->ranking->problem.flops / calls, settings.most_call_flops);
    return (task->windows + 1) *
           fmax(call_seconds, SECONDS_PER_NS * (settings.window_ns + settings.warm_up_ns));
}

struct instrument_cost predictor_cost(const struct prediction_task *task) {
    const struct tcplan_entry *entry = task->entry;
    const double seconds =
        isfinite(entry->estimate_seconds) ? entry->estimate_seconds : entry->lower_bound_seconds;
    if (!pays_to_run(task)) return (struct instrument_cost){false, window_seconds(task, seconds)};
    const double run_seconds = fmin(seconds, run_limit_seconds(task));
    const int runs = run_seconds > SECONDS_PER_NS * LONG_RUN_NS ? 1 : task->windows;
    return (struct instrument_cost){
        true, fmax(run_seconds, SECONDS_PER_NS * EVALUATION_WARM_UP_NS) + runs * run_seconds};
}

/**
 * Evaluates again by whole runs, if these are short, because the time by windows was below the
 * limit of the ceilings.
 */
static enum tcplan_status evaluate_again(const struct prediction_task *task,
                                         struct tcplan_error *error) {
    const struct ranker *ranker = task->ranker;
    const struct prediction_task again = {
        .ranker = task->ranker, .entry = task->entry, .best_seconds = INFINITY};
    const double most_seconds =
        fmin(ranker->effort.executed_seconds, deadline_left_seconds(ranker->deadline));
    enum tcplan_status status = TCPLAN_OK;
    bool done =
        false; /* if it stays false, the lower bound of the ceilings becomes the prediction */
    if (task->entry->prediction.seconds >= ranker->least_seconds) return TCPLAN_OK;
    const bool has_runs =
        ranker->options.cache == TCPLAN_CACHE_WARM && buffers_all_backed(ranker->ranking->buffers);
    if (has_runs && ranker->least_seconds < most_seconds)
        status = predict_with_runs(&again, most_seconds, &done, error);
    note_ceiling(task->entry, ranker->least_seconds);
    return status;
}

static enum tcplan_status predict_window(const struct prediction_task *task,
                                         struct tcplan_error *error) {
    bool done = false;
    enum tcplan_status status = TCPLAN_OK;
    reference_watch(task->ranker->reference);
    trial_rest(task->ranker, task->entry);
    if (pays_to_run(task)) status = predict_with_runs(task, run_limit_seconds(task), &done, error);
    if (status == TCPLAN_OK && !done) status = predict_with_windows(task, error);
    return status == TCPLAN_OK && !done && task->entry->predicted ? evaluate_again(task, error)
                                                                  : status;
}

/* Predictions by repeated timings of the kernel. */

static enum tcplan_status predict_repeated(const struct prediction_task *task,
                                           struct tcplan_error *error) {
    double sample_ns[REPEATED_REPETITIONS];
    struct trial trial;
    enum tcplan_status status = trial_bind(&trial, task->ranker, task->entry, error);
    if (status != TCPLAN_OK) return status;
    status = repeated_nest(&trial.window, sample_ns, error);
    if (status == TCPLAN_OK) {
        note_estimate(task->entry, statistics_median_estimate(sample_ns, REPEATED_REPETITIONS),
                      TCPLAN_BASIS_OTHER);
    }
    trial_end(&trial, task->ranker);
    return status;
}

/* Predicts by timing single calls (Peise 2017, chapter 6). */

static enum tcplan_status keep_benchmarks(struct tcplan_entry *entry,
                                          const struct thesis_prediction *prediction,
                                          struct tcplan_error *error) {
    const size_t bytes = (size_t)prediction->benchmark_count * sizeof *prediction->benchmark;
    base_free(entry->benchmark);
    entry->benchmark_count = 0;
    entry->benchmark = NULL;
    if (bytes == 0) return TCPLAN_OK;
    entry->benchmark = base_alloc(bytes);
    if (!entry->benchmark) return error_no_memory(error);
    memcpy(entry->benchmark, prediction->benchmark, bytes);
    entry->benchmark_count = prediction->benchmark_count;
    return TCPLAN_OK;
}

static enum tcplan_status predict_thesis(const struct prediction_task *task,
                                         struct tcplan_error *error) {
    struct thesis_prediction prediction;
    struct trial trial;
    enum tcplan_status status = trial_start(&trial, task->ranker, task->entry, WINDOW_PROBE, error);
    if (status != TCPLAN_OK) return status;
    status = thesis_predict(&prediction, &task->ranker->thesis, &trial.window,
                            &task->ranker->ranking->problem, error);
    if (status == TCPLAN_NOT_APPLICABLE) ranking_exclude(task->ranker->ranking, task->entry, error);
    if (status == TCPLAN_OK) status = keep_benchmarks(task->entry, &prediction, error);
    if (status == TCPLAN_OK) note_estimate(task->entry, prediction.estimate, TCPLAN_BASIS_OTHER);
    trial_end(&trial, task->ranker);
    return status;
}

/* Predictions of a product without multiplication. */

enum tcplan_status predict_scaling(const struct prediction_task *task, struct tcplan_error *error) {
    struct ranker *ranker = task->ranker;
    double sample_ns[RUNS];
    struct buffers *buffers;
    enum tcplan_status status = ranking_buffers(&buffers, ranker->ranking, &ranker->options, error);
    if (status != TCPLAN_OK) return status;
    scaling_time(sample_ns, RUNS, &ranker->ranking->problem, buffers);
    task->entry->calls = 0;
    note_samples(task->entry, sample_ns, RUNS, TCPLAN_BASIS_RUNS);
    return TCPLAN_OK;
}

const struct predictor *predictor_of(enum tcplan_predictor predictor) {
    static const struct predictor predictors[] = {
        [TCPLAN_PREDICT_WINDOW] = {.predict = predict_window, .samples_windows = true},
        [TCPLAN_PREDICT_THESIS] = {.predict = predict_thesis},
        [TCPLAN_PREDICT_REPEATED] = {.predict = predict_repeated}};
    return &predictors[predictor];
}
