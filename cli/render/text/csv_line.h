/**
 * Lines of comma-separated values, quoted as RFC 4180 wants it.
 */
#ifndef CLI_RENDER_TEXT_CSV_LINE_H
#define CLI_RENDER_TEXT_CSV_LINE_H

#include <stdint.h>
#include <stdio.h>

#include "base/strbuf.h"

/** A line in the making. Zero-initialise before use. */
struct csv_line {
    struct strbuf text;
    bool started;
};

void csv_add_text(struct csv_line *line, const char *value);
void csv_add_integer(struct csv_line *line, int64_t value);

/** Empty where the number is not known. */
void csv_add_number(struct csv_line *line, bool known, double value);

/** Names as one value, with blanks between them. */
void csv_add_names(struct csv_line *line, const char *const names[], int count);

/** Prints the line and frees it; false where memory ran out on the way. */
bool csv_print(struct csv_line *line, FILE *file);

#endif
