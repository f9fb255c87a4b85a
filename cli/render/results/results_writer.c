#include "cli/render/results/results_writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static const struct results_format *find_format(int format) {
    switch (format) {
    case OUTPUT_XML: return &results_format_xml;
    case OUTPUT_CSV: return &results_format_csv;
    case OUTPUT_JSON: return &results_format_json;
    case OUTPUT_JSON_LINES: return &results_format_jsonl;
    default: return &results_format_text;
    }
}

void results_writer_begin(struct results_writer *writer, int format) {
    writer->format = find_format(format);
}

/** Writes the beginning of the output, once. */
static void begin(struct results_writer *writer) {
    if (!writer->begun && writer->format->begin) writer->format->begin(writer);
    writer->begun = true;
}

void results_writer_put(struct results_writer *writer, const struct tcplan_result *result) {
    begin(writer);
    writer->format->record(writer, result);
    writer->written++;
    writer->failed += result->reason != NULL;
    writer->reused += result->reused_from != NULL;
    writer->planning_seconds += result->planning_seconds;
    fflush(writer->file);
}

enum tcplan_status results_writer_take(void *context, const struct tcplan_result *result,
                                       struct tcplan_error *error) {
    struct results_writer *writer = context;
    results_writer_put(writer, result);
    return writer->no_memory ? error_no_memory(error) : TCPLAN_OK;
}

void results_writer_end(struct results_writer *writer,
                        const struct tcplan_results_summary *summary) {
    if (writer->format) begin(writer);
    if (writer->format && writer->format->end) writer->format->end(writer, summary);
    fflush(writer->file);
}

static bool ends_with(const char *text, const char *end) {
    const size_t length = strlen(text), size = strlen(end);
    return length >= size && strcmp(text + length - size, end) == 0;
}

int results_format_of_path(const char *path) {
    if (ends_with(path, ".csv")) return OUTPUT_CSV;
    if (ends_with(path, ".json")) return OUTPUT_JSON;
    return ends_with(path, ".jsonl") || ends_with(path, ".ndjson") ? OUTPUT_JSON_LINES : OUTPUT_XML;
}

/* XML. */

static void print_owned(struct results_writer *writer, char *text) {
    fputs(text ? text : "", writer->file);
    writer->no_memory = writer->no_memory || !text;
    free(text);
}

static void begin_xml(struct results_writer *writer) {
    print_owned(writer, tcplan_results_text_begin(writer->shard, writer->shards));
}

/** Writes a record, preceded by its provenance if it is new; provenances are numbered in order of
 * use. */
static void write_xml(struct results_writer *writer, const struct tcplan_result *result) {
    if (result->provenance->id > writer->provenance) {
        print_owned(writer, tcplan_provenance_text(result->provenance));
        writer->provenance = result->provenance->id;
    }
    print_owned(writer, tcplan_result_text(result));
}

static void end_xml(struct results_writer *writer, const struct tcplan_results_summary *summary) {
    print_owned(writer, tcplan_results_text_end(summary));
}

const struct results_format results_format_xml = {
    .begin = begin_xml, .record = write_xml, .end = end_xml};
