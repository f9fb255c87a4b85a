#include "ast/algorithm.h"

#include "base/indexset.h"

uint64_t algorithm_span(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                        enum tcplan_operand operand) {
    uint64_t span = 0;
    if (algorithm->choices.made) {
        for (int role = 0; role < TCPLAN_ROLES; role++) span |= algorithm->choices.group[role];
        return span & contraction->tensor[operand].indices;
    }
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        if (algorithm->role[role] >= 0) span |= indexset_of(algorithm->role[role]);
    }
    return span & contraction->tensor[operand].indices;
}

int contraction_unit_index(const struct tcplan_contraction *contraction, enum tcplan_operand operand) {
    const struct tcplan_tensor *tensor = &contraction->tensor[operand];
    if (tensor->rank == 0) return -1;
    int unit = tensor->dims[contraction->order == TCPLAN_COLUMN_MAJOR ? 0 : tensor->rank - 1];
    int occurrences = 0;
    for (int d = 0; d < tensor->rank; d++) occurrences += tensor->dims[d] == unit;
    return occurrences == 1 ? unit : -1;
}

bool algorithm_needs_copy(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                          enum tcplan_operand operand) {
    if (algorithm->choices.made) return algorithm->choices.copy_depth[operand] >= 0;
    uint64_t span = algorithm_span(algorithm, contraction, operand);
    return indexset_size(span) == 2 && !indexset_has(span, contraction_unit_index(contraction, operand));
}

int algorithm_copy_depth(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                         enum tcplan_operand operand) {
    if (algorithm->choices.made) return algorithm->choices.copy_depth[operand];
    int depth = algorithm->loop_count;
    while (depth > 0 && !indexset_has(contraction->tensor[operand].indices, algorithm->loop[depth - 1])) depth--;
    return depth;
}

bool algorithm_kernel_of_roles(bool m, bool n, bool k, enum tcplan_kernel *out) {
    static const int kernel[8] = {-1, TCPLAN_AXPY, TCPLAN_AXPY, TCPLAN_GER, TCPLAN_DOT, TCPLAN_GEMV, TCPLAN_GEMV, TCPLAN_GEMM};
    int found = kernel[(m ? 1 : 0) + (n ? 2 : 0) + (k ? 4 : 0)];
    if (found >= 0) *out = (enum tcplan_kernel)found;
    return found >= 0;
}

const char *tcplan_kernel_name(enum tcplan_kernel kernel, enum tcplan_dtype dtype) {
    static const char *const names[TCPLAN_KERNELS][2] = {
        [TCPLAN_DOT] = {"dot", "dotu"}, [TCPLAN_AXPY] = {"axpy", "axpy"}, [TCPLAN_GEMV] = {"gemv", "gemv"},
        [TCPLAN_GER] = {"ger", "geru"}, [TCPLAN_GEMM] = {"gemm", "gemm"},
    };
    return names[kernel][tcplan_dtype_is_complex(dtype)];
}
