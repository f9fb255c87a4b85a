/**
 * Chooses layouts of intermediates: orders of indices with which the steps that write and read
 * them are matrix products without copies.
 */
#ifndef NETWORK_SEARCH_LAYOUTS_H
#define NETWORK_SEARCH_LAYOUTS_H

#include "base/deadline.h"
#include "network/search/speeds.h"
#include "network/tree.h"

/** Returns the coarse time, in seconds, of a step with the current layouts of its tensors. */
double layouts_step_seconds(const struct tcplan_tree *tree, int step, const struct speeds *speeds);

/**
 * Chooses layouts that minimise the total of layouts_step_seconds(). Each intermediate has a few
 * candidate layouts, which suit the step that writes or reads it. Returns false if memory runs out.
 * Cancellation ends the search early; the tree then keeps its layouts.
 */
bool layouts_choose(struct tcplan_tree *tree, const struct speeds *speeds,
                    struct deadline deadline);

#endif
