/**
 * Manages stored plans: the results of planners, kept in a file or folder between processes
 * (tcplan_planner_set_plans()).
 *
 * The key of a stored plan consists of the product (names of indices and tensors do not matter),
 * extents, shape of the strides, type, storage order, threads, alignment, preference, machine and
 * its libraries. A plan is used if the whole key matches. Only plans that were compared are stored,
 * not estimates. Any number of processes may read and add plans at once without losing any. Damaged
 * entries and those of other versions are ignored and left unchanged. Beyond 2000 plans, the least
 * recently used are dropped. See docs/store.md.
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
 * Describes the stored plans, one line each, most recently used first. A line gives name, product,
 * extents, type, threads, algorithm, time, and whether the plan is usable on this machine.
 *
 * @param out    receives the text, to be freed with free(); empty if there is no plan; untouched on
 *               failure
 * @param count  receives the number of plans usable on this machine; may be NULL
 * @return TCPLAN_OK; TCPLAN_INVALID if a pointer is NULL or the file is not a file of plans;
 *         TCPLAN_ENVIRONMENT if it cannot be read; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_plans_describe(char **out, size_t *count, const char *file,
                                                    struct tcplan_error *error);

/** Selects the plans to forget: those that meet every condition. Zero-initialise it and set
 * `size`. */
struct tcplan_plans_choice {
    size_t size;       /**< sizeof(struct tcplan_plans_choice) */
    const char *name;  /**< first digits of a plan's name, at least four; NULL: any name */
    double least_days; /**< selects plans not used for at least this many days; 0: any age */
    int64_t most;      /**< never selects this many most recently used plans; 0: protects none */
    int unusable; /**< if not 0, selects only unusable plans: plans of other machines or libraries,
                     and damaged or outdated plans */
};

/**
 * Deletes stored plans.
 *
 * @param count   receives the number of deleted plans; may be NULL
 * @param choice  selects the plans; NULL: all plans
 * @return TCPLAN_OK; TCPLAN_INVALID if the name of `choice` has fewer than four digits, its size is
 *         not set, or the file is not a file of plans; TCPLAN_ENVIRONMENT if the file cannot be
 *         read or written; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_plans_forget(size_t *count, const char *file,
                                                  const struct tcplan_plans_choice *choice,
                                                  struct tcplan_error *error);

/**
 * Writes the plans of all machines to one file atomically. The file is a file of plans itself;
 * `tcplan plans import` and tcplan_plans_import() read it.
 *
 * @param count  receives the number of plans; may be NULL
 * @param from   the stored plans
 * @param to     the file to write; an existing file is replaced
 * @return TCPLAN_OK; TCPLAN_INVALID if a name is NULL or empty, or `from` is not a file of plans;
 *         TCPLAN_ENVIRONMENT if a file cannot be read or written; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_plans_export(size_t *count, const char *from, const char *to,
                                                  struct tcplan_error *error);

/**
 * Adds the plans of a file that are new or were found with more effort.
 *
 * @param count  receives the number of plans added, also if some plans are rejected; may be NULL
 * @param into   the file or folder to which they are added
 * @param from   the file of plans to read
 * @return TCPLAN_OK; TCPLAN_INVALID if a name is NULL or empty, or a file is not a file of plans;
 *         TCPLAN_INVALID or TCPLAN_MISMATCH also if some plans are damaged or of another version:
 *         all others are added, and `error` describes the first bad one; TCPLAN_ENVIRONMENT if a
 *         file cannot be read or written; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_plans_import(size_t *count, const char *into, const char *from,
                                                  struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
