/**
 * A kernel's rates over its intensity, and where they bend, beside the roof.
 */
#ifndef CLI_RENDER_ROOFS_INTENSITIES_TEXT_H
#define CLI_RENDER_ROOFS_INTENSITIES_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "tcplan/ceilings.h"

/** Prints tables where there are any; false where memory ran out. */
bool intensities_print_text(FILE *file, const struct tcplan_roofline *roofline);

#endif
