/**
 * Factorisations: orders of several terms in which they have products in common, chosen greedily by
 * coarse costs.
 */
#ifndef NETWORK_FACTORS_H
#define NETWORK_FACTORS_H

#include "network/orders.h"

/**
 * Looks for products of two or more factors that are worth computing once for several terms. The
 * product that gains most is taken first, over all terms that gain by it; then the next one, until
 * none gains. Terms of more than eight factors are not changed.
 *
 * @param out     receives for each term an order with such products, to be freed with order_free();
 *                without steps where the term takes part in none
 * @param like    what subjects of terms are like: types, speeds, objective, which is not memory,
 *                bound of memory, deadline
 * @param sliced  of each index: factors with it are not shared
 * @return false if memory runs out
 */
bool factors_find(struct order out[], const struct tcplan_network *network, const int64_t extent[],
                  const bool sliced[], const struct subject *like);

#endif
