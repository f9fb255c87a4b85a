/**
 * Doubles as texts of a fixed length that are exact and quick to read: the 64 bits of the number
 * (IEEE 754 binary64) as 16 hexadecimal digits, the highest first. 1 is `3ff0000000000000`.
 */
#ifndef STORE_EXACT_H
#define STORE_EXACT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

enum { EXACT_LENGTH = 16 };

/** Appends `count` numbers, one behind the other. */
void exact_write(struct strbuf *out, const double value[], size_t count);

/** Reads `count` numbers from `count` * EXACT_LENGTH characters; false where one is no digit. */
bool exact_read(double value[], size_t count, const char *text);

#endif
