#include "cli/output/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/deadline.h"
#include "base/strbuf.h"
#include "cli/output/cleanup.h"
#include "cli/render/text/terminal.h"
#include "cli/render/text/visible.h"

enum { USUAL_COLUMNS = 80 };

static const double pause_seconds = 0.1; /* between two versions of the line */

/** Estimates the remaining seconds; negative: unknown. */
static double rest_of(const struct progress *progress, double fraction, double elapsed) {
    if (*progress->label) {
        const double rest = progress->rest_seconds - (monotonic_seconds() - progress->rest_told);
        return progress->rest_seconds < 0 ? -1 : rest > 0 ? rest : 0;
    }
    return fraction > 0.02 ? elapsed * (1 - fraction) / fraction : -1;
}

/** Prints ", 4 s left", or "" if it is unknown. */
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

/** Columns for a line: not the last one, after which some terminals begin a new line. */
static size_t room(void) {
    const size_t columns = terminal_of(stderr).columns;
    return (columns > 0 ? columns : USUAL_COLUMNS) - 1;
}

/** Makes the whole line, of any length. */
static char *make_line(const struct progress *progress, double fraction, double elapsed) {
    struct strbuf line = {0};
    char rest[40];
    describe_rest(rest, sizeof rest, rest_of(progress, fraction, elapsed));
    strbuf_add(&line, "tcplan: ");
    if (*progress->label) {
        strbuf_add(&line, "%s: ", progress->label);
    } else if (progress->points > 1) {
        strbuf_add(&line, "size point %lld of %lld: ", (long long)progress->point + 1,
                   (long long)progress->points);
    }
    strbuf_add(&line, "%s %.0f %%%s", progress->activity, 100 * fraction, rest);
    return strbuf_finish(&line);
}

static void fill(size_t count) {
    while (count-- > 0) fputc(' ', stderr);
}

/** Replaces the line on the terminal; does nothing if out of memory. */
static void show_line(struct progress *progress, const char *line) {
    char *shown = line ? visible_text(line) : NULL;
    if (!shown) return;
    const size_t columns = room();
    shown[visible_cut(shown, columns)] = '\0';
    const size_t width = visible_width(shown),
                 before = progress->width < columns ? progress->width : columns;
    cleanup_set_line(true);
    fprintf(stderr, "\r%s", shown);
    if (width < before) fill(before - width); /* clear the rest of a longer line */
    fflush(stderr);
    progress->width = width > before ? width : before;
    free(shown);
}

struct progress progress_begin(bool quiet) {
    return (struct progress){.enabled = !quiet && isatty(STDERR_FILENO), .points = 1};
}

void progress_update(void *context, const char *activity, double done, double total) {
    struct progress *progress = context;
    if (!progress->enabled) return;
    const double time = monotonic_seconds();
    if (strncmp(progress->activity, activity, sizeof progress->activity - 1) != 0) { /* each has its
                                                                                        own speed */
        snprintf(progress->activity, sizeof progress->activity, "%s", activity);
        progress->started = time;
    }
    if (time - progress->shown < pause_seconds) return;
    const double fraction = total > 0 && done < total ? done / total : done > 0 ? 1 : 0;
    char *line = make_line(progress, fraction, time - progress->started);
    show_line(progress, line);
    free(line);
    progress->shown = time;
}

void progress_report_rest(struct progress *progress, double seconds) {
    progress->rest_seconds = seconds;
    progress->rest_told = monotonic_seconds();
}

void progress_clear(struct progress *progress) {
    if (progress->width > 0) {
        const size_t columns = room();
        fputc('\r', stderr);
        fill(progress->width < columns ? progress->width : columns);
        fputc('\r', stderr);
        fflush(stderr);
        cleanup_set_line(false);
    }
    progress->activity[0] = '\0';
    progress->shown = 0;
    progress->width = 0;
}
