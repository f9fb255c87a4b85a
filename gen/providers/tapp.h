/**
 * A product as the interface TAPP describes it: the loops of a call as modes of three tensors.
 */
#ifndef GEN_PROVIDERS_TAPP_H
#define GEN_PROVIDERS_TAPP_H

#include "gen/lower/blas_call.h"

/** The modes of a tensor for TAPP: their numbers, extents and strides. */
struct tapp_modes {
    int rank;
    int64_t index[BLAS_CALL_LOOPS];
    int64_t extent[BLAS_CALL_LOOPS];
    int64_t stride[BLAS_CALL_LOOPS];
};

/** Returns the modes of A, B or C (part 0, 1 or 2): the loops along which the tensor has a stride.
 * An index that neither factor has becomes a mode of A with stride 0. */
struct tapp_modes tapp_modes_of(const struct blas_call *call, int part);

#endif
