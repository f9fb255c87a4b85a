/**
 * ^C as a wish: work in steps ends early and keeps what it has, and the command then prints it
 * before it ends as ^C ends it.
 */
#ifndef CLI_OUTPUT_INTERRUPT_H
#define CLI_OUTPUT_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

/**
 * Notes the first SIGINT from now on; the second one ends the command as usual. Returns the flag
 * that becomes other than 0 then, or NULL where SIGINT is ignored: it stays so. interrupt_end()
 * belongs to it.
 */
const volatile sig_atomic_t *interrupt_begin(void);

/** Gives SIGINT back. Returns whether it came. */
bool interrupt_end(void);

/** Has interrupt_finish() end the command by SIGINT, so that shells and scripts see it. */
void interrupt_postpone(void);

/** Whether it will. */
bool interrupt_is_postponed(void);

/** To be called when all output is complete. */
void interrupt_finish(void);

#endif
