/**
 * Terms of single tensors that are computed in one pass over memory. Such a term is a transposition
 * of a tensor, times a factor. The first such step for a result computes all of them; it may be the
 * only one. The other steps are joined with it and become idle.
 */
#ifndef NETWORK_SEARCH_FUSED_H
#define NETWORK_SEARCH_FUSED_H

#include "base/deadline.h"
#include "gen/lower/terms_shape.h"
#include "tcplan/machine.h"
#include "tcplan/network_tree.h"
#include "tcplan/rank.h"

/** A sum that one step computes. */
struct fused {
    struct terms_shape shape;
    int tensor[TERMS_SHAPE_MOST]; /* number of each term's tensor in the tree; that of the step's
                                     own result if existing values are added */
};

/** Joins steps, or replaces a single one, wherever one pass takes less time than the steps do, as
 * predicted or, if the step has `pass_seconds`, as timed. */
void fused_join(struct tcplan_tree *tree, const struct tcplan_machine *machine, int threads);

/** Times the passes that fused_join() may choose, on arrays of their own, with operands in the
 * caches as far as they fit. Omits passes for which time or memory does not suffice, and all
 * passes if the options ask for cold caches. Returns the number of timed passes. */
int fused_time(struct tcplan_tree *tree, const struct tcplan_rank_options *rank,
               struct deadline deadline);

/** Calls fused_join() for the machine of the options, or for this machine if they have none.
 * Returns a status of tcplan_machine_load(). */
enum tcplan_status fused_join_known(struct tcplan_tree *tree,
                                    const struct tcplan_rank_options *rank,
                                    struct tcplan_error *error);

/** Undoes fused_join(). */
void fused_part(struct tcplan_tree *tree);

/** Returns the sum that a step computes; `joined` of the step must be the step itself. */
struct fused fused_of(const struct tcplan_tree *tree, int step);

#endif
