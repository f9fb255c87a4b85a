#include "network/decide.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"

/* A tree that is estimated to take so much more than the best one's measured time is not looked at.
 */
#define WORTH_TIMING 1.25

/** A tree being decided. */
struct deciding {
    struct tcplan_tree *tree;
    struct estimates *timing;
    struct deadline deadline;
    struct tcplan_error *error;
};

static double step_seconds(const struct tcplan_tree *tree, int s) {
    return tcplan_tree_step_times(tree, s) * tree->step[s].seconds;
}

/** The longest step that is not decided; -1: none. */
static int longest(const struct deciding *deciding, const bool seen[]) {
    const struct tcplan_tree *tree = deciding->tree;
    int best = -1;
    for (int s = 0; s < tree->step_count; s++) {
        if (!seen[s] && !tree->step[s].idle &&
            (best < 0 || step_seconds(tree, s) > step_seconds(tree, best)))
            best = s;
    }
    return best;
}

/** Plans a step by timing, in a share of the time that is left; what does not fit the memory keeps
 * its estimate. */
static enum tcplan_status decide_step(const struct deciding *deciding, int s, double share) {
    struct tcplan_error error;
    deciding->timing->options.time_limit_seconds = 0;
    const double left = deadline_left_seconds(deciding->deadline);
    if (left < INFINITY) deciding->timing->options.time_limit_seconds = fmax(left * share, 1e-3);
    const enum tcplan_status status =
        estimates_fill_step(deciding->timing, deciding->tree, s, &error);
    if (status == TCPLAN_OK || status == TCPLAN_NO_MEMORY || status == TCPLAN_NOT_APPLICABLE)
        return TCPLAN_OK;
    if (deciding->error) *deciding->error = error;
    return status;
}

/** Reuses decisions of earlier trees. */
static enum tcplan_status take_known(const struct deciding *deciding, bool seen[]) {
    enum tcplan_status status = TCPLAN_OK;
    for (int s = 0; s < deciding->tree->step_count && status == TCPLAN_OK; s++) {
        if (deciding->tree->step[s].idle || !estimates_know(deciding->timing, deciding->tree, s))
            continue;
        seen[s] = true;
        status = estimates_fill_step(deciding->timing, deciding->tree, s, deciding->error);
    }
    return status;
}

/** Seconds of the steps that are decided. */
static double decided_seconds(const struct tcplan_tree *tree, const bool seen[]) {
    double seconds = 0;
    for (int s = 0; s < tree->step_count; s++) seconds += seen[s] ? step_seconds(tree, s) : 0;
    return seconds;
}

/** Decides a tree that is to take less than `bound`; one that does not stays as far as it is. */
static enum tcplan_status decide_tree(const struct deciding *deciding, double bound) {
    bool *seen = base_alloc_zero((size_t)deciding->tree->step_count, sizeof *seen);
    if (!seen) return error_no_memory(deciding->error);
    enum tcplan_status status = take_known(deciding, seen);
    double rest =
        tcplan_tree_totals(deciding->tree).seconds - decided_seconds(deciding->tree, seen);
    if (decided_seconds(deciding->tree, seen) + rest > WORTH_TIMING * bound) rest = 0;
    while (status == TCPLAN_OK && rest > 0 && !deadline_is_over(deciding->deadline)) {
        const int s = longest(deciding, seen);
        if (s < 0 || decided_seconds(deciding->tree, seen) >= bound) break;
        const double estimated = step_seconds(deciding->tree, s);
        status = decide_step(deciding, s, fmin(estimated / rest, 1));
        rest -= estimated;
        seen[s] = true;
    }
    base_free(seen);
    return status;
}

enum tcplan_status decide_trees(struct decided *out, struct tcplan_tree *const tree[], int count,
                                struct estimates *timing, struct deadline deadline,
                                struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    double least = INFINITY;
    *out = (struct decided){.best = 0};
    for (int t = 0; t < count && status == TCPLAN_OK; t++) {
        const struct deciding deciding = {
            .tree = tree[t], .timing = timing, .deadline = deadline, .error = error};
        if (t > 0 && deadline_is_over(deadline)) break;
        status = decide_tree(&deciding, least);
        bool all = true;
        for (int s = 0; s < tree[t]->step_count; s++)
            all = all && (tree[t]->step[s].idle || tree[t]->step[s].timed);
        const double seconds = tcplan_tree_totals(tree[t]).seconds;
        if (!(seconds < least) || (t > 0 && !all))
            continue; /* times are not held against estimates */
        least = seconds;
        out->best = t;
    }
    out->timed = (int64_t)timing->count;
    return status;
}
