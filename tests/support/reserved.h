/**
 * Tensors far larger than memory: addresses are reserved, and only the pages that a test touches
 * are backed. Any other access ends the test.
 */
#ifndef SUPPORT_RESERVED_H
#define SUPPORT_RESERVED_H

#include <stdint.h>

#include "tcplan/problem.h"

struct reserved {
    char *memory;
    size_t bytes;
    char *base; /* start of the tensor; there is unbacked address space on both sides */
    enum tcplan_dtype dtype;
};

/** Reserves address space for `elems` elements of a type. */
void reserved_init(struct reserved *out, int64_t elems, enum tcplan_dtype dtype);
void reserved_free(struct reserved *reserved);

/** Backs the page of element number `place` with memory, and sets its real part. */
void reserved_set(const struct reserved *reserved, int64_t place, double value);

/** Returns the real part of element number `place`, which must be backed. */
double reserved_get(const struct reserved *reserved, int64_t place);

#endif
