/**
 * A product as the interface TAPP describes it: the loops of a call as modes of three tensors.
 */
#ifndef GEN_PROVIDERS_TAPP_H
#define GEN_PROVIDERS_TAPP_H

#include "gen/lower/blas_call.h"

/** The modes of a tensor. */
struct tapp_modes {
    int rank;
    int64_t index[BLAS_CALL_LOOPS];
    int64_t extent[BLAS_CALL_LOOPS];
    int64_t stride[BLAS_CALL_LOOPS];
};

/** Returns the modes of A, B or C (part 0, 1 or 2). A loop in which a tensor stands still is no
 * index of it, except that an index in neither factor becomes one of A, with stride 0. */
struct tapp_modes tapp_modes_of(const struct blas_call *call, int part);

#endif
