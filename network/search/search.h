/**
 * The search for the fastest order of an expression, in three parts: pools of orders of each term
 * (pool.c), trees of such orders that are estimated and timed (contest.c), and slices
 * (network_search.c). Internal to these files.
 */
#ifndef NETWORK_SEARCH_SEARCH_H
#define NETWORK_SEARCH_SEARCH_H

#include "base/deadline.h"
#include "base/random.h"
#include "network/search/decide.h"
#include "network/search/estimates.h"
#include "network/search/orders.h"
#include "tcplan/network_search.h"

/** Maximum number of orders in a pool, and of orders that are compared in any case. */
enum { POOL_MOST = 16, POOL_OTHERS = 2 };

/** The best orders of a term by the coarse model or by operations, the best first. */
struct pool {
    int count;
    struct order order[POOL_MOST];
    struct order flops; /**< the order with the fewest operations */
    int other_count;
    struct order other[POOL_OTHERS]; /**< orders that are always compared: opt_einsum's greedy
                                        order, and the one with the second fewest operations */
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
    struct pool *pool; /**< orders of each term */
    bool *sliced;      /**< for each index, whether it is sliced */
    bool exact;        /**< whether all orders of each term were compared */
    struct tcplan_error *error;
};

/** Returns the status after a part of the search. `done` is false if the part failed for lack of
 * memory. */
enum tcplan_status search_outcome(const struct search *search, bool done);

/** Returns whether two orders have the same steps in the same sequence. */
bool order_is_same(const struct order *a, const struct order *b);

/** Returns a subject with the properties that the subjects of all terms have in common. */
struct subject search_subject(const struct search *search, enum tcplan_objective objective);

/** Fills the pool of each term with good orders. Frees the orders of an earlier search. */
enum tcplan_status search_terms(struct search *search);

void pool_free(struct pool *pool);

/** Makes the tree that consists of one given order for each term. */
enum tcplan_status search_make_tree(struct tcplan_tree **out, const struct search *search,
                                    const struct order *const order[]);

/** Finds the best tree of the orders in the pools, without and with shared products and rewritten
 * sums. Sets the trees, the numbers of timed products and the load of `out`. */
enum tcplan_status search_estimate_best(struct tcplan_network_found *out, struct search *search);

/** Chooses between trees by timing. */
enum tcplan_status search_time_trees(struct decided *out, struct tcplan_tree *const tree[],
                                     int count, const struct tcplan_rank_options *rank,
                                     struct deadline deadline, struct tcplan_error *error);

#endif
