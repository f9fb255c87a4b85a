/**
 * Times of contractions in layouts: estimates and plans, each made once for all that are equal
 * (program_key()).
 */
#ifndef ADVISE_COSTS_H
#define ADVISE_COSTS_H

#include "plan/advise/program.h"

/** Data about a contraction in layouts and all equal ones. */
struct layout_cost {
    double estimate_seconds;
    bool planned;
    struct tcplan_estimate plan; /**< if it was planned */
};

struct layout_costs {
    const struct tcplan_layout_program *program;
    const struct tcplan_advise_options *options;
    struct tcplan_kernel_times *kernel_times;
    struct deadline deadline;
    int64_t estimates;         /**< that were made */
    enum tcplan_status status; /**< of the first failure; TCPLAN_OK: nothing did */
    struct tcplan_error error; /**< likewise */
    /* private: a table of keys */
    size_t count, capacity;
    struct layout_cost_entry *entry;
};

/** Program and options are borrowed. Status as tcplan_rank(). */
enum tcplan_status layout_costs_init(struct layout_costs *out,
                                     const struct tcplan_layout_program *program,
                                     const struct tcplan_advise_options *options);

void layout_costs_free(struct layout_costs *costs);

/** Returns the time of an item in layouts, estimated at the first call; NULL if it failed, and
 * `status` says why. Valid until the next call. */
struct layout_cost *layout_costs_find(struct layout_costs *costs, int item,
                                      const struct layout layout[]);

/**
 * Has the planner decide on it, if it did not.
 *
 * @param limit_seconds  for the ranking; INFINITY: none
 */
enum tcplan_status layout_costs_plan(struct layout_costs *costs, int item,
                                     const struct layout layout[], double limit_seconds,
                                     struct tcplan_error *error);

/** Seconds that copying a tensor takes, estimated; for each layout once. NAN if it failed. */
double layout_costs_conversion(struct layout_costs *costs, int tensor, const struct layout *layout);

/** Returns a run's share of a copy that takes so many seconds. */
double layout_costs_paid(const struct layout_costs *costs, int tensor, double seconds);

#endif
