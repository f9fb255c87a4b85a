/**
 * Stored plans: the fastest algorithm found for a product, stored between processes.
 *
 * The key of a plan has everything on which the fastest algorithm depends: the product, apart from
 * names of indices and tensors; extents, shape of the strides, type and storage order; threads,
 * state of the caches, space, preference and alignment; the machine and the libraries. A plan is
 * found again if the whole key matches. If only the extents differ, its algorithm may still be
 * nearly the fastest.
 *
 * Plans are in a file: `plans.tcplan` in the folder of a store (tcplan/store.h), or a file of
 * their own. Entries follow each other; a later entry of the same plan replaces earlier ones. A
 * process locks the file and appends a plan to it, so any number of processes may add plans at
 * once without losing any. Damaged plans and those of other versions are reported, not used, and
 * left unchanged. Beyond TCPLAN_PLANS_MOST plans, the least recently used are dropped.
 *
 * Several threads may use a `struct tcplan_stored_plans` at once.
 */
#ifndef TCPLAN_STORED_PLANS_H
#define TCPLAN_STORED_PLANS_H

#include "tcplan/algorithm.h"
#include "tcplan/problem.h"
#include "tcplan/store.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TCPLAN_PLAN_TEXT = 512,   /**< bytes for each text of a plan, with the terminator */
    TCPLAN_PLAN_NAME = 17,    /**< bytes for a plan's name, with the terminator */
    TCPLAN_PLAN_INDICES = 26, /**< maximum number of indices: products with more are not stored */
    TCPLAN_PLANS_MOST = 2000  /**< maximum number of plans in one file, for all machines together;
                                 the oldest are dropped when it is exceeded by 5 % */
};

/** The part of a plan's key that comes from the options of the ranking. */
struct tcplan_plan_setup {
    int threads; /**< maximum number of threads of the ranking */
    int cache;   /**< enum tcplan_cache_state */
    int space;   /**< enum tcplan_space */
    int prefer;  /**< enum tcplan_preference */
    int64_t alignment_bytes;
};

/** A plan as it is stored. */
struct tcplan_stored_plan {
    /**
     * The product in canonical names. Tensors are A, B and C, or D if C is the addend. Indices are
     * a, b, c and so on, in the order in which the result, A and B name them. A factor other than
     * 0 and 1 is written as 2, because its value does not matter.
     */
    char product[TCPLAN_PLAN_TEXT];
    char sizes[TCPLAN_PLAN_TEXT]; /**< extents of the indices a, b, c: `400,400,400,8` */
    /**
     * The shape of strided tensors, such as `A:1+,-2;result:2,1`; the addend is `addend`. The
     * number of a dimension is its position in the order of increasing strides, from 1; a stride of
     * 0 is `0`. `-` before it marks a negative stride. `+` after it marks a dimension that is
     * contiguous with the preceding one in that order (the first one: with stride 1), so that they
     * can be fused. Empty: all tensors are dense
     */
    char strides[TCPLAN_PLAN_TEXT];
    char algorithm[TCPLAN_PLAN_TEXT]; /**< name of the algorithm, with the canonical names of
                                         indices */
    enum tcplan_dtype dtype;
    enum tcplan_order order;
    struct tcplan_plan_setup setup;
    int threads; /**< number of threads that execute the algorithm, up to setup.threads; 0:
                    setup.threads, in plans of an earlier version */
    int effort;  /**< effort with which the plan was found: enum tcplan_effort */
    double seconds;
    double low, high;        /**< the interval that holds 95 of 100 executions */
    int64_t workspace_bytes; /**< bytes of the algorithm's temporaries */
    int64_t made;            /**< time of creation in seconds since 1970 */
    int64_t used;            /**< time of the last use, or of creation, in seconds since 1970 */
};

/** An open file or folder of plans, with a cache of the plans that this process has found or
 * stored. */
struct tcplan_stored_plans;

/**
 * Opens a file or folder of plans. Nothing is read or created yet.
 *
 * @param out receives the open file or folder, to be closed with tcplan_stored_plans_close()
 * @param store  copied; its fingerprint selects the plans of this machine
 * @param file   a file of plans; or an existing folder, or a name that ends with a slash; NULL:
 *     the folder of the store. Without either, nothing is found or stored
 * @return TCPLAN_OK, TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_stored_plans_open(struct tcplan_stored_plans **out,
                                                       const struct tcplan_store *store,
                                                       const char *file,
                                                       struct tcplan_error *error);

/** Closes a file or folder of plans; NULL is fine. */
TCPLAN_API void tcplan_stored_plans_close(struct tcplan_stored_plans *plans);

/** Returns the name of the file or folder; NULL: there is neither. */
TCPLAN_API const char *tcplan_stored_plans_path(const struct tcplan_stored_plans *plans);

/**
 * Checks whether plans can be stored in a file or folder.
 *
 * @return TCPLAN_OK, also if it does not exist; TCPLAN_INVALID if the file is not a file of plans;
 *     TCPLAN_ENVIRONMENT if it cannot be read; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_stored_plans_check(struct tcplan_stored_plans *plans,
                                                        struct tcplan_error *error);

/** A plan that was found, with an algorithm of the requested problem. */
struct tcplan_found_plan {
    struct tcplan_algorithm algorithm;
    int threads; /**< number of threads that execute the algorithm, at most the requested number */
    int effort;
    double seconds;
    double low, high;
    int64_t workspace_bytes;
    int64_t made;
    double distance; /**< in results of tcplan_stored_plans_near(): sum over the indices of
                        |log2(requested extent / extent of the stored plan)|, plus 1 if the plan is
                        of another machine or library; 0: it has the same extents and machine */
};

/**
 * Finds the plan of a problem. Plans that this process has found before are in memory; otherwise
 * one file is read, and the plan is marked as used now.
 *
 * @param least_effort  plans found with less effort are ignored
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if there is none; TCPLAN_INVALID or TCPLAN_MISMATCH if
 *         there is one that is damaged, of another version or too old; TCPLAN_ENVIRONMENT;
 *         TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_stored_plans_find(struct tcplan_found_plan *out,
                                                       struct tcplan_stored_plans *plans,
                                                       const struct tcplan_problem *problem,
                                                       const struct tcplan_plan_setup *setup,
                                                       int least_effort,
                                                       struct tcplan_error *error);

/**
 * Finds plans of the same product, shape of strides and setup with the nearest extents, each
 * within a factor of four. They are meant as starts of a search, so plans of other machines and
 * libraries are included, at a larger distance. Plans with the same algorithm count once. Damaged
 * plans are skipped.
 *
 * @param out receives up to `most` plans, the nearest first
 * @param count  receives the number of plans
 * @return TCPLAN_OK, TCPLAN_ENVIRONMENT, TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_stored_plans_near(struct tcplan_found_plan out[], size_t most,
                                                       size_t *count,
                                                       struct tcplan_stored_plans *plans,
                                                       const struct tcplan_problem *problem,
                                                       const struct tcplan_plan_setup *setup,
                                                       struct tcplan_error *error);

/**
 * Stores a plan. It replaces a stored plan of the same key that was found with the same or less
 * effort; a plan found with more effort is not replaced.
 *
 * @param plan  its algorithm and the members after it are used
 * @return TCPLAN_OK, also if another plan is not replaced, or there is neither file nor folder;
 *     TCPLAN_NOT_APPLICABLE if the product has too many indices; TCPLAN_INVALID or TCPLAN_MISMATCH
 *     if the file has other contents, which are left unchanged; TCPLAN_ENVIRONMENT if it cannot be
 *     written; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_stored_plans_keep(struct tcplan_stored_plans *plans,
                                                       const struct tcplan_problem *problem,
                                                       const struct tcplan_plan_setup *setup,
                                                       const struct tcplan_found_plan *plan,
                                                       struct tcplan_error *error);

/** A plan in a list, or a damaged entry. */
struct tcplan_plan_item {
    char name[TCPLAN_PLAN_NAME]; /**< name of the plan, 16 hexadecimal digits; empty: the entry is
                                    damaged */
    struct tcplan_stored_plan plan;
    char machine[TCPLAN_MACHINE_TEXT]; /**< CPU of the plan's machine */
    enum tcplan_status status; /**< TCPLAN_OK: the plan is usable here; otherwise the reason why not
                                */
    char reason[TCPLAN_MESSAGE_SIZE];
};

/** Zero-initialise before use. */
struct tcplan_plan_list {
    size_t count;
    struct tcplan_plan_item *item; /**< plans, most recently used first */
};

/**
 * Lists all plans of a file or folder, including those of other machines and damaged ones.
 *
 * @param out  receives the list, to be freed with tcplan_plan_list_free() whatever is returned
 * @return TCPLAN_OK, with an empty list if it does not exist; TCPLAN_INVALID if the file is not a
 *     file of plans; TCPLAN_ENVIRONMENT; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_stored_plans_list(struct tcplan_plan_list *out,
                                                       struct tcplan_stored_plans *plans,
                                                       struct tcplan_error *error);

TCPLAN_API void tcplan_plan_list_free(struct tcplan_plan_list *list);

/** Selects plans to forget: those that meet every condition. */
struct tcplan_plan_choice {
    const char *name;  /**< the first digits of a plan's name, at least four; NULL: any name */
    double least_days; /**< selects plans last used at least this many days ago; 0: any age */
    bool unusable; /**< whether only plans that are not usable here are selected: of other machines
                      or libraries, damaged or outdated */
    int64_t most;  /**< number of most recently used plans that are never removed; 0: none is
                      protected */
};

/**
 * Removes plans. The text of the remaining entries, including damaged ones, is unchanged.
 *
 * @param count  receives the number of removed plans
 * @return a status of tcplan_stored_plans_list(); TCPLAN_ENVIRONMENT also if the file is locked or
 *     cannot be written
 */
TCPLAN_API enum tcplan_status tcplan_stored_plans_forget(size_t *count,
                                                         struct tcplan_stored_plans *plans,
                                                         const struct tcplan_plan_choice *choice,
                                                         struct tcplan_error *error);

/**
 * Returns all plans of a file or folder, including those of other machines, as the text of one file
 * of plans. Damaged plans are omitted.
 *
 * @param out receives the text, to be freed with free(); empty if there are no plans
 * @param count receives the number of plans
 * @return a status of tcplan_stored_plans_list()
 */
TCPLAN_API enum tcplan_status tcplan_stored_plans_export(char **out, size_t *count,
                                                         struct tcplan_stored_plans *plans,
                                                         struct tcplan_error *error);

/** Result of an import. */
struct tcplan_plan_import {
    size_t added;   /**< number of plans added: new ones, and those better than an existing one */
    size_t known;   /**< number of plans not added, because an existing one is as good or better */
    size_t refused; /**< number of entries refused because they are damaged, of another version, or
                       invalid; `error` describes the first one */
};

/**
 * Adds plans, including those of other machines, from the text of a file of plans. Invalid plans
 * are skipped.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID or TCPLAN_MISMATCH if some entries were refused, while all
 *     others are added; TCPLAN_INVALID also if the text is not a file of plans, and nothing is
 *     added; TCPLAN_ENVIRONMENT if plans cannot be stored; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_stored_plans_import(struct tcplan_plan_import *out,
                                                         struct tcplan_stored_plans *plans,
                                                         const char *text, size_t length,
                                                         struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
