/**
 * Cleanup when a signal ends the process: removes temporary files, and ends an open line on the
 * terminal.
 */
#ifndef CLI_OUTPUT_CLEANUP_H
#define CLI_OUTPUT_CLEANUP_H

#include <signal.h>
#include <stdbool.h>

#include "base/output_file.h"

/**
 * Installs handlers for signals that end the command, including crashes, and for exit(). They
 * remove the added files and end the open line. Ignored signals and signals with other handlers are
 * unchanged. SIGKILL and forked processes remove nothing.
 */
void cleanup_install(void);

/** Blocks the signals of cleanup_install() while files and their list change. Calls cannot be
 * nested. */
void cleanup_hold(void);
void cleanup_release(void);

/** Adds a file to remove; its path must stay valid until cleanup_remove(). Returns the number of
 * its slot. */
int cleanup_add(const char *path);

/** Removes the file in a slot from the list; the file itself stays. */
void cleanup_remove(int slot);

/** cleanup_add() and cleanup_remove() as a struct, for other code that creates temporary files. */
extern const struct tcplan_temporary_watch cleanup_watch;

enum { CLEANUP_WORDS = 512 };

/**
 * Sets the text that is printed on stderr if a signal such as ^C ends the command. The text is
 * copied and truncated to CLEANUP_WORDS; NULL removes it.
 */
void cleanup_set_words(const char *text);

/** Sets whether a line of progress is open on the terminal. */
void cleanup_set_line(bool open);

/* The following functions end work gracefully on ^C and SIGTERM: stepwise work stops early, the
 * command stores and prints its results, and then ends by the signal. */

/**
 * Catches the first SIGINT or SIGTERM from now on; a second signal ends the process. Returns a flag
 * that the first signal sets, or NULL if both signals are ignored. Call interrupt_end() afterwards.
 */
const volatile sig_atomic_t *interrupt_begin(void);

/** Restores the actions of SIGINT and SIGTERM. Returns the signal that arrived; 0 if none did. */
int interrupt_end(void);

/** Makes interrupt_finish() end the process by a signal, so that shells and scripts see it. */
void interrupt_postpone(int number);

/** Returns whether interrupt_finish() will end the process by SIGINT. */
bool interrupt_is_postponed(void);

/** Ends the process by SIGINT if interrupt_postpone() was called. To be called when all output is
 * complete. */
void interrupt_finish(void);

#endif
