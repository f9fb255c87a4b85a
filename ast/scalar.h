/**
 * Printing real and complex factors.
 */
#ifndef AST_SCALAR_H
#define AST_SCALAR_H

#include "base/strbuf.h"
#include "tcplan/contraction.h"

/** The shortest text that reads back to the same factor: `0.5`, or `(0.5,-1)` where the imaginary part is not 0. */
void scalar_print(struct strbuf *out, struct tcplan_scalar scalar);

#endif
