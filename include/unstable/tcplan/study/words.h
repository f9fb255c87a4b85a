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

/** enum tcplan_library_format */
TCPLAN_API extern const struct tcplan_word tcplan_words_library_formats[];
/** enum tcplan_predictor */
TCPLAN_API extern const struct tcplan_word tcplan_words_predictors[];
/** enum tcplan_stage */
TCPLAN_API extern const struct tcplan_word tcplan_words_stages[];
/** enum tcplan_node_kind, such as `scaling` */
TCPLAN_API extern const struct tcplan_word tcplan_words_parts[];
/** classes of calls: `steady`, ... */
TCPLAN_API extern const struct tcplan_word tcplan_words_classes[];
/** enum tcplan_part, such as `call overhead` */
TCPLAN_API extern const struct tcplan_word tcplan_words_time_parts[];
/** enum tcplan_reason_kind, such as `calls` */
TCPLAN_API extern const struct tcplan_word tcplan_words_reasons[];
/** enum tcplan_cache_state */
TCPLAN_API extern const struct tcplan_word tcplan_words_cache_states[];
/** enum tcplan_space */
TCPLAN_API extern const struct tcplan_word tcplan_words_spaces[];
/** enum tcplan_dtype */
TCPLAN_API extern const struct tcplan_word tcplan_words_dtypes[];
/** enum tcplan_order */
TCPLAN_API extern const struct tcplan_word tcplan_words_orders[];
/** enum tcplan_entry_status */
TCPLAN_API extern const struct tcplan_word tcplan_words_entry_statuses[];
/** enum tcplan_effort */
TCPLAN_API extern const struct tcplan_word tcplan_words_efforts[];
/** enum tcplan_preference */
TCPLAN_API extern const struct tcplan_word tcplan_words_preferences[];
/** enum tcplan_basis */
TCPLAN_API extern const struct tcplan_word tcplan_words_bases[];
/** enum tcplan_planning_stage */
TCPLAN_API extern const struct tcplan_word tcplan_words_planning_stages[];
/** enum tcplan_time_source, NONE as an empty word */
TCPLAN_API extern const struct tcplan_word tcplan_words_time_sources[];
/** enum tcplan_tuned */
TCPLAN_API extern const struct tcplan_word tcplan_words_tuned[];
/** bits of enum tcplan_tune_stop, such as `CIO` */
TCPLAN_API extern const struct tcplan_word tcplan_words_tune_stops[];
/** enum tcplan_tune_order */
TCPLAN_API extern const struct tcplan_word tcplan_words_tune_orders[];
/** enum tcplan_tune_interval */
TCPLAN_API extern const struct tcplan_word tcplan_words_tune_intervals[];
/** enum tcplan_tune_extents */
TCPLAN_API extern const struct tcplan_word tcplan_words_tune_extents[];

/** Finds the value of a word; returns false if the list lacks it. */
TCPLAN_API bool tcplan_word_value(const struct tcplan_word *words, const char *word, int *value);

/** Returns the word for a value; "" if the list lacks it. */
TCPLAN_API const char *tcplan_word(const struct tcplan_word *words, int value);

#ifdef __cplusplus
}
#endif

#endif
