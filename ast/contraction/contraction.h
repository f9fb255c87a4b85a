/**
 * What a contraction says of its tensors' indices, as far as it is known without sizes.
 */
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
 * As tcplan_contraction_text(); `conjugates`: as `conj(D) = ...`, where the right-hand side is the
 * conjugate of what the contraction computes.
 */
char *contraction_text(const struct tcplan_contraction *contraction, bool conjugates);

/** Whether a notation that was parsed writes its result as `conj(D)`. */
bool contraction_text_conjugates(const char *text);

/** What beta is applied to: the addend, or else the result; TCPLAN_TENSORS where beta is 0. */
enum tcplan_operand contraction_added(const struct tcplan_contraction *contraction);

/** The tensors in the order of functions that take them: A, B, the addend where there is one, and
 * the result. Returns how many. */
int contraction_tensors(const struct tcplan_contraction *contraction,
                        enum tcplan_operand tensor[TCPLAN_TENSORS]);

/** Whether any tensor of a contraction is strided. */
bool contraction_is_strided(const struct tcplan_contraction *contraction);

/**
 * The index whose elements are contiguous in a tensor, the first where there are several; -1 where
 * there is none (a scalar, a diagonal, strides beyond 1).
 */
int contraction_unit_index(const struct tcplan_contraction *contraction,
                           enum tcplan_operand operand);

/** The indices that only `operand` has, which its copy sums over. */
uint64_t contraction_summed(const struct tcplan_contraction *contraction,
                            enum tcplan_operand operand);

/** The indices that loops and kernels run over: all but those in one factor only. */
uint64_t contraction_run(const struct tcplan_contraction *contraction);

/** Whether the elements along an index are contiguous in a tensor; strides may say so of several,
 * of which but one is longer than 1. */
bool contraction_is_unit(const struct tcplan_contraction *contraction, enum tcplan_operand operand,
                         int index);

/** How far a tensor's index is from the one whose elements lie closest together; its rank where it
 * lacks the index. */
int contraction_place(const struct tcplan_contraction *contraction, enum tcplan_operand operand,
                      int index);

#endif
