/** Finds products that are equal except for the names of their indices and the order of their
 * factors. */
#ifndef NETWORK_PRODUCTS_H
#define NETWORK_PRODUCTS_H

#include "tcplan/network.h"

/** A product of some factors of a term, summed over every index that is not open. */
struct product_form {
    int count;
    const int *operand; /* numbers of the operands in the network */
    int open_count;
    const uint16_t *open; /* the open indices: those that are not summed over, each once, in any
                             order */
};

/** Returns a hash of a product. Equal products have equal hashes. */
uint64_t product_hash(const struct tcplan_network *network, const struct product_form *form);

/**
 * Returns whether two products are equal; also returns false if the search gives up, which can
 * happen with many factors of the same tensor.
 *
 * @param map  receives for each index of `a` the index of `b` that matches it:
 *     TCPLAN_NETWORK_INDICES numbers; may be NULL
 */
bool product_equal(uint16_t map[], const struct tcplan_network *network, const int64_t extent[],
                   const struct product_form *a, const struct product_form *b);

#endif
