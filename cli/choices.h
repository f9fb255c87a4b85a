/**
 * Words on the command line and in the output that stand for a value, both ways.
 */
#ifndef CLI_CHOICES_H
#define CLI_CHOICES_H

#include <stdbool.h>

#include "tcplan/explain.h"

enum output_format { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_CSV, OUTPUT_XML, OUTPUT_JSON_LINES };

/** A list of words, ended by a NULL. */
struct choice {
    const char *word;
    int value;
};

extern const struct choice choice_formats[];
extern const struct choice choice_result_formats[];
extern const struct choice choice_library_formats[];
extern const struct choice choice_predictors[];
extern const struct choice choice_stages[];
extern const struct choice choice_parts[];
extern const struct choice choice_classes[];
extern const struct choice choice_time_parts[];
extern const struct choice choice_reasons[];
extern const struct choice choice_cache_states[];
extern const struct choice choice_spaces[];
extern const struct choice choice_dtypes[];
extern const struct choice choice_orders[];
extern const struct choice choice_entry_statuses[];
extern const struct choice choice_efforts[];
extern const struct choice choice_bases[];

/** The value of a word; false where the list lacks it. */
bool choice_find(const struct choice *choices, const char *word, int *value);

/** The word for a value, which the list has. */
const char *choice_word(const struct choice *choices, int value);

#endif
