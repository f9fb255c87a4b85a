#include "gen/space/whole.h"

#include <math.h>
#include <stdlib.h>

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/algorithm_check.h"
#include "ast/contraction/contraction.h"
#include "base/indexset.h"

enum { LINE_BYTES = 64 };

/* An index that is nearer is divided only if its longest part is shorter by this share. */
#define MORE_EQUAL 0.125

bool whole_loops(struct tcplan_algorithm *out, const struct tcplan_contraction *contraction) {
    *out = tcplan_algorithm_empty();
    out->kernel = TCPLAN_LOOPS;
    out->provider = TCPLAN_PROVIDER_EMITTED;
    for (uint64_t rest = contraction_run(contraction); rest; rest &= rest - 1) {
        const int index = indexset_first(rest);
        out->group[algorithm_role_of_kind(contraction->index[index].kind)] |= indexset_of(index);
    }
    return algorithm_check(out, contraction, NULL) == TCPLAN_OK;
}

static double elements_of(const struct tcplan_problem *problem, enum tcplan_operand operand) {
    double elements = 1;
    for (uint64_t rest = problem->contraction->tensor[operand].indices; rest; rest &= rest - 1) {
        elements *= (double)problem->extent[indexset_first(rest)];
    }
    return elements;
}

/* Ratio of the sizes of two factors from which copying the smaller one costs almost nothing. */
#define MUCH_LARGER 8.0

bool whole_loops_copied(struct tcplan_algorithm *out, const struct tcplan_problem *problem) {
    const struct tcplan_contraction *contraction = problem->contraction;
    const double elements[2] = {elements_of(problem, TCPLAN_A), elements_of(problem, TCPLAN_B)};
    const enum tcplan_operand larger = elements[0] >= elements[1] ? TCPLAN_A : TCPLAN_B,
                              smaller = larger == TCPLAN_A ? TCPLAN_B : TCPLAN_A;
    const int unit = contraction_unit_index(contraction, larger);
    if (elements[larger] < MUCH_LARGER * elements[smaller] || unit < 0 ||
        !indexset_has(contraction->tensor[smaller].indices, unit))
        return false;
    if (contraction_unit_index(contraction, smaller) == unit || !whole_loops(out, contraction))
        return false;
    out->copy[smaller].depth = 0;
    return algorithm_check(out, contraction, NULL) == TCPLAN_OK;
}

/** Returns the index in a set that has the largest stride in the result. */
static int farthest_index(const struct tcplan_problem *problem, uint64_t indices) {
    const int64_t *stride = problem->stride_elems[TCPLAN_C];
    int farthest = -1;
    for (; indices; indices &= indices - 1) {
        const int index = indexset_first(indices);
        if (farthest < 0 || llabs(stride[index]) > llabs(stride[farthest])) farthest = index;
    }
    return farthest;
}

/** Divides an index of the kernel into as many equal steps as there are threads; a parallel loop
 * runs over the steps. An index that is contiguous in the result is divided at cache lines. */
static struct tcplan_algorithm in_parts(const struct tcplan_algorithm *whole,
                                        const struct tcplan_problem *problem, int index,
                                        int threads) {
    const int64_t line = LINE_BYTES / (int64_t)problem->element_bytes;
    const bool is_contiguous = contraction_unit_index(problem->contraction, TCPLAN_C) == index;
    const int64_t part = (problem->extent[index] + threads - 1) / threads;
    struct tcplan_algorithm shared = *whole;
    shared.split[0] = (struct tcplan_split){
        .index = (uint8_t)index,
        .step = (int32_t)(is_contiguous ? (part + line - 1) / line * line : part)};
    shared.split_count = 1;
    shared.loop[0] = (uint8_t)problem->contraction->index_count;
    shared.loop_count = 1;
    shared.parallel = 0;
    return shared;
}

bool whole_in_parts(struct tcplan_algorithm *out, const struct tcplan_algorithm *whole,
                    const struct tcplan_problem *problem, int threads) {
    double least = INFINITY; /* longest part, as a multiple of an equal part */
    uint64_t rest =
        algorithm_kernel_indices(whole) & problem->contraction->tensor[TCPLAN_C].indices;
    while (rest) {
        const int index = farthest_index(problem, rest);
        const int64_t extent = problem->extent[index];
        rest &= ~indexset_of(index);
        if (extent < threads || extent / threads >= INT32_MAX) continue;
        const struct tcplan_algorithm shared = in_parts(whole, problem, index, threads);
        const double longest = (double)shared.split[0].step * threads / (double)extent;
        if (shared.split[0].step >= extent || longest > least - MORE_EQUAL ||
            algorithm_check(&shared, problem->contraction, NULL) != TCPLAN_OK)
            continue;
        least = longest;
        *out = shared;
    }
    return isfinite(least);
}
