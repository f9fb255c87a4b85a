/** A planned expression of several block-sparse tensors. */
#ifndef BLOCKS_EXPRESSION_H
#define BLOCKS_EXPRESSION_H

#include "blocks/block_plan.h"

/** A product of an expression, which is one step. */
struct block_step {
    struct tcplan_block_step shown;
    int64_t label[TCPLAN_MAX_RANK]; /**< memory for `shown.label` */
    struct tcplan_block_product *product;
    struct tcplan_block_plan *plan;
    char *memory; /**< memory of an intermediate result; NULL for the expression's result */
    void **block; /**< pointers to the blocks of the result */
};

struct tcplan_block_expression {
    int count;                            /**< tensors */
    char *name[TCPLAN_BLOCK_TENSORS + 1]; /**< names of the tensors, then of the result; NULL: no
                                             name */
    struct block_step step[TCPLAN_BLOCK_TENSORS];
    double predicted_seconds;
    double written_seconds; /**< estimated seconds of multiplying from left to right; 0: not known
                             */
};

/** Makes a planner that only estimates, with the threads and the workspace of another planner. */
enum tcplan_status block_expression_estimates(struct tcplan_planner **out,
                                              struct tcplan_planner *planner,
                                              struct tcplan_error *error);

/** Returns the pointers to the blocks of a factor of a step. `tensor` has the pointers of the given
 * tensors. */
const void *const *block_step_factor(const struct tcplan_block_expression *expression, int step,
                                     int factor, const void *const *const tensor[]);

#endif
