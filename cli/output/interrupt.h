/**
 * Graceful ^C: stepwise work stops early, the command prints its results, and then ends by SIGINT.
 */
#ifndef CLI_OUTPUT_INTERRUPT_H
#define CLI_OUTPUT_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

/**
 * Catches the first SIGINT from now on; the second one ends the command. Returns the flag that the
 * first one sets, or NULL if SIGINT is ignored, which does not change. Pair with interrupt_end().
 */
const volatile sig_atomic_t *interrupt_begin(void);

/** Restores SIGINT. Returns whether it arrived. */
bool interrupt_end(void);

/** Makes interrupt_finish() end the command by SIGINT, so that shells and scripts see it. */
void interrupt_postpone(void);

/** Whether interrupt_finish() will do so. */
bool interrupt_is_postponed(void);

/** Call this when all output is complete. */
void interrupt_finish(void);

#endif
