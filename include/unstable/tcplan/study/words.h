/**
 * Words for the values of the library's enumerations, as commands read and results contain them.
 */
#ifndef TCPLAN_STUDY_WORDS_H
#define TCPLAN_STUDY_WORDS_H

#include <stdbool.h>

#include "tcplan/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An entry of a list of words, which ends with NULL. If a value has several words, the first one
 * is printed and all are read. */
struct tcplan_word {
    const char *word;
    int value;
};

/** Words for enum tcplan_library_format */
TCPLAN_API extern const struct tcplan_word tcplan_words_library_formats[];
/** Words for enum tcplan_predictor */
TCPLAN_API extern const struct tcplan_word tcplan_words_predictors[];
/** Words for enum tcplan_stage */
TCPLAN_API extern const struct tcplan_word tcplan_words_stages[];
/** Words for enum tcplan_node_kind, such as `scaling` */
TCPLAN_API extern const struct tcplan_word tcplan_words_parts[];
/** Words for the classes of calls: `steady`, ... */
TCPLAN_API extern const struct tcplan_word tcplan_words_classes[];
/** Words for enum tcplan_part, such as `call overhead` */
TCPLAN_API extern const struct tcplan_word tcplan_words_time_parts[];
/** Words for enum tcplan_reason_kind, such as `calls` */
TCPLAN_API extern const struct tcplan_word tcplan_words_reasons[];
/** Words for enum tcplan_cache_state */
TCPLAN_API extern const struct tcplan_word tcplan_words_cache_states[];
/** Words for enum tcplan_space */
TCPLAN_API extern const struct tcplan_word tcplan_words_spaces[];
/** Words for enum tcplan_dtype */
TCPLAN_API extern const struct tcplan_word tcplan_words_dtypes[];
/** Words for enum tcplan_order */
TCPLAN_API extern const struct tcplan_word tcplan_words_orders[];
/** Words for enum tcplan_entry_status */
TCPLAN_API extern const struct tcplan_word tcplan_words_entry_statuses[];
/** Words for enum tcplan_effort */
TCPLAN_API extern const struct tcplan_word tcplan_words_efforts[];
/** Words for enum tcplan_preference */
TCPLAN_API extern const struct tcplan_word tcplan_words_preferences[];
/** Words for enum tcplan_basis */
TCPLAN_API extern const struct tcplan_word tcplan_words_bases[];
/** Words for enum tcplan_planning_stage */
TCPLAN_API extern const struct tcplan_word tcplan_words_planning_stages[];
/** Words for enum tcplan_time_source, NONE as an empty word */
TCPLAN_API extern const struct tcplan_word tcplan_words_time_sources[];
/** Words for enum tcplan_tuned */
TCPLAN_API extern const struct tcplan_word tcplan_words_tuned[];
/** Words for the bits of enum tcplan_tune_stop, such as `CIO` */
TCPLAN_API extern const struct tcplan_word tcplan_words_tune_stops[];
/** Words for enum tcplan_tune_order */
TCPLAN_API extern const struct tcplan_word tcplan_words_tune_orders[];
/** Words for enum tcplan_tune_interval */
TCPLAN_API extern const struct tcplan_word tcplan_words_tune_intervals[];
/** Words for enum tcplan_tune_extents */
TCPLAN_API extern const struct tcplan_word tcplan_words_tune_extents[];

/** Finds the value of a word; returns false if the list lacks it. */
TCPLAN_API bool tcplan_word_value(const struct tcplan_word *words, const char *word, int *value);

/** Returns the word for a value; "" if the list lacks it. */
TCPLAN_API const char *tcplan_word(const struct tcplan_word *words, int value);

#ifdef __cplusplus
}
#endif

#endif
