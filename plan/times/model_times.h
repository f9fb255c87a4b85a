/**
 * Times from performance models (tcplan/models.h): of a kernel's calls, and of copies.
 */
#ifndef PLAN_TIMES_MODEL_TIMES_H
#define PLAN_TIMES_MODEL_TIMES_H

#include "cachesim/arrangement/arrangement.h"
#include "plan/times/call_time.h"
#include "tcplan/models.h"

/** Models, and what tells which of them are of the libraries that this process has. Zeros: none. */
struct model_times {
    const struct tcplan_models *models;                /**< borrowed; NULL: none */
    int64_t line_bytes;                                /**< of the machine */
    char version[TCPLAN_PROVIDERS][TCPLAN_MODEL_TEXT]; /**< of libraries; empty: any */
};

struct model_times model_times_of(const struct tcplan_models *models,
                                  const struct tcplan_machine *machine);

/**
 * The time of a call whose sizes are in the domain of a model, of the case that the call is, with
 * so many threads of the BLAS and its operands in that place. The time is the model's median; it
 * may be off by what the model's repetitions spread and by its error at its points, or the 90th
 * percentile of that at points that it was checked with, whichever is more.
 *
 * Increments between 1 and a line's elements are of no case. The time lies between those of the
 * cases with 1 and with large increments, as the lines do that are touched, and may be either;
 * where only one of them has a model it may be as much less, or more, as there are fewer lines, or
 * more. A batch of products (brgemm) is one gemm of all k, and takes as much as a gemm for each
 * product at most.
 *
 * @return false where there is no such model
 */
bool model_times_call(struct call_time *out, const struct model_times *times,
                      const struct blas_call *call, enum tcplan_dtype dtype, int threads,
                      enum tcplan_model_placement place);

/**
 * The time of a call that is of a model's case, and outside its domain: that of the nearest sizes
 * within, times what the machine's ceilings have of the call over what they have of these. It may
 * be as much as the nearest sizes take, or as little as their speed makes of the call (of a larger
 * call the other way round).
 */
bool model_times_beyond(struct call_time *out, const struct model_times *times,
                        const struct blas_call *call, enum tcplan_dtype dtype, int threads,
                        const struct tcplan_machine *machine);

/** A copy of an arrangement: of which operand, of which algorithm. */
struct model_copy {
    const struct arrangement_copy *copy;
    enum tcplan_operand operand;
    const struct tcplan_algorithm *algorithm;
};

/**
 * The time of one execution of a copy: as many calls of tcplan's own copies as it is made of
 * (plan/times/copy_case.h). Where the tensor comes from memory, by models that were made so,
 * `streaming` where one execution goes on behind the one before, else `cold`; where there is none,
 * by one that was made `warm`, and with what bringing the lines takes by the model of loops. Runs
 * within a block cost less than a call each: between that, and as much as if all were one run.
 *
 * @return false where there is no such model, or the copy sums
 */
bool model_times_copy(struct call_time *out, const struct model_times *times,
                      const struct tcplan_problem *problem, const struct model_copy *wanted);

#endif
