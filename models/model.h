/**
 * Making models of pieces.
 */
#ifndef MODELS_MODEL_H
#define MODELS_MODEL_H

#include "tcplan/models.h"

/**
 * A model of zeros, to be freed with tcplan_model_free(): pieces without coefficients, and room for
 * these.
 *
 * @param pieces        1 to TCPLAN_MODEL_PIECES
 * @param coefficients  of all pieces together
 * @param room          receives where the first piece's coefficients belong, those of the others
 *                      behind them
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY
 */
enum tcplan_status model_new(struct tcplan_model **out, size_t pieces, size_t coefficients,
                             double (**room)[TCPLAN_MODEL_STATISTICS], struct tcplan_error *error);

/** Returns TCPLAN_OK, or TCPLAN_INVALID if a domain has no or too many sizes, or an end that is
 * not a multiple from the first one on. */
enum tcplan_status model_check_domain(const struct tcplan_model_domain *domain, int64_t multiple,
                                      struct tcplan_error *error);

/**
 * Makes the tree that finds the pieces of a model whose domain, configuration and pieces are set.
 * @return TCPLAN_OK; TCPLAN_INVALID if the pieces do not tile the domain as halving does;
 *   TCPLAN_NO_MEMORY
 */
enum tcplan_status model_index(struct tcplan_model *model, struct tcplan_error *error);

/**
 * Does the same for a model with all members set, from any source, after checking its texts,
 * configuration, degrees, and that numbers are finite.
 * @return TCPLAN_OK; TCPLAN_INVALID with the fault; TCPLAN_NO_MEMORY
 */
enum tcplan_status model_finish(struct tcplan_model *model, struct tcplan_error *error);

#endif
