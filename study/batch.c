#include "study/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/deadline.h"
#include "base/error.h"
#include "study/batch_worker.h"

static const double sync_seconds = 1; /* time, in seconds, after a sync until the next cheap result
                                         is synced to disk, with all results before it */
static const double costly_seconds =
    0.01; /* time, in seconds, from which on a result is synced to disk at once */

/** Counts an entry, whatever its shard. Entries with the same id count once. */
static enum tcplan_status count(struct tcplan_batch *batch,
                                const struct tcplan_library_entry *entry,
                                struct tcplan_error *error) {
    struct tcplan_batch_counts *counts = &batch->counts;
    const size_t length = strlen(entry->name);
    const uint64_t id = strtoull(entry->id, NULL, 16);
    if (length > counts->longest_name) counts->longest_name = length;
    if (!batch->stream || batch->file) {
        if (id_set_has(&batch->met, id)) return TCPLAN_OK;
        if (!id_set_add(&batch->met, id)) return error_no_memory(error);
    }
    counts->entry_count++;
    counts->digest += id;
    return TCPLAN_OK;
}

/** Reads all libraries, and counts their entries; fails if an entry is faulty. */
static enum tcplan_status check_libraries(struct tcplan_batch *batch, struct tcplan_error *error) {
    const struct tcplan_batch_listener *listener = &batch->options.listener;
    const struct tcplan_library_entry *entry;
    int64_t faults = 0, entries = 0;
    enum tcplan_status status = batch_input_next(&batch->input, &entry, error);
    for (; status == TCPLAN_OK && entry; entries++) {
        faults += entry->fault != NULL;
        if (entry->fault && listener->fault) listener->fault(listener->context, entry);
        status = count(batch, entry, error);
        if (status == TCPLAN_OK) status = batch_input_next(&batch->input, &entry, error);
    }
    batch_input_rewind(&batch->input);
    if (status != TCPLAN_OK || faults == 0) return status;
    return error_set(error, TCPLAN_INVALID, "%lld of %lld contractions %s refused; nothing was run",
                     (long long)faults, (long long)entries, faults == 1 ? "is" : "are");
}

/** Fails if no entry is selected, because this is most likely a mistake. */
static enum tcplan_status check_choice(const struct tcplan_batch *batch,
                                       struct tcplan_error *error) {
    const struct tcplan_batch_options *options = &batch->options;
    const char *only = options->only, *class = options->size_class;
    if (batch->counts.entry_count > 0) return TCPLAN_OK;
    if (!only && !class)
        return error_set(error, TCPLAN_INVALID, "the libraries hold no contraction");
    return error_set(error, TCPLAN_INVALID,
                     "no contraction of the libraries has %s%.60s%s%s%s%.60s%s",
                     only ? "a name like '" : "", only ? only : "", only ? "'" : "",
                     only && class ? " and " : "", class ? "sizes of class '" : "",
                     class ? class : "", class ? "'" : "");
}

static bool has_result(const struct tcplan_batch *batch, const struct tcplan_library_entry *entry) {
    return batch->file && tcplan_results_file_has(batch->file, entry->id);
}

/** Counts the entries of the shard that have no result yet. */
static enum tcplan_status count_to_do(struct tcplan_batch *batch, struct tcplan_error *error) {
    const struct tcplan_library_entry *entry;
    enum tcplan_status status;
    batch->counts.to_do = batch->counts.all_known = 0;
    while ((status = batch_input_next(&batch->input, &entry, error)) == TCPLAN_OK && entry) {
        if (!batch_input_in_shard(&batch->input, entry)) continue;
        int64_t *number =
            has_result(batch, entry) ? &batch->counts.all_known : &batch->counts.to_do;
        ++*number;
    }
    batch_input_rewind(&batch->input);
    return status;
}

static enum tcplan_status open_results(struct tcplan_batch *batch, struct tcplan_error *error) {
    const struct tcplan_batch_options *options = &batch->options;
    if (!options->results) return TCPLAN_OK;
    enum tcplan_status status = tcplan_results_file_open(
        &batch->file, options->results, &batch->provenance.provenance, &options->file, error);
    if (status == TCPLAN_OK)
        batch->counts.failed_before = tcplan_results_file_summary(batch->file).failed_count;
    batch->synced = monotonic_seconds();
    return status;
}

/** Checks the libraries, starts the worker, and opens the files. Files are opened last: a worker
 * that is started while they are open would keep them open. */
static enum tcplan_status prepare(struct tcplan_batch *batch, struct tcplan_error *error) {
    const struct tcplan_batch_options *options = &batch->options;
    enum tcplan_status status = batch->stream ? TCPLAN_OK : check_libraries(batch, error);
    if (status == TCPLAN_OK && !batch->stream) status = check_choice(batch, error);
    if (status == TCPLAN_OK) status = batch_worker_start(batch, error);
    if (status == TCPLAN_OK && !options->unlocked) {
        status =
            tcplan_node_lock_open(&batch->lock, options->lock_path, options->lock_seconds, error);
    }
    if (status != TCPLAN_OK) return status;
    provenance_make(&batch->provenance, &options->rank, options->measured, options->blas_advice);
    status = open_results(batch, error);
    return status == TCPLAN_OK && !batch->stream ? count_to_do(batch, error) : status;
}

enum tcplan_status tcplan_batch_open(struct tcplan_batch **out,
                                     const struct tcplan_batch_options *options,
                                     struct tcplan_error *error) {
    struct tcplan_batch *batch = base_alloc_zero(1, sizeof *batch);
    if (!batch) return error_no_memory(error);
    batch->options = *options;
    batch->machine = *options->rank.machine;
    batch->options.rank.machine = &batch->machine;
    batch->input.options = &batch->options;
    batch->counts.to_do = -1;
    batch->stream = batch_input_is_stream(&batch->input);
    enum tcplan_status status = prepare(batch, error);
    if (status == TCPLAN_OK) {
        *out = batch;
    } else {
        tcplan_batch_close(batch);
    }
    return status;
}

const struct tcplan_provenance *tcplan_batch_provenance(const struct tcplan_batch *batch) {
    return &batch->provenance.provenance;
}

struct tcplan_batch_counts tcplan_batch_counts(const struct tcplan_batch *batch) {
    return batch->counts;
}

/* Entry by entry. */

/** Adds the record to the file. Expensive results are synced to disk at once, cheap ones
 * occasionally. */
static enum tcplan_status keep(struct tcplan_batch *batch, double seconds,
                               struct tcplan_error *error) {
    const double now = monotonic_seconds();
    const bool synced = seconds > costly_seconds || now - batch->synced > sync_seconds;
    if (synced) batch->synced = now;
    return tcplan_results_file_append(batch->file, &batch->record.result, synced, error);
}

/** Typical seconds of a ranking by effort, on two cores. Used until there is a first result. */
static const double usual_seconds[] = {[TCPLAN_EFFORT_ESTIMATE] = 0.05,
                                       [TCPLAN_EFFORT_QUICK] = 0.4,
                                       [TCPLAN_EFFORT_NORMAL] = 4,
                                       [TCPLAN_EFFORT_THOROUGH] = 30};

/** Returns the expected seconds of an entry: the average of the entries so far, or a typical time
 * within the time limit if there are none. */
static double entry_seconds(const struct tcplan_batch *batch) {
    const struct tcplan_rank_options *rank = &batch->options.rank;
    const double usual = usual_seconds[rank->effort], limit = rank->time_limit_seconds;
    const int64_t done = batch->counts.done;
    if (done > 0) return (monotonic_seconds() - batch->started) / (double)done;
    return limit > 0 && limit < usual ? limit : usual;
}

static void report_begin(struct tcplan_batch *batch, const struct tcplan_library_entry *entry) {
    struct tcplan_batch_counts *counts = &batch->counts;
    const struct tcplan_batch_listener *listener = &batch->options.listener;
    counts->rest_seconds =
        counts->to_do > 0 ? entry_seconds(batch) * (double)(counts->to_do - counts->done) : -1;
    if (listener->begin) listener->begin(listener->context, entry, counts);
}

static enum tcplan_status run_entry(struct tcplan_batch *batch,
                                    const struct tcplan_library_entry *entry,
                                    struct tcplan_error *error) {
    const struct tcplan_batch_listener *listener = &batch->options.listener;
    const double started = monotonic_seconds();
    report_begin(batch, entry);
    enum tcplan_status status = batch_evaluate(batch, entry, error);
    if (listener->pause) listener->pause(listener->context);
    if (status != TCPLAN_OK) return status;
    batch->counts.done++;
    batch->counts.failed += batch->record.result.reason != NULL;
    batch->record.result.provenance = &batch->provenance.provenance;
    if (batch->file) status = keep(batch, monotonic_seconds() - started, error);
    if (status != TCPLAN_OK || !listener->result) return status;
    return listener->result(listener->context, &batch->record.result, error);
}

enum tcplan_status tcplan_batch_run(struct tcplan_batch *batch, struct tcplan_error *error) {
    const struct tcplan_library_entry *entry;
    enum tcplan_status status;
    batch->started = monotonic_seconds();
    while ((status = batch_input_next(&batch->input, &entry, error)) == TCPLAN_OK && entry) {
        if (batch->stream) status = count(batch, entry, error);
        if (status != TCPLAN_OK) return status;
        if (!batch_input_in_shard(&batch->input, entry)) continue;
        if (has_result(batch, entry)) {
            batch->counts.known++;
            continue;
        }
        status = run_entry(batch, entry, error);
        if (status != TCPLAN_OK) return status;
    }
    if (status != TCPLAN_OK || !batch->file) return status;
    return tcplan_results_file_finish(batch->file, batch->counts.entry_count, batch->counts.digest,
                                      error);
}

void tcplan_batch_close(struct tcplan_batch *batch) {
    if (!batch) return;
    record_free(&batch->record);
    id_set_free(&batch->met);
    finding_cache_free(&batch->cache);
    worker_stop(&batch->worker);
    tcplan_node_lock_close(batch->lock);
    tcplan_results_file_close(batch->file);
    batch_input_rewind(&batch->input);
    base_free(batch);
}
