#include "network/search/dominant.h"

#include <stdlib.h>
#include <string.h>

#include "tcplan/canonical.h"

/* Steps whose share of the total time is below this limit together keep their estimates. */
#define REST_SHARE 0.1

static double step_seconds(const struct tcplan_tree *tree, int s) {
    return tcplan_tree_step_times(tree, s) * tree->step[s].seconds;
}

/** Returns the canonical form of a step's product; NULL if memory runs out. */
static char *canonical_of(const struct tcplan_tree *tree, int s) {
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_problem problem;
    char *canonical = NULL;
    if (tcplan_tree_step_contraction(&contraction, tree, s, false, NULL) == TCPLAN_OK &&
        tcplan_tree_step_problem(&problem, tree, contraction, NULL) == TCPLAN_OK)
        canonical = tcplan_problem_canonical(&problem);
    tcplan_contraction_free(contraction);
    return canonical;
}

bool dominant_is_same(const struct tcplan_tree *tree, int a, int b) {
    const struct tcplan_tree_step *one = &tree->step[a], *other = &tree->step[b];
    if (one->flops != other->flops || one->bytes != other->bytes)
        return false; /* a quick check that rejects most pairs */
    char *first = canonical_of(tree, a), *second = canonical_of(tree, b);
    const bool same = first && second && strcmp(first, second) == 0;
    free(first);
    free(second);
    return same;
}

/** Returns the number of the slowest executed step that is not chosen yet; -1 if there is none. */
static int longest(const bool chosen[], const struct tcplan_tree *tree) {
    int best = -1;
    for (int s = 0; s < tree->step_count; s++) {
        if (!chosen[s] && !tree->step[s].idle &&
            (best < 0 || step_seconds(tree, s) > step_seconds(tree, best)))
            best = s;
    }
    return best;
}

/** Chooses a step and all steps with an equal product. Returns the total time of these steps. */
static double choose(bool chosen[], const struct tcplan_tree *tree, int step) {
    double seconds = 0;
    for (int s = 0; s < tree->step_count; s++) {
        if (chosen[s] || tree->step[s].idle || (s != step && !dominant_is_same(tree, s, step)))
            continue;
        chosen[s] = true;
        seconds += step_seconds(tree, s);
    }
    return seconds;
}

void dominant_steps(bool out[], const struct tcplan_tree *tree, enum tcplan_effort effort) {
    const double whole = tcplan_tree_totals(tree).seconds;
    const bool all = effort == TCPLAN_EFFORT_THOROUGH;
    double rest = whole;
    for (int s = 0; s < tree->step_count; s++) out[s] = all && !tree->step[s].idle;
    if (all || effort == TCPLAN_EFFORT_ESTIMATE) return;
    for (int products = 0; products < DOMINANT_MOST && rest > REST_SHARE * whole; products++) {
        const int s = longest(out, tree);
        if (s < 0) break;
        rest -= choose(out, tree, s);
    }
}
