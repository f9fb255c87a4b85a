/** The internals of a plan. */
#ifndef API_PLAN_H
#define API_PLAN_H

#include <stdatomic.h>

#include "api/instance.h"
#include "api/planner.h"
#include "tcplan/plan.h"

/* Largest number of idle instances of a plan: beyond it, a returned instance replaces another. */
enum { PLAN_INSTANCES = 32 };

/** How an algorithm was chosen. */
struct plan_choice {
    struct tcplan_algorithm algorithm;
    int threads; /**< number of threads that execute it */
    char *name;  /**< name of the algorithm; its address identifies the choice in instances */
    enum tcplan_plan_origin origin;
    double seconds, low, high; /**< predicted time and its interval; 0: unknown */
};

struct improving;

struct tcplan_plan {
    struct tcplan_product *product; /**< the plan's own copy, with the heuristics of the machine */
    struct plan_choice choice;      /**< as planned; the plan owns its name */
    int threads;

    tcplan_function *function;   /**< computes the product with the planned factors; NULL: an
                                    execution is not a single function */
    struct improving *improving; /**< NULL: it does not improve itself */
    _Atomic(const struct plan_choice *) chosen; /**< the choice that executions use: `choice`, or a
                                                   faster one that they found */

    /**
     * Idle instances. An execution takes a suitable one or makes another, and returns it
     * afterwards. This needs no lock: a thread that executes alone exchanges a pointer twice.
     */
    _Atomic(struct instance *) ready[PLAN_INSTANCES];
    atomic_uint turn; /**< number of instances replaced so far, which determines the next */
};

/**
 * Makes a plan of a choice. If its algorithm cannot be executed, fails if `exactly` is true, and
 * otherwise uses a similar one (instance_new_near()).
 *
 * @param heuristics  of the machine that the algorithm was chosen for
 * @param planning    limits the time of compiling kernels, and has the store for them
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

/** An execution that needs an instance. */
struct plan_order {
    const struct plan_choice *choice;
    int threads;
    struct tcplan_scalar alpha;
    struct tcplan_scalar beta;
};

/** Takes an idle instance that suits an order, or makes one. */
enum tcplan_status plan_take(struct instance **out, struct tcplan_plan *plan,
                             const struct plan_order *order, struct tcplan_error *error);

/** Gives an instance back. */
void plan_give_back(struct tcplan_plan *plan, struct instance *instance);

#endif
