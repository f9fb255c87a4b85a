/**
 * Dates in UTC.
 */
#ifndef CLI_RENDER_TEXT_DATE_H
#define CLI_RENDER_TEXT_DATE_H

#include <stdint.h>

struct date {
    char text[32];
};

/** Seconds since 1970 as `2026-11-22 03:40`; a dash if not positive. */
struct date date_minute(int64_t seconds);

/** The same in the format of ISO 8601, as `2026-11-22T03:40:05Z`. */
struct date date_iso(int64_t seconds);

#endif
