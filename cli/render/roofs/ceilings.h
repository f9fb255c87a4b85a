/**
 * The measured ceilings of a machine, in every format.
 */
#ifndef CLI_RENDER_ROOFS_CEILINGS_H
#define CLI_RENDER_ROOFS_CEILINGS_H

#include "cli/render/document.h"
#include "tcplan/roofline.h"

struct point_list;
struct trajectories;
struct region_list;
struct kernel_list;

/** What `roofline` prints; all of it is borrowed. */
struct roofline_report {
    const struct tcplan_roofline *roofline;
    bool kept;                               /**< not measured now */
    const struct point_list *points;         /**< of one size; NULL: none */
    const struct trajectories *trajectories; /**< of named algorithms or several sizes; NULL: none
                                              */
    const struct region_list *regions; /**< of a program that was run, or of a file; NULL: none */
    const struct kernel_list *kernels; /**< of known work; NULL: none */
};

/** Prints what was measured and how, and tables of medians: a column for each width of vectors, for
 * each level of memory; then the points. */
void ceilings_print_text(struct writer *writer, const struct roofline_report *report);

/** Prints a heading and a line for each ceiling or, where there are points, for each point. */
void ceilings_print_csv(struct writer *writer, const struct roofline_report *report);

#endif
