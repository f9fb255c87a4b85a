/**
 * Stored orders: the fastest order found for an expression of several tensors, with the layouts of
 * intermediates and the algorithms of the steps. They are stored next to plans
 * (tcplan/stored_plans.h) and found again for the same expression, sizes, options, machine and
 * libraries.
 */
#ifndef TCPLAN_NETWORK_STORED_H
#define TCPLAN_NETWORK_STORED_H

#include "tcplan/network_search.h"
#include "tcplan/stored_plans.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The key of a stored order: everything on which it depends. */
struct tcplan_order_key {
    const struct tcplan_network *network;
    const int64_t *extent; /**< extent of each index of the network */
    enum tcplan_dtype dtype;
    const struct tcplan_rank_options *rank; /**< options of the steps' rankings */
    enum tcplan_objective objective;
    int64_t max_memory_bytes;
    const char *path; /**< the order that the user gave, so that only layouts and algorithms were
                         searched; NULL: none */
};

/**
 * Looks for a stored order that was found with at least the effort of the options.
 *
 * @param out receives the tree with layouts, times and algorithms, its rewritten network if there
 *     is one, the number of timed products, and the estimates; the other members are zero. To be
 *     freed with tcplan_network_found_free(). Untouched on failure
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if no such order is stored; TCPLAN_INVALID if the entry
 *     is damaged; TCPLAN_ENVIRONMENT; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_order_recall(struct tcplan_network_found *out,
                                                  const struct tcplan_stored_plans *plans,
                                                  const struct tcplan_order_key *key,
                                                  struct tcplan_error *error);

/**
 * Stores an order whose steps were timed. A stored order that was found with more effort is not
 * replaced. Orders without timed steps are not stored, and none is stored while a library is open
 * as a file, because fingerprints do not include it.
 *
 * @param found  its `tree`, `network`, `timed`, `exact` and estimates are stored
 * @return a status of tcplan_stored_plans_keep()
 */
TCPLAN_API enum tcplan_status tcplan_order_keep(const struct tcplan_stored_plans *plans,
                                                const struct tcplan_order_key *key,
                                                const struct tcplan_network_found *found,
                                                struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
