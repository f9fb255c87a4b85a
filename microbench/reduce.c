#include "microbench/reduce.h"

#include <unistd.h>

#include "ast/algorithm.h"
#include "ast/refine.h"
#include "cachesim/region.h"

#define MAX_CALL_FLOPS 1e9
#define MAX_CALL_PAGE_BYTES 64e6

enum { SMALLEST_REDUCED_EXTENT = 256, REDUCED_MULTIPLE = 8 };

static struct tcplan_group group_of(const struct tcplan_problem *problem, const struct tcplan_algorithm *algorithm, enum tcplan_role role) {
    return algorithm_group(algorithm, contraction_source(problem->contraction), role);
}

static double call_flops(const struct tcplan_problem *problem, const struct tcplan_algorithm *algorithm) {
    double flops = 2;
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        const struct tcplan_group group = group_of(problem, algorithm, (enum tcplan_role)role);
        for (int i = 0; i < group.count; i++) flops *= (double)problem->extent[group.index[i]];
    }
    return flops;
}

/** Memory pages that one call touches: what strided operands are large in. */
static double call_page_bytes(const struct tcplan_problem *problem, const struct tcplan_nest *nest) {
    static const int64_t origin[TCPLAN_MAX_INDICES] = {0};
    const struct region_scope scope = {.at = origin, .fixed = ~(uint64_t)0, .ranged = -1};
    double bytes = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const enum tcplan_operand operand = (enum tcplan_operand)t;
        const struct tcplan_slice slice = {.operand = operand,
                                           .temporary = nest->temporary_span[t] != 0,
                                           .span = algorithm_span(&nest->algorithm, problem->contraction, operand)};
        const struct region region = region_of(problem, slice, false, &scope);
        bytes += region_footprint_bytes(&region, sysconf(_SC_PAGESIZE));
    }
    return bytes;
}

double kernel_reduce(struct tcplan_problem *problem, const struct tcplan_nest *nest) {
    double scale = 1;
    for (;;) {
        int largest = -1;
        for (int role = 0; role < TCPLAN_ROLES; role++) {
            /* The last of fused indices: those before it have to be whole. */
            const struct tcplan_group group = group_of(problem, &nest->algorithm, (enum tcplan_role)role);
            const int index = group.count > 0 ? group.index[group.count - 1] : -1;
            if (index >= 0 && (largest < 0 || problem->extent[index] > problem->extent[largest])) largest = index;
        }
        const bool short_enough =
            call_flops(problem, &nest->algorithm) <= MAX_CALL_FLOPS && call_page_bytes(problem, nest) <= MAX_CALL_PAGE_BYTES;
        if (largest < 0 || short_enough || problem->extent[largest] < 2 * SMALLEST_REDUCED_EXTENT) return scale;
        const int64_t halved = (problem->extent[largest] / 2 + REDUCED_MULTIPLE - 1) / REDUCED_MULTIPLE * REDUCED_MULTIPLE;
        scale *= (double)problem->extent[largest] / (double)halved;
        problem->extent[largest] = halved;
        if (problem->last_extent[largest] > halved) problem->last_extent[largest] = halved;
    }
}
