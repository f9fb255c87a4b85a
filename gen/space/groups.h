/**
 * The sets of indices that a role of the kernel may fuse. An operand used in place needs indices
 * that are adjacent in its tensor. Any other set needs copies of both tensors of its role. Of these
 * the following are offered: runs of the role's indices in the order of one of the tensors,
 * ignoring other indices between them; such runs with one index left out, which becomes a loop; and
 * all indices of the role. For a role of three indices these are all subsets; in general their
 * number is proportional to the number of indices, not of subsets.
 */
#ifndef GEN_SPACE_GROUPS_H
#define GEN_SPACE_GROUPS_H

#include "tcplan/nest.h"

enum {
    LONGEST_RUN = 9, /* with one index left out: no more fused than in any role of a product that
                        somebody wrote by hand */
    /* For each dimension of the two or three tensors of a role: runs from there on, and those with
       one left out; then none, and all. */
    MOST_GROUPS =
        3 * TCPLAN_MAX_RANK * (LONGEST_RUN + (LONGEST_RUN - 1) * (LONGEST_RUN - 2) / 2) + 2
};

struct groups {
    int count;
    uint64_t set[MOST_GROUPS]; /**< each once, the larger ones first, the empty one last */
};

/** @param few  of the runs only those from a tensor's nearest index on, whose lengths double, as
 *              there are too many indices for all of them */
void groups_find(struct groups *out, const struct tcplan_contraction *contraction,
                 enum tcplan_role role, bool few);

#endif
