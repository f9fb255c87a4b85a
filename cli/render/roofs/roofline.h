/** Prints ceilings and points under them, results of tuning, and results of the self-test. */
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

/** Data of `roofline` to print; all pointers are borrowed. */
struct roofline_report {
    const struct tcplan_roofline *roofline;
    bool stored; /**< whether the ceilings are from the store or a file; otherwise they were
                    measured now */
    const struct point_list *points;         /**< points of one size; NULL: no points */
    const struct trajectories *trajectories; /**< points of named algorithms, or of several sizes;
                                                NULL: no such points */
    const struct region_list *regions; /**< regions of a program or of a file; NULL: no regions */
    const struct kernel_list *kernels; /**< kernels with known operations; NULL: no kernels */
};

/** Returns the view that prints a report. */
const struct view *roofline_view_of(const struct roofline_report *report);

/** Fields of struct roofline_report: the machine, its libraries and ceilings. */
extern const struct field ceilings_fields[];

/** Prints the conditions of the measurement, and tables of medians with a column for each vector
 * width or memory level. */
void ceilings_print(struct writer *writer, const struct roofline_report *report);

/** Prints the detected levels and, if they were measured, rates over operational intensities. */
void levels_print(struct writer *writer, const struct roofline_report *report);

#endif
