/** Dominant steps: the steps of a tree that planning times. The others keep their estimates. */
#ifndef NETWORK_SEARCH_DOMINANT_H
#define NETWORK_SEARCH_DOMINANT_H

#include "tcplan/network_tree.h"
#include "tcplan/planner.h"

/** Maximum number of products timed per expression, unless the effort is thorough. */
enum { DOMINANT_MOST = 8 };

/**
 * Chooses the steps to time, the longest first and steps with equal products together. Stops when
 * the remaining steps take at most a tenth of the estimated time, or when DOMINANT_MOST products
 * are chosen. TCPLAN_EFFORT_THOROUGH chooses all executed steps, TCPLAN_EFFORT_ESTIMATE none.
 *
 * @param out   receives for each step whether it is to be timed
 * @param tree  tree with estimates of all steps
 */
void dominant_steps(bool out[], const struct tcplan_tree *tree, enum tcplan_effort effort);

/** Returns whether two steps compute the same product apart from names; false if memory runs
 * out. */
bool dominant_is_same(const struct tcplan_tree *tree, int a, int b);

#endif
