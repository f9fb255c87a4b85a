/** Chooses a distributed algorithm for each step of an order. */
#ifndef DISTRIBUTED_STEPS_H
#define DISTRIBUTED_STEPS_H

#include "distributed/distributed.h"
#include "tcplan/network_tree.h"

enum { STEPS_MOST_SLICES = 4, STEPS_MOST_CHOICES = 6 + STEPS_MOST_SLICES };

/** A layout that the caller prescribes for a tensor of an expression. */
struct tensor_layout {
    bool given;
    struct dist_layout layout; /**< layout of the tensor; `index` of a split is a dimension, as in
                                  the notation */
};

/** An order for which algorithms are chosen. */
struct steps_request {
    const struct tcplan_tree *tree; /**< the order: a tree of one term, without slices and shared
                                       steps */
    const struct tcplan_distributed_options *options; /**< options, whose `processes` and `planner`
                                                         are set */
    const struct dist_grid *grid; /**< grid of every step to which it applies; NULL: any grid */
    const struct tensor_layout *layout; /**< layout of each distinct input tensor, then of the
                                           result */
    double limit_seconds; /**< orders that take longer by a lower bound are not applicable; 0: no
                             limit */
    bool saves_memory;    /**< whether the bytes of a rank are minimised instead of the seconds */
};

/** The contraction of a step. */
struct step_problem {
    struct tcplan_contraction *contraction;
    struct tcplan_problem problem;
    double flops_per_second; /**< rate of the whole product on one process */
    int operand[2];          /**< numbers of the operands, as in struct planned_step */
};

/** Slices of an expression: a grid, and the index of the expression that each axis splits. */
struct slicing {
    struct dist_grid grid;
    int index[DIST_AXES];
};

/** A planned step. */
struct planned_step {
    struct tcplan_distributed *planned;
    int operand[2]; /**< numbers of the operands: distinct input tensors come first, then the
                       results of steps */
};

/** Algorithms for all steps of an order. */
struct steps_choice {
    double coarse; /**< predicted seconds, with local products at the rate of the whole product;
                      bytes if memory is saved */
    struct algorithm *algorithm;       /**< algorithm of each step */
    struct distribution *distribution; /**< layouts of each step's tensors */
    bool is_sliced;                    /**< whether all steps are those of `slicing` */
    struct slicing slicing;
};

/**
 * Chooses the algorithms of all steps by dynamic programming over (step, layout of its result), and
 * the fastest slices.
 *
 * @param out    receives choices with different layouts of the result, the best first, then slices,
 *               the best first; each is to be freed with steps_choice_free()
 * @param names  the algorithms, separated by `;`, or the name of slices; NULL: any algorithms
 * @return TCPLAN_OK; TCPLAN_INVALID with the marked name; TCPLAN_NOT_APPLICABLE: no algorithm
 *         distributes some step, or none of a step fits into memory; TCPLAN_NO_MEMORY
 */
enum tcplan_status steps_choose(struct steps_choice out[STEPS_MOST_CHOICES], int *count,
                                const struct steps_request *request, const char *names,
                                struct tcplan_error *error);

void steps_choice_free(struct steps_choice *choice);

/** Returns the tensor that an operand of a step reads: a distinct input tensor, or, after those,
 * the result of a step. */
int steps_tensor(const struct tcplan_tree *tree, int operand);

/** Returns the cost of a plan: its seconds, or the bytes that it needs on a rank. */
double steps_cost(const struct steps_request *request, const struct step_problem *step,
                  const struct dist_plan *plan);

/** Replaces the index of each split by the dimension of the tensor that has it. */
struct dist_layout steps_to_dimensions(struct dist_layout layout,
                                       const struct tcplan_tensor *tensor);

/** Replaces the dimension of each split by the index that the tensor has there. */
struct dist_layout steps_to_indices(struct dist_layout layout, const struct tcplan_tensor *tensor);

/** Makes the contraction and the problem of a step. The caller frees the contraction. */
enum tcplan_status steps_problem(struct tcplan_contraction **out, struct tcplan_problem *problem,
                                 const struct tcplan_tree *tree, int step,
                                 struct tcplan_error *error);

#endif
