/**
 * Cleanup after signals: removes temporary files, and ends an open line on the terminal.
 */
#ifndef CLI_OUTPUT_CLEANUP_H
#define CLI_OUTPUT_CLEANUP_H

#include <signal.h>
#include <stdbool.h>

#include "base/output_file.h"

/**
 * From now on, signals that end the command, including crashes, and exit() first remove the added
 * files and end the line. Ignored signals and those with other handlers are unchanged. SIGKILL and
 * forked processes remove nothing.
 */
void cleanup_install(void);

/** Blocks these signals while files and their list change. Does not nest. */
void cleanup_hold(void);
void cleanup_release(void);

/** Adds a file, whose name must stay valid until it is removed from the list. Returns its slot. */
int cleanup_add(const char *path);

/** Removes the file in a slot from the list, not from disk. */
void cleanup_remove(int slot);

/** The functions above, for other code that creates files. */
extern const struct tcplan_temporary_watch cleanup_watch;

enum { CLEANUP_WORDS = 512 };

/**
 * Sets the text that is printed on stderr if a signal such as ^C ends the command; copied,
 * truncated to CLEANUP_WORDS; NULL: none.
 */
void cleanup_set_words(const char *text);

/** Sets whether the cursor is in a line of progress. */
void cleanup_set_line(bool open);

/* Graceful ^C and SIGTERM: stepwise work stops early, the command stores and prints its results,
 * and then ends by the signal. */

/**
 * Catches the first SIGINT or SIGTERM from now on; the second one ends the command. Returns the
 * flag that the first one sets, or NULL if both are ignored, which does not change. Pair with
 * interrupt_end().
 */
const volatile sig_atomic_t *interrupt_begin(void);

/** Restores the signals. Returns the one that arrived; 0: none. */
int interrupt_end(void);

/** Makes interrupt_finish() end the command by a signal, so that shells and scripts see it. */
void interrupt_postpone(int number);

/** Whether interrupt_finish() will do so. */
bool interrupt_is_postponed(void);

/** Call this when all output is complete. */
void interrupt_finish(void);

#endif
