/**
 * The picture of an experiment's report: a line over the range for each selector, or bars without a
 * range.
 */
#ifndef CLI_PAGE_SAMPLES_PLOT_H
#define CLI_PAGE_SAMPLES_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "tcplan/experiment.h"

/** In addition to the bits 1 << enum tcplan_statistic: every sample as a mark. */
enum { SAMPLES_ALL = 1 << TCPLAN_STATISTICS };

/**
 * Writes the picture, an SVG document: min and max together are a band, std a band around avg, the
 * other statistics lines.
 *
 * @param statistics  bits
 * @return false: out of memory
 */
bool samples_plot_print(FILE *file, const struct tcplan_evaluation *evaluation,
                        unsigned statistics);

#endif
