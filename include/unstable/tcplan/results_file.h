/**
 * A file of results to which a batch adds records. After every record, the file is a complete
 * document. Records in it are never computed again.
 *
 * A record is written after the last one together with the end of the root element, in a single
 * write. After an interruption (kill, power loss, full disk), the next opening drops an incomplete
 * record. The file is created under another name and renamed, so its beginning is never
 * incomplete. While it is open, no other process on this machine can open it.
 */
#ifndef TCPLAN_RESULTS_FILE_H
#define TCPLAN_RESULTS_FILE_H

#include "tcplan/results.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tcplan_results_file;

struct tcplan_results_file_options {
    int64_t shard;  /**< number of this part of the batch, 1 to `shards` */
    int64_t shards; /**< number of parts; 0: the batch is not divided */
    bool restart; /**< whether existing results are replaced; a file of other contents is refused */
    bool mixed;   /**< whether existing results of another provenance are accepted */
};

/**
 * Opens or creates a file and reads its records.
 *
 * @param out         receives the file, to be closed with tcplan_results_file_close()
 * @param provenance  provenance of the results to be added, whose id the function sets; borrowed
 *                    until the file is closed
 * @return TCPLAN_OK; TCPLAN_INVALID if the file is not a document of results, or another process
 *         has it open; TCPLAN_MISMATCH if its results have another provenance or shard;
 *         TCPLAN_ENVIRONMENT if it cannot be read or written; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_results_file_open(
    struct tcplan_results_file **out, const char *path, struct tcplan_provenance *provenance,
    const struct tcplan_results_file_options *options, struct tcplan_error *error);

/** Returns whether the file holds a result with this id. */
TCPLAN_API bool tcplan_results_file_has(const struct tcplan_results_file *file, const char *id);

/** Returns the number of records in the file, and how many of them failed. `state`, `entry_count`
 * and `digest` are those at the time of opening. */
TCPLAN_API struct tcplan_results_summary tcplan_results_file_summary(
    const struct tcplan_results_file *file);

/**
 * Adds a record, whose provenance becomes that of the file.
 *
 * @param synced  true: when the function returns, the record would survive a power loss
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT if it cannot be written: the file is unchanged;
 *         TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_results_file_append(struct tcplan_results_file *file,
                                                         struct tcplan_result *result, bool synced,
                                                         struct tcplan_error *error);

/**
 * Marks the batch as complete. When the function returns, everything would survive a power loss.
 *
 * @param entry_count  number of entries of the libraries, in all shards
 * @param digest       sum of their ids
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
