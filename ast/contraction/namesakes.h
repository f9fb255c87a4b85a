/**
 * Finds the tensors of a contraction by name, for texts that refer to them, such as strides and
 * conjugates.
 */
#ifndef AST_CONTRACTION_NAMESAKES_H
#define AST_CONTRACTION_NAMESAKES_H

#include "ast/scan.h"
#include "tcplan/contraction.h"

/** All tensors with one name: both factors and an addend may share it. */
struct namesakes {
    int count;
    enum tcplan_operand tensor[TCPLAN_TENSORS];
};

/** Returns the tensors of a contraction with this name. */
struct namesakes namesakes_of(const struct tcplan_contraction *contraction, struct word name);

/* name = ( letter | "_" ) { letter | digit | "_" } ; must be one of the contraction's tensors */
bool namesakes_read(struct namesakes *out, struct word *name,
                    const struct tcplan_contraction *contraction, struct scan *scan);

#endif
