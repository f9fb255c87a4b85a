/** Joins documents of results: the shards of a batch, or the results of several batches. */
#ifndef TCPLAN_STUDY_MERGE_H
#define TCPLAN_STUDY_MERGE_H

#include "tcplan/results.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tcplan_merge_options {
    const char *const *paths; /**< names of the documents */
    int count;
    bool mixed;            /**< whether results may have different provenance */
    tcplan_result_fn *use; /**< receives every record, with provenances numbered from 1 across all
                              documents; NULL: the documents are only checked */
    void *context;
};

/**
 * Reads documents of complete batches: all shards of one batch, or the documents of undivided
 * batches. No result may occur twice.
 *
 * @param summary  receives the summary of all documents; may be NULL
 * @return TCPLAN_OK; TCPLAN_INVALID if documents do not belong together or something is missing;
 *         TCPLAN_MISMATCH if their provenance differs without `mixed`, or for
 *         results of one contraction; the status that `use` returned; a status of
 *         tcplan_results_next()
 */
TCPLAN_API enum tcplan_status tcplan_merge(const struct tcplan_merge_options *options,
                                           struct tcplan_results_summary *summary,
                                           struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
