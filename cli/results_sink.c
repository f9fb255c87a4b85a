#include "cli/results_sink.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/strbuf.h"

static const double sync_seconds = 1;      /* results that took no time are safe after this */
static const double costly_seconds = 0.01; /* what took longer is safe at once */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/** Whether results are kept in a file: not where there is none, nor in a pipe or device. */
static bool is_kept(const char *path) {
    struct stat status;
    if (!path || strcmp(path, "-") == 0) return false;
    return stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

static int choose_format(const struct options *options) {
    if (options->format_given) return options->format;
    const char *path = options->output;
    return path && strcmp(path, "-") != 0 ? results_format_of_path(path) : OUTPUT_TEXT;
}

char *results_kept_path(const struct options *options) {
    struct strbuf path = {0};
    strbuf_add(&path, "%s%s", options->output, choose_format(options) == OUTPUT_XML ? "" : ".xml");
    return strbuf_finish(&path);
}

static enum exit_status open_kept(struct results_sink *sink) {
    const struct options *options = sink->options;
    const struct tcplan_results_file_options file = {
        .shard = options->shard, .shards = options->shards, .restart = options->restart, .mixed = options->mixed};
    struct tcplan_error error;
    sink->file_path = results_kept_path(options);
    if (!sink->file_path) return diagnose_no_memory();
    const enum tcplan_status opened = tcplan_results_file_open(&sink->file, sink->file_path, sink->provenance, &file, &error);
    if (opened != TCPLAN_OK) {
        const enum exit_status status = diagnose_error(&error, NULL);
        if (opened == TCPLAN_MISMATCH) fputs("--restart replaces it, --mixed adds to results of other machines or settings\n", stderr);
        return status;
    }
    sink->synced = now();
    return EXIT_DONE;
}

static enum exit_status open_stream(struct results_sink *sink, size_t name_width, bool measured) {
    struct tcplan_error error;
    if (output_file_open(&sink->output, sink->options->output, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    sink->writer = (struct results_writer){.file = sink->output.file,
                                           .measured = measured,
                                           .name_width = name_width,
                                           .shard = sink->options->shard,
                                           .shards = sink->options->shards};
    results_writer_begin(&sink->writer, sink->format);
    return EXIT_DONE;
}

enum exit_status results_sink_open(struct results_sink *sink, const struct options *options, struct tcplan_provenance *provenance,
                                   size_t name_width, bool measured) {
    *sink = (struct results_sink){.options = options, .provenance = provenance, .format = choose_format(options)};
    return is_kept(options->output) ? open_kept(sink) : open_stream(sink, name_width, measured);
}

bool results_sink_has(const struct results_sink *sink, const char *id) {
    return sink->file && tcplan_results_file_has(sink->file, id);
}

static enum exit_status put_kept(struct results_sink *sink, struct tcplan_result *result, double seconds) {
    struct tcplan_error error;
    const double time = now();
    const bool synced = seconds > costly_seconds || time - sink->synced > sync_seconds;
    if (tcplan_results_file_append(sink->file, result, synced, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    if (synced) sink->synced = time;
    return EXIT_DONE;
}

enum exit_status results_sink_put(struct results_sink *sink, struct tcplan_result *result, double seconds) {
    sink->summary.result_count++;
    sink->summary.failed_count += result->reason != NULL;
    if (sink->file) return put_kept(sink, result, seconds);
    result->provenance = sink->provenance;
    results_writer_put(&sink->writer, result);
    if (sink->writer.no_memory) return diagnose_no_memory();
    return output_file_good(&sink->output) ? EXIT_DONE : EXIT_ENVIRONMENT; /* the commit says why */
}

static enum exit_status finish_kept(struct results_sink *sink, int64_t entry_count, uint64_t digest) {
    struct tcplan_error error;
    if (tcplan_results_file_finish(sink->file, entry_count, digest, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    if (sink->format == OUTPUT_XML) return EXIT_DONE;
    return results_convert(sink->file_path, sink->options->output, sink->format);
}

enum exit_status results_sink_finish(struct results_sink *sink, int64_t entry_count, uint64_t digest) {
    struct tcplan_error error;
    sink->summary.entry_count = entry_count;
    sink->summary.digest = digest;
    if (sink->file) return finish_kept(sink, entry_count, digest);
    results_writer_end(&sink->writer, &sink->summary);
    if (sink->writer.no_memory) return diagnose_no_memory();
    return output_file_commit(&sink->output, &error) == TCPLAN_OK ? EXIT_DONE : diagnose_error(&error, NULL);
}

/** A stream that ends early says why it could not be written. */
static void close_stream(struct results_sink *sink) {
    struct tcplan_error error;
    if (!sink->output.file) return;
    if (output_file_good(&sink->output)) {
        output_file_discard(&sink->output);
    } else if (output_file_commit(&sink->output, &error) != TCPLAN_OK) {
        diagnose_error(&error, NULL);
    }
}

void results_sink_close(struct results_sink *sink) {
    close_stream(sink);
    tcplan_results_file_close(sink->file);
    free(sink->file_path);
    *sink = (struct results_sink){0};
}

static enum exit_status copy_records(struct results_writer *writer, struct tcplan_results *results) {
    const struct tcplan_result *result;
    struct tcplan_error error;
    for (;;) {
        if (tcplan_results_next(results, &result, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
        if (!result) return writer->no_memory ? diagnose_no_memory() : EXIT_DONE;
        results_writer_put(writer, result);
    }
}

enum exit_status results_convert(const char *from, const char *to, int format) {
    struct tcplan_results *results = NULL;
    struct output_file output = {0};
    struct tcplan_error error;
    enum tcplan_status opened = tcplan_results_open(&results, from, &error);
    if (opened == TCPLAN_OK) opened = output_file_open(&output, to, &error);
    enum exit_status status = opened == TCPLAN_OK ? EXIT_DONE : diagnose_error(&error, NULL);
    if (status == EXIT_DONE) {
        struct results_writer writer = {.file = output.file};
        results_writer_begin(&writer, format);
        status = copy_records(&writer, results);
        const struct tcplan_results_summary summary = tcplan_results_summary(results);
        results_writer_end(&writer, &summary);
    }
    if (status == EXIT_DONE && output_file_commit(&output, &error) != TCPLAN_OK) status = diagnose_error(&error, NULL);
    output_file_discard(&output);
    tcplan_results_close(results);
    return status;
}
