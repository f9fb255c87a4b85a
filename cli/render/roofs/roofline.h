/**
 * The measured ceilings of a machine and the points under them; tuning; the self-test.
 */
#ifndef CLI_RENDER_ROOFS_ROOFLINE_H
#define CLI_RENDER_ROOFS_ROOFLINE_H

#include "cli/render/view.h"
#include "tcplan/roofline.h"
#include "tcplan/selftest.h"
#include "tcplan/tuning.h"

struct point_list;
struct trajectories;
struct region_list;
struct kernel_list;

/** The output of `roofline`; everything is borrowed. */
struct roofline_report {
    const struct tcplan_roofline *roofline;
    bool kept;                               /**< from the store or a file, not measured now */
    const struct point_list *points;         /**< of one size; NULL: none */
    const struct trajectories *trajectories; /**< of named algorithms or several sizes; NULL: none
                                              */
    const struct region_list *regions; /**< of a program that was run, or of a file; NULL: none */
    const struct kernel_list *kernels; /**< of known work; NULL: none */
};

/** Returns the view for a report. */
const struct view *roofline_view_of(const struct roofline_report *report);

/** Fields of struct roofline_report: the machine, its libraries and ceilings. */
extern const struct field ceilings_fields[];

/** Prints the conditions of the measurement, and tables of medians with a column for each vector
 * width or level of memory. */
void ceilings_print(struct writer *writer, const struct roofline_report *report);

/** Prints the detected levels, and rates over intensities if measured. */
void levels_print(struct writer *writer, const struct roofline_report *report);

#endif
