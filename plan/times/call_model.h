/**
 * Predicts the time of a kernel call from the machine's ceilings. The prediction is coarse: it
 * selects candidates for evaluation and never decides which one is fastest.
 */
#ifndef PLAN_TIMES_CALL_MODEL_H
#define PLAN_TIMES_CALL_MODEL_H

#include "plan/times/call_time.h"
#include "tcplan/machine.h"

/**
 * Predicts a call with operands in cache: the overhead of its library, plus its arithmetic at the
 * speed of gemm, reduced for its class, its library and thin extents. The speed of gemm comes from
 * the machine's ceilings (TCPLAN_TIME_CEILINGS), otherwise it is nominal (TCPLAN_TIME_NOMINAL).
 */
struct call_time call_model_time(const struct blas_call *call, enum tcplan_dtype dtype, int threads,
                                 const struct tcplan_machine *machine);

/** Predicts a call of the library's own kernels on one thread: the sum of the costs of its parts.
 */
struct call_time call_model_built_in(const struct blas_call *call, enum tcplan_dtype dtype,
                                     const struct tcplan_machine *machine);

#endif
