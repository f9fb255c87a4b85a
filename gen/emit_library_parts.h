/**
 * The test program of an emitted library, in pieces.
 */
#ifndef GEN_EMIT_LIBRARY_PARTS_H
#define GEN_EMIT_LIBRARY_PARTS_H

#include "base/strbuf.h"
#include "tcplan/problem.h"

/** Up to the rows of the table. */
void emit_library_test_begin(struct strbuf *out);

/** The row of a function. */
void emit_library_test_row(struct strbuf *out, const char *function, const struct tcplan_problem *problem);

/** All behind the rows. */
void emit_library_test_end(struct strbuf *out);

#endif
