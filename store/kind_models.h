/**
 * Models and their samples as what is kept.
 *
 * Models: a line of its own, one for each size, maybe one of its check (store/model_fields.h), then
 * how many pieces and coefficients there are, then a line for each piece:
 *
 *   model case=... provider=... and so on
 *   size name=m degree=2 low=24 high=536
 *   size name=n degree=1 low=24 high=4152
 *   check points=100 mean=0.01 median=...
 *   pieces 2 40
 *   piece 24 24 536 2088 4 3 72 3f747ae147ae147b COEFFICIENTS
 *   piece ...
 *
 * A piece: lower ends, upper ends, degrees, points, error, coefficients in their order, those of
 * one monomial side by side. Numbers that are not whole are exact (store/exact.h).
 *
 * Samples: of what they are, then a line for each point: sizes, repetitions, the five times.
 *
 *   samples case=... provider=... version=... threads=1
 *   sample 24 24 0 0 10 4090...
 */
#ifndef STORE_KIND_MODELS_H
#define STORE_KIND_MODELS_H

#include "tcplan/models.h"
#include "tcplan/store.h"

/** What is written of models. */
struct kept_models {
    size_t count;
    const struct tcplan_model *const *model;
};

/** What models are read into. */
struct read_models {
    struct tcplan_models *models;                 /**< are added to */
    const struct tcplan_fingerprint *fingerprint; /**< only models of these versions of libraries;
                                                     NULL: all */
    size_t skipped;                               /**< others */
};

/** What is written of samples, and read into. */
struct kept_samples {
    char case_text[TCPLAN_MODEL_TEXT];
    struct tcplan_model_setup setup;
    struct tcplan_model_samples samples; /**< reading: are added to */
};

#endif
