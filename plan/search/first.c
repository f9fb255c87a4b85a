#include <math.h>

#include "ast/algorithm/provider.h"
#include "base/error.h"
#include "gen/space/baseline.h"
#include "gen/space/whole.h"
#include "plan/candidates.h"
#include "plan/predictor.h"
#include "plan/search/search.h"
#include "plan/thread_counts.h"

enum tcplan_status search_add_baseline(struct ranker *ranker, struct tcplan_error *error) {
    struct tcplan_algorithm algorithm;
    if (!baseline_of(&algorithm, &ranker->ranking->problem)) return TCPLAN_OK;
    const int threads = thread_count_of(&ranker->options, &algorithm, ranker->threads);
    struct tcplan_entry *known = candidate_find(ranker->ranking, &algorithm, threads);
    if (known) {
        known->is_baseline = true;
        return TCPLAN_OK;
    }
    struct tcplan_entry baseline = candidate_of(&algorithm, threads, 0);
    baseline.is_baseline = true;
    const enum tcplan_status status = candidate_rate(ranker, &baseline, error);
    if (status != TCPLAN_OK) return status == TCPLAN_NOT_APPLICABLE ? TCPLAN_OK : status;
    candidate_confirm(ranker, &baseline);
    return candidate_add(ranker, &baseline) ? TCPLAN_OK : error_no_memory(error);
}

/** Returns whether the user opened the provider's library for this ranking. */
static bool is_asked_for(const struct tcplan_entry *entry) {
    return provider_traits_of(entry->algorithm.provider)->is_whole;
}

/** Adds the whole contraction as one call of a provider; also returns TCPLAN_OK if the provider has
 * no such call. */
static enum tcplan_status add_whole(struct ranker *ranker, enum tcplan_provider provider,
                                    struct tcplan_error *error) {
    struct tcplan_algorithm algorithm;
    if (!whole_loops(&algorithm, ranker->ranking->problem.contraction)) return TCPLAN_OK;
    algorithm.provider = provider;
    const int threads = thread_count_of(&ranker->options, &algorithm, ranker->threads);
    if (candidate_find(ranker->ranking, &algorithm, threads)) return TCPLAN_OK;
    struct tcplan_entry whole = candidate_of(&algorithm, threads, 0);
    const enum tcplan_status status = candidate_rate(ranker, &whole, error);
    if (status != TCPLAN_OK) return status == TCPLAN_NOT_APPLICABLE ? TCPLAN_OK : status;
    return candidate_add(ranker, &whole) ? TCPLAN_OK : error_no_memory(error);
}

enum tcplan_status search_add_whole(struct ranker *ranker, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int p = TCPLAN_PROVIDER_TAPP_1; p < TCPLAN_PROVIDERS && status == TCPLAN_OK; p++) {
        struct tcplan_provider_info info;
        if (tcplan_provider_info(&info, (enum tcplan_provider)p))
            status = add_whole(ranker, (enum tcplan_provider)p, error);
    }
    return status;
}

/** Returns the open candidate with the lowest estimate, the first of equal ones; NULL: none. */
static struct tcplan_entry *best_estimated(const struct tcplan_ranking *ranking) {
    struct tcplan_entry *best = NULL;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        if (entry->status != TCPLAN_ENTRY_OPEN ||
            (best && entry->estimate_seconds >= best->estimate_seconds))
            continue;
        best = entry;
    }
    return best;
}

/** Returns the open candidate with the lowest estimate whose kernel time is measured: replaces
 * modelled times until the best has a measured one. NULL: none. */
static struct tcplan_entry *best_confirmed(struct ranker *ranker) {
    struct tcplan_entry *best = best_estimated(ranker->ranking);
    while (best && candidate_confirm(ranker, best)) best = best_estimated(ranker->ranking);
    return best;
}

enum tcplan_status search_evaluate_first(struct search *search, struct tcplan_error *error) {
    ranker_enter(search->ranker, TCPLAN_PLANNING_FIRST);
    struct tcplan_ranking *ranking = search->ranker->ranking;
    struct tcplan_entry *best = best_confirmed(search->ranker);
    enum tcplan_status status = best ? search_evaluate(search, best, error) : TCPLAN_OK;
    for (size_t e = 0; e < ranking->entry_count && status == TCPLAN_OK; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        if (is_asked_for(entry) && entry->status == TCPLAN_ENTRY_OPEN)
            status = search_evaluate(search, entry, error);
    }
    return status;
}

/** Returns the longest time of a baseline that may be measured; INFINITY if nothing was
 * executed. */
static double affordable_seconds(const struct search *search) {
    return isfinite(search->best_seconds)
               ? effort_seconds(search->ranker->effort.baseline, search->best_seconds)
               : INFINITY;
}

enum tcplan_status search_settle_baselines(struct search *search, struct tcplan_error *error) {
    struct tcplan_ranking *ranking = search->ranker->ranking;
    enum tcplan_status status = TCPLAN_OK;
    ranker_enter(search->ranker, TCPLAN_PLANNING_FIRST);
    for (size_t e = 0; e < ranking->entry_count && status == TCPLAN_OK; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        const double most_seconds = affordable_seconds(search);
        if (!entry->is_baseline) continue;
        if (entry->status == TCPLAN_ENTRY_OPEN)
            candidate_doubt(search->ranker, entry, most_seconds);
        if (entry->status == TCPLAN_ENTRY_OPEN && entry->estimate_seconds <= most_seconds)
            status = search_evaluate(search, entry, error);
        if (entry->status == TCPLAN_ENTRY_OPEN || entry->status == TCPLAN_ENTRY_PRUNED)
            note_guess(entry, entry->lower_bound_seconds);
    }
    return status;
}
