/** Models with random polynomials, for tests. Their pieces are boxes of sizes that are halved at
 * random. */
#ifndef SUPPORT_A_MODEL_H
#define SUPPORT_A_MODEL_H

#include "tcplan/models.h"

/** Makes a model with up to `pieces` pieces on [8,520] in each size, to be freed with
 * tcplan_model_free(). On failure, ends the test. */
struct tcplan_model *a_model(const char *case_text, int sizes, size_t pieces, uint64_t seed);

#endif
