/**
 * What a kernel's call takes by itself where nothing may be timed: coarse, there to tell what is worth a look, never what is fastest.
 */
#ifndef PLAN_CALL_MODEL_H
#define PLAN_CALL_MODEL_H

#include "gen/blas_call.h"
#include "tcplan/machine.h"

/**
 * Nanoseconds of a call: its arithmetic at the speed of gemm, less for small extents, or its operands from the second cache, whichever takes longer, and
 * what calling takes. Speeds are those of the machine's ceilings where it has them, otherwise nominal.
 */
double call_model_ns(const struct blas_call *call, enum tcplan_dtype dtype, int threads, const struct tcplan_machine *machine);

#endif
