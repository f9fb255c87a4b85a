/** Orders of several terms with common products, chosen greedily by coarse costs. */
#ifndef NETWORK_FACTORS_H
#define NETWORK_FACTORS_H

#include "network/search/orders.h"

/**
 * Finds products of two or more factors that are worth computing once for several terms. Repeatedly
 * takes the product that gains most over all terms, until none gains. Terms of fewer than three or
 * more than eight factors are not changed.
 *
 * @param out     receives for each term an order with shared products, to be freed with
 *     order_free(); an order without steps if the term shares no product
 * @param like    common properties of the subjects: types, speeds, an objective other than memory,
 *     limit of memory, deadline
 * @param sliced  for each index, whether it is sliced: factors with such an index are not shared
 * @return false if memory runs out
 */
bool factors_find(struct order out[], const struct tcplan_network *network, const int64_t extent[],
                  const bool sliced[], const struct subject *like);

#endif
