/** Properties of a contraction's tensors and indices that need no sizes. */
#ifndef AST_CONTRACTION_CONTRACTION_H
#define AST_CONTRACTION_CONTRACTION_H

#include "tcplan/contraction.h"

/**
 * Copies a contraction with all its names.
 *
 * @param out  receives the copy, to be freed with tcplan_contraction_free()
 * @return TCPLAN_OK, TCPLAN_NO_MEMORY
 */
enum tcplan_status contraction_copy(struct tcplan_contraction **out,
                                    const struct tcplan_contraction *contraction,
                                    struct tcplan_error *error);

/**
 * Prints like tcplan_contraction_text(). With `conjugates` it prints `conj(D) = ...`, with the
 * conjugate of the computed value on the right-hand side.
 */
char *contraction_text(const struct tcplan_contraction *contraction, bool conjugates);

/** Returns whether a text, which can be parsed, writes its result as `conj(D)`. */
bool contraction_text_conjugates(const char *text);

/** Returns the tensor that beta scales: the addend if there is one, else the result;
 * TCPLAN_TENSORS if beta is 0. */
enum tcplan_operand contraction_added(const struct tcplan_contraction *contraction);

/** Lists the tensors in the argument order of generated functions: A, B, the addend if there is
 * one, the result. Returns their number. */
int contraction_tensors(const struct tcplan_contraction *contraction,
                        enum tcplan_operand tensor[TCPLAN_TENSORS]);

/** Returns whether any tensor of a contraction is strided. */
bool contraction_is_strided(const struct tcplan_contraction *contraction);

/**
 * Returns the index along which elements of a tensor are contiguous, the first of several; -1 if
 * there is none (a scalar, a diagonal, strides above 1).
 */
int contraction_unit_index(const struct tcplan_contraction *contraction,
                           enum tcplan_operand operand);

/** Returns the indices that only `operand` has; a copy of the operand sums over them. */
uint64_t contraction_summed(const struct tcplan_contraction *contraction,
                            enum tcplan_operand operand);

/** Returns the indices that loops and kernels run over: all except those of a single factor. */
uint64_t contraction_run(const struct tcplan_contraction *contraction);

/** Returns whether the elements along an index are contiguous in a tensor. With strides this may
 * hold for several indices, of which only one is longer than 1. */
bool contraction_is_unit(const struct tcplan_contraction *contraction, enum tcplan_operand operand,
                         int index);

/** Returns the distance of a tensor's index from its contiguous end, in dimensions; the rank if
 * the tensor lacks the index. */
int contraction_place(const struct tcplan_contraction *contraction, enum tcplan_operand operand,
                      int index);

#endif
