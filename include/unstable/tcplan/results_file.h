/**
 * A file of results that a batch adds to: after every record it is a complete document, and its
 * records are never recomputed.
 *
 * A record is written behind the last one, together with the root's end, in one go. After an
 * interruption (kill, power loss, full disk), the next opening drops an incomplete record. The file
 * is created under another name and renamed, so that its beginning is never torn. As long as it is
 * open, no other process can open it here.
 */
#ifndef TCPLAN_RESULTS_FILE_H
#define TCPLAN_RESULTS_FILE_H

#include "tcplan/results.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tcplan_results_file;

struct tcplan_results_file_options {
    int64_t shard;  /**< 1 to `shards` */
    int64_t shards; /**< 0: the batch is not divided */
    bool restart;   /**< results that are there are replaced; a file of anything else is refused */
    bool mixed;     /**< results of another provenance may be there */
};

/**
 * Opens or creates a file and reads its records.
 *
 * @param out         receives the file, to be closed with tcplan_results_file_close()
 * @param provenance  of the results to be added; borrowed until the file is closed, its id is set
 * @return TCPLAN_OK; TCPLAN_INVALID if the file is no document of results or is open elsewhere;
 *         TCPLAN_MISMATCH if it is one of other provenance or another shard; TCPLAN_ENVIRONMENT if
 *         it cannot be read or written; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_results_file_open(
    struct tcplan_results_file **out, const char *path, struct tcplan_provenance *provenance,
    const struct tcplan_results_file_options *options, struct tcplan_error *error);

/** Whether the file holds a result of this id. */
TCPLAN_API bool tcplan_results_file_has(const struct tcplan_results_file *file, const char *id);

/** Of the records in the file: how many there are, and how many of them failed. `state`,
 * `entry_count` and `digest` are those it was opened with. */
TCPLAN_API struct tcplan_results_summary tcplan_results_file_summary(
    const struct tcplan_results_file *file);

/**
 * Adds a record, whose provenance becomes that of the file.
 *
 * @param synced  the record is also safe from a loss of power when this returns
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT if it cannot be written: the file is as it was;
 *         TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_results_file_append(struct tcplan_results_file *file,
                                                         struct tcplan_result *result, bool synced,
                                                         struct tcplan_error *error);

/**
 * Marks the end: nothing is missing. Everything is safe from a loss of power when this returns.
 *
 * @param entry_count  entries of the libraries, in all shards
 * @param digest       the sum of their ids
 */
TCPLAN_API enum tcplan_status tcplan_results_file_finish(struct tcplan_results_file *file,
                                                         int64_t entry_count, uint64_t digest,
                                                         struct tcplan_error *error);

/** Closes a file; NULL is fine. */
TCPLAN_API void tcplan_results_file_close(struct tcplan_results_file *file);

#ifdef __cplusplus
}
#endif

#endif
