#include "base/error.h"
#include "gen/space/baseline.h"
#include "plan/candidates.h"
#include "plan/predictor.h"
#include "plan/search/search.h"

/* A baseline whose estimate is this much above the best takes long to look at, and tells nothing:
 * the model is not that wrong (plan/candidates.c). */
#define HOPELESS_FACTOR 3.0
#define CLEARLY_FACTOR 1.2

enum tcplan_status search_add_baseline(struct ranker *ranker, struct tcplan_error *error) {
    struct tcplan_algorithm algorithm;
    if (!baseline_of(&algorithm, &ranker->ranking->problem)) return TCPLAN_OK;
    struct tcplan_entry baseline = candidate_of(&algorithm, 0);
    baseline.is_baseline = true;
    const enum tcplan_status status = candidate_rate(ranker, &baseline, error);
    if (status != TCPLAN_OK) return status == TCPLAN_NOT_APPLICABLE ? TCPLAN_OK : status;
    candidate_confirm(ranker, &baseline);
    return candidate_add(ranker, &baseline) ? TCPLAN_OK : error_no_memory(error);
}

static struct tcplan_entry *find_baseline(const struct tcplan_ranking *ranking) {
    for (size_t e = 0; e < ranking->entry_count; e++) {
        if (ranking->entry[e].is_baseline) return &ranking->entry[e];
    }
    return NULL;
}

/** The candidate with the best estimate; NULL: there is none. */
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

/** The same by a time of its kernel that is no model's. */
static struct tcplan_entry *best_confirmed(struct ranker *ranker) {
    struct tcplan_entry *best = best_estimated(ranker->ranking);
    while (best && candidate_confirm(ranker, best)) best = best_estimated(ranker->ranking);
    return best;
}

/** Looks at the baseline where that was not done, and it may be as fast as the best that was looked
 * at. */
static enum tcplan_status look_at_baseline(struct search *search, struct tcplan_error *error) {
    struct tcplan_entry *baseline = find_baseline(search->ranker->ranking);
    const bool is_open = baseline && baseline->status == TCPLAN_ENTRY_OPEN;
    return is_open && baseline->estimate_seconds <= HOPELESS_FACTOR * search->best_seconds
               ? search_look(search, baseline, error)
               : TCPLAN_OK;
}

enum tcplan_status search_look_at_first(struct search *search, struct tcplan_error *error) {
    struct tcplan_ranking *ranking = search->ranker->ranking;
    ranker_enter(search->ranker, TCPLAN_PLANNING_FIRST);
    struct tcplan_entry *baseline = find_baseline(ranking);
    struct tcplan_entry *best = best_confirmed(search->ranker);
    if (!best) return TCPLAN_OK;
    if (!baseline || baseline->estimate_seconds > CLEARLY_FACTOR * best->estimate_seconds)
        return search_look(search, best, error);
    return look_at_baseline(search, error);
}

enum tcplan_status search_settle_baseline(struct search *search, struct tcplan_error *error) {
    ranker_enter(search->ranker, TCPLAN_PLANNING_FIRST);
    const enum tcplan_status status = look_at_baseline(search, error);
    struct tcplan_entry *baseline = find_baseline(search->ranker->ranking);
    const bool is_open = baseline && (baseline->status == TCPLAN_ENTRY_OPEN ||
                                      baseline->status == TCPLAN_ENTRY_PRUNED);
    if (status == TCPLAN_OK && is_open) note_guess(baseline, baseline->lower_bound_seconds);
    return status;
}
