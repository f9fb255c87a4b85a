/**
 * The families of a search: algorithms with the same kernel indices make the same calls in another order, so that one warm kernel bounds them
 * all from below.
 */
#ifndef PLAN_FAMILIES_H
#define PLAN_FAMILIES_H

#include "plan/rank.h"

/**
 * Sets the ranking's families, in the order of the enumeration, and the number of its algorithms. Families whose temporaries take more than
 * `max_workspace_bytes` (0: any) are left out and counted.
 */
enum tcplan_status families_list(struct tcplan_ranking *ranking, int64_t max_workspace_bytes, struct tcplan_error *error);

/** Whether an algorithm of the `blas` space belongs to one of the families. */
bool family_is_listed(const struct tcplan_ranking *ranking, const struct tcplan_algorithm *algorithm);

/** The family's algorithm whose loops are in ascending order. */
struct tcplan_algorithm family_first(const struct tcplan_ranking *ranking, const struct tcplan_family *family);

/** Times the kernels in place, those with most indices first, until the time limit; families that do not apply are left at 0. */
enum tcplan_status families_bound(struct ranker *ranker, struct tcplan_error *error);

/** Times a family's kernel once more and keeps the smaller bound: what is said to be unable to win was looked at twice. */
enum tcplan_status family_bound_again(struct ranker *ranker, struct tcplan_family *family, struct tcplan_error *error);

/** Puts families in the order of their bounds; those without one come last. */
void families_sort(struct tcplan_ranking *ranking);

/** Number of the family that an algorithm belongs to. */
int family_of(const struct tcplan_ranking *ranking, const struct tcplan_algorithm *algorithm);

#endif
