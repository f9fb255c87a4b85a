/**
 * The parts of libxsmm's provider.
 */
#ifndef GEN_PROVIDERS_LIBXSMM_H
#define GEN_PROVIDERS_LIBXSMM_H

#include "gen/emit/parts.h"

/** Adds a call with extents as arguments: of code for the present extents, or of the BLAS if
 * libxsmm generates none. */
void libxsmm_emit_lookup(const struct emitter *emitter, const struct emit_call *call);

#endif
