#include <assert.h>
#include <math.h>
#include <string.h>

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/algorithm_check.h"
#include "ast/algorithm/provider.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/units.h"
#include "gen/lower/blas_call.h"
#include "gen/providers/provider.h"
#include "microbench/providers/blas.h"
#include "microbench/providers/providers.h"
#include "microbench/timing/clock.h"
#include "plan/candidates.h"
#include "plan/predictor.h"
#include "plan/search/search.h"
#include "plan/thread_counts.h"
#include "tcplan/blas.h"

/* An evaluation is stopped after the candidate's estimate times this factor. */
#define LONG_EVALUATION_FACTOR 3.0

/* An evaluation is repeated if it exceeds the candidate's estimate by this factor, and the estimate
 * is below the best time: a disturbance would exclude the candidate for good. */
#define DOUBTFUL_FACTOR 1.5

bool ranker_is_late(const struct ranker *ranker) {
    return deadline_is_over(ranker->deadline);
}

void ranker_report(const struct ranker *ranker, const char *activity, double done, double total) {
    if (ranker->options.progress)
        ranker->options.progress(ranker->options.progress_context, activity, done, total);
}

static bool in_blas_space(const struct ranker *ranker, const struct tcplan_entry *entry) {
    return tcplan_algorithm_in_blas_space(&entry->algorithm, ranker->ranking->problem.contraction);
}

bool ranker_prunes(const struct ranker *ranker) {
    return predictor_of(ranker->options.predictor)->samples_windows && !ranker->options.predict_all;
}

bool ranker_searches_full(const struct ranker *ranker) {
    return ranker->options.space == TCPLAN_SPACE_FULL && ranker_prunes(ranker);
}

static enum tcplan_status predict(const struct prediction_task *task, struct tcplan_error *error) {
    if (tcplan_problem_only_scales(&task->ranker->ranking->problem))
        return predict_scaling(task, error);
    const int threads = blas_threads();
    const uint64_t begun_ns = clock_now_ns();
    blas_set_threads(task->entry->threads);
    const enum tcplan_status status =
        predictor_of(task->ranker->options.predictor)->predict(task, error);
    blas_set_threads(threads);
    task->entry->predicting_seconds += (double)(clock_now_ns() - begun_ns) * SECONDS_PER_NS;
    return status;
}

/** Returns the task of a candidate's first evaluation: by probes, unless the effort demands full
 * windows. Runs of a TAPP library are never right-censored, because the user requested the
 * library's time. */
static struct prediction_task first_task(const struct search *search, struct tcplan_entry *entry) {
    struct ranker *ranker = search->ranker;
    const bool probes = !ranker->effort.is_full && !ranker->options.predict_all;
    const bool censors =
        ranker_prunes(ranker) && !provider_traits_of(entry->algorithm.provider)->is_whole;
    return (struct prediction_task){.ranker = ranker,
                                    .entry = entry,
                                    .best_seconds = censors ? search->best_seconds : INFINITY,
                                    .grade = probes ? WINDOW_PROBE : WINDOW_STANDARD,
                                    .windows = ranker->effort.samples};
}

bool ranker_forgives(struct ranker *ranker, const struct tcplan_entry *entry,
                     enum tcplan_status status) {
    struct buffers *buffers = ranker->ranking->buffers;
    const bool forgives =
        status == TCPLAN_NO_MEMORY && buffers->exceeded && !in_blas_space(ranker, entry);
    if (forgives) buffers->exceeded = false;
    return forgives;
}

enum tcplan_status ranker_predict(struct ranker *ranker, struct tcplan_entry *entry,
                                  int least_windows, struct tcplan_error *error) {
    const struct prediction_task task = {
        .ranker = ranker,
        .entry = entry,
        .best_seconds = INFINITY,
        .grade = WINDOW_STANDARD,
        .windows = ranker->effort.samples > least_windows ? ranker->effort.samples : least_windows};
    const enum tcplan_status status = predict(&task, error);
    return entry->predicted && ranker_forgives(ranker, entry, status) ? TCPLAN_OK : status;
}

/** Returns the estimated compile time of an algorithm's kernels; 0 if none is compiled, or the main
 * kernel exists. */
static double find_compile_seconds(const struct search *search,
                                   const struct tcplan_algorithm *algorithm) {
    const struct tcplan_problem *problem = &search->ranker->ranking->problem;
    struct blas_call call;
    double calls;
    if (!provider_traits_of(algorithm->provider)->is_compiled ||
        blas_call_of(&call, &calls, problem, algorithm, NULL) != TCPLAN_OK)
        return 0;
    const double seconds = provider_kernel_seconds(&call, problem->dtype, &search->ranker->maker);
    return seconds > 0 ? seconds * blas_call_kinds_of(problem, algorithm) : 0;
}

void search_remember_compiling(struct search *search) {
    const size_t count = search->ranker->ranking->entry_count;
    assert(search->compile_count <= count); /* candidates are added, never removed */
    double *seconds = base_realloc(search->compile_seconds, (count + 1) * sizeof *seconds);
    if (!seconds) return;
    for (size_t e = search->compile_count; e < count; e++) seconds[e] = -1;
    search->compile_seconds = seconds;
    search->compile_count = count;
}

void search_forget_compiling(struct search *search, const struct tcplan_entry *compiled) {
    const struct tcplan_algorithm *made = &compiled->algorithm;
    for (size_t e = 0; e < search->compile_count; e++) {
        const struct tcplan_algorithm *own = &search->ranker->ranking->entry[e].algorithm;
        if (search->compile_seconds[e] > 0 &&
            memcmp(own->group, made->group, sizeof own->group) == 0)
            search->compile_seconds[e] = -1;
    }
}

double search_compile_seconds(const struct search *search, const struct tcplan_entry *entry) {
    const size_t place = (size_t)(entry - search->ranker->ranking->entry);
    if (place >= search->compile_count) return find_compile_seconds(search, &entry->algorithm);
    double *known = &search->compile_seconds[place];
    if (*known < 0) *known = find_compile_seconds(search, &entry->algorithm);
    return *known;
}

double search_evaluation_seconds(const struct search *search, struct tcplan_entry *entry) {
    const struct prediction_task task = first_task(search, entry);
    const struct instrument_cost cost = predictor_cost(&task);
    const double expected = search->expected_seconds[cost.runs];
    const double factor = expected > 0 ? search->taken_seconds[cost.runs] / expected : 1;
    return factor * cost.seconds + search_compile_seconds(search, entry);
}

static bool has_time(const struct search *search, struct tcplan_entry *entry) {
    const struct deadline deadline = search->answered ? search->evaluating : search->first;
    return !deadline_is_over(deadline) &&
           LONG_EVALUATION_FACTOR * search_evaluation_seconds(search, entry) <=
               deadline_left_seconds(deadline);
}

bool search_cuts(struct search *search, struct tcplan_entry *entry) {
    const bool cut = search->answered && !has_time(search, entry);
    search->is_out_of_time = search->is_out_of_time || cut;
    return cut;
}

/** Reports the result of an evaluation. */
static void notify_evaluation(const struct ranker *ranker, const struct tcplan_entry *entry) {
    if (entry->status == TCPLAN_ENTRY_PRUNED) {
        ranker_notify(ranker, TCPLAN_PLANNING_CENSORED, &entry->algorithm,
                      entry->lower_bound_seconds);
    } else if (entry->predicted) {
        ranker_notify(ranker, TCPLAN_PLANNING_EVALUATED, &entry->algorithm,
                      entry->prediction.seconds);
    }
}

/** Returns the CPU time in ns without that for backing pages, which happens once. */
static uint64_t worked_ns(const struct ranker *ranker) {
    return clock_thread_cpu_ns() - ranker->ranking->buffers->backing_ns;
}

/** Evaluates a candidate; a second time if the first result is much longer than a promising
 * estimate. The shorter result counts, because disturbances only lengthen evaluations. */
static enum tcplan_status predict_twice(const struct search *search,
                                        const struct prediction_task *task,
                                        struct tcplan_error *error) {
    struct tcplan_entry *entry = task->entry;
    const enum tcplan_status status = predict(task, error);
    const double estimated = entry->estimate_seconds;
    if (status != TCPLAN_OK || task->grade != WINDOW_PROBE || !ranker_prunes(task->ranker) ||
        !entry->predicted || !has_time(search, entry) || !(estimated < search->best_seconds) ||
        entry->prediction.seconds <= DOUBTFUL_FACTOR * estimated)
        return status;
    const struct tcplan_entry first = *entry;
    const enum tcplan_status again = predict(task, error);
    if (again == TCPLAN_OK && entry->predicted &&
        entry->prediction.seconds < first.prediction.seconds)
        return again;
    const double seconds = entry->predicting_seconds;
    *entry = first;
    entry->predicting_seconds = seconds;
    return status;
}

enum tcplan_status search_evaluate(struct search *search, struct tcplan_entry *entry,
                                   struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    enum tcplan_status status = TCPLAN_OK;
    if (has_time(search, entry)) {
        const struct prediction_task task = first_task(search, entry);
        const struct instrument_cost cost = predictor_cost(&task);
        const uint64_t start_ns = worked_ns(ranker);
        const int compiled = ranker->maker.compiled;
        ranker_step(ranker);
        status = predict_twice(search, &task, error);
        if (ranker->maker.compiled > compiled) {
            search_forget_compiling(search, entry);
        } else {
            search->expected_seconds[cost.runs] += cost.seconds;
            search->taken_seconds[cost.runs] +=
                SECONDS_PER_NS * (double)(worked_ns(ranker) - start_ns);
        }
        notify_evaluation(ranker, entry);
        candidate_learn(ranker, entry);
        if (entry->predicted)
            search->best_seconds = fmin(search->best_seconds, entry->prediction.seconds);
    } else if (!search->answered) {
        search->is_out_of_time = true;
        if (!isfinite(entry->estimate_seconds)) status = candidate_rate(ranker, entry, error);
        if (status == TCPLAN_OK) note_guess(entry, 0);
    }
    search->answered = search->answered || entry->predicted;
    return status == TCPLAN_NOT_APPLICABLE || ranker_forgives(ranker, entry, status) ? TCPLAN_OK
                                                                                     : status;
}

bool search_excludes(const struct search *search, struct tcplan_entry *entry) {
    const double most_seconds = BOUND_MARGIN * search->best_seconds;
    if (!ranker_prunes(search->ranker) || entry->lower_bound_seconds <= most_seconds) return false;
    if (!ranker_is_late(search->ranker))
        return candidate_exceeds(search->ranker, entry, most_seconds);
    if (entry->kernel_source != TCPLAN_TIME_TIMED)
        entry->lower_bound_seconds = 0; /* a modelled kernel time is no lower bound */
    return entry->lower_bound_seconds > most_seconds;
}

bool search_can_run(const struct tcplan_problem *problem,
                    const struct tcplan_algorithm *algorithm) {
    struct tcplan_provider_info info;
    struct blas_call call;
    double calls;
    return tcplan_provider_info(&info, algorithm->provider) &&
           algorithm_check(algorithm, problem->contraction, NULL) == TCPLAN_OK &&
           blas_call_of(&call, &calls, problem, algorithm, NULL) == TCPLAN_OK &&
           blas_call_provider_has(&call, problem->dtype, algorithm->provider);
}

enum tcplan_status search_entry_of(struct tcplan_entry **out, struct ranker *ranker,
                                   const struct tcplan_algorithm *algorithm, int threads,
                                   struct tcplan_error *error) {
    const int own = thread_count_of(&ranker->options, algorithm, threads);
    struct tcplan_entry candidate = candidate_of(algorithm, own, 0);
    *out = candidate_index_find(&ranker->index, ranker->ranking, algorithm, own);
    if (*out) return TCPLAN_OK;
    if (!ranker_searches_full(ranker) && !in_blas_space(ranker, &candidate)) return TCPLAN_OK;
    if (!search_can_run(&ranker->ranking->problem, algorithm)) return TCPLAN_OK;
    const enum tcplan_status status = candidate_expect(ranker, &candidate, error);
    if (status != TCPLAN_OK) return status == TCPLAN_NOT_APPLICABLE ? TCPLAN_OK : status;
    *out = candidate_add(ranker, &candidate);
    return *out ? TCPLAN_OK : error_no_memory(error);
}
