/** The interfaces of an emitted function for C, C++ and Fortran. */
#ifndef GEN_EMIT_INTERFACE_H
#define GEN_EMIT_INTERFACE_H

#include "gen/emit/parts.h"

/** Limits of Fortran 2008: characters of a name, dimensions of an array, and words of a comment
 * line (half its columns). */
enum { EMIT_FORTRAN_NAME = 63, EMIT_FORTRAN_RANK = 15, EMIT_FORTRAN_WORDS = 60 };

/** Begins a header for C and C++, after its comment, with the guard and `includes`; `type` receives
 * the name of the element type in both languages. Declarations of functions follow. */
void emit_header_begin(struct strbuf *out, struct strbuf *type, const char *function,
                       enum tcplan_dtype dtype, const char *includes);
void emit_header_end(struct strbuf *out);

/** Returns the name of an element type in the header of an emitted library. */
const char *emit_library_type(enum tcplan_dtype dtype);

/** Returns whether two names are the same in Fortran, which ignores case. */
bool emit_fortran_is_same(const char *a, const char *b);

/** Returns the kind of an element type in iso_c_binding. */
const char *emit_fortran_kind(enum tcplan_dtype dtype);

/** Appends each line of a text as a Fortran comment. */
void emit_fortran_remark(struct strbuf *out, const char *text, const char *indent);

/** Appends `bind(C, name="contract") result(status)`, with the name in pieces that fit a line. */
void emit_fortran_binding(struct strbuf *out, const char *name);

/**
 * Appends a name and an ending in at most 63 characters, Fortran's limit; a longer name is
 * truncated and gets a checksum.
 */
void emit_fortran_name(struct strbuf *out, const char *name, const char *ending);

/** Appends the Fortran interface of the function, after `remark` as a comment. The surrounding
 * module must use iso_c_binding. */
void emit_fortran_function(struct strbuf *out, const struct emitter *emitter, const char *remark);

#endif
