/**
 * The loop nest of an experiment (dissertation, 2.2.2):
 *
 *     for range: for rep: for sum: for call
 *
 * or, with shuffle,
 *
 *     for rep: for range: for sum: for call
 *
 * A unit is one iteration of the outermost loop, with one `go` at its end: a value of the range or,
 * with shuffle, a repetition.
 *
 * The visitor defines what happens at each place: it prints a script, or queues and runs calls. A
 * shard visits only its own values of the range.
 */
#ifndef SAMPLER_NEST_H
#define SAMPLER_NEST_H

#include "routines/sampler/experiments/point_plan.h"

/** A call's place in the nest. */
struct nest_place {
    const struct tcplan_experiment *experiment;
    const struct point_plan *plan;
    int64_t repetition; /**< number of the repetition, from 0 */
    size_t sum;         /**< number of the sum variable's value, from 0 */
    int call;
};

/** Functions called at the places of the nest. All are required. Any status other than TCPLAN_OK
 * ends the visit. */
struct nest_visitor {
    void *context;
    enum tcplan_status (*randomize)(void *context, const struct nest_place *place,
                                    struct tcplan_error *error); /**< fills all operands of the
                                                                    point with new numbers */
    enum tcplan_status (*begin_point)(void *context, const struct nest_place *place,
                                      struct tcplan_error *error); /**< begins a repetition of the
                                                                      point */
    enum tcplan_status (*begin_region)(void *context, const struct nest_place *place,
                                       struct tcplan_error *error);
    enum tcplan_status (*call)(void *context, const struct nest_place *place,
                               struct tcplan_error *error);
    void (*end_region)(void *context);
    enum tcplan_status (*begin_sequence)(void *context, struct tcplan_error *error);
    void (*end_sequence)(void *context);
};

/** A shard of an experiment: the range values at positions number - 1, number - 1 + count, and so
 * on. */
struct nest_part {
    int64_t number; /**< number of the shard, 1 to `count` */
    int64_t count;  /**< number of shards; 0: the experiment is not divided */
};

bool nest_part_has(const struct nest_part *part, size_t point);

/** Counts the units of all shards. Returns TCPLAN_INVALID if the number of repetitions has no
 * value. */
enum tcplan_status nest_units(int64_t *out, const struct tcplan_experiment *experiment,
                              struct tcplan_error *error);

/** Returns whether the shard has calls in a unit. */
bool nest_has_unit(const struct tcplan_experiment *experiment, const struct nest_part *part,
                   int64_t unit);

/** Visits the calls of a unit that belong to the shard. */
enum tcplan_status nest_walk(const struct tcplan_experiment *experiment,
                             const struct nest_part *part, int64_t unit,
                             const struct nest_visitor *visitor, struct tcplan_error *error);

/** Returns the offset, in elements, of an operand's memory in the call at a place, counted from the
 * beginning of the operand's memory. */
int64_t nest_offset(const struct nest_place *place, int operand);

/** The memory that operands need, sufficient for all points in all shards. */
struct nest_memory {
    int64_t elements[EXPERIMENT_OPERANDS_MAX];
    int64_t work[EXPERIMENT_CALLS_MAX][SIGNATURE_MAX_ARGUMENTS]; /**< number of elements of each
                                                                    work argument */
};

/**
 * Computes the memory that all points need. This makes the plans of all points, and thereby checks
 * them.
 *
 * @param weight  receives the relative work of a repetition of every point: its operations and
 *                bytes; allocated in `arena`; may be NULL
 */
enum tcplan_status nest_measure(struct nest_memory *out, double **weight, struct arena *arena,
                                const struct tcplan_experiment *experiment,
                                struct tcplan_error *error);

#endif
