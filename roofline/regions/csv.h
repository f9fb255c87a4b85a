/** Lines of comma-separated fields, and errors with their positions. Nothing is copied. */
#ifndef ROOFLINE_REGIONS_CSV_H
#define ROOFLINE_REGIONS_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "tcplan/status.h"

enum { CSV_MAX_FIELDS = 4096 };

/** A field without surrounding quotes; an unquoted field without surrounding blanks. */
struct csv_field {
    const char *text;
    size_t length;
    size_t column; /**< number of the first byte in the line, from 1 */
};

/** State of the reader, set by csv_begin(). */
struct csv {
    const char *name; /**< file name, for messages */
    const char *next; /**< begin of the next line */
    const char *end;
    struct tcplan_error *error;
    size_t line;    /**< number of the last line read, from 1 */
    size_t columns; /**< bytes of the last line read */
    int count;
    struct csv_field field[CSV_MAX_FIELDS];
};

void csv_begin(struct csv *csv, const char *name, const char *text, size_t length,
               struct tcplan_error *error);

/**
 * Reads the next line.
 *
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE at the end; TCPLAN_INVALID if a quote is not closed or
 *     there are more than CSV_MAX_FIELDS fields
 */
enum tcplan_status csv_next(struct csv *csv);

/** Returns whether a field equals a text. */
bool csv_is(const struct csv_field *field, const char *text);

/** Returns whether a field begins with a text. */
bool csv_begins(const struct csv_field *field, const char *text);

/** Reports "NAME, line 3, column 7: expected ..., found '...'" at a field, or with NULL at the end
 * of the line. Returns TCPLAN_INVALID. */
enum tcplan_status csv_refuse(const struct csv *csv, const struct csv_field *field,
                              const char *format, ...) __attribute__((format(printf, 3, 4)));

/** Reports an error at the end of the file. Returns TCPLAN_INVALID. */
enum tcplan_status csv_refuse_end(struct csv *csv, const char *expected);

#endif
