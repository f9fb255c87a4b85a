/**
 * Configures planning: its cost, and the data that it reads and stores.
 *
 * One thread sets a planner up; afterwards several threads may plan with it at once. Plans that
 * time something then take turns: one plans while the others wait, and their time limits keep
 * running. Estimates do not wait, unless the planner has a store. The library reads no
 * environment variable, and no file except those named here. The libraries that it calls read their
 * own variables (such as OPENBLAS_NUM_THREADS).
 */
#ifndef TCPLAN_PLANNER_H
#define TCPLAN_PLANNER_H

#include <stdbool.h>
#include <stdint.h>

#include "tcplan/progress.h"
#include "tcplan/status.h"
#include "tcplan/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The preference among equally fast algorithms. */
enum tcplan_preference {
    TCPLAN_PREFER_SIMPLE, /**< of the algorithms within 2 % of the fastest: the one with the fewest
                             threads, then the fewest libraries, the least workspace, and the fewest
                             lines of C */
    TCPLAN_PREFER_SPEED   /**< the fastest algorithm, however small the difference */
};

/** deprecated: the name of TCPLAN_PREFER_SIMPLE in version 0.1.0 */
#define TCPLAN_PREFER_EASE TCPLAN_PREFER_SIMPLE

/** How much planning may cost. */
enum tcplan_effort {
    TCPLAN_EFFORT_ESTIMATE, /**< nothing is timed or compared; planning takes milliseconds */
    TCPLAN_EFFORT_QUICK,    /**< short probes, and a short comparison of the fastest */
    TCPLAN_EFFORT_NORMAL,  /**< distinguishes algorithms whose times differ by about two per cent */
    TCPLAN_EFFORT_THOROUGH /**< every evaluation uses full windows; if the space is small enough to
                              list every algorithm, each one that no bound excludes is evaluated;
                              any number of kernels may be compiled; distinguishes algorithms whose
                              times differ by about one per cent */
};

struct tcplan_planner;

/**
 * Makes a planner with normal effort, one thread, no time limit, no store, no stored plans, the
 * alignment of malloc(), and TCPLAN_PREFER_SIMPLE.
 *
 * @param out  receives the planner, to be freed with tcplan_planner_free(); untouched on failure
 * @return TCPLAN_OK; TCPLAN_INVALID if `out` is NULL; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_planner_new(struct tcplan_planner **out,
                                                 struct tcplan_error *error);

/* Each of the following functions returns TCPLAN_OK; or TCPLAN_INVALID, and changes nothing, if the
 * planner is NULL or the value is invalid. Functions that take a name may also return
 * TCPLAN_NO_MEMORY. Plans that other threads are making at the same time may use the old or the new
 * value. */

/** Sets how much planning may cost. Default: TCPLAN_EFFORT_NORMAL. */
TCPLAN_API enum tcplan_status tcplan_planner_set_effort(struct tcplan_planner *planner,
                                                        enum tcplan_effort effort,
                                                        struct tcplan_error *error);

/**
 * Sets a limit in seconds of wall-clock time, after which the plan is the best algorithm so far; 0:
 * no limit. A started execution is completed, so long kernels may exceed the limit by one
 * execution. If other plans are timing until the limit, the plan is an estimate.
 */
TCPLAN_API enum tcplan_status tcplan_planner_set_time_limit(struct tcplan_planner *planner,
                                                            double seconds,
                                                            struct tcplan_error *error);

/**
 * Sets how many threads an execution may use, 1 to 4096. Default: 1. A plan uses that many, or one
 * if that is faster (tcplan_plan_threads()); a plan of a named algorithm uses exactly that many.
 * Planning with more threads than the machine has processing units returns TCPLAN_INVALID, unless
 * tcplan_planner_set_oversubscription() allows it. A single execution may override the number.
 */
TCPLAN_API enum tcplan_status tcplan_planner_set_threads(struct tcplan_planner *planner,
                                                         int threads, struct tcplan_error *error);

/** Allows more threads than processing units. Default: not allowed. */
TCPLAN_API enum tcplan_status tcplan_planner_set_oversubscription(struct tcplan_planner *planner,
                                                                  bool allowed,
                                                                  struct tcplan_error *error);

/** Limits the total bytes of an algorithm's temporaries; 0: no limit. */
TCPLAN_API enum tcplan_status tcplan_planner_set_workspace(struct tcplan_planner *planner,
                                                           int64_t bytes,
                                                           struct tcplan_error *error);

/** Sets the alignment of the arrays in bytes, a power of two; 0: that of malloc(), 16. Executions
 * on less aligned arrays are correct, but another algorithm may be faster there. */
TCPLAN_API enum tcplan_status tcplan_planner_set_alignment(struct tcplan_planner *planner,
                                                           int64_t bytes,
                                                           struct tcplan_error *error);

/** Sets the preference among equally fast algorithms. Default: TCPLAN_PREFER_SIMPLE. */
TCPLAN_API enum tcplan_status tcplan_planner_set_preference(struct tcplan_planner *planner,
                                                            enum tcplan_preference preference,
                                                            struct tcplan_error *error);

/**
 * Sets the store, which holds data about this machine between processes. Ceilings and models are
 * read once. Evaluations are read and added. Kernels compiled during planning are reused; without a
 * store, none are looked up.
 *
 * @param folder  copied; NULL: no store. It is created when there is something to store. A plan
 *                does not fail because the store cannot be read or written
 */
TCPLAN_API enum tcplan_status tcplan_planner_set_store(struct tcplan_planner *planner,
                                                       const char *folder,
                                                       struct tcplan_error *error);

/**
 * Returns the folder in which the command and the Python package store a user's data:
 * $TCPLAN_STORE, which may be empty, else tcplan in $XDG_CACHE_HOME, else .cache/tcplan in $HOME.
 * Relative names in the last two are ignored.
 *
 * @param variable  returns the value of an environment variable, or NULL. Pass getenv(): the
 *                  library itself reads no variable
 * @return a string to be freed with free(), empty if there is no folder; NULL if memory runs out
 */
TCPLAN_API char *tcplan_store_folder(char *(*variable)(const char *name));

/**
 * Returns advice about the BLAS libraries that plans use. It reports a library that selected slow
 * kernels, or computes wrong results on this processor, and the environment variable that selects
 * better ones. A library reads that variable when it is loaded, so set it before the program
 * starts.
 *
 * Advice comes from trials that `tcplan machine` ran, each in its own process, and stored; this
 * function starts no process. Without trials it only compares the vector width that the selected
 * kernels are known to use with that of the processor. Takes some milliseconds. Several threads may
 * call it at once.
 *
 * @param folder    the store, as in tcplan_planner_set_store(); NULL or empty: none. A store that
 *                  cannot be read, or belongs to another machine, counts as none
 * @param variable  returns the value of an environment variable, as for tcplan_store_folder().
 *                  Kernels selected by a variable are assumed to be chosen on purpose, unless
 *                  trials found better ones. NULL: no variable is set
 * @return a string to be freed with free(): one line for each library with advice, empty if there
 *         is none; NULL if memory runs out
 */
TCPLAN_API char *tcplan_blas_advice(const char *folder, char *(*variable)(const char *name));

/**
 * Sets the file of stored plans (tcplan/plans.h). A stored plan of the same product is reused, and
 * new plans are stored. If the stored plan was found with less effort, the search starts from it,
 * and from plans of similar extents.
 *
 * @param file  copied; NULL: none. A file of plans, created when the first plan is stored; or an
 *              existing folder, such as the store; or a name that ends with a slash. Any number of
 *              processes may add plans to it at once
 * @return TCPLAN_INVALID also if the file is not a file of plans, which is left unchanged;
 *         TCPLAN_ENVIRONMENT if it cannot be read. Planning does not fail if a plan cannot be
 *         stored later
 */
TCPLAN_API enum tcplan_status tcplan_planner_set_plans(struct tcplan_planner *planner,
                                                       const char *file,
                                                       struct tcplan_error *error);

/** Sets a progress callback, called by each planning thread, possibly by several at once; NULL
 * disables it. */
TCPLAN_API enum tcplan_status tcplan_planner_set_progress(struct tcplan_planner *planner,
                                                          tcplan_progress_fn *progress,
                                                          void *context,
                                                          struct tcplan_error *error);

/**
 * Makes future plans improve themselves: each of the first `executions` executions tries another
 * promising algorithm on the caller's data, and the plan then keeps the fastest
 * (TCPLAN_PLAN_IMPROVED). Every execution computes the product once, with whichever algorithm it
 * tries, so results of two executions may differ by rounding. One thread at a time tries
 * algorithms. Only executions with the plan's own factors, threads and workspace count. Default: 0,
 * the plan does not change.
 */
TCPLAN_API enum tcplan_status tcplan_planner_set_improving(struct tcplan_planner *planner,
                                                           int executions,
                                                           struct tcplan_error *error);

/**
 * Cancels all planning in progress with a planner; it soon returns TCPLAN_CANCELLED. Planning
 * started later is not affected. May be called from any thread and from a signal handler. Does
 * nothing if the planner is NULL.
 */
TCPLAN_API void tcplan_planner_cancel(struct tcplan_planner *planner);

/** Frees a planner, which no thread may be using; does nothing if it is NULL. Its plans stay
 * valid. */
TCPLAN_API void tcplan_planner_free(struct tcplan_planner *planner);

#ifdef __cplusplus
}
#endif

#endif
