/**
 * Where the times of an algorithm's calls are from: for each call in its text the models of its
 * case and setup.
 */
#ifndef BLOCKED_SOURCES_H
#define BLOCKED_SOURCES_H

#include "routines/blocked/calls/calls.h"
#include "routines/sampler/generation/cases.h"
#include "tcplan/blocked_predict.h"

/** A model, and what its times are multiplied with to be those at the pace of the best model
 * (tcplan_models_good_reference_seconds()). */
struct source_candidate {
    const struct tcplan_model *model;
    double factor;
};

/** Of one statement. */
struct source {
    const struct blocked_statement *statement; /**< NULL: the text has it, but no step reaches it */
    struct called_case of;
    int count;
    struct source_candidate *candidate; /**< owned: those of the case itself before those of any
                                           scalars, smaller domains before larger ones */
};

struct tcplan_blocked_predictor {
    const struct tcplan_blocked *blocked;
    struct source *source; /**< by number of the statement */
};

/** The sizes of a call as models want them. */
void source_sizes(int64_t out[TCPLAN_MODEL_SIZES], const struct source *source,
                  const struct blocked_call *call);

/** The model of a call that is not empty; NULL if it is missing. */
const struct source_candidate *source_model(const struct source *source, const int64_t size[],
                                            bool *below);

#endif
