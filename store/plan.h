/**
 * The keys of stored plans: the texts in their entries and, for plans in memory, equivalent bytes,
 * which save a microsecond.
 */
#ifndef STORE_PLAN_H
#define STORE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "tcplan/stored_plans.h"

/**
 * Copies a contraction with canonical names. Indices keep their numbers, so algorithms of the
 * original are algorithms of the copy. Names are static.
 * @return false if it has more than TCPLAN_PLAN_INDICES indices
 */
bool plan_contraction_of(struct tcplan_contraction *out, const struct tcplan_problem *problem);

/**
 * Fills in the identifying members of a plan: product, sizes, strides, type, storage order, setup;
 * clears the others.
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if it has too many indices; TCPLAN_NO_MEMORY
 */
enum tcplan_status plan_identify(struct tcplan_stored_plan *out,
                                 const struct tcplan_contraction *contraction,
                                 const struct tcplan_problem *problem,
                                 const struct tcplan_plan_setup *setup, struct tcplan_error *error);

/** Returns whether two plans have the same product, shape of strides, type, order and setup. */
bool plan_is_alike(const struct tcplan_stored_plan *a, const struct tcplan_stored_plan *b);

/** Returns whether two plans are alike (plan_is_alike()) and also have the same extents. */
bool plan_is_same(const struct tcplan_stored_plan *a, const struct tcplan_stored_plan *b);

enum { PLAN_KEY = 8 + 1 + 16 + 1 };

/** Prints `SHAPE-NAME`: 8 hexadecimal digits that alike plans share, and the 16 digits of the
 * plan's name. */
void plan_key(char out[PLAN_KEY], const struct tcplan_stored_plan *plan);

/** Reads extents such as `400,400,8`; returns true if they are `count` numbers from 0 to
 * 2147483647. */
bool plan_sizes_read(int64_t extent[], int count, const char *text);

enum { PLAN_KEY_BYTES = 1024 };

/** Writes the equivalent key of bytes; equal keys mean the same plan. Returns its length; 0 if
 * there are too many indices. */
size_t plan_key_bytes(unsigned char out[PLAN_KEY_BYTES], const struct tcplan_problem *problem,
                      const struct tcplan_plan_setup *setup);

/**
 * Checks that a plan has a product, a size for each index and, if all tensors are dense, a valid
 * algorithm. For strided tensors the validity of the name depends on contiguous dimensions, and is
 * checked on use.
 * @return TCPLAN_OK; TCPLAN_INVALID; TCPLAN_NO_MEMORY
 */
enum tcplan_status plan_check(const struct tcplan_stored_plan *plan, struct tcplan_error *error);

#endif
