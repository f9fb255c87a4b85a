/**
 * The layout adviser for expressions of several tensors: the steps of a tree as a program of
 * contractions.
 *
 *   tcplan_layout_program_new(&program, &error);
 *   tcplan_network_layouts(program, tree, 1, &error);
 *   tcplan_layout_program_choose(program, "A,C", &error);        otherwise all tensors may change
 *   tcplan_advise(&advice, program, &options, &error);
 */
#ifndef TCPLAN_NETWORK_LAYOUTS_H
#define TCPLAN_NETWORK_LAYOUTS_H

#include "tcplan/advise.h"
#include "tcplan/network_tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Adds the steps of a tree that are executed, each as often as it is. Intermediates and sums are
 * tensors of the program as well, as T1 and so on; they exist only within the program:
 * tcplan_layout_program_settle().
 *
 * @param program  which tensors may change is chosen afterwards
 * @param weight   how often the expression is computed in one run of the program, above 0
 * @return as tcplan_layout_program_add(): steps before the one that is refused are then there;
 *         TCPLAN_INVALID if the program already has a tensor with the name of an intermediate or a
 *         sum
 */
TCPLAN_API enum tcplan_status tcplan_network_layouts(struct tcplan_layout_program *program,
                                                     const struct tcplan_tree *tree, double weight,
                                                     struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
