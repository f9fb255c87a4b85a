/** Chooses between trees by timing their steps, equal products once. */
#ifndef NETWORK_SEARCH_DECIDE_H
#define NETWORK_SEARCH_DECIDE_H

#include "base/deadline.h"
#include "network/search/estimates.h"

/** Result of decide_trees(). */
struct decided {
    int best;      /* number of the fastest tree */
    int64_t timed; /* products that were planned by timing */
};

/**
 * Times the dominant steps (network/search/dominant.h) of the trees, the most promising tree first,
 * its longest step first. Timing of a tree ends as soon as it is slower than an earlier tree.
 * Unless the effort is thorough, a tree after the first is skipped if more than DOMINANT_MOST
 * products would then have been timed. Timed steps get the times and algorithms found. Other steps
 * keep their estimates; so do steps that need too much memory or that are not reached before the
 * deadline.
 *
 * @param tree    trees with estimated steps; the most promising first
 * @param timing  initialised by estimates_init() with `timed` = true
 * @return a status of tcplan_rank()
 */
enum tcplan_status decide_trees(struct decided *out, struct tcplan_tree *const tree[], int count,
                                struct estimates *timing, struct deadline deadline,
                                struct tcplan_error *error);

#endif
