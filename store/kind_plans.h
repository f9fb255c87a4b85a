/**
 * Plans as what is kept: one line, `plan product=C_abc%3dA_ad*B_dbc sizes=400,400,400,8
 * algorithm=c-dgemm ...`, what is 0 or empty left out. A struct tcplan_stored_plan is written, and
 * read into; when it was made stands in the entry's head.
 */
#ifndef STORE_KIND_PLANS_H
#define STORE_KIND_PLANS_H

#include "tcplan/stored_plans.h"

/** Words of the numbers in a plan, each list ended by NULL. */
extern const char *const plan_caches[];
extern const char *const plan_spaces[];
extern const char *const plan_preferences[];
extern const char *const plan_efforts[];

/**
 * Whether a plan is one: it has a product, as many sizes and, where all tensors are dense, such an
 * algorithm. Of others the name depends on what is contiguous, and is checked when it is used.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID; TCPLAN_NO_MEMORY
 */
enum tcplan_status plan_check(const struct tcplan_stored_plan *plan, struct tcplan_error *error);

#endif
