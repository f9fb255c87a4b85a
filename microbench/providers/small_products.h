/**
 * Small products of integers with exact results, which an unknown library must compute correctly
 * before it is timed.
 */
#ifndef MICROBENCH_SMALL_PRODUCTS_H
#define MICROBENCH_SMALL_PRODUCTS_H

#include <stdbool.h>

#include "microbench/providers/cblas_routines.h"
#include "tcplan/algorithm.h"

/**
 * Returns whether a routine computes exactly the result of nested loops, for extents from 1 to 27,
 * both storage orders, conjugates, increments, padding (which must not be written) and factors. If
 * beta is 0, the result initially holds no numbers. For TCPLAN_BRGEMM, gemm is checked. `provider`
 * owns the routines. Takes some milliseconds.
 */
bool small_products_are_right(const struct cblas_routines *routines, enum tcplan_provider provider,
                              enum tcplan_kernel kernel, enum tcplan_dtype dtype);

/** Returns the result of small_products_are_right() for a provider's own routine; true if the
 * provider has no such routine. */
bool small_products_of(enum tcplan_provider provider, enum tcplan_kernel kernel,
                       enum tcplan_dtype dtype);

#endif
