/**
 * Orders the steps of a tree, and places intermediates, sums and temporaries in one workspace, each
 * for as long as it is needed.
 */
#ifndef NETWORK_EXECUTION_SCHEDULE_H
#define NETWORK_EXECUTION_SCHEDULE_H

#include "tcplan/network_tree.h"

enum { SCHEDULE_ALIGNMENT = 64, SCHEDULE_IN_RESULT = -1 };

/** The phase in which a step runs: before, inside or after the loops over sliced indices. */
enum schedule_phase {
    SCHEDULE_BEFORE,
    SCHEDULE_INSIDE,
    SCHEDULE_AFTER /**< runs once, after the loops, and adds to the result that the loops wrote */
};

struct schedule_step {
    int step; /**< number of the step in the tree */
    enum schedule_phase phase;
    uint32_t only_first; /**< bit i: the step runs only at the first value of sliced index i, which
                            its term lacks (only with SCHEDULE_INSIDE) */
    bool later;    /**< whether the step, in later iterations, adds to elements that it wrote before
                      (only with SCHEDULE_INSIDE) */
    int64_t place; /**< offset of the step's result in the workspace, in bytes; SCHEDULE_IN_RESULT:
                      the step writes the expression's result, or a sum */
    int64_t scratch_place; /**< offset of the step's temporaries in the workspace, in bytes */
    /** Strides, in bytes, of the left operand, the right operand and the result along each sliced
     * index; 0: the tensor lacks the index, or the step is outside the loops. */
    int64_t stride_bytes[3][TCPLAN_TREE_SLICED];
};

struct schedule {
    int count;
    struct schedule_step *step; /**< steps in the order in which they run; owned */
    int64_t *sum_place;         /**< offset of each sum in the workspace, in bytes; owned */
    int64_t bytes;              /**< size of the workspace in bytes */
};

/**
 * Makes a schedule.
 *
 * @param scratch_bytes  for each step of the tree, the size of its temporaries
 * @param out            receives the schedule, to be freed with schedule_free()
 * @return TCPLAN_OK; TCPLAN_OVERFLOW if the bytes overflow; TCPLAN_NO_MEMORY
 */
enum tcplan_status schedule_make(struct schedule *out, const struct tcplan_tree *tree,
                                 const int64_t scratch_bytes[], struct tcplan_error *error);

void schedule_free(struct schedule *schedule);

/** Returns whether a step inside the loops writes the same elements of the result in several
 * iterations. This holds for the last step of the first term if the result lacks a sliced index. */
bool schedule_comes_back(const struct tcplan_tree *tree, int step);

/** Returns the offset, in bytes, of an intermediate or a sum in the workspace; SCHEDULE_IN_RESULT
 * if it is the expression's result. */
int64_t schedule_place(const struct schedule *schedule, const struct tcplan_tree *tree, int tensor);

#endif
