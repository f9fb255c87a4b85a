#include <math.h>
#include <string.h>

#include "ast/algorithm/algorithm.h"
#include "base/alloc.h"
#include "base/error.h"
#include "gen/space/enumerate.h"
#include "plan/candidates.h"
#include "plan/search/search.h"
#include "plan/thread_counts.h"

/** Counts excluded algorithms without an entry, and records the lowest bound among them. */
static void note_unlisted(struct tcplan_ranking *ranking, double pruned, double bound_seconds) {
    if (pruned <= 0) return;
    const bool is_first = ranking->unlisted_pruned == 0;
    ranking->unlisted_pruned += pruned;
    if (is_first || bound_seconds < ranking->unlisted_bound_seconds)
        ranking->unlisted_bound_seconds = bound_seconds;
}

/** Counts the loop orders of a structure that have no entry. They have the same kernel, and so the
 * same bound, as the orders with an entry. */
static void count_unlisted(struct tcplan_ranking *ranking, const struct tcplan_algorithm *structure,
                           int threads, double most_seconds) {
    double unlisted = enumerator_orders(structure);
    double bound_seconds = INFINITY;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        if (entry->threads != threads ||
            memcmp(entry->algorithm.group, structure->group, sizeof structure->group) != 0)
            continue;
        if (!tcplan_algorithm_in_blas_space(&entry->algorithm, ranking->problem.contraction))
            continue;
        unlisted--;
        /* the bound of a right-censored run applies to one loop order only */
        if (entry->status != TCPLAN_ENTRY_PRUNED)
            bound_seconds = fmin(bound_seconds, entry->lower_bound_seconds);
    }
    if (isfinite(bound_seconds) && bound_seconds > most_seconds)
        note_unlisted(ranking, unlisted, bound_seconds);
}

/** Removes entries that have neither a prediction nor a reason why they are not applicable; counts
 * those excluded by bounds. For rankings without an entry for every algorithm. */
static void drop_rest(struct tcplan_ranking *ranking, double most_seconds) {
    size_t kept = 0;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        const bool is_left =
            entry->status == TCPLAN_ENTRY_OPEN || entry->status == TCPLAN_ENTRY_PRUNED;
        if (is_left && entry->lower_bound_seconds > most_seconds)
            note_unlisted(ranking, 1, entry->lower_bound_seconds);
        if (!is_left) ranking->entry[kept++] = *entry;
    }
    ranking->entry_count = kept;
}

enum tcplan_status search_settle_rest(const struct search *search, struct tcplan_error *error) {
    struct tcplan_ranking *ranking = search->ranker->ranking;
    const double most_seconds =
        ranker_prunes(search->ranker) ? BOUND_MARGIN * search->best_seconds : INFINITY;
    ranking->pruned_by_seconds = search->best_seconds;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        if (entry->status != TCPLAN_ENTRY_OPEN) continue;
        if (!ranking->lists_all) {
            if (!candidate_is_known_to_exceed(search->ranker, entry, most_seconds))
                entry->lower_bound_seconds = 0;
        } else if (search_excludes(search, entry)) {
            entry->status = TCPLAN_ENTRY_PRUNED;
        }
    }
    if (ranking->lists_all) return TCPLAN_OK;
    size_t count;
    struct tcplan_algorithm *structure =
        enumerator_structures(ranking->problem.contraction, &count);
    if (!structure) return error_no_memory(error);
    int threads[2];
    for (size_t s = 0; s < count; s++) {
        const int counts =
            thread_counts_generated(threads, &search->ranker->options, &structure[s]);
        for (int t = 0; t < counts; t++)
            count_unlisted(ranking, &structure[s], threads[t], most_seconds);
    }
    base_free(structure);
    drop_rest(ranking, most_seconds);
    return TCPLAN_OK;
}
