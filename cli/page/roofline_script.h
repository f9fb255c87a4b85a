/**
 * A roofline as a script for gnuplot that draws it with letters, for terminals: the same roofs and
 * points as in the picture.
 */
#ifndef CLI_PAGE_ROOFLINE_SCRIPT_H
#define CLI_PAGE_ROOFLINE_SCRIPT_H

#include "cli/page/roofline_plot.h"

enum {
    SCRIPT_COLUMNS = 79 /* where nothing else is known */,
    SCRIPT_LEAST_COLUMNS = 40,
    SCRIPT_MOST_COLUMNS = 160
};

/**
 * Writes the script. What has one roof of a kind has a key with its ceilings; several machines,
 * numbers of threads or precisions have one for each of these. Points on a line have a key for the
 * line, of others the first have one each, and the rest one together. Texts are shown as a terminal
 * can show them.
 *
 * @param columns  of the terminal; is kept within the bounds above
 * @return false when memory is out
 */
bool roofline_script_print(FILE *file, const struct roofline_plot *plot, int columns);

#endif
