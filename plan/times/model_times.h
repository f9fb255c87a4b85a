/**
 * Times of kernel calls and copies from performance models (tcplan/models.h).
 */
#ifndef PLAN_TIMES_MODEL_TIMES_H
#define PLAN_TIMES_MODEL_TIMES_H

#include "cachesim/arrangement/arrangement.h"
#include "plan/times/call_time.h"
#include "tcplan/models.h"

/** Performance models, and the versions of libraries, by which models are chosen. Zeros: none. */
struct model_times {
    const struct tcplan_models *models;                /**< borrowed; NULL: none */
    int64_t line_bytes;                                /**< bytes of a cache line of the machine */
    char binding[TCPLAN_MODEL_BINDING];                /**< binding of the models, see
                                                          tcplan_binding_print(); empty: not bound */
    char version[TCPLAN_PROVIDERS][TCPLAN_MODEL_TEXT]; /**< versions of the process's libraries;
                                                          empty: any version */
};

struct model_times model_times_of(const struct tcplan_models *models,
                                  const struct tcplan_machine *machine);

/**
 * Predicts a call whose sizes are in the domain of a model of its case, with so many BLAS threads
 * and operands in that place. The time is the model's median. The error interval combines the
 * spread of the model's repetitions and the larger of two errors: the error at the model's own
 * points, and the 90th percentile of errors at validation points. Increments between 1 and a cache
 * line have no case. Their time is interpolated between the cases with increment 1 and with large
 * ones, by the number of touched lines; the interval includes both. If only one case has a model,
 * the interval extends by the ratio of lines. A batch of products (brgemm) is predicted as one gemm
 * of all k; the upper end is one gemm per product.
 * @return false if there is no such model
 */
bool model_times_call(struct call_time *out, const struct model_times *times,
                      const struct blas_call *call, enum tcplan_dtype dtype, int threads,
                      enum tcplan_model_placement place);

/**
 * Extrapolates a model beyond its domain: the time of the nearest sizes inside, scaled by the ratio
 * that the machine's ceilings predict for the two calls. The interval reaches from the time of the
 * nearest sizes to the time at the speed of these sizes.
 */
bool model_times_beyond(struct call_time *out, const struct model_times *times,
                        const struct blas_call *call, enum tcplan_dtype dtype, int threads,
                        const struct tcplan_machine *machine);

/** A copy in an arrangement: its operand and algorithm. */
struct model_copy {
    const struct arrangement_copy *copy;
    enum tcplan_operand operand;
    const struct tcplan_algorithm *algorithm;
};

/**
 * Predicts one execution of a copy as calls of tcplan's own copy routines (plan/times/copy_case.h).
 * A tensor in memory uses `streaming` models if executions continue each other, otherwise `cold`
 * ones; without them, a `warm` model plus the cost model's time for loading lines. Runs within a
 * block cost less than one call each, so the interval reaches down to a single run.
 *
 * @return false if there is no such model, or the copy sums
 */
bool model_times_copy(struct call_time *out, const struct model_times *times,
                      const struct tcplan_problem *problem, const struct model_copy *wanted);

#endif
