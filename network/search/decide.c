#include "network/search/decide.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "network/search/dominant.h"

/* Trees whose estimated time exceeds the lowest one by more than this factor are not timed. */
#define WORTH_TIMING 1.25

/** State of timing one tree. */
struct deciding {
    struct tcplan_tree *tree;
    bool *wanted; /* for each step, whether it must be timed */
    struct estimates *timing;
    struct deadline deadline;
    struct tcplan_error *error;
};

static double step_seconds(const struct tcplan_tree *tree, int s) {
    return tcplan_tree_step_times(tree, s) * tree->step[s].seconds;
}

/** Returns the number of the slowest step that is not timed yet (`seen` is false); -1 if every step
 * is. */
static int longest(const struct deciding *deciding, const bool seen[]) {
    const struct tcplan_tree *tree = deciding->tree;
    int best = -1;
    for (int s = 0; s < tree->step_count; s++) {
        if (deciding->wanted[s] && !seen[s] &&
            (best < 0 || step_seconds(tree, s) > step_seconds(tree, best)))
            best = s;
    }
    return best;
}

/** Times a step within a share of the remaining time. A step that needs too much memory keeps its
 * estimate. */
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

/** Sets the times of steps whose products were timed for earlier trees, and sets `seen` for
 * them. */
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

/** Returns the total time, in seconds, of the steps that are marked in `seen`. */
static double decided_seconds(const struct tcplan_tree *tree, const bool seen[]) {
    double seconds = 0;
    for (int s = 0; s < tree->step_count; s++) seconds += seen[s] ? step_seconds(tree, s) : 0;
    return seconds;
}

/** Returns the time of all steps with the product of `step`, as a share of the time of all untimed
 * steps. */
static double share_of(const struct deciding *deciding, const bool seen[], int step) {
    double product = 0, all = 0;
    for (int s = 0; s < deciding->tree->step_count; s++) {
        if (!deciding->wanted[s] || seen[s]) continue;
        all += step_seconds(deciding->tree, s);
        if (dominant_is_same(deciding->tree, s, step)) product += step_seconds(deciding->tree, s);
    }
    return all > 0 && product > 0 ? product / all : 1;
}

/** Returns whether all steps marked in `wanted` have been timed. */
static bool is_decided(const struct tcplan_tree *tree, const bool wanted[]) {
    for (int s = 0; s < tree->step_count; s++) {
        if (wanted[s] && !tree->step[s].timed) return false;
    }
    return true;
}

/** Times the wanted steps of a tree, the longest first. Stops when the timed steps together take
 * `bound` seconds. */
static enum tcplan_status time_steps(const struct deciding *deciding, bool seen[], double bound) {
    enum tcplan_status status = take_known(deciding, seen);
    while (status == TCPLAN_OK && !deadline_is_over(deciding->deadline)) {
        const int s = longest(deciding, seen);
        if (s < 0 || decided_seconds(deciding->tree, seen) >= bound) break;
        status = decide_step(deciding, s, share_of(deciding, seen, s));
        seen[s] = true;
    }
    return status;
}

/** Returns whether the number of timed products stays within DOMINANT_MOST if the wanted steps of
 * this tree are timed too; always true if the effort is thorough. */
static bool is_affordable(const struct deciding *deciding) {
    size_t products = deciding->timing->count;
    for (int s = 0; s < deciding->tree->step_count; s++)
        products +=
            deciding->wanted[s] && !estimates_know(deciding->timing, deciding->tree, s) ? 1 : 0;
    return products <= DOMINANT_MOST || deciding->timing->options.effort == TCPLAN_EFFORT_THOROUGH;
}

/** Times the wanted steps of a tree. `*better` receives whether the tree takes less than `bound`
 * seconds; `bound` is INFINITY for the first tree. */
static enum tcplan_status decide_tree(bool *better, struct deciding *deciding, double bound) {
    const size_t steps = (size_t)deciding->tree->step_count;
    bool *seen = base_alloc_zero(steps, sizeof *seen);
    deciding->wanted = base_alloc_zero(steps, sizeof *deciding->wanted);
    enum tcplan_status status =
        seen && deciding->wanted ? TCPLAN_OK : error_no_memory(deciding->error);
    if (status == TCPLAN_OK)
        dominant_steps(deciding->wanted, deciding->tree, deciding->timing->options.effort);
    if (status == TCPLAN_OK && (bound == INFINITY || is_affordable(deciding))) {
        status = time_steps(deciding, seen, bound);
        /* A tree with an untimed step may not replace an earlier tree: estimates are not compared
         * with measured times. */
        *better = (is_decided(deciding->tree, deciding->wanted) || bound == INFINITY) &&
                  tcplan_tree_totals(deciding->tree).seconds < bound;
    }
    base_free(seen);
    base_free(deciding->wanted);
    return status;
}

enum tcplan_status decide_trees(struct decided *out, struct tcplan_tree *const tree[], int count,
                                struct estimates *timing, struct deadline deadline,
                                struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    const double estimate = count > 0 ? tcplan_tree_totals(tree[0]).seconds : 0;
    double least = INFINITY;
    *out = (struct decided){.best = 0};
    for (int t = 0; t < count && status == TCPLAN_OK; t++) {
        struct deciding deciding = {
            .tree = tree[t], .timing = timing, .deadline = deadline, .error = error};
        bool better = false;
        if (t > 0 && (deadline_is_over(deadline) ||
                      tcplan_tree_totals(tree[t]).seconds > WORTH_TIMING * estimate))
            break;
        status = decide_tree(&better, &deciding, least);
        if (status != TCPLAN_OK || !better) continue;
        least = tcplan_tree_totals(tree[t]).seconds;
        out->best = t;
    }
    out->timed = (int64_t)timing->count;
    return status;
}
