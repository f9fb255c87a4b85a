#include "base/error.h"
#include "cli/commands/commands.h"
#include "cli/emission.h"
#include "cli/output/cleanup.h"
#include "cli/render/results/results_writer.h"
#include "tcplan/study/merge.h"

static int format_of_output(const struct options *options) {
    if (options_name_format(options)) return options->format;
    return options->output ? results_format_of_path(options->output) : OUTPUT_XML;
}

/** Joins the files; without a writer, only checks them. */
static enum tcplan_status join(const struct options *options, struct results_writer *writer,
                               struct tcplan_error *error) {
    const struct tcplan_merge_options merge = {.paths = options->arguments,
                                               .count = options->argument_count,
                                               .mixed = options->mixed,
                                               .use = writer ? results_writer_take : NULL,
                                               .context = writer};
    struct tcplan_results_summary summary;
    enum tcplan_status status = tcplan_merge(&merge, &summary, error);
    if (status == TCPLAN_OK && writer) results_writer_end(writer, &summary);
    return status == TCPLAN_OK && writer && writer->no_memory ? error_no_memory(error) : status;
}

static enum tcplan_status write_merged(const struct options *options, struct tcplan_error *error) {
    struct output_file output = {0};
    enum tcplan_status status = output_open(&output, options->output, error);
    if (status != TCPLAN_OK) return status;
    struct results_writer writer = {.file = output.file};
    results_writer_begin(&writer, format_of_output(options));
    status = join(options, &writer, error);
    if (status == TCPLAN_OK) status = output_file_commit(&output, error);
    output_file_discard(&output);
    return status;
}

/** --emit reads the merged results from their file. */
static bool can_emit(const struct options *options) {
    return !options->emit || format_of_output(options) == OUTPUT_XML;
}

static enum exit_status run(struct task *task) {
    const struct options *options = task->options;
    struct tcplan_error error;
    if (!can_emit(options)) {
        diagnose("--emit needs results in XML, as -o merged.xml");
        return EXIT_USAGE;
    }
    enum tcplan_status status = join(options, NULL, &error); /* check first, so that rejected
                                                                results leave no partial file */
    if (status == TCPLAN_OK) status = write_merged(options, &error);
    if (status == TCPLAN_OK)
        return options->emit ? emission_write_folder(options, options->output) : EXIT_DONE;
    const enum exit_status refused = diagnose_error(&error, NULL);
    if (status == TCPLAN_MISMATCH) fputs("--mixed joins them\n", stderr);
    return refused;
}

const struct command command_merge = {
    "merge",
    COMMAND(MERGE),
    "RESULTS.xml ... -o MERGED.xml [OPTIONS]",
    "join the results of shards",
    "  tcplan merge shard-*.xml -o results.xml\n",
    .arguments_role = FILE_INPUT,
    .needs = "files of results",
    .run = run,
    .manual = "Also joins results of other batches. Duplicate or missing results are an error."};
