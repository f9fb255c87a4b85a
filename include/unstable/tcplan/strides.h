/**
 * Strides: how the elements of tensors lie that are parts of larger ones.
 *
 *   A=1,400,160000             elements from one to the next along each index of A, in the order of
 *                              the notation
 *   A=1,-20;C=800,2            of several tensors; spaces separate them as well
 *   A=dense                    as it is without strides
 */
#ifndef TCPLAN_STRIDES_H
#define TCPLAN_STRIDES_H

#include "tcplan/contraction.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Reads strides and gives them to the tensors of a contraction, of which nothing must have been
 * made yet. Tensors that are not named stay as they are. A name that several tensors share applies
 * to all of them; given twice, the second applies to all but the first.
 *
 * @return TCPLAN_OK, TCPLAN_INVALID (no such tensor, one named again, not one stride for each of
 *         its indices, not a whole number of 64 bits; `error` marks the text), TCPLAN_OVERFLOW (of
 *         a diagonal, whose strides add up). Nothing is changed then.
 */
TCPLAN_API enum tcplan_status tcplan_strides_parse(struct tcplan_contraction *contraction,
                                                   const char *text, struct tcplan_error *error);

/** The strides as tcplan_strides_parse() reads them, empty if all tensors are dense: to be freed
 * with free(); NULL if memory runs out. */
TCPLAN_API char *tcplan_strides_text(const struct tcplan_contraction *contraction);

#ifdef __cplusplus
}
#endif

#endif
