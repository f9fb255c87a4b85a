#include "tcplan/network_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/quantity.h"
#include "microbench/timing/load.h"
#include "network/decide.h"
#include "network/distribute.h"
#include "network/estimates.h"
#include "network/factors.h"
#include "network/fused.h"
#include "network/layouts.h"
#include "network/orders.h"
#include "network/tree.h"

enum {
    POOL_MOST = 16, /* maximum number of orders of a term in a pool */
    OTHERS = 2,
    FEW = 6,               /* with at most this many factors, all orders of a pool are estimated */
    IMPROVED_MOST = 8,     /* maximum number of orders of a pool that are improved */
    CONTENDERS = 8,        /* maximum number of trees in a contest */
    OPT_EINSUM_STARTS = 32 /* number of starts of opt_einsum's random-greedy optimizer */
};

/* When trees are compared, only steps with at least this share of the time are estimated. */
#define SMALL_SHARE 0.002

static const double temperatures[] = {0.03, 0.1, 0.3, 1};
enum { TEMPERATURES = sizeof temperatures / sizeof *temperatures };

struct tcplan_network_search_options tcplan_network_search_defaults(void) {
    return (struct tcplan_network_search_options){.objective = TCPLAN_OBJECTIVE_TIME,
                                                  .seed = 1,
                                                  .exact = TCPLAN_SEARCH_EXACT,
                                                  .starts = 64,
                                                  .candidates = 8};
}

/* The best orders of a term by the coarse model or by operations, sorted with the best first. */

struct pool {
    int count;
    struct order order[POOL_MOST];
    struct order flops; /* the order with the fewest operations */
    int other_count;
    struct order other[OTHERS]; /* opt_einsum's greedy order, and the order with the second fewest
                                   operations; both are always compared */
};

/** State of a search. */
struct search {
    const struct tcplan_network *network;
    const int64_t *extent;
    enum tcplan_dtype dtype;
    const struct tcplan_network_search_options *options;
    struct speeds speeds;
    struct estimates estimates;
    struct deadline deadline;
    struct random random;
    struct pool *pool; /* orders of each term */
    bool *sliced;      /* for each index, whether it is sliced */
    bool exact;
    struct tcplan_error *error;
};

/** Returns the status after a part of the search. `done` is false if the part failed for lack of
 * memory. */
static enum tcplan_status outcome(const struct search *search, bool done) {
    if (deadline_is_cancelled(search->deadline))
        return error_set(search->error, TCPLAN_CANCELLED, "the search was cancelled");
    return done ? TCPLAN_OK : error_no_memory(search->error);
}

static bool is_same(const struct order *a, const struct order *b) {
    return a->steps == b->steps &&
           memcmp(a->pair, b->pair, (size_t)a->steps * sizeof *a->pair) == 0;
}

/** Adds an order to a pool. Frees it instead if it is incomplete, already in the pool, or worse
 * than all orders of a full pool. */
static void pool_add(struct pool *pool, const struct subject *subject, struct order *order) {
    int place = pool->count;
    bool known = order->steps + 1 != subject->leaves;
    for (int o = 0; o < pool->count; o++) known = known || is_same(&pool->order[o], order);
    while (place > 0 && order_value(subject, order) < order_value(subject, &pool->order[place - 1]))
        place--;
    if (known || place == POOL_MOST) {
        order_free(order);
        return;
    }
    if (pool->count == POOL_MOST) order_free(&pool->order[--pool->count]);
    memmove(&pool->order[place + 1], &pool->order[place],
            (size_t)(pool->count - place) * sizeof *pool->order);
    pool->order[place] = *order;
    pool->count++;
}

static void pool_free(struct pool *pool) {
    for (int o = 0; o < pool->count; o++) order_free(&pool->order[o]);
    order_free(&pool->flops);
    for (int o = 0; o < pool->other_count; o++) order_free(&pool->other[o]);
    pool->count = pool->other_count = 0;
}

/** Makes the order that multiplies the factors from left to right, as they are written. */
static bool order_as_written(struct order *out, const struct subject *subject) {
    if (!order_init(out, subject)) return false;
    for (int s = 0; s + 1 < subject->leaves; s++) {
        out->pair[s][0] = s == 0 ? 0 : subject->leaves + s - 1;
        out->pair[s][1] = s + 1;
        out->steps++;
    }
    return order_finish(subject, out);
}

/** Adds the deterministic starting orders: a greedy order by each criterion, and the order as
 * written. */
static bool add_plain_starts(struct pool *pool, const struct subject *subject) {
    for (int by = 0;
         by <= (int)GREEDIES && !(pool->count > 0 && deadline_is_over(subject->deadline)); by++) {
        struct order order = {0};
        const bool made = by < (int)GREEDIES
                              ? order_greedy(&order, subject, (enum greedy)by, 0, NULL)
                              : order_as_written(&order, subject);
        if (!made) {
            order_free(&order);
            return false;
        }
        pool_add(pool, subject, &order);
    }
    return true;
}

static bool add_random_starts(struct pool *pool, const struct subject *subject,
                              struct search *search, int count) {
    for (int n = 0; n < count && !deadline_is_over(search->deadline); n++) {
        struct order order = {0};
        const enum greedy by = n % 2 ? GREEDY_RATIO : GREEDY_SIZE;
        if (!order_greedy(&order, subject, by, temperatures[n / 2 % TEMPERATURES],
                          &search->random)) {
            order_free(&order);
            return false;
        }
        pool_add(pool, subject, &order);
    }
    return true;
}

/** Improves copies of the best orders of a pool, one part of an order at a time, and adds them to
 * the pool. */
static bool improve(struct pool *pool, const struct subject *subject) {
    const int count = pool->count < IMPROVED_MOST ? pool->count : IMPROVED_MOST;
    struct order better[IMPROVED_MOST];
    bool improved = true;
    int copies = 0;
    for (; improved && copies < count; copies++) {
        improved = order_copy(&better[copies], &pool->order[copies]);
        if (improved) improved = order_reconfigure(&better[copies], subject);
    }
    for (int o = 0; o < copies; o++) {
        if (improved) {
            pool_add(pool, subject, &better[o]);
        } else {
            order_free(&better[o]);
        }
    }
    return improved;
}

/** Returns the number of random starting orders of a term. */
static int random_starts(const struct search *search, bool exact) {
    if (!exact) return search->options->starts;
    return search->options->candidates > 0 ? OPT_EINSUM_STARTS : 0;
}

/** Fills a pool with orders that are good by the given objective. */
static bool fill_pool(struct pool *pool, const struct subject *subject, struct search *search) {
    const bool exact = subject->leaves <= search->options->exact;
    bool filled = add_plain_starts(pool, subject);
    if (filled) filled = add_random_starts(pool, subject, search, random_starts(search, exact));
    if (filled && exact && subject->leaves > 2) {
        struct order order = {0};
        const double bound = pool->count > 0 ? order_value(subject, &pool->order[0]) : INFINITY;
        filled = order_optimal(&order, subject, bound);
        if (deadline_is_over(subject->deadline)) search->exact = false;
        if (filled) {
            pool_add(pool, subject, &order);
        } else {
            order_free(&order);
        }
    }
    return filled && (exact || improve(pool, subject));
}

/** Returns a subject with the properties that the subjects of all terms have in common. */
static struct subject subject_like(const struct search *search, enum tcplan_objective objective) {
    return (struct subject){.element_bytes = tcplan_dtype_bytes(search->dtype),
                            .is_complex = tcplan_dtype_is_complex(search->dtype),
                            .speeds = &search->speeds,
                            .objective = objective,
                            .max_bytes = search->options->max_memory_bytes > 0
                                             ? (double)search->options->max_memory_bytes
                                             : INFINITY,
                            .deadline = search->deadline};
}

/** Adds the orders that are always compared. */
static bool add_others(struct pool *pool, const struct subject *subject,
                       const struct pool *fewest) {
    bool added = order_greedy(&pool->other[pool->other_count++], subject, GREEDY_SIZE, 0, NULL);
    if (added && fewest->count > 1)
        added = order_copy(&pool->other[pool->other_count++], &fewest->order[1]);
    return added;
}

/** Searches for good orders of a term. A term with one factor has only one order. */
static bool search_term(struct search *search, int term) {
    struct subject subject = subject_like(search, TCPLAN_OBJECTIVE_FLOPS);
    struct pool *pool = &search->pool[term];
    struct pool fewest = {.count = 0};
    bool searched = subject_init(&subject, search->network, term, search->extent, search->sliced);
    if (searched && subject.leaves == 1) {
        searched = order_init(&pool->order[0], &subject) && order_init(&pool->flops, &subject);
        pool->count = 1;
    } else if (searched && search->options->candidates == 0) {
        subject.objective = search->options->objective;
        searched = fill_pool(pool, &subject, search);
    } else if (searched) {
        search->exact = search->exact && subject.leaves <= search->options->exact;
        searched = fill_pool(&fewest, &subject, search);
        if (searched && search->exact) searched = add_others(pool, &subject, &fewest);
        subject.objective = search->options->objective;
        for (int o = 0; searched && o < fewest.count;
             o++) { /* the orders with the fewest operations are added too */
            struct order copy;
            searched = order_copy(&copy, &fewest.order[o]) && order_finish(&subject, &copy);
            if (searched) {
                pool_add(pool, &subject, &copy);
            } else {
                order_free(&copy);
            }
        }
        if (searched)
            searched = fewest.count > 0 ? order_copy(&pool->flops, &fewest.order[0]) : false;
        if (searched && subject.objective != TCPLAN_OBJECTIVE_FLOPS)
            searched = fill_pool(pool, &subject, search);
    }
    pool_free(&fewest);
    subject_free(&subject);
    return searched;
}

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

/** Makes the tree that consists of one given order for each term. */
static enum tcplan_status make_tree(struct tcplan_tree **out, const struct search *search,
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
    enum tcplan_status status = make_tree(&tree, search, order);
    if (status == TCPLAN_OK && shared)
        status = tcplan_tree_share(&readers, tree, (double)search->options->max_memory_bytes,
                                   search->error);
    if (status == TCPLAN_OK)
        status = outcome(search, layouts_choose(tree, &search->speeds, search->deadline));
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
    enum tcplan_status status = make_tree(&tree, search, order);
    if (status == TCPLAN_OK)
        status = outcome(search, layouts_choose(tree, &search->speeds, search->deadline));
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
    if (search->network->operand_count <= FEW && wanted < POOL_MOST + OTHERS + 1)
        return POOL_MOST + OTHERS + 1;
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
            fresh = fresh || !is_same(trial[t], best[t]);
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
    const struct subject like = subject_like(search, search->options->objective);
    if (network->tensor_count == network->operand_count ||
        search->options->objective == TCPLAN_OBJECTIVE_MEMORY)
        return TCPLAN_OK;
    struct order *order = base_alloc_zero((size_t)network->term_count, sizeof *order);
    if (!order) return error_no_memory(search->error);
    enum tcplan_status status = contend(contest, search, best, true);
    if (status == TCPLAN_OK)
        status =
            outcome(search, factors_find(order, network, search->extent, search->sliced, &like));
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

/** Chooses between trees by timing. */
static enum tcplan_status time_trees(struct decided *out, struct tcplan_tree *const tree[],
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
        status = time_trees(&decided, contest->tree, contest->count, search->options->timing,
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
            fresh = fresh || !is_same(trial[t], best[t]);
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

static enum tcplan_status search_terms(struct search *search) {
    enum tcplan_status status = TCPLAN_OK;
    search->exact = true;
    for (int t = 0; t < search->network->term_count && status == TCPLAN_OK; t++) {
        pool_free(&search->pool[t]);
        status = outcome(search, search_term(search, t));
    }
    return status;
}

/** Rewrites the expression by the distributive law, and adds the trees of the best orders of the
 * rewritten expression. */
static enum tcplan_status contend_distributed(struct contest *contest, struct search *search,
                                              struct distributed *distributed) {
    const struct tcplan_network *network = search->network;
    const struct subject like = subject_like(search, search->options->objective);
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

static enum tcplan_status estimate_best(struct tcplan_network_found *out, struct search *search) {
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

/* Slices. */

/** Makes the tree with the best order of each term, even if it exceeds the memory limit. */
static enum tcplan_status make_first(struct tcplan_tree **out, const struct search *search) {
    const size_t terms = (size_t)search->network->term_count;
    const struct order **order =
        base_alloc_zero(terms, sizeof *order); /* NOLINT(bugprone-sizeof-expression):
                                                  an array of pointers */
    if (!order) return error_no_memory(search->error);
    for (size_t t = 0; t < terms; t++) order[t] = &search->pool[t].order[0];
    const enum tcplan_status status = make_tree(out, search, order);
    base_free(order);
    return status;
}

/** Chooses the index to slice among the indices of the largest intermediates: the one that adds the
 * fewest operations for each halving of the memory; -1 if there is none. */
static enum tcplan_status choose_slice(int *out, const struct search *search,
                                       const struct tcplan_tree *tree) {
    const struct tcplan_tree_totals now = tcplan_tree_totals(tree);
    double best = INFINITY;
    *out = -1;
    for (int i = 0; i < search->network->index_count && !deadline_is_cancelled(search->deadline);
         i++) {
        bool is_there = false;
        for (int s = 0; s < tree->step_count && !is_there; s++) {
            const struct tcplan_tree_step *step = &tree->step[s];
            for (int d = 0; d < step->rank && !step->last && 2 * step->bytes > now.largest_bytes;
                 d++)
                is_there = is_there || step->dims[d] == i;
        }
        if (!is_there || search->extent[i] < 2 || tree_is_sliced(tree, i)) continue;
        struct tcplan_tree *trial = tcplan_tree_copy(tree);
        if (!trial) return error_no_memory(search->error);
        const enum tcplan_status status = tcplan_tree_slice(trial, i, search->error);
        const struct tcplan_tree_totals then = tcplan_tree_totals(trial);
        tcplan_tree_free(trial);
        if (status != TCPLAN_OK) return status;
        const double freed = log2(fmax(now.peak_bytes, 1) / fmax(then.peak_bytes, 1));
        const double cost =
            freed > 0 ? log2(fmax(then.flops, 1) / fmax(now.flops, 1)) / freed : INFINITY;
        if (!(cost < best)) continue;
        best = cost;
        *out = i;
    }
    return outcome(search, true);
}

/** Slices indices until the intermediates fit into the memory. */
static enum tcplan_status slice(struct search *search) {
    const double limit = (double)search->options->max_memory_bytes;
    for (;;) {
        struct tcplan_tree *tree = NULL;
        int index = -1;
        enum tcplan_status status = make_first(&tree, search);
        const double peak = status == TCPLAN_OK ? tcplan_tree_totals(tree).peak_bytes : 0;
        if (status == TCPLAN_OK && limit > 0 && peak > limit && search->network->sum_count == 0)
            status = choose_slice(&index, search, tree);
        tcplan_tree_free(tree);
        if (status != TCPLAN_OK || limit <= 0 || peak <= limit) return status;
        if (index < 0) {
            return error_set(
                search->error, TCPLAN_INVALID,
                "intermediates take at least %s, and no index is left to slice; expected at most "
                "%s",
                quantity_bytes((int64_t)fmin(peak, 9e18)).text,
                quantity_bytes(search->options->max_memory_bytes).text);
        }
        search->sliced[index] = true;
        status = search_terms(search);
        if (status != TCPLAN_OK) return status;
    }
}

/* All. */

static enum tcplan_status search_all(struct tcplan_network_found *out, struct search *search) {
    enum tcplan_status status = search_terms(search);
    if (status == TCPLAN_OK) status = slice(search);
    if (status == TCPLAN_OK) {
        status = search->options->candidates > 0 ? estimate_best(out, search)
                                                 : make_first(&out->tree, search);
    }
    if (status == TCPLAN_OK && search->options->candidates > 0 &&
        search->options->objective == TCPLAN_OBJECTIVE_TIME) {
        if (search->options->timing)
            out->timed += fused_time(out->tree, search->options->timing, search->deadline);
        fused_join(out->tree, search->estimates.options.machine, search->estimates.options.threads);
    }
    out->exact = search->exact;
    out->estimated = (int64_t)search->estimates.count;
    return status;
}

enum tcplan_status tcplan_network_search(struct tcplan_network_found *out,
                                         const struct tcplan_network *network,
                                         const int64_t extent[], enum tcplan_dtype dtype,
                                         const struct tcplan_network_search_options *options,
                                         struct tcplan_error *error) {
    const double start = monotonic_seconds();
    struct tcplan_network_search_options defaults = tcplan_network_search_defaults();
    if (options) defaults = *options;
    if (defaults.exact > TCPLAN_SEARCH_EXACT) defaults.exact = TCPLAN_SEARCH_EXACT;
    struct search search = {.network = network,
                            .extent = extent,
                            .dtype = dtype,
                            .options = &defaults,
                            .random = {defaults.seed},
                            .error = error};
    struct tcplan_network_found found = {.tree = NULL};
    enum tcplan_status status = estimates_init(&search.estimates, defaults.rank, false, error);
    if (status != TCPLAN_OK) return status;
    const struct tcplan_rank_options *rank = &search.estimates.options;
    search.deadline = deadline_or_cancelled(defaults.time_limit_seconds, rank->is_cancelled,
                                            rank->cancel_context);
    search.estimates.deadline = search.deadline;
    search.speeds =
        speeds_of(search.estimates.options.machine, dtype, search.estimates.options.threads);
    search.pool = base_alloc_zero((size_t)network->term_count, sizeof *search.pool);
    search.sliced = base_alloc_zero((size_t)network->index_count + 1, sizeof *search.sliced);
    status = search.pool && search.sliced ? search_all(&found, &search) : error_no_memory(error);
    for (int t = 0; search.pool && t < network->term_count; t++) pool_free(&search.pool[t]);
    base_free(search.pool);
    base_free(search.sliced);
    estimates_free(&search.estimates);
    found.seconds = monotonic_seconds() - start;
    if (status == TCPLAN_OK) {
        *out = found;
    } else {
        tcplan_network_found_free(&found);
    }
    return status;
}

void tcplan_network_found_free(struct tcplan_network_found *found) {
    tcplan_tree_free(found->tree);
    tcplan_tree_free(found->flops);
    tcplan_tree_free(found->next);
    tcplan_network_free(found->network);
    *found = (struct tcplan_network_found){.tree = NULL};
}

enum tcplan_status tcplan_tree_time(int64_t *timed, struct tcplan_tree *tree,
                                    const struct tcplan_rank_options *timing,
                                    double time_limit_seconds, struct tcplan_error *error) {
    struct decided decided = {.best = 0};
    const struct deadline deadline =
        deadline_or_cancelled(time_limit_seconds, timing->is_cancelled, timing->cancel_context);
    fused_part(tree);
    const enum tcplan_status status = time_trees(&decided, &tree, 1, timing, deadline, error);
    *timed = decided.timed;
    if (status == TCPLAN_OK) *timed += fused_time(tree, timing, deadline);
    return status == TCPLAN_OK ? fused_join_known(tree, timing, error) : status;
}

enum tcplan_status tcplan_tree_estimate(struct tcplan_tree *tree, bool layouts,
                                        const struct tcplan_rank_options *rank,
                                        struct tcplan_error *error) {
    struct estimates estimates;
    enum tcplan_status status = estimates_init(&estimates, rank, false, error);
    if (status != TCPLAN_OK) return status;
    estimates.deadline =
        deadline_or_cancelled(rank ? rank->time_limit_seconds : 0, estimates.options.is_cancelled,
                              estimates.options.cancel_context);
    const struct speeds speeds =
        speeds_of(estimates.options.machine, tree->dtype, estimates.options.threads);
    fused_part(tree);
    if (layouts && !layouts_choose(tree, &speeds, estimates.deadline))
        status = error_no_memory(error);
    if (status == TCPLAN_OK) status = estimates_fill(&estimates, tree, error);
    if (status == TCPLAN_OK) fused_join(tree, estimates.options.machine, estimates.options.threads);
    estimates_free(&estimates);
    return status;
}
