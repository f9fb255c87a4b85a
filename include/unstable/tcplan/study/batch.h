/**
 * A batch: ranks every entry of libraries of contractions, and produces a result for each.
 *
 *   struct tcplan_batch *batch;
 *   tcplan_batch_open(&batch, &options, &error);     reads all libraries, starts a process for the
 *                                                    timings, opens the results
 *   tcplan_batch_run(batch, &error);                 entry by entry
 *   tcplan_batch_close(batch);
 *
 * A separate process ranks and measures, because the code that it calls may crash: that entry then
 * fails, and the batch continues. This process must not have run a BLAS or OpenMP before: their
 * threads do not survive a fork.
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
    int64_t entry_count; /**< number of different entries of the libraries in all shards, so far */
    uint64_t digest;     /**< sum of the ids of these entries */
    int64_t to_do;       /**< entries of this shard without a result at the start; -1: unknown */
    int64_t done;        /**< number of these entries that are done */
    int64_t failed;      /**< number of these entries that failed */
    int64_t known;       /**< entries read so far that had their result at the start */
    int64_t all_known;   /**< entries of the whole shard that had their result at the start */
    int64_t failed_before;
    int64_t plans;       /**< number of plans stored */
    int64_t plans_lost;  /**< number of plans that could not be stored */
    size_t longest_name; /**< length of the longest name in characters */
    double rest_seconds; /**< expected seconds until the end, at the average speed so far, or at a
                            typical speed before the first result; negative: unknown */
};

/** Callbacks of a batch, called in the thread that runs it. Those that are NULL are not called. */
struct tcplan_batch_listener {
    void *context;
    void (*fault)(void *context,
                  const struct tcplan_library_entry *entry); /**< receives an invalid entry, before
                                                                anything is timed */
    void (*begin)(void *context, const struct tcplan_library_entry *entry,
                  const struct tcplan_batch_counts *counts);
    tcplan_progress_fn *progress; /**< receives the progress of the current entry */
    void (*pause)(void *context); /**< called when the current entry has made no progress for a
                                     while */
    tcplan_waiting_fn *waiting;   /**< called while the batch waits for the machine's lock */
    void (*plan_lost)(void *context,
                      const char *reason); /**< receives the reason why a plan could not be stored,
                                              for the first such plan */
    void (*wrong)(void *context,
                  const char *text); /**< receives the text of tcplan_provider_wrong() about a
                                        library opened as a file; called again when the text changes
                                      */
    /** receives the result of an entry, which is already in the file, if there is one. A status
     * other than TCPLAN_OK ends the batch. */
    enum tcplan_status (*result)(void *context, const struct tcplan_result *result,
                                 struct tcplan_error *error);
};

struct tcplan_batch_options {
    const char *const *libraries; /**< names of files; `-`: the library is read through `read` */
    int library_count;
    tcplan_read_fn *read;
    void *read_context;
    struct tcplan_library_options library;
    const char *size_class; /**< selects entries with sizes of this class; "all": every class; NULL:
                               all but the optional ones */
    const char *only;       /**< selects entries whose NAME or GROUP/NAME matches this pattern of
                               fnmatch(); NULL: all */
    struct tcplan_rank_options rank;  /**< options of the rankings. `machine` must be set; type,
                                         order and threads come from the entries, progress goes to
                                         the listener */
    const struct tcplan_store *store; /**< store, borrowed: the experience is read from it, and new
                                         evaluations are added to it about every second; NULL: none
                                       */
    const char *blas_advice; /**< text of tcplan_blas_advise(), borrowed, stored with the results;
                                NULL: none */
    struct tcplan_stored_plans *plans; /**< stored plans, borrowed: searches start from them, and
                                          results are added to them; NULL: none */
    size_t measured;     /**< number of algorithms of each entry that are measured; 0: none */
    const char *results; /**< file to which results are added; NULL: results are only passed to the
                            listener */
    struct tcplan_results_file_options file; /**< options of the results file; its shard is ignored,
                                                that of the batch applies */
    bool unlocked;                           /**< whether timings do not hold this machine's lock */
    const char *lock_path; /**< path of the lock's file, see tcplan_node_lock_open() */
    double lock_seconds;   /**< longest time to wait for the lock, see tcplan_node_lock_open() */
    struct tcplan_batch_listener listener;
};

struct tcplan_batch;

/**
 * Opens a batch. Reads all libraries to find errors before anything is timed, except libraries
 * that can be read only once.
 *
 * @param options  pointers in it are borrowed until the batch is closed
 * @param out      receives the batch, to be closed with tcplan_batch_close()
 * @return TCPLAN_OK; TCPLAN_INVALID if a library or an entry is invalid (`fault` received it), or
 *     no entry is selected; a status of tcplan_library_open() or tcplan_results_file_open()
 */
TCPLAN_API enum tcplan_status tcplan_batch_open(struct tcplan_batch **out,
                                                const struct tcplan_batch_options *options,
                                                struct tcplan_error *error);

/** Returns the provenance of the batch's results; valid until it is closed. */
TCPLAN_API const struct tcplan_provenance *tcplan_batch_provenance(
    const struct tcplan_batch *batch);

TCPLAN_API struct tcplan_batch_counts tcplan_batch_counts(const struct tcplan_batch *batch);

/** Runs the batch to its end. Returns TCPLAN_OK also if entries failed. */
TCPLAN_API enum tcplan_status tcplan_batch_run(struct tcplan_batch *batch,
                                               struct tcplan_error *error);

/** Closes a batch; NULL is fine. */
TCPLAN_API void tcplan_batch_close(struct tcplan_batch *batch);

#ifdef __cplusplus
}
#endif

#endif
