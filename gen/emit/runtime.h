/**
 * Text of gen/runtime as part of an emitted file.
 */
#ifndef GEN_EMIT_RUNTIME_H
#define GEN_EMIT_RUNTIME_H

#include "gen/emit/text.h"

/**
 * Appends C in whose names `prefix` (lower case, `copy_`) becomes `copy_d_`, and in capitals
 * `COPY_D_`: functions of several types may be in one file.
 */
void emit_runtime(const struct emitter *emitter, const char *prefix, const char *text);

#endif
