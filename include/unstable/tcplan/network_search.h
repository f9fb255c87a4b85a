/**
 * Searching the order in which the factors of a network are multiplied: the one that takes the
 * fewest seconds.
 *
 * The time of a step is first a coarse model of its arithmetic and data traffic, which compares
 * thousands of orders: each term's best order is found exactly (dynamic programming over subsets of
 * its factors) if it has up to sixteen of them, and from greedy starts, improved part by part,
 * beyond. For the best few orders the layouts of intermediates are chosen; their steps are then
 * estimated as products are with TCPLAN_EFFORT_ESTIMATE, and the fastest order wins. Among the
 * orders that are compared so are always that of the fewest operations, and those that opt_einsum's
 * `greedy` and `random-greedy` find.
 *
 * Products that terms have in common are made once (tcplan_tree_share()), in the best orders as
 * well as in orders that are looked for so that they have much in common; the fastest wins. The
 * search also considers sums that the distributive law allows: A*B + A*C as A*(B+C), where that
 * pays.
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
    TCPLAN_OBJECTIVE_MEMORY /**< bytes of intermediates that are there at once */
};

/** tcplan_network_search_defaults() is where to begin. */
struct tcplan_network_search_options {
    enum tcplan_objective objective;
    int64_t max_memory_bytes;  /**< of intermediates that are there at once; indices are sliced if
                                  intermediates would take more. 0: any */
    double time_limit_seconds; /**< no start is begun after that; 0: none */
    uint64_t seed;             /**< of random starts */
    int exact; /**< terms of up to so many factors are searched exactly; at most TCPLAN_SEARCH_EXACT
                */
    int starts;     /**< random starts of terms beyond that */
    int candidates; /**< orders whose larger steps are estimated; fewer where terms are not searched
                       exactly, more of few factors */
    bool frees_result; /**< also choose the layout of the result of a single term */
    /**
     * how the steps that dominate the best few trees are planned by timing after that, within the
     * time limit: see tcplan_tree_time(). Of objectives only TCPLAN_OBJECTIVE_TIME does that. NULL:
     * nothing is timed
     */
    const struct tcplan_rank_options *timing;
    const struct tcplan_rank_options *rank; /**< how steps are estimated: threads, machine, models,
                                               space; the effort is TCPLAN_EFFORT_ESTIMATE. NULL:
                                               the defaults */
};

enum { TCPLAN_SEARCH_EXACT = 16 };

TCPLAN_API struct tcplan_network_search_options tcplan_network_search_defaults(void);

/** What was found. Free it with tcplan_network_found_free(). */
struct tcplan_network_found {
    struct tcplan_tree *tree; /**< the best by the objective: its steps have layouts, seconds and
                                 algorithms */
    struct tcplan_network *network; /**< the network of `tree`: the searched one with sums; NULL:
                                       the searched one itself. Tensors have the same numbers in
                                       both */
    struct tcplan_tree *flops; /**< for comparison, the order with the fewest operations, possibly
                                  the best itself; also sliced if it takes too much memory */
    double apart_seconds;      /**< predicted, of the best order in which terms share nothing */
    double estimate_seconds;   /**< of `tree`, by estimates alone: to be compared with those of
                                  other trees that were not timed */
    bool exact;              /**< every term's orders were searched exactly, by the coarse model */
    int64_t estimated;       /**< products whose algorithms were estimated */
    int64_t timed;           /**< products that were planned by timing */
    struct tcplan_load load; /**< of the machine meanwhile; zero if nothing was timed */
    double seconds;          /**< that the search took */
};

/**
 * Searches.
 *
 * @param extent   of each index of the network
 * @param options  NULL: the defaults
 * @return TCPLAN_OK; TCPLAN_INVALID if no order keeps steps within TCPLAN_MAX_INDICES indices, or
 *         intermediates do not fit the memory however many indices are sliced; otherwise as
 *         tcplan_tree_make() and tcplan_rank()
 */
TCPLAN_API enum tcplan_status tcplan_network_search(
    struct tcplan_network_found *out, const struct tcplan_network *network, const int64_t extent[],
    enum tcplan_dtype dtype, const struct tcplan_network_search_options *options,
    struct tcplan_error *error);

TCPLAN_API void tcplan_network_found_free(struct tcplan_network_found *found);

/**
 * Plans the steps that dominate a tree by timing, the longest first, equal ones once: `seconds`,
 * `algorithm` and `timed` of each. It ends when the others are estimated to take a tenth of the
 * whole, or after eight products; with TCPLAN_EFFORT_THOROUGH it times all. The others, those not
 * reached within the time, and those too large for memory keep their estimates.
 *
 * @param tree                with estimates: tcplan_tree_estimate()
 * @param timing              as of struct tcplan_network_search_options
 * @param time_limit_seconds  0: none
 * @param timed               receives how many products were planned
 * @return as tcplan_rank()
 */
TCPLAN_API enum tcplan_status tcplan_tree_time(int64_t *timed, struct tcplan_tree *tree,
                                               const struct tcplan_rank_options *timing,
                                               double time_limit_seconds,
                                               struct tcplan_error *error);

/**
 * Chooses the layouts of a tree's intermediates, and estimates its steps: `seconds` and `algorithm`
 * of each.
 *
 * @param layouts  false: the layouts stay as they are
 * @return as tcplan_rank()
 */
TCPLAN_API enum tcplan_status tcplan_tree_estimate(struct tcplan_tree *tree, bool layouts,
                                                   const struct tcplan_rank_options *rank,
                                                   struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
