/**
 * The words of models as lists, in the order of their enums, ended by NULL.
 */
#ifndef MODELS_WORDS_H
#define MODELS_WORDS_H

#include "tcplan/models.h"

extern const char *const model_statistics[];
extern const char *const model_placements[];
extern const char *const model_grids[];
extern const char *const model_measures[];

#endif
