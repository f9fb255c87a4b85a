/**
 * What a model is, but for its pieces, as a table: for its text in the store, and for its
 * attributes in XML.
 */
#ifndef STORE_MODEL_FIELDS_H
#define STORE_MODEL_FIELDS_H

#include "store/fields.h"
#include "tcplan/models.h"

/* All of struct tcplan_model. */

/** But for its sizes and its check. */
extern const struct field model_fields[];

enum { MODEL_SIZE_FIELDS = 4 };

/** Of each of its sizes: `name`, `degree`, `low`, `high`. */
extern const struct field model_size_fields[TCPLAN_MODEL_SIZES][MODEL_SIZE_FIELDS + 1];

/** Of its check. */
extern const struct field model_check_fields[];

#endif
