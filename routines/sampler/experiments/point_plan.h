/**
 * One value of an experiment's range in numbers: the values of all calls, and the place of each
 * operand in memory.
 *
 * Memory (dissertation, 2.2.2 `vary`): an operand that varies has an instance for every
 * repetition, for every value of the sum variable, or for both, the sum innermost. If instances
 * are next to each other (along 1, and for all data without a leading dimension), each instance
 * follows the previous one: a matrix occupies its columns times its leading dimension. If they are
 * below each other (along 0), the leading dimension is the sum of the rows of all instances.
 * `offset` elements separate instances.
 */
#ifndef SAMPLER_POINT_PLAN_H
#define SAMPLER_POINT_PLAN_H

#include "routines/sampler/experiments/experiment.h"
#include "routines/sampler/timing/routine.h"

/** A call at one value of the sum variable. */
struct planned_call {
    int64_t value[SIGNATURE_MAX_ARGUMENTS];
    struct call_scalar scalar[SIGNATURE_MAX_ARGUMENTS];
};

struct planned_operand {
    int64_t elements; /**< elements of all instances, gaps included */
    int64_t step;     /**< elements from one repetition to the next; 0: all repetitions use the same
                         memory */
    const int64_t *offset; /**< for each value of the sum variable: elements from the first instance
                              of the repetition */
};

/** Zero-initialise before use; must not be copied while in use. */
struct point_plan {
    struct arena arena;
    size_t point; /**< number of the point's value in the range */
    int64_t value;
    int threads;
    int64_t repetitions;
    size_t sum_count; /**< number of values of the sum variable; 1 without a sum */
    const int64_t *sum;
    struct planned_call *call; /**< sum value s and call c: call[s * call_count + c] */
    struct planned_operand operand[EXPERIMENT_OPERANDS_MAX];
    int64_t work[EXPERIMENT_CALLS_MAX][SIGNATURE_MAX_ARGUMENTS]; /**< maximum number of elements of
                                                                    each work argument; 0: none */
};

/**
 * Computes the plan of a point.
 *
 * @param out  free with point_plan_free() whatever is returned
 * @return TCPLAN_OK; TCPLAN_INVALID if an expression has no value that a routine accepts, with the
 *         line of the call or operand; TCPLAN_OVERFLOW; TCPLAN_NO_MEMORY
 */
enum tcplan_status point_plan_make(struct point_plan *out,
                                   const struct tcplan_experiment *experiment, size_t point,
                                   struct tcplan_error *error);

/** Computes only the loops of a point: threads, repetitions and the values of the sum variable.
 * Returns a status of point_plan_make(). */
enum tcplan_status point_plan_loops(struct point_plan *out,
                                    const struct tcplan_experiment *experiment, size_t point,
                                    struct tcplan_error *error);

/** Frees a plan, whose members may all be zero. */
void point_plan_free(struct point_plan *plan);

/** Returns the number of samples of a repetition: one for every call, or for every parallel region.
 */
size_t point_plan_samples(const struct point_plan *plan,
                          const struct tcplan_experiment *experiment);

#endif
