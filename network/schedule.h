/**
 * Schedules the steps of a tree and places their results in one workspace: intermediates and steps'
 * own temporaries, each as long as it is needed.
 */
#ifndef NETWORK_SCHEDULE_H
#define NETWORK_SCHEDULE_H

#include "tcplan/network_tree.h"

enum { SCHEDULE_ALIGNMENT = 64, SCHEDULE_IN_RESULT = -1 };

/** Where a step stands to the loops over sliced indices. */
enum schedule_phase {
    SCHEDULE_BEFORE,
    SCHEDULE_INSIDE,
    SCHEDULE_AFTER /**< what runs once and adds to a result that is written inside */
};

struct schedule_step {
    int step; /**< of the tree */
    enum schedule_phase phase;
    uint32_t only_first; /**< bit i: it runs only at the first value of sliced index i, which its
                            term has not: SCHEDULE_INSIDE only */
    bool later;    /**< from the second iteration on it adds to its result: SCHEDULE_INSIDE only */
    int64_t place; /**< offset of its result in the workspace, in bytes; SCHEDULE_IN_RESULT: it
                      writes the result, or is part of a sum */
    int64_t scratch_place; /**< offset of its temporaries */
    /** From one value of each sliced index to the next, in bytes: of left, right and result. 0: it
     * has not the index, or no loop is around. */
    int64_t stride_bytes[3][TCPLAN_TREE_SLICED];
};

struct schedule {
    int count;
    struct schedule_step *step; /**< owned, in the order in which they run */
    int64_t *sum_place;         /**< owned: of each sum the bytes from the workspace's beginning */
    int64_t bytes;              /**< of the workspace */
};

/**
 * Makes a schedule.
 *
 * @param scratch_bytes  of each step of the tree: of its temporaries
 * @param out            receives it, to be freed with schedule_free()
 * @return TCPLAN_OK; TCPLAN_OVERFLOW if the bytes cannot be counted; TCPLAN_NO_MEMORY
 */
enum tcplan_status schedule_make(struct schedule *out, const struct tcplan_tree *tree,
                                 const int64_t scratch_bytes[], struct tcplan_error *error);

void schedule_free(struct schedule *schedule);

/** Whether a step in the loops comes back to elements of the result that it wrote: it is the last
 * of the first term, and the result lacks a sliced index. */
bool schedule_comes_back(const struct tcplan_tree *tree, int step);

/** Where a tensor of the tree that is an intermediate or a sum lies; SCHEDULE_IN_RESULT: it is the
 * result. */
int64_t schedule_place(const struct schedule *schedule, const struct tcplan_tree *tree, int tensor);

#endif
