#include "plan/times/call_model.h"

#include "ast/algorithm/provider.h"
#include "base/units.h"
#include "microbench/predict/kernel_bursts.h"
#include "microbench/providers/built_in.h"
#include "microbench/providers/providers.h"
#include "plan/estimate.h"
#include "tcplan/ceilings.h"
#include "tcplan/costs.h"

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

/** Costs of the library's kernels: of calls and rows in nanoseconds, of other units relative to a
 * product of gemm. Typical ratios of a server core of 2023. */
static const double part_cost[BUILT_IN_PARTS] = {
    [BUILT_IN_GEMM_CALL] = 40,      [BUILT_IN_GEMM_PRODUCT] = 1, [BUILT_IN_GEMM_FIRST] = 5,
    [BUILT_IN_GEMM_GATHERED] = 8,   [BUILT_IN_GEMM_SECOND] = 16, [BUILT_IN_GEMM_RESULT] = 3,
    [BUILT_IN_GEMM_SCATTERED] = 16, [BUILT_IN_LOOPS_CALL] = 25,  [BUILT_IN_LOOPS_ROW] = 8,
    [BUILT_IN_LOOPS_PRODUCT] = 5};

/** Returns an estimated time, whose speed of gemm is from a ceiling or nominal. */
static struct call_time estimated(double ns, bool has_ceiling) {
    return (struct call_time){.ns = ns,
                              .low_ns = ns / ESTIMATE_FACTOR,
                              .high_ns = ns * ESTIMATE_FACTOR,
                              .source = has_ceiling ? TCPLAN_TIME_CEILINGS : TCPLAN_TIME_NOMINAL};
}

/** Returns the factor of a kernel's costs beyond those of gemm. They arise from moving elements,
 * which are twice as large for complex types, while a product has four times as many operations. */
static double moved_share(enum tcplan_dtype dtype) {
    return tcplan_dtype_is_complex(dtype) ? 0.5 : 1;
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
    const double moved = cost->rate - 1 + cost->rows / m + cost->columns / n + cost->products / k;
    const double ns =
        cost->call_ns +
        gemm_ns * (1 + moved * (call->kernel == TCPLAN_GEMM ? 1 : moved_share(dtype)));
    return estimated(ns, known);
}

/** Returns the nanoseconds of loading a line, on a page of its own, for each element of operands
 * that exceed the last cache and are not accessed along the index in which they are contiguous. */
static double apart_ns(const struct built_in_work *work, enum tcplan_dtype dtype,
                       const struct tcplan_machine *machine) {
    const struct tcplan_costs costs = tcplan_costs_of(machine);
    double elements = 0;
    if (costs.cache_count == 0) return 0;
    const struct tcplan_cache_costs last = costs.cache[costs.cache_count - 1];
    for (int o = 0; o < 3; o++) {
        if (work->apart[o] * (double)tcplan_dtype_bytes(dtype) > last.held_bytes)
            elements += work->apart[o] * (o == TCPLAN_C ? costs.written : 1);
    }
    return elements * (last.line_seconds + costs.page_seconds) * NS_PER_SECOND;
}

struct call_time call_model_built_in(const struct blas_call *call, enum tcplan_dtype dtype,
                                     const struct tcplan_machine *machine) {
    const struct built_in_work work = built_in_work_of(call, dtype);
    const double flops = tcplan_dtype_is_complex(dtype) ? 8 : 2;
    bool known;
    const double product_ns = flops / flops_per_ns(dtype, 1, machine->ceilings, &known);
    double ns = call->kernel == TCPLAN_GEMM ? apart_ns(&work, dtype, machine) : 0;
    for (int p = 0; p < BUILT_IN_PARTS; p++) {
        const bool is_in_ns =
            p == BUILT_IN_GEMM_CALL || p == BUILT_IN_LOOPS_CALL || p == BUILT_IN_LOOPS_ROW;
        ns += work.units[p] * part_cost[p] * (is_in_ns ? 1 : product_ns) *
              (p == BUILT_IN_GEMM_PRODUCT || is_in_ns ? 1 : moved_share(dtype));
    }
    return estimated(ns, known);
}
