/** The interfaces of an emitted function for C, C++ and Fortran. */
#ifndef GEN_EMIT_INTERFACE_H
#define GEN_EMIT_INTERFACE_H

#include "gen/emit/parts.h"

/**
 * Appends a name with an ending, as Fortran takes it: 63 characters, so that a longer one is cut
 * and has a checksum behind.
 */
void emit_fortran_name(struct strbuf *out, const char *name, const char *ending);

/** Appends the interface of the function, within a module that has the kinds of iso_c_binding;
 * `remark` is put in front as comment. */
void emit_fortran_function(struct strbuf *out, const struct emitter *emitter, const char *remark);

#endif
