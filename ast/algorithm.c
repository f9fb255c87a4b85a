#include "ast/algorithm.h"

#include <string.h>

#include "ast/tensor.h"
#include "base/indexset.h"

struct tcplan_algorithm tcplan_algorithm_empty(void) {
    return (struct tcplan_algorithm){.copy = {{.depth = -1}, {.depth = -1}, {.depth = -1}}, .parallel = -1};
}

static bool same_splits(const struct tcplan_algorithm *a, const struct tcplan_algorithm *b) {
    if (a->split_count != b->split_count) return false;
    for (int s = 0; s < a->split_count; s++) {
        if (a->split[s].index != b->split[s].index || a->split[s].step != b->split[s].step) return false;
    }
    return true;
}

static bool same_copies(const struct tcplan_algorithm *a, const struct tcplan_algorithm *b) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct tcplan_operand_copy *x = &a->copy[t];
        const struct tcplan_operand_copy *y = &b->copy[t];
        if (x->depth != y->depth || x->turned != y->turned || x->read != y->read || x->streamed != y->streamed) return false;
    }
    return true;
}

bool tcplan_algorithm_equal(const struct tcplan_algorithm *a, const struct tcplan_algorithm *b) {
    return a->kernel == b->kernel && a->provider == b->provider && a->starts == b->starts && a->parallel == b->parallel &&
           memcmp(a->group, b->group, sizeof a->group) == 0 && a->loop_count == b->loop_count &&
           memcmp(a->loop, b->loop, a->loop_count) == 0 && same_splits(a, b) && same_copies(a, b);
}

uint64_t algorithm_kernel_indices(const struct tcplan_algorithm *algorithm) {
    return algorithm->group[TCPLAN_M] | algorithm->group[TCPLAN_N] | algorithm->group[TCPLAN_K];
}

uint64_t algorithm_span(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                        enum tcplan_operand operand) {
    return algorithm_kernel_indices(algorithm) & contraction->tensor[operand].indices;
}

bool algorithm_copies(const struct tcplan_algorithm *algorithm, enum tcplan_operand operand) {
    return algorithm->copy[operand].depth >= 0;
}

int contraction_place(const struct tcplan_contraction *contraction, enum tcplan_operand operand, int index) {
    const struct tcplan_tensor *tensor = &contraction->tensor[operand];
    int place = 0;
    while (place < tensor->rank && tensor->nearest[place] != index) place++;
    return place;
}

bool contraction_is_unit(const struct tcplan_contraction *contraction, enum tcplan_operand operand, int index) {
    const struct tcplan_tensor *tensor = &contraction->tensor[operand];
    if (!indexset_has(tensor->indices, index) || tensor_is_diagonal(tensor, index)) return false;
    return tensor->strided ? tensor_stride(tensor, index) == 1 : tensor->nearest[0] == index;
}

int contraction_unit_index(const struct tcplan_contraction *contraction, enum tcplan_operand operand) {
    const struct tcplan_tensor *tensor = &contraction->tensor[operand];
    for (int d = 0; d < tensor->rank; d++) {
        if (contraction_is_unit(contraction, operand, tensor->nearest[d])) return tensor->nearest[d];
        if (!tensor->strided) break;
    }
    return -1;
}

int algorithm_role_of_kind(enum tcplan_index_kind kind) {
    static const int role[] = {[TCPLAN_FREE_A] = TCPLAN_M, [TCPLAN_FREE_B] = TCPLAN_N, [TCPLAN_CONTRACTED] = TCPLAN_K, [TCPLAN_BATCH] = -1};
    return role[kind];
}

bool algorithm_kernel_of_roles(bool m, bool n, bool k, enum tcplan_kernel *out) {
    static const int kernel[8] = {-1, TCPLAN_AXPY, TCPLAN_AXPY, TCPLAN_GER, TCPLAN_DOT, TCPLAN_GEMV, TCPLAN_GEMV, TCPLAN_GEMM};
    int found = kernel[(m ? 1 : 0) + (n ? 2 : 0) + (k ? 4 : 0)];
    if (found >= 0) *out = (enum tcplan_kernel)found;
    return found >= 0;
}

bool algorithm_kernel_has_beta(enum tcplan_kernel kernel) {
    return kernel == TCPLAN_DOT || kernel == TCPLAN_GEMV || kernel == TCPLAN_GEMM;
}

const char *tcplan_kernel_name(enum tcplan_kernel kernel, enum tcplan_dtype dtype) {
    static const char *const names[TCPLAN_KERNELS][2] = {
        [TCPLAN_DOT] = {"dot", "dotu"}, [TCPLAN_AXPY] = {"axpy", "axpy"}, [TCPLAN_GEMV] = {"gemv", "gemv"},
        [TCPLAN_GER] = {"ger", "geru"}, [TCPLAN_GEMM] = {"gemm", "gemm"},
    };
    return names[kernel][tcplan_dtype_is_complex(dtype)];
}
