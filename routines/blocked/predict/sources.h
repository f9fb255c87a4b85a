/**
 * The sources of the times of an algorithm's calls: the models for the case and setup of each call
 * in its text.
 */
#ifndef BLOCKED_SOURCES_H
#define BLOCKED_SOURCES_H

#include "routines/blocked/calls/calls.h"
#include "routines/sampler/generation/cases.h"
#include "tcplan/blocked_predict.h"

/** A model, and the factor that converts its times to the speed of the best model
 * (tcplan_models_good_reference_seconds()). */
struct source_candidate {
    const struct tcplan_model *model;
    double factor;
};

/** The models of one statement. */
struct source {
    const struct blocked_statement *statement; /**< the statement; NULL: no step reaches it */
    struct called_case of;
    int count;
    struct source_candidate *candidate; /**< models that apply, owned; models with the same scalars
                                           precede models for any scalars, and smaller domains
                                           precede larger ones */
};

struct tcplan_blocked_predictor {
    const struct tcplan_blocked *blocked;
    bool extrapolates;
    struct source *source; /**< one for each statement, by number */
};

/** Sets the sizes of a call in the order in which models have them. */
void source_sizes(int64_t out[TCPLAN_MODEL_SIZES], const struct source *source,
                  const struct blocked_call *call);

/** Returns the model for a call that is not empty; NULL if it is missing. */
const struct source_candidate *source_model(const struct source *source, const int64_t size[],
                                            bool *below);

/**
 * Returns the model with the nearest domain to the sizes of a call; NULL if its case has no model.
 *
 * @param near  receives the nearest sizes in this domain
 */
const struct source_candidate *source_nearest(int64_t near[TCPLAN_MODEL_SIZES],
                                              const struct source *source, const int64_t size[]);

#endif
