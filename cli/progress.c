#include "cli/progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/cleanup.h"

static const double pause_seconds = 0.1; /* between two versions of the line */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/** Seconds that are left; negative where that cannot be told. */
static double rest_of(const struct progress *progress, double fraction, double elapsed) {
    if (*progress->label) {
        const double rest = progress->rest_seconds - (now() - progress->rest_told);
        return progress->rest_seconds < 0 ? -1 : rest > 0 ? rest : 0;
    }
    return fraction > 0.02 ? elapsed * (1 - fraction) / fraction : -1;
}

/** ", 4 s left", or nothing as long as too little is done to tell. */
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

static int write_line(const struct progress *progress, double fraction, double elapsed) {
    char rest[40];
    describe_rest(rest, sizeof rest, rest_of(progress, fraction, elapsed));
    fputs("\rtcplan: ", stderr);
    int width = 8;
    if (*progress->label) {
        width += fprintf(stderr, "%s: ", progress->label);
    } else if (progress->points > 1) {
        width += fprintf(stderr, "size point %lld of %lld: ", (long long)progress->point + 1, (long long)progress->points);
    }
    return width + fprintf(stderr, "%s %.0f %%%s", progress->activity, 100 * fraction, rest);
}

static void fill(int count) {
    for (int i = 0; i < count; i++) fputc(' ', stderr);
}

void progress_update(void *context, const char *activity, double done, double total) {
    struct progress *progress = context;
    if (!progress->enabled) return;
    const double time = now();
    if (strncmp(progress->activity, activity, sizeof progress->activity - 1) != 0) { /* each has its own pace */
        snprintf(progress->activity, sizeof progress->activity, "%s", activity);
        progress->started = time;
    }
    if (time - progress->shown < pause_seconds) return;
    const double fraction = total > 0 && done < total ? done / total : done > 0 ? 1 : 0;
    cleanup_set_line(true);
    const int width = write_line(progress, fraction, time - progress->started);
    fill(progress->width - width); /* what a longer line left behind */
    fflush(stderr);
    progress->width = width > progress->width ? width : progress->width;
    progress->shown = time;
}

void progress_clear(struct progress *progress) {
    if (progress->width > 0) {
        fputc('\r', stderr);
        fill(progress->width);
        fputc('\r', stderr);
        fflush(stderr);
        cleanup_set_line(false);
    }
    progress->activity[0] = '\0';
    progress->shown = 0;
    progress->width = 0;
}
