/**
 * Products that are equal but for the names of their indices and the order of their factors.
 */
#ifndef NETWORK_PRODUCTS_H
#define NETWORK_PRODUCTS_H

#include "tcplan/network.h"

/** A product of some factors of a term, summed over every index that is not kept. */
struct product_form {
    int count;
    const int *operand; /* numbers of operands of the network */
    int kept_count;
    const uint16_t *kept; /* each once, in any order */
};

/** Equal products have equal hashes. */
uint64_t product_hash(const struct tcplan_network *network, const struct product_form *form);

/**
 * Whether two products are equal. For products of many factors of the same tensor this may remain
 * undecided; the answer is then false.
 *
 * @param map  receives for each index of `a` the index of `b` that matches it;
 *             TCPLAN_NETWORK_INDICES numbers, NULL: not asked for
 */
bool product_equal(uint16_t map[], const struct tcplan_network *network, const int64_t extent[],
                   const struct product_form *a, const struct product_form *b);

#endif
