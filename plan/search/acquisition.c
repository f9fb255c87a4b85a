/*
 * The acquisition rule (Jones 1998): evaluate next the candidate with the highest expected
 * improvement per second of its evaluation, by the surrogate's current belief of its time. Stop
 * when no candidate reaches effort_price(). Neighbours of a candidate are added when their
 * expected improvement reaches that price and exceeds that of every present candidate. Each step
 * is linear in the number of candidates.
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "gen/space/whole.h"
#include "plan/candidates.h"
#include "plan/learn/surrogate.h"
#include "plan/search/search.h"

/* Longest run for which a compiled kernel of loops is always evaluated. */
#define SHORT_SECONDS 10e-6

/** Returns the price of an evaluation, in seconds; compiling may count more. */
static double evaluation_seconds(const void *context, struct tcplan_entry *entry) {
    const struct search *search = context;
    const double factor = effort_compile_factor(&search->ranker->effort, search->best_seconds);
    return search_evaluation_seconds(search, entry) +
           (factor - 1) * search_compile_seconds(search, entry);
}

static double price(const struct search *search) {
    return effort_price(&search->ranker->effort, search->best_seconds);
}

/** Adds neighbours while their expected improvement per second exceeds the price and that of every
 * present candidate. */
static enum tcplan_status propose(struct search *search, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    double per_second;
    while (status == TCPLAN_OK && ranker_searches_full(search->ranker)) {
        search_remember_compiling(search);
        surrogate_next(search->surrogate, evaluation_seconds, search, &per_second);
        const struct tcplan_entry *parent = surrogate_next_parent(
            search->surrogate, evaluation_seconds, search, fmax(per_second, price(search)));
        if (!parent) break;
        const size_t place = (size_t)(parent - search->ranker->ranking->entry);
        status = search_propose_neighbours(search, parent, error);
        if (status == TCPLAN_OK && !surrogate_extend(search->surrogate, place))
            status = error_no_memory(error);
    }
    return status;
}

/** Returns the candidate with the highest expected improvement per second. If a model gave its
 * kernel time, measures that time and chooses again. NULL if no candidate reaches the price. */
static struct tcplan_entry *next_candidate(struct search *search) {
    struct ranker *ranker = search->ranker;
    for (;;) {
        double per_second;
        struct tcplan_entry *entry =
            surrogate_next(search->surrogate, evaluation_seconds, search, &per_second);
        if (!entry || per_second <= price(search)) return NULL;
        const int compiled = ranker->maker.compiled;
        const bool is_confirmed = !candidate_confirm(ranker, entry);
        if (ranker->maker.compiled > compiled) search_forget_compiling(search, entry);
        if (is_confirmed) return entry;
        surrogate_reconsider(search->surrogate, entry);
    }
}

/** Evaluates a candidate, unless it is none, or was evaluated or ruled out before. */
static enum tcplan_status evaluate_open(struct search *search,
                                        const struct tcplan_algorithm *algorithm, int threads,
                                        struct tcplan_error *error) {
    struct tcplan_entry *entry = candidate_find(search->ranker->ranking, algorithm, threads);
    if (!entry || entry->status != TCPLAN_ENTRY_OPEN || search_cuts(search, entry))
        return TCPLAN_OK;
    search->evaluations++;
    return search_evaluate(search, entry, error);
}

/**
 * Evaluates the product as one compiled kernel of loops, and as one for each thread, if runs are so
 * short that the cost of calls and copies, which these kernels do not have, decides; models of
 * kernels do not tell such times apart.
 */
static enum tcplan_status evaluate_loops(struct search *search, struct tcplan_error *error) {
    const struct ranker *ranker = search->ranker;
    const struct tcplan_problem *problem = &ranker->ranking->problem;
    struct tcplan_algorithm loops, shared;
    if (!ranker->effort.compiles || search->best_seconds > SHORT_SECONDS ||
        !whole_loops(&loops, problem->contraction))
        return TCPLAN_OK;
    const enum tcplan_status status = evaluate_open(search, &loops, 1, error);
    return status == TCPLAN_OK && ranker->threads > 1 &&
                   whole_in_parts(&shared, &loops, problem, ranker->threads)
               ? evaluate_open(search, &shared, ranker->threads, error)
               : status;
}

/** Makes the surrogate for the candidates that are not evaluated. */
static enum tcplan_status begin(struct search *search, struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    enum tcplan_status status =
        ranker_searches_full(ranker) ? search_propose_whole(search, error) : TCPLAN_OK;
    if (status == TCPLAN_OK && ranker_searches_full(ranker)) status = evaluate_loops(search, error);
    if (status != TCPLAN_OK) return status;
    search->surrogate = surrogate_new(ranker->ranking, &ranker->options);
    return search->surrogate ? TCPLAN_OK : error_no_memory(error);
}

/** Evaluates one candidate, unless its kernels alone take too long, or there is no time. */
static enum tcplan_status evaluate(struct search *search, struct tcplan_entry *entry,
                                   struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    if (search_cuts(search, entry)) {
        surrogate_learn(search->surrogate, entry,
                        INFINITY); /* without time for its evaluation, the candidate stays open */
        return TCPLAN_OK;
    }
    if (!search_excludes(search, entry)) {
        status = search_evaluate(search, entry, error);
        search->evaluations++;
    } else {
        ranker_notify(search->ranker, TCPLAN_PLANNING_EXCLUDED, &entry->algorithm,
                      entry->lower_bound_seconds);
    }
    surrogate_learn(search->surrogate, entry, surrogate_learnt_seconds(entry));
    return status;
}

enum tcplan_status search_acquire(struct search *search, struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    ranker_enter(ranker, TCPLAN_PLANNING_EVALUATIONS);
    enum tcplan_status status = begin(search, error);
    while (status == TCPLAN_OK && search->evaluations < ranker->effort.most_evaluations &&
           !(search->answered && deadline_is_over(search->evaluating))) {
        status = propose(search, error);
        struct tcplan_entry *entry = status == TCPLAN_OK ? next_candidate(search) : NULL;
        if (!entry) break;
        ranker_report(ranker, "evaluating candidates", search->evaluations,
                      ranker->effort.most_evaluations);
        status = evaluate(search, entry, error);
    }
    if (search->surrogate) surrogate_keep(search->surrogate);
    surrogate_free(search->surrogate);
    search->surrogate = NULL;
    base_free(search->compile_seconds);
    search->compile_seconds = NULL;
    search->compile_count = 0;
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

enum tcplan_status search_evaluate_all(struct search *search, struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    struct tcplan_ranking *ranking = ranker->ranking;
    enum tcplan_status status = TCPLAN_OK;
    ranker_enter(ranker, TCPLAN_PLANNING_EVALUATIONS);
    search_sort_by_estimate(ranking);
    candidate_index_free(&ranker->index);
    for (size_t e = 0; e < ranking->entry_count && status == TCPLAN_OK; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        ranker_report(ranker, "predicting", (double)e, (double)ranking->entry_count);
        if (entry->status != TCPLAN_ENTRY_OPEN || search_cuts(search, entry)) continue;
        if (!search_excludes(search, entry)) status = search_evaluate(search, entry, error);
    }
    return status;
}
