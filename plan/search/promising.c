#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "microbench/providers/providers.h"
#include "microbench/timing/clock.h"
#include "plan/candidates.h"
#include "plan/learn/surrogate.h"
#include "plan/search/search.h"

/** The second fastest of what was looked at, as the fastest may have been lucky; INFINITY: there
 * are not two. */
static double second_best_seconds(const struct tcplan_ranking *ranking) {
    double best = INFINITY;
    double second = INFINITY;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        if (!entry->predicted || entry->basis == TCPLAN_BASIS_ESTIMATE) continue;
        second = fmin(second, fmax(best, entry->prediction.seconds));
        best = fmin(best, entry->prediction.seconds);
    }
    return second;
}

/** Whether looks at what promises most end, of which there are to be `least`. */
static bool is_spent(const struct search *search, int least) {
    const struct effort *effort = &search->ranker->effort;
    const double taken_seconds = (double)(clock_thread_cpu_ns() - search->looking_ns) * 1e-9;
    return effort_ends_looks(effort, search->looks, least, taken_seconds, search->best_seconds);
}

/** The most promising candidate, by a time of its kernel that is no model's. */
static struct tcplan_entry *next_promising(struct ranker *ranker, struct surrogate *surrogate) {
    struct tcplan_entry *entry = surrogate_next(surrogate);
    while (entry && candidate_confirm(ranker, entry)) {
        surrogate_reconsider(surrogate, entry);
        entry = surrogate_next(surrogate);
    }
    return entry;
}

/** Whether the most promising candidate is hardly among the fastest. */
static bool is_unlikely(const struct search *search, const struct tcplan_entry *entry) {
    const struct ranker *ranker = search->ranker;
    const double least_seconds = surrogate_least_seconds(search->surrogate, entry);
    return effort_is_unlikely(&ranker->effort, least_seconds, second_best_seconds(ranker->ranking),
                              search->looks);
}

/** Whether a compiler has time for a promising candidate: where it has some in any case, that of
 * one kernel is left to the whole product as loops (vary.c). */
static bool may_compile_candidate(const struct search *search,
                                  const struct tcplan_algorithm *algorithm) {
    const bool keeps = search->ranker->effort.compiling.least_seconds > 0;
    return search_may_compile(search, algorithm,
                              keeps ? provider_compile_seconds(algorithm->provider) : 0);
}

enum tcplan_status search_look_at_promising(struct search *search, int least,
                                            struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    ranker_enter(ranker, TCPLAN_PLANNING_LOOKS);
    surrogate_free(search->surrogate);
    search->surrogate = surrogate_new(ranker->ranking, &ranker->options);
    enum tcplan_status status = search->surrogate ? TCPLAN_OK : error_no_memory(error);
    while (status == TCPLAN_OK && !is_spent(search, least)) {
        struct tcplan_entry *entry = next_promising(ranker, search->surrogate);
        if (!entry || is_unlikely(search, entry) || search_cuts(search, entry)) break;
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
