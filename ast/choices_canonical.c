#include <string.h>

#include "ast/algorithm.h"
#include "ast/choices.h"
#include "ast/refine.h"
#include "base/indexset.h"

/** Numbers the splits as their steps come from the outside in. */
static void order_splits(struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction) {
    struct tcplan_split split[TCPLAN_MAX_TILES] = {{0}};
    int count = 0;
    for (int l = 0; l < algorithm->loop_count; l++) {
        const int number = algorithm->loop[l];
        if (number < contraction->index_count) continue;
        split[count] = algorithm->choices.split[number - contraction->index_count];
        algorithm->loop[l] = (uint8_t)(contraction->index_count + count++);
    }
    memcpy(algorithm->choices.split, split, sizeof split);
}

/** A temporary can be turned where the kernel gives it two roles. */
static bool can_be_turned(const struct tcplan_choices *choices, enum tcplan_operand operand) {
    enum tcplan_role role[2];
    operand_roles(operand, role);
    return choices->copy_depth[operand] >= 0 && choices->group[role[0]] && choices->group[role[1]];
}

void choices_canonical(struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction) {
    struct tcplan_choices *choices = &algorithm->choices;
    if (!choices->made) return;
    order_splits(algorithm, contraction);
    memset(algorithm->loop + algorithm->loop_count, 0, sizeof algorithm->loop - algorithm->loop_count);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        choices->turned[t] = choices->turned[t] && can_be_turned(choices, (enum tcplan_operand)t);
    }
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        const struct tcplan_group group = algorithm_group(algorithm, contraction, (enum tcplan_role)role);
        algorithm->role[role] = (int8_t)(group.count > 0 ? group.index[0] : -1);
    }
}

bool choices_follow_rules(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction) {
    const struct tcplan_choices *choices = &algorithm->choices;
    enum tcplan_kernel kernel;
    if (!choices->made) return true;
    if (choices->split_count > 0 || choices->provider != TCPLAN_PROVIDER_BLAS || choices->parallel >= 0) return false;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (choices->copy_depth[t] >= 0) return false;
    }
    for (int l = 0; l < algorithm->loop_count; l++) {
        if (contraction->index[algorithm->loop[l]].kind == TCPLAN_CONTRACTED) return false;
    }
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        if (indexset_size(choices->group[role]) > 1) return false;
    }
    return algorithm_kernel_of_roles(choices->group[TCPLAN_M] != 0, choices->group[TCPLAN_N] != 0, choices->group[TCPLAN_K] != 0,
                                     &kernel) &&
           kernel == algorithm->kernel;
}
