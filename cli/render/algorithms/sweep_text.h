/**
 * Rankings of a sweep as text: one line for each size, with the answer.
 */
#ifndef CLI_RENDER_ALGORITHMS_SWEEP_TEXT_H
#define CLI_RENDER_ALGORITHMS_SWEEP_TEXT_H

#include "cli/render/format.h"

/** Whether the sizes of a sweep have a line each: options that are about the rows of a table ask
 * for the table of each size, as --full does. */
bool sweep_is_brief(const struct report *report);

/** Prints the line of one size; before the first one the problem and the headings. */
void sweep_print_text(struct writer *writer, const struct report *report);

#endif
