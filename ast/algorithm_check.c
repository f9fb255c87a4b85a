#include "ast/algorithm_check.h"

#include "ast/algorithm.h"
#include "ast/refine.h"
#include "ast/tensor.h"
#include "base/error.h"
#include "base/indexset.h"

static enum tcplan_status refuse(struct tcplan_error *error, const char *why) {
    return error_set(error, TCPLAN_INVALID, "this is no algorithm of the contraction: %s", why);
}

static int split_of(const struct tcplan_algorithm *algorithm, int index) {
    for (int s = 0; s < algorithm->split_count; s++) {
        if (algorithm->split[s].index == index) return s;
    }
    return -1;
}

/** Every number is either a loop or in the kernel, steps are loops, and points come inside their steps. */
static bool covers_all(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction) {
    uint64_t seen = algorithm_kernel_indices(algorithm);
    const int count = algorithm_index_count(algorithm, contraction);
    if (count > TCPLAN_MAX_INDICES || seen >> contraction->index_count) return false;
    for (int l = 0; l < algorithm->loop_count; l++) {
        const int number = algorithm->loop[l];
        if (number >= count || indexset_has(seen, number)) return false;
        seen |= indexset_of(number);
        const int split = number < contraction->index_count ? split_of(algorithm, number) : -1;
        if (split >= 0 && !indexset_has(seen, contraction->index_count + split)) return false;
    }
    return indexset_size(seen) == count;
}

static bool kinds_fit(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction) {
    static const enum tcplan_index_kind kind[TCPLAN_ROLES] = {
        [TCPLAN_M] = TCPLAN_FREE_A, [TCPLAN_N] = TCPLAN_FREE_B, [TCPLAN_K] = TCPLAN_CONTRACTED};
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        if (algorithm->group[role] & ~tcplan_contraction_indices(contraction, kind[role])) return false;
        if (indexset_size(algorithm->group[role]) > TCPLAN_MAX_FUSED) return false;
    }
    return true;
}

/** gemm takes any roles, all other kernels those they are named after; without any there is the dot of one element, where all indices are batch. */
static bool kernel_fits(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction) {
    const uint64_t *group = algorithm->group;
    enum tcplan_kernel kernel;
    if (algorithm->kernel == TCPLAN_GEMM) return algorithm_kernel_indices(algorithm) != 0;
    if (algorithm->provider == TCPLAN_PROVIDER_BLIS || algorithm->provider == TCPLAN_PROVIDER_LIBXSMM) return false;
    if (!algorithm_kernel_of_roles(group[TCPLAN_M] != 0, group[TCPLAN_N] != 0, group[TCPLAN_K] != 0, &kernel)) {
        const uint64_t batch = tcplan_contraction_indices(contraction, TCPLAN_BATCH);
        return algorithm->kernel == TCPLAN_DOT && indexset_size(batch) == contraction->index_count;
    }
    return kernel == algorithm->kernel;
}

/** What contracted loops start with is the kernel's beta, or the factor of a copy. */
static bool start_fits(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction) {
    return !algorithm->starts || algorithm_kernel_has_beta(algorithm->kernel) ||
           !algorithm_contracted_loops(algorithm, contraction, 0, algorithm->loop_count);
}

bool algorithm_splits_end_groups(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction) {
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        const struct tcplan_group group = algorithm_group(algorithm, contraction, (enum tcplan_role)role);
        for (int i = 0; i + 1 < group.count; i++) {
            if (split_of(algorithm, group.index[i]) >= 0) return false;
        }
    }
    return true;
}

static bool splits_are_possible(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction) {
    uint64_t seen = 0;
    if (algorithm->split_count > TCPLAN_MAX_TILES) return false;
    for (int s = 0; s < algorithm->split_count; s++) {
        const struct tcplan_split split = algorithm->split[s];
        if (split.index >= contraction->index_count || split.step < 1 || indexset_has(seen, split.index)) return false;
        seen |= indexset_of(split.index);
    }
    return true;
}

/** A copy is inside the steps of its operand, whose tiles it holds, and holds something. */
static bool copy_fits(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction, enum tcplan_operand operand) {
    const int depth = algorithm->copy[operand].depth;
    const uint64_t indices = contraction->tensor[operand].indices;
    if (depth < 0) return algorithm_fits_in_place(algorithm, contraction, operand);
    if (depth > algorithm->loop_count) return false;
    bool holds = (algorithm_kernel_indices(algorithm) & indices) != 0;
    for (int l = depth; l < algorithm->loop_count; l++) {
        const int number = algorithm->loop[l];
        const int source = algorithm_source_index(algorithm, contraction, number);
        if (!indexset_has(indices, source)) continue;
        if (number >= contraction->index_count) return false;
        holds = true;
    }
    return holds;
}

/** The dimension of a tensor, counted from the contiguous one, that runs over an index alone; -1 where two dimensions do (a diagonal). */
static int dimension_of(const struct tcplan_contraction *contraction, enum tcplan_operand operand, int index) {
    const bool is_diagonal = tensor_is_diagonal(&contraction->tensor[operand], index);
    return is_diagonal ? -1 : contraction_place(contraction, operand, index);
}

static bool lies_together(const struct tcplan_contraction *contraction, enum tcplan_operand operand, const struct tcplan_group *group) {
    if (group->count < 2) return true;
    const int first = dimension_of(contraction, operand, group->index[0]);
    for (int i = 0; i < group->count; i++) {
        if (first < 0 || dimension_of(contraction, operand, group->index[i]) != first + i) return false;
    }
    return true;
}

bool algorithm_fits_in_place(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                             enum tcplan_operand operand) {
    enum tcplan_role role[2];
    int groups = 0;
    bool contiguous = false;
    if (algorithm_span(algorithm, contraction, operand) & contraction->tensor[operand].falling) return false;
    operand_roles(operand, role);
    for (int r = 0; r < 2; r++) {
        const struct tcplan_group group = algorithm_group(algorithm, contraction, role[r]);
        if (!lies_together(contraction, operand, &group)) return false;
        groups += group.count > 0;
        contiguous = contiguous || (group.count > 0 && contraction_is_unit(contraction, operand, group.index[0]));
    }
    return contiguous || groups < 2 || algorithm->provider == TCPLAN_PROVIDER_BLIS;
}

static bool flags_fit(const struct tcplan_algorithm *algorithm) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct tcplan_operand_copy copy = algorithm->copy[t];
        if ((copy.read || copy.streamed) && (t != TCPLAN_C || copy.depth < 0)) return false;
    }
    return true;
}

static bool parallel_fits(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction) {
    const int loop = algorithm->parallel;
    if (loop < 0) return true;
    if (loop >= algorithm->loop_count) return false;
    const int index = algorithm_source_index(algorithm, contraction, algorithm->loop[loop]);
    return contraction->index[index].kind != TCPLAN_CONTRACTED;
}

enum tcplan_status algorithm_check(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                                   struct tcplan_error *error) {
    if (!splits_are_possible(algorithm, contraction)) return refuse(error, "a tile that cannot be");
    if (!covers_all(algorithm, contraction)) return refuse(error, "an index is missing, or there twice");
    if (!kinds_fit(algorithm, contraction)) return refuse(error, "an index cannot have its role");
    if (!kernel_fits(algorithm, contraction)) return refuse(error, "the kernel does not have these roles");
    if (!start_fits(algorithm, contraction)) return refuse(error, "contracted loops that start with a beta that the kernel lacks");
    if (!algorithm_splits_end_groups(algorithm, contraction)) return refuse(error, "a tile in the middle of fused indices");
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (!copy_fits(algorithm, contraction, (enum tcplan_operand)t)) return refuse(error, "an operand that the kernel cannot take");
    }
    if (!flags_fit(algorithm)) return refuse(error, "only the copy of the result is read or streamed");
    if (!parallel_fits(algorithm, contraction)) return refuse(error, "a loop that cannot be parallel");
    return TCPLAN_OK;
}
