#include "gen/space/groups.h"

#include <stdlib.h>

#include "ast/algorithm/algorithm.h"
#include "base/indexset.h"

static void add(struct groups *groups, uint64_t set) {
    groups->set[groups->count++] = set;
}

/** The indices of one role in a tensor, sorted by increasing stride. */
struct line {
    int count;
    uint8_t index[TCPLAN_MAX_RANK];
};

static struct line line_of(const struct tcplan_tensor *tensor, uint64_t kind) {
    struct line line = {0};
    for (int d = 0; d < tensor->rank; d++) {
        if (!indexset_has(kind, tensor->nearest[d])) continue;
        line.index[line.count++] = tensor->nearest[d];
        kind &= ~indexset_of(tensor->nearest[d]); /* not the second dimension of a diagonal */
    }
    return line;
}

/** Adds all runs of a list of indices, and each run without one of its inner indices. */
static void add_runs(struct groups *groups, const struct line *line) {
    for (int first = 0; first < line->count; first++) {
        uint64_t run = 0;
        for (int last = first; last < line->count && last - first < LONGEST_RUN; last++) {
            run |= indexset_of(line->index[last]);
            add(groups, run);
            for (int within = first + 1; within < last; within++)
                add(groups, run & ~indexset_of(line->index[within]));
        }
    }
}

/** Adds the first 1, 2, 4, ... indices of a list to the sets. */
static void add_nearest(struct groups *groups, const struct line *line) {
    uint64_t run = 0;
    for (int i = 0, wanted = 1; i < line->count; i++) {
        run |= indexset_of(line->index[i]);
        if (i + 1 != wanted) continue;
        add(groups, run);
        wanted *= 2;
    }
}

/** Sorts sets by size. Of equally large sets, those with the earliest indices come first: they are
 * contiguous more often. */
static int compare(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    if (indexset_size(x) != indexset_size(y)) return indexset_size(y) - indexset_size(x);
    return x < y ? -1 : x > y;
}

static void remove_repeated(struct groups *groups) {
    int count = 0;
    for (int g = 0; g < groups->count; g++) {
        if (count == 0 || groups->set[g] != groups->set[count - 1])
            groups->set[count++] = groups->set[g];
    }
    groups->count = count;
}

void groups_find(struct groups *out, const struct tcplan_contraction *contraction,
                 enum tcplan_role role, bool few) {
    const uint64_t kind = tcplan_contraction_indices(contraction, algorithm_kind_of_role(role));
    out->count = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct line line = line_of(&contraction->tensor[t], kind);
        if (few) add_nearest(out, &line);
        if (!few) add_runs(out, &line);
    }
    add(out, kind);
    add(out, 0);
    qsort(out->set, (size_t)out->count, sizeof *out->set, compare);
    remove_repeated(out);
}
