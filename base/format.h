/**
 * Formatting like printf() in the C locale, whatever locale the program has set: `0.5`, never
 * `0,5`. Texts with fractional numbers are formatted here or by a strbuf, which does the same.
 */
#ifndef BASE_FORMAT_H
#define BASE_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/** Formats like vsnprintf(). */
int format_plain_arguments(char *out, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/** Formats like snprintf(). */
int format_plain(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
