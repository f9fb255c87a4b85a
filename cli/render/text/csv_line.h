/**
 * Lines of comma-separated values, quoted according to RFC 4180.
 */
#ifndef CLI_RENDER_TEXT_CSV_LINE_H
#define CLI_RENDER_TEXT_CSV_LINE_H

#include <stdint.h>
#include <stdio.h>

#include "base/strbuf.h"

/** A line under construction. Zero-initialise before use. */
struct csv_line {
    struct strbuf text;
    bool started;
};

void csv_add_text(struct csv_line *line, const char *value);
void csv_add_integer(struct csv_line *line, int64_t value);

/** Adds a number, or an empty value if unknown. */
void csv_add_number(struct csv_line *line, bool known, double value);

/** Adds names as one value, separated by blanks. */
void csv_add_names(struct csv_line *line, const char *const names[], int count);

/** Prints the line and frees it; false: out of memory. */
bool csv_print(struct csv_line *line, FILE *file);

#endif
