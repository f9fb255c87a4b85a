#include "tcplan/network_layouts.h"

#include <stdio.h>

#include "base/error.h"

enum { NAME_CHARS = 48 };

/** Adds one step, whose name is its number. */
static enum tcplan_status add_step(struct tcplan_layout_program *program,
                                   const struct tcplan_tree *tree, int s, double weight,
                                   struct tcplan_error *error) {
    char name[NAME_CHARS];
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_problem problem;
    enum tcplan_status status = tcplan_tree_step_contraction(&contraction, tree, s, false, error);
    if (status == TCPLAN_OK) status = tcplan_tree_step_problem(&problem, tree, contraction, error);
    snprintf(name, sizeof name, "step %d", s + 1);
    if (status == TCPLAN_OK)
        status = tcplan_layout_program_add(
            program, name, contraction, problem.extent, tree->dtype,
            tree->step[s].joined >= 0 ? weight : weight * tcplan_tree_step_times(tree, s), error);
    tcplan_contraction_free(contraction);
    return status;
}

/** Finds the name of the tensor that a step makes. Returns whether this tensor is an intermediate,
 * or a sum whose first term the step computes. */
static bool inner_name(char out[NAME_CHARS], const struct tcplan_tree *tree, int s) {
    const struct tcplan_network *network = tree->network;
    const struct tcplan_tree_step *step = &tree->step[s];
    if (!step->last) snprintf(out, NAME_CHARS, "%s%d", tree->prefix, s + 1);
    if (step->last)
        snprintf(out, NAME_CHARS, "%s", tcplan_network_target(network, step->term)->name);
    return !step->last || (network->term[step->term].into < network->sum_count &&
                           tcplan_network_begins(network, step->term));
}

/** Returns whether a step is left out because another step computes the same. Terms that are added
 * in one pass count as separate steps, because layouts are advised for products. */
static bool is_skipped(const struct tcplan_tree *tree, int s) {
    return tree->step[s].idle && tree->step[s].joined < 0;
}

enum tcplan_status tcplan_network_layouts(struct tcplan_layout_program *program,
                                          const struct tcplan_tree *tree, double weight,
                                          struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    char name[NAME_CHARS];
    for (int s = 0; s < tree->step_count && status == TCPLAN_OK; s++) {
        if (is_skipped(tree, s) || !inner_name(name, tree, s)) continue;
        if (tcplan_layout_program_has(program, name))
            status = error_set(
                error, TCPLAN_INVALID,
                "tensor '%.40s' has the name of an intermediate of the expression; expected another name",
                name);
    }
    for (int s = 0; s < tree->step_count && status == TCPLAN_OK; s++) {
        if (!is_skipped(tree, s)) status = add_step(program, tree, s, weight, error);
    }
    for (int s = 0; s < tree->step_count && status == TCPLAN_OK; s++) {
        if (!is_skipped(tree, s) && inner_name(name, tree, s))
            status = tcplan_layout_program_settle(program, name, error);
    }
    return status;
}
