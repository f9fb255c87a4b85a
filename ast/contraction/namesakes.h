/**
 * The tensors of a contraction by their names, as texts beside it name them: strides, conjugates.
 */
#ifndef AST_CONTRACTION_NAMESAKES_H
#define AST_CONTRACTION_NAMESAKES_H

#include "ast/scan.h"
#include "tcplan/contraction.h"

/** The tensors of a name: both factors and an addend may have the same. */
struct namesakes {
    int count;
    enum tcplan_operand tensor[TCPLAN_TENSORS];
};

/** Those of a contraction that are called so. */
struct namesakes namesakes_of(const struct tcplan_contraction *contraction, struct word name);

/* name = letter { letter | digit | "_" } ; one of the contraction's tensors, else it is refused */
bool namesakes_read(struct namesakes *out, struct word *name,
                    const struct tcplan_contraction *contraction, struct scan *scan);

#endif
