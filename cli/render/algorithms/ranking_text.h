/**
 * Rankings as text: the answer in one line, a table, and what to do next; with --verbose everything
 * that is known.
 */
#ifndef CLI_RENDER_ALGORITHMS_RANKING_TEXT_H
#define CLI_RENDER_ALGORITHMS_RANKING_TEXT_H

#include "cli/render/format.h"

void ranking_print_text(struct writer *writer, const struct report *report);

#endif
