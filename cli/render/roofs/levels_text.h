/**
 * The levels of the memory that were found, beside those that the system reports.
 */
#ifndef CLI_RENDER_ROOFS_LEVELS_TEXT_H
#define CLI_RENDER_ROOFS_LEVELS_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "tcplan/ceilings.h"

/** Prints a table where any were found; false where memory ran out. */
bool levels_print_text(FILE *file, const struct tcplan_roofline *roofline);

#endif
