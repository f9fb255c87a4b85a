/**
 * What documents of models are made of, for the reader; contractions/schemas/models.rng says it for
 * other programs, and what values are.
 */
#ifndef STORE_MODELS_SCHEMA_H
#define STORE_MODELS_SCHEMA_H

#include "contractions/schema.h"

extern const struct schema models_schema;

#endif
