#include "plan/times/call_model.h"

#include "plan/estimate.h"
#include "tcplan/ceilings.h"

/* Nominal: gemm's speed in double precision of a thread, 16 operations in a cycle of 2 GHz, which
 * half of the machines of the last ten years exceed. */
#define NOMINAL_FLOPS_PER_NS 32.0

/**
 * What a call takes: `call_ns`, and its operations at so many times what gemm takes for them, where
 * each extent adds a number over itself: 4 rows that cost as much as a full tile are {.rows = 4}
 * for one row, 4 / m for m. Fitted to what kernels of 12 contractions took that were drawn as
 * bench/drawn_cases does, with another seed, on one machine; those of another 12 told that it holds
 * for them.
 */
struct cost {
    double call_ns;
    double rate; /* of large extents */
    double rows, columns, products;
};

static const struct cost costs[TCPLAN_KERNELS] = {
    [TCPLAN_DOT] = {16, 7, 0, 0, 0},     [TCPLAN_AXPY] = {12, 14, 0, 0, 0},
    [TCPLAN_GEMV] = {45, 3, 45, 7, 0},   [TCPLAN_GER] = {10, 3, 300, 0, 0},
    [TCPLAN_GEMM] = {130, 1, 4, 3, 7},   [TCPLAN_MUL] = {12, 14, 0, 0, 0},
    [TCPLAN_BRGEMM] = {25, 1, 10, 3, 0}, [TCPLAN_LOOPS] = {10, 1.5, 8, 2, 4}};

/* Code for one size has nothing to decide; BLIS sets up its blocks in every call. */
static const struct cost libxsmm_gemm = {10, 1, 8, 2, 4};
static const struct cost blis_gemm = {2400, 1, 4, 4, 10};

static const struct cost *cost_of(const struct blas_call *call) {
    if (call->kernel != TCPLAN_GEMM) return &costs[call->kernel];
    if (call->provider == TCPLAN_PROVIDER_LIBXSMM || call->provider == TCPLAN_PROVIDER_EMITTED)
        return &libxsmm_gemm;
    return call->provider == TCPLAN_PROVIDER_BLIS ? &blis_gemm : &costs[TCPLAN_GEMM];
}

/** Of all threads; `known`: by the machine's ceilings. */
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
    const struct cost *cost = cost_of(call);
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
