/**
 * What a kernel's call takes by itself where nothing is known of it and nothing may be timed:
 * coarse, there to tell what is worth a look, never what is fastest.
 */
#ifndef PLAN_TIMES_CALL_MODEL_H
#define PLAN_TIMES_CALL_MODEL_H

#include "plan/times/call_time.h"
#include "tcplan/machine.h"

/**
 * The time of a call on operands in cache: what calling its library takes, and its arithmetic at
 * the speed of gemm, as much slower as its class and library are, and thin extents. The speed of
 * gemm is that of the machine's ceilings where it has them (TCPLAN_TIME_CEILINGS), otherwise
 * nominal (TCPLAN_TIME_NOMINAL).
 */
struct call_time call_model_time(const struct blas_call *call, enum tcplan_dtype dtype, int threads,
                                 const struct tcplan_machine *machine);

#endif
