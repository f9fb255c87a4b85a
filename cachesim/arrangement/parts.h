/**
 * Splits the seconds of an arrangement into components, and reports the sources of its operands.
 */
#ifndef CACHESIM_ARRANGEMENT_PARTS_H
#define CACHESIM_ARRANGEMENT_PARTS_H

#include "cachesim/arrangement/arrangement.h"
#include "cachesim/arrangement/partial.h"

/** Splits the time of a complete arrangement, after partial_seconds() was called. The parts add up
 * to the result of that call. */
struct arrangement_parts arrangement_parts_of(const struct model *model,
                                              const struct partial *partial);

#endif
