/**
 * Planners: what planning may cost, and what it may know and keep.
 *
 * A planner is set up by one thread; after that several may plan with it at once. Where plans are
 * made at once whose efforts time something, they take turns: one times, the others wait, and a
 * time limit goes on meanwhile. Estimates do not wait, unless they share what a planner's store
 * knows. The library reads no environment and no file but those that are named here, and libraries
 * that it calls read theirs (OPENBLAS_NUM_THREADS and the like).
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

/** What is picked of those that are equally fast. */
enum tcplan_preference {
    TCPLAN_PREFER_EASE, /**< within 2 % of the fastest: fewer libraries, then less workspace, then
                           fewer lines of C */
    TCPLAN_PREFER_SPEED /**< the fastest, however small the difference */
};

/** How much planning may cost. */
enum tcplan_effort {
    TCPLAN_EFFORT_ESTIMATE, /**< nothing is timed, and nothing was compared: milliseconds */
    TCPLAN_EFFORT_QUICK,    /**< short looks, and a short comparison of the fastest five */
    TCPLAN_EFFORT_NORMAL,   /**< the fastest are told apart to two per cent */
    TCPLAN_EFFORT_THOROUGH  /**< all that is looked at gets full windows: where every algorithm has
                               an entry, each that no bound excludes;  contenders are told apart to
                               one per cent */
};

struct tcplan_planner;

/**
 * Makes a planner: normal effort, one thread, no time limit, nothing read or kept, arrays aligned
 * as malloc does, ease preferred.
 *
 * @param out  receives the planner, to be freed with tcplan_planner_free(); untouched on failure
 * @return TCPLAN_OK; TCPLAN_INVALID where `out` is NULL; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_planner_new(struct tcplan_planner **out,
                                                 struct tcplan_error *error);

/* Each of these returns TCPLAN_OK; TCPLAN_INVALID, and nothing is changed, where the planner is
   NULL or the value is none; those that take a name TCPLAN_NO_MEMORY as well. Plans being made by
   other threads meanwhile may have the old value or the new one. */

/** How much planning may cost; at first TCPLAN_EFFORT_NORMAL. */
TCPLAN_API enum tcplan_status tcplan_planner_set_effort(struct tcplan_planner *planner,
                                                        enum tcplan_effort effort,
                                                        struct tcplan_error *error);

/**
 * Seconds of the clock after which the best so far is the plan; 0: no limit. What is begun is
 * finished: kernels that take long may exceed it by one execution. Where others time until then,
 * the plan is an estimate.
 */
TCPLAN_API enum tcplan_status tcplan_planner_set_time_limit(struct tcplan_planner *planner,
                                                            double seconds,
                                                            struct tcplan_error *error);

/**
 * How many threads executions may have, 1 to 4096; at first 1. A plan has as many, or one where
 * that is faster (tcplan_plan_threads()); one of a named algorithm has exactly so many. More than
 * the machine has processing units are refused with TCPLAN_INVALID when something is planned,
 * unless tcplan_planner_set_oversubscription() allows them. Executions may be given others.
 */
TCPLAN_API enum tcplan_status tcplan_planner_set_threads(struct tcplan_planner *planner,
                                                         int threads, struct tcplan_error *error);

/** Whether there may be more threads than processing units; at first not. */
TCPLAN_API enum tcplan_status tcplan_planner_set_oversubscription(struct tcplan_planner *planner,
                                                                  bool allowed,
                                                                  struct tcplan_error *error);

/** Bound on the bytes of all temporaries of an algorithm; 0: none. */
TCPLAN_API enum tcplan_status tcplan_planner_set_workspace(struct tcplan_planner *planner,
                                                           int64_t bytes,
                                                           struct tcplan_error *error);

/** Bytes at whose multiples the arrays begin, a power of two; 0: as malloc's do, 16. Less is right,
 * too, but another algorithm may then be faster. */
TCPLAN_API enum tcplan_status tcplan_planner_set_alignment(struct tcplan_planner *planner,
                                                           int64_t bytes,
                                                           struct tcplan_error *error);

/** What is picked of algorithms that are equally fast; at first TCPLAN_PREFER_EASE. */
TCPLAN_API enum tcplan_status tcplan_planner_set_preference(struct tcplan_planner *planner,
                                                            enum tcplan_preference preference,
                                                            struct tcplan_error *error);

/**
 * What is kept about this machine from one process to the next: ceilings and models are read, once,
 * what looks teach is read and added to, and kernels that planning has compiled are kept, which it
 * looks at in no other case.
 *
 * @param folder  copied; NULL: none. It is made where something is to be kept. What cannot be read
 *                or kept is left alone: a plan does not fail by it
 */
TCPLAN_API enum tcplan_status tcplan_planner_set_store(struct tcplan_planner *planner,
                                                       const char *folder,
                                                       struct tcplan_error *error);

/**
 * Returns the folder that the command and the Python package keep a user's data in: $TCPLAN_STORE,
 * which may be empty, else tcplan in $XDG_CACHE_HOME, else .cache/tcplan in $HOME. Relative names
 * in the last two are ignored.
 *
 * @param variable  returns the value of a variable of the environment, or NULL: getenv(), as the
 *                  library itself reads none
 * @return a string to be freed with free(), empty where there is no folder; NULL when memory is out
 */
TCPLAN_API char *tcplan_store_folder(char *(*variable)(const char *name));

/**
 * Returns advice about the BLAS libraries of plans: that one selected slow kernels, or computes
 * wrong results on this processor, and which variable of the environment selects better ones. A
 * library reads that variable when it is loaded, so set it before the program starts.
 *
 * Advice comes from trials that `tcplan machine` made and keeps in its store: each takes a process
 * of its own, and this function starts none. Without them it only compares the vectors that the
 * selected kernels are known to use with those of the processor. Takes some milliseconds; several
 * threads may call at once.
 *
 * @param folder    the store, as in tcplan_planner_set_store(); NULL or empty: none. A store that
 *                  cannot be read, or belongs to another machine, counts as none
 * @param variable  as in tcplan_store_folder(); kernels that a variable selected are taken to be
 *                  chosen on purpose, unless trials found better ones. NULL: no variable is set
 * @return a string to be freed with free(): a line with a newline for each library that there is
 *         advice about, empty where nothing is known against any; NULL when memory is out
 */
TCPLAN_API char *tcplan_blas_advice(const char *folder, char *(*variable)(const char *name));

/**
 * Stored plans: what an earlier plan of the same product found is the plan now, and what is found
 * is stored (tcplan/plans.h). A plan that was found with less effort is where the search begins, as
 * are those of other extents that are near.
 *
 * @param file  copied; NULL: none. A file of plans, which is made when the first is stored; or a
 *              folder that is there, such as that of the store, or a name with a slash at its end:
 *              any number of processes may add plans to either at once
 * @return TCPLAN_INVALID also where there is something else than plans, which is left as it is;
 *         TCPLAN_ENVIRONMENT where it cannot be read. Where plans cannot be stored later on no plan
 *         fails by it
 */
TCPLAN_API enum tcplan_status tcplan_planner_set_plans(struct tcplan_planner *planner,
                                                       const char *file,
                                                       struct tcplan_error *error);

/** Being told about progress, in the thread that plans; NULL: nobody. Plans that are made at once
 * tell at once. */
TCPLAN_API enum tcplan_status tcplan_planner_set_progress(struct tcplan_planner *planner,
                                                          tcplan_progress_fn *progress,
                                                          void *context,
                                                          struct tcplan_error *error);

/**
 * Has plans that are made from now on improve themselves: so many executions each run another of
 * the algorithms that promise most, on the caller's data, and what was fastest is kept
 * (TCPLAN_PLAN_IMPROVED). Each execution computes the product once, whichever algorithm it runs;
 * results of two may differ by rounding. One thread at a time tries; those count that have the
 * plan's own factors, threads and memory. 0, as at first: the plan stays what it is.
 */
TCPLAN_API enum tcplan_status tcplan_planner_set_improving(struct tcplan_planner *planner,
                                                           int executions,
                                                           struct tcplan_error *error);

/**
 * Ends the plans that are being made with a planner, soon: they return TCPLAN_CANCELLED. Those
 * begun later are not concerned. From any thread, and from a signal handler. NULL is fine.
 */
TCPLAN_API void tcplan_planner_cancel(struct tcplan_planner *planner);

/** Frees a planner that no thread plans with; NULL is fine. Its plans stay. */
TCPLAN_API void tcplan_planner_free(struct tcplan_planner *planner);

#ifdef __cplusplus
}
#endif

#endif
