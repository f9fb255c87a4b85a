/**
 * Stored plans: the fastest algorithm found for a product, stored between processes.
 *
 * A plan is stored under what decides which algorithm wins: the product whatever its indices and
 * tensors are called, its extents, how its strides are shaped, type and storage order, threads,
 * state of the caches, space, preference and alignment, the machine and the libraries. It is found
 * again where all of these are the same; where only the extents differ it may still be near.
 *
 * Plans are in a file: `plans.tcplan` in the folder of a store (tcplan/store.h), or one by itself.
 * Their entries stand one behind the other, and a later one of the same plan replaces those before.
 * Whoever adds a plan appends it with the file locked: so any number of processes may do so at once
 * and none loses a plan. Damaged plans and those of other versions are reported, not used, and left
 * unchanged. Beyond TCPLAN_PLANS_MOST plans those go that were not used for longest.
 *
 * A `struct tcplan_stored_plans` may be used by several threads at once.
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
    TCPLAN_PLAN_TEXT = 512,   /**< bytes of a text of a plan, with the terminator */
    TCPLAN_PLAN_NAME = 17,    /**< of its name */
    TCPLAN_PLAN_INDICES = 26, /**< products of more indices are not stored */
    TCPLAN_PLANS_MOST = 2000  /**< plans in one file, for all machines together; a twentieth more
                                 before the oldest are dropped */
};

/** Dependences of a plan other than the product: as the ranking was made. */
struct tcplan_plan_setup {
    int threads; /**< at most */
    int cache;   /**< enum tcplan_cache_state */
    int space;   /**< enum tcplan_space */
    int prefer;  /**< enum tcplan_preference */
    int64_t alignment_bytes;
};

/** One plan, as it is stored. */
struct tcplan_stored_plan {
    /**
     * The product in canonical names: tensors A, B and C, or D where C is the addend; indices a, b,
     * c and so on in the order in which the result, A and B have them; a factor that is neither 0
     * nor 1 is 2, as which it is makes no difference.
     */
    char product[TCPLAN_PLAN_TEXT];
    char sizes[TCPLAN_PLAN_TEXT]; /**< extents of the indices a, b, c: `400,400,400,8` */
    /**
     * Of strided tensors the shape, as `A:1+,-2;result:2,1`, the one that is added `addend`: of
     * each dimension how many lie closer together, from 1, with a minus where its stride is
     * negative, a 0 if it is 0, and a plus where the elements of those that lie closer are next to
     * each other, so that one index may stand for both. Empty: all are dense
     */
    char strides[TCPLAN_PLAN_TEXT];
    char algorithm[TCPLAN_PLAN_TEXT]; /**< its name, in these names of indices */
    enum tcplan_dtype dtype;
    enum tcplan_order order;
    struct tcplan_plan_setup setup;
    int threads; /**< that execute it, of setup.threads; 0: all, of an earlier version */
    int effort;  /**< enum tcplan_effort with which it was found */
    double seconds;
    double low, high;        /**< the interval that holds 95 of 100 executions */
    int64_t workspace_bytes; /**< of its temporaries */
    int64_t made;            /**< seconds since 1970 */
    int64_t used;            /**< likewise: last used, or made */
};

/** A place for plans, opened, with a cache of the plans that this process has met. */
struct tcplan_stored_plans;

/**
 * Opens a place for plans; nothing is read or made yet.
 *
 * @param out    receives it, to be closed with tcplan_stored_plans_close()
 * @param store  copied; its fingerprint selects the plans of this machine
 * @param file   a file of plans; or an existing folder, or a name that ends in a slash; NULL: the
 *               folder of the store. Without either nothing is found or kept
 * @return TCPLAN_OK, TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_stored_plans_open(struct tcplan_stored_plans **out,
                                                       const struct tcplan_store *store,
                                                       const char *file,
                                                       struct tcplan_error *error);

/** Closes it; NULL is fine. */
TCPLAN_API void tcplan_stored_plans_close(struct tcplan_stored_plans *plans);

/** The file or folder; NULL: neither. */
TCPLAN_API const char *tcplan_stored_plans_path(const struct tcplan_stored_plans *plans);

/**
 * Checks whether plans can be stored in a place.
 *
 * @return TCPLAN_OK, also if nothing is there; TCPLAN_INVALID if the file is none of plans;
 *         TCPLAN_ENVIRONMENT if it cannot be read; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_stored_plans_check(struct tcplan_stored_plans *plans,
                                                        struct tcplan_error *error);

/** A plan found: an algorithm of the requested problem. */
struct tcplan_found_plan {
    struct tcplan_algorithm algorithm;
    int threads; /**< that execute it, of those asked for */
    int effort;
    double seconds;
    double low, high;
    int64_t workspace_bytes;
    int64_t made;
    double distance; /**< of tcplan_stored_plans_near(): sum of |log2(extent / the stored plan's)|;
                        0: the very plan */
};

/**
 * Finds the plan of a problem. Plans that this process has found before are in memory; otherwise
 * one file is read, and the plan was last used now.
 *
 * @param least_effort  a plan that was found with less is none
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
 * Finds plans of the same product, shape of strides and setup for this machine whose extents are
 * the nearest: each within a factor of four. Plans with the same algorithm count once. Damaged
 * plans are skipped.
 *
 * @param out    receives up to `most` of them, the nearest first
 * @param count  receives how many
 * @return TCPLAN_OK, TCPLAN_ENVIRONMENT, TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_stored_plans_near(struct tcplan_found_plan out[], size_t most,
                                                       size_t *count,
                                                       struct tcplan_stored_plans *plans,
                                                       const struct tcplan_problem *problem,
                                                       const struct tcplan_plan_setup *setup,
                                                       struct tcplan_error *error);

/**
 * Stores a plan, in the place of one that was found with no more effort; a plan found with more
 * effort stays.
 *
 * @param plan  its algorithm and the members after it are used
 * @return TCPLAN_OK, also if it is not stored as another one stays, or there is no place;
 *         TCPLAN_NOT_APPLICABLE if it cannot be stored: too many indices; TCPLAN_INVALID or
 *         TCPLAN_MISMATCH if something else is in its place, which is left as it is;
 *         TCPLAN_ENVIRONMENT if it cannot be written; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_stored_plans_keep(struct tcplan_stored_plans *plans,
                                                       const struct tcplan_problem *problem,
                                                       const struct tcplan_plan_setup *setup,
                                                       const struct tcplan_found_plan *plan,
                                                       struct tcplan_error *error);

/** An item of a list: a plan, or a damaged entry. */
struct tcplan_plan_item {
    char name[TCPLAN_PLAN_NAME]; /**< 16 hexadecimal digits; empty: it is damaged */
    struct tcplan_stored_plan plan;
    char machine[TCPLAN_MACHINE_TEXT]; /**< its CPU */
    enum tcplan_status status;         /**< TCPLAN_OK: it is used here; otherwise why not */
    char reason[TCPLAN_MESSAGE_SIZE];
};

/** Zero-initialise before use. */
struct tcplan_plan_list {
    size_t count;
    struct tcplan_plan_item *item; /**< most recently used first */
};

/**
 * Lists the plans in a place, including those of other machines and damaged ones.
 *
 * @param out  receives the list, to be freed with tcplan_plan_list_free() whatever is returned
 * @return TCPLAN_OK, an empty list if there is no such place; TCPLAN_INVALID if the file is none of
 *         plans; TCPLAN_ENVIRONMENT; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_stored_plans_list(struct tcplan_plan_list *out,
                                                       struct tcplan_stored_plans *plans,
                                                       struct tcplan_error *error);

TCPLAN_API void tcplan_plan_list_free(struct tcplan_plan_list *list);

/** Selects plans to forget: those that meet every condition. */
struct tcplan_plan_choice {
    const char *name;  /**< the first digits of its name, four at least; NULL: any */
    double least_days; /**< last used so long ago or earlier; 0: any */
    bool unusable;     /**< only plans not usable here */
    int64_t most;      /**< keeps so many most recently used plans in any case; 0: protects none */
};

/**
 * Removes plans. Remaining entries keep their text, including damaged ones.
 *
 * @param count  receives how many were removed
 * @return as tcplan_stored_plans_list(); TCPLAN_ENVIRONMENT also if the place is locked or cannot
 *         be written
 */
TCPLAN_API enum tcplan_status tcplan_stored_plans_forget(size_t *count,
                                                         struct tcplan_stored_plans *plans,
                                                         const struct tcplan_plan_choice *choice,
                                                         struct tcplan_error *error);

/**
 * Returns the plans of all machines in a place as the text of a file of plans; damaged ones are
 * left out.
 *
 * @param out  receives the text, to be freed with free(); empty if there is none
 * @param count  receives how many they are
 * @return as tcplan_stored_plans_list()
 */
TCPLAN_API enum tcplan_status tcplan_stored_plans_export(char **out, size_t *count,
                                                         struct tcplan_stored_plans *plans,
                                                         struct tcplan_error *error);

/** Result of an import. */
struct tcplan_plan_import {
    size_t added;   /**< new, or better than the existing plan */
    size_t known;   /**< as good as the existing plan, or worse */
    size_t refused; /**< damaged, of another version, or nonsense; `error` tells of the first */
};

/**
 * Adds the plans of such a text, for all machines. Invalid plans are skipped.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID or TCPLAN_MISMATCH if something was refused, all else is added
 *         nonetheless; TCPLAN_INVALID also if it is no file of plans, and nothing is added;
 *         TCPLAN_ENVIRONMENT if plans cannot be kept; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_stored_plans_import(struct tcplan_plan_import *out,
                                                         struct tcplan_stored_plans *plans,
                                                         const char *text, size_t length,
                                                         struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
