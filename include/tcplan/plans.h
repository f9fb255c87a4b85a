/**
 * Stored plans: what planners found, kept in a file or a folder from one process to the next
 * (tcplan_planner_set_plans()).
 *
 * A plan is stored under the product whatever its indices and tensors are called, its extents, the
 * shape of its strides, type, storage order, threads, alignment and preference, the machine and its
 * libraries, and taken where all of these are the same. What was compared is stored: no estimates.
 * Any number of processes may read and add at once, and none loses a plan. What is damaged, of
 * another version or something else is not used, and left as it is. Beyond 2000 plans those go that
 * were not used for longest. docs/store.md has more.
 *
 * A `file` here is as in tcplan_planner_set_plans(): a file of plans, or a folder.
 */
#ifndef TCPLAN_PLANS_H
#define TCPLAN_PLANS_H

#include <stddef.h>
#include <stdint.h>

#include "tcplan/export.h"
#include "tcplan/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Tells people what is stored: a line for each plan, the one that was used last first, with its
 * name, product, extents, type, threads, algorithm, time, and whether it is used here.
 *
 * @param out    receives the text, to be freed with free(); empty where there is none; untouched on
 *               failure
 * @param count  receives how many plans are used here; may be NULL
 * @return TCPLAN_OK; TCPLAN_INVALID where a pointer is NULL or the file is none of plans;
 *         TCPLAN_ENVIRONMENT where it cannot be read; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_plans_describe(char **out, size_t *count, const char *file,
                                                    struct tcplan_error *error);

/** Which plans are to be forgotten: those that answer to all of it. Zero-initialise, and set
 * `size`. */
struct tcplan_plans_choice {
    size_t size;       /**< sizeof(struct tcplan_plans_choice) */
    const char *name;  /**< the first digits of a name, four at least; NULL: any */
    double least_days; /**< last used so many days ago or earlier; 0: any */
    int64_t most; /**< so many of those that were used last stay, whatever else is said; 0: none has
                     to */
    int unusable; /**< not 0: only what is not used here: of other machines or libraries, damaged,
                     too old */
};

/**
 * Forgets plans.
 *
 * @param count   receives how many; may be NULL
 * @param choice  NULL: all
 * @return as tcplan_plans_describe(); TCPLAN_ENVIRONMENT also where the file cannot be written
 */
TCPLAN_API enum tcplan_status tcplan_plans_forget(size_t *count, const char *file,
                                                  const struct tcplan_plans_choice *choice,
                                                  struct tcplan_error *error);

/**
 * Writes all plans, of whatever machine, to one file, which appears as a whole. `tcplan plans
 * import`, and tcplan_plans_import(), read it, and it is a file of plans itself.
 *
 * @param count  receives how many; may be NULL
 * @param from   where they are
 * @param to     the file that is written; one that is there is replaced
 * @return as tcplan_plans_forget()
 */
TCPLAN_API enum tcplan_status tcplan_plans_export(size_t *count, const char *from, const char *to,
                                                  struct tcplan_error *error);

/**
 * Adds the plans of a file that are new, or were found with more effort.
 *
 * @param count  receives how many were added; may be NULL
 * @param into   where they are added
 * @return as tcplan_plans_forget(); TCPLAN_INVALID or TCPLAN_MISMATCH also where some are damaged
 *         or of another version: all others are added nonetheless, and `error` tells of the first
 */
TCPLAN_API enum tcplan_status tcplan_plans_import(size_t *count, const char *into, const char *from,
                                                  struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
