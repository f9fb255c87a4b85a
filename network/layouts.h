/**
 * Layouts of intermediates: in which order their indices lie, so that the steps that make and read
 * them are matrix products without copies.
 */
#ifndef NETWORK_LAYOUTS_H
#define NETWORK_LAYOUTS_H

#include "base/deadline.h"
#include "network/speeds.h"
#include "network/tree.h"

/** Coarse seconds of a step with the layouts that its tensors have. */
double layouts_step_seconds(const struct tcplan_tree *tree, int step, const struct speeds *speeds);

/**
 * Gives every intermediate the layout with which all steps together take least, by these times, of
 * some that suit its maker or its reader; false if memory runs out. Cancellation ends it early;
 * then layouts are those that the tree had.
 */
bool layouts_choose(struct tcplan_tree *tree, const struct speeds *speeds,
                    struct deadline deadline);

#endif
