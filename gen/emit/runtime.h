/** Appends text of gen/runtime to an emitted file. */
#ifndef GEN_EMIT_RUNTIME_H
#define GEN_EMIT_RUNTIME_H

#include "gen/emit/text.h"

/**
 * Appends C of gen/runtime. The prefix of its names, such as `copy_`, becomes `copy_d_`, and
 * `COPY_D_` in capitals, so that a file can have functions for several types.
 */
void emit_runtime(const struct emitter *emitter, const char *prefix, const char *text);

/** Does the same as emit_runtime(), for a given element type. */
void emit_runtime_of(struct strbuf *out, enum tcplan_dtype dtype, const char *prefix,
                     const char *text);

#endif
