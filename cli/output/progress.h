/**
 * Progress on one line of stderr, if stderr is a terminal. Messages, and the end of work, remove
 * the line.
 */
#ifndef CLI_OUTPUT_PROGRESS_H
#define CLI_OUTPUT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/** Shows progress from now on, unless `quiet` is set or stderr is not a terminal. */
void progress_enable(bool quiet);

bool progress_is_enabled(void);

/**
 * Sets a text that is printed as a line at the next progress if stderr is not a terminal. The text
 * is borrowed.
 */
void progress_begin(const char *what);

/** Sets the number of the current size point of a sweep, counted from 0. It is shown until the line
 * is removed. */
void progress_set_point(int64_t point, int64_t points);

/** Sets a text that is shown before the activity. While it is set, the remaining time is not
 * extrapolated. */
void progress_set_label(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Updates the line of progress; implements tcplan_progress_fn, whose context is ignored. */
void progress_update(void *context, const char *activity, double done, double total);

/** Sets the remaining seconds; negative: unknown. The context is ignored. */
void progress_report_rest(void *context, double seconds);

/** Removes the line. */
void progress_clear(void);

#endif
