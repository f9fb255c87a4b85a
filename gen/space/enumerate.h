/**
 * Enumerates structures: sets of algorithms with the same kernel indices, which make the same calls
 * and differ only in the order of their loops.
 */
#ifndef GEN_SPACE_ENUMERATE_H
#define GEN_SPACE_ENUMERATE_H

#include "tcplan/algorithm.h"

/**
 * Returns the first algorithm of each structure, with loops in ascending order, in the order of the
 * enumeration; to be freed with base_free(). NULL if out of memory.
 */
struct tcplan_algorithm *enumerator_structures(const struct tcplan_contraction *contraction,
                                               size_t *count);

/** Returns the number of algorithms of a structure; exact below 2^53. */
double enumerator_orders(const struct tcplan_algorithm *structure);

#endif
