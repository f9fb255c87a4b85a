#include "support/ranked.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/decision/simplicity.h"

struct tcplan_rank_options ranked_options(void) {
    static const struct tcplan_machine small_machine = {
        .source = "small",
        .cores = 1,
        .processing_units = 1,
        .line_bytes = 64,
        .page_bytes = 4096,
        .cache_count = 2,
        .cache = {{.level = 1, .size_bytes = 32 << 10, .line_bytes = 64, .shared_by = 1},
                  {.level = 2, .size_bytes = 1 << 20, .line_bytes = 64, .shared_by = 1}}};
    struct tcplan_rank_options options = tcplan_rank_defaults();
    options.machine = &small_machine;
    options.space = TCPLAN_SPACE_BLAS;
    options.oversubscribe = true; /* more threads than processors: for machines with few */
    return options;
}

struct tcplan_rank_options ranked_search_options(enum tcplan_effort effort) {
    struct tcplan_rank_options options = ranked_options();
    options.effort = effort;
    options.gemm_gflops = 1.5;
    return options;
}

void ranked_init(struct ranked *out, const char *contraction, const char *sizes,
                 enum tcplan_dtype dtype, const struct tcplan_rank_options *options) {
    struct tcplan_error error = {0};
    *out = (struct ranked){.threads = options && options->threads > 1};
    random_contraction_given(&out->given, contraction, sizes, TCPLAN_COLUMN_MAJOR, dtype);
    if (tcplan_rank(&out->ranking, &out->given.problem, options, &error))
        fail_msg("%s", error.message);
}

void ranked_free(struct ranked *ranked) {
    tcplan_ranking_free(ranked->ranking);
    random_contraction_free(&ranked->given);
}

size_t ranked_count(const struct tcplan_ranking *ranking, enum tcplan_entry_status status) {
    size_t count = 0;
    for (size_t e = 0; e < ranking->entry_count; e++) count += ranking->entry[e].status == status;
    return count;
}

size_t ranked_predicted_count(const struct tcplan_ranking *ranking) {
    size_t count = 0;
    for (size_t e = 0; e < ranking->entry_count; e++) count += ranking->entry[e].predicted;
    return count;
}

size_t ranked_basis_count(const struct tcplan_ranking *ranking, enum tcplan_basis basis) {
    size_t count = 0;
    for (size_t e = 0; e < ranking->entry_count; e++)
        count += ranking->entry[e].predicted && ranking->entry[e].basis == basis;
    return count;
}

static bool is_same(const struct tcplan_algorithm *a, const struct tcplan_algorithm *b,
                    const struct tcplan_contraction *contraction) {
    if (a->kernel != b->kernel || a->loop_count != b->loop_count ||
        memcmp(a->loop, b->loop, a->loop_count) != 0)
        return false;
    char *name = tcplan_algorithm_name(a, contraction, TCPLAN_DOUBLE);
    char *other = tcplan_algorithm_name(b, contraction, TCPLAN_DOUBLE);
    const bool same = strcmp(name, other) == 0;
    free(other);
    free(name);
    return same;
}

void ranked_same_algorithm(const struct tcplan_algorithm *a, const struct tcplan_algorithm *b) {
    assert_int_equal(a->kernel, b->kernel);
    assert_memory_equal(a->group, b->group, sizeof a->group);
    assert_int_equal(a->loop_count, b->loop_count);
    assert_memory_equal(a->loop, b->loop, a->loop_count);
}

static const struct tcplan_entry *entry_of(const struct tcplan_ranking *ranking, uint64_t ordinal) {
    const struct tcplan_entry *found = NULL;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        if (ranking->entry[e].ordinal != ordinal) continue;
        assert_null(found);
        found = &ranking->entry[e];
    }
    return found;
}

static void assert_every_algorithm_once(const struct ranked *ranked) {
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm algorithm;
    uint64_t ordinal = 0;
    tcplan_enumerator_init(&enumerator, ranked->given.contraction);
    for (; tcplan_enumerator_next(&enumerator, &algorithm); ordinal++) {
        const struct tcplan_entry *entry = entry_of(ranked->ranking, ordinal);
        assert_non_null(entry);
        ranked_same_algorithm(&entry->algorithm, &algorithm);
    }
    assert_int_equal(ranked->ranking->entry_count, ordinal);
}

static void assert_no_algorithm_twice(const struct tcplan_ranking *ranking) {
    for (size_t e = 0; e < ranking->entry_count; e++) {
        for (size_t other = 0; other < e; other++) {
            const bool as_many = ranking->entry[e].threads == ranking->entry[other].threads;
            assert_false(as_many &&
                         is_same(&ranking->entry[e].algorithm, &ranking->entry[other].algorithm,
                                 ranking->problem.contraction));
            assert_true(ranking->entry[e].ordinal != ranking->entry[other].ordinal);
        }
    }
}

/** Checks that each algorithm of the space is predicted, not predicted for a stated reason, or not
 * applicable. */
static void assert_all_are_counted(const struct ranked *ranked) {
    const struct tcplan_ranking *ranking = ranked->ranking;
    uint64_t count[TCPLAN_KERNELS + 1];
    double counted = ranking->pruned_count + ranking->open_count +
                     (double)ranked_count(ranking, TCPLAN_ENTRY_NOT_APPLICABLE);
    for (size_t e = 0; e < ranking->entry_count; e++) counted += ranking->entry[e].predicted;
    assert_int_equal(tcplan_algorithm_count(ranked->given.contraction, count), TCPLAN_OK);
    if (!ranked->threads)
        assert_true(ranking->algorithm_count == (double)count[TCPLAN_KERNELS] +
                                                    ranking->candidate_count -
                                                    ranking->oversized_count);
    assert_true(counted == ranking->algorithm_count);
}

/* Checks that the numbers of an estimate are consistent. */

static void assert_estimate(const struct tcplan_estimate *estimate, bool has_samples) {
    assert_true(isfinite(estimate->seconds) && estimate->seconds > 0);
    assert_true(estimate->low >= 0 && estimate->low <= estimate->seconds &&
                estimate->seconds <= estimate->high);
    assert_true(isfinite(estimate->high));
    assert_in_range(estimate->sample_count, has_samples ? 1 : 0,
                    has_samples ? TCPLAN_MAX_SAMPLES : 0);
    for (int s = 0; s < estimate->sample_count; s++)
        assert_true(isfinite(estimate->sample[s]) && estimate->sample[s] > 0);
}

void ranked_check_entry(const struct tcplan_entry *entry) {
    switch (entry->status) {
    case TCPLAN_ENTRY_PREDICTED:
        assert_true(entry->predicted);
        assert_estimate(&entry->prediction, entry->basis != TCPLAN_BASIS_ESTIMATE);
        break;
    case TCPLAN_ENTRY_PRUNED:
        assert_false(entry->predicted);
        assert_true(entry->lower_bound_seconds > 0);
        break;
    case TCPLAN_ENTRY_MEASURED: assert_estimate(&entry->measured, true); break;
    case TCPLAN_ENTRY_OPEN:
    case TCPLAN_ENTRY_NOT_APPLICABLE: assert_false(entry->predicted); break;
    }
    if (entry->status == TCPLAN_ENTRY_NOT_APPLICABLE) return;
    assert_true(entry->calls >= 1);
    assert_true(isfinite(entry->lower_bound_seconds) && entry->lower_bound_seconds >= 0);
}

static int class_of(const struct tcplan_entry *entry) {
    return entry->status == TCPLAN_ENTRY_NOT_APPLICABLE ? 2 : entry->predicted ? 0 : 1;
}

static double key_of(const struct tcplan_entry *entry) {
    return entry->predicted ? entry->prediction.seconds : entry->lower_bound_seconds;
}

/** Checks that entries are sorted by time; the chosen one need not be the first. */
static void assert_sorted(const struct tcplan_ranking *ranking) {
    size_t picked = 0;
    for (size_t e = 0; e < ranking->entry_count; e++) picked += ranking->entry[e].picked;
    assert_in_range(picked, 0, 1);
    for (size_t e = 1; e < ranking->entry_count; e++) {
        const struct tcplan_entry *before = &ranking->entry[e - 1], *entry = &ranking->entry[e];
        assert_true(class_of(before) <= class_of(entry));
        if (class_of(before) == class_of(entry) && class_of(entry) < 2)
            assert_true(key_of(before) <= key_of(entry));
    }
}

/** Checks the marks of entries: the chosen entry was compared and is one of the tied ones; missed
 * entries are counted; entries before the chosen one are tied with it or missed. */
static void assert_comparison(const struct tcplan_ranking *ranking) {
    const struct tcplan_entry *chosen = tcplan_ranking_chosen(ranking);
    size_t missed = 0;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        missed += entry != chosen && entry->missed;
        if (ranking->compared && entry < chosen)
            assert_true(entry->tied || entry->missed ||
                        entry->prediction.seconds >= chosen->prediction.seconds);
        assert_false(entry->compared && entry->missed);
        if (entry->compared) assert_true(entry->predicted);
        if (ranking->compared && entry->tied) assert_true(entry->compared);
    }
    assert_true(ranking->missed_count >= missed);
    if (ranking->compared) assert_true(chosen->picked && chosen->compared && chosen->tied);
    if (!ranking->compared && chosen->picked) assert_true(chosen->missed);
}

static double smallest_sample(const struct tcplan_ranking *ranking) {
    double smallest = INFINITY;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        for (int s = 0; entry->predicted && s < entry->prediction.sample_count; s++)
            smallest = fmin(smallest, entry->prediction.sample[s]);
    }
    return smallest;
}

/* Factor by which the machine may have become slower between pruning and the comparison of the
 * fastest algorithms. */
#define SLOWER_FACTOR 3

/** Checks that algorithms were pruned because their lower bound exceeded a mean, and so the
 * shortest sample, of an earlier prediction. With other load, or threads that wait for processors,
 * larger variations are allowed. */
static void assert_pruned_could_not_win(const struct tcplan_ranking *ranking) {
    const double best = smallest_sample(ranking);
    if (tcplan_ranking_is_disturbed(ranking)) return;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        if (ranking->entry[e].status == TCPLAN_ENTRY_PRUNED)
            assert_true(SLOWER_FACTOR * ranking->entry[e].lower_bound_seconds > best);
    }
}

void ranked_check_ties(const struct tcplan_ranking *ranking) {
    const double margin = simplicity_margin(
        tcplan_rank_defaults().prefer); /* relative difference below which times count as equal */
    size_t tied = 0;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        tied += entry->tied;
        if (!entry->tied) continue;
        assert_true(entry->predicted);
        assert_true(entry->prediction.low <=
                    (1 + margin) * tcplan_ranking_chosen(ranking)->prediction.high);
    }
    assert_int_equal(ranking->tied_count, tied);
    if (!ranking->compared) assert_true(ranking->entry[0].tied);
}

static void assert_load(const struct tcplan_load *load) {
    assert_true(load->disturbed >= 0 && load->windows >= load->disturbed);
    assert_true(load->lost_share >= 0 && load->lost_share <= 1);
    assert_true(isfinite(load->other_cores));
}

void ranked_check(const struct ranked *ranked) {
    const struct tcplan_ranking *ranking = ranked->ranking;
    if (ranking->lists_all && ranking->oversized_count == 0 && !ranked->threads)
        assert_every_algorithm_once(ranked);
    assert_no_algorithm_twice(ranking);
    for (size_t e = 0; e < ranking->entry_count; e++) ranked_check_entry(&ranking->entry[e]);
    assert_true(ranking->entry[0].predicted);
    assert_sorted(ranking);
    assert_comparison(ranking);
    if (!ranked->threads) assert_pruned_could_not_win(ranking);
    ranked_check_ties(ranking);
    assert_all_are_counted(ranked);
    assert_load(&ranking->load);
    assert_true(ranking->planning_seconds > 0 && ranking->gemm_gflops > 0);
}
