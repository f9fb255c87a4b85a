/**
 * Results of several platforms beside each other. Functions return false where memory ran out.
 */
#ifndef CLI_RENDER_RESULTS_PORTABILITY_PRINT_H
#define CLI_RENDER_RESULTS_PORTABILITY_PRINT_H

#include "cli/render/format.h"
#include "tcplan/study/platforms.h"

/** @param all  every algorithm, not only the most portable */
bool portability_text(FILE *file, const struct tcplan_platforms *report, bool all);
bool portability_csv(FILE *file, const struct tcplan_platforms *report);

/** JSON or XML, between the format's begin and end. */
void document_portability(struct writer *writer, const struct tcplan_platforms *report);

#endif
