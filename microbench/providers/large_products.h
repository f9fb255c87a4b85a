/**
 * Products of whole numbers that are large enough for the blocked kernels of a BLAS, checked
 * without computing them a second time.
 */
#ifndef MICROBENCH_LARGE_PRODUCTS_H
#define MICROBENCH_LARGE_PRODUCTS_H

#include <stdbool.h>

#include "tcplan/problem.h"
#include "tcplan/provider.h"

/**
 * Whether a provider's gemm computes right products of some sizes with every storage of the
 * factors, by Freivalds' check (Probabilistic machines can use less running time, 1977): C x = A (B
 * x) for a random vector x. All numbers are whole and small, so that both sides are exact. True
 * where the provider has no gemm or memory is out. Some ten milliseconds.
 */
bool large_products_of(enum tcplan_provider provider, enum tcplan_dtype dtype);

#endif
