/*
 * Finds steps with equal products. One of them is executed; the others, and the steps that only
 * they need, are idle.
 */
#include "network/sharing.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/* Forms of steps. */

/** Appends the operands that contribute to a tensor, and returns the new count. */
static int collect(const struct tcplan_tree *tree, int tensor, int operand[], int count) {
    if (tensor == TCPLAN_TREE_ONE) return count;
    if (tensor < tree->network->operand_count) {
        operand[count] = tensor;
        return count + 1;
    }
    const struct tcplan_tree_step *step = &tree->step[tensor - tree->network->operand_count];
    return collect(tree, step->right, operand, collect(tree, step->left, operand, count));
}

static struct product_form form_of(const struct tcplan_tree *tree, int s, int operand[]) {
    return (struct product_form){.count =
                                     collect(tree, tree->network->operand_count + s, operand, 0),
                                 .operand = operand,
                                 .open_count = tree->step[s].rank,
                                 .open = tree->step[s].dims};
}

bool sharing_map(uint16_t map[TCPLAN_NETWORK_INDICES], const struct tcplan_tree *tree, int from,
                 int to) {
    int *operand = base_alloc(2 * (size_t)tree->network->operand_count * sizeof *operand);
    if (!operand) return false;
    const struct product_form a = form_of(tree, from, operand),
                              b = form_of(tree, to, operand + tree->network->operand_count);
    const bool equal = product_equal(map, tree->network, tree->extent, &a, &b);
    base_free(operand);
    return equal;
}

bool sharing_follow(struct tcplan_tree *tree, int s) {
    uint16_t map[TCPLAN_NETWORK_INDICES];
    struct tcplan_tree_step *step = &tree->step[s];
    const struct tcplan_tree_step *with = &tree->step[step->same];
    if (!sharing_map(map, tree, step->same, s)) return false;
    for (int d = 0; d < step->rank; d++) step->dims[d] = map[with->dims[d]];
    return true;
}

/* One step. */

static void set_idle(struct tcplan_tree *tree, int tensor, bool idle) {
    if (tensor < tree->network->operand_count) return;
    struct tcplan_tree_step *step = &tree->step[tensor - tree->network->operand_count];
    step->idle = idle;
    set_idle(tree, step->left, idle);
    set_idle(tree, step->right, idle);
}

bool sharing_before(const struct tcplan_tree *tree, int a, int b) {
    return tree->step[a].term != tree->step[b].term ? tree->step[a].term < tree->step[b].term
                                                    : a < b;
}

/** Returns whether a step's result may be shared: it is not the result of a term, and loops do not
 * recompute it. */
static bool is_fit(const struct tcplan_tree *tree, int s) {
    const struct tcplan_tree_step *step = &tree->step[s];
    return !step->last && !step->idle && (step->once || tree->sliced_count == 0);
}

/** Returns whether every step whose result an executed step reads is executed itself. */
static bool is_whole(const struct tcplan_tree *tree) {
    for (int s = 0; s < tree->step_count; s++) {
        if (tree->step[s].same >= 0 && tree->step[tree->step[s].same].idle) return false;
    }
    return true;
}

bool sharing_add(struct tcplan_tree *tree, int s, int with) {
    struct tcplan_tree_step *step = &tree->step[s];
    if (!is_fit(tree, s) || !is_fit(tree, with) || !sharing_before(tree, with, s)) return false;
    const struct tcplan_tree_step before = *step;
    step->same = with;
    set_idle(tree, tree->network->operand_count + s, true);
    if (is_whole(tree) && sharing_follow(tree, s)) return true;
    set_idle(tree, tree->network->operand_count + s, false);
    *step = before;
    return false;
}

void sharing_remove(struct tcplan_tree *tree, int s) {
    tree->step[s].same = -1;
    set_idle(tree, tree->network->operand_count + s, false);
}

/* All steps. */

/** A step whose result may be shared. */
struct shareable {
    int step;
    int count; /* number of factors in its product */
    uint64_t hash;
    const struct tcplan_tree *tree;
};

/** Sorts by number of factors, descending, then by order of execution. */
static int compare(const void *a, const void *b) {
    const struct shareable *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return x->step == y->step ? 0 : sharing_before(x->tree, x->step, y->step) ? -1 : 1;
}

static int find_shareable(struct shareable out[], const struct tcplan_tree *tree, int operand[]) {
    int count = 0;
    for (int s = 0; s < tree->step_count; s++) {
        if (!is_fit(tree, s)) continue;
        const struct product_form form = form_of(tree, s, operand);
        out[count++] = (struct shareable){.step = s,
                                          .count = form.count,
                                          .hash = product_hash(tree->network, &form),
                                          .tree = tree};
    }
    qsort(out, (size_t)count, sizeof *out, compare);
    return count;
}

/** Makes a step read the result of an earlier equal step, if there is one and memory suffices. */
static bool share_one(struct tcplan_tree *tree, const struct shareable all[], int number,
                      double max_bytes) {
    int first = number;
    while (first > 0 && all[first - 1].count == all[number].count) first--;
    for (int n = first; n < number; n++) {
        if (all[n].hash != all[number].hash || !sharing_add(tree, all[number].step, all[n].step))
            continue;
        if (max_bytes > 0 && tcplan_tree_totals(tree).peak_bytes > max_bytes) {
            sharing_remove(tree, all[number].step);
            return false;
        }
        return true;
    }
    return false;
}

enum tcplan_status tcplan_tree_share(int *out, struct tcplan_tree *tree, double max_bytes,
                                     struct tcplan_error *error) {
    *out = 0;
    if (tree->network->tensor_count == tree->network->operand_count) return TCPLAN_OK;
    struct shareable *all = base_alloc((size_t)tree->step_count * sizeof *all);
    int *operand = base_alloc((size_t)tree->network->operand_count * sizeof *operand);
    if (all && operand) {
        const int count = find_shareable(all, tree, operand);
        for (int n = 1; n < count; n++) *out += share_one(tree, all, n, max_bytes);
    }
    const enum tcplan_status status = all && operand ? TCPLAN_OK : error_no_memory(error);
    base_free(all);
    base_free(operand);
    return status;
}
