/**
 * gnuplot, where it is installed: it draws in the terminal.
 */
#ifndef CLI_OUTPUT_GNUPLOT_H
#define CLI_OUTPUT_GNUPLOT_H

#include <stdio.h>

#include "cli/diagnostics.h"

/** Whether gnuplot is in $PATH; EXIT_ENVIRONMENT after a message that says what can be done without
 * it. */
enum exit_status gnuplot_check(void);

/**
 * Has gnuplot run a script, and prints what it draws: text, without anything that a terminal would
 * obey. It has 20 seconds.
 *
 * @param script  that can be read from its beginning, as a tmpfile()
 * @return EXIT_DONE; EXIT_ENVIRONMENT after a message where it fails or does not end
 */
enum exit_status gnuplot_draw(FILE *script, FILE *out);

#endif
