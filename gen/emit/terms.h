/** Emits sums of tensors that are computed in one pass (gen/runtime/terms.h). */
#ifndef GEN_EMIT_TERMS_H
#define GEN_EMIT_TERMS_H

#include "base/strbuf.h"
#include "gen/lower/terms_shape.h"

/**
 * Appends `static int NAME(const T *from0, ..., T *to)`, with a pointer for each term, and the
 * functions that it calls, unless an earlier call appended them. It returns 0.
 *
 * @param threads  number of threads that share the work
 */
void emit_terms(struct strbuf *out, const char *name, const struct terms_shape *shape, int threads);

#endif
