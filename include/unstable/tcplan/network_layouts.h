/**
 * Advises on layouts for expressions of several tensors: converts the steps of a tree to a program
 * of contractions.
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
 * Adds the executed steps of a tree to a program of layouts, weighted by how often each runs.
 * Intermediates and sums become internal tensors of the program, named T1 and so on
 * (tcplan_layout_program_settle()).
 *
 * @param program  receives the steps; mark the tensors whose layouts may change after this call
 * @param weight   number of times the expression is computed in one run of the program, above 0
 * @return a status of tcplan_layout_program_add(): steps before an invalid one remain added;
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
