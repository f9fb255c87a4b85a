#include "ast/algorithm/orientation.h"

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/kernel_class.h"
#include "ast/algorithm/provider.h"
#include "ast/contraction/contraction.h"
#include "ast/nest/refine.h"

/** Returns whether a role comes first in the temporary of an operand, so that its elements are
 * contiguous. */
static bool is_first_role(const struct tcplan_algorithm *algorithm, enum tcplan_operand operand,
                          enum tcplan_role role) {
    enum tcplan_role roles[OPERAND_ROLES];
    const int count = operand_roles(operand, roles);
    for (int r = 0; r < count; r++) {
        const enum tcplan_role own =
            roles[algorithm->copy[operand].transposed && r < MATRIX_ROLES ? 1 - r : r];
        if (algorithm->group[own]) return own == role;
    }
    return false;
}

/** Returns whether elements along a role are contiguous in an operand or its temporary; false if
 * the kernel lacks the role. */
static bool algorithm_is_unit(const struct tcplan_algorithm *algorithm,
                              const struct tcplan_contraction *contraction,
                              enum tcplan_operand operand, enum tcplan_role role) {
    if (!algorithm->group[role]) return false;
    if (algorithm_copies(algorithm, operand)) return is_first_role(algorithm, operand, role);
    return contraction_is_unit(contraction, operand,
                               algorithm_group(algorithm, contraction, role).index[0]);
}

enum tcplan_role algorithm_rows(const struct tcplan_algorithm *algorithm,
                                const struct tcplan_contraction *contraction) {
    const bool is_row = !algorithm->group[TCPLAN_M] &&
                        !algorithm_is_unit(algorithm, contraction, TCPLAN_C, TCPLAN_N);
    return is_row || algorithm_is_unit(algorithm, contraction, TCPLAN_C, TCPLAN_M) ? TCPLAN_M
                                                                                   : TCPLAN_N;
}

enum tcplan_operand algorithm_first_factor(const struct tcplan_algorithm *algorithm,
                                           const struct tcplan_contraction *contraction) {
    if (kernel_class_of(algorithm->kernel)->follows_result) {
        return algorithm_rows(algorithm, contraction) == TCPLAN_M ? TCPLAN_A : TCPLAN_B;
    }
    return algorithm->group[TCPLAN_N] && !algorithm->group[TCPLAN_M] ? TCPLAN_B : TCPLAN_A;
}

bool algorithm_transposes(const struct tcplan_algorithm *algorithm,
                          const struct tcplan_contraction *contraction,
                          enum tcplan_operand factor) {
    const enum tcplan_role own = factor == TCPLAN_A ? TCPLAN_M : TCPLAN_N;
    if (factor != algorithm_first_factor(algorithm, contraction)) {
        return algorithm->group[TCPLAN_K] &&
               !algorithm_is_unit(algorithm, contraction, factor, TCPLAN_K);
    }
    /* a matrix with a single index is a vector, which need not be contiguous: its stride becomes
     * the leading dimension */
    return algorithm->group[own] ? !algorithm_is_unit(algorithm, contraction, factor, own)
                                 : algorithm_is_unit(algorithm, contraction, factor, TCPLAN_K);
}

bool algorithm_conjugates(const struct tcplan_algorithm *algorithm,
                          const struct tcplan_contraction *contraction,
                          enum tcplan_operand factor) {
    const bool is_first = factor == algorithm_first_factor(algorithm, contraction);
    if (provider_traits_of(algorithm->provider)->conjugates_whatever) return true;
    switch (kernel_class_of(algorithm->kernel)->conjugates) {
    case CONJUGATES_NONE: break;
    case CONJUGATES_ANY: return true;
    case CONJUGATES_SECOND: return !is_first;
    case CONJUGATES_TRANSPOSED_FIRST:
        return is_first && algorithm_transposes(algorithm, contraction, factor);
    case CONJUGATES_TRANSPOSED: return algorithm_transposes(algorithm, contraction, factor);
    }
    return false;
}
