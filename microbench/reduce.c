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

/** The role whose indices together have the most values, and how many; -1 where the kernel has none. */
static int largest_role(const struct tcplan_problem *problem, const struct tcplan_algorithm *algorithm, double *values) {
    int largest = -1;
    *values = 0;
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        const struct tcplan_group group = group_of(problem, algorithm, (enum tcplan_role)role);
        double product = group.count > 0 ? 1 : 0;
        for (int i = 0; i < group.count; i++) product *= (double)problem->extent[group.index[i]];
        /* Of fused indices only the last can be cut: those before it have to be whole. */
        if (product <= *values || problem->extent[group.index[group.count - 1]] < 2) continue;
        *values = product;
        largest = role;
    }
    return largest;
}

double kernel_reduce(struct tcplan_problem *problem, const struct tcplan_nest *nest) {
    double scale = 1;
    for (;;) {
        double values;
        const int role = largest_role(problem, &nest->algorithm, &values);
        const bool short_enough =
            call_flops(problem, &nest->algorithm) <= MAX_CALL_FLOPS && call_page_bytes(problem, nest) <= MAX_CALL_PAGE_BYTES;
        if (role < 0 || short_enough || values < 2 * SMALLEST_REDUCED_EXTENT) return scale;
        const struct tcplan_group group = group_of(problem, &nest->algorithm, (enum tcplan_role)role);
        const int index = group.index[group.count - 1];
        const int64_t multiple = group.count == 1 ? REDUCED_MULTIPLE : 1;
        const int64_t halved = (problem->extent[index] / 2 + multiple - 1) / multiple * multiple;
        scale *= (double)problem->extent[index] / (double)halved;
        problem->extent[index] = halved;
        if (problem->last_extent[index] > halved) problem->last_extent[index] = halved;
    }
}
