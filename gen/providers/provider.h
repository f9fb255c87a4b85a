/** Determines which calls a provider can make. */
#ifndef GEN_PROVIDERS_PROVIDER_H
#define GEN_PROVIDERS_PROVIDER_H

#include "gen/lower/blas_call.h"

/** Fills the strides of a gemm from its leading dimensions and transpositions. */
void blas_call_set_strides(struct blas_call *call);

/**
 * Returns whether `provider` can make `call`, ignoring call->provider. The provider need not be
 * available (tcplan/blas.h). ast/providers/ lists its kernels; gen/providers/ has its requirements
 * and limits, which are monotonic: if a full tile is accepted, so is a smaller last one.
 * @return TCPLAN_OK, or TCPLAN_NOT_APPLICABLE with the missing feature in `error`
 */
enum tcplan_status blas_call_check(const struct blas_call *call, enum tcplan_dtype dtype,
                                   enum tcplan_provider provider, struct tcplan_error *error);

/** Returns whether blas_call_check() accepts the call. */
bool blas_call_provider_has(const struct blas_call *call, enum tcplan_dtype dtype,
                            enum tcplan_provider provider);

/** Returns whether the provider has a routine for the call, and this routine may be the fastest. */
bool blas_call_provider_applies(const struct blas_call *call, enum tcplan_dtype dtype,
                                enum tcplan_provider provider);

#endif
