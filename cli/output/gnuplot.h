/**
 * Plots in the terminal by gnuplot.
 */
#ifndef CLI_OUTPUT_GNUPLOT_H
#define CLI_OUTPUT_GNUPLOT_H

#include <stdio.h>

#include "cli/diagnostics.h"

/** Checks that gnuplot is in $PATH; otherwise returns EXIT_ENVIRONMENT after a message that names
 * an alternative. */
enum exit_status gnuplot_check(void);

/**
 * Runs a gnuplot script for at most 20 seconds, and prints the drawing as text without control
 * characters.
 *
 * @param script  a seekable file, such as a tmpfile()
 * @return EXIT_DONE; EXIT_ENVIRONMENT after a message if gnuplot fails or does not end
 */
enum exit_status gnuplot_draw(FILE *script, FILE *out);

#endif
