/**
 * Bandwidth by how memory is accessed: by stride, as a share of unit stride's, and by the width of
 * vectors.
 */
#ifndef CLI_RENDER_ROOFS_ACCESSES_H
#define CLI_RENDER_ROOFS_ACCESSES_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/render/document.h"
#include "tcplan/ceilings.h"

/** Prints a table of strides where unit stride was measured, and one of widths where there are
 * several; false where memory ran out. */
bool accesses_print_text(FILE *file, const struct tcplan_roofline *roofline);

/** Writes the list `strided`: of each strided ceiling its share of unit stride's bandwidth. */
void strides_document(struct document *document, const struct tcplan_roofline *roofline);

#endif
