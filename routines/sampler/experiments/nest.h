/**
 * The loop nest of an experiment (dissertation, 2.2.2):
 *
 *   for range: for rep: for sum: for call          a `go` behind each value of the range: that is a
 *                                                  unit
 *   for rep: for range: for sum: for call          with shuffle; a unit is a repetition
 *
 * What happens at each place is the visitor's: a script is printed, or calls are queued and run. Of
 * a shard only its values of the range are visited.
 */
#ifndef SAMPLER_NEST_H
#define SAMPLER_NEST_H

#include "routines/sampler/experiments/point_plan.h"

/** Where in the nest a call stands. */
struct nest_place {
    const struct tcplan_experiment *experiment;
    const struct point_plan *plan;
    int64_t repetition; /**< from 0 */
    size_t sum;         /**< place of the value of the sum variable */
    int call;
};

/** All functions must be there. Another status than TCPLAN_OK ends the walk. */
struct nest_visitor {
    void *context;
    enum tcplan_status (*randomize)(void *context, const struct nest_place *place,
                                    struct tcplan_error *error); /**< all operands of the point */
    enum tcplan_status (*begin_point)(void *context, const struct nest_place *place,
                                      struct tcplan_error *error); /**< one repetition of it */
    enum tcplan_status (*begin_region)(void *context, const struct nest_place *place,
                                       struct tcplan_error *error);
    enum tcplan_status (*call)(void *context, const struct nest_place *place,
                               struct tcplan_error *error);
    void (*end_region)(void *context);
    enum tcplan_status (*begin_sequence)(void *context, struct tcplan_error *error);
    void (*end_sequence)(void *context);
};

/** One part of an experiment: values of the range at places number - 1, number - 1 + count and so
 * on. */
struct nest_part {
    int64_t number; /**< 1 to `count` */
    int64_t count;  /**< 0: it is not divided */
};

bool nest_part_has(const struct nest_part *part, size_t point);

/** How many units there are, in all parts. TCPLAN_INVALID if the number of repetitions has no
 * value. */
enum tcplan_status nest_units(int64_t *out, const struct tcplan_experiment *experiment,
                              struct tcplan_error *error);

/** Whether the part has calls in a unit. */
bool nest_has_unit(const struct tcplan_experiment *experiment, const struct nest_part *part,
                   int64_t unit);

/** Visits the part's calls in a unit. */
enum tcplan_status nest_walk(const struct tcplan_experiment *experiment,
                             const struct nest_part *part, int64_t unit,
                             const struct nest_visitor *visitor, struct tcplan_error *error);

/** Returns the number of elements before the address that an argument of the call at a place points
 * to. */
int64_t nest_offset(const struct nest_place *place, int operand);

/** Memory that the operands need at all points, whatever the part. */
struct nest_memory {
    int64_t elements[EXPERIMENT_OPERANDS_MAX];
    int64_t work[EXPERIMENT_CALLS_MAX][SIGNATURE_MAX_ARGUMENTS]; /**< of arguments that are work */
};

/**
 * Makes the plans of all points, which also checks that they can be made.
 *
 * @param weight  receives the relative weight of a repetition of every point: its operations and
 *                bytes; in `arena`; may be NULL
 */
enum tcplan_status nest_measure(struct nest_memory *out, double **weight, struct arena *arena,
                                const struct tcplan_experiment *experiment,
                                struct tcplan_error *error);

#endif
