/** The internals of a plan. */
#ifndef API_PLAN_H
#define API_PLAN_H

#include <stdatomic.h>

#include "api/instance.h"
#include "api/planner.h"
#include "tcplan/plan.h"

/* Maximum number of idle instances of a plan. If it is exceeded, a returned instance replaces
 * another one. */
enum { PLAN_INSTANCES = 32 };

/** How an algorithm was chosen. */
struct plan_choice {
    struct tcplan_algorithm algorithm;
    int threads; /**< number of threads that execute the algorithm */
    char *name;  /**< name of the algorithm; its address identifies the choice in instances */
    enum tcplan_plan_origin origin;
    double seconds, low,
        high; /**< predicted seconds of one execution, and their interval; 0: unknown */
};

struct improving;
struct program_burst;

struct tcplan_plan {
    struct tcplan_product *product; /**< copy of the product, owned by the plan, with the heuristics
                                       of the machine */
    struct plan_choice choice;      /**< choice made by planning; the plan owns its name */
    int threads;

    tcplan_function *function;   /**< function that computes the product with the planned factors;
                                    NULL: an execution is not a single function */
    struct program_burst *burst; /**< like `function`, by a single loop of kernel calls; NULL: an
                                    execution has other steps */
    struct improving *improving; /**< trials of other algorithms; NULL: the plan does not improve
                                    itself */
    _Atomic(const struct plan_choice *) chosen; /**< the choice that executions use: `choice`, or a
                                                   faster one found by trials */

    /**
     * Idle instances. An execution takes a suitable instance, or makes one, and returns it
     * afterwards. No lock is needed: a thread that executes alone exchanges a pointer twice.
     */
    _Atomic(struct instance *) ready[PLAN_INSTANCES];
    atomic_uint turn; /**< number of instances replaced so far, which determines the instance to
                         replace next */
};

/**
 * Makes a plan from a choice. If the algorithm cannot be executed, fails if `exactly` is true, and
 * otherwise uses a similar algorithm (instance_new_near()).
 *
 * @param heuristics heuristics of the machine for which the algorithm was chosen
 * @param planning gives the time limit for compiling kernels, and the store of compiled kernels
 */
enum tcplan_status plan_of(struct tcplan_plan **out, const struct tcplan_product *product,
                           const struct plan_choice *choice,
                           const struct tcplan_heuristics *heuristics,
                           const struct planning *planning, bool exactly,
                           struct tcplan_error *error);

/** Returns the choice that executions of a plan use now. */
static inline const struct plan_choice *plan_chosen(const struct tcplan_plan *plan) {
    return atomic_load_explicit(&plan->chosen, memory_order_acquire);
}

/** The requirements of an execution on an instance. */
struct plan_order {
    const struct plan_choice *choice;
    int threads;
    struct tcplan_scalar alpha;
    struct tcplan_scalar beta;
};

/** Takes an idle instance of a plan that satisfies an order, or makes one. */
enum tcplan_status plan_take(struct instance **out, struct tcplan_plan *plan,
                             const struct plan_order *order, struct tcplan_error *error);

/** Returns an instance to the idle ones of its plan. */
void plan_give_back(struct tcplan_plan *plan, struct instance *instance);

#endif
