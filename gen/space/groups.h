/**
 * The sets of indices that a role of the kernel may fuse. An operand used in place needs indices
 * that are adjacent in its tensor. Any other set needs copies of both tensors of its role; only
 * the following ones are offered: runs of the role's indices in the order of one of the tensors,
 * ignoring other indices between them; such runs with one index left out, which becomes a loop;
 * and all indices of the role. For a role of three indices these are all subsets; in general their
 * number is proportional to the number of indices, not of subsets.
 */
#ifndef GEN_SPACE_GROUPS_H
#define GEN_SPACE_GROUPS_H

#include "tcplan/nest.h"

enum {
    LONGEST_RUN = 9, /* longest run from which one index is left out; no known hand-written product
                        fuses more */
    /* Maximum number of sets: for each dimension of a role's two or three tensors, the runs from
     * there on, and these without one index; the empty set; all indices. */
    MOST_GROUPS =
        3 * TCPLAN_MAX_RANK * (LONGEST_RUN + (LONGEST_RUN - 1) * (LONGEST_RUN - 2) / 2) + 2
};

struct groups {
    int count;
    uint64_t set[MOST_GROUPS]; /**< distinct sets: larger ones first, the empty one last */
};

/**
 * Lists the sets.
 * @param few offers only runs of 1, 2, 4, ... indices from a tensor's innermost one on: for roles
 *     with too many indices
 */
void groups_find(struct groups *out, const struct tcplan_contraction *contraction,
                 enum tcplan_role role, bool few);

#endif
