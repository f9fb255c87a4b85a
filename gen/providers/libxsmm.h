/**
 * The parts of libxsmm's provider.
 */
#ifndef GEN_PROVIDERS_LIBXSMM_H
#define GEN_PROVIDERS_LIBXSMM_H

#include "gen/emit/parts.h"

/** A call where extents are arguments: of the code for the extents at hand, or the BLAS's where
 * libxsmm makes none. */
void libxsmm_emit_lookup(const struct emitter *emitter, const struct emit_call *call);

#endif
