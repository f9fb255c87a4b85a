/**
 * A batch: every entry of libraries is ranked, and becomes a result.
 *
 *   struct tcplan_batch *batch;
 *   tcplan_batch_open(&batch, &options, &error);     reads all libraries, starts a process for the
 *                                                    timings, opens the results
 *   tcplan_batch_run(batch, &error);                 entry by entry
 *   tcplan_batch_close(batch);
 *
 * A separate process ranks and measures, as the code it calls may crash: that entry fails, and the
 * batch continues. This process must not have run a BLAS or OpenMP before: their threads do not
 * survive a fork.
 *
 * Results in a file are never computed again: an interrupted batch resumes.
 */
#ifndef TCPLAN_STUDY_BATCH_H
#define TCPLAN_STUDY_BATCH_H

#include "tcplan/library.h"
#include "tcplan/rank.h"
#include "tcplan/results_file.h"
#include "tcplan/store.h"
#include "tcplan/stored_plans.h"
#include "tcplan/study/node_lock.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Progress of a batch. */
struct tcplan_batch_counts {
    int64_t entry_count; /**< entries of the libraries in all shards, so far; duplicates count once
                          */
    uint64_t digest;     /**< sum of their ids */
    int64_t to_do;       /**< entries without a result at the start; -1: not known */
    int64_t done;        /**< of these */
    int64_t failed;      /**< of these */
    int64_t known;       /**< entries that had their result at the start, so far */
    int64_t all_known;   /**< the same, of all entries of the shard; `to_do` are the others */
    int64_t failed_before;
    int64_t plans;       /**< plans stored */
    int64_t plans_lost;  /**< plans that could not be stored */
    size_t longest_name; /**< characters */
    double rest_seconds; /**< expected seconds of the rest, at the average speed so far; negative:
                            unknown */
};

/** Callbacks of a batch, in the thread that runs it. Functions that are NULL are not called. */
struct tcplan_batch_listener {
    void *context;
    void (*fault)(void *context,
                  const struct tcplan_library_entry *entry); /**< an invalid entry, before anything
                                                                is timed */
    void (*begin)(void *context, const struct tcplan_library_entry *entry,
                  const struct tcplan_batch_counts *counts);
    tcplan_progress_fn *progress; /**< of the entry */
    void (*pause)(void *context); /**< the entry makes no progress for a while */
    tcplan_waiting_fn *waiting;   /**< waiting for the lock */
    void (*plan_lost)(void *context,
                      const char *reason); /**< the first plan that could not be stored, and why */
    void (*wrong)(void *context, const char *text); /**< text of tcplan_provider_wrong() about an
                                                       opened file; called again when it changes */
    /** The result of the entry, which is in the file already if there is one. Another status than
     * TCPLAN_OK ends the batch. */
    enum tcplan_status (*result)(void *context, const struct tcplan_result *result,
                                 struct tcplan_error *error);
};

struct tcplan_batch_options {
    const char *const *libraries; /**< files; `-`: what `read` gives */
    int library_count;
    tcplan_read_fn *read;
    void *read_context;
    struct tcplan_library_options library;
    const char *size_class; /**< only entries of this class; "all": every class; NULL: all but the
                               optional ones */
    const char *only; /**< only entries whose NAME or GROUP/NAME matches this pattern of fnmatch();
                         NULL: all */
    struct tcplan_rank_options rank; /**< its machine must be set; type, order and threads are those
                                        of the entries, progress that of the listener */
    const struct tcplan_store *store; /**< experience is read from it, and new evaluations are
                                         stored in it about every second; borrowed; NULL: none */
    const char *blas_advice; /**< from tcplan_blas_advise(), stored with the results; borrowed;
                                NULL: none */
    struct tcplan_stored_plans *plans; /**< searches start from them and add their results;
                                          borrowed; NULL: none */
    size_t measured;     /**< number of algorithms of each entry that are executed; 0: none */
    const char *results; /**< file to which results are added; NULL: results are only passed to the
                            listener */
    struct tcplan_results_file_options file; /**< of that file; its shard is that of the batch in
                                                any case */
    bool unlocked;         /**< this machine's lock is not held while something is timed */
    const char *lock_path; /**< as of tcplan_node_lock_open() */
    double lock_seconds;   /**< likewise */
    struct tcplan_batch_listener listener;
};

struct tcplan_batch;

/**
 * Reads all libraries, unless one can be read only once, to find errors before anything is timed.
 *
 * @param options their pointers are borrowed until the batch is closed
 * @param out      receives the batch, to be closed with tcplan_batch_close()
 * @return TCPLAN_OK; TCPLAN_INVALID if a library or an entry of it is refused, which `fault` was
 *         told, or none is chosen; a status of tcplan_library_open() or tcplan_results_file_open()
 */
TCPLAN_API enum tcplan_status tcplan_batch_open(struct tcplan_batch **out,
                                                const struct tcplan_batch_options *options,
                                                struct tcplan_error *error);

/** Returns the properties common to all results of the batch; valid until it is closed. */
TCPLAN_API const struct tcplan_provenance *tcplan_batch_provenance(
    const struct tcplan_batch *batch);

TCPLAN_API struct tcplan_batch_counts tcplan_batch_counts(const struct tcplan_batch *batch);

/** Runs the batch to its end. TCPLAN_OK also if entries failed. */
TCPLAN_API enum tcplan_status tcplan_batch_run(struct tcplan_batch *batch,
                                               struct tcplan_error *error);

/** Ends a batch; NULL is fine. */
TCPLAN_API void tcplan_batch_close(struct tcplan_batch *batch);

#ifdef __cplusplus
}
#endif

#endif
