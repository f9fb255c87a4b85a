#include "cli/render/text/date.h"

#include <time.h>

static struct date date_of(int64_t seconds, const char *format) {
    struct date out;
    const time_t time = (time_t)seconds;
    struct tm parts;
    if (seconds <= 0 || !gmtime_r(&time, &parts) ||
        strftime(out.text, sizeof out.text, format, &parts) == 0)
        return (struct date){"-"};
    return out;
}

struct date date_minute(int64_t seconds) {
    return date_of(seconds, "%Y-%m-%d %H:%M");
}

struct date date_iso(int64_t seconds) {
    return date_of(seconds, "%Y-%m-%dT%H:%M:%SZ");
}
