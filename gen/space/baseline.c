#include "gen/space/baseline.h"

#include <math.h>
#include <stdlib.h>

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/algorithm_check.h"
#include "ast/algorithm/provider.h"
#include "ast/contraction/contraction.h"
#include "base/indexset.h"
#include "gen/lower/blas_call.h"
#include "gen/space/whole.h"

/** How the baseline uses an operand: in place, or copied in one of two layouts. */
enum use { IN_PLACE, COPIED, TURNED, USES };

/** Makes loops over the batch indices, those with the longest strides in the result outermost. */
static void add_loops(struct tcplan_algorithm *algorithm, const struct tcplan_problem *problem,
                      uint64_t batch) {
    const int64_t *stride = problem->stride_elems[TCPLAN_C];
    for (uint64_t rest = batch; rest; rest &= rest - 1) {
        const int index = indexset_first(rest);
        int place = algorithm->loop_count++;
        for (; place > 0 && llabs(stride[algorithm->loop[place - 1]]) < llabs(stride[index]);
             place--) {
            algorithm->loop[place] = algorithm->loop[place - 1];
        }
        algorithm->loop[place] = (uint8_t)index;
    }
}

/** Sets the use of each operand: digit t of `number`, to base USES. Returns the number of copied
 * elements. */
static double use_operands(struct tcplan_algorithm *algorithm, const struct tcplan_problem *problem,
                           int number) {
    double elements = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++, number /= USES) {
        const enum use use = (enum use)(number % USES);
        algorithm->copy[t] = (struct tcplan_operand_copy){.depth = use == IN_PLACE ? -1 : 0,
                                                          .transposed = use == TURNED};
        elements += use == IN_PLACE ? 0 : (double)problem->elems[t];
    }
    return elements;
}

/** Makes an algorithm without copies whose kernel has all indices but batch indices. If there are
 * only batch indices, the kernel has these. Returns false if there is no such kernel. */
static bool whole_of(struct tcplan_algorithm *out, const struct tcplan_problem *problem) {
    const struct tcplan_contraction *contraction = problem->contraction;
    const uint64_t batch = tcplan_contraction_indices(contraction, TCPLAN_BATCH);
    *out = tcplan_algorithm_empty();
    for (int role = TCPLAN_M; role <= TCPLAN_K; role++) {
        out->group[role] =
            tcplan_contraction_indices(contraction, algorithm_kind_of_role((enum tcplan_role)role));
    }
    if (algorithm_kernel_indices(out) == 0) {
        out->group[TCPLAN_H] = batch;
    } else {
        add_loops(out, problem, batch);
    }
    return algorithm_kernel_of_roles(algorithm_roles(out), &out->kernel);
}

bool baseline_in_place(struct tcplan_algorithm *out, const struct tcplan_problem *problem,
                       enum tcplan_provider provider) {
    if (!provider_traits_of(provider)->splits_groups || !whole_of(out, problem) ||
        out->kernel != TCPLAN_GEMM)
        return false;
    out->provider = provider;
    if (algorithm_check(out, problem->contraction, NULL) != TCPLAN_OK) return false;
    algorithm_canonical(out, problem->contraction);
    return true;
}

bool baseline_sliced(struct tcplan_algorithm *out, const struct tcplan_problem *problem,
                     enum tcplan_provider provider, int index) {
    if (!indexset_has(problem->contraction->tensor[TCPLAN_C].indices, index) ||
        !baseline_in_place(out, problem, provider))
        return false;
    if (!indexset_has(algorithm_kernel_indices(out), index)) return false;
    for (int role = 0; role < TCPLAN_ROLES; role++) out->group[role] &= ~indexset_of(index);
    for (int l = out->loop_count++; l > 0; l--) out->loop[l] = out->loop[l - 1];
    out->loop[0] = (uint8_t)index;
    return algorithm_kernel_of_roles(algorithm_roles(out), &out->kernel) &&
           out->kernel == TCPLAN_GEMM &&
           algorithm_check(out, problem->contraction, NULL) == TCPLAN_OK;
}

bool baseline_shared(struct tcplan_algorithm *out, const struct tcplan_problem *problem,
                     enum tcplan_provider provider, int threads) {
    struct tcplan_algorithm whole;
    if (threads < 2 || !baseline_in_place(&whole, problem, provider)) return false;
    *out = whole;
    out->parallel = 0;
    if (whole.loop_count > 0) return problem->extent[whole.loop[0]] >= threads;
    return whole_in_parts(out, &whole, problem, threads);
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
        if (elements >= least || algorithm_check(&algorithm, contraction, NULL) != TCPLAN_OK)
            continue;
        if (blas_call_of(&call, &calls, problem, &algorithm, NULL) != TCPLAN_OK) continue;
        least = elements;
        *out = algorithm;
    }
    if (isfinite(least)) algorithm_canonical(out, contraction);
    return isfinite(least);
}
