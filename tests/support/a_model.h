/**
 * Models for tests: of random coefficients, with boxes that are halved at random.
 */
#ifndef SUPPORT_A_MODEL_H
#define SUPPORT_A_MODEL_H

#include "tcplan/models.h"

/** A model with up to `pieces` pieces on [8,520] in each of its sizes, to be freed with
 * tcplan_model_free(); ends the test if there is none. */
struct tcplan_model *a_model(const char *case_text, int sizes, size_t pieces, uint64_t seed);

#endif
