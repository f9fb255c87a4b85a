/**
 * Estimated or measured times of steps, in seconds, one for each product. Products are
 * distinguished by their canonical form.
 */
#ifndef NETWORK_SEARCH_ESTIMATES_H
#define NETWORK_SEARCH_ESTIMATES_H

#include "base/deadline.h"
#include "tcplan/network_tree.h"
#include "tcplan/rank.h"

/** Initialise with estimates_init(). */
struct estimates {
    struct tcplan_rank_options options;
    struct deadline deadline; /* deadline of all estimates; after it, an estimate returns the first
                                 algorithm. Zeroed: no deadline */
    size_t count, capacity;
    struct estimate_known *known;
};

/** Sets the options of rankings: the effort of `from` if `timed`, otherwise estimates only. If
 * `from` has no machine, this machine is used. Returns a status of tcplan_machine_load(). */
enum tcplan_status estimates_init(struct estimates *estimates,
                                  const struct tcplan_rank_options *from, bool timed,
                                  struct tcplan_error *error);

void estimates_free(struct estimates *estimates);

/** Sets the time and the algorithm of a step. Returns a status of tcplan_rank(); on failure the
 * step is unchanged. */
enum tcplan_status estimates_fill_step(struct estimates *estimates, struct tcplan_tree *tree,
                                       int step, struct tcplan_error *error);

/** Returns whether the time of a step's product is already stored. */
bool estimates_know(const struct estimates *estimates, const struct tcplan_tree *tree, int step);

/** Sets the times and algorithms of all steps of a tree. Includes idle steps, because their times
 * show what sharing saves. Returns a status of tcplan_rank(). */
enum tcplan_status estimates_fill(struct estimates *estimates, struct tcplan_tree *tree,
                                  struct tcplan_error *error);

#endif
