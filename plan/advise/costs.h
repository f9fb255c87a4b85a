/**
 * Times of contractions with given layouts: estimates and plans, each made once for all equal
 * problems (program_key()).
 */
#ifndef ADVISE_COSTS_H
#define ADVISE_COSTS_H

#include "plan/advise/program.h"

/** The times of a contraction with given layouts, valid for all equal problems. */
struct layout_cost {
    double estimate_seconds;
    bool planned;
    struct tcplan_estimate plan; /**< time of the chosen algorithm, once the contraction was planned
                                  */
};

struct layout_costs {
    const struct tcplan_layout_program *program;
    const struct tcplan_advise_options *options;
    struct tcplan_kernel_times *kernel_times;
    struct deadline deadline;
    int64_t estimates;         /**< number of estimates that were made */
    enum tcplan_status status; /**< status of the first failure; TCPLAN_OK: none */
    struct tcplan_error error; /**< message of the first failure */
    /* Private: a hash table by key. */
    size_t count, capacity;
    struct layout_cost_entry *entry;
};

/** Creates an empty table; borrows the program and the options. Returns a status of tcplan_rank().
 */
enum tcplan_status layout_costs_init(struct layout_costs *out,
                                     const struct tcplan_layout_program *program,
                                     const struct tcplan_advise_options *options);

void layout_costs_free(struct layout_costs *costs);

/** Returns the times of an item, estimated on the first call; NULL after a failure, with its reason
 * in `status`. Valid until the next call. */
struct layout_cost *layout_costs_find(struct layout_costs *costs, int item,
                                      const struct layout layout[]);

/**
 * Plans a contraction, unless it is planned.
 *
 * @param limit_seconds  time limit of the ranking; INFINITY: none
 */
enum tcplan_status layout_costs_plan(struct layout_costs *costs, int item,
                                     const struct layout layout[], double limit_seconds,
                                     struct tcplan_error *error);

/** Returns the estimated seconds of copying a tensor into a layout, computed once for each layout.
 * NAN after a failure. */
double layout_costs_conversion(struct layout_costs *costs, int tensor, const struct layout *layout);

/** Returns the part of a copy's seconds that each run of the program pays. */
double layout_costs_paid(const struct layout_costs *costs, int tensor, double seconds);

#endif
