#include "gen/space/baseline.h"

#include <math.h>
#include <stdlib.h>

#include "ast/algorithm.h"
#include "ast/algorithm_check.h"
#include "ast/provider.h"
#include "base/indexset.h"
#include "gen/lower/blas_call.h"

/** How an operand is used: in place, or by a copy that lies in one way or the other. */
enum use { IN_PLACE, COPIED, TURNED, USES };

/** Loops over batch indices, those with the longest strides in the result outside. */
static void add_loops(struct tcplan_algorithm *algorithm, const struct tcplan_problem *problem, uint64_t batch) {
    const int64_t *stride = problem->stride_elems[TCPLAN_C];
    for (uint64_t rest = batch; rest; rest &= rest - 1) {
        const int index = indexset_first(rest);
        int place = algorithm->loop_count++;
        for (; place > 0 && llabs(stride[algorithm->loop[place - 1]]) < llabs(stride[index]); place--) {
            algorithm->loop[place] = algorithm->loop[place - 1];
        }
        algorithm->loop[place] = (uint8_t)index;
    }
}

/** Uses operands as a number says, a digit for each; returns the elements that are copied. */
static double use_operands(struct tcplan_algorithm *algorithm, const struct tcplan_problem *problem, int number) {
    double elements = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++, number /= USES) {
        const enum use use = (enum use)(number % USES);
        algorithm->copy[t] = (struct tcplan_operand_copy){.depth = use == IN_PLACE ? -1 : 0, .turned = use == TURNED};
        elements += use == IN_PLACE ? 0 : (double)problem->elems[t];
    }
    return elements;
}

/** All indices in the kernel but for batch indices, unless there are only these; without copies. False where there is no such kernel. */
static bool whole_of(struct tcplan_algorithm *out, const struct tcplan_problem *problem) {
    const struct tcplan_contraction *contraction = problem->contraction;
    const uint64_t batch = tcplan_contraction_indices(contraction, TCPLAN_BATCH);
    *out = tcplan_algorithm_empty();
    for (int role = TCPLAN_M; role <= TCPLAN_K; role++) {
        out->group[role] = tcplan_contraction_indices(contraction, algorithm_kind_of_role((enum tcplan_role)role));
    }
    if (algorithm_kernel_indices(out) == 0) {
        out->group[TCPLAN_H] = batch;
    } else {
        add_loops(out, problem, batch);
    }
    return algorithm_kernel_of_roles(algorithm_roles(out), &out->kernel);
}

bool baseline_in_place(struct tcplan_algorithm *out, const struct tcplan_problem *problem, enum tcplan_provider provider) {
    if (!provider_traits_of(provider)->splits_groups || !whole_of(out, problem) || out->kernel != TCPLAN_GEMM) return false;
    out->provider = provider;
    if (algorithm_check(out, problem->contraction, NULL) != TCPLAN_OK) return false;
    algorithm_canonical(out, problem->contraction);
    return true;
}

bool baseline_of(struct tcplan_algorithm *out, const struct tcplan_problem *problem) {
    const struct tcplan_contraction *contraction = problem->contraction;
    struct tcplan_algorithm algorithm;
    double least = INFINITY;
    if (!whole_of(&algorithm, problem)) return false;
    for (int number = 0; number < USES * USES * USES; number++) {
        const double elements = use_operands(&algorithm, problem, number);
        struct blas_call call;
        double calls;
        if (elements >= least || algorithm_check(&algorithm, contraction, NULL) != TCPLAN_OK) continue;
        if (blas_call_of(&call, &calls, problem, &algorithm, NULL) != TCPLAN_OK) continue;
        least = elements;
        *out = algorithm;
    }
    if (isfinite(least)) algorithm_canonical(out, contraction);
    return isfinite(least);
}
