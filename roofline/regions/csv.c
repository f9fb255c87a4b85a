#include "roofline/regions/csv.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

void csv_begin(struct csv *csv, const char *name, const char *text, size_t length,
               struct tcplan_error *error) {
    csv->name = name;
    csv->next = text;
    csv->end = text + length;
    csv->error = error;
    csv->line = 0;
    csv->columns = 0;
    csv->count = 0;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/* quoted = '"' { any but '"' } '"' ; plain = { any but ',' } */
static bool read_field(struct csv_field *out, const char **at, const char *line, const char *end) {
    const char *begin = *at;
    while (begin < end && is_blank(*begin)) begin++;
    const bool is_quoted = begin < end && *begin == '"';
    if (is_quoted) begin++;
    const char *stop = memchr(begin, is_quoted ? '"' : ',', (size_t)(end - begin));
    if (!stop && is_quoted) return false;
    if (!stop) stop = end;
    *at = stop + is_quoted;
    while (!is_quoted && stop > begin && is_blank(stop[-1])) stop--;
    *out = (struct csv_field){
        .text = begin, .length = (size_t)(stop - begin), .column = (size_t)(begin - line) + 1};
    return true;
}

enum tcplan_status csv_next(struct csv *csv) {
    if (csv->next >= csv->end) return TCPLAN_NOT_APPLICABLE;
    const char *line = csv->next;
    const char *end = memchr(line, '\n', (size_t)(csv->end - line));
    if (!end) end = csv->end;
    csv->next = end < csv->end ? end + 1 : end;
    csv->line++;
    if (end > line && end[-1] == '\r') end--;
    csv->columns = (size_t)(end - line);
    csv->count = 0;
    for (const char *at = line;; at++) {
        struct csv_field *field = &csv->field[csv->count];
        const struct csv_field rest = {
            .text = at, .length = (size_t)(end - at), .column = (size_t)(at - line) + 1};
        if (csv->count == CSV_MAX_FIELDS)
            return csv_refuse(csv, &rest, "at most %d fields", CSV_MAX_FIELDS);
        if (!read_field(field, &at, line, end)) return csv_refuse(csv, &rest, "a closing quote");
        csv->count++;
        while (at < end && is_blank(*at)) at++;
        if (at == end) return TCPLAN_OK;
        const struct csv_field behind = {
            .text = at, .length = (size_t)(end - at), .column = (size_t)(at - line) + 1};
        if (*at != ',') return csv_refuse(csv, &behind, "a comma after the closing quote");
    }
}

bool csv_is(const struct csv_field *field, const char *text) {
    return field->length == strlen(text) && memcmp(field->text, text, field->length) == 0;
}

bool csv_begins(const struct csv_field *field, const char *text) {
    const size_t length = strlen(text);
    return field->length >= length && memcmp(field->text, text, length) == 0;
}

enum tcplan_status csv_refuse(const struct csv *csv, const struct csv_field *field,
                              const char *format, ...) {
    char expected[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(expected, sizeof expected, format, arguments);
    va_end(arguments);
    const size_t column = field ? field->column : csv->columns + 1,
                 length = field ? field->length : 0;
    const bool is_there = length > 0;
    error_at(csv->error, TCPLAN_INVALID, column - 1, length,
             "%.80s, line %zu, column %zu: expected %s, found %s%.*s%s", csv->name, csv->line,
             column, expected,
             is_there ? "'"
             : field  ? "nothing"
                      : "the end of the line",
             is_there ? (int)(length < 40 ? length : 40) : 0, is_there ? field->text : "",
             is_there ? "'" : "");
    if (csv->error) csv->error->line = csv->line;
    return TCPLAN_INVALID;
}

enum tcplan_status csv_refuse_end(struct csv *csv, const char *expected) {
    csv->line++;
    csv->columns = 0;
    error_at(csv->error, TCPLAN_INVALID, 0, 0,
             "%.80s, line %zu: expected %s, found the end of the file", csv->name, csv->line,
             expected);
    if (csv->error) csv->error->line = csv->line;
    return TCPLAN_INVALID;
}
