/**
 * Decimal numbers as text, whatever the program's locale says about decimal points.
 */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

enum { DECIMAL_MAX_LENGTH = 64 }; /**< characters of a number that decimal_read() accepts */

/**
 * Reads digits [. digits] [e [sign] digits] (at least one digit around the point, no sign in
 * front), rounded correctly.
 *
 * @param out     receives the number: infinity where it is beyond the largest double, 0 where it is
 *                below the smallest
 * @param text    `length` bytes, all of which must belong to the number; need not be terminated
 * @return false where the text is no such number or longer than DECIMAL_MAX_LENGTH
 */
bool decimal_read(double *out, const char *text, size_t length);

/** Appends the shortest text that reads back to the same finite number, with a `.` as its decimal
 * point. */
void decimal_print(struct strbuf *out, double value);

/** The same for a text that is read as a float: `0.1`. */
void decimal_print_float(struct strbuf *out, float value);

#endif
