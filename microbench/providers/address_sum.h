/**
 * Sums of small products at any addresses in one call of libxsmm, with the result in registers:
 * batch-reduce gemm with lists of pointers.
 */
#ifndef MICROBENCH_ADDRESS_SUM_H
#define MICROBENCH_ADDRESS_SUM_H

#include "microbench/kernels/kernels.h"

/** result := first[0] * second[0] + ... + first[*count - 1] * second[*count - 1], plus the old
 * result if the code adds. */
typedef void address_sum_fn(const void *const first[], const void *const second[], void *result,
                            const unsigned long long *count);

/**
 * Returns code of type address_sum_fn whose factors and result have the shapes of a gemm call; NULL
 * if libxsmm is absent, has no code for the call, or cannot scale by alpha.
 *
 * @param adds  adds to the result instead of overwriting it; the call's beta is ignored
 */
address_sum_fn *address_sum_code(const struct blas_call *call, enum tcplan_dtype dtype, bool adds);

/** result := first * second, plus the old result if the code adds. */
typedef void product_fn(const void *first, const void *second, void *result);

/** Returns the code of a single gemm that libxsmm generated for a bound kernel; NULL if another
 * library executes it. */
product_fn *address_product_code(const struct kernel *kernel);

/** Restores the state of the vector registers. Call it after a series of sums or products,
 * before other floating-point code. */
void address_sum_leave(void);

#endif
