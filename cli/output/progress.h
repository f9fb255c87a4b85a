/**
 * Progress on one line of stderr, if stderr is a terminal. Messages, and the end of work, remove
 * the line.
 */
#ifndef CLI_OUTPUT_PROGRESS_H
#define CLI_OUTPUT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/** Shows progress from now on, unless `quiet` is set or stderr is no terminal. */
void progress_enable(bool quiet);

bool progress_is_enabled(void);

/** Sets a text, borrowed, that is printed as a line before the next progress if stderr is not a
 * terminal.
 */
void progress_begin(const char *what);

/** Sets the number of the current size point of a sweep, from 0, until the line is removed. */
void progress_set_point(int64_t point, int64_t points);

/** Sets a text before the activity. The remaining time is then not extrapolated. */
void progress_set_label(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Updates the line of progress; a tcplan_progress_fn that ignores its context. */
void progress_update(void *context, const char *activity, double done, double total);

/** Sets the remaining seconds; negative: unknown. Ignores its context. */
void progress_report_rest(void *context, double seconds);

/** Removes the line. */
void progress_clear(void);

#endif
