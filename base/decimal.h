/** Conversion between decimal text and numbers, independent of the locale. */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

enum { DECIMAL_MAX_LENGTH = 64 }; /**< characters of a number that decimal_read() accepts */

/**
 * Reads digits [. digits] [e [sign] digits], with at least one digit around the point and no
 * leading sign, correctly rounded.
 * @param out     receives the number: infinity on overflow, 0 on underflow
 * @param text    `length` bytes, all of which must belong to the number; need not be terminated
 * @return false if the text is not such a number or longer than DECIMAL_MAX_LENGTH
 */
bool decimal_read(double *out, const char *text, size_t length);

/** Appends the shortest text, with `.` as decimal point, that reads back to the same finite
 * number. */
void decimal_print(struct strbuf *out, double value);

/** Appends the shortest text that reads back to the same float: `0.1`. */
void decimal_print_float(struct strbuf *out, float value);

#endif
