/**
 * What `tune` found, in every format.
 */
#ifndef CLI_RENDER_ROOFS_TUNING_H
#define CLI_RENDER_ROOFS_TUNING_H

#include "cli/render/format.h"
#include "tcplan/tuning.h"

void tuning_print_text(struct writer *writer, const struct tcplan_tuning *tuning);

/** Prints a heading and a line for each part and level. */
void tuning_print_csv(struct writer *writer, const struct tcplan_tuning *tuning);

#endif
