#include "cli/commands/commands.h"
#include "cli/emission.h"
#include "cli/output/printed.h"
#include "cli/render/results/results_writer.h"
#include "tcplan/study/merge.h"

static int format_of_output(const struct options *options) {
    if (options_name_format(options)) return options->format;
    return options->output ? results_format_of_path(options->output) : OUTPUT_XML;
}

/** Joins the files; without a writer, only checks them. */
static enum exit_status join(const struct options *options, struct results_writer *writer) {
    const struct tcplan_merge_options merge = {.paths = options->arguments,
                                               .count = options->argument_count,
                                               .mixed = options->mixed,
                                               .use = writer ? results_writer_take : NULL,
                                               .context = writer};
    struct tcplan_results_summary summary;
    if (tcplan_merge(&merge, &summary, &failure) != TCPLAN_OK)
        return diagnose_advised(TCPLAN_MISMATCH, "--mixed joins them");
    if (writer) results_writer_end(writer, &summary);
    return writer && writer->no_memory ? diagnose_no_memory() : EXIT_DONE;
}

static enum exit_status write_merged(const struct options *options) {
    struct output_file output = {0};
    const enum exit_status status = output_begin(&output, options->output);
    if (status != EXIT_DONE) return status;
    struct results_writer writer = {.file = output.file};
    results_writer_begin(&writer, format_of_output(options));
    return output_end(&output, join(options, &writer));
}

/** --emit reads the merged results from their file. */
static bool can_emit(const struct options *options) {
    return !options->emit || format_of_output(options) == OUTPUT_XML;
}

static enum exit_status run(struct task *task) {
    const struct options *options = task->options;
    if (!can_emit(options))
        return diagnose_as(EXIT_USAGE, "--emit needs results in XML, as -o merged.xml");
    enum exit_status status = join(options, NULL); /* check first, so that rejected results leave
                                                      no partial file */
    if (status == EXIT_DONE) status = write_merged(options);
    return status == EXIT_DONE && options->emit ? emission_write_folder(options, options->output)
                                                : status;
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
