#include "plan/search/search.h"

#include <math.h>

#include "base/error.h"
#include "cachesim/arrangement/arrangement.h"
#include "microbench/providers/providers.h"
#include "plan/candidates.h"
#include "plan/decision/simplicity.h"
#include "plan/learn/learned.h"
#include "plan/predictor.h"
#include "plan/thread_counts.h"
#include "plan/times/call_time.h"

/* Shares of a time limit for the first evaluation, and for all evaluations; the comparison gets
 * the remaining time. */
#define FIRST_SHARE 0.3
#define EVALUATING_SHARE 0.6

/** Evaluates an algorithm with a number of threads, whatever its estimate is. */
static enum tcplan_status evaluate(struct search *search, const struct tcplan_algorithm *algorithm,
                                   int threads, bool is_stored, struct tcplan_error *error) {
    struct tcplan_entry *entry;
    const enum tcplan_status status =
        search_entry_of(&entry, search->ranker, algorithm, threads, error);
    if (status == TCPLAN_OK && entry) entry->is_stored |= is_stored;
    if (status != TCPLAN_OK || !entry || entry->status != TCPLAN_ENTRY_OPEN ||
        search_cuts(search, entry))
        return status;
    candidate_confirm(search->ranker, entry); /* a modelled time may suggest the wrong instrument */
    return search_evaluate(search, entry, error);
}

/** Returns the options for ranking the same problem by estimates, which needs no time limit. */
static struct tcplan_rank_options estimating(const struct ranker *ranker) {
    struct tcplan_rank_options options = ranker->options;
    options.effort = TCPLAN_EFFORT_ESTIMATE;
    options.machine = &ranker->machine;
    options.kernel_times = ranker->kernel_times;
    options.start_count = 0;
    options.progress = NULL;
    options.watch = NULL;
    options.gemm_gflops = -1;
    options.time_limit_seconds = 0;
    return options;
}

/** Returns the algorithm that an estimate would choose if it had no kernel that needs a compiler;
 * NULL: none. */
static const struct tcplan_entry *estimated(const struct tcplan_ranking *ranking) {
    const struct tcplan_entry *chosen = tcplan_ranking_chosen(ranking);
    for (size_t e = 0; chosen && provider_needs_compiler(&ranking->problem, &chosen->algorithm);
         e++)
        chosen =
            e < ranking->entry_count && ranking->entry[e].predicted ? &ranking->entry[e] : NULL;
    return chosen;
}

/** Evaluates the algorithm that an estimate would choose, before candidates are generated, so that
 * neither a short time limit nor a low expected improvement excludes it. */
static enum tcplan_status evaluate_estimated(struct search *search, struct tcplan_error *error) {
    const struct tcplan_rank_options options = estimating(search->ranker);
    struct tcplan_ranking *ranking = NULL;
    enum tcplan_status status =
        tcplan_rank(&ranking, &search->ranker->ranking->problem, &options, error);
    if (status != TCPLAN_OK) return status;
    const struct tcplan_entry *entry = estimated(ranking);
    if (entry)
        status = evaluate(search, &entry->algorithm, search->ranker->options.threads, false, error);
    tcplan_ranking_free(ranking);
    return status;
}

/** Evaluates the caller's starting points: winners of this problem and of similar ones. */
static enum tcplan_status evaluate_starts(struct search *search, struct tcplan_error *error) {
    const struct tcplan_rank_options *options = &search->ranker->options;
    enum tcplan_status status = TCPLAN_OK;
    for (size_t s = 0; s < options->start_count && status == TCPLAN_OK; s++) {
        const bool is_stored = s == 0 && options->stored_threads > 0;
        status = evaluate(search, &options->start[s],
                          is_stored ? options->stored_threads : options->threads, is_stored, error);
    }
    return status;
}

/** Returns whether every candidate is evaluated, whatever its expected improvement. */
static bool evaluates_all(const struct ranker *ranker) {
    return !ranker_prunes(ranker) || (ranker->ranking->lists_all && ranker->effort.is_full);
}

/** Generates candidates and makes the first evaluation. */
static enum tcplan_status generate(struct search *search, struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    const bool full = ranker_searches_full(ranker);
    struct generating generating = {.best_seconds = INFINITY};
    enum tcplan_status status = TCPLAN_OK;
    int threads[2];
    const int count = thread_counts_generated(threads, &ranker->options, NULL);
    if (ranker_prunes(ranker) && !ranker->effort.times_nothing)
        status = evaluate_starts(search, error);
    if (status == TCPLAN_OK && full && !ranker->effort.times_nothing)
        status = evaluate_estimated(search, error);
    for (int t = 0; t < count && status == TCPLAN_OK; t++) {
        ranker->threads = threads[t];
        if (full) status = search_add_baseline(ranker, error);
        if (full && status == TCPLAN_OK) status = search_add_whole(ranker, error);
        if (status == TCPLAN_OK) status = candidates_make_orders(ranker, &generating, error);
    }
    if (status == TCPLAN_OK && full && !ranker->effort.times_nothing)
        status = search_evaluate_first(search, error);
    search->is_out_of_time =
        generating.is_out_of_time || (search->answered && deadline_is_over(search->evaluating));
    if (status != TCPLAN_OK || !full || search->is_out_of_time) return status;
    generating.best_seconds = fmin(generating.best_seconds, search->best_seconds);
    for (int t = 0; t < count && status == TCPLAN_OK; t++) {
        ranker->threads = threads[t];
        status = candidates_make_arrangements(ranker, &generating, error);
    }
    search->is_out_of_time = generating.is_out_of_time;
    return status;
}

static enum tcplan_status find(struct search *search, struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    enum tcplan_status status = generate(search, error);
    if (status == TCPLAN_OK)
        status = evaluates_all(ranker) ? search_evaluate_all(search, error)
                                       : search_acquire(search, error);
    if (status == TCPLAN_OK && ranker_searches_full(ranker))
        status = search_settle_baselines(search, error);
    return status == TCPLAN_OK ? search_settle_rest(search, error) : status;
}

/** Returns the simplest of the entries with the shortest prediction. */
static size_t simplest_guess(const struct ranker *ranker) {
    const struct tcplan_ranking *ranking = ranker->ranking;
    size_t simplest = 0;
    for (size_t e = 1; e < ranking->entry_count && ranking->entry[e].predicted; e++) {
        const double most_seconds =
            ranking->entry[0].prediction.seconds * (1 + simplicity_margin(ranker->options.prefer));
        if (ranking->entry[e].prediction.seconds > most_seconds) break;
        if (simplicity_prefer(&ranking->problem, &ranking->entry[e], &ranking->entry[simplest],
                              ranker->options.prefer) < 0)
            simplest = e;
    }
    return simplest;
}

/** Chooses among estimates, and marks those that may be as fast. */
static void pick_guess(struct ranker *ranker) {
    struct tcplan_ranking *ranking = ranker->ranking;
    for (size_t e = 0; e < ranking->entry_count; e++) ranking->entry[e].picked = false;
    ranking->missed_count = 0;
    ranker_sort(ranking);
    const size_t picked = simplest_guess(ranker);
    for (size_t e = 0; e < ranking->entry_count && ranking->entry[e].predicted; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        entry->picked = e == picked;
        entry->missed = entry->prediction.low <= ranking->entry[0].prediction.high;
        ranking->missed_count += entry->missed && !entry->picked;
    }
}

/** Turns the best estimates, and the estimate of the baseline, into predictions. */
static void note_guesses(struct ranker *ranker) {
    struct tcplan_ranking *ranking = ranker->ranking;
    search_sort_by_estimate(ranking);
    for (size_t e = 0; e < ranking->entry_count; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        const bool is_evaluated = e < (size_t)ranker->effort.most_evaluations || entry->is_baseline;
        if (is_evaluated && entry->status == TCPLAN_ENTRY_OPEN && isfinite(entry->estimate_seconds))
            note_guess(entry, 0);
    }
    pick_guess(ranker);
}

static enum tcplan_status estimate(struct search *search, struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    struct tcplan_ranking *ranking = ranker->ranking;
    enum tcplan_status status = ranking->is_single
                                    ? candidate_rate(ranker, &ranking->entry[0], error)
                                    : generate(search, error);
    if (status == TCPLAN_OK)
        status = learned_correct(ranking, &ranker->options, ranker->effort.most_evaluations, error);
    if (status != TCPLAN_OK) return status;
    for (size_t e = 0; e < ranking->entry_count; e++)
        ranking->entry[e].lower_bound_seconds =
            0; /* estimates exclude no candidate, as no kernel was timed */
    note_guesses(ranker);
    ranking->out_of_time = search->is_out_of_time;
    return ranking->is_single ? TCPLAN_OK : search_settle_rest(search, error);
}

enum tcplan_status ranker_estimate(struct ranker *ranker, struct tcplan_error *error) {
    struct search search = {.ranker = ranker, .best_seconds = INFINITY};
    ranker->arranger =
        arranger_new(&ranker->ranking->problem, &ranker->machine, 1, ranker->deadline);
    const enum tcplan_status status =
        ranker->arranger ? estimate(&search, error) : error_no_memory(error);
    arranger_free(ranker->arranger);
    return status;
}

static enum tcplan_status find_and_predict(struct ranker *ranker, struct tcplan_error *error) {
    struct tcplan_ranking *ranking = ranker->ranking;
    if (ranker->effort.times_nothing) return ranker_estimate(ranker, error);
    struct search search = {.ranker = ranker,
                            .best_seconds = INFINITY,
                            .first = ranker->deadline,
                            .evaluating = ranker->deadline};
    if (ranker_prunes(ranker) && !ranker_is_late(ranker)) {
        search.first = deadline_share(ranker->deadline, FIRST_SHARE);
        search.evaluating = deadline_share(ranker->deadline, EVALUATING_SHARE);
    }
    ranker->maker.deadline =
        search.evaluating; /* applies to compilers as well, because one may hang */
    ranker_back_small(ranker);
    if (ranker_searches_full(ranker)) call_time_make_ready(ranker);
    ranker->arranger = arranger_new(&ranking->problem, &ranker->machine, 1, ranker->deadline);
    enum tcplan_status status = ranker->arranger ? find(&search, error) : error_no_memory(error);
    arranger_free(ranker->arranger);
    ranking->out_of_time = ranker_is_late(ranker) || search.is_out_of_time;
    return status;
}

static enum tcplan_status decide(struct ranker *ranker, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    if (ranker->effort.times_nothing) {
        pick_guess(ranker);
    } else if (predictor_of(ranker->options.predictor)->samples_windows) {
        status = ranker_compare(ranker, error);
    }
    ranker->ranking->out_of_time = ranker->ranking->out_of_time || ranker_is_late(ranker);
    return status;
}

enum tcplan_status ranker_search(struct ranker *ranker, struct tcplan_error *error) {
    const enum tcplan_status status = find_and_predict(ranker, error);
    return status == TCPLAN_OK && !ranker->effort.times_nothing ? decide(ranker, error) : status;
}
