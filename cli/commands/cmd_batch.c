#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/commands/commands.h"
#include "cli/emission.h"
#include "cli/node_lock.h"
#include "cli/output/cleanup.h"
#include "cli/output/output_guard.h"
#include "cli/output/printed.h"
#include "cli/output/progress.h"
#include "cli/providers.h"
#include "cli/render/results/results_writer.h"
#include "cli/render/text/visible.h"
#include "cli/request.h"
#include "cli/shipped.h"
#include "cli/stored.h"
#include "tcplan/network.h"
#include "tcplan/study/batch.h"
#include "tcplan/study/folder.h"

enum { MEASURED_UNLESS_TOLD = 5, FAULTS_TOLD = 20 };

/** State of a batch, and where its results go: a file that grows, or a stream. */
struct batching {
    struct request request; /* options and machine */
    struct stored store;    /* store for measurements; closed if the user has no store folder */
    char **libraries;       /* paths */
    char *results;          /* path of the file of results; NULL: results go to a stream */
    struct tcplan_batch *batch;
    struct output_file output; /* the stream, if the results do not go to a growing file */
    struct results_writer writer;
    int64_t faults;
};

/* Reports an invalid entry of a library while the batch runs. */

static void report_fault(void *context, const struct tcplan_library_entry *entry) {
    struct batching *batching = context;
    struct tcplan_error error = *entry->fault;
    bool is_several = false;
    if (batching->faults++ >= FAULTS_TOLD) return;
    snprintf(error.message, sizeof error.message, "%.60s:%zu: %.60s: %.160s", entry->library,
             entry->line, entry->name, entry->fault->message);
    const bool is_formula = strcmp(entry->fault_text, entry->formula) == 0;
    if (is_formula && tcplan_network_is_several(&is_several, entry->formula) == TCPLAN_OK &&
        is_several) {
        snprintf(error.message, sizeof error.message,
                 "%.60s:%zu: %.60s: a library has products of two tensors; tcplan rank takes "
                 "expressions of several",
                 entry->library, entry->line, entry->name);
        error.column = 0;
    }
    diagnose_error(&error, entry->fault_text);
}

/** Sets the text that is printed if ^C ends the batch. It contains the number of results so far. */
static void set_last_words(const struct batching *batching,
                           const struct tcplan_batch_counts *counts) {
    char text[CLEANUP_WORDS], of[32] = "";
    const char *path = batching->results;
    if (!batching->results || batching->request.options->quiet) return;
    char *shown = visible_text(path);
    if (counts->to_do > 0)
        snprintf(of, sizeof of, " of %lld", (long long)counts->all_known + counts->to_do);
    snprintf(
        text, sizeof text,
        "tcplan: interrupted: '%.300s' has %lld%s results; the same command computes the rest\n",
        shown ? shown : path,
        (long long)(counts->known > counts->all_known ? counts->known : counts->all_known) +
            counts->done,
        of);
    free(shown);
    cleanup_set_words(text);
}

static void label_progress(void *context, const struct tcplan_library_entry *entry,
                           const struct tcplan_batch_counts *counts) {
    const struct batching *batching = context;
    char of[32] = "";
    if (counts->to_do > 0)
        snprintf(of, sizeof of, " of %lld", (long long)counts->all_known + counts->to_do);
    progress_set_label("%lld%s, %.40s", (long long)(counts->known + counts->done) + 1, of,
                       entry->name);
    set_last_words(batching, counts);
    progress_report_rest(NULL, counts->rest_seconds);
}

static void clear_progress(void *context) {
    (void)context;
    progress_clear();
}

/** Handles a result: prints failures that the output does not show, and prints the result unless it
 * is recorded in a file. */
static enum tcplan_status take_result(void *context, const struct tcplan_result *result,
                                      struct tcplan_error *error) {
    struct batching *batching = context;
    if (batching->results) {
        if (result->reason)
            diagnose("%.60s: %.60s failed: %s", result->library, result->name, result->reason);
        return TCPLAN_OK;
    }
    const enum tcplan_status status = results_writer_take(&batching->writer, result, error);
    if (status != TCPLAN_OK || output_file_good(&batching->output)) return status;
    return output_file_commit(&batching->output, error); /* reports the failed write in `error` */
}

static void report_plan_lost(void *context, const char *reason) {
    (void)context;
    diagnose("note: a plan is not stored: %s", reason);
}

static void report_wrong(void *context, const char *text) {
    (void)context;
    providers_report_wrong_one(text);
}

static ptrdiff_t read_stdin(void *context, char *buffer, size_t size) {
    (void)context;
    for (;;) {
        const ssize_t count = read(STDIN_FILENO, buffer, size);
        if (count >= 0 || errno != EINTR) return count;
    }
}

/* Beginning. */

static size_t measured_count(const struct options *options) {
    if (!options->measure) return 0;
    return options->top > 0 ? (size_t)options->top : MEASURED_UNLESS_TOLD;
}

/** Finds the libraries of contractions that the arguments name; false if out of memory. */
static bool find_libraries(struct batching *batching) {
    const struct options *options = batching->request.options;
    batching->libraries =
        base_alloc_zero((size_t)options->argument_count + 1, sizeof *batching->libraries);
    for (int a = 0; batching->libraries && a < options->argument_count; a++) {
        batching->libraries[a] = shipped_find(options->arguments[a]);
        if (!batching->libraries[a]) return false;
    }
    return batching->libraries != NULL;
}

static enum exit_status diagnose_opening(const struct options *options) {
    const enum exit_status status = diagnose_advised(
        TCPLAN_MISMATCH,
        "--restart replaces the results, --mixed adds to results of other machines or settings");
    for (int a = 0; a < options->argument_count && failure.status == TCPLAN_ENVIRONMENT; a++)
        shipped_suggest(options->arguments[a]);
    return status;
}

static enum exit_status open_batch(struct batching *batching) {
    const struct options *options = batching->request.options;
    struct lock_settings lock;
    enum exit_status status = lock_settings_read(&lock);
    if (status != EXIT_DONE) return status;
    const struct tcplan_batch_options out = {
        .libraries = (const char *const *)batching->libraries,
        .library_count = options->argument_count,
        .read = read_stdin,
        .library = {.format = (enum tcplan_library_format)options->from,
                    .dtype = (enum tcplan_dtype)options->dtype,
                    .order = (enum tcplan_order)options->order,
                    .threads = options->threads},
        .size_class = options->size_class,
        .only = options->only,
        .rank = request_rank_options(&batching->request),
        .store = batching->store.store.folder ? &batching->store.store : NULL,
        .plans = batching->request.plans,
        .measured = measured_count(options),
        .blas_advice = blas_advice(TCPLAN_PROVIDER_BLAS),
        .results = batching->results,
        .file = {.shard = options->shard.number,
                 .shards = options->shard.count,
                 .restart = options->restart,
                 .mixed = options->mixed},
        .unlocked = options->no_lock ||
                    (options->effort == TCPLAN_EFFORT_ESTIMATE && measured_count(options) == 0),
        .lock_path = lock.path,
        .lock_seconds = lock.longest_seconds,
        .listener = {.context = batching,
                     .fault = report_fault,
                     .begin = label_progress,
                     .progress = progress_is_enabled() ? progress_update : NULL,
                     .pause = clear_progress,
                     .waiting = options->quiet ? NULL : lock_report_waiting,
                     .plan_lost = options->quiet ? NULL : report_plan_lost,
                     .wrong = options->quiet ? NULL : report_wrong,
                     .result = take_result}};
    return tcplan_batch_open(&batching->batch, &out, &failure) == TCPLAN_OK
               ? EXIT_DONE
               : diagnose_opening(options);
}

/** Prints advice about the libraries of --blas, because the results contain only advice about the
 * linked BLAS. */
static void warn_about_files(const struct options *options) {
    for (int p = TCPLAN_PROVIDER_FILE_1; p < TCPLAN_PROVIDERS; p++)
        blas_advice_diagnose((enum tcplan_provider)p, options);
}

static enum exit_status open_stream(struct batching *batching) {
    const struct options *options = batching->request.options;
    const enum exit_status status = output_begin(&batching->output, options->output);
    if (status != EXIT_DONE) return status;
    batching->writer =
        (struct results_writer){.file = batching->output.file,
                                .measured = options->measure,
                                .name_width = tcplan_batch_counts(batching->batch).longest_name,
                                .shard = options->shard.number,
                                .shards = options->shard.count};
    results_writer_begin(&batching->writer, results_format(options));
    return EXIT_DONE;
}

/* Summary and output. */

static enum exit_status close_stream(struct batching *batching) {
    const struct tcplan_batch_counts counts = tcplan_batch_counts(batching->batch);
    const struct tcplan_results_summary summary = {.shard = batching->request.options->shard.number,
                                                   .shards = batching->request.options->shard.count,
                                                   .entry_count = counts.entry_count,
                                                   .digest = counts.digest,
                                                   .result_count = counts.done,
                                                   .failed_count = counts.failed};
    results_writer_end(&batching->writer, &summary);
    if (batching->writer.no_memory) return diagnose_no_memory();
    return printed_complete(&batching->output);
}

/** Prints the summary of a batch whose results are in a file. */
static void report_end(const struct batching *batching) {
    const struct tcplan_batch_counts counts = tcplan_batch_counts(batching->batch);
    const int64_t failed = counts.failed + counts.failed_before;
    if (!batching->results || batching->request.options->quiet) return;
    fprintf(stderr, "tcplan: %s evaluated", counted(counts.done, "contraction").text);
    if (counts.known > 0) fprintf(stderr, ", %lld already had results", (long long)counts.known);
    if (failed > 0) fprintf(stderr, ", %lld failed", (long long)failed);
    fputs(": '", stderr);
    visible_print(stderr, batching->request.options->output);
    fputs("'", stderr);
    if (counts.plans > 0) fprintf(stderr, "; %s stored", counted(counts.plans, "plan").text);
    fputs("\n", stderr);
}

/** Emits C for the winner of every result in the file, including results of earlier runs. */
static enum exit_status emit_winners(const struct batching *batching) {
    const struct options *options = batching->request.options;
    const struct tcplan_stored_plans *plans = batching->request.plans;
    if (batching->results)
        return emission_write_folder(options, batching->results,
                                     plans ? tcplan_stored_plans_path(plans) : NULL);
    return diagnose_as(EXIT_USAGE,
                       "'%.200s' records no results: --emit needs a file to read the winners from",
                       options->output);
}

/** Converts the recorded results to the requested format. */
static enum exit_status convert_results(const struct batching *batching) {
    const int format = results_format(batching->request.options);
    if (format == OUTPUT_XML) return EXIT_DONE;
    return results_convert(batching->results, batching->request.options->output, format);
}

static enum exit_status rank_all(struct batching *batching) {
    enum exit_status status = batching->results ? EXIT_DONE : open_stream(batching);
    if (status != EXIT_DONE) return status;
    const enum tcplan_status ran = tcplan_batch_run(batching->batch, &failure);
    cleanup_set_words(NULL);
    if (ran != TCPLAN_OK) return lock_diagnose();
    status = batching->results ? convert_results(batching) : close_stream(batching);
    if (status == EXIT_DONE) report_end(batching);
    if (status == EXIT_DONE && batching->request.options->emit) status = emit_winners(batching);
    const struct tcplan_batch_counts counts = tcplan_batch_counts(batching->batch);
    return status == EXIT_DONE && counts.failed + counts.failed_before > 0 ? EXIT_REFUSED : status;
}

static enum exit_status begin(struct batching *batching) {
    const struct options *options = batching->request.options;
    if (options->emit && tcplan_folder_check(options->emit, &failure) != TCPLAN_OK)
        return diagnose_failure(NULL);
    if (results_go_to_file(options)) {
        batching->results = results_path(options);
        if (!batching->results) return diagnose_no_memory();
    }
    if (!find_libraries(batching)) return diagnose_no_memory();
    enum exit_status status =
        request_read_machine(&batching->request, REQUEST_CEILINGS | REQUEST_PLANS);
    if (status == EXIT_DONE && batching->request.machine.live && !options->no_store) {
        status = stored_open(&batching->store, &batching->request.machine);
    }
    if (status == EXIT_DONE) warn_about_files(batching->request.options);
    if (status == EXIT_DONE) status = open_batch(batching);
    return status == EXIT_DONE ? rank_all(batching) : status;
}

static void batching_free(struct batching *batching) {
    tcplan_batch_close(batching->batch);
    stored_close(&batching->store);
    output_file_discard(&batching->output);
    for (char **path = batching->libraries; path && *path; path++) free(*path);
    base_free(batching->libraries);
    free(batching->results);
    request_free(&batching->request);
}

static enum exit_status run(struct task *task) {
    struct batching batching = {.request = {.options = task->options}};
    const enum exit_status status = begin(&batching);
    batching_free(&batching);
    return status;
}

const struct command command_batch = {
    "batch",
    COMMAND(BATCH),
    "LIBRARY ... [-o RESULTS] [OPTIONS]",
    "rank every contraction of libraries; resumes after an interruption",
    "  tcplan batch tccg.xml -o results.xml\n"
    "  tcplan batch ccsd.xml tensor-networks.xml --class small --measure \\\n"
    "      -o results.csv\n"
    "  tcplan batch tccg.xml --shard $SLURM_ARRAY_TASK_ID/8 \\\n"
    "      -o shard-$SLURM_ARRAY_TASK_ID.xml\n"
    "  echo \"ai,ibc->abc 64,8 8,64,64\" | tcplan batch -\n",
    .arguments_role = FILE_INPUT,
    .offer = shipped_offer,
    .needs = "a library, such as tccg.xml, or - for standard input",
    .run = run,
    .manual =
        "Libraries are XML, plain lists or einsum lines; `-` is standard input. With `-o`, each result is saved at once, and the same command "
        "resumes without repeating work. Results of another version, machine or settings are rejected. A failing contraction is recorded with its "
        "reason. It runs in a separate process, so that even a crash does not end the batch. The libraries of tcplan are available by name: `tccg`, "
        "`dissertation`, `ccsd`, "
        "`tensor-networks` and `attention`. While it times, a batch holds a lock that other batches and `measure` on the machine "
        "wait for."};
