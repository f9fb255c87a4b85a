#include "cli/render/fields.h"

#include <assert.h>
#include <stdlib.h>

/* Values. */

struct field_value field_unknown(void) {
    return (struct field_value){.text = ""};
}

struct field_value field_text(const char *text) {
    return (struct field_value){.known = text && *text, .text = text ? text : ""};
}

struct field_value field_owned(char *text) {
    struct field_value value = field_text(text);
    value.owned = text;
    value.no_memory = !text;
    return value;
}

struct field_value field_integer(int64_t integer) {
    return (struct field_value){.known = true, .text = "", .integer = integer};
}

struct field_value field_flag(bool flag) {
    return (struct field_value){.known = true, .text = flag ? "true" : "false", .integer = flag};
}

struct field_value field_number(double number) {
    return (struct field_value){.known = true, .text = "", .number = number};
}

struct field_value field_positive(double number) {
    return (struct field_value){.known = number > 0, .text = "", .number = number};
}

struct field_value field_interval(double low, double high) {
    return (struct field_value){.known = true, .text = "", .number = low, .high = high};
}

struct field_value field_if(bool known, struct field_value value) {
    value.known = value.known && known;
    return value;
}

static bool ends(const struct field *field) {
    return !field->get;
}

/* Documents. */

static void write_value(struct document *document, const struct field *field,
                        const struct field_value *value, const void *record) {
    const struct document_kind *kind = document->kind;
    switch (field->kind) {
    case FIELD_TEXT: kind->text(document, field->key, value->text); break;
    case FIELD_INTEGER: kind->integer(document, field->key, value->integer); break;
    case FIELD_NUMBER: kind->number(document, field->key, value->number); break;
    case FIELD_FLAG: kind->boolean(document, field->key, value->integer != 0); break;
    case FIELD_NAMES: kind->texts(document, field->key, value->names, value->count); break;
    case FIELD_NUMBERS: kind->numbers(document, field->key, value->numbers, value->count); break;
    case FIELD_LIST:
        kind->list(document, field->key);
        field->write(document, record);
        kind->end(document);
        break;
    }
}

static void write_fields(struct document *document, const struct field *fields, unsigned part,
                         bool lists, const void *record) {
    for (const struct field *field = fields; !ends(field); field++) {
        if (!(field->part & part) || (field->kind == FIELD_LIST) != lists) continue;
        const struct field_value value = field->get(record);
        if (value.known) write_value(document, field, &value, record);
        document->writer->no_memory = document->writer->no_memory || value.no_memory;
        free(value.owned);
    }
}

void fields_document(struct document *document, const struct field *fields, unsigned part,
                     const void *record) {
    write_fields(document, fields, part, false, record);
    write_fields(document, fields, part, true, record); /* elements of XML follow attributes */
}

/* CSV. */

/** The field of a column, from 1; NULL: there are no more. */
static const struct field *csv_field(const struct field *fields, int place) {
    while (!ends(fields) && fields->csv != place) fields++;
    return ends(fields) ? NULL : fields;
}

void fields_csv_headings(struct csv_line *line, const struct field *fields) {
    const struct field *field;
    for (int place = 1; (field = csv_field(fields, place)); place++) csv_add_text(line, field->key);
}

void fields_csv(struct csv_line *line, const struct field *fields, const void *record) {
    const struct field *field;
    for (int place = 1; (field = csv_field(fields, place)); place++) {
        const struct field_value value = field->get(record);
        if (!value.known) {
            csv_add_text(line, "");
        } else if (field->kind == FIELD_INTEGER) {
            csv_add_integer(line, value.integer);
        } else if (field->kind == FIELD_NUMBER) {
            csv_add_number(line, true, value.number);
        } else if (field->kind == FIELD_NAMES) {
            csv_add_names(line, value.names, value.count);
        } else {
            csv_add_text(line, value.text);
        }
        line->text.failed = line->text.failed || value.no_memory;
        free(value.owned);
    }
}

/* Text. */

const struct field *fields_next_column(const struct field *fields, int place) {
    const struct field *next = NULL;
    for (const struct field *field = fields; !ends(field); field++) {
        if (field->column > place && (!next || field->column < next->column)) next = field;
    }
    return next;
}

void fields_table_begin(struct field_table *out, const struct field *fields, bool verbose,
                        struct time_unit unit, const void *record) {
    const struct field *field;
    *out = (struct field_table){.fields = fields, .unit = unit};
    for (int place = 0; (field = fields_next_column(fields, place)); place = field->column) {
        if ((field->verbose && !verbose) || (field->applies && !field->applies(record))) continue;
        assert(out->count < FIELD_COLUMNS - 1);
        out->column[out->count] = field;
        out->alignment[out->count] =
            field->kind == FIELD_TEXT || field->kind == FIELD_NAMES ? 'l' : 'r';
        out->optional[out->count++] = field->optional ? field->optional : '0';
    }
    out->table.columns = out->alignment;
    out->table.optional = out->optional;
    for (int c = 0; c < out->count; c++) {
        const bool timed = out->column[c]->format == FIELD_TIME;
        table_add(&out->table, timed ? "%s %s" : "%s", out->column[c]->heading, unit.name);
    }
}

static void add_number(struct field_table *out, const struct field *field,
                       const struct field_value *value) {
    const double number = value->number;
    const struct time_unit unit = out->unit;
    struct table *table = &out->table;
    switch (field->format) {
    case FIELD_PLAIN: table_add(table, "%.10g", number); break;
    case FIELD_TIME: table_add(table, "%.*f", unit.decimals, number / unit.seconds); break;
    case FIELD_INTERVAL:
        table_add(table, "%.*f - %.*f", unit.decimals, number / unit.seconds, unit.decimals,
                  value->high / unit.seconds);
        break;
    case FIELD_SPEED: table_add(table, number < 9.995 ? "%.2f" : "%.1f", number); break;
    case FIELD_SHARE: table_add(table, "%.0f %%", 100 * number); break;
    case FIELD_RATIO: table_add(table, "%.2f", number); break;
    case FIELD_FACTOR: table_add(table, "%.2fx", number); break;
    }
}

void fields_table_row(struct field_table *out, const void *record) {
    for (int c = 0; c < out->count; c++) {
        const struct field *field = out->column[c];
        const struct field_value value = field->shown ? field->shown(record) : field->get(record);
        if (!value.known) {
            table_add(&out->table, "-");
        } else if (field->shown || field->kind == FIELD_TEXT) {
            table_add(&out->table, "%s", value.text);
        } else if (field->kind == FIELD_INTEGER) {
            table_add(&out->table, "%lld", (long long)value.integer);
        } else {
            add_number(out, field, &value);
        }
        out->table.no_memory = out->table.no_memory || value.no_memory;
        free(value.owned);
    }
}
