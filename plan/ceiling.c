#include "plan/ceiling.h"

#include <math.h>

/*
 * Factor on the highest measured rate, because the core may have run slower during the whole
 * measurement. (The rate is an upper quartile of windows.) Times of whole runs are never raised to
 * the bound.
 */
#define TOLERANCE 1.1

/** Returns the best measured rate of arithmetic of a type; 0 if it was not measured. */
static double best_rate(const struct tcplan_roofline *ceilings, enum tcplan_dtype dtype,
                        int threads) {
    const enum tcplan_dtype real = dtype == TCPLAN_DOUBLE_COMPLEX  ? TCPLAN_DOUBLE
                                   : dtype == TCPLAN_FLOAT_COMPLEX ? TCPLAN_FLOAT
                                                                   : dtype;
    bool has_instructions =
        false; /* gemm ceilings alone give no bound: another library's gemm may be faster */
    double rate = 0;
    for (size_t c = 0; c < ceilings->compute_count; c++) {
        const struct tcplan_ceiling *ceiling = &ceilings->compute[c];
        if (ceiling->threads != threads ||
            (ceiling->precision != dtype && ceiling->precision != real))
            continue;
        has_instructions = has_instructions || ceiling->m == 0;
        rate = fmax(rate, fmax(ceiling->rate, ceiling->q3));
    }
    return has_instructions ? rate : 0;
}

double ceiling_bound_seconds(const struct tcplan_roofline *ceilings,
                             const struct tcplan_problem *problem, int threads) {
    const double rate = ceilings ? best_rate(ceilings, problem->dtype, threads) : 0;
    return rate > 0 ? problem->product_flops / (1e9 * TOLERANCE * rate) : 0;
}
