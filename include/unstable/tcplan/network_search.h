/**
 * Finds the fastest order in which to multiply the factors of a network.
 *
 * First, a coarse model of the arithmetic and data traffic of steps compares thousands of orders.
 * A term of up to sixteen factors is searched exactly, by dynamic programming over subsets of its
 * factors; larger terms are searched from greedy orders, which are improved subtree by subtree.
 * For the best few orders, layouts of intermediates are chosen and steps are estimated like
 * products with TCPLAN_EFFORT_ESTIMATE; the fastest order wins. The estimated orders always
 * include the order with the fewest operations, and those of opt_einsum's `greedy` and
 * `random-greedy`.
 *
 * Products that several terms have in common are computed once (tcplan_tree_share()). Orders
 * chosen to have many common products compete with the best ones. The search also considers sums
 * that the distributive law allows: A*B + A*C as A*(B+C), if that is faster.
 */
#ifndef TCPLAN_NETWORK_SEARCH_H
#define TCPLAN_NETWORK_SEARCH_H

#include "tcplan/network_tree.h"
#include "tcplan/rank.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The objective to minimise. */
enum tcplan_objective {
    TCPLAN_OBJECTIVE_TIME,  /**< predicted seconds */
    TCPLAN_OBJECTIVE_FLOPS, /**< operations */
    TCPLAN_OBJECTIVE_MEMORY /**< bytes of intermediates that exist at the same time */
};

/** Options of a search. Start from tcplan_network_search_defaults(). */
struct tcplan_network_search_options {
    enum tcplan_objective objective;
    int64_t max_memory_bytes;  /**< bound on the bytes of intermediates that exist at the same time;
                                  indices are sliced to meet it. 0: unlimited */
    double time_limit_seconds; /**< time limit, after which no further start is tried; 0: none */
    uint64_t seed;             /**< seed of the random starts */
    int exact;                 /**< terms of up to this many factors are searched exactly; at most
                                  TCPLAN_SEARCH_EXACT */
    int starts;                /**< number of random starts of larger terms */
    int candidates; /**< number of orders whose larger steps are estimated; fewer if terms are not
                       searched exactly, more if there are few factors. 0: nothing is estimated, and
                       `tree` is the best one by the coarse model, without layouts, seconds and
                       algorithms */
    bool frees_result; /**< whether the layout of the result is chosen too, if the network has a
                          single term */
    /**
     * options for planning the dominant steps of the best few trees by timing, within the time
     * limit: see tcplan_tree_time(). Only for TCPLAN_OBJECTIVE_TIME. NULL: nothing is timed
     */
    const struct tcplan_rank_options *timing;
    const struct tcplan_rank_options *rank; /**< options for estimating steps: threads, machine,
                                               models, space; the effort is TCPLAN_EFFORT_ESTIMATE.
                                               NULL: the defaults */
};

enum { TCPLAN_SEARCH_EXACT = 16 };

TCPLAN_API struct tcplan_network_search_options tcplan_network_search_defaults(void);

/** Result of a search. Free it with tcplan_network_found_free(). */
struct tcplan_network_found {
    struct tcplan_tree *tree; /**< the best tree according to the objective; its steps have layouts,
                                 seconds and algorithms */
    struct tcplan_network *network; /**< the network of `tree`: the searched one rewritten with
                                       sums; NULL: the searched one itself. Tensors have the same
                                       numbers in both */
    struct tcplan_tree *flops; /**< for comparison: the order with the fewest operations, which may
                                  be the best; also sliced if it exceeds the memory */
    struct tcplan_tree *next;  /**< the next best of the compared orders of the searched network;
                                  NULL: no other was estimated */
    double apart_seconds;      /**< predicted time of the best order that computes common products
                                  separately for each term */
    double estimate_seconds; /**< estimated time of `tree`, to be compared with trees that were not
                                timed */
    bool exact;              /**< whether every term was searched exactly, with the coarse model */
    int64_t estimated;       /**< number of products whose algorithms were estimated */
    int64_t timed;           /**< number of products timed */
    struct tcplan_load load; /**< load of the machine during the search; zero if nothing was timed
                              */
    double seconds;          /**< duration of the search */
};

/**
 * Finds the best order.
 *
 * @param extent   extent of each index of the network
 * @param options  NULL: the defaults
 * @return TCPLAN_OK; TCPLAN_INVALID if no order keeps steps within TCPLAN_MAX_INDICES indices, or
 *         intermediates exceed the memory bound even with sliced indices; otherwise a status of
 *         tcplan_tree_make() or tcplan_rank()
 */
TCPLAN_API enum tcplan_status tcplan_network_search(
    struct tcplan_network_found *out, const struct tcplan_network *network, const int64_t extent[],
    enum tcplan_dtype dtype, const struct tcplan_network_search_options *options,
    struct tcplan_error *error);

TCPLAN_API void tcplan_network_found_free(struct tcplan_network_found *found);

/**
 * Plans the dominant steps of a tree by timing: the longest first, equal steps once. Sets
 * `seconds`, `algorithm` and `timed` of each. The timing ends when the other steps are estimated to
 * take a tenth of the whole, or after eight products; with TCPLAN_EFFORT_THOROUGH, it times all
 * steps. Other steps, including those too large for memory, keep their estimates.
 *
 * @param tree                a tree whose steps have estimates, see tcplan_tree_estimate()
 * @param timing              options for planning by timing
 * @param time_limit_seconds  0: none
 * @param timed               receives how many products were planned
 * @return a status of tcplan_rank()
 */
TCPLAN_API enum tcplan_status tcplan_tree_time(int64_t *timed, struct tcplan_tree *tree,
                                               const struct tcplan_rank_options *timing,
                                               double time_limit_seconds,
                                               struct tcplan_error *error);

/**
 * Chooses the layouts of a tree's intermediates, and estimates its steps: `seconds` and `algorithm`
 * of each.
 *
 * @param layouts  whether layouts are chosen; false: the present layouts stay
 * @return a status of tcplan_rank()
 */
TCPLAN_API enum tcplan_status tcplan_tree_estimate(struct tcplan_tree *tree, bool layouts,
                                                   const struct tcplan_rank_options *rank,
                                                   struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
