/**
 * Joining documents of results: shards of a batch, or results of several batches.
 */
#ifndef TCPLAN_STUDY_MERGE_H
#define TCPLAN_STUDY_MERGE_H

#include "tcplan/results.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tcplan_merge_options {
    const char *const *paths; /**< of the documents */
    int count;
    bool mixed;            /**< results of different provenance may be joined */
    tcplan_result_fn *use; /**< receives every record, with its provenance in the whole, numbered
                              from 1; NULL: all is only checked */
    void *context;
};

/**
 * Reads documents of complete batches: all shards of one, or documents of batches that were not
 * divided. No result may be there twice.
 *
 * @param summary  receives the summary of the whole; may be NULL
 * @return TCPLAN_OK; TCPLAN_INVALID if documents do not belong together or something is missing;
 *         TCPLAN_MISMATCH if their provenance differs; what `use` returned; a status of
 *         tcplan_results_next()
 */
TCPLAN_API enum tcplan_status tcplan_merge(const struct tcplan_merge_options *options,
                                           struct tcplan_results_summary *summary,
                                           struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
