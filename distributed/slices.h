/** Slices of an expression of several tensors across ranks. */
#ifndef DISTRIBUTED_SLICES_H
#define DISTRIBUTED_SLICES_H

#include "distributed/steps.h"

/** Returns whether the name of an algorithm is that of slices, such as `slices:2x2:b,c`. */
bool slices_is_name(const char *name);

/** Appends the name of slices. */
void slices_add_name(struct strbuf *out, const struct slicing *slicing,
                     const struct tcplan_network *network);

/**
 * Appends the fastest slices of an order to `out`, up to STEPS_MOST_SLICES, the best first; none if
 * there are none that fit into memory.
 *
 * @param steps  the contractions of the order's steps
 * @param name   the name of the only slices to consider; NULL: any
 * @return TCPLAN_OK; TCPLAN_INVALID with the marked name; TCPLAN_NOT_APPLICABLE: the named slices
 *         do not apply; TCPLAN_NO_MEMORY
 */
enum tcplan_status slices_choose(struct steps_choice out[], int *count,
                                 const struct steps_request *request,
                                 const struct step_problem steps[], const char *name,
                                 struct tcplan_error *error);

#endif
