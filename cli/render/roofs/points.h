/**
 * A point under the roofs, as lists of points and trajectories write it.
 */
#ifndef CLI_RENDER_ROOFS_POINTS_H
#define CLI_RENDER_ROOFS_POINTS_H

#include "cli/render/document.h"
#include "cli/render/text/csv_line.h"
#include "cli/render/text/table.h"
#include "cli/roofs/points.h"

/** Writes the objects of a point, predicted and measured. @param sizes  as report_sizes() tells
 * them; NULL: said elsewhere */
void points_document_point(struct document *document, const struct tcplan_roofline *roofline,
                           const struct listed_point *point, const char *sizes);

/** Prints the heading of the lines of points. */
void points_csv_heading(struct writer *writer, const struct tcplan_roofline *roofline,
                        bool with_sizes);

/** Prints the lines of a point, predicted and measured. @param sizes  NULL: without them */
void points_csv_point(struct writer *writer, const struct listed_point *point, const char *sizes);

/** Adds the headings of the three cells of points_table_speed(). */
void points_table_heading(struct table *table, const struct tcplan_roofline *roofline,
                          const char *origin);

/**
 * Adds three cells: speed, share of the roof with its interval, share of what its traffic allows.
 * Shares above 1 are flagged.
 *
 * @param speed  its interval, in the unit of the point; zeros: not known
 */
void points_table_speed(struct table *table, const struct tcplan_point *point, bool known,
                        const struct tcplan_span *speed);

/** Writes the speed of a point, its shares of the roof and what the roof is; `speed` as above. */
void points_document_place(struct document *document, const struct tcplan_roofline *roofline,
                           const struct tcplan_point *point, const struct tcplan_span *speed);

/** The headings of the four cells that points_csv_interval() adds: ends of the intervals of speed
 * and share. */
const char *points_csv_interval_heading(const struct tcplan_roofline *roofline);
void points_csv_interval(struct csv_line *line, const struct tcplan_point *point,
                         const struct tcplan_span *speed);

/** Whether a point of the list was measured. */
bool points_any_measured(const struct point_list *points);

#endif
