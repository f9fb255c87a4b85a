/**
 * Small products of whole numbers, whose results are exact: what a library that nobody knows has to
 * compute before it is timed.
 */
#ifndef MICROBENCH_SMALL_PRODUCTS_H
#define MICROBENCH_SMALL_PRODUCTS_H

#include <stdbool.h>

#include "microbench/providers/cblas_routines.h"
#include "tcplan/algorithm.h"

/**
 * Whether a routine computes what nested loops do, to the last bit: at extents of 1 to 27, with
 * either storage of each factor, conjugates, increments, padding, which is not to be written, and
 * factors; where beta is 0 the result holds no numbers before. Some milliseconds. Of TCPLAN_BRGEMM
 * it is gemm's. `provider` is the one whose routines these are.
 */
bool small_products_are_right(const struct cblas_routines *routines, enum tcplan_provider provider,
                              enum tcplan_kernel kernel, enum tcplan_dtype dtype);

/** The same of a provider's routine; true where it has none. */
bool small_products_of(enum tcplan_provider provider, enum tcplan_kernel kernel,
                       enum tcplan_dtype dtype);

#endif
