/*
 * Tables of fields as HTML. A cell holds the value of a column's field, then a line for each field
 * whose `below` names the column. Lists below a column can be opened.
 */
#include "cli/page/table.h"

#include <stdlib.h>
#include <string.h>

#include "cli/page/markup.h"

static const char *const dash = "\xE2\x80\x93";

static bool is_number(const struct field *field) {
    return field->kind == FIELD_NUMBER || field->kind == FIELD_INTEGER;
}

int page_columns(const struct field *out[FIELD_COLUMNS], const struct field *fields,
                 const void *record) {
    const int all = fields_columns(out, fields, true, record);
    int count = 0;
    for (int c = 0; c < all; c++) {
        if (!out[c]->below) out[count++] = out[c];
    }
    return count;
}

/** Returns the class of a cell; the first column of a group has a line at its left. */
static const char *class_of(const struct field *field, bool is_first) {
    return is_first ? " class=\"first\"" : is_number(field) ? " class=\"n\"" : "";
}

void page_write_headings(struct page *page, const struct field *fields, const void *record,
                         bool is_group, int *place) {
    const struct field *column[FIELD_COLUMNS];
    const int count = page_columns(column, fields, record);
    for (int c = 0; c < count; c++) {
        fprintf(page->file, "<th%s", class_of(column[c], is_group && c == 0));
        if (place) fprintf(page->file, " data-c=\"%d\"><button type=\"button\"", (*place)++);
        fputs(">", page->file);
        markup_text(page->file, column[c]->heading);
        fputs(place ? "</button></th>" : "</th>", page->file);
    }
}

/** Writes a bar with the length of a share, which may exceed 1. */
static void write_meter(FILE *file, double share) {
    fprintf(file,
            "<span class=\"meter\"><i class=\"c0\" style=\"width:%.1f%%\">\xC2\xA0</i></span>",
            share < 1 ? 100 * share : 100);
}

/** Writes `before` and the value, if it is known; returns whether it is. */
static bool write_value(struct page *page, const char *before, const struct field *field,
                        const void *record) {
    struct field_value value = field->get(record);
    if (!value.known && field->shown) value = field->shown(record);
    const bool is_bad = field->style && field->style(record) == STYLE_BAD;
    const bool is_known = value.known;
    char *text = field_value_text(field, value, time_unit_for(1));
    if (!text) page->no_memory = true;
    if (text && *text) {
        fprintf(page->file, "%s<span class=\"%s%s%s\">", before, field->below ? "dim" : "value",
                field->code ? " code" : "", is_bad ? " failed" : "");
        markup_text(page->file, field->kind == FIELD_FLAG ? (value.integer ? "yes" : "") : text);
        fputs("</span>", page->file);
    }
    free(text);
    return is_known;
}

/** Records of a list, counted or written. */
struct rows {
    struct field_visit visit;
    struct page *page;
    const struct field *fields;
    size_t count;
};

/** A field_visit. */
static void count_row(struct field_visit *visit, const void *record) {
    (void)record;
    ((struct rows *)visit)->count++;
}

/** A field_visit. */
static void write_row(struct field_visit *visit, const void *record) {
    struct rows *rows = (struct rows *)visit;
    fputs("<tr>", rows->page->file);
    page_write_cells(rows->page, rows->fields, record, false);
    fputs("</tr>\n", rows->page->file);
}

void page_write_rows(struct page *page, const struct field *list, const void *record) {
    struct rows rows = {.visit = {.use = write_row}, .page = page, .fields = list->fields};
    list->each(record, &rows.visit);
    if (rows.visit.no_memory) page->no_memory = true;
}

/** Writes a list of several records, which the reader can open. */
static void write_list(struct page *page, const struct field *list, const void *record) {
    struct rows rows = {.visit = {.use = count_row}};
    list->each(record, &rows.visit);
    if (rows.count < 2) return;
    fprintf(page->file, "<details><summary>%zu %s</summary><table><tbody><tr>", rows.count,
            list->key);
    page_write_headings(page, list->fields, record, false, NULL);
    fputs("</tr>\n", page->file);
    page_write_rows(page, list, record);
    fputs("</tbody></table></details>", page->file);
}

void page_write_cells(struct page *page, const struct field *fields, const void *record,
                      bool is_group) {
    const struct field *column[FIELD_COLUMNS];
    FILE *file = page->file;
    const int count = page_columns(column, fields, record);
    for (int c = 0; c < count; c++) {
        const struct field *field = column[c];
        const struct field_value value = is_number(field) ? field->get(record) : field_unknown();
        const double number = field->kind == FIELD_INTEGER ? (double)value.integer : value.number;
        fprintf(file, "<td%s%s", class_of(field, is_group && c == 0),
                is_number(field) ? " data-v=\"" : ">");
        if (value.known) fprintf(file, "%.9g", number);
        if (is_number(field)) fputs("\">", file);
        if (!write_value(page, "", field, record)) fputs(dash, file);
        if (value.known && field->format == FIELD_PERCENT) write_meter(file, number);
        for (const struct field *line = fields; line->get || line->each; line++) {
            if (!line->below || strcmp(line->below, field->key) != 0) continue;
            if (line->get) write_value(page, is_number(line) ? "<br/>" : " ", line, record);
            if (line->each) write_list(page, line, record);
        }
        fputs("</td>", file);
    }
}
