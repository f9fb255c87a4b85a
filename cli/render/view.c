#include "cli/render/view.h"

#include <stdlib.h>
#include <string.h>

#include "cli/render/algorithms/report.h"
#include "cli/render/format.h"

static void print_csv(struct writer *writer, const struct view *view, const void *record) {
    struct csv_line line = {0};
    if (writer->written == 0) {
        fields_csv_headings(&line, view->fields, record);
        if (!csv_print(&line, writer->file)) writer->no_memory = true;
    }
    fields_csv_print(writer, view->fields, record);
}

const struct format format_csv = {.view = print_csv};

/* The schema. */

enum { INDENT = 2 };

/** JSON types by enum field_kind; NULL: the type is that of the inner fields */
static const char *const types[] = {
    [FIELD_TEXT] = "\"type\": \"string\"",
    [FIELD_INTEGER] = "\"type\": \"integer\", \"minimum\": 0",
    [FIELD_NUMBER] = "\"type\": \"number\", \"minimum\": 0",
    [FIELD_FLAG] = "\"type\": \"boolean\"",
    [FIELD_DATE] = "\"type\": \"string\", \"format\": \"date-time\"",
    [FIELD_SIZES] =
        "\"type\": \"object\", \"additionalProperties\": {\"type\": \"integer\", \"minimum\": 0}",
    [FIELD_NAMES] = "\"type\": \"array\", \"items\": {\"type\": \"string\"}",
    [FIELD_SENTENCES] = "\"type\": \"array\", \"items\": {\"type\": \"string\"}",
    [FIELD_NUMBERS] = "\"type\": \"array\", \"items\": {\"type\": \"number\"}",
    [FIELD_GROUP] = NULL};

static void add_object(struct strbuf *out, const struct field *fields, bool is_document,
                       int indent);

static void add_words(struct strbuf *out, const struct tcplan_word *words) {
    strbuf_add(out, "\"enum\": [");
    for (const struct tcplan_word *word = words; word->word; word++) {
        if (tcplan_word(words, word->value) != word->word)
            continue; /* Skip words that are aliases of another word. */
        strbuf_add(out, "%s\"%s\"", word > words ? ", " : "", word->word);
    }
    strbuf_add(out, "]");
}

/** Appends the type of a value to the JSON schema, after the description. */
static void add_type(struct strbuf *out, const struct field *field, int indent) {
    if (field->schema) {
        strbuf_add(out, "%s", field->schema);
    } else if (field->null) {
        strbuf_add(out, "\"type\": [\"string\", \"null\"]");
    } else if (field->words) {
        add_words(out, field->words);
    } else if (types[field->kind]) {
        strbuf_add(out, "%s", types[field->kind]);
    } else {
        const bool is_list = field->kind == FIELD_LIST;
        if (is_list) strbuf_add(out, "\"type\": \"array\", \"items\": {");
        add_object(out, field->fields, false, indent);
        if (is_list) strbuf_add(out, "}");
    }
}

/** Returns the separator that is needed before the next member. */
static const char *comma(const struct strbuf *out, const char *text) {
    const char last = out->length > 0 ? out->text[out->length - 1] : '{';
    return last == '[' || last == '{' ? "" : text;
}

static void add_required(struct strbuf *out, const struct field *fields) {
    for (const struct field *field = fields; field->get || field->each; field++) {
        if (field->kind == FIELD_GROUP) {
            add_required(out, field->fields);
        } else if (field->required && !field->hidden) {
            strbuf_add(out, "%s\"%s\"", comma(out, ", "), field->key);
        }
    }
}

static void add_members(struct strbuf *out, const struct field *fields, int indent) {
    for (const struct field *field = fields; field->get || field->each; field++) {
        if (!field->key || field->hidden) continue;
        if (field->kind == FIELD_GROUP) {
            add_members(out, field->fields, indent);
            continue;
        }
        strbuf_add(out, "%s\n%*s\"%s\": {\"description\": \"%s\", ", comma(out, ","), indent, "",
                   field->key, field->says);
        add_type(out, field, indent + INDENT);
        strbuf_add(out, "}");
    }
}

/** Appends the members of an object to the JSON schema. */
static void add_object(struct strbuf *out, const struct field *fields, bool is_document,
                       int indent) {
    strbuf_add(out, "\"type\": \"object\", \"additionalProperties\": false, \"required\": [");
    if (is_document) strbuf_add(out, "\"schema\", \"tcplan\"");
    add_required(out, fields);
    strbuf_add(out, "], \"properties\": {");
    if (is_document)
        strbuf_add(
            out,
            "\n%*s\"schema\": {\"description\": \"version of the schema\", \"const\": "
            "%d},\n%*s\"tcplan\": {\"description\": \"version of tcplan\", \"type\": \"string\"}",
            indent, "", DOCUMENT_SCHEMA, indent, "");
    add_members(out, fields, indent);
    strbuf_add(out, "}");
}

void view_add_schema(struct strbuf *out, const struct named_view *named) {
    const struct view *view = named->view;
    if (view->schema) {
        view->schema(out, named);
        return;
    }
    strbuf_add(out,
               "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
               "  \"title\": \"tcplan %s\",\n  \"description\": \"%s\",\n",
               named->name, view->says);
    if (view->list)
        strbuf_add(out,
                   "  \"anyOf\": [{\"$ref\": \"#/$defs/document\"}, {\"type\": \"array\", "
                   "\"items\": {\"$ref\": \"#/$defs/document\"}}],\n  \"$defs\": {\"document\": {");
    else
        strbuf_add(out, "  ");
    add_object(out, view->fields, true, 2 * INDENT);
    strbuf_add(out, view->list ? "}}\n}\n" : "\n}\n");
}

#define NAMED(name, T) {name, &T##_view},

const struct named_view views[] = {VIEW_LIST(NAMED){0}};

const struct format *format_of(int output_format) {
    static const struct format *const formats[] = {[OUTPUT_TEXT] = &format_text,
                                                   [OUTPUT_JSON] = &format_json,
                                                   [OUTPUT_CSV] = &format_csv,
                                                   [OUTPUT_XML] = &format_xml};
    return formats[output_format];
}

void writer_print_owned(struct writer *writer, const char *before, char *text, const char *after) {
    fprintf(writer->file, "%s%s%s", before, text ? text : "", after);
    writer->no_memory = writer->no_memory || !text;
    free(text);
}

void writer_print_command(struct writer *writer, const char *label, char *command) {
    FILE *wrapped = writer->file;
    fflush(wrapped);
    if (writer->unwrapped) writer->file = writer->unwrapped;
    writer_print_owned(writer, label, command, "\n");
    writer->file = wrapped;
}

void writer_print_indented(FILE *file, const char *text) {
    for (const char *line = text; line && *line;) {
        const size_t length = strcspn(line, "\n");
        fprintf(file, "    %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

void writer_print_nest(struct writer *writer, const struct row *row,
                       const struct tcplan_problem *problem) {
    char *nest = tcplan_nest_text(row->nest, problem, row->dtype);
    writer_print_indented(writer->file, nest);
    writer->no_memory = writer->no_memory || !nest;
    free(nest);
}
