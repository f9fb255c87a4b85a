/**
 * What a plan holds.
 */
#ifndef API_PLAN_H
#define API_PLAN_H

#include <stdatomic.h>

#include "api/instance.h"
#include "tcplan/plan.h"

/* Beyond so many that are ready, those that come back take the place of others. */
enum { PLAN_INSTANCES = 32 };

/** How an algorithm was chosen. */
struct plan_choice {
    struct tcplan_algorithm algorithm;
    enum tcplan_plan_origin origin;
    double seconds, low, high; /**< 0: not known */
};

struct tcplan_plan {
    struct tcplan_product *product; /**< its own; the problem has the machine's tactics */
    struct plan_choice choice;
    char *name; /**< of the algorithm */
    int threads;

    /**
     * Instances that nobody runs. Who executes takes one that suits, or makes another one, and puts it back: without a lock, so that one thread that executes
     * exchanges a pointer twice.
     */
    _Atomic(struct instance *) ready[PLAN_INSTANCES];
    atomic_uint turn; /**< which one makes room next */
};

/**
 * Makes a plan of a choice; `exactly`: an algorithm that cannot be executed is refused, otherwise one as near as there is takes its place.
 *
 * @param tactics  of the machine that it was chosen for
 */
enum tcplan_status plan_of(struct tcplan_plan **out, const struct tcplan_product *product, const struct plan_choice *choice,
                           const struct tcplan_tactics *tactics, int threads, bool exactly, struct tcplan_error *error);

/** Takes an instance that suits, or makes one. */
enum tcplan_status plan_take(struct instance **out, struct tcplan_plan *plan, int threads, struct tcplan_scalar alpha,
                             struct tcplan_scalar beta, struct tcplan_error *error);

/** Gives an instance back. */
void plan_give_back(struct tcplan_plan *plan, struct instance *instance);

#endif
