#include "plan/times/call_model.h"

#include "ast/algorithm/provider.h"
#include "microbench/predict/kernel_bursts.h"
#include "microbench/providers/providers.h"
#include "plan/estimate.h"
#include "tcplan/ceilings.h"

/* Nominal speed of gemm in double precision by one thread: 16 operations per cycle at 2 GHz. Half
 * of the machines of the last ten years exceed it. */
#define NOMINAL_FLOPS_PER_NS 32.0

/*
 * The costs are members of the kernel classes and providers (microbench/kernels/,
 * microbench/providers/). They were fitted to measured kernels of 12 contractions, drawn as in
 * bench/drawn_cases with another seed, on one machine. 12 more contractions confirmed them.
 */
static const struct kernel_cost *cost_of(const struct blas_call *call) {
    const struct kernel_cost *own = &provider_of(call->provider)->gemm_cost;
    const bool is_own = call->kernel == TCPLAN_GEMM || provider_traits_of(call->provider)->is_whole;
    return is_own && own->rate > 0 ? own : &kernel_bursts_of(call->kernel)->cost;
}

/** Returns gemm's speed with all threads, in operations per nanosecond. *known receives whether
 * it was measured as a ceiling of the machine. */
static double flops_per_ns(enum tcplan_dtype dtype, int threads,
                           const struct tcplan_roofline *ceilings, bool *known) {
    const bool is_single = dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
    const struct tcplan_ceiling *ceiling =
        ceilings ? tcplan_roofline_gemm(ceilings, dtype, threads) : NULL;
    *known = ceiling != NULL;
    return ceiling ? ceiling->rate : NOMINAL_FLOPS_PER_NS * threads * (is_single ? 2 : 1);
}

struct call_time call_model_time(const struct blas_call *call, enum tcplan_dtype dtype, int threads,
                                 const struct tcplan_machine *machine) {
    const struct kernel_cost *cost = cost_of(call);
    const double times = (double)(call->length > 0 ? call->length : 1);
    const double m = call->m, n = call->n,
                 k = (double)call->k * (call->products > 0 ? call->products : 1);
    const double flops = (tcplan_dtype_is_complex(dtype) ? 8 : 2) * m * n * k * times;
    bool known;
    const double gemm_ns = flops / flops_per_ns(dtype, threads, machine->ceilings, &known);
    const double ns = cost->call_ns + gemm_ns * (cost->rate + cost->rows / m + cost->columns / n +
                                                 cost->products / k);
    return (struct call_time){.ns = ns,
                              .low_ns = ns / ESTIMATE_FACTOR,
                              .high_ns = ns * ESTIMATE_FACTOR,
                              .source = known ? TCPLAN_TIME_CEILINGS : TCPLAN_TIME_NOMINAL};
}
