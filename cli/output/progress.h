/**
 * One line on stderr that says how far the work is, on a terminal only, and no wider than that.
 */
#ifndef CLI_OUTPUT_PROGRESS_H
#define CLI_OUTPUT_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Zero-initialise, then set the public fields. */
struct progress {
    bool enabled;
    int64_t point;       /**< the size point at work, from 0 */
    int64_t points;      /**< of the sweep */
    char label[96];      /**< said in front instead of the size point; "": none */
    double rest_seconds; /**< private from here on: said to be left at `rest_told`; negative: not
                            known; without a label by the pace */
    double rest_told;    /**< in seconds of the monotonic clock */
    char activity[40];   /**< what is being done */
    double started;      /**< since when, in seconds of the monotonic clock */
    double shown;        /**< when the line was last written */
    size_t width;        /**< of the line on the terminal */
};

/** Of one size point, on a terminal and unless nothing is to be told. */
struct progress progress_begin(bool quiet);

/** A tcplan_progress_fn; `context` is a struct progress. */
void progress_update(void *context, const char *activity, double done, double total);

/** Says that so many seconds are left from now; negative: that is not known. */
void progress_tell_rest(struct progress *progress, double seconds);

/** Removes the line and makes ready for the next size point. */
void progress_clear(struct progress *progress);

#endif
