/**
 * Strides: where the elements of a tensor are, if it is a part of a larger one.
 *
 *   A=1,400,160000             distance in elements between neighbours along each index of A, in
 *                              the order of the notation
 *   A=1,-20;C=800,2            strides of several tensors, separated by `;` or spaces
 *   A=dense                    no strides: A is dense
 */
#ifndef TCPLAN_STRIDES_H
#define TCPLAN_STRIDES_H

#include "tcplan/contraction.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Reads strides and gives them to the tensors of a contraction. Call this before making anything
 * from the contraction. Tensors that are not named are unchanged. If several tensors share a name,
 * the strides given for this name apply to all of them; strides given for it a second time apply to
 * all but the first of them.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID (there is no such tensor, or it is named too often; the number
 *     of strides is not that of its indices; a stride is not a whole number of 64 bits; `error`
 *     marks the text); TCPLAN_OVERFLOW (the sum of the strides of a diagonal is too large). After
 *     an error, nothing is changed
 */
TCPLAN_API enum tcplan_status tcplan_strides_parse(struct tcplan_contraction *contraction,
                                                   const char *text, struct tcplan_error *error);

/** Returns strides in the form that tcplan_strides_parse() reads, an empty string if all tensors
 * are dense; to be freed with free(); NULL if memory runs out. */
TCPLAN_API char *tcplan_strides_text(const struct tcplan_contraction *contraction);

#ifdef __cplusplus
}
#endif

#endif
