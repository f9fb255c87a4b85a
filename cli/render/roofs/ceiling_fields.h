/**
 * The fields of a ceiling, for JSON, XML and CSV: one table.
 */
#ifndef CLI_RENDER_ROOFS_CEILING_FIELDS_H
#define CLI_RENDER_ROOFS_CEILING_FIELDS_H

#include "cli/render/document.h"
#include "tcplan/ceilings.h"

/** The lists that ceilings are in. */
enum ceiling_list {
    CEILING_COMPUTE = 1,
    CEILING_BANDWIDTH = 2,
    CEILING_SWEEP = 4,
    CEILING_INTENSITY = 8
};

/** Writes an object of a list. */
void ceiling_document(struct document *document, enum ceiling_list list,
                      const struct tcplan_ceiling *ceiling, bool per_cycle);

/** Prints the line of headings. */
void ceiling_csv_headings(FILE *file, bool per_cycle);

/** Prints a line; false where memory ran out. */
bool ceiling_csv(FILE *file, enum ceiling_list list, const struct tcplan_ceiling *ceiling);

#endif
