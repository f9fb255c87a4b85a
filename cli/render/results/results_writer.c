#include "cli/render/results/results_writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/quantity.h"
#include "cli/render/text/values.h"
#include "cli/render/text/visible.h"
#include "cli/render/view.h"
#include "tcplan/result_fields.h"

/** Functions of an output format. A NULL function writes nothing. */
struct results_format {
    void (*begin)(struct results_writer *writer);
    void (*record)(struct results_writer *writer, const struct tcplan_result *result);
    void (*end)(struct results_writer *writer, const struct tcplan_results_summary *summary);
};

/* XML. */

static void print_owned(struct results_writer *writer, char *text) {
    fputs(text ? text : "", writer->file);
    writer->no_memory = writer->no_memory || !text;
    free(text);
}

static void begin_xml(struct results_writer *writer) {
    print_owned(writer, tcplan_results_text_begin(writer->shard, writer->shards));
}

/** Writes a record. If its provenance is new, writes the provenance before it; provenances are
 * numbered in the order of their first use. */
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

static const struct results_format results_xml = {
    .begin = begin_xml, .record = write_xml, .end = end_xml};

/* CSV. */

/** Calls `use` for each column: the fields of the record, then the fields of its provenance. */
static void each_column(void *context, const struct tcplan_result *result,
                        void (*use)(void *context, const struct tcplan_field *field,
                                    const void *record)) {
    const struct tcplan_field *const tables[] = {tcplan_result_fields, tcplan_provenance_fields};
    const void *const records[] = {result, result ? result->provenance : NULL};
    for (int t = 0; t < 2; t++) {
        for (const struct tcplan_field *field = tables[t]; field->name; field++) {
            if (field->formats & TCPLAN_FIELD_CSV) use(context, field, records[t]);
        }
    }
}

static void add_heading(void *context, const struct tcplan_field *field, const void *record) {
    (void)record;
    csv_add_text(context, field->elsewhere ? field->elsewhere : field->name);
}

/** Appends a value, or an empty one if it is unknown. */
static void add_cell(void *context, const struct tcplan_field *field, const void *record) {
    struct csv_line *line = context;
    struct tcplan_field_value value = tcplan_field_value(field, record);
    line->text.failed = line->text.failed || value.no_memory;
    if (value.text) {
        csv_add_text(line, value.text);
    } else if (value.known && field->kind != TCPLAN_FIELD_NUMBER) {
        csv_add_integer(line, value.integer);
    } else {
        csv_add_number(line, value.known, value.number);
    }
    free(value.owned);
}

static void print_line(struct results_writer *writer, struct csv_line *line) {
    if (!csv_print(line, writer->file)) writer->no_memory = true;
}

static void begin_csv(struct results_writer *writer) {
    struct csv_line line = {0};
    each_column(&line, NULL, add_heading);
    print_line(writer, &line);
}

static void write_csv(struct results_writer *writer, const struct tcplan_result *result) {
    struct csv_line line = {0};
    each_column(&line, result, add_cell);
    print_line(writer, &line);
}

static const struct results_format results_csv = {.begin = begin_csv, .record = write_csv};

/* Writes a value as JSON. */

static void write_value(struct document *document, const struct tcplan_field *field,
                        const struct tcplan_field_value *value) {
    const char *name = field->elsewhere ? field->elsewhere : field->name;
    if (field->kind == TCPLAN_FIELD_SIZES) {
        document_sizes(document, value->text);
    } else if (value->text) {
        document_text(document, name, value->text);
    } else if (field->kind == TCPLAN_FIELD_FLAG) {
        document_flag(document, name, value->integer);
    } else if (field->kind == TCPLAN_FIELD_NUMBER) {
        document_number(document, name, value->number);
    } else {
        document_integer(document, name, value->integer);
    }
}

/** Writes the known fields of a table as JSON. */
static void write_fields(struct document *document, const struct tcplan_field *fields,
                         const void *record) {
    for (; fields->name; fields++) {
        if (!(fields->formats & TCPLAN_FIELD_JSON)) continue;
        const struct tcplan_field_value value = tcplan_field_value(fields, record);
        document->writer->no_memory = document->writer->no_memory || value.no_memory;
        if (value.known) write_value(document, fields, &value);
        free(value.owned);
    }
}

/** Writes a record as a JSON object, without a newline. */
static void write_object(struct results_writer *results, const struct tcplan_result *result) {
    struct writer writer = {.file = results->file, .points = 1};
    struct document document = {.writer = &writer, .on_one_line = true};
    document_open(&document, "result");
    write_fields(&document, tcplan_result_fields, result);
    document_list(&document, "algorithms");
    for (size_t a = 0; a < result->algorithm_count; a++) {
        document_object(&document, "algorithm");
        write_fields(&document, tcplan_algorithm_fields, &result->algorithm[a]);
        document_close(&document);
    }
    document_close(&document);
    document_object(&document, "provenance");
    write_fields(&document, tcplan_provenance_fields, result->provenance);
    document_close(&document);
    document_close(&document);
    results->no_memory = results->no_memory || writer.no_memory;
}

static void write_line(struct results_writer *writer, const struct tcplan_result *result) {
    write_object(writer, result);
    fputc('\n', writer->file);
}

static const struct results_format results_jsonl = {.record = write_line};

/* Begins a JSON array of records. */

static void begin_array(struct results_writer *writer) {
    fputc('[', writer->file);
}

static void write_member(struct results_writer *writer, const struct tcplan_result *result) {
    fputs(writer->written > 0 ? ",\n" : "\n", writer->file);
    write_object(writer, result);
}

static void end_array(struct results_writer *writer, const struct tcplan_results_summary *summary) {
    (void)summary;
    fputs("\n]\n", writer->file);
}

static const struct results_format results_json = {
    .begin = begin_array, .record = write_member, .end = end_array};

/* The schema. */

enum { FIELDS_MOST = 48 };

/** Stands in for a getter: a field must have one, but only the schema of this field is used. */
static struct field_value value_of(const void *record) {
    (void)record;
    return field_unknown();
}

/** Describes the JSON fields of a table; returns the position after them. */
static struct field *describe(struct field *out, const struct tcplan_field *fields) {
    static const enum field_kind kinds[] = {
        [TCPLAN_FIELD_SIZES] = FIELD_SIZES,     [TCPLAN_FIELD_FLAG] = FIELD_FLAG,
        [TCPLAN_FIELD_INTEGER] = FIELD_INTEGER, [TCPLAN_FIELD_COUNT] = FIELD_INTEGER,
        [TCPLAN_FIELD_NUMBER] = FIELD_NUMBER,   [TCPLAN_FIELD_CACHES] = FIELD_TEXT};
    for (; fields->name; fields++) {
        const char *key = fields->elsewhere ? fields->elsewhere : fields->name;
        if (!(fields->formats & TCPLAN_FIELD_JSON)) continue;
        *out++ = (struct field){key, kinds[fields->kind], value_of, fields->says,
                                .required = fields->kind == TCPLAN_FIELD_FLAG ||
                                            fields->kind == TCPLAN_FIELD_ID};
    }
    *out = (struct field){0};
    return out;
}

static void add_schema(struct strbuf *out, const struct named_view *named) {
    struct field fields[FIELDS_MOST], algorithm[FIELDS_MOST], provenance[FIELDS_MOST];
    struct view view = *named->view;
    struct field *end = describe(fields, tcplan_result_fields);
    describe(algorithm, tcplan_algorithm_fields);
    describe(provenance, tcplan_provenance_fields);
    *end++ = (struct field){"algorithms",
                            FIELD_LIST,
                            value_of,
                            "the winner, those that tie with it, and measured ones",
                            .fields = algorithm,
                            .required = true};
    *end++ = (struct field){
        "provenance",         FIELD_OBJECT,    value_of, "version and machine of the planning",
        .fields = provenance, .required = true};
    *end = (struct field){0};
    view.fields = fields;
    view.schema = NULL;
    view_add_schema(out, &(struct named_view){named->name, &view});
}

const struct view results_view = {
    .element = "result",
    .says = "Results: one per line with --format jsonl, an array with --format json.",
    .list = "results",
    .schema = add_schema};

/* Text output. Records are printed as they arrive, so columns have fixed widths. Longer names are
 * truncated. The winner and the sizes, whose length is not limited, come last. */

enum {
    NAME_WIDTH = 12,
    NAME_WIDTH_UNKNOWN = 24,
    NAME_WIDTH_MAX = 60,
    WINNER_WIDTH = 28,
    WIDE = 110
};

/** Prints a text padded to `width`. A longer text is truncated if `cut`. */
static void print_cell(struct results_writer *writer, const char *text, size_t width, bool cut) {
    char *shown = visible_text(text);
    if (!shown) {
        writer->no_memory = true;
        return;
    }
    cut = cut && visible_width(shown) > width;
    if (cut) shown[visible_cut(shown, width - 3)] = '\0';
    const size_t taken = visible_width(shown) + (cut ? 3 : 0);
    fprintf(writer->file, "%s%s%*s", shown, cut ? "..." : "",
            taken < width ? (int)(width - taken) : 0, "");
    free(shown);
}

static void begin_table(struct results_writer *writer) {
    if (writer->name_width == 0) writer->name_width = NAME_WIDTH_UNKNOWN;
    if (writer->name_width < NAME_WIDTH) writer->name_width = NAME_WIDTH;
    if (writer->name_width > NAME_WIDTH_MAX) writer->name_width = NAME_WIDTH_MAX;
    const struct terminal terminal = terminal_of(writer->file);
    writer->narrow = terminal.columns > 0 && terminal.columns < WIDE;
    terminal_style(writer->file, &terminal, STYLE_HEADING);
    fprintf(writer->file, "%-*s  %9s", (int)writer->name_width, "contraction", "predicted");
    if (!writer->narrow) fprintf(writer->file, "  %4s", "tied");
    fprintf(writer->file, "  %8s", "GFLOP/s");
    if (!writer->narrow) fprintf(writer->file, "  %8s", "of gemm");
    if (writer->measured) fprintf(writer->file, "  %9s  %6s", "measured", "regret");
    if (!writer->narrow) fprintf(writer->file, "  %9s", "planned");
    fprintf(writer->file, "  %-*s  sizes", WINNER_WIDTH, "winner");
    terminal_style(writer->file, &terminal, STYLE_PLAIN);
    fputs("\n", writer->file);
}

/** Returns a time like quantity_seconds(); "-" if it is unknown. */
static struct quantity seconds_or_dash(double seconds) {
    if (seconds > 0) return quantity_seconds(seconds);
    return (struct quantity){.text = "-"};
}

static void print_measured(const struct results_writer *writer,
                           const struct tcplan_result *result) {
    const double regret = tcplan_result_regret(result);
    fprintf(writer->file, "  %9s",
            seconds_or_dash(tcplan_result_winner(result)->measured_seconds).text);
    if (regret > 0) {
        fprintf(writer->file, "  %6.3f", regret);
    } else {
        fprintf(writer->file, "  %6s", "-");
    }
}

static int64_t tied_count(const struct tcplan_result *result) {
    int64_t count = 0;
    for (size_t a = 0; a < result->algorithm_count; a++)
        count += result->algorithm[a].tied && &result->algorithm[a] != tcplan_result_winner(result);
    return count;
}

/** Prints the speed as a share of gemm's speed. The share is unknown if there was too little time
 * to measure it. */
static void print_share(struct results_writer *writer, double gflops, double gemm_gflops) {
    if (gemm_gflops > 0) {
        fprintf(writer->file, "  %6.1f %%", 100 * gflops / gemm_gflops);
    } else {
        fprintf(writer->file, "  %8s", "-");
    }
}

static void print_done(struct results_writer *writer, const struct tcplan_result *result) {
    const struct tcplan_result_algorithm *winner = tcplan_result_winner(result);
    const double gflops =
        winner->predicted_seconds > 0 ? 1e-9 * result->flops / winner->predicted_seconds : 0;
    fprintf(writer->file, "  %9s", seconds_or_dash(winner->predicted_seconds).text);
    if (!writer->narrow) fprintf(writer->file, "  %4lld", (long long)tied_count(result));
    fprintf(writer->file, "  %8.4g", gflops);
    if (!writer->narrow) print_share(writer, gflops, result->gemm_gflops);
    if (writer->measured) print_measured(writer, result);
    if (!writer->narrow) {
        fprintf(writer->file, "  %9s",
                result->reused_from ? "as before" : seconds_or_dash(result->planning_seconds).text);
    }
    fputs("  ", writer->file);
    print_cell(writer, winner->name, WINNER_WIDTH, false);
    fputs("  ", writer->file);
    visible_print(writer->file, result->sizes);
    if (result->dtype != TCPLAN_DOUBLE)
        fprintf(writer->file, " (%s)", tcplan_word(tcplan_words_dtypes, (int)result->dtype));
    if (result->threads > 1) fprintf(writer->file, " (%lld threads)", (long long)result->threads);
    fputc('\n', writer->file);
}

static void write_row(struct results_writer *writer, const struct tcplan_result *result) {
    print_cell(writer, result->name, writer->name_width, true); /* Long names are truncated. */
    if (result->algorithm_count > 0) {
        print_done(writer, result);
    } else {
        fputs("  failed: ", writer->file);
        visible_print(writer->file, result->reason ? result->reason : "no algorithm");
        fputc('\n', writer->file);
    }
}

static void end_table(struct results_writer *writer, const struct tcplan_results_summary *summary) {
    (void)summary;
    fprintf(writer->file, "\n%s, planned in %s", counted(writer->written, "contraction").text,
            quantity_seconds(writer->planning_seconds).text);
    if (writer->reused > 0)
        fprintf(writer->file, "; %lld reused from equal ones", (long long)writer->reused);
    if (writer->failed > 0) fprintf(writer->file, "; %lld failed", (long long)writer->failed);
    fputs(".\n", writer->file);
}

static const struct results_format results_text = {
    .begin = begin_table, .record = write_row, .end = end_table};

/* Any format. */

static const struct results_format *find_format(int format) {
    switch (format) {
    case OUTPUT_XML: return &results_xml;
    case OUTPUT_CSV: return &results_csv;
    case OUTPUT_JSON: return &results_json;
    case OUTPUT_JSON_LINES: return &results_jsonl;
    default: return &results_text;
    }
}

void results_writer_begin(struct results_writer *writer, int format) {
    writer->format = find_format(format);
}

/** Writes the beginning of the output, unless it is written already. */
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

int results_format_of_path(const char *path) {
    if (text_ends(path, ".csv")) return OUTPUT_CSV;
    if (text_ends(path, ".json")) return OUTPUT_JSON;
    return text_ends(path, ".jsonl") || text_ends(path, ".ndjson") ? OUTPUT_JSON_LINES : OUTPUT_XML;
}
