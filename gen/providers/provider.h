/**
 * Which calls a provider can make.
 */
#ifndef GEN_PROVIDERS_PROVIDER_H
#define GEN_PROVIDERS_PROVIDER_H

#include "gen/lower/blas_call.h"

/** Fills the strides of a gemm from its leading dimensions and transpositions. */
void blas_call_set_strides(struct blas_call *call);

/**
 * Whether `provider` can make `call`, whatever call->provider is. Whether the provider is there is
 * another question (tcplan/blas.h).
 *
 * What each has stands in ast/providers/, what it takes of that, with its limits, in
 * gen/providers/. Both grow with the extents: where a full tile is taken, so is the last, smaller
 * one.
 *
 * @return TCPLAN_OK, or TCPLAN_NOT_APPLICABLE (`error` says what the provider lacks)
 */
enum tcplan_status blas_call_check(const struct blas_call *call, enum tcplan_dtype dtype,
                                   enum tcplan_provider provider, struct tcplan_error *error);

/** Whether blas_call_check() finds nothing. */
bool blas_call_provider_has(const struct blas_call *call, enum tcplan_dtype dtype,
                            enum tcplan_provider provider);

/** Whether the provider has a routine for the call that may be the fastest. */
bool blas_call_provider_applies(const struct blas_call *call, enum tcplan_dtype dtype,
                                enum tcplan_provider provider);

#endif
