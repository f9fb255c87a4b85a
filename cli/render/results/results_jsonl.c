#include <stdlib.h>

#include "cli/render/results/results_writer.h"
#include "cli/render/view.h"
#include "tcplan/result_fields.h"

static void write_value(struct document *document, const struct tcplan_field *field,
                        const struct tcplan_field_value *value) {
    const struct document_kind *kind = document->kind;
    const char *name = field->elsewhere ? field->elsewhere : field->name;
    if (field->kind == TCPLAN_FIELD_SIZES) {
        kind->sizes(document, value->text);
    } else if (value->text) {
        kind->text(document, name, value->text);
    } else if (field->kind == TCPLAN_FIELD_FLAG) {
        kind->boolean(document, name, value->integer);
    } else if (field->kind == TCPLAN_FIELD_NUMBER) {
        kind->number(document, name, value->number);
    } else {
        kind->integer(document, name, value->integer);
    }
}

/** Writes the known fields of a table. */
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

/** Writes one object without a newline. */
static void write_object(struct results_writer *results, const struct tcplan_result *result) {
    struct writer writer = {.file = results->file, .points = 1};
    struct document document = {.kind = &document_json, .writer = &writer, .on_one_line = true};
    const struct document_kind *kind = document.kind;
    document_open(&document, "result");
    write_fields(&document, tcplan_result_fields, result);
    kind->list(&document, "algorithms");
    for (size_t a = 0; a < result->algorithm_count; a++) {
        kind->object(&document, "algorithm");
        write_fields(&document, tcplan_algorithm_fields, &result->algorithm[a]);
        kind->end(&document);
    }
    kind->end(&document);
    kind->object(&document, "provenance");
    write_fields(&document, tcplan_provenance_fields, result->provenance);
    kind->end(&document);
    kind->end(&document);
    results->no_memory = results->no_memory || writer.no_memory;
}

static void write_line(struct results_writer *writer, const struct tcplan_result *result) {
    write_object(writer, result);
    fputc('\n', writer->file);
}

const struct results_format results_format_jsonl = {.record = write_line};

/* JSON: an array of these objects. */

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

const struct results_format results_format_json = {
    .begin = begin_array, .record = write_member, .end = end_array};

/* The schema. */

enum { FIELDS_MOST = 48 };

/** Dummy getter, because a field of a schema needs one. */
static struct field_value value_of(const void *record) {
    (void)record;
    return field_unknown();
}

/** Describes the JSON fields of a table; returns the end of the descriptions. */
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
