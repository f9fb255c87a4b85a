/**
 * Formats values as text: in CSV, in JSON, dates, and words of a shell command.
 */
#ifndef CLI_RENDER_TEXT_VALUES_H
#define CLI_RENDER_TEXT_VALUES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/quantity.h"
#include "base/strbuf.h"

/** A line of comma-separated values, quoted according to RFC 4180. Zero-initialise before use. */
struct csv_line {
    struct strbuf text;
    bool started;
};

void csv_add_text(struct csv_line *line, const char *value);
void csv_add_integer(struct csv_line *line, int64_t value);

/** Adds a number; an empty value if the number is not known. */
void csv_add_number(struct csv_line *line, bool known, double value);

/** Adds names as one value, separated by blanks. */
void csv_add_names(struct csv_line *line, const char *const names[], int count);

/** Prints the line and frees it; false if memory runs out. */
bool csv_print(struct csv_line *line, FILE *file);

/* Dates in UTC. */

struct date {
    char text[32];
};

/** Returns seconds since 1970 as `2026-11-22 03:40`; a dash if `seconds` is not positive. */
struct date date_minute(int64_t seconds);

/** Returns seconds since 1970 in the format of ISO 8601, `2026-11-22T03:40:05Z`. */
struct date date_iso(int64_t seconds);

/* Values in JSON. */

/** Prints a text as a JSON string. In malformed UTF-8, each byte outside of ASCII is replaced by
 * `?`. */
void json_print_text(FILE *file, const char *text);

/** Prints the shortest decimal number that reads back as exactly `value`, which must be finite;
 * false if memory runs out. */
bool json_print_number(FILE *file, double value);

/** Appends a blank and a word. The word is quoted if a shell would change it. */
void quoted_add(struct strbuf *out, const char *word);

/** Does the same as quoted_add(), and frees the word. NULL means that memory ran out. */
void quoted_add_owned(struct strbuf *out, char *word);

/** Returns a number with a noun, such as "1 thread" or "2 threads"; the plural gets an s. */
struct quantity counted(int64_t count, const char *noun);

/** Returns whether a text ends in another one. */
bool text_ends(const char *text, const char *end);

/** Returns whether the first `length` characters of a text equal a word. */
bool text_is(const char *text, size_t length, const char *word);

/** Reads a decimal number of at most `largest`. Returns the text after it; NULL if there is no such
 * number. */
const char *text_number(int64_t *out, const char *text, int64_t largest);

/** Appends a text and frees it; NULL means that memory ran out. */
void text_add_owned(struct strbuf *out, char *text);

#endif
