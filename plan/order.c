/*
 * The order of a ranking's entries, and the marks that depend on it: ties, the chosen entry,
 * entries that were not compared, and whether other load makes times unreliable. Pure.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "plan/rank.h"

static int class_of(const struct tcplan_entry *entry) {
    return entry->status == TCPLAN_ENTRY_NOT_APPLICABLE ? 2 : entry->predicted ? 0 : 1;
}

static int compare_entries(const void *a, const void *b) {
    const struct tcplan_entry *x = a;
    const struct tcplan_entry *y = b;
    if (class_of(x) != class_of(y)) return class_of(x) - class_of(y);
    const double left = x->predicted ? x->prediction.seconds : x->lower_bound_seconds;
    const double right = y->predicted ? y->prediction.seconds : y->lower_bound_seconds;
    assert(!isnan(left) && !isnan(right)); /* needed for sorting: no NaN */
    if (left != right) return left < right ? -1 : 1;
    return x->ordinal < y->ordinal ? -1 : 1;
}

/** Returns whether an entry is tied with the fastest one: their 95 % intervals overlap, and one of
 * the entry's samples is within or below the fastest one's interval. */
static bool is_tied(const struct tcplan_entry *entry, const struct tcplan_entry *fastest) {
    if (entry == fastest) return entry->predicted;
    if (!entry->predicted || entry->prediction.low > fastest->prediction.high) return false;
    for (int i = 0; i < entry->prediction.sample_count; i++) {
        if (entry->prediction.sample[i] <= fastest->prediction.high) return true;
    }
    return false;
}

/** Marks ties if there was no comparison. */
static void mark_ties(struct tcplan_ranking *ranking) {
    ranking->tied_count = 0;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        if (!ranking->compared) entry->tied = is_tied(entry, &ranking->entry[0]);
        ranking->tied_count += entry->tied;
    }
}

/** Marks entries that seem faster than the chosen entry but are not tied with it: more samples
 * would have chosen them, or shown that they are slower. */
static void mark_missed(struct tcplan_ranking *ranking) {
    const struct tcplan_entry *chosen = tcplan_ranking_chosen(ranking);
    for (size_t e = 0; ranking->compared && &ranking->entry[e] != chosen; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        if (entry->tied || entry->prediction.seconds >= chosen->prediction.seconds) continue;
        ranking->missed_count += !entry->missed;
        entry->missed = true;
        entry->compared = false;
    }
}

/** Counts the algorithms without a prediction, whether they have an entry or not. */
static void count_rest(struct tcplan_ranking *ranking) {
    ranking->pruned_count = ranking->unlisted_pruned;
    ranking->pruned_bound_seconds = ranking->unlisted_bound_seconds;
    ranking->open_count = ranking->algorithm_count - ranking->unlisted_pruned;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        ranking->open_count -= entry->status != TCPLAN_ENTRY_OPEN;
        if (entry->status != TCPLAN_ENTRY_PRUNED) continue;
        const bool is_least = ranking->pruned_count == 0 ||
                              entry->lower_bound_seconds < ranking->pruned_bound_seconds;
        if (is_least) ranking->pruned_bound_seconds = entry->lower_bound_seconds;
        ranking->pruned_count++;
    }
    assert(ranking->open_count >= 0);
}

void ranker_sort(struct tcplan_ranking *ranking) {
    if (ranking->entry_count > 0)
        qsort(ranking->entry, ranking->entry_count, sizeof *ranking->entry, compare_entries);
    mark_ties(ranking);
    mark_missed(ranking);
    count_rest(ranking);
    assert(ranking->tied_count <= ranking->entry_count);
    assert(ranking->missed_count <= ranking->entry_count);
}

const struct tcplan_entry *tcplan_ranking_chosen(const struct tcplan_ranking *ranking) {
    for (size_t e = 0; e < ranking->entry_count; e++) {
        if (ranking->entry[e].picked) return &ranking->entry[e];
    }
    return ranking->entry_count > 0 ? &ranking->entry[0] : NULL;
}

size_t tcplan_ranking_front(const struct tcplan_ranking *ranking, size_t count) {
    const struct tcplan_entry *chosen = tcplan_ranking_chosen(ranking);
    size_t able = 0;
    while (able < ranking->entry_count &&
           ranking->entry[able].status != TCPLAN_ENTRY_NOT_APPLICABLE)
        able++;
    const size_t least = chosen ? (size_t)(chosen - ranking->entry) + 1 : 0;
    const size_t wanted = count > least ? count : least;
    assert(least <= able || !chosen->predicted); /* applicable algorithms precede the others */
    return wanted < able ? wanted : able;
}

const struct tcplan_entry *tcplan_ranking_baseline(const struct tcplan_ranking *ranking) {
    for (size_t e = 0; e < ranking->entry_count; e++) {
        if (ranking->entry[e].is_baseline && ranking->entry[e].predicted) return &ranking->entry[e];
    }
    return NULL;
}

size_t tcplan_ranking_time_sources(const struct tcplan_ranking *ranking,
                                   size_t count[TCPLAN_TIME_SOURCES]) {
    size_t all = 0;
    for (int s = 0; s < TCPLAN_TIME_SOURCES; s++) count[s] = 0;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        if (!entry->predicted || entry->basis != TCPLAN_BASIS_ESTIMATE) continue;
        count[entry->kernel_source]++;
        all++;
    }
    return all;
}

/* Limits above which other load counts as disturbing: mean busy processors, share of disturbed
 * windows, share and seconds of lost time. */
#define BUSY_CORES 0.3
#define DISTURBED_SHARE 0.05
#define LOST_SECONDS 0.01
enum { FEW_WINDOWS = 3 };

bool tcplan_load_disturbs(const struct tcplan_load *load, double seconds) {
    const double lost_seconds = load->lost_share * seconds;
    const bool windows = load->disturbed > FEW_WINDOWS &&
                         (double)load->disturbed > DISTURBED_SHARE * (double)load->windows;
    return load->other_cores > BUSY_CORES || windows ||
           (load->lost_share > DISTURBED_SHARE && lost_seconds > LOST_SECONDS);
}

bool tcplan_ranking_is_disturbed(const struct tcplan_ranking *ranking) {
    return !ranking->is_untimed && tcplan_load_disturbs(&ranking->load, ranking->planning_seconds);
}
