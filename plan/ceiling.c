#include "plan/ceiling.h"

#include <math.h>

/*
 * A ceiling's upper quartile says what its own windows swung by. A tenth more is allowed for a core
 * that was in a slower state throughout; where that is not enough, whole runs, which are believed
 * whatever they say, put it right.
 */
#define TOLERANCE 1.1

/** The rate that arithmetic of a type was measured with at best; 0: it was not. */
static double best_rate(const struct tcplan_roofline *ceilings, enum tcplan_dtype dtype,
                        int threads) {
    const enum tcplan_dtype real = dtype == TCPLAN_DOUBLE_COMPLEX  ? TCPLAN_DOUBLE
                                   : dtype == TCPLAN_FLOAT_COMPLEX ? TCPLAN_FLOAT
                                                                   : dtype;
    bool has_instructions =
        false; /* another library's gemm may be faster than the one that was measured */
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
