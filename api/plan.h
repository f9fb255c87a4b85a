/** The internals of a plan. */
#ifndef API_PLAN_H
#define API_PLAN_H

#include <stdatomic.h>

#include "api/instance.h"
#include "api/planner.h"
#include "tcplan/plan.h"

/* Beyond so many that are ready, those that come back replace others. */
enum { PLAN_INSTANCES = 32 };

/** How an algorithm was chosen. */
struct plan_choice {
    struct tcplan_algorithm algorithm;
    int threads; /**< that execute it */
    char *name;  /**< of the algorithm: its address identifies the choice in instances */
    enum tcplan_plan_origin origin;
    double seconds, low, high; /**< 0: not known */
};

struct improving;

struct tcplan_plan {
    struct tcplan_product *product; /**< its own; the problem has the machine's heuristics */
    struct plan_choice choice;      /**< that it was made with; its name is the plan's */
    int threads;

    tcplan_function *function;   /**< all that an execution does, with the product's own factors;
                                    NULL: it is not one function */
    struct improving *improving; /**< NULL: it does not improve itself */
    _Atomic(const struct plan_choice *) chosen; /**< what it executes: `choice`, or what was found
                                                   to be faster */

    /**
     * Idle instances. An execution takes a suitable one or makes another, and returns it
     * afterwards: without a lock, so that one thread that executes exchanges a pointer twice.
     */
    _Atomic(struct instance *) ready[PLAN_INSTANCES];
    atomic_uint turn; /**< which one makes room next */
};

/**
 * Makes a plan of a choice; `exactly`: an algorithm that cannot be executed is refused, otherwise
 * one as near as there is takes its place.
 *
 * @param heuristics   of the machine that it was chosen for
 * @param planning  within its time a compiler makes kernels, which its store keeps
 */
enum tcplan_status plan_of(struct tcplan_plan **out, const struct tcplan_product *product,
                           const struct plan_choice *choice,
                           const struct tcplan_heuristics *heuristics,
                           const struct planning *planning, bool exactly,
                           struct tcplan_error *error);

/** Returns the choice that a plan executes now. */
static inline const struct plan_choice *plan_chosen(const struct tcplan_plan *plan) {
    return atomic_load_explicit(&plan->chosen, memory_order_acquire);
}

/** The execution to prepare. */
struct plan_order {
    const struct plan_choice *choice;
    int threads;
    struct tcplan_scalar alpha;
    struct tcplan_scalar beta;
};

/** Takes an instance that suits, or makes one. */
enum tcplan_status plan_take(struct instance **out, struct tcplan_plan *plan,
                             const struct plan_order *order, struct tcplan_error *error);

/** Gives an instance back. */
void plan_give_back(struct tcplan_plan *plan, struct instance *instance);

#endif
