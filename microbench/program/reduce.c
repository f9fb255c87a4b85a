#include "microbench/program/reduce.h"

#include <unistd.h>

#include "ast/algorithm.h"
#include "ast/kernel_class.h"
#include "ast/nest.h"
#include "ast/refine.h"
#include "cachesim/region.h"

#define MAX_CALL_FLOPS 1.1e9
#define MAX_CALL_PAGE_BYTES 64e6

enum { SMALLEST_REDUCED_EXTENT = 256, REDUCED_MULTIPLE = 8 };

static struct tcplan_group group_of(const struct refined_problem *problem, const struct tcplan_algorithm *algorithm,
                                    enum tcplan_role role) {
    return algorithm_group(algorithm, problem->written.contraction, role);
}

static double call_flops(const struct refined_problem *problem, const struct tcplan_algorithm *algorithm) {
    double flops = 2;
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        const struct tcplan_group group = group_of(problem, algorithm, (enum tcplan_role)role);
        for (int i = 0; i < group.count; i++) flops *= (double)problem->extent[group.index[i]];
    }
    return flops;
}

/** Memory pages that one call touches: what strided operands are large in. */
static double call_page_bytes(const struct refined_problem *problem, const struct tcplan_nest *nest) {
    static const int64_t origin[TCPLAN_MAX_INDICES] = {0};
    const struct region_scope scope = {.at = origin, .fixed = ~(uint64_t)0, .ranged = -1};
    double bytes = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const enum tcplan_operand operand = (enum tcplan_operand)t;
        const struct tcplan_slice slice = {.operand = operand,
                                           .temporary = nest_has_temporary(nest, operand),
                                           .span = algorithm_span(&nest->algorithm, problem->written.contraction, operand)};
        const struct region region = region_of(problem, slice, false, &scope);
        bytes += region_footprint_bytes(&region, sysconf(_SC_PAGESIZE));
    }
    return bytes;
}

/** Whether a temporary holds several tiles of an index. */
static bool is_packed_in_tiles(const struct refined_problem *problem, int index) {
    const int outer = refinement_outer(problem->refinement, index);
    for (int t = 0; t < TCPLAN_OPERANDS && outer >= 0; t++) {
        for (int d = 0; d < problem->refinement->temporary_rank[t]; d++) {
            if (problem->refinement->temporary_dims[t][d] == outer) return true;
        }
    }
    return false;
}

/**
 * How many values the indices of a role have together, 0 where they cannot be cut: of fused indices only the last can, those before it have to
 * be whole.
 */
static double values_of(const struct refined_problem *problem, const struct tcplan_algorithm *algorithm, enum tcplan_role role) {
    const struct tcplan_group group = group_of(problem, algorithm, role);
    double product = 1;
    for (int i = 0; i < group.count; i++) product *= (double)problem->extent[group.index[i]];
    const int last = group.count > 0 ? group.index[group.count - 1] : -1;
    return last >= 0 && problem->extent[last] >= 2 && !is_packed_in_tiles(problem, last) ? product : 0;
}

/**
 * The role to cut, and how many values its indices have; -1 where the kernel has none. A gemm goes through k in blocks of some hundred: shorter than
 * that it is slower, longer hardly faster, while what it packs is used the more often the larger m and n are. So k comes first.
 */
static int role_to_cut(const struct refined_problem *problem, const struct tcplan_algorithm *algorithm, double *values) {
    int largest = -1;
    *values = kernel_class_of(algorithm->kernel)->blocks_contracted ? values_of(problem, algorithm, TCPLAN_K) : 0;
    if (*values >= 2 * SMALLEST_REDUCED_EXTENT) return TCPLAN_K;
    *values = 0;
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        const double own = values_of(problem, algorithm, (enum tcplan_role)role);
        if (own <= *values) continue;
        *values = own;
        largest = role;
    }
    return largest;
}

double kernel_reduce(struct refined_problem *problem, const struct tcplan_nest *nest) {
    double scale = 1;
    for (;;) {
        double values;
        const int role = role_to_cut(problem, &nest->algorithm, &values);
        const bool short_enough =
            call_flops(problem, &nest->algorithm) <= MAX_CALL_FLOPS && call_page_bytes(problem, nest) <= MAX_CALL_PAGE_BYTES;
        if (role < 0 || short_enough || values < 2 * SMALLEST_REDUCED_EXTENT) return scale;
        const struct tcplan_group group = group_of(problem, &nest->algorithm, (enum tcplan_role)role);
        const int index = group.index[group.count - 1];
        const int64_t multiple = group.count == 1 ? REDUCED_MULTIPLE : 1;
        const int64_t halved = (problem->extent[index] / 2 + multiple - 1) / multiple * multiple;
        scale *= (double)problem->extent[index] / (double)halved;
        problem_shorten(problem, index, halved);
    }
}

double kernel_reduced_seconds(double seconds, double flops) {
    return flops <= MAX_CALL_FLOPS ? seconds : seconds * MAX_CALL_FLOPS / flops;
}
