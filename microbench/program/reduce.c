#include "microbench/program/reduce.h"

#include <unistd.h>

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/kernel_class.h"
#include "ast/algorithm/orientation.h"
#include "ast/algorithm/provider.h"
#include "ast/contraction/contraction.h"
#include "ast/nest/nest.h"
#include "ast/nest/refine.h"
#include "cachesim/region.h"

#define MAX_CALL_PAGE_BYTES 64e6

/* Extents that suffice for a representative call. A gemm that computes a few columns at a time
 * needs few columns, as all but the first take the same time. */
enum { SMALLEST_REDUCED_EXTENT = 256, SMALLEST_REDUCED_COLUMNS = 16, REDUCED_MULTIPLE = 8 };

static struct tcplan_group group_of(const struct refined_problem *problem,
                                    const struct tcplan_algorithm *algorithm,
                                    enum tcplan_role role) {
    return algorithm_group(algorithm, problem->written.contraction, role);
}

static double call_flops(const struct refined_problem *problem,
                         const struct tcplan_algorithm *algorithm) {
    double flops = 2;
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        const struct tcplan_group group = group_of(problem, algorithm, (enum tcplan_role)role);
        for (int i = 0; i < group.count; i++) flops *= (double)problem->extent[group.index[i]];
    }
    return flops;
}

/** Returns the memory pages that one call touches, which strided operands have many of. */
static double call_page_bytes(const struct refined_problem *problem,
                              const struct tcplan_nest *nest) {
    static const int64_t origin[TCPLAN_MAX_INDICES] = {0};
    const struct region_scope scope = {.at = origin, .fixed = ~(uint64_t)0, .ranged = -1};
    double bytes = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const enum tcplan_operand operand = (enum tcplan_operand)t;
        const struct tcplan_slice slice = {
            .operand = operand,
            .temporary = nest_has_temporary(nest, operand),
            .span = algorithm_span(&nest->algorithm, problem->written.contraction, operand)};
        const struct region region = region_of(problem, slice, false, &scope);
        bytes += region_footprint_bytes(&region, sysconf(_SC_PAGESIZE));
    }
    return bytes;
}

/** Returns whether a temporary holds several tiles of an index. */
static bool is_packed_in_tiles(const struct refined_problem *problem, int index) {
    const int outer = refinement_outer(problem->refinement, index);
    for (int t = 0; t < TCPLAN_OPERANDS && outer >= 0; t++) {
        for (int d = 0; d < problem->refinement->temporary_rank[t]; d++) {
            if (problem->refinement->temporary_dims[t][d] == outer) return true;
        }
    }
    return false;
}

/** Returns whether an index is the contiguous one of an operand. */
static bool is_unit(const struct tcplan_contraction *contraction, int index) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (contraction_unit_index(contraction, (enum tcplan_operand)t) == index) return true;
    }
    return false;
}

/**
 * Returns which index of a role is reduced; -1: none. Of fused indices, it is the last one, so that
 * the others stay contiguous. Kernels for which fused indices need not be contiguous may transpose
 * tiles of two contiguous indices, so it is the longest other index.
 */
static int index_to_cut(const struct refined_problem *problem,
                        const struct tcplan_algorithm *algorithm, enum tcplan_role role) {
    const struct tcplan_contraction *contraction = problem->written.contraction;
    const struct tcplan_group group = group_of(problem, algorithm, role);
    int found = -1;
    for (int i = 0; i < group.count && provider_traits_of(algorithm->provider)->splits_groups;
         i++) {
        const int index = group.index[i];
        if (index < contraction->index_count && is_unit(contraction, index)) continue;
        if (found < 0 || problem->extent[index] >= problem->extent[found]) found = index;
    }
    if (found >= 0 && problem->extent[found] >= 2) return found;
    return group.count > 0 ? group.index[group.count - 1] : -1;
}

/** Returns the number of values of a role's indices; 0 if they cannot be reduced. */
static double values_of(const struct refined_problem *problem,
                        const struct tcplan_algorithm *algorithm, enum tcplan_role role) {
    const struct tcplan_group group = group_of(problem, algorithm, role);
    double product = 1;
    for (int i = 0; i < group.count; i++) product *= (double)problem->extent[group.index[i]];
    const int last = index_to_cut(problem, algorithm, role);
    return last >= 0 && problem->extent[last] >= 2 && !is_packed_in_tiles(problem, last) ? product
                                                                                         : 0;
}

/** Index to reduce, and the number of its values; -1: none. */
struct cut {
    int role;
    double values;
    double smallest; /**< number of values after the reduction */
};

/** Returns how to reduce the columns of the result. Fewer columns are representative: each takes
 * the same time, and finds the caches as the previous column left them. */
static struct cut columns_to_cut(const struct refined_problem *problem,
                                 const struct tcplan_algorithm *algorithm) {
    const enum tcplan_role rows = algorithm_rows(algorithm, problem->written.contraction);
    const enum tcplan_role columns = rows == TCPLAN_M ? TCPLAN_N : TCPLAN_M;
    const struct cut cut = {.role = (int)columns,
                            .values = values_of(problem, algorithm, columns),
                            .smallest = SMALLEST_REDUCED_COLUMNS};
    return cut.values >= 2 * cut.smallest ? cut : (struct cut){.role = -1};
}

/**
 * Chooses the role to reduce: k first. A blocked gemm handles k in blocks of some hundred; with a
 * shorter k it is slower, with a longer one hardly faster, while larger m and n increase the reuse
 * of packed data.
 */
static struct cut role_to_cut(const struct refined_problem *problem,
                              const struct tcplan_algorithm *algorithm) {
    if (provider_traits_of(algorithm->provider)->goes_by_columns)
        return columns_to_cut(problem, algorithm);
    struct cut cut = {.role = TCPLAN_K, .smallest = SMALLEST_REDUCED_EXTENT};
    cut.values = kernel_class_of(algorithm->kernel)->blocks_contracted
                     ? values_of(problem, algorithm, TCPLAN_K)
                     : 0;
    if (cut.values >= 2 * cut.smallest) return cut;
    cut.values = 0;
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        const double own = values_of(problem, algorithm, (enum tcplan_role)role);
        if (own <= cut.values) continue;
        cut.values = own;
        cut.role = role;
    }
    return cut.values >= 2 * cut.smallest ? cut : (struct cut){.role = -1};
}

double kernel_reduce(struct refined_problem *problem, const struct tcplan_nest *nest,
                     double most_flops) {
    double scale = 1;
    for (;;) {
        const struct cut cut = role_to_cut(problem, &nest->algorithm);
        const bool short_enough = call_flops(problem, &nest->algorithm) <= most_flops &&
                                  call_page_bytes(problem, nest) <= MAX_CALL_PAGE_BYTES;
        if (cut.role < 0 || short_enough) return scale;
        const enum tcplan_role role = (enum tcplan_role)cut.role;
        const int index = index_to_cut(problem, &nest->algorithm, role);
        const int64_t multiple =
            group_of(problem, &nest->algorithm, role).count == 1 ? REDUCED_MULTIPLE : 1;
        const int64_t halved = (problem->extent[index] / 2 + multiple - 1) / multiple * multiple;
        scale *= (double)problem->extent[index] / (double)halved;
        problem_shorten(problem, index, halved);
    }
}

double kernel_reduced_seconds(double seconds, double flops, double most_flops) {
    return flops <= most_flops ? seconds : seconds * most_flops / flops;
}
