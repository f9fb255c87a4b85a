#include "cli/output/progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/deadline.h"
#include "base/strbuf.h"
#include "cli/output/cleanup.h"
#include "cli/render/text/visible.h"

enum { USUAL_COLUMNS = 80 };

static const double pause_seconds = 0.1; /* seconds between two updates of the line */

static struct {
    bool enabled;
    bool announces;        /* whether stderr is not a terminal */
    const char *announced; /* line to print at the first progress if stderr is not a terminal; NULL:
                              print nothing */
    int64_t point, points;
    char label[96];      /* text in place of the number of the size point; "": none */
    double rest_seconds; /* remaining seconds at time `rest_told`. Negative: unknown, or
                            extrapolated if there is no label */
    double rest_told;    /* time of `rest_seconds`, in seconds of the monotonic clock */
    char activity[40];   /* the current activity */
    double started;      /* start of the activity, in seconds of the monotonic clock */
    double shown;        /* time at which the line was last written */
    size_t width;        /* width of the line on the terminal, in columns */
} line;

/** Returns the estimated remaining seconds; negative: unknown. */
static double rest_of(double fraction, double elapsed) {
    if (*line.label) {
        const double rest = line.rest_seconds - (monotonic_seconds() - line.rest_told);
        return line.rest_seconds < 0 ? -1 : rest > 0 ? rest : 0;
    }
    return fraction > 0.02 ? elapsed * (1 - fraction) / fraction : -1;
}

/** Writes ", 4 s left", or "" if the remaining time is unknown. */
static void describe_rest(char *out, size_t size, double rest) {
    out[0] = '\0';
    if (rest >= 5400) {
        snprintf(out, size, ", %.1f h left", rest / 3600);
    } else if (rest >= 90) {
        snprintf(out, size, ", %.0f min left", rest / 60);
    } else if (rest >= 0) {
        snprintf(out, size, ", %.0f s left", rest);
    }
}

/** Returns the number of columns for a line of progress: all but the last, because some terminals
 * begin a new line after the last column. */
static size_t room(void) {
    const size_t columns = terminal_of(stderr).columns;
    return (columns > 0 ? columns : USUAL_COLUMNS) - 1;
}

/** Returns the text of the line, which may exceed the terminal's width. A negative fraction is
 * unknown. */
static char *make_line(double fraction, double elapsed) {
    struct strbuf out = {0};
    char rest[40];
    describe_rest(rest, sizeof rest, rest_of(fraction, elapsed));
    strbuf_add(&out, "tcplan: ");
    if (*line.label) {
        strbuf_add(&out, "%s: ", line.label);
    } else if (line.points > 1) {
        strbuf_add(&out, "size point %lld of %lld: ", (long long)line.point + 1,
                   (long long)line.points);
    }
    strbuf_add(&out, "%s", line.activity);
    if (fraction >= 0) strbuf_add(&out, " %.0f %%", 100 * fraction);
    strbuf_add(&out, "%s", rest);
    return strbuf_finish(&out);
}

static void fill(size_t count) {
    while (count-- > 0) fputc(' ', stderr);
}

/** Replaces the line on the terminal. */
static void show_line(const char *text) {
    char *shown = text ? visible_text(text) : NULL;
    if (!shown) return;
    const size_t columns = room();
    shown[visible_cut(shown, columns)] = '\0';
    const size_t width = visible_width(shown), before = line.width < columns ? line.width : columns;
    cleanup_set_line(true);
    fprintf(stderr, "\r%s", shown);
    if (width < before) fill(before - width); /* Clear the rest of a longer previous line. */
    fflush(stderr);
    line.width = width > before ? width : before;
    free(shown);
}

void progress_enable(bool quiet) {
    line.enabled = !quiet && isatty(STDERR_FILENO);
    line.announces = !quiet && !line.enabled;
}

void progress_begin(const char *what) {
    line.announced = line.announces ? what : NULL;
}

bool progress_is_enabled(void) {
    return line.enabled;
}

void progress_set_point(int64_t point, int64_t points) {
    line.point = point;
    line.points = points;
}

void progress_set_label(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line.label, sizeof line.label, format, arguments);
    va_end(arguments);
    line.rest_seconds = -1;
}

void progress_update(void *context, const char *activity, double done, double total) {
    (void)context;
    if (line.announced) fprintf(stderr, "tcplan: %s\n", line.announced);
    line.announced = NULL;
    if (!line.enabled) return;
    const double time = monotonic_seconds();
    /* A new activity has its own speed, so forget the old one. */
    if (strncmp(line.activity, activity, sizeof line.activity - 1) != 0) {
        snprintf(line.activity, sizeof line.activity, "%s", activity);
        line.started = time;
    }
    if (time - line.shown < pause_seconds) return;
    const double fraction = isinf(total)                ? -1
                            : total > 0 && done < total ? done / total
                            : done > 0                  ? 1
                                                        : 0;
    char *text = make_line(fraction, time - line.started);
    show_line(text);
    free(text);
    line.shown = time;
}

void progress_report_rest(void *context, double seconds) {
    (void)context;
    line.rest_seconds = seconds;
    line.rest_told = monotonic_seconds();
}

void progress_clear(void) {
    if (line.width > 0) {
        const size_t columns = room();
        fputc('\r', stderr);
        fill(line.width < columns ? line.width : columns);
        fputc('\r', stderr);
        fflush(stderr);
        cleanup_set_line(false);
    }
    progress_set_point(0, 1);
    line.activity[0] = '\0';
    line.shown = 0;
    line.width = 0;
}
