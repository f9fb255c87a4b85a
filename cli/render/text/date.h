/**
 * Dates of universal time.
 */
#ifndef CLI_RENDER_TEXT_DATE_H
#define CLI_RENDER_TEXT_DATE_H

#include <stdint.h>

struct date {
    char text[32];
};

/** Seconds since 1970 as `2026-11-22 03:40`; a dash where they are not above 0. */
struct date date_minute(int64_t seconds);

/** The same as `2026-11-22T03:40:05Z`, as ISO 8601 has it. */
struct date date_iso(int64_t seconds);

#endif
