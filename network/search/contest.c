#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "microbench/timing/load.h"
#include "network/distribute.h"
#include "network/factors.h"
#include "network/search/layouts.h"
#include "network/search/search.h"
#include "network/tree.h"

enum {
    FEW = 6,       /* with at most this many factors, all orders of a pool are estimated */
    CONTENDERS = 8 /* maximum number of trees in a contest */
};

/* When trees are compared, only steps with at least this share of the time are estimated. */
#define SMALL_SHARE 0.002

/* Trees. */

/** Appends the steps of a term's order to the steps of the tree. */
static void add_pairs(int (*pair)[2], int *count, const struct tcplan_network *network, int term,
                      const struct order *order) {
    const int leaves = network->term[term].count, first = network->term[term].first,
              before = *count;
    if (leaves == 1) {
        pair[*count][0] = first;
        pair[(*count)++][1] = TCPLAN_TREE_ONE;
    }
    for (int s = 0; s < order->steps; s++) {
        for (int i = 0; i < 2; i++) {
            const int node = order->pair[s][i];
            pair[*count][i] =
                node < leaves ? first + node : network->operand_count + before + node - leaves;
        }
        if (pair[*count][0] > pair[*count][1]) { /* The smaller number is on the left, as in paths
                                                    of opt_einsum, so that each order has only one
                                                    tree. */
            const int left = pair[*count][1];
            pair[*count][1] = pair[*count][0];
            pair[*count][0] = left;
        }
        (*count)++;
    }
}

enum tcplan_status search_make_tree(struct tcplan_tree **out, const struct search *search,
                                    const struct order *const order[]) {
    const struct tcplan_network *network = search->network;
    int(*pair)[2] =
        base_alloc(((size_t)network->operand_count + (size_t)network->term_count) * sizeof *pair);
    int count = 0;
    if (!pair) return error_no_memory(search->error);
    for (int t = 0; t < network->term_count; t++) add_pairs(pair, &count, network, t, order[t]);
    struct tcplan_tree *tree = NULL;
    enum tcplan_status status = tcplan_tree_make(&tree, network, search->extent, search->dtype,
                                                 (const int(*)[2])pair, count, search->error);
    for (int i = 0; i < network->index_count && status == TCPLAN_OK; i++) {
        if (search->sliced[i]) status = tcplan_tree_slice(tree, i, search->error);
    }
    base_free(pair);
    if (status == TCPLAN_OK) {
        tree->frees_result = search->options->frees_result && network->term_count == 1;
        *out = tree;
    } else {
        tcplan_tree_free(tree);
    }
    return status;
}

/** Makes a tree with layouts and estimates. `shared`: equal products are computed once. */
static enum tcplan_status make_estimated(struct tcplan_tree **out, struct search *search,
                                         const struct order *const order[], bool shared) {
    struct tcplan_tree *tree = NULL;
    int readers = 0;
    enum tcplan_status status = search_make_tree(&tree, search, order);
    if (status == TCPLAN_OK && shared)
        status = tcplan_tree_share(&readers, tree, (double)search->options->max_memory_bytes,
                                   search->error);
    if (status == TCPLAN_OK)
        status = search_outcome(search, layouts_choose(tree, &search->speeds, search->deadline));
    if (status == TCPLAN_OK) status = estimates_fill(&search->estimates, tree, search->error);
    if (status == TCPLAN_OK) {
        *out = tree;
    } else {
        tcplan_tree_free(tree);
    }
    return status;
}

/** Estimates the steps that take a relevant share of the time. The other steps get their times from
 * the coarse model. */
static enum tcplan_status estimate_large(struct search *search, struct tcplan_tree *tree) {
    double all = 0;
    enum tcplan_status status = TCPLAN_OK;
    for (int s = 0; s < tree->step_count; s++) {
        tree->step[s].seconds = layouts_step_seconds(tree, s, &search->speeds);
        all += tcplan_tree_step_times(tree, s) * tree->step[s].seconds;
    }
    for (int s = 0; s < tree->step_count && status == TCPLAN_OK; s++) {
        if (tcplan_tree_step_times(tree, s) * tree->step[s].seconds >= SMALL_SHARE * all)
            status = estimates_fill_step(&search->estimates, tree, s, search->error);
    }
    return status;
}

/** Makes a tree for comparison with other orders of the same terms. */
static enum tcplan_status make_compared(struct tcplan_tree **out, struct search *search,
                                        const struct order *const order[]) {
    struct tcplan_tree *tree = NULL;
    enum tcplan_status status = search_make_tree(&tree, search, order);
    if (status == TCPLAN_OK)
        status = search_outcome(search, layouts_choose(tree, &search->speeds, search->deadline));
    if (status == TCPLAN_OK) status = estimate_large(search, tree);
    if (status == TCPLAN_OK) {
        *out = tree;
    } else {
        tcplan_tree_free(tree);
    }
    return status;
}

/** Returns the seconds of a term's steps in a tree. */
static double term_seconds(const struct tcplan_tree *tree, int term) {
    double seconds = 0;
    for (int s = 0; s < tree->step_count; s++) {
        if (tree->step[s].term == term)
            seconds += tcplan_tree_step_times(tree, s) * tree->step[s].seconds;
    }
    return seconds;
}

/** Returns the n-th order of a term to estimate: first the best ones by the coarse model, then
 * those that are always compared, last the one with the fewest operations. */
static const struct order *candidate(const struct pool *pool, int n, int candidates) {
    const int from_last = candidates - 1 - n;
    if (from_last == 0) return &pool->flops;
    if (from_last <= pool->other_count && from_last < candidates - 1)
        return &pool->other[from_last - 1];
    return &pool->order[n < pool->count ? n : pool->count - 1];
}

/** Returns the number of orders of a term to estimate: all if there are few factors; few if the
 * search is not exact, because there are many steps. */
static int candidates_of(const struct search *search) {
    const int wanted = search->options->candidates;
    if (!search->exact) return wanted > 6 ? wanted / 3 + 1 : 2;
    if (search->network->operand_count <= FEW && wanted < POOL_MOST + POOL_OTHERS + 1)
        return POOL_MOST + POOL_OTHERS + 1;
    return wanted > 2 ? wanted : 2;
}

/** Returns the objective's value of a tree; INFINITY if the tree exceeds the memory limit. */
static double value_of(const struct search *search, const struct tcplan_tree *tree) {
    const struct tcplan_tree_totals totals = tcplan_tree_totals(tree);
    const double limit = (double)search->options->max_memory_bytes;
    if (limit > 0 && totals.peak_bytes > limit) return INFINITY;
    switch (search->options->objective) {
    case TCPLAN_OBJECTIVE_TIME: return totals.seconds;
    case TCPLAN_OBJECTIVE_FLOPS: return totals.flops;
    case TCPLAN_OBJECTIVE_MEMORY: return totals.peak_bytes;
    }
    return INFINITY;
}

/** Estimates the best orders, and finds the fastest order of each term. Trees that exceed the
 * memory limit are skipped, except the first. */
static enum tcplan_status choose(struct search *search, const struct order **best,
                                 const struct order **trial, double *seconds) {
    const struct tcplan_network *network = search->network;
    enum tcplan_status status = TCPLAN_OK;
    const int candidates = candidates_of(search);
    bool first = true;
    for (int n = 0; n < candidates && status == TCPLAN_OK; n++) {
        bool fresh = n == 0;
        for (int t = 0; t < network->term_count; t++) {
            trial[t] = candidate(&search->pool[t], n, candidates);
            fresh = fresh || !order_is_same(trial[t], best[t]);
        }
        if (!fresh || (!first && deadline_is_over(search->deadline))) continue;
        struct tcplan_tree *tree = NULL;
        status = make_compared(&tree, search, trial);
        const bool fits = status == TCPLAN_OK && value_of(search, tree) < INFINITY;
        for (int t = 0; t < network->term_count && status == TCPLAN_OK; t++) {
            const double taken = term_seconds(tree, t);
            if (!first && !(fits && taken < seconds[t])) continue;
            seconds[t] = taken;
            best[t] = trial[t];
        }
        first = false;
        tcplan_tree_free(tree);
        /* For objectives other than time, estimates do not change the ranking of the pool. */
        if (search->options->objective != TCPLAN_OBJECTIVE_TIME) break;
    }
    return status;
}

/* Shared products. */

/** The trees between which a search chooses, sorted by estimate. */
struct contest {
    int count;
    struct tcplan_tree *tree[CONTENDERS];
};

/** Adds the tree of the given orders. The first tree is always added; later trees only if they meet
 * the memory limit. */
static enum tcplan_status contend(struct contest *contest, struct search *search,
                                  const struct order *const order[], bool shared) {
    struct tcplan_tree *tree = NULL;
    const enum tcplan_status status = make_estimated(&tree, search, order, shared);
    if (status != TCPLAN_OK) return status;
    int place = contest->count;
    if (place == CONTENDERS || (place > 0 && !(value_of(search, tree) < INFINITY))) {
        tcplan_tree_free(tree);
        return TCPLAN_OK;
    }
    while (place > 0 && value_of(search, tree) < value_of(search, contest->tree[place - 1]))
        place--;
    for (int t = contest->count; t > place; t--) contest->tree[t] = contest->tree[t - 1];
    contest->tree[place] = tree;
    contest->count++;
    return TCPLAN_OK;
}

/** Adds trees that compute common products once. Their orders are the best orders, and orders that
 * factors_find() chose for their common products. */
static enum tcplan_status share(struct contest *contest, struct search *search,
                                const struct order *const best[], const struct order *trial[]) {
    const struct tcplan_network *network = search->network;
    const struct subject like = search_subject(search, search->options->objective);
    if (network->tensor_count == network->operand_count ||
        search->options->objective == TCPLAN_OBJECTIVE_MEMORY)
        return TCPLAN_OK;
    struct order *order = base_alloc_zero((size_t)network->term_count, sizeof *order);
    if (!order) return error_no_memory(search->error);
    enum tcplan_status status = contend(contest, search, best, true);
    if (status == TCPLAN_OK)
        status = search_outcome(
            search, factors_find(order, network, search->extent, search->sliced, &like));
    bool any = false;
    for (int t = 0; t < network->term_count; t++) {
        trial[t] = order[t].steps > 0 ? &order[t] : best[t];
        any = any || order[t].steps > 0;
    }
    if (status == TCPLAN_OK && any) status = contend(contest, search, trial, true);
    for (int t = 0; t < network->term_count; t++) order_free(&order[t]);
    base_free(order);
    return status;
}

enum tcplan_status search_time_trees(struct decided *out, struct tcplan_tree *const tree[],
                                     int count, const struct tcplan_rank_options *rank,
                                     struct deadline deadline, struct tcplan_error *error) {
    struct estimates timing;
    enum tcplan_status status = estimates_init(&timing, rank, true, error);
    if (status != TCPLAN_OK) return status;
    status = decide_trees(out, tree, count, &timing, deadline, error);
    estimates_free(&timing);
    return status;
}

/** Chooses the best tree of a contest: by timing if the options ask for it, otherwise by estimate.
 */
static enum tcplan_status decide(int *best, struct tcplan_network_found *out,
                                 const struct contest *contest, const struct search *search) {
    struct decided decided = {.best = 0};
    double estimate[CONTENDERS] = {0};
    enum tcplan_status status = TCPLAN_OK;
    for (int t = 0; t < contest->count; t++)
        estimate[t] = tcplan_tree_totals(contest->tree[t]).seconds;
    if (search->options->timing && search->options->objective == TCPLAN_OBJECTIVE_TIME) {
        const struct load_mark mark = load_begin();
        status = search_time_trees(&decided, contest->tree, contest->count, search->options->timing,
                                   search->deadline, search->error);
        const struct load_report load = load_end(&mark);
        out->load =
            (struct tcplan_load){.lost_share = load.lost_share, .other_cores = load.other_cores};
    }
    *best = decided.best;
    out->timed = decided.timed;
    out->estimate_seconds = estimate[decided.best];
    return status;
}

/** Adds trees of orders that may be equally fast: for each term, the next best one by the coarse
 * model. Used only for timing. */
static enum tcplan_status contend_next(struct contest *contest, struct search *search,
                                       const struct order *const best[],
                                       const struct order *trial[]) {
    const int terms = search->network->term_count;
    enum tcplan_status status = TCPLAN_OK;
    if (!search->options->timing) return TCPLAN_OK;
    for (int n = 0; n < 2 && status == TCPLAN_OK; n++) {
        bool fresh = false;
        for (int t = 0; t < terms; t++) {
            trial[t] = &search->pool[t].order[n < search->pool[t].count ? n : 0];
            fresh = fresh || !order_is_same(trial[t], best[t]);
        }
        if (fresh) status = contend(contest, search, trial, true);
    }
    return status;
}

/** Adds the trees of the best orders of a network, without and with shared products. `apart`
 * receives the seconds of the tree without shared products. */
static enum tcplan_status contend_all(struct contest *contest, struct search *search,
                                      double *apart) {
    const size_t terms = (size_t)search->network->term_count;
    const struct order **best =
        base_alloc_zero(terms, sizeof *best); /* NOLINT(bugprone-sizeof-expression):
                                                 an array of pointers */
    const struct order **trial =
        base_alloc_zero(terms, sizeof *trial); /* NOLINT(bugprone-sizeof-expression):
                                                  an array of pointers */
    double *seconds = base_alloc(terms * sizeof *seconds);
    enum tcplan_status status =
        best && trial && seconds ? TCPLAN_OK : error_no_memory(search->error);
    if (status == TCPLAN_OK) status = choose(search, best, trial, seconds);
    if (status == TCPLAN_OK) status = contend(contest, search, best, false);
    if (status == TCPLAN_OK && apart) *apart = tcplan_tree_totals(contest->tree[0]).seconds;
    if (status == TCPLAN_OK) status = share(contest, search, best, trial);
    if (status == TCPLAN_OK && !deadline_is_over(search->deadline))
        status = contend_next(contest, search, best, trial);
    base_free(best);
    base_free(trial);
    base_free(seconds);
    return status;
}

/** Rewrites the expression by the distributive law, and adds the trees of the best orders of the
 * rewritten expression. */
static enum tcplan_status contend_distributed(struct contest *contest, struct search *search,
                                              struct distributed *distributed) {
    const struct tcplan_network *network = search->network;
    const struct subject like = search_subject(search, search->options->objective);
    bool sliced = network->tensor_count == network->operand_count ||
                  search->options->objective == TCPLAN_OBJECTIVE_MEMORY;
    for (int i = 0; i < network->index_count; i++) sliced = sliced || search->sliced[i];
    if (sliced || deadline_is_over(search->deadline)) return TCPLAN_OK;
    enum tcplan_status status =
        distribute(distributed, network, search->extent, &like, search->error);
    if (status != TCPLAN_OK || !distributed->network) return status;
    struct search inner = *search;
    inner.network = distributed->network;
    inner.extent = distributed->extent;
    inner.pool = base_alloc_zero((size_t)inner.network->term_count, sizeof *inner.pool);
    inner.sliced = base_alloc_zero((size_t)inner.network->index_count + 1, sizeof *inner.sliced);
    status = inner.pool && inner.sliced ? search_terms(&inner) : error_no_memory(search->error);
    if (status == TCPLAN_OK) status = contend_all(contest, &inner, NULL);
    for (int t = 0; inner.pool && t < inner.network->term_count; t++) pool_free(&inner.pool[t]);
    base_free(inner.pool);
    base_free(inner.sliced);
    search->estimates = inner.estimates;
    search->random = inner.random;
    search->exact = search->exact && inner.exact;
    return status;
}

/** Makes the tree with the fewest operations, without rewriting the expression. */
static enum tcplan_status make_flops(struct tcplan_tree **out, struct search *search) {
    const size_t terms = (size_t)search->network->term_count;
    const struct order **order =
        base_alloc_zero(terms, sizeof *order); /* NOLINT(bugprone-sizeof-expression):
                                                  an array of pointers */
    if (!order) return error_no_memory(search->error);
    for (size_t t = 0; t < terms; t++) order[t] = &search->pool[t].flops;
    const enum tcplan_status status = make_estimated(out, search, order, true);
    base_free(order);
    return status;
}

/** Returns whether two trees multiply in the same order; their layouts may differ. */
static bool has_same_order(const struct tcplan_tree *a, const struct tcplan_tree *b) {
    char *one = tcplan_tree_path(a), *other = tcplan_tree_path(b);
    const bool same = a->network == b->network && (!one || !other || strcmp(one, other) == 0);
    free(one);
    free(other);
    return same;
}

/** Returns the number of the best tree of the searched network whose order differs from the
 * winner's; -1 if there is none. */
static int find_next(const struct contest *contest, const struct search *search, int winner) {
    int next = -1;
    for (int c = 0; c < contest->count; c++) {
        const struct tcplan_tree *tree = contest->tree[c];
        if (tree->network != search->network || has_same_order(tree, contest->tree[winner]))
            continue;
        if (next < 0 || value_of(search, tree) < value_of(search, contest->tree[next])) next = c;
    }
    return next;
}

enum tcplan_status search_estimate_best(struct tcplan_network_found *out, struct search *search) {
    struct contest contest = {.count = 0};
    struct distributed distributed = {.network = NULL};
    int winner = 0;
    enum tcplan_status status = contend_all(&contest, search, &out->apart_seconds);
    if (status == TCPLAN_OK) status = contend_distributed(&contest, search, &distributed);
    if (status == TCPLAN_OK) status = make_flops(&out->flops, search);
    if (status == TCPLAN_OK) status = decide(&winner, out, &contest, search);
    const int next = status == TCPLAN_OK ? find_next(&contest, search, winner) : -1;
    for (int c = 0; c < contest.count; c++) {
        if (c == winner && status == TCPLAN_OK) {
            out->tree = contest.tree[c];
        } else if (c == next) {
            out->next = contest.tree[c];
        } else {
            tcplan_tree_free(contest.tree[c]);
        }
    }
    if (out->tree && out->tree->network == distributed.network) {
        out->network = distributed.network;
        distributed.network = NULL;
    }
    distributed_free(&distributed);
    return status;
}
