/**
 * The collection M of the dissertation's back-traversal (section 6.2.3): the data touched since
 * some access, by operand. It has one entry, a slice, for each tensor and each temporary. Joining
 * slices of one tensor joins their spans, so a tensor that a kernel and a copy touch counts once.
 * In nests from tcplan_nest_build(), of two slices of a tensor in one collection one contains the
 * other, and the join is exactly their union; for arbitrary slices it is the smallest slice that
 * contains both.
 */
#ifndef CACHESIM_COLLECTION_H
#define CACHESIM_COLLECTION_H

#include "ast/nest/nest.h"
#include "ast/nest/refine.h"

enum { COLLECTION_SLOTS = 2 * TCPLAN_TENSORS };

/** A collection; empty if zero-initialised. Slot t is tensor t, slot TCPLAN_TENSORS + t its
 * temporary. */
struct collection {
    bool has[COLLECTION_SLOTS];
    uint64_t span[COLLECTION_SLOTS];
};

/** Returns whether a node, or one inside it, touches the tensor or temporary of which `slice` is a
 * part. */
bool node_touches_operand(const struct tcplan_node *node, struct tcplan_slice slice);

/** Joins a slice with the collection's slice of the same tensor or temporary. */
void collection_add_slice(struct collection *collection, struct tcplan_slice slice);

/** Joins everything that one execution of a node touches. Slices inside loops are joined across
 * these loops. */
void collection_add_node(struct collection *collection, const struct tcplan_refinement *refinement,
                         const struct tcplan_node *node);

/** Returns the slice in a slot that is not empty. */
struct tcplan_slice collection_slice(const struct collection *collection, int slot);

/** Sums the sizes of a collection's slices; returns false on overflow. */
bool collection_elems(const struct collection *collection, const struct refined_problem *problem,
                      int64_t *out);

#endif
