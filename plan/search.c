#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ast/algorithm_check.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "cachesim/loop_order.h"
#include "gen/baseline.h"
#include "gen/provider.h"
#include "microbench/clock.h"
#include "plan/candidates.h"
#include "plan/families.h"
#include "plan/known.h"
#include "plan/predictor.h"
#include "plan/surrogate.h"
#include "tcplan/blas.h"

/* A bound within this much of the best prediction does not exclude: both are measured. */
#define BOUND_MARGIN 1.05

/* An order this much faster than the best of its family so far shows that more may be to come. */
#define PROGRESS_FACTOR 0.97

/* Scouts can be three times too slow: what they see beyond this gets no full windows. */
#define PROMOTION_FACTOR 3.5

enum { FIRST_ENTRIES = 64, VARIED = 4, ESTIMATED_PROMOTED = 4 };

bool ranker_is_late(const struct ranker *ranker) {
    return deadline_is_over(ranker->deadline);
}

void ranker_report(const struct ranker *ranker, const char *activity, double done, double total) {
    if (ranker->options.progress) ranker->options.progress(ranker->options.progress_context, activity, done, total);
}

/** A search: what it has found so far. */
struct search {
    struct ranker *ranker;
    double best_seconds;       /**< of what was looked at */
    bool answered;             /**< something is predicted, or at least estimated */
    double done;               /**< algorithms looked at or excluded */
    const size_t *first_entry; /**< by family: where its entries begin, in the order of the enumeration; NULL where not all are listed */
    size_t candidate_entries;  /**< entries of candidates, the first ones */
};

static bool in_blas_space(const struct ranker *ranker, const struct tcplan_entry *entry) {
    return tcplan_algorithm_in_blas_space(&entry->algorithm, ranker->ranking->problem.contraction);
}

static bool prunes(const struct ranker *ranker) {
    return predictor_of(ranker->options.predictor)->samples_windows && !ranker->options.predict_all;
}

static enum tcplan_status predict(const struct prediction_task *task, struct tcplan_error *error) {
    if (tcplan_problem_only_scales(&task->ranker->ranking->problem)) return predict_scaling(task, error);
    return predictor_of(task->ranker->options.predictor)->predict(task, error);
}

/** A first look: by scouts, unless the effort has it that all get full windows. */
static enum tcplan_status predict_first(struct search *search, struct tcplan_entry *entry, struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    const bool scouts = ranker->effort.scouts > 0 && !ranker->options.predict_all;
    const int windows = scouts ? ranker->effort.scouts : ranker->effort.windows;
    const struct prediction_task task = {.ranker = ranker,
                                         .entry = entry,
                                         .best_seconds = prunes(ranker) ? search->best_seconds : INFINITY,
                                         .grade = scouts ? WINDOW_SCOUT : WINDOW_STANDARD,
                                         .windows = windows > 0 ? windows : 1};
    return predict(&task, error);
}

bool ranker_forgives(struct ranker *ranker, const struct tcplan_entry *entry, enum tcplan_status status) {
    struct buffers *buffers = ranker->ranking->buffers;
    const bool forgives = status == TCPLAN_NO_MEMORY && buffers->exceeded && !in_blas_space(ranker, entry);
    if (forgives) buffers->exceeded = false;
    return forgives;
}

enum tcplan_status ranker_predict(struct ranker *ranker, struct tcplan_entry *entry, int least_windows, struct tcplan_error *error) {
    const struct prediction_task task = {.ranker = ranker,
                                         .entry = entry,
                                         .best_seconds = INFINITY,
                                         .grade = WINDOW_STANDARD,
                                         .windows = ranker->effort.windows > least_windows ? ranker->effort.windows : least_windows};
    const enum tcplan_status status = predict(&task, error);
    return entry->predicted && ranker_forgives(ranker, entry, status) ? TCPLAN_OK : status;
}

/** Predicts an entry. Where there is no time for that it stays open, or is estimated, so that there is an answer. */
static enum tcplan_status look(struct search *search, struct tcplan_entry *entry, struct known known, struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    enum tcplan_status status = TCPLAN_OK;
    if (known_has_time(&known, ranker)) {
        status = predict_first(search, entry, error);
        if (entry->predicted) search->best_seconds = fmin(search->best_seconds, entry->prediction.seconds);
    } else if (!search->answered) {
        status = known_estimate(&known, ranker, entry, error);
    }
    search->answered = search->answered || entry->predicted;
    return status;
}

/* Entries. */

/** The place of an order of loops among all orders of them. */
static size_t order_number(const uint8_t *loop, int count) {
    size_t number = 0;
    for (int l = 0; l < count; l++) {
        size_t smaller = 0;
        for (int later = l + 1; later < count; later++) smaller += loop[later] < loop[l];
        number = number * (size_t)(count - l) + smaller;
    }
    return number;
}

static struct tcplan_entry *append_entry(struct ranker *ranker) {
    struct tcplan_ranking *ranking = ranker->ranking;
    if (ranking->entry_count == ranker->entry_capacity) {
        const size_t capacity = ranker->entry_capacity > 0 ? 2 * ranker->entry_capacity : FIRST_ENTRIES;
        struct tcplan_entry *grown = base_realloc(ranking->entry, capacity * sizeof *grown);
        if (!grown) return NULL;
        ranking->entry = grown;
        ranker->entry_capacity = capacity;
    }
    return &ranking->entry[ranking->entry_count++];
}

/** The listed entry of an algorithm, or a new one; NULL when memory is out. */
static struct tcplan_entry *entry_for(const struct search *search, int family, const struct tcplan_algorithm *algorithm) {
    struct tcplan_ranking *ranking = search->ranker->ranking;
    if (search->first_entry) return &ranking->entry[search->first_entry[family] + order_number(algorithm->loop, algorithm->loop_count)];
    struct tcplan_entry *entry = append_entry(search->ranker);
    if (entry) *entry = (struct tcplan_entry){.algorithm = *algorithm, .status = TCPLAN_ENTRY_OPEN, .ordinal = ranking->entry_count - 1};
    return entry;
}

/** The entry of an algorithm of the `blas` space that was looked at as a candidate of the full one; NULL where it was not. */
static const struct tcplan_entry *known_entry(const struct search *search, const struct tcplan_algorithm *algorithm) {
    const struct tcplan_ranking *ranking = search->ranker->ranking;
    for (size_t e = 0; e < search->candidate_entries; e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        if (tcplan_algorithm_equal(&entry->algorithm, algorithm)) return entry;
    }
    return NULL;
}

/* One family. */

/** Looks at one algorithm; *seconds becomes its time, INFINITY where it has none. */
static enum tcplan_status look_at(struct search *search, int family_number, const struct tcplan_algorithm *algorithm, double *seconds,
                                  struct tcplan_error *error) {
    struct tcplan_family *family = &search->ranker->ranking->family[family_number];
    const struct tcplan_entry *known = known_entry(search, algorithm);
    *seconds = known && known->predicted ? known->prediction.seconds : INFINITY;
    if (known) return TCPLAN_OK;
    struct tcplan_entry *entry = entry_for(search, family_number, algorithm);
    if (!entry) return error_no_memory(error);
    entry->lower_bound_seconds = family->lower_bound_seconds;
    enum tcplan_status status = look(search, entry, known_of_order(search->ranker, family, algorithm), error);
    if (status != TCPLAN_OK && status != TCPLAN_NOT_APPLICABLE) return status;
    family->looked_at++;
    if (entry->predicted) *seconds = entry->prediction.seconds;
    return TCPLAN_OK;
}

/** Looks at orders, the promising ones first, until so many in a row have brought nothing. */
static enum tcplan_status look_at_orders(struct search *search, int family, const struct tcplan_algorithm *order, size_t count,
                                         struct tcplan_error *error) {
    const int patience = prunes(search->ranker) ? search->ranker->effort.patience : 0;
    double best_of_family = INFINITY;
    int in_vain = 0;
    for (size_t o = 0; o < count && (patience == 0 || in_vain < patience); o++) {
        double seconds;
        const struct known known = known_of_order(search->ranker, &search->ranker->ranking->family[family], &order[o]);
        if (search->answered && !known_has_time(&known, search->ranker)) break;
        enum tcplan_status status = look_at(search, family, &order[o], &seconds, error);
        if (status != TCPLAN_OK) return status;
        in_vain = seconds <= PROGRESS_FACTOR * best_of_family ? 0 : in_vain + 1;
        best_of_family = fmin(best_of_family, seconds);
    }
    return TCPLAN_OK;
}

static enum tcplan_status search_family(struct search *search, int family_number, struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    const struct tcplan_family *family = &ranker->ranking->family[family_number];
    const struct tcplan_algorithm first = family_first(ranker->ranking, family);
    size_t most = prunes(ranker) ? ranker->effort.most_orders : TCPLAN_MAX_LISTED;
    if (family->algorithms < (double)most) most = (size_t)family->algorithms;
    struct tcplan_algorithm *order = base_alloc(most * sizeof *order);
    if (!order) return error_no_memory(error);
    size_t count = 0;
    enum tcplan_status status =
        loop_orders_best(order, &count, most, &ranker->ranking->problem, &ranker->machine, &first, ranker->deadline, error);
    if (status == TCPLAN_OK) status = look_at_orders(search, family_number, order, count, error);
    base_free(order);
    return status;
}

/* All families. */

/** Families in the order of their bounds; from the first on whose bound exceeds the best prediction none can win. */
static enum tcplan_status search_families(struct search *search, struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    struct tcplan_ranking *ranking = ranker->ranking;
    enum tcplan_status status = TCPLAN_OK;
    for (int f = 0; f < ranking->family_count && status == TCPLAN_OK; f++) {
        struct tcplan_family *family = &ranking->family[f];
        ranker_report(ranker, "predicting", search->done, ranking->algorithm_count);
        search->done += family->algorithms;
        family->pruned = prunes(ranker) && family->lower_bound_seconds > BOUND_MARGIN * search->best_seconds;
        if (family->pruned && !ranker_is_late(ranker)) {
            status = family_bound_again(ranker, family, error);
            family->pruned = family->lower_bound_seconds > BOUND_MARGIN * search->best_seconds;
        }
        if (status != TCPLAN_OK || family->pruned || (ranker_is_late(ranker) && search->answered)) continue;
        status = search_family(search, f, error);
    }
    return status;
}

/** What was not looked at is excluded where the bound exceeds the best prediction that there is in the end. */
static void settle_rest(const struct search *search) {
    struct tcplan_ranking *ranking = search->ranker->ranking;
    for (int f = 0; f < ranking->family_count; f++) {
        struct tcplan_family *family = &ranking->family[f];
        family->pruned = prunes(search->ranker) && family->lower_bound_seconds > BOUND_MARGIN * search->best_seconds;
    }
    for (size_t e = 0; e < ranking->entry_count; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        if (entry->status != TCPLAN_ENTRY_OPEN || !in_blas_space(search->ranker, entry)) continue;
        const struct tcplan_family *family = &ranking->family[family_of(ranking, &entry->algorithm)];
        entry->lower_bound_seconds = family->lower_bound_seconds;
        if (family->pruned) entry->status = TCPLAN_ENTRY_PRUNED;
        for (int l = 0; l < entry->algorithm.loop_count; l++) {
            entry->calls = saturated_mul_i64(entry->calls, ranking->problem.extent[entry->algorithm.loop[l]]);
        }
    }
}

/** Full windows for the candidates that the model has in front, whatever scouts have seen of them: a disturbed scout must not lose the best. */
static enum tcplan_status promote_estimated(struct ranker *ranker, struct tcplan_error *error) {
    struct tcplan_ranking *ranking = ranker->ranking;
    enum tcplan_status status = TCPLAN_OK;
    for (size_t e = 0; e < ranking->entry_count && status == TCPLAN_OK && !ranker_is_late(ranker); e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        const bool in_front = !in_blas_space(ranker, entry) && entry->ordinal < ESTIMATED_PROMOTED;
        if (in_front && entry->predicted && entry->basis == TCPLAN_BASIS_SCOUT) status = ranker_predict(ranker, entry, 1, error);
    }
    return status;
}

/** Full windows for the fastest of what scouts have seen. */
static enum tcplan_status promote(struct ranker *ranker, struct tcplan_error *error) {
    struct tcplan_ranking *ranking = ranker->ranking;
    enum tcplan_status status = TCPLAN_OK;
    ranker_sort(ranking);
    if (!prunes(ranker) || ranking->entry_count == 0 || !ranking->entry[0].predicted) return TCPLAN_OK;
    const double limit_seconds = PROMOTION_FACTOR * ranking->entry[0].prediction.seconds;
    for (size_t e = 0; e < ranking->entry_count && e < ranker->effort.most_promoted && status == TCPLAN_OK; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        if (!entry->predicted || entry->prediction.seconds > limit_seconds || ranker_is_late(ranker)) break;
        ranker_report(ranker, "predicting the fastest", (double)e, (double)ranker->effort.most_promoted);
        if (entry->basis == TCPLAN_BASIS_SCOUT) status = ranker_predict(ranker, entry, 1, error);
    }
    return status == TCPLAN_OK ? promote_estimated(ranker, error) : status;
}

/** Where the listed entries of each family, in the order that they have now, begin; NULL when memory is out. */
static size_t *first_entries(const struct tcplan_ranking *ranking) {
    size_t *first = base_alloc((size_t)ranking->family_count * sizeof *first);
    for (size_t e = ranking->entry_count; first && e-- > 0;) first[family_of(ranking, &ranking->entry[e].algorithm)] = e;
    return first;
}

/* The full space. */

/** Lists a candidate; one that is of the `blas` space as well counts as of that. */
static struct tcplan_entry *candidate_entry(struct search *search, const struct candidate *candidate) {
    struct tcplan_ranking *ranking = search->ranker->ranking;
    struct tcplan_entry *entry = append_entry(search->ranker);
    if (!entry) return NULL;
    *entry = (struct tcplan_entry){.algorithm = candidate->algorithm,
                                   .status = TCPLAN_ENTRY_OPEN,
                                   .ordinal = ranking->entry_count - 1,
                                   .lower_bound_seconds = candidate->kernel_seconds};
    if (!in_blas_space(search->ranker, entry)) return entry;
    ranking->candidate_count--;
    ranking->algorithm_count--;
    ranking->family[family_of(ranking, &entry->algorithm)].looked_at++;
    return entry;
}

/** *seconds becomes what is known of its time, where that is predicted. */
static enum tcplan_status look_at_candidate(struct search *search, const struct candidate *candidate, double *seconds,
                                            struct tcplan_error *error) {
    struct tcplan_entry *entry = candidate_entry(search, candidate);
    if (!entry) return error_no_memory(error);
    enum tcplan_status status = look(search, entry, known_of_candidate(candidate), error);
    if (ranker_forgives(search->ranker, entry, status)) return TCPLAN_OK;
    if (status != TCPLAN_OK && status != TCPLAN_NOT_APPLICABLE) return status;
    if (!entry->predicted) return TCPLAN_OK;
    *seconds = entry->prediction.seconds;
    return TCPLAN_OK;
}

static bool is_listed(const struct tcplan_ranking *ranking, const struct tcplan_algorithm *algorithm) {
    for (size_t e = 0; e < ranking->entry_count; e++) {
        if (tcplan_algorithm_equal(&ranking->entry[e].algorithm, algorithm)) return true;
    }
    return false;
}

/** Whether the provider that a candidate names has its kernel's routine. */
static bool has_routine(const struct ranker *ranker, const struct candidate *candidate) {
    const struct tcplan_problem *problem = &ranker->ranking->problem;
    struct blas_call call;
    double calls;
    return blas_call_of(&call, &calls, problem, &candidate->algorithm, NULL) == TCPLAN_OK &&
           blas_call_provider_has(&call, problem->dtype, candidate->algorithm.provider);
}

/** The same algorithm with every other provider's kernel. */
static enum tcplan_status look_at_providers(struct search *search, const struct tcplan_entry *entry, struct tcplan_error *error) {
    struct candidate candidate = {.algorithm = entry->algorithm, .estimate_seconds = INFINITY};
    enum tcplan_status status = TCPLAN_OK;
    for (int p = 0; p < TCPLAN_PROVIDERS && status == TCPLAN_OK && !ranker_is_late(search->ranker); p++) {
        struct tcplan_provider_info info;
        const enum tcplan_provider provider = (enum tcplan_provider)p;
        if (!tcplan_provider_info(&info, provider)) continue;
        candidate.algorithm.provider = provider;
        if (is_listed(search->ranker->ranking, &candidate.algorithm)) continue;
        if (algorithm_check(&candidate.algorithm, search->ranker->ranking->problem.contraction, NULL) != TCPLAN_OK) continue;
        if (!has_routine(search->ranker, &candidate)) continue;
        search->ranker->ranking->candidate_count++;
        search->ranker->ranking->algorithm_count++;
        double seconds;
        status = look_at_candidate(search, &candidate, &seconds, error);
    }
    return status;
}

/** What a kernel does to operands beyond the caches shows only in place: the fastest are tried with all providers. */
static enum tcplan_status vary_providers(struct search *search, struct tcplan_error *error) {
    struct tcplan_ranking *ranking = search->ranker->ranking;
    enum tcplan_status status = TCPLAN_OK;
    struct tcplan_entry fastest[VARIED];
    size_t count = 0;
    ranker_sort(ranking);
    for (size_t e = 0; e < ranking->entry_count && count < VARIED && ranking->entry[e].predicted; e++) fastest[count++] = ranking->entry[e];
    for (size_t f = 0; f < count && status == TCPLAN_OK && !ranker_is_late(search->ranker); f++) {
        status = look_at_providers(search, &fastest[f], error);
    }
    return status;
}

/** Looks at one candidate, or finds that its kernels alone take too long: *pruned. */
static enum tcplan_status consider(struct search *search, struct surrogate *surrogate, const struct candidate *candidate, bool *pruned,
                                   struct tcplan_error *error) {
    double seconds = INFINITY;
    enum tcplan_status status = TCPLAN_OK;
    *pruned = candidate_exceeds(candidate, search->ranker, BOUND_MARGIN * search->best_seconds);
    if (!*pruned) status = look_at_candidate(search, candidate, &seconds, error);
    surrogate_learn(surrogate, candidate, seconds);
    return status;
}

/** Looks at candidates, at any time at the one that is most promising by what is known then. */
static enum tcplan_status look_at_promising(struct search *search, const struct candidates *candidates, struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    struct surrogate *surrogate = surrogate_new(candidates);
    enum tcplan_status status = surrogate ? TCPLAN_OK : error_no_memory(error);
    int looked_at = 0;
    int all_pruned = 0;
    while (status == TCPLAN_OK && looked_at < ranker->effort.most_candidates) {
        const struct candidate *candidate = surrogate_next(surrogate);
        bool pruned;
        if (!candidate) break;
        const struct known known = known_of_candidate(candidate);
        if (search->answered && !known_has_time(&known, ranker)) break;
        ranker_report(ranker, "looking at candidates", looked_at, ranker->effort.most_candidates);
        status = consider(search, surrogate, candidate, &pruned, error);
        all_pruned += pruned;
        looked_at += !pruned;
    }
    all_pruned += surrogate ? surrogate_left_above(surrogate, BOUND_MARGIN * search->best_seconds) : 0;
    ranker->ranking->candidates_pruned = all_pruned;
    ranker->ranking->candidates_open = candidates->generated - looked_at - all_pruned;
    surrogate_free(surrogate);
    return status;
}

/** The first candidate of all: it prunes from then on, and is the answer where there is no time for others. */
static enum tcplan_status look_at_baseline(struct search *search, struct tcplan_error *error) {
    struct tcplan_ranking *ranking = search->ranker->ranking;
    struct tcplan_algorithm baseline;
    struct candidate candidate;
    double seconds;
    if (!baseline_of(&baseline, &ranking->problem)) return TCPLAN_OK;
    enum tcplan_status status = candidate_rate(&candidate, search->ranker, &baseline, error);
    if (status == TCPLAN_NOT_APPLICABLE) return TCPLAN_OK;
    if (status != TCPLAN_OK) return status;
    ranking->candidate_count++;
    ranking->algorithm_count++;
    status = look_at_candidate(search, &candidate, &seconds, error);
    if (status == TCPLAN_OK) ranking->entry[ranking->entry_count - 1].is_baseline = true;
    return status;
}

static enum tcplan_status search_candidates(struct search *search, struct tcplan_error *error) {
    struct tcplan_ranking *ranking = search->ranker->ranking;
    struct candidates candidates;
    ranker_back_small(search->ranker);
    enum tcplan_status status = look_at_baseline(search, error);
    if (status != TCPLAN_OK) return status;
    status = candidates_make(&candidates, search->ranker, search->best_seconds, error);
    for (size_t e = 0; e < ranking->entry_count; e++) candidates_remove(&candidates, &ranking->entry[e].algorithm);
    ranking->candidate_count += candidates.generated;
    ranking->algorithm_count += candidates.generated;
    if (status == TCPLAN_OK) status = look_at_promising(search, &candidates, error);
    candidates_free(&candidates);
    if (status == TCPLAN_OK) status = vary_providers(search, error);
    search->candidate_entries = ranking->entry_count;
    return status;
}

static bool searches_full(const struct ranker *ranker) {
    return ranker->options.space == TCPLAN_SPACE_FULL && prunes(ranker);
}

enum tcplan_status ranker_search(struct ranker *ranker, struct tcplan_error *error) {
    struct tcplan_ranking *ranking = ranker->ranking;
    const uint64_t start_ns = clock_now_ns();
    struct search full = {.ranker = ranker, .best_seconds = INFINITY};
    enum tcplan_status status = searches_full(ranker) ? search_candidates(&full, error) : TCPLAN_OK;
    ranker_back_small(ranker);
    if (status == TCPLAN_OK) status = families_bound(ranker, error);
    if (status != TCPLAN_OK) return status;
    families_sort(ranking);
    size_t *first_entry = ranking->lists_all ? first_entries(ranking) : NULL;
    if (ranking->lists_all && !first_entry) return error_no_memory(error);
    struct search search = {.ranker = ranker,
                            .best_seconds = full.best_seconds,
                            .answered = full.answered,
                            .first_entry = first_entry,
                            .candidate_entries = full.candidate_entries};
    status = search_families(&search, error);
    base_free(first_entry);
    if (status != TCPLAN_OK) return status;
    settle_rest(&search);
    if (predictor_of(ranker->options.predictor)->samples_windows) {
        status = promote(ranker, error);
        if (status != TCPLAN_OK) return status;
        status = ranker_compare(ranker, (double)(clock_now_ns() - start_ns), error);
    }
    ranking->out_of_time = ranker_is_late(ranker);
    return status;
}
