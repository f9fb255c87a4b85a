#include "gen/baseline.h"

#include <math.h>
#include <stdlib.h>

#include "ast/algorithm.h"
#include "ast/algorithm_check.h"
#include "base/indexset.h"
#include "gen/blas_call.h"

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

bool baseline_of(struct tcplan_algorithm *out, const struct tcplan_problem *problem) {
    const struct tcplan_contraction *contraction = problem->contraction;
    const uint64_t batch = tcplan_contraction_indices(contraction, TCPLAN_BATCH);
    struct tcplan_algorithm algorithm = tcplan_algorithm_empty();
    double least = INFINITY;
    for (int role = TCPLAN_M; role <= TCPLAN_K; role++) {
        algorithm.group[role] = tcplan_contraction_indices(contraction, algorithm_kind_of_role((enum tcplan_role)role));
    }
    if (algorithm_kernel_indices(&algorithm) == 0) {
        algorithm.group[TCPLAN_H] = batch;
    } else {
        add_loops(&algorithm, problem, batch);
    }
    if (!algorithm_kernel_of_roles(algorithm_roles(&algorithm), &algorithm.kernel)) return false;
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
