/**
 * The enumeration by families: algorithms with the same kernel indices, which differ in the order of their loops only.
 */
#ifndef GEN_ENUMERATE_H
#define GEN_ENUMERATE_H

#include "tcplan/algorithm.h"

/** Writes the next family's first algorithm, whose loops are in ascending order, and goes past the family; false when there is none left. */
bool enumerator_next_family(struct tcplan_enumerator *enumerator, struct tcplan_algorithm *out);

/** The next order of loops in the order of the enumeration; false after the last. */
bool enumerator_next_order(uint8_t *loop, int count);

#endif
