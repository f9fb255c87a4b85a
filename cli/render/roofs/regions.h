/**
 * Regions in every format.
 */
#ifndef CLI_RENDER_ROOFS_REGIONS_H
#define CLI_RENDER_ROOFS_REGIONS_H

#include "cli/render/document.h"

struct region_list;

/** Prints what was run and how it was counted, the roofs, a table, and what the numbers are and
 * lack. */
void regions_text(struct writer *writer, const struct region_list *list);

/** Writes the object `run`, where something was run, and the list `regions`. */
void regions_document(struct document *document, const struct region_list *list);

/** Prints a line for each region, behind a heading. */
void regions_csv(struct writer *writer, const struct region_list *list);

#endif
