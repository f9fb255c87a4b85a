/** Functions that the files of the libxsmm provider share. */
#ifndef GEN_PROVIDERS_LIBXSMM_H
#define GEN_PROVIDERS_LIBXSMM_H

#include "gen/emit/parts.h"

/** Emits a call with extents as arguments: by code for the present extents or, if libxsmm generates
 * none, by the BLAS. */
void libxsmm_emit_lookup(const struct emitter *emitter, const struct emit_call *call);

#endif
