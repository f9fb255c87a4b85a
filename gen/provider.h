/**
 * Which calls a provider can make.
 */
#ifndef GEN_PROVIDER_H
#define GEN_PROVIDER_H

#include "gen/blas_call.h"

/** Fills the strides of a gemm from its leading dimensions and transpositions. */
void blas_call_set_strides(struct blas_call *call);

/**
 * Whether this machine is one where libxsmm's code for sums of products is the faster one: with the AVX-512 of server processors (1.0 to 1.6 times
 * as fast as single calls in cache), not with AVX2 (0.8 to 0.95 times, but for the shortest products), measured with bench_sums (docs/providers.md).
 */
bool provider_sums_pay(void);

/**
 * Whether `provider` has a routine for `call`, whatever call->provider is. Whether the provider is there is another question (tcplan/blas.h).
 *
 *   CBLAS    every kernel whose matrices have a contiguous dimension
 *   libxsmm  gemm of real numbers, the first factor and the result contiguous along m, alpha 1, beta 0 or 1
 *   BLIS     gemm, matrices of any strides
 */
bool blas_call_provider_has(const struct blas_call *call, enum tcplan_dtype dtype, enum tcplan_provider provider);

/** Whether the provider has a routine for the call that may be the fastest: of libxsmm only gemms with a small first factor, see
 * gen/provider.c. */
bool blas_call_provider_applies(const struct blas_call *call, enum tcplan_dtype dtype, enum tcplan_provider provider);

#endif
