/**
 * Where a batch's results go: to stdout or a pipe as they come, or to a file that grows, and that the same command goes on with.
 */
#ifndef CLI_RESULTS_SINK_H
#define CLI_RESULTS_SINK_H

#include "cli/output_file.h"
#include "cli/render/results_writer.h"
#include "tcplan/results_file.h"

/** Zero-initialise before use. */
struct results_sink {
    const struct options *options;
    struct tcplan_provenance *provenance;
    struct tcplan_results_file *file; /**< the file of results in XML; NULL: they are not kept */
    char *file_path;                  /**< of it; to be freed */
    int format;                       /**< of the output */
    struct output_file output;        /**< where nothing is kept */
    struct results_writer writer;
    double synced; /**< when the file was last made safe from a loss of power */
    struct tcplan_results_summary summary;
};

/** The file that holds the results where --output is one: that itself or, where it is no XML, one beside it. To be freed; NULL when memory is out. */
char *results_kept_path(const struct options *options);

/**
 * Opens what --output and --format name.
 *
 * @param provenance  of the results to come; borrowed
 * @param name_width  length of the longest name, for tables; 0: not known
 * @param measured    there will be measured times
 */
enum exit_status results_sink_open(struct results_sink *sink, const struct options *options, struct tcplan_provenance *provenance,
                                   size_t name_width, bool measured);

/** Whether the result of an entry is there already. */
bool results_sink_has(const struct results_sink *sink, const char *id);

/** Adds a record. What took `seconds` to find out is made safe from a loss of power at once, what took none now and then. */
enum exit_status results_sink_put(struct results_sink *sink, struct tcplan_result *result, double seconds);

/** Completes the results: all `entry_count` entries, whose ids add up to `digest`, have theirs here or in another shard. */
enum exit_status results_sink_finish(struct results_sink *sink, int64_t entry_count, uint64_t digest);

/** Gives up: what was kept stays. Fine after results_sink_finish() and without an open. */
void results_sink_close(struct results_sink *sink);

/** Writes a file of results in another format, all or nothing. */
enum exit_status results_convert(const char *from, const char *to, int format);

#endif
