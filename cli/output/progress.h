/**
 * Progress on one line of stderr, if it is a terminal, within its width. The process has one such
 * line, which messages and complete work remove.
 */
#ifndef CLI_OUTPUT_PROGRESS_H
#define CLI_OUTPUT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/** Shows progress from now on, unless `quiet` or stderr is no terminal. */
void progress_enable(bool quiet);

bool progress_is_enabled(void);

/** Sets a text that the next progress prints as a line of its own if stderr is no terminal;
 * borrowed.
 */
void progress_begin(const char *what);

/** Sets the current size point of a sweep, from 0, until the line is removed. */
void progress_set_point(int64_t point, int64_t points);

/** Sets the text before the activity. The remaining time is then unknown until it is reported. */
void progress_set_label(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** A tcplan_progress_fn; the context is not used. */
void progress_update(void *context, const char *activity, double done, double total);

/** Sets the remaining seconds from now; negative: unknown. The context is not used. */
void progress_report_rest(void *context, double seconds);

/** Removes the line. */
void progress_clear(void);

#endif
