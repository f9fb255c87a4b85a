#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/commands/commands.h"
#include "cli/output/cleanup.h"
#include "cli/output/printed.h"
#include "cli/page/page.h"
#include "cli/page/plot.h"
#include "cli/render/results/digest.h"
#include "cli/stored.h"

/** The documents of a report, and the data drawn with them. */
struct reading {
    int count;
    struct tcplan_digest *digest;
    struct tcplan_peers **peers; /* tables that find equal records of several documents; NULL: there
                                    is only one document */
    struct tcplan_roofline *ceilings; /* ceilings to draw; NULL: none are drawn */
};

static void reading_free(struct reading *reading) {
    for (int d = 0; d < reading->count; d++) {
        if (reading->digest) tcplan_digest_free(&reading->digest[d]);
        if (reading->peers) tcplan_peers_free(reading->peers[d]);
    }
    tcplan_roofline_free(reading->ceilings);
    free(reading->digest);
    free(reading->peers);
}

static enum tcplan_status read_document(struct reading *reading, int d, const char *path) {
    reading->digest[d].path = path;
    enum tcplan_status status = tcplan_digest_read(&reading->digest[d], &failure);
    if (status != TCPLAN_OK || reading->count == 1) return status;
    return tcplan_peers_read(&reading->peers[d], path, &failure);
}

static enum exit_status read_all(struct reading *reading, const struct options *options) {
    reading->digest = base_alloc_zero((size_t)reading->count, sizeof *reading->digest);
    reading->peers = base_alloc_zero((size_t)reading->count,
                                     sizeof *reading->peers); /* NOLINT(bugprone-sizeof-expression):
                                                                 an array of pointers */
    if (!reading->digest || !reading->peers) return diagnose_no_memory();
    for (int d = 0; d < reading->count; d++) {
        if (read_document(reading, d, options->arguments[d]) != TCPLAN_OK)
            return diagnose_failure(NULL);
    }
    tcplan_digests_name(reading->digest, reading->count);
    return EXIT_DONE;
}

static bool is_of_machine(const struct reading *reading, const char *cpu) {
    for (int d = 0; d < reading->count; d++) {
        const struct tcplan_digest *digest = &reading->digest[d];
        if (digest->has_provenance && *cpu && strcmp(digest->provenance.cpu, cpu) == 0) return true;
    }
    return false;
}

/** Reads the ceilings of --ceilings. Without this option, reads the stored ones if some results are
 * from this machine. */
static enum exit_status find_ceilings(struct reading *reading, const struct options *options) {
    struct request request = {.options = options};
    char reason[TCPLAN_MESSAGE_SIZE];
    if (options->ceilings) {
        return diagnosed(
            tcplan_ceilings_load(&reading->ceilings, NULL, options->ceilings, &failure));
    }
    int thread[TCPLAN_ROOFLINE_COUNTS];
    const int counts = tcplan_roofline_thread_counts(thread, 0);
    enum exit_status status = request_read_machine(&request, REQUEST_UNTIMED);
    if (status == EXIT_DONE && is_of_machine(reading, request.machine.cpu)) {
        status = stored_ceilings(&reading->ceilings, reason, &request, thread, counts);
    }
    request_free(&request);
    return status;
}

/** Returns digests with at most `rows` contractions of each document; 0: as many contractions as
 * the format prints. */
static struct digests digests_of(const struct reading *reading, int64_t rows,
                                 struct reading_status *status) {
    return (struct digests){.digest = reading->digest,
                            .peers = reading->peers,
                            .count = reading->count,
                            .rows = rows,
                            .status = status};
}

static enum exit_status write_page(const struct reading *reading, struct output_file *out) {
    struct reading_status read = {.status = TCPLAN_OK};
    const struct digests digests = digests_of(reading, 0, &read);
    struct page page = {.file = out->file, .all = &digests, .ceilings = reading->ceilings};
    page_write(&page);
    if (read.status != TCPLAN_OK) return diagnose_error(&read.error, NULL);
    if (page.no_memory) return diagnose_no_memory();
    return printed_complete(out);
}

static enum exit_status print_summary(const struct reading *reading,
                                      const struct options *options) {
    struct reading_status read = {.status = TCPLAN_OK};
    const struct digests digests = digests_of(reading, options->top, &read);
    const struct options to_stdout = {.format = options->format};
    const enum exit_status status = printed_view(&to_stdout, &digests_view, &digests);
    return read.status == TCPLAN_OK ? status : diagnose_error(&read.error, NULL);
}

/** Writes the HTML page and prints the summary; a page on stdout replaces the summary. */
static enum exit_status report(const struct reading *reading, const struct options *options,
                               struct output_file *page) {
    const bool to_stdout = options->output && !page->path;
    enum exit_status status = options->output ? write_page(reading, page) : EXIT_DONE;
    return status == EXIT_DONE && !to_stdout ? print_summary(reading, options) : status;
}

static enum exit_status run(struct task *task) {
    const struct options *options = task->options;
    struct reading reading = {.count = options->argument_count};
    struct output_file page = {0};
    enum exit_status status = EXIT_DONE;
    if (reading.count < 1 || reading.count > PLOT_SERIES)
        return options_refuse(options, "report needs 1 to %d files of results, found %d",
                              PLOT_SERIES, reading.count);
    if (options->format != OUTPUT_TEXT && options->output && strcmp(options->output, "-") == 0)
        return diagnose_as(EXIT_USAGE,
                           "--format applies to the summary, but -o - prints only the page");
    if (options->output) status = output_begin(&page, options->output);
    if (status == EXIT_DONE) status = read_all(&reading, options);
    if (status == EXIT_DONE && options->output) status = find_ceilings(&reading, options);
    if (status == EXIT_DONE) status = report(&reading, options, &page);
    if (options->output) output_file_discard(&page);
    reading_free(&reading);
    return status;
}

const struct command command_report = {
    "report",
    COMMAND(REPORT),
    "RESULTS.xml ... [-o FILE.html] [OPTIONS]",
    "summarise results of batches; write a page with tables and plots",
    "  tcplan report results.xml\n"
    "  tcplan report results.xml -o report.html\n"
    "  tcplan report skylake.xml zen.xml -o side_by_side.html\n",
    .arguments_role = FILE_INPUT,
    .run = run,
    .manual =
        "Reads up to eight files and compares them contraction by contraction. Reports a table of the first contractions, efficiencies relative to "
        "gemm, the cost of planning, and failures; if algorithms were measured, also errors of predictions and regret of choices. The page is "
        "self-contained and needs no network."};
