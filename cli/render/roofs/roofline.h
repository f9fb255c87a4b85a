/**
 * The measured ceilings of a machine and what is placed under them; tuning, and the self-test.
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

/** Of ceilings alone, and with what is placed under them. */
extern const struct view roofline_view, roofline_points_view, roofline_series_view,
    roofline_regions_view, roofline_kernels_view;

/** The view that suits a report. */
const struct view *roofline_view_of(const struct roofline_report *report);

/** Of struct roofline_report: the machine, its libraries and ceilings. */
extern const struct field ceilings_fields[];

/** Prints what was measured and how, and tables of medians: a column for each width of vectors, for
 * each level of memory. */
void ceilings_print(struct writer *writer, const struct roofline_report *report);

/** Prints the levels that were found, and rates over intensities, where they were measured. */
void levels_print(struct writer *writer, const struct roofline_report *report);

/** Of struct tcplan_selftest. */
extern const struct view selftest_view;

/** Of struct tcplan_tuning. */
extern const struct view tuning_view;

#endif
