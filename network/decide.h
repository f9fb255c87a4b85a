/**
 * Decides between trees by timing: plans their steps as products, equal steps once.
 */
#ifndef NETWORK_DECIDE_H
#define NETWORK_DECIDE_H

#include "base/deadline.h"
#include "network/estimates.h"

/** What was decided. */
struct decided {
    int best;      /* number of the fastest tree */
    int64_t timed; /* products that were planned by timing */
};

/**
 * Plans the steps that dominate (network/dominant.h) with `timing`, the most promising tree first,
 * of it the longest step first. A tree that already takes longer than an earlier one is not decided
 * further. Unless the effort is thorough, other trees than the first are skipped if more than
 * DOMINANT_MOST products were timed with theirs. Steps get the times and algorithms that were
 * found; others, those not reached before the deadline, and those too large for memory keep their
 * estimates.
 *
 * @param tree    estimated; the most promising first
 * @param timing  as estimates_init() makes it for timing
 * @return as tcplan_rank()
 */
enum tcplan_status decide_trees(struct decided *out, struct tcplan_tree *const tree[], int count,
                                struct estimates *timing, struct deadline deadline,
                                struct tcplan_error *error);

#endif
