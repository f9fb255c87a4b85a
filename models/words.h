/**
 * The words of the enumerations in tcplan/models.h, in the order of the values, NULL after the
 * last one.
 */
#ifndef MODELS_WORDS_H
#define MODELS_WORDS_H

#include "tcplan/models.h"

extern const char *const model_statistics[];
extern const char *const model_placements[];
extern const char *const model_grids[];
extern const char *const model_measures[];

#endif
