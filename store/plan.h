/**
 * What a stored plan is found by: the texts that stand in its entry and, for what is in memory, the
 * same as bytes, which take a microsecond less.
 */
#ifndef STORE_PLAN_H
#define STORE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "tcplan/stored_plans.h"

/**
 * Copies a contraction and gives it canonical names: its indices keep their numbers, so that an
 * algorithm of the one is one of the other. Names are static.
 *
 * @return false where it has more than TCPLAN_PLAN_INDICES indices
 */
bool plan_contraction_of(struct tcplan_contraction *out, const struct tcplan_problem *problem);

/**
 * Fills in what tells a plan from others: product, sizes, strides, type, storage order, setup; all
 * else becomes 0.
 *
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE where it has too many indices; TCPLAN_NO_MEMORY
 */
enum tcplan_status plan_identify(struct tcplan_stored_plan *out,
                                 const struct tcplan_contraction *contraction,
                                 const struct tcplan_problem *problem,
                                 const struct tcplan_plan_setup *setup, struct tcplan_error *error);

/** Whether two plans are of the same product, shape of strides, type, order and setup. */
bool plan_is_alike(const struct tcplan_stored_plan *a, const struct tcplan_stored_plan *b);

/** Whether their extents are the same, too. */
bool plan_is_same(const struct tcplan_stored_plan *a, const struct tcplan_stored_plan *b);

enum { PLAN_KEY = 8 + 1 + 16 + 1 };

/** `SHAPE-NAME`: 8 hexadecimal digits of what plans that are alike share, and the 16 of the plan's
 * name. */
void plan_key(char out[PLAN_KEY], const struct tcplan_stored_plan *plan);

/** Reads extents as `400,400,8`: true where they are `count` numbers from 0 to 2147483647. */
bool plan_sizes_read(int64_t extent[], int count, const char *text);

enum { PLAN_KEY_BYTES = 1024 };

/** The same as bytes: equal ones mean the same plan. Returns how many; 0 where there are too many
 * indices. */
size_t plan_key_bytes(unsigned char out[PLAN_KEY_BYTES], const struct tcplan_problem *problem,
                      const struct tcplan_plan_setup *setup);

/**
 * Whether a plan is one: it has a product, as many sizes and, where all tensors are dense, such an
 * algorithm. Of others the name depends on what is contiguous, and is checked when it is used.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID; TCPLAN_NO_MEMORY
 */
enum tcplan_status plan_check(const struct tcplan_stored_plan *plan, struct tcplan_error *error);

#endif
