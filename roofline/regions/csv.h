/** Lines of comma-separated fields, and errors with their positions. Nothing is copied. */
#ifndef ROOFLINE_REGIONS_CSV_H
#define ROOFLINE_REGIONS_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "tcplan/status.h"

enum { CSV_MAX_FIELDS = 4096 };

/** Without the quotes around it, and without blanks if it has none. */
struct csv_field {
    const char *text;
    size_t length;
    size_t column; /**< from 1 */
};

/** Where the reader is; set by csv_begin(). */
struct csv {
    const char *name; /**< of the file, for messages */
    const char *next; /**< line */
    const char *end;
    struct tcplan_error *error;
    size_t line;    /**< number of the one that was read, from 1 */
    size_t columns; /**< bytes of the line that was read */
    int count;
    struct csv_field field[CSV_MAX_FIELDS];
};

void csv_begin(struct csv *csv, const char *name, const char *text, size_t length,
               struct tcplan_error *error);

/**
 * The next line.
 *
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE at the end; TCPLAN_INVALID if a quote is not closed, or
 *         there are more than CSV_MAX_FIELDS
 */
enum tcplan_status csv_next(struct csv *csv);

/** Whether a field is this text. */
bool csv_is(const struct csv_field *field, const char *text);

/** Whether a field begins with this text. */
bool csv_begins(const struct csv_field *field, const char *text);

/** "NAME, line 3, column 7: expected ..., found '...'" of a field; NULL: of the end of the line.
 * TCPLAN_INVALID. */
enum tcplan_status csv_refuse(const struct csv *csv, const struct csv_field *field,
                              const char *format, ...) __attribute__((format(printf, 3, 4)));

/** The same of the end of the file. */
enum tcplan_status csv_refuse_end(struct csv *csv, const char *expected);

#endif
