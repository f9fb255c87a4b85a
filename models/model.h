/** Makes models from pieces. */
#ifndef MODELS_MODEL_H
#define MODELS_MODEL_H

#include "tcplan/models.h"

/**
 * Allocates a zeroed model, to be freed with tcplan_model_free(), with room for its pieces and
 * their coefficients.
 *
 * @param pieces  1 to TCPLAN_MODEL_PIECES
 * @param coefficients  the number of coefficients of all pieces together
 * @param room  receives an array for all coefficients, which the caller divides among the pieces
 *     in order
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY
 */
enum tcplan_status model_new(struct tcplan_model **out, size_t pieces, size_t coefficients,
                             double (**room)[TCPLAN_MODEL_STATISTICS], struct tcplan_error *error);

/** Checks that a domain has 1 to TCPLAN_MODEL_SIZES sizes and that the ends of each are positive
 * multiples of `multiple`, or equal. Returns TCPLAN_OK or TCPLAN_INVALID. */
enum tcplan_status model_check_domain(const struct tcplan_model_domain *domain, int64_t multiple,
                                      struct tcplan_error *error);

/**
 * Makes the tree that finds the pieces of a model whose domain, configuration and pieces are set.
 * @return TCPLAN_OK; TCPLAN_INVALID if the pieces do not tile the domain as halving does;
 *   TCPLAN_NO_MEMORY
 */
enum tcplan_status model_index(struct tcplan_model *model, struct tcplan_error *error);

/**
 * Checks a model with all members set, from any source: its texts, configuration and degrees, and
 * that numbers are finite. Then does the same as model_index().
 * @return TCPLAN_OK; TCPLAN_INVALID with the fault; TCPLAN_NO_MEMORY
 */
enum tcplan_status model_finish(struct tcplan_model *model, struct tcplan_error *error);

#endif
