/**
 * Progress on one line of stderr, if it is a terminal, within its width.
 */
#ifndef CLI_OUTPUT_PROGRESS_H
#define CLI_OUTPUT_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Zero-initialise, then set the public fields. */
struct progress {
    bool enabled;
    int64_t point;       /**< the current size point, from 0 */
    int64_t points;      /**< of the sweep */
    char label[96];      /**< replaces the size point; "": none */
    double rest_seconds; /**< private from here on: remaining seconds at `rest_told`; negative:
                            unknown, or without a label extrapolated */
    double rest_told;    /**< in seconds of the monotonic clock */
    char activity[40];   /**< the current activity */
    double started;      /**< its start, in seconds of the monotonic clock */
    double shown;        /**< when the line was last written */
    size_t width;        /**< of the line on the terminal */
};

/** Begins progress of one size point, on a terminal unless `quiet`. */
struct progress progress_begin(bool quiet);

/** A tcplan_progress_fn; `context` is a struct progress. */
void progress_update(void *context, const char *activity, double done, double total);

/** Sets the remaining seconds from now; negative: unknown. */
void progress_report_rest(struct progress *progress, double seconds);

/** Removes the line and prepares for the next size point. */
void progress_clear(struct progress *progress);

#endif
