/**
 * The test program of an emitted library.
 */
#ifndef GEN_EMIT_LIBRARY_TEST_H
#define GEN_EMIT_LIBRARY_TEST_H

#include "base/strbuf.h"
#include "tcplan/problem.h"

/** Appends the row of a function to the table of the test program. */
void emit_library_test_row(struct strbuf *out, const char *function,
                           const struct tcplan_problem *problem);

#endif
