#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "microbench/providers/providers.h"
#include "plan/candidates.h"
#include "plan/learn/surrogate.h"
#include "plan/search/search.h"

static double look_seconds(const void *context, const struct tcplan_entry *entry) {
    return search_look_seconds(context, entry);
}

/** The candidate that promises most for each second of its look, by a time of its kernel that is no
 * model's; NULL: none promises what planning is to. */
static struct tcplan_entry *next_promising(const struct search *search) {
    struct ranker *ranker = search->ranker;
    for (;;) {
        double per_second;
        struct tcplan_entry *entry =
            surrogate_next(search->surrogate, look_seconds, search, &per_second);
        if (!entry || per_second <= effort_price(&ranker->effort, search->best_seconds))
            return NULL;
        if (!candidate_confirm(ranker, entry)) return entry;
        surrogate_reconsider(search->surrogate, entry);
    }
}

/** Whether a compiler has time for a promising candidate: where it has some in any case, that of
 * one kernel is left to the whole product as loops (vary.c). */
static bool may_compile_candidate(const struct search *search,
                                  const struct tcplan_algorithm *algorithm) {
    const bool keeps = search->ranker->effort.compiling.least_seconds > 0;
    return search_may_compile(search, algorithm,
                              keeps ? provider_compile_seconds(algorithm->provider) : 0);
}

enum tcplan_status search_look_at_promising(struct search *search, struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    ranker_enter(ranker, TCPLAN_PLANNING_LOOKS);
    surrogate_free(search->surrogate);
    search->surrogate = surrogate_new(ranker->ranking, &ranker->options);
    enum tcplan_status status = search->surrogate ? TCPLAN_OK : error_no_memory(error);
    while (status == TCPLAN_OK && search->looks < ranker->effort.most_looks) {
        struct tcplan_entry *entry = next_promising(search);
        if (!entry || search_cuts(search, entry)) break;
        ranker_report(ranker, "looking at candidates", search->looks, ranker->effort.most_looks);
        if (!may_compile_candidate(search, &entry->algorithm)) {
            surrogate_learn(search->surrogate, entry, INFINITY); /* it stays open */
            continue;
        }
        if (!search_excludes(search, entry)) {
            status = search_look(search, entry, error);
            search->looks++;
        } else {
            ranker_tell(ranker, TCPLAN_PLANNING_EXCLUDED, &entry->algorithm,
                        entry->lower_bound_seconds);
        }
        surrogate_learn(search->surrogate, entry, surrogate_learnt_seconds(entry));
    }
    return status;
}

static int compare_estimates(const void *a, const void *b) {
    const struct tcplan_entry *x = a;
    const struct tcplan_entry *y = b;
    if (x->estimate_seconds != y->estimate_seconds)
        return x->estimate_seconds < y->estimate_seconds ? -1 : 1;
    return x->ordinal < y->ordinal ? -1 : x->ordinal > y->ordinal;
}

void search_sort_by_estimate(struct tcplan_ranking *ranking) {
    if (ranking->entry_count > 0)
        qsort(ranking->entry, ranking->entry_count, sizeof *ranking->entry, compare_estimates);
}

enum tcplan_status search_look_at_all(struct search *search, struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    struct tcplan_ranking *ranking = ranker->ranking;
    enum tcplan_status status = TCPLAN_OK;
    ranker_enter(ranker, TCPLAN_PLANNING_LOOKS);
    search_sort_by_estimate(ranking);
    for (size_t e = 0; e < ranking->entry_count && status == TCPLAN_OK; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        ranker_report(ranker, "predicting", (double)e, (double)ranking->entry_count);
        if (entry->status != TCPLAN_ENTRY_OPEN || search_cuts(search, entry)) continue;
        if (!search_excludes(search, entry)) status = search_look(search, entry, error);
    }
    return status;
}
