/**
 * Splits the seconds of an arrangement into components, and reports the sources of its operands.
 */
#ifndef CACHESIM_ARRANGEMENT_PARTS_H
#define CACHESIM_ARRANGEMENT_PARTS_H

#include "cachesim/arrangement/arrangement.h"
#include "cachesim/arrangement/partial.h"

/** Of all loops and copies, after partial_seconds(): the seconds of the parts are together what
 * that returned. */
struct arrangement_parts arrangement_parts_of(const struct model *model,
                                              const struct partial *partial);

#endif
