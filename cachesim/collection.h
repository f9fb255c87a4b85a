/**
 * The collection M of the dissertation's back-traversal (section 6.2.3): what was touched since
 * some access, by operand.
 *
 * One entry a tensor and one a temporary, each a slice: joining slices of one tensor joins their
 * spans, so a tensor that a kernel and a copy touch counts once. In the nests that
 * tcplan_nest_build() makes, two slices of a tensor that meet in one collection contain one
 * another, and the join is their union exactly; of arbitrary slices it is the smallest slice that
 * holds both.
 */
#ifndef CACHESIM_COLLECTION_H
#define CACHESIM_COLLECTION_H

#include "ast/nest/nest.h"
#include "ast/nest/refine.h"

enum { COLLECTION_SLOTS = 2 * TCPLAN_TENSORS };

/** Empty when zeroed. Slot t is tensor t, slot TCPLAN_TENSORS + t its temporary. */
struct collection {
    bool has[COLLECTION_SLOTS];
    uint64_t span[COLLECTION_SLOTS];
};

/** Whether a node, or one inside it, touches the tensor or temporary of which `slice` is a part. */
bool node_touches_operand(const struct tcplan_node *node, struct tcplan_slice slice);

/** Joins one slice. */
void collection_add_slice(struct collection *collection, struct tcplan_slice slice);

/** Joins everything that one execution of a node touches: slices inside loops are joined across
 * these. */
void collection_add_node(struct collection *collection, const struct tcplan_refinement *refinement,
                         const struct tcplan_node *node);

/** The slice in a slot that is not empty. */
struct tcplan_slice collection_slice(const struct collection *collection, int slot);

/** The sum of the sizes; false where it does not fit. */
bool collection_elems(const struct collection *collection, const struct refined_problem *problem,
                      int64_t *out);

#endif
