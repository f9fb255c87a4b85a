/** Emits C for a network: one function that runs every step of a tree. */
#ifndef TCPLAN_NETWORK_EMIT_H
#define TCPLAN_NETWORK_EMIT_H

#include "tcplan/network_order.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Writes `int NAME(const T *A, const T *B, ..., T *E)`. Parameters are one pointer for each
 * distinct tensor, in the order in which the notation first names them, then the result. They have
 * the names of the tensors. A name that already has a meaning in C or in the function becomes
 * `operandN` or `result`.
 *
 * Each step is a static function. Intermediates share one workspace, allocated once; steps that
 * pack or transpose operands allocate their own temporaries. The function returns 0, or ENOMEM with
 * the result untouched.
 *
 * @param out       receives the text, to be freed with free(); untouched on failure
 * @param planner   gives the number of threads, and plans the steps without an algorithm; NULL: the
 *                  defaults of tcplan_planner_new()
 * @param function  name of the function, a C identifier; NULL: `contract`
 * @return TCPLAN_OK; TCPLAN_INVALID if the name cannot be used for a function, or a sliced index
 *         has extent 0; TCPLAN_NOT_APPLICABLE if a step has no algorithm that can be executed and
 *         written in C; TCPLAN_CANCELLED; TCPLAN_OVERFLOW if the bytes of the workspace do not fit;
 *         TCPLAN_NO_MEMORY; TCPLAN_ENVIRONMENT if the machine is not recognised
 */
TCPLAN_API enum tcplan_status tcplan_network_emit(char **out, const struct tcplan_tree *tree,
                                                  struct tcplan_planner *planner,
                                                  const char *function, struct tcplan_error *error);

/**
 * Writes a header for C and C++ that declares the function of tcplan_network_emit(). The type of
 * complex elements is called `NAME_element`.
 *
 * @param out       receives the text, to be freed with free(); untouched on failure
 * @param function  name of the function, a C identifier; NULL: `contract`
 * @return TCPLAN_OK; TCPLAN_INVALID if the name cannot be used for a function; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_network_emit_header(char **out, const struct tcplan_tree *tree,
                                                         const char *function,
                                                         struct tcplan_error *error);

/**
 * Writes a Fortran module, `NAME_interface`, with the interface of the function. Arrays are
 * declared with their extents; those of more dimensions than Fortran allows, as `(*)`. Parameters
 * have the names that tcplan_network_emit() gives them. If two of these are equal in Fortran, where
 * `a` is `A`, or one is too long for Fortran, all tensors are called `operandN` and the result
 * `result`.
 *
 * @param out       receives the text, to be freed with free(); untouched on failure
 * @param function  name of the function, a C identifier; NULL: `contract`
 * @return TCPLAN_OK; TCPLAN_INVALID if the name cannot be used for a function; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_network_emit_fortran(char **out,
                                                          const struct tcplan_tree *tree,
                                                          const char *function,
                                                          struct tcplan_error *error);

/**
 * Writes a main program to append to the text of tcplan_network_emit(). On random tensors, it
 * checks elements of the result against naive loops, unless these take too long, and times the
 * function. Its exit status is 0, 1 if the check fails, or 3 if memory runs out.
 *
 * @param out       receives the text, to be freed with free(); untouched on failure
 * @param function  name of the function, a C identifier; NULL: `contract`
 * @param threads   number of threads that the BLAS may use in the program
 * @return TCPLAN_OK; TCPLAN_INVALID if the name cannot be used for a function; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_network_emit_main(char **out, const struct tcplan_tree *tree,
                                                       const char *function, int threads,
                                                       struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
