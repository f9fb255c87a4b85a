/**
 * What an experiment's report comes to as a picture: a line over the range for each selector, or
 * bars where there is no range.
 */
#ifndef CLI_PAGE_SAMPLES_PLOT_H
#define CLI_PAGE_SAMPLES_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "tcplan/experiment.h"

/** Beside the bits 1 << enum tcplan_statistic: every sample as a mark. */
enum { SAMPLES_ALL = 1 << TCPLAN_STATISTICS };

/**
 * Writes the picture, an SVG document: min and max together are a band, std a band around avg, the
 * other statistics lines.
 *
 * @param statistics  bits
 * @return false when memory is out
 */
bool samples_plot_print(FILE *file, const struct tcplan_evaluation *evaluation,
                        unsigned statistics);

#endif
