/**
 * Products of integers that are large enough for the blocked kernels of a BLAS, checked without a
 * second computation.
 */
#ifndef MICROBENCH_LARGE_PRODUCTS_H
#define MICROBENCH_LARGE_PRODUCTS_H

#include <stdbool.h>

#include "tcplan/problem.h"
#include "tcplan/provider.h"

/**
 * Returns whether a provider's gemm computes correct products of some sizes, with every storage of
 * the factors, by Freivalds' check (Probabilistic machines can use less running time, 1977): C x =
 * A (B x) for a random vector x. All numbers are small integers, so both sides are exact. Returns
 * true if the provider has no gemm or memory runs out. Takes some ten milliseconds.
 */
bool large_products_of(enum tcplan_provider provider, enum tcplan_dtype dtype);

#endif
