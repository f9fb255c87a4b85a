#include <string.h>

#include "cli/commands/commands.h"
#include "cli/emission.h"
#include "cli/output/printed.h"
#include "cli/page/page.h"
#include "cli/render/results/platforms.h"
#include "cli/render/results/results_writer.h"
#include "cli/render/text/values.h"
#include "tcplan/study/merge.h"

static int format_of_output(const struct options *options) {
    if (options_name_format(options)) return options->format;
    return options->output ? results_format_of_path(options->output) : OUTPUT_XML;
}

/** Merges the files of results; if `writer` is NULL, only checks them. */
static enum exit_status join(const struct options *options, struct results_writer *writer) {
    const struct tcplan_merge_options merge = {.paths = options->arguments,
                                               .count = options->argument_count,
                                               .mixed = options->mixed,
                                               .use = writer ? results_writer_take : NULL,
                                               .context = writer};
    struct tcplan_results_summary summary;
    if (tcplan_merge(&merge, &summary, &failure) != TCPLAN_OK)
        return diagnose_advised(TCPLAN_MISMATCH, options->mixed
                                                     ? "--by-machine compares them"
                                                     : "--by-machine compares them, --mixed joins "
                                                       "those of different contractions");
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

/** Returns whether code can be emitted for the merged results, which requires that they are in a
 * file. */
static bool can_emit(const struct options *options) {
    return !options->emit || format_of_output(options) == OUTPUT_XML;
}

/* Comparison. */

/** Returns the format of the table: that of the file name's ending, otherwise text. */
static int format_of_table(const struct options *options) {
    if (options_name_format(options)) return options->format;
    const char *path = options->output ? options->output : "";
    return text_ends(path, ".csv")    ? OUTPUT_CSV
           : text_ends(path, ".json") ? OUTPUT_JSON
           : text_ends(path, ".xml")  ? OUTPUT_XML
                                      : OUTPUT_TEXT;
}

static enum exit_status write_page(const struct options *options,
                                   const struct tcplan_platforms *machines) {
    struct output_file page = {0};
    if (!options->page) return EXIT_DONE;
    const enum exit_status status = output_begin(&page, options->page);
    if (status != EXIT_DONE) return status;
    return output_end(&page,
                      winners_page_write(page.file, machines) ? EXIT_DONE : diagnose_no_memory());
}

static enum exit_status compare(const struct options *options) {
    struct tcplan_platforms *machines = NULL;
    enum exit_status status = EXIT_DONE;
    if (tcplan_platforms_read(&machines, options->arguments, options->argument_count, NULL, 0,
                              &failure) != TCPLAN_OK)
        return diagnose_failure(NULL);
    if (machines->contraction_count == 0)
        status = diagnose_as(EXIT_REFUSED, "the files contain no results");
    else if (machines->platform_count > WINNER_MACHINES)
        status = diagnose_as(EXIT_REFUSED,
                             "--by-machine compares %d machines and numbers of threads at most, "
                             "found %d",
                             WINNER_MACHINES, machines->platform_count);
    const struct options table = {.output = options->output, .format = format_of_table(options)};
    if (status == EXIT_DONE) status = write_page(options, machines);
    if (status == EXIT_DONE) status = printed_view(&table, &winners_view, machines);
    tcplan_platforms_free(machines);
    return status;
}

static enum exit_status run(struct task *task) {
    const struct options *options = task->options;
    if (options->by_machine) return compare(options);
    if (!can_emit(options))
        return diagnose_as(EXIT_USAGE,
                           "--emit needs results in XML; write them to a file such as -o "
                           "merged.xml");
    enum exit_status status = join(options, NULL); /* The first pass only checks, so that invalid
                                                      results leave no partial file. */
    if (status == EXIT_DONE) status = write_merged(options);
    return status == EXIT_DONE && options->emit
               ? emission_write_folder(options, options->output, NULL)
               : status;
}

const struct command command_merge = {
    "merge",
    COMMAND(MERGE),
    "RESULTS.xml ... -o MERGED.xml [OPTIONS]",
    "join the results of shards, or compare those of machines",
    "  tcplan merge shard-*.xml -o results.xml\n"
    "  tcplan merge skylake.xml zen.xml --by-machine --page winners.html\n",
    .arguments_role = FILE_INPUT,
    .needs = "files of results",
    .run = run,
    .manual =
        "The results may also come from batches that are not shards. Duplicate or missing results "
        "are an error, except with `--by-machine`, which compares results of one library from "
        "several machines."};
