/**
 * Estimated or timed seconds of steps, one for each product. Products are distinguished by their
 * canonical form.
 */
#ifndef NETWORK_ESTIMATES_H
#define NETWORK_ESTIMATES_H

#include "base/deadline.h"
#include "tcplan/network_tree.h"
#include "tcplan/rank.h"

/** Empty if zero-initialised except for the options, which are those of estimates. */
struct estimates {
    struct tcplan_rank_options options;
    struct deadline deadline; /* until when steps are estimated thoroughly; zeroed: no limit */
    size_t count, capacity;
    struct estimate_known *known;
};

/** The options of a ranking that only estimates or, `timed`, of one with the effort of `from`; this
 * machine where that names none. As tcplan_machine_load(). */
enum tcplan_status estimates_init(struct estimates *estimates,
                                  const struct tcplan_rank_options *from, bool timed,
                                  struct tcplan_error *error);

void estimates_free(struct estimates *estimates);

/** Estimates a step. Status as tcplan_rank(); the step is then untouched. */
enum tcplan_status estimates_fill_step(struct estimates *estimates, struct tcplan_tree *tree,
                                       int step, struct tcplan_error *error);

/** Whether a step's product is known already. */
bool estimates_know(const struct estimates *estimates, const struct tcplan_tree *tree, int step);

/** Estimates all steps of a tree, including idle ones, to know what sharing saves. Status as
 * tcplan_rank(). */
enum tcplan_status estimates_fill(struct estimates *estimates, struct tcplan_tree *tree,
                                  struct tcplan_error *error);

#endif
