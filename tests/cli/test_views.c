/*
 * Tests views: all fields get synthetic values, one result is printed in every format, and every
 * output must contain each value.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>
#include <libxml/parser.h>

#include "cli/page/page.h"
#include "cli/render/text/values.h"
#include "cli/render/view.h"
#include "support/golden.h"

enum { FIELDS = 256, RECORDS = 3, CELLS = 96 };

/* Synthetic values, by record and number of the field. The last record lacks some values. */

static int record_number[RECORDS] = {0, 1, 2};
static char made_text[FIELDS][RECORDS][24];
static const char *made_name[FIELDS][RECORDS];
static double made_number[FIELDS][RECORDS];
static bool is_required[FIELDS];

static struct field_value made(int n, const void *record) {
    const int r = *(const int *)record;
    return (struct field_value){.known = is_required[n] || r < 2 || n % 2 == 0,
                                .text = made_text[n][r],
                                .integer = 1000 * n + r,
                                .number = made_number[n][r],
                                .high = 2 * made_number[n][r],
                                .names = &made_name[n][r],
                                .numbers = &made_number[n][r],
                                .count = 1};
}

#define GET(n)                                                                                     \
    static struct field_value get_##n(const void *record) {                                        \
        return made(0x##n, record);                                                                \
    }
#define NAME(n) get_##n,
/* clang-format off */
#define SIXTEEN(X, h) \
    X(h##0) X(h##1) X(h##2) X(h##3) X(h##4) X(h##5) X(h##6) X(h##7) \
    X(h##8) X(h##9) X(h##a) X(h##b) X(h##c) X(h##d) X(h##e) X(h##f)
#define ALL(X) \
    SIXTEEN(X, 0) SIXTEEN(X, 1) SIXTEEN(X, 2) SIXTEEN(X, 3) SIXTEEN(X, 4) SIXTEEN(X, 5) \
    SIXTEEN(X, 6) SIXTEEN(X, 7) SIXTEEN(X, 8) SIXTEEN(X, 9) SIXTEEN(X, a) SIXTEEN(X, b) \
    SIXTEEN(X, c) SIXTEEN(X, d) SIXTEEN(X, e) SIXTEEN(X, f)
/* clang-format on */
ALL(GET)
static field_get_fn *const getters[FIELDS] = {ALL(NAME)};

static void visit_two(const void *record, struct field_visit *visit) {
    (void)record;
    FIELD_VISIT(&record_number[1]);
    FIELD_VISIT(&record_number[2]);
}

static void visit_same(const void *record, struct field_visit *visit) {
    FIELD_VISIT(record);
}

static void make_values(void) {
    for (int n = 0; n < FIELDS; n++) {
        for (int r = 0; r < RECORDS; r++) {
            snprintf(made_text[n][r], sizeof made_text[n][r], "t%d=%d", n, r + 1);
            made_name[n][r] = made_text[n][r];
            made_number[n][r] = n + 0.125 * (r + 1);
        }
    }
}

static int count_of(const struct field *fields) {
    int count = 0;
    while (fields[count].get || fields[count].each) count++;
    return count;
}

/* Synthetic units for headings, and synthetic columns for fields that have several. */

static const char *made_unit(const void *record) {
    (void)record;
    return "unit";
}

static int made_count(const void *record) {
    (void)record;
    return 3;
}

static struct field_value made_heading(const void *record, int of) {
    static const char *const headings[] = {"one", "two", "three"};
    (void)record;
    return field_word(headings[of]);
}

static struct field_value made_value(const void *record, int of) {
    return made(FIELDS - 1 - 2 * of, record);
}

static const struct field_spread made_spread = {made_count, made_heading, made_value};

/** Returns a copy of a table of fields and of its inner tables, to be freed. Its fields read
 * synthetic values. With `shown`, cells with a special text also get a synthetic one. */
static struct field *copy_of(const struct field *fields, int *used, bool shown) {
    struct field *copy = calloc((size_t)count_of(fields) + 1, sizeof *copy);
    struct field *to = copy;
    assert_non_null(copy);
    for (; fields->get || fields->each; fields++) {
        if (fields->hidden && fields->write) continue;
        *to = *fields;
        to->write = NULL;
        to->applies = NULL;
        to->style = NULL;
        if (to->unit) to->unit = made_unit;
        if (to->spread) to->optional = '1'; /* the first and last columns are never omitted */
        if (to->spread) to->spread = &made_spread;
        if (to->get) {
            assert_true(*used < FIELDS);
            is_required[*used] = to->required || to->kind == FIELD_LIST;
            to->get = getters[(*used)++];
        }
        to->shown = shown && to->shown ? to->get : NULL;
        if (to->each) to->each = to->kind == FIELD_LIST ? visit_two : visit_same;
        if (to->fields) to->fields = copy_of(to->fields, used, shown);
        to++;
    }
    return copy;
}

static void free_copy(struct field *copy) {
    for (struct field *field = copy; field->get || field->each; field++) {
        if (field->fields) free_copy((struct field *)(uintptr_t)field->fields);
    }
    free(copy);
}

static char *printed(const struct view *view, int output_format) {
    char *text = NULL;
    size_t length = 0;
    const struct format *format = format_of(output_format);
    struct writer writer = {.file = open_memstream(&text, &length), .points = 1};
    assert_non_null(writer.file);
    FILE *file = writer.file;
    if (format->begin) format->begin(&writer);
    format->view(&writer, view, &record_number[0]);
    if (format->end) format->end(&writer);
    assert_false(writer.no_memory);
    fclose(file);
    return text;
}

/* Values as text. */

static char *expected(const struct field *field, int record) {
    const struct field_value value = field->get(&record);
    char *text = NULL;
    const bool is_integer = field->kind == FIELD_INTEGER || field->kind == FIELD_DATE;
    const bool is_number = field->kind == FIELD_NUMBER || field->kind == FIELD_NUMBERS;
    if (!value.known) return strdup("");
    if (field->kind == FIELD_FLAG) return strdup(value.integer ? "true" : "false");
    const int length = is_integer  ? asprintf(&text, "%lld", (long long)value.integer)
                       : is_number ? asprintf(&text, "%.17g", value.number)
                                   : asprintf(&text, "%s", value.text);
    assert_true(length > 0);
    return text;
}

static char *json_text(const json_t *value) {
    char *text = NULL;
    if (!value || json_is_null(value)) return strdup("");
    if (json_is_string(value)) return strdup(json_string_value(value));
    if (json_is_boolean(value)) return strdup(json_is_true(value) ? "true" : "false");
    if (json_is_array(value)) return json_text(json_array_get(value, 0));
    if (json_is_object(value)) {
        const char *key = json_object_iter_key(json_object_iter((json_t *)(uintptr_t)value));
        assert_true(asprintf(&text, "%s=%lld", key,
                             (long long)json_integer_value(json_object_get(value, key))) > 0);
        return text;
    }
    assert_true(asprintf(&text, "%.17g", json_number_value(value)) > 0);
    return text;
}

static xmlNode *element(xmlNode *node, const char *name, int place) {
    for (node = node ? node->children : NULL; node; node = node->next) {
        if (node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0 &&
            place-- == 0)
            return node;
    }
    return NULL;
}

static char *xml_text(xmlNode *node, const struct field *field) {
    const bool nested = field->kind == FIELD_SENTENCES;
    if (nested) node = element(element(node, field->key, 0), field->item, 0);
    xmlChar *found =
        node ? xmlGetProp(node, (const xmlChar *)(nested ? "text" : field->key)) : NULL;
    char *text = strdup(found ? (const char *)found : "");
    xmlFree(found);
    return text;
}

/** Asserts that two values are equal; for dates, only that both exist. */
static void assert_equal(const struct view *view, const struct field *field, const char *format,
                         char *found, int record) {
    char *wanted = expected(field, record);
    char *end;
    const double number = strtod(found, &end);
    const bool equal = field->kind == FIELD_DATE ? !*found == !*wanted
                       : end > found && !*end    ? number == strtod(wanted, NULL)
                                                 : strcmp(found, wanted) == 0;
    if (!equal)
        fail_msg("%s, %s: %s has '%s' instead of '%s'", view->element, field->key, format, found,
                 wanted);
    free(wanted);
    free(found);
}

/* Documents. */

static void check_documents(const struct view *view, const struct field *fields, json_t *object,
                            xmlNode *node, int record) {
    assert_non_null(object);
    assert_non_null(node);
    for (const struct field *field = fields; field->get || field->each; field++) {
        if (!field->key || field->hidden) continue;
        json_t *member = json_object_get(object, field->key);
        if (field->kind == FIELD_GROUP) {
            check_documents(view, field->fields, object, node, record);
        } else if (field->kind == FIELD_OBJECT) {
            check_documents(view, field->fields, member, element(node, field->key, 0), record);
        } else if (field->kind == FIELD_LIST) {
            assert_int_equal(json_array_size(member), 2);
            for (int i = 0; i < 2; i++)
                check_documents(view, field->fields, json_array_get(member, (size_t)i),
                                element(element(node, field->key, 0), field->item, i), i + 1);
        } else {
            assert_equal(view, field, "JSON", json_text(member), record);
            assert_equal(view, field, "XML", xml_text(node, field), record);
        }
    }
}

/* CSV. */

/** A line of CSV whose cells are not quoted. */
struct line {
    char *cell[CELLS];
    int count;
};

/** Splits a line in place; returns the text after it. */
static char *split(char *text, struct line *line) {
    for (line->count = 0; *text; text++) {
        assert_true(line->count < CELLS);
        line->cell[line->count++] = text;
        text += strcspn(text, ",\n");
        const char end = *text;
        *text = '\0';
        if (end == '\n') return text + 1;
    }
    return text;
}

/** The current line and cell of the CSV under test. */
struct reading {
    const struct view *view;
    struct line heading, line;
    char *rest;
};

/** A record, and the records that contain it, innermost first. */
struct around {
    const struct field *fields;
    int record;
    const struct around *outer;
};

static bool has_csv(const struct field *fields) {
    for (; fields->get || fields->each; fields++) {
        if (fields->csv > 0 || (fields->fields && has_csv(fields->fields))) return true;
    }
    return false;
}

static bool makes_rows(const struct field *field) {
    return (field->kind == FIELD_LIST || field->rows) && has_csv(field->fields);
}

static bool has_rows(const struct field *fields) {
    for (; fields->get || fields->each; fields++) {
        if (fields->fields && makes_rows(fields)) return true;
    }
    return false;
}

/** Checks the CSV cells of a record's own fields, not of its inner tables. */
static void check_cells(const struct reading *reading, const struct field *fields, int record,
                        bool seen[CELLS]) {
    for (const struct field *field = fields; field->get || field->each; field++) {
        const int place = field->csv - 1;
        if (field->each && !field->get && !makes_rows(field))
            check_cells(reading, field->fields, record, seen);
        if (place < 0 || seen[place]) continue;
        assert_string_equal(reading->heading.cell[place],
                            field->csv_key ? field->csv_key : field->key);
        assert_equal(reading->view, field, "CSV", strdup(reading->line.cell[place]), record);
        seen[place] = true;
    }
}

static void check_csv(struct reading *reading, const struct around *innermost) {
    bool seen[CELLS] = {false}, is_line = true;
    for (const struct field *field = innermost->fields; field->get || field->each; field++) {
        if (!field->fields || !makes_rows(field)) continue;
        is_line = false;
        const bool is_list = field->kind == FIELD_LIST;
        for (int r = is_list ? 1 : innermost->record; r <= (is_list ? 2 : innermost->record); r++)
            check_csv(reading, &(struct around){field->fields, r, innermost});
    }
    if (!is_line) return;
    reading->rest = split(reading->rest, &reading->line);
    assert_int_equal(reading->line.count, reading->heading.count);
    for (const struct around *around = innermost; around; around = around->outer)
        check_cells(reading, around->fields, around->record, seen);
}

/* The tests. */

static void check_view(const struct view *view) {
    char *json = printed(view, OUTPUT_JSON), *xml = printed(view, OUTPUT_XML),
         *csv = printed(view, OUTPUT_CSV);
    json_error_t error;
    json_t *root = json_loads(json, JSON_REJECT_DUPLICATES, &error);
    xmlDoc *document = xmlReadMemory(xml, (int)strlen(xml), NULL, NULL, XML_PARSE_NONET);
    if (!root) fail_msg("%s: %s in\n%s", view->element, error.text, json);
    assert_non_null(document);
    check_documents(view, view->fields, root, xmlDocGetRootElement(document), 0);
    if (has_csv(view->fields)) {
        struct reading reading = {.view = view};
        reading.rest = split(csv, &reading.heading);
        check_csv(&reading, &(struct around){view->fields, 0, NULL});
        assert_string_equal(reading.rest, "");
    }
    xmlFreeDoc(document);
    json_decref(root);
    free(json);
    free(xml);
    free(csv);
}

static void every_field_has_its_value_in_every_format(void **state) {
    (void)state;
    make_values();
    for (const struct named_view *named = views; named->name; named++) {
        if (!named->view->fields) continue;
        struct view view = *named->view;
        int used = 0;
        struct field *copy = copy_of(view.fields, &used, false);
        view.fields = copy;
        check_view(&view);
        free_copy(copy);
    }
}

enum { LINES = 3, CELL_SIZE = 96, TABLE_SIZE = 8192 };

/** The expected text table: its headings and two records. */
struct wanted {
    char cell[LINES][FIELD_COLUMNS][CELL_SIZE];
    bool right[FIELD_COLUMNS];
    char optional[FIELD_COLUMNS]; /* columns with the highest rank are omitted first; 0: never
                                     omitted */
    int width[FIELD_COLUMNS];
    bool omitted[FIELD_COLUMNS];
    int columns;
};

/** Formats a number by code of its own, to compare with the code under test. */
static void format_number(char *out, const struct field *field, const struct field_value *value,
                          struct time_unit unit) {
    static const struct {
        const char *format;
        double scale;
    } as[] = {[FIELD_PLAIN] = {"%.10g", 1},       [FIELD_THREE] = {"%#.3g", 1},
              [FIELD_DIGITS] = {"%#.4g", 1},      [FIELD_SHARE] = {"%.0f %%", 100},
              [FIELD_PERCENT] = {"%.1f %%", 100}, [FIELD_PERCENT_2] = {"%.2f %%", 100},
              [FIELD_SIGNED] = {"%+.2f %%", 100}, [FIELD_RATIO] = {"%.2f", 1},
              [FIELD_RATIO_3] = {"%.3f", 1},      [FIELD_EXPONENT] = {"%.1e", 1},
              [FIELD_FACTOR] = {"%.2fx", 1}};
    const double number = field->kind == FIELD_INTEGER ? (double)value->integer : value->number;
    const enum field_format format = field->format;
    if (format == FIELD_TIME || format == FIELD_SAME_UNIT) {
        snprintf(out, CELL_SIZE, "%.*f", unit.decimals, number / unit.seconds);
    } else if (format == FIELD_INTERVAL) {
        snprintf(out, CELL_SIZE, "%.*f - %.*f", unit.decimals, number / unit.seconds, unit.decimals,
                 value->high / unit.seconds);
    } else if (format == FIELD_SPEED) {
        snprintf(out, CELL_SIZE, "%.*f", number < 9.995 ? 2 : 1, number);
    } else if (format == FIELD_SECONDS) {
        snprintf(out, CELL_SIZE, "%s", quantity_seconds(number).text);
    } else if (format == FIELD_SPAN) {
        snprintf(out, CELL_SIZE, "%s \xE2\x80\x93 %s", quantity_seconds(number).text,
                 quantity_seconds(value->high).text);
    } else if (format == FIELD_BYTES || format == FIELD_FLOPS) {
        snprintf(out, CELL_SIZE, "%s",
                 (format == FIELD_BYTES ? quantity_bytes : quantity_flops)(number).text);
    } else {
        assert_non_null(as[format].format);
        snprintf(out, CELL_SIZE, as[format].format, as[format].scale * number);
        const size_t length = strlen(out);
        if (out[length - 1] == '.') out[length - 1] = '\0'; /* of %#.4g */
    }
}

static void format_cell(char *out, const struct field *field, const struct field_value *value,
                        struct time_unit unit) {
    const bool is_number = field->kind == FIELD_NUMBER || field->kind == FIELD_INTEGER;
    if (!value->known) {
        strcpy(out, "-");
    } else if (field->kind == FIELD_DATE && !field->shown) {
        snprintf(out, CELL_SIZE, "%s", date_minute(value->integer).text);
    } else if (field->kind == FIELD_NUMBERS && !field->shown) {
        snprintf(out, CELL_SIZE, "%.10g", value->number);
    } else if (is_number && !field->shown) {
        format_number(out, field, value, unit);
    } else {
        snprintf(out, CELL_SIZE, "%s", value->text);
    }
}

static int width_of(const char *text) {
    int width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

/** The characters from the decimal point of a number on; -1: no number. */
static int fraction(const char *cell) {
    const char *point = strchr(cell, '.');
    if (cell[strspn(cell, "+-0123456789.")] || !strpbrk(cell, "0123456789")) return -1;
    return point ? (int)strlen(point) : 0;
}

/** Appends blanks to numbers of a column, so that their decimal points are below each other. */
static void want_points(struct wanted *wanted, int c) {
    int most = 0;
    for (int r = 0; r < LINES; r++) {
        const int own = fraction(wanted->cell[r][c]);
        most = own > most ? own : most;
    }
    for (int r = 0; r < LINES; r++) {
        const int own = fraction(wanted->cell[r][c]);
        const size_t length = strlen(wanted->cell[r][c]);
        if (own >= 0)
            snprintf(wanted->cell[r][c] + length, CELL_SIZE - length, "%*s", most - own, "");
    }
}

static void want_column(struct wanted *wanted, const struct field *field, int of,
                        struct time_unit unit) {
    const bool is_timed = field->format == FIELD_TIME || field->format == FIELD_SAME_UNIT;
    const char *heading = field->spread ? made_heading(NULL, of).text : field->heading;
    const char *name = is_timed ? unit.name : field->unit ? "unit" : "";
    const int c = wanted->columns++;
    assert_true(c < FIELD_COLUMNS);
    snprintf(wanted->cell[0][c], CELL_SIZE, "%s%s%s", heading, *heading && *name ? " " : "", name);
    for (int r = 1; r < LINES; r++) {
        const struct field_value value =
            field->spread ? made_value(&record_number[r], of) : field->get(&record_number[r]);
        format_cell(wanted->cell[r][c], field, &value, unit);
    }
    wanted->right[c] = field->right || field->kind == FIELD_NUMBER || field->kind == FIELD_INTEGER;
    if (wanted->right[c]) want_points(wanted, c);
    for (int r = 0; r < LINES; r++) {
        const int width = width_of(wanted->cell[r][c]);
        if (width > wanted->width[c]) wanted->width[c] = width;
    }
    wanted->optional[c] = field->spread && of != 1 ? '\0' : field->optional;
}

static void want_table(struct wanted *wanted, const struct field *fields) {
    double shortest = 0;
    for (const struct field *field = fields; field->get || field->each; field++) {
        for (int r = 1; r < LINES && field->column > 0 && field->format == FIELD_TIME; r++) {
            const struct field_value value = field->get(&record_number[r]);
            if (value.known && (shortest == 0 || value.number < shortest)) shortest = value.number;
        }
    }
    const struct field *field;
    for (int place = 0; (field = fields_next_column(fields, place)); place = field->column) {
        for (int of = 0; of < (field->spread ? 3 : 1); of++)
            want_column(wanted, field, of, time_unit_for(shortest));
    }
}

static int total_width(const struct wanted *wanted) {
    int total = 0;
    for (int c = 0; c < wanted->columns; c++)
        total += wanted->omitted[c] ? 0 : wanted->width[c] + (c > 0 ? 2 : 0);
    return total;
}

/** Omits columns, those of the highest rank first, until the table fits into `room` characters.
 * Returns the number of omitted columns. */
static int omit(struct wanted *wanted, int room) {
    int count = 0;
    for (char rank = '9'; rank > '0'; rank--) {
        for (int c = 0; c < wanted->columns && total_width(wanted) > room; c++) {
            if (wanted->optional[c] != rank) continue;
            wanted->omitted[c] = true;
            count++;
        }
    }
    return count;
}

/** Checks the table of a list on a terminal of width `terminal`; 0: in a file. */
static void check_text(const struct field *list, const struct wanted *all, int room, int terminal) {
    struct wanted wanted = *all;
    char expected_text[TABLE_SIZE] = "", *text = NULL;
    size_t length = 0, at = 0;
    const int omitted = room > 0 ? omit(&wanted, room) : 0;
    int last = 0;
    for (int c = 0; c < wanted.columns; c++) last = wanted.omitted[c] ? last : c;
    for (int r = 0; r < LINES; r++) {
        for (int c = 0; c < wanted.columns; c++) {
            const char *cell = wanted.cell[r][c];
            const int blank = wanted.width[c] - width_of(cell);
            if (wanted.omitted[c]) continue;
            at += (size_t)snprintf(expected_text + at, sizeof expected_text - at, "%*s%s%*s",
                                   (c > 0 ? 2 : 0) + (wanted.right[c] ? blank : 0), "", cell,
                                   !wanted.right[c] && c < last ? blank : 0, "");
            while (wanted.right[c] && c == last && expected_text[at - 1] == ' ') at--;
        }
        at += (size_t)snprintf(expected_text + at, sizeof expected_text - at, "\n");
        assert_true(at < sizeof expected_text - CELL_SIZE);
    }
    if (omitted > 0)
        snprintf(expected_text + at, sizeof expected_text - at,
                 "(%d more column%s on a wider terminal.)\n", omitted, omitted == 1 ? "" : "s");
    struct writer writer = {.file = open_memstream(&text, &length), .points = 1};
    assert_non_null(writer.file);
    const struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)room};
    if (room > 0) assert_int_equal(ioctl(terminal, TIOCSWINSZ, &size), 0);
    if (room > 0) terminal_announce(writer.file, terminal);
    fields_print_list(&writer, list, &record_number[0]);
    terminal_announce(writer.file, -1);
    fclose(writer.file);
    assert_false(writer.no_memory);
    assert_string_equal(text, expected_text);
    free(text);
}

/** Checks the text tables of all lists. Returns the number of omitted columns. */
static int check_text_tables(const struct field *fields, int terminal, int *tables) {
    int omissions = 0;
    for (; fields->get || fields->each; fields++) {
        if (fields->kind == FIELD_LIST && fields_next_column(fields->fields, 0)) {
            struct wanted wanted = {.columns = 0};
            want_table(&wanted, fields->fields);
            check_text(fields, &wanted, 0, terminal);
            for (int room = total_width(&wanted); room > 1; room--)
                check_text(fields, &wanted, room, terminal);
            omissions += omit(&wanted, 0);
            (*tables)++;
        }
        if (fields->fields) omissions += check_text_tables(fields->fields, terminal, tables);
    }
    return omissions;
}

static void tables_of_text_have_the_headings_and_values_of_fields(void **state) {
    (void)state;
    int tables = 0, omissions = 0;
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    const int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0);
    setenv("NO_COLOR", "1", 1);
    make_values();
    for (const struct named_view *named = views; named->name; named++) {
        if (!named->view->fields) continue;
        int used = 0;
        struct field *copy = copy_of(named->view->fields, &used, true);
        omissions += check_text_tables(copy, terminal, &tables);
        free_copy(copy);
    }
    assert_true(tables > 4 && omissions > 4);
    close(terminal);
    close(master);
}

/** Checks that an HTML element of a cell contains exactly the text of the field. */
static void check_shown(const xmlNode *cell, const struct field *field, int record) {
    char *wanted = field_value_text(field, field->get(&record), time_unit_for(1));
    if (field->kind == FIELD_FLAG) strcpy(wanted, strcmp(wanted, "true") == 0 ? "yes" : "");
    bool found = !*wanted;
    for (const xmlNode *node = cell->children; node && !found; node = node->next) {
        xmlChar *text = xmlNodeGetContent(node);
        found = strcmp((const char *)text, wanted) == 0;
        xmlFree(text);
    }
    if (!found) fail_msg("the page does not have '%s' of %s", wanted, field->key);
    free(wanted);
}

static void check_cell(const xmlNode *cell, const struct field *field, int record) {
    const struct field_value value = field->get(&record);
    if (field->kind == FIELD_NUMBER || field->kind == FIELD_INTEGER) {
        xmlChar *sorted = xmlGetProp(cell, (const xmlChar *)"data-v");
        const double number = field->kind == FIELD_NUMBER ? value.number : (double)value.integer;
        assert_true(value.known ? atof((const char *)sorted) == number : !*sorted);
        xmlFree(sorted);
    }
    check_shown(cell, field, record);
}

static void check_page_table(const struct field *list) {
    const struct field *column[FIELD_COLUMNS];
    const int count = page_columns(column, list->fields, &record_number[0]);
    char *text = NULL;
    size_t length = 0;
    int place = 0;
    struct page page = {.file = open_memstream(&text, &length)};
    assert_non_null(page.file);
    fputs("<table><tr>", page.file);
    page_write_headings(&page, list->fields, &record_number[0], false, &place);
    fputs("</tr>", page.file);
    page_write_rows(&page, list, &record_number[0]);
    fputs("</table>", page.file);
    fclose(page.file);
    assert_false(page.no_memory);
    assert_int_equal(place, count);
    xmlDoc *document = xmlReadMemory(text, (int)length, NULL, NULL, XML_PARSE_NONET);
    assert_non_null(document);
    xmlNode *table = xmlDocGetRootElement(document);
    for (int c = 0; c < count; c++) {
        xmlChar *heading = xmlNodeGetContent(element(element(table, "tr", 0), "th", c));
        assert_string_equal(heading, column[c]->heading);
        xmlFree(heading);
        for (int r = 1; r <= 2; r++) {
            const xmlNode *cell = element(element(table, "tr", r), "td", c);
            assert_non_null(cell);
            check_cell(cell, column[c], r);
            for (const struct field *line = list->fields; line->get || line->each; line++) {
                if (line->get && line->below && strcmp(line->below, column[c]->key) == 0)
                    check_shown(cell, line, r);
            }
        }
    }
    xmlFreeDoc(document);
    free(text);
}

static int check_page_tables(const struct field *fields) {
    int tables = 0;
    for (; fields->get || fields->each; fields++) {
        const bool is_list = fields->kind == FIELD_LIST && fields_next_column(fields->fields, 0);
        if (is_list) check_page_table(fields);
        tables += is_list;
        if (fields->fields) tables += check_page_tables(fields->fields);
    }
    return tables;
}

/** Checks that fields refer only to existing columns. */
static void check_lines(const struct field *fields) {
    for (const struct field *line = fields; line->get || line->each; line++) {
        if (line->below) assert_true(field_named(fields, line->below)->column > 0);
        if (line->below) assert_null(field_named(fields, line->below)->below);
        if (line->fields) check_lines(line->fields);
    }
}

static void pages_have_the_headings_and_values_of_text(void **state) {
    (void)state;
    int tables = 0;
    make_values();
    for (const struct named_view *named = views; named->name; named++) {
        if (!named->view->fields) continue;
        int used = 0;
        struct field *copy = copy_of(named->view->fields, &used, false);
        tables += check_page_tables(copy);
        check_lines(named->view->fields);
        free_copy(copy);
    }
    assert_true(tables > 4);
}

static void mark_places(const struct field *fields, int csv[CELLS]) {
    int column[CELLS] = {0};
    for (; fields->get || fields->each; fields++) {
        if (!fields->says || !*fields->says) fail_msg("%s: it has no description", fields->key);
        assert_true(fields->csv < CELLS && fields->column < CELLS);
        if (fields->csv > 0) csv[fields->csv]++;
        if (fields->column > 0) assert_int_equal(column[fields->column]++, 0);
        assert_true((fields->column > 0) == (fields->heading != NULL));
        assert_true(!fields->each || fields->fields);
        assert_true(fields->kind != FIELD_GROUP ||
                    !has_rows(fields->fields)); /* CSV omits a list within a list */
        if (fields->fields) mark_places(fields->fields, csv);
    }
}

/** The columns of a view's CSV output are numbered without gaps. */
static void columns_are_described_and_have_no_gaps(void **state) {
    (void)state;
    for (const struct named_view *named = views; named->name; named++) {
        if (!named->view->fields) continue;
        int csv[CELLS] = {0}, most = CELLS - 1;
        mark_places(named->view->fields, csv);
        while (most > 0 && csv[most] == 0) most--;
        for (int place = 1; place <= most; place++) assert_true(csv[place] > 0);
    }
}

static void check_schema(const struct field *fields, json_t *schema) {
    json_t *properties = json_object_get(schema, "properties");
    for (; fields->get || fields->each; fields++) {
        if (!fields->key || fields->hidden) continue;
        if (fields->kind == FIELD_GROUP) {
            check_schema(fields->fields, schema);
            continue;
        }
        json_t *member = json_object_get(properties, fields->key);
        assert_string_equal(json_string_value(json_object_get(member, "description")),
                            fields->says);
        if (fields->kind == FIELD_LIST && !fields->schema)
            check_schema(fields->fields, json_object_get(member, "items"));
        if (fields->kind == FIELD_OBJECT) check_schema(fields->fields, member);
    }
}

static void schemas_describe_every_field(void **state) {
    (void)state;
    for (const struct named_view *named = views; named->name; named++) {
        struct strbuf out = {0};
        view_add_schema(&out, named);
        char *text = strbuf_finish(&out);
        json_error_t error;
        json_t *schema = json_loads(text, JSON_REJECT_DUPLICATES, &error);
        if (!schema) fail_msg("%s: %d: %s in\n%s", named->name, error.line, error.text, text);
        json_t *defined = json_object_get(json_object_get(schema, "$defs"), "document");
        if (named->view->fields) check_schema(named->view->fields, defined ? defined : schema);
        json_decref(schema);
        free(text);
    }
}

/** Appends a line for each JSON object: its path and the names of its members. */
static void add_names(struct strbuf *out, const struct field *fields, const char *path) {
    const char *const inner = strchr(path, ' ');
    if (!inner) strbuf_add(out, "\n%s", path);
    for (const struct field *field = fields; field->get || field->each; field++) {
        if (!field->key || field->hidden) continue;
        if (field->kind == FIELD_GROUP) {
            add_names(out, field->fields, " ");
        } else {
            strbuf_add(out, " %s", field->key);
        }
    }
    for (const struct field *field = fields; field->get || field->each; field++) {
        char longer[256];
        if (inner || !field->fields || field->hidden) continue;
        if (field->kind == FIELD_GROUP) continue;
        snprintf(longer, sizeof longer, "%s/%s", path, field->key);
        add_names(out, field->fields, longer);
    }
}

/** Scripts depend on these names: the golden file may gain names, but not lose any. */
static void names_are_those_used_in_scripts(void **state) {
    (void)state;
    struct strbuf out = {0};
    for (const struct named_view *named = views; named->name; named++) {
        if (!named->view->fields) continue;
        struct csv_line line = {0};
        add_names(&out, named->view->fields, named->name);
        if (!has_csv(named->view->fields)) continue;
        fields_csv_headings(&line, named->view->fields, NULL);
        char *headings = strbuf_finish(&line.text);
        strbuf_add(&out, "\n%s CSV: %s", named->name, headings);
        free(headings);
    }
    strbuf_add(&out, "\n");
    char *text = strbuf_finish(&out);
    golden_check("cli/views.txt", text + 1);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_text_have_the_headings_and_values_of_fields),
        cmocka_unit_test(pages_have_the_headings_and_values_of_text),
        cmocka_unit_test(every_field_has_its_value_in_every_format),
        cmocka_unit_test(columns_are_described_and_have_no_gaps),
        cmocka_unit_test(schemas_describe_every_field),
        cmocka_unit_test(names_are_those_used_in_scripts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
