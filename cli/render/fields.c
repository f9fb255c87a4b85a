#include "cli/render/fields.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/render/text/values.h"

/* Values. */

struct field_value field_unknown(void) {
    return (struct field_value){.text = ""};
}

struct field_value field_text(const char *text) {
    return (struct field_value){.known = text && *text, .text = text ? text : ""};
}

struct field_value field_word(const char *text) {
    return (struct field_value){.known = true, .text = text};
}

struct field_value field_names(const char *const *names, int count) {
    return (struct field_value){.known = true, .text = "", .names = names, .count = count};
}

struct field_value field_owned(char *text) {
    struct field_value value = field_text(text);
    value.owned = text;
    value.no_memory = !text;
    return value;
}

struct field_value field_printed(const char *format, ...) {
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return field_owned(length >= 0 ? text : NULL);
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

void field_visit_found(struct field_visit *visit, const void *record) {
    (void)record;
    visit->is_over = true;
}

static bool ends(const struct field *field) {
    return !field->get && !field->each;
}

const struct field *field_named(const struct field *fields, const char *key) {
    while (!fields->key || strcmp(fields->key, key) != 0) fields++;
    return fields;
}

/* Documents. */

/** State of writing fields, or the records of a field. */
struct writing {
    struct field_visit visit;
    struct document *document;
    const struct field *field;
    bool inner; /* whether to write the fields that are XML elements, which follow the attributes */
};

static bool is_inner(const struct field *field) {
    return field->write || field->kind == FIELD_OBJECT || field->kind == FIELD_LIST ||
           field->kind == FIELD_SENTENCES;
}

static void write_fields(const struct writing *writing, const struct field *fields,
                         const void *record);

/** Writes the fields of a group; implements field_visit. */
static void write_group(struct field_visit *visit, const void *record) {
    const struct writing *writing = (const struct writing *)visit;
    write_fields(writing, writing->field->fields, record);
}

static bool is_over(const struct writer *writer) {
    return writer->no_memory || ferror(writer->file);
}

/** Writes a record as an object of a document; implements field_visit. */
static void write_object(struct field_visit *visit, const void *record) {
    const struct writing *writing = (const struct writing *)visit;
    const struct field *field = writing->field;
    document_object(writing->document, field->kind == FIELD_LIST ? field->item : field->key);
    fields_document(writing->document, field->fields, record);
    document_close(writing->document);
    visit->is_over = is_over(writing->document->writer);
}

static void write_value(const struct writing *writing, const struct field_value *value,
                        const void *record) {
    const struct field *field = writing->field;
    struct document *document = writing->document;
    struct writing records = *writing;
    records.visit.use = field->kind == FIELD_GROUP ? write_group : write_object;
    if (field->write) {
        field->write(document, record);
        return;
    }
    switch (field->kind) {
    case FIELD_TEXT: document_text(document, field->key, value->text); break;
    case FIELD_INTEGER: document_integer(document, field->key, value->integer); break;
    case FIELD_NUMBER: document_number(document, field->key, value->number); break;
    case FIELD_FLAG: document_flag(document, field->key, value->integer != 0); break;
    case FIELD_DATE: document_text(document, field->key, date_iso(value->integer).text); break;
    case FIELD_SIZES: document_sizes(document, value->text); break;
    case FIELD_NAMES: document_texts(document, field->key, value->names, value->count); break;
    case FIELD_SENTENCES:
        document_sentences(document, field->key, field->item, value->names, value->count);
        break;
    case FIELD_NUMBERS: document_numbers(document, field->key, value->numbers, value->count); break;
    case FIELD_LIST:
        document_list(document, field->key);
        field->each(record, &records.visit);
        document->writer->no_memory = document->writer->no_memory || records.visit.no_memory;
        document_close(document);
        break;
    case FIELD_OBJECT:
    case FIELD_GROUP: field->each(record, &records.visit); break;
    }
}

static bool has_part(const struct writing *writing, const struct field *field) {
    const bool in_turn = field->kind == FIELD_GROUP || is_inner(field) == writing->inner;
    return in_turn && field->key && (!field->hidden || field->write);
}

static void write_fields(const struct writing *writing, const struct field *fields,
                         const void *record) {
    struct document *document = writing->document;
    for (const struct field *field = fields; !ends(field); field++) {
        if (!has_part(writing, field)) continue;
        if (field->each && field->applies && !field->applies(record)) continue;
        struct writing own = *writing;
        own.field = field;
        struct field_value value = {.known = true};
        if (field->get) value = field->get(record);
        if (value.known) write_value(&own, &value, record);
        if (!value.known && field->null) document_absent(document, field->key);
        document->writer->no_memory = document->writer->no_memory || value.no_memory;
        free(value.owned);
    }
}

void fields_document(struct document *document, const struct field *fields, const void *record) {
    struct writing writing = {.document = document};
    write_fields(&writing, fields, record);
    writing.inner = true;
    write_fields(&writing, fields, record);
}

/** A record, and the records that contain it. CSV has a line for each innermost record. */
struct level {
    const struct field *fields;
    const void *record;
    const struct level *outer;
};

/** Returns the field of CSV column `place`, counted from 1; NULL if there is none. */
static const struct field *csv_field(const struct field *fields, int place) {
    for (; !ends(fields); fields++) {
        const struct field *inner = fields->fields ? csv_field(fields->fields, place) : NULL;
        if (fields->csv == place) return fields;
        if (inner) return inner;
    }
    return NULL;
}

static bool has_csv(const struct field *fields) {
    for (; !ends(fields); fields++) {
        if (fields->csv > 0 || (fields->fields && has_csv(fields->fields))) return true;
    }
    return false;
}

/** Returns whether CSV has a line for each record of a field. */
static bool makes_rows(const struct field *field) {
    return (field->kind == FIELD_LIST || field->rows) && field->fields && has_csv(field->fields);
}

/** State of searching the value of a CSV column. */
struct finding {
    struct field_visit visit;
    const struct field *fields;
    int place;
    const struct field *found;
    struct field_value value;
};

/** Finds the field of a CSV column, and its value; implements field_visit. */
static void find_value(struct field_visit *visit, const void *record) {
    struct finding *finding = (struct finding *)visit;
    const struct field *fields = finding->fields;
    for (const struct field *field = fields; !ends(field) && !finding->found; field++) {
        if (field->csv == finding->place) {
            finding->found = field;
            finding->value = field->get(record);
        } else if (field->fields && !makes_rows(field)) {
            finding->fields = field->fields;
            field->each(record, visit);
            finding->fields = fields;
        }
    }
}

static void add_value(struct csv_line *line, const struct field *field,
                      const struct field_value *value) {
    if (!value->known) {
        csv_add_text(line, "");
    } else if (field->kind == FIELD_INTEGER) {
        csv_add_integer(line, value->integer);
    } else if (field->kind == FIELD_NUMBER) {
        csv_add_number(line, true, value->number);
    } else if (field->kind == FIELD_NAMES) {
        csv_add_names(line, value->names, value->count);
    } else if (field->kind == FIELD_FLAG) {
        csv_add_text(line, value->integer ? "true" : "false");
    } else if (field->kind == FIELD_DATE) {
        csv_add_text(line, date_iso(value->integer).text);
    } else {
        csv_add_text(line, value->text);
    }
    line->text.failed = line->text.failed || value->no_memory;
}

static void add_values(struct csv_line *line, const struct field *fields,
                       const struct level *innermost) {
    for (int place = 1; csv_field(fields, place); place++) {
        struct finding finding = {
            .visit = {.use = find_value}, .place = place, .value = {.text = ""}};
        for (const struct level *level = innermost; level && !finding.found; level = level->outer) {
            finding.fields = level->fields;
            find_value(&finding.visit, level->record);
        }
        add_value(line, csv_field(fields, place), &finding.value);
        free(finding.value.owned);
    }
}

/** Appends the headings or values of the last columns, one for each index. */
static void add_extents(struct csv_line *line, const struct field *fields, const void *record,
                        bool headings) {
    while (!ends(fields) && !fields->columns) fields++;
    if (ends(fields) || !record) return;
    const struct field_value sizes = fields->get(record);
    for (const char *at = sizes.text; at && *at;) {
        const size_t name = strcspn(at, "="), end = strcspn(at, ",");
        if (headings) {
            strbuf_add(&line->text, ",%s%.*s", fields->columns, (int)name, at);
        } else {
            strbuf_add(&line->text, ",%.*s", (int)(end - name - 1), at + name + 1);
        }
        at += end + (at[end] == ',');
    }
    line->text.failed = line->text.failed || sizes.no_memory;
    free(sizes.owned);
}

void fields_csv_headings(struct csv_line *line, const struct field *fields, const void *record) {
    const struct field *field;
    for (int place = 1; (field = csv_field(fields, place)); place++)
        csv_add_text(line, field->csv_key ? field->csv_key : field->key);
    add_extents(line, fields, record, true);
}

void fields_csv(struct csv_line *line, const struct field *fields, const void *record) {
    const struct level level = {.fields = fields, .record = record};
    add_values(line, fields, &level);
}

/** State of printing CSV lines. */
struct printing {
    struct field_visit visit;
    struct writer *writer;
    const struct field *fields;  /* fields of the record that contains the list */
    const void *record;          /* the outer record */
    const struct field *records; /* the list whose records are visited */
    const struct level *outer;
};

static void print_level(const struct printing *printing, const struct level *level);

/** Prints a record at its level of the CSV; implements field_visit. */
static void print_record(struct field_visit *visit, const void *record) {
    const struct printing *printing = (const struct printing *)visit;
    print_level(printing, &(struct level){printing->records->fields, record, printing->outer});
    visit->is_over = is_over(printing->writer);
}

static void print_level(const struct printing *printing, const struct level *level) {
    bool innermost = true;
    for (const struct field *field = level->fields; !ends(field); field++) {
        if (!makes_rows(field)) continue;
        struct printing records = *printing;
        records.records = field;
        records.outer = level;
        innermost = false;
        field->each(level->record, &records.visit);
        printing->writer->no_memory = printing->writer->no_memory || records.visit.no_memory;
    }
    if (!innermost) return;
    struct csv_line line = {0};
    add_values(&line, printing->fields, level);
    add_extents(&line, printing->fields, printing->record, false);
    if (!csv_print(&line, printing->writer->file)) printing->writer->no_memory = true;
}

void fields_csv_print(struct writer *writer, const struct field *fields, const void *record) {
    const struct printing printing = {
        .visit = {.use = print_record}, .writer = writer, .fields = fields, .record = record};
    print_level(&printing, &(struct level){.fields = fields, .record = record});
}

/* Text. */

const struct field *fields_next_column(const struct field *fields, int place) {
    const struct field *next = NULL;
    for (const struct field *field = fields; !ends(field); field++) {
        if (field->column > place && (!next || field->column < next->column)) next = field;
    }
    return next;
}

int fields_columns(const struct field *out[FIELD_COLUMNS], const struct field *fields, bool verbose,
                   const void *record) {
    const struct field *field;
    int count = 0;
    for (int place = 0; (field = fields_next_column(fields, place)); place = field->column) {
        if ((field->verbose && !verbose) || (field->applies && !field->applies(record))) continue;
        assert(count < FIELD_COLUMNS - 1);
        out[count++] = field;
    }
    out[count] = NULL;
    return count;
}

static void add_column(struct field_table *out, const struct field *field, int of, int count,
                       const void *record) {
    const bool timed = field->format == FIELD_TIME || field->format == FIELD_SAME_UNIT;
    const bool is_number = field->kind == FIELD_INTEGER || field->kind == FIELD_NUMBER;
    const bool is_end = field->spread && (of == 0 || of + 1 == count);
    const char *name = timed ? out->unit.name : field->unit ? field->unit(record) : "";
    const struct field_value heading =
        field->spread ? field->spread->heading(record, of) : field_word(field->heading);
    assert(out->count < FIELD_COLUMNS - 1);
    out->column[out->count] = field;
    out->of[out->count] = of;
    out->alignment[out->count] = field->right || is_number ? 'r' : 'l';
    out->optional[out->count++] = field->optional && !is_end ? field->optional : '0';
    table_add(&out->table, "%s%s%s", heading.text, *name && *heading.text ? " " : "", name);
    out->table.no_memory = out->table.no_memory || heading.no_memory;
    free(heading.owned);
}

void fields_table_columns(struct field_table *out, const struct field *fields, bool verbose,
                          const void *record) {
    const struct field *column[FIELD_COLUMNS];
    const int count = fields_columns(column, fields, verbose, record);
    for (int c = 0; c < count; c++) {
        const int several = column[c]->spread ? column[c]->spread->count(record) : 1;
        for (int of = 0; of < several; of++) add_column(out, column[c], of, several, record);
    }
}

void fields_table_begin(struct field_table *out, const struct field *fields, bool verbose,
                        struct time_unit unit, const void *record) {
    *out = (struct field_table){.unit = unit};
    out->table.columns = out->alignment;
    out->table.optional = out->optional;
    fields_table_columns(out, fields, verbose, record);
}

/** Appends a number with the given number of digits, including trailing zeros, so that the digits
 * in a column line up. */
static void add_digits(struct strbuf *out, int digits, double number) {
    char text[32];
    snprintf(text, sizeof text, "%#.*g", digits, number);
    const size_t length = strlen(text);
    if (length > 0 && text[length - 1] == '.') text[length - 1] = '\0';
    strbuf_add(out, "%s", number == 0 ? "0" : text);
}

static void add_number(struct strbuf *out, const struct field *field,
                       const struct field_value *value, struct time_unit unit) {
    const double number = field->kind == FIELD_INTEGER ? (double)value->integer : value->number;
    switch (field->format) {
    case FIELD_PLAIN: strbuf_add(out, "%.10g", number); break;
    case FIELD_TIME:
    case FIELD_SAME_UNIT: strbuf_add(out, "%.*f", unit.decimals, number / unit.seconds); break;
    case FIELD_INTERVAL:
        strbuf_add(out, "%.*f - %.*f", unit.decimals, number / unit.seconds, unit.decimals,
                   value->high / unit.seconds);
        break;
    case FIELD_SPEED: strbuf_add(out, number < 9.995 ? "%.2f" : "%.1f", number); break;
    case FIELD_THREE: add_digits(out, 3, number); break;
    case FIELD_DIGITS: add_digits(out, 4, number); break;
    case FIELD_SHARE: strbuf_add(out, "%.0f %%", 100 * number); break;
    case FIELD_PERCENT: strbuf_add(out, "%.1f %%", 100 * number); break;
    case FIELD_PERCENT_2: strbuf_add(out, "%.2f %%", 100 * number); break;
    case FIELD_SIGNED: strbuf_add(out, "%+.2f %%", 100 * number); break;
    case FIELD_RATIO: strbuf_add(out, "%.2f", number); break;
    case FIELD_RATIO_3: strbuf_add(out, "%.3f", number); break;
    case FIELD_EXPONENT: strbuf_add(out, "%.1e", number); break;
    case FIELD_FACTOR: strbuf_add(out, "%.2fx", number); break;
    case FIELD_SECONDS: strbuf_add(out, "%s", quantity_seconds(number).text); break;
    case FIELD_SPAN:
        strbuf_add(out, "%s \xE2\x80\x93 ", quantity_seconds(number).text);
        strbuf_add(out, "%s", quantity_seconds(value->high).text);
        break;
    case FIELD_BYTES: strbuf_add(out, "%s", quantity_bytes(number).text); break;
    case FIELD_FLOPS: strbuf_add(out, "%s", quantity_flops(number).text); break;
    }
}

static bool is_text(const struct field *field) {
    return field->shown || field->kind == FIELD_TEXT || field->kind == FIELD_SIZES ||
           field->kind == FIELD_FLAG;
}

char *field_value_text(const struct field *field, struct field_value value, struct time_unit unit) {
    struct strbuf out = {.failed = value.no_memory};
    if (!value.known) {
        strbuf_add(&out, "%s", "");
    } else if (is_text(field)) {
        strbuf_add(&out, "%s", value.text);
    } else if (field->kind == FIELD_DATE) {
        strbuf_add(&out, "%s", date_minute(value.integer).text);
    } else if (field->kind == FIELD_NUMBERS) {
        for (int n = 0; n < value.count; n++)
            strbuf_add(&out, "%s%.10g", n > 0 ? " " : "", value.numbers[n]);
    } else if (field->kind == FIELD_INTEGER && field->format == FIELD_PLAIN) {
        strbuf_add(&out, "%lld", (long long)value.integer);
    } else {
        add_number(&out, field, &value, unit);
    }
    free(value.owned);
    return strbuf_finish(&out);
}

void fields_table_cells(struct field_table *out, int first, int end, const void *record) {
    for (int c = first; c < end; c++) {
        const struct field *field = out->column[c];
        const struct field_value value = field->spread  ? field->spread->value(record, out->of[c])
                                         : field->shown ? field->shown(record)
                                                        : field->get(record);
        const enum terminal_style style = out->table.style;
        if (field->style) out->table.style = field->style(record);
        if (value.known || value.no_memory) {
            table_add_owned(&out->table, field_value_text(field, value, out->unit));
        } else {
            table_add(&out->table, "-");
            free(value.owned);
        }
        out->table.style = style;
    }
}

void fields_table_row(struct field_table *out, const void *record) {
    fields_table_cells(out, 0, out->count, record);
}

/** State of adding rows to a table, or of finding the shortest time in the rows. */
struct listing_rows {
    struct field_visit visit;
    const struct field *list;
    double seconds;
    struct field_table table;
};

/** Finds the shortest time in a list, which determines the unit; implements field_visit. */
static void find_shortest(struct field_visit *visit, const void *record) {
    struct listing_rows *rows = (struct listing_rows *)visit;
    for (const struct field *field = rows->list->fields; !ends(field); field++) {
        if (field->format != FIELD_TIME || field->column == 0) continue;
        const struct field_value value = field->get(record);
        if (value.known && value.number > 0 && (rows->seconds == 0 || value.number < rows->seconds))
            rows->seconds = value.number;
    }
}

/** Adds a record as a row to a text table; implements field_visit. */
static void add_row(struct field_visit *visit, const void *record) {
    struct listing_rows *rows = (struct listing_rows *)visit;
    rows->table.table.style = rows->list->style ? rows->list->style(record) : STYLE_PLAIN;
    fields_table_row(&rows->table, record);
}

void fields_print_list(struct writer *writer, const struct field *list, const void *record) {
    struct listing_rows rows = {.visit = {.use = find_shortest}, .list = list};
    list->each(record, &rows.visit);
    fields_table_begin(&rows.table, list->fields, true, time_unit_for(rows.seconds), record);
    rows.visit.use = add_row;
    list->each(record, &rows.visit);
    if (!table_print(&rows.table.table, writer->file) || rows.visit.no_memory)
        writer->no_memory = true;
}
