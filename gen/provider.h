/**
 * Which calls a provider can make.
 */
#ifndef GEN_PROVIDER_H
#define GEN_PROVIDER_H

#include "gen/blas_call.h"

/** Fills the strides of a gemm from its leading dimensions and transpositions. */
void blas_call_set_strides(struct blas_call *call);

/**
 * Whether `provider` can make `call`, whatever call->provider is. Whether the provider is there is another question (tcplan/blas.h).
 *
 *   CBLAS    every kernel whose matrices have a contiguous dimension
 *   libxsmm  gemm and brgemm of real numbers, the first factor and the result contiguous along m, alpha 1, beta 0 or 1
 *   BLIS     gemm, matrices of any strides
 *
 * within the limits of gen/provider.c, which grow with the extents: where a full tile is taken, so is the last, smaller one.
 *
 * @return TCPLAN_OK, or TCPLAN_NOT_APPLICABLE (`error` says what the provider lacks)
 */
enum tcplan_status blas_call_check(const struct blas_call *call, enum tcplan_dtype dtype, enum tcplan_provider provider,
                                   struct tcplan_error *error);

/** Whether blas_call_check() finds nothing. */
bool blas_call_provider_has(const struct blas_call *call, enum tcplan_dtype dtype, enum tcplan_provider provider);

/** Whether the provider has a routine for the call that may be the fastest: of libxsmm only gemms with a small first factor, see
 * gen/provider.c. */
bool blas_call_provider_applies(const struct blas_call *call, enum tcplan_dtype dtype, enum tcplan_provider provider);

#endif
