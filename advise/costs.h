/**
 * What contractions take in layouts: estimates and plans, each made once for all that are equal
 * (program_key()).
 */
#ifndef ADVISE_COSTS_H
#define ADVISE_COSTS_H

#include "advise/program.h"

/** What is known of a contraction in layouts, or of all that are equal to it. */
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
    enum tcplan_status status; /**< of what failed first; TCPLAN_OK: nothing did */
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

/** What an item takes in layouts, estimated where that was not done before; NULL if it failed, and
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

/** What a run of the program pays for a copy of a tensor that takes so long. */
double layout_costs_paid(const struct layout_costs *costs, int tensor, double seconds);

#endif
