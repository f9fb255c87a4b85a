#include "cli/batch.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/batch_worker.h"
#include "cli/emitted_folder.h"
#include "cli/machine_source.h"
#include "cli/render/visible.h"

enum { MEASURED_UNLESS_TOLD = 5, FAULTS_TOLD = 20 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/** Counts an entry of any shard; false when memory is out. */
static bool count(struct batch *batch, const struct tcplan_library_entry *entry) {
    const size_t length = strlen(entry->name);
    const uint64_t id = strtoull(entry->id, NULL, 16);
    if (length > batch->longest_name) batch->longest_name = length;
    if (!batch->stream || batch->sink.file) {
        if (id_set_has(&batch->met, id)) return true;
        if (!id_set_add(&batch->met, id)) return false;
    }
    batch->entry_count++;
    batch->digest += id;
    return true;
}

/* Before anything is timed. */

/** Reads all libraries: what is wrong with any is told before anything is timed. */
static enum exit_status check_libraries(struct batch *batch) {
    const struct tcplan_library_entry *entry;
    int64_t faults = 0;
    for (;;) {
        enum exit_status status = batch_input_next(&batch->input, &entry);
        if (status != EXIT_DONE) return status;
        if (!entry) break;
        if (!count(batch, entry)) return diagnose_no_memory();
        if (entry->fault && faults++ < FAULTS_TOLD) batch_input_tell_fault(entry);
    }
    if (faults > FAULTS_TOLD) diagnose("and %lld more entries are refused", (long long)(faults - FAULTS_TOLD));
    batch_input_rewind(&batch->input);
    return faults > 0 ? EXIT_REFUSED : EXIT_DONE;
}

/** An empty choice is most likely a mistake. */
static enum exit_status check_choice(const struct batch *batch) {
    if (batch->entry_count > 0) return EXIT_DONE;
    const struct options *options = batch->options;
    const bool chosen = options->only || options->size_class;
    diagnose(chosen ? "no contraction of the libraries is chosen by --class and --only" : "the libraries hold no contraction");
    return EXIT_REFUSED;
}

/** Counts the entries of the shard that have no result yet. */
static enum exit_status count_to_do(struct batch *batch) {
    const struct tcplan_library_entry *entry;
    batch->to_do = 0;
    for (;;) {
        enum exit_status status = batch_input_next(&batch->input, &entry);
        if (status != EXIT_DONE) return status;
        if (!entry) break;
        if (batch_input_in_shard(entry, batch->options) && !results_sink_has(&batch->sink, entry->id)) batch->to_do++;
    }
    batch_input_rewind(&batch->input);
    return EXIT_DONE;
}

static enum exit_status prepare(struct batch *batch) {
    const struct options *options = batch->options;
    const enum exit_status status = machine_source_read(&batch->request.machine, options->machine);
    struct tcplan_error error;
    if (status != EXIT_DONE) return status;
    if (batch_worker_start(batch, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    if (!options->no_lock && node_lock_open(&batch->lock, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    if (!batch->request.machine.live && !options->quiet) {
        diagnose("note: the caches are those of '%s', the times are of this machine", batch->request.machine.source);
    }
    provenance_make(&batch->provenance, &batch->request, batch->measured);
    return results_sink_open(&batch->sink, options, &batch->provenance.provenance, batch->longest_name, batch->measured > 0);
}

/* Entry by entry. */

/** What progress says in front of its activity, and how long the rest will take at the pace so far. */
static void label_progress(struct batch *batch, const struct tcplan_library_entry *entry) {
    struct progress *progress = &batch->progress;
    const double elapsed = now() - batch->started;
    if (batch->to_do > 0) {
        snprintf(progress->label, sizeof progress->label, "%lld of %lld, %.40s", (long long)batch->done + 1, (long long)batch->to_do,
                 entry->name);
    } else {
        snprintf(progress->label, sizeof progress->label, "%lld, %.40s", (long long)batch->done + 1, entry->name);
    }
    progress->rest_seconds =
        batch->to_do > 0 && batch->done > 0 ? elapsed / (double)batch->done * (double)(batch->to_do - batch->done) : -1;
    progress->rest_told = now();
}

static enum exit_status run_entry(struct batch *batch, const struct tcplan_library_entry *entry) {
    const double started = now();
    label_progress(batch, entry);
    enum exit_status status = batch_evaluate(batch, entry);
    progress_clear(&batch->progress);
    if (status != EXIT_DONE) return status;
    batch->done++;
    if (batch->record.result.reason) {
        batch->failed++;
        if (batch->sink.file) diagnose("%.60s: %.60s failed: %s", entry->library, entry->name, batch->record.result.reason);
    }
    return results_sink_put(&batch->sink, &batch->record.result, now() - started);
}

static enum exit_status run_entries(struct batch *batch) {
    const struct tcplan_library_entry *entry;
    batch->started = now();
    for (;;) {
        enum exit_status status = batch_input_next(&batch->input, &entry);
        if (status != EXIT_DONE || !entry) return status;
        if (batch->stream && !count(batch, entry)) return diagnose_no_memory();
        if (!batch_input_in_shard(entry, batch->options)) continue;
        if (results_sink_has(&batch->sink, entry->id)) {
            batch->known++;
            continue;
        }
        status = run_entry(batch, entry);
        if (status != EXIT_DONE) return status;
    }
}

/** The last words, where the results went to a file. */
static void tell_end(const struct batch *batch, int64_t failed_before) {
    if (!batch->sink.file || batch->options->quiet) return;
    fprintf(stderr, "tcplan: %lld contraction%s evaluated", (long long)batch->done, batch->done == 1 ? "" : "s");
    if (batch->known > 0) fprintf(stderr, ", %lld had their results", (long long)batch->known);
    const int64_t failed = batch->failed + failed_before;
    if (failed > 0) fprintf(stderr, ", %lld failed", (long long)failed);
    fputs(": '", stderr);
    visible_print(stderr, batch->options->output);
    fputs("'\n", stderr);
}

/** Of all results, also those that were there at the start. */
static enum exit_status emit_winners(const struct batch *batch) {
    if (batch->sink.file_path) return emitted_folder_write(batch->options->emit, batch->sink.file_path, batch->options->quiet);
    diagnose("'%.200s' keeps no results: --emit needs a file to take the winners from", batch->options->output);
    return EXIT_USAGE;
}

static enum exit_status run(struct batch *batch) {
    enum exit_status status = batch->stream ? EXIT_DONE : check_libraries(batch);
    if (status == EXIT_DONE && !batch->stream) status = check_choice(batch);
    if (status == EXIT_DONE) status = prepare(batch);
    if (status == EXIT_DONE && !batch->stream) status = count_to_do(batch);
    if (status != EXIT_DONE) return status;
    const int64_t failed_before = batch->sink.file ? tcplan_results_file_summary(batch->sink.file).failed_count : 0;
    status = run_entries(batch);
    if (status == EXIT_DONE) status = results_sink_finish(&batch->sink, batch->entry_count, batch->digest);
    if (status == EXIT_DONE) tell_end(batch, failed_before);
    if (status == EXIT_DONE && batch->options->emit) status = emit_winners(batch);
    return status == EXIT_DONE && batch->failed + failed_before > 0 ? EXIT_REFUSED : status;
}

enum exit_status batch_run(struct batch *batch, const struct options *options) {
    *batch = (struct batch){.options = options, .request = {.options = options}, .input = {.options = options}, .to_do = -1};
    batch->stream = batch_input_is_stream(&batch->input);
    batch->progress.enabled = !options->quiet && isatty(STDERR_FILENO);
    if (options->measure) batch->measured = options->top > 0 ? (size_t)options->top : MEASURED_UNLESS_TOLD;
    return run(batch);
}

void batch_free(struct batch *batch) {
    record_free(&batch->record);
    id_set_free(&batch->met);
    finding_cache_free(&batch->cache);
    worker_stop(&batch->worker);
    node_lock_close(&batch->lock);
    results_sink_close(&batch->sink);
    batch_input_rewind(&batch->input);
}
