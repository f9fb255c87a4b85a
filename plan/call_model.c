#include "plan/call_model.h"

#include <math.h>

#include "tcplan/candidates.h"
#include "tcplan/ceilings.h"

/*
 * Nominal, as those of lists of candidates: gemm's speed in double precision and bytes from the second cache, per nanosecond of a thread. A ranking by them
 * wants their ratio to be about right, which is alike on machines of the last ten years.
 */
#define BYTES_PER_NS 20.0

/* A gemm is at half of its speed where its rows, its columns or the products in a sum are so many: registers and loads of a tile, begun and ended. */
#define HALF_ROWS 4.0
#define HALF_COLUMNS 4.0
#define HALF_PRODUCTS 8.0

/** Of all threads. */
static double flops_per_ns(enum tcplan_dtype dtype, int threads, const struct tcplan_roofline *ceilings) {
    const bool is_single = dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
    const struct tcplan_ceiling *ceiling = ceilings ? tcplan_roofline_gemm(ceilings, dtype, threads) : NULL;
    return ceiling ? ceiling->rate : TCPLAN_CANDIDATE_GFLOPS * threads * (is_single ? 2 : 1);
}

static double bytes_per_ns(int threads, const struct tcplan_roofline *ceilings) {
    const struct tcplan_ceiling *ceiling = ceilings ? tcplan_roofline_bandwidth(ceilings, "load", 1, threads) : NULL;
    return ceiling ? ceiling->rate : BYTES_PER_NS * threads;
}

double call_model_ns(const struct blas_call *call, enum tcplan_dtype dtype, int threads, const struct tcplan_machine *machine) {
    const double times = (double)(call->length > 0 ? call->length : 1) * (call->products > 0 ? call->products : 1);
    const double m = call->m, n = call->n, k = call->k;
    const double flops = (tcplan_dtype_is_complex(dtype) ? 8 : 2) * m * n * k * times;
    const double slower = 1 + HALF_ROWS / m + HALF_COLUMNS / n + HALF_PRODUCTS / (k * (call->products > 0 ? call->products : 1));
    const double bytes =
        ((m * k + k * n) * times + m * n * (call->length > 0 ? (double)call->length : 1)) * (double)tcplan_dtype_bytes(dtype);
    const double arithmetic_ns = flops * slower / flops_per_ns(dtype, threads, machine->ceilings);
    return TCPLAN_CANDIDATE_CALL_SECONDS * 1e9 + fmax(arithmetic_ns, bytes / bytes_per_ns(threads, machine->ceilings));
}
