/**
 * Networks as C: one function for all the steps of a tree.
 */
#ifndef TCPLAN_NETWORK_EMIT_H
#define TCPLAN_NETWORK_EMIT_H

#include "tcplan/network_order.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Writes `int NAME(const T *A, const T *B, ..., T *E)`, a pointer to each distinct tensor in the
 * order in which the notation first names them, the result last: one that is a factor twice has
 * one. Parameters are called as the tensors are; where such a name means something else in C or in
 * the function it is `operandN`, or `result`. Each step is a static function. Intermediates share
 * one workspace, which is allocated once; steps that copy have temporaries of their own. The
 * function returns 0, or ENOMEM: the result is then untouched.
 *
 * @param out       receives the text, to be freed with free(); untouched on failure
 * @param planner   as of tcplan_network_plan_new()
 * @param function  its name, a C identifier; NULL: `contract`
 * @return as tcplan_network_plan_new() and tcplan_plan_emit(); TCPLAN_INVALID where the function
 *         cannot be called so
 */
TCPLAN_API enum tcplan_status tcplan_network_emit(char **out, const struct tcplan_tree *tree,
                                                  struct tcplan_planner *planner,
                                                  const char *function, struct tcplan_error *error);

/**
 * Writes a header that declares the function of tcplan_network_emit(), for C and C++; complex
 * elements are `NAME_element`. To be freed with free().
 *
 * @return TCPLAN_OK; TCPLAN_INVALID where the function cannot be called so; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_network_emit_header(char **out, const struct tcplan_tree *tree,
                                                         const char *function,
                                                         struct tcplan_error *error);

/**
 * Writes a program to stand behind what tcplan_network_emit() writes: it checks elements of the
 * result, on random tensors, by naive loops where these do not take too long, and times the
 * function. It ends with 0, 1 where the check fails, 3 where memory is out. Status as
 * tcplan_network_emit_header().
 */
TCPLAN_API enum tcplan_status tcplan_network_emit_main(char **out, const struct tcplan_tree *tree,
                                                       const char *function, int threads,
                                                       struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
