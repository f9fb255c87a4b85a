/**
 * Comparisons of results of several platforms.
 */
#ifndef CLI_RENDER_RESULTS_PLATFORMS_H
#define CLI_RENDER_RESULTS_PLATFORMS_H

#include "base/quantity.h"
#include "cli/render/view.h"
#include "tcplan/study/platforms.h"

/** The record of `portability`. */
struct portability_report {
    const struct tcplan_platforms *platforms;
    bool all; /**< text: whether to print every algorithm, not only the most portable ones */
};

/** A platform; if `speed` is set, also an algorithm on this platform. */
struct placed {
    int place;
    const struct tcplan_platform *platform;
    const struct tcplan_platform_speed *speed;
};

/** The fields of a platform. */
extern const struct field placed_fields[];

/** Visits all platforms as struct placed. If the algorithm is not NULL, includes its speeds. */
void platforms_visit(struct field_visit *visit, const struct tcplan_platforms *report,
                     const struct tcplan_ported_algorithm *algorithm);

/** Returns the label of a platform in text: "A" to "Z", then "A1" and so on. */
struct quantity platform_label(int p);

/* The record of `merge --by-machine` is a struct tcplan_platforms. */

enum { WINNER_MACHINES = 8 /**< maximum number of machines in a table */ };

/** The winner of a contraction on one machine. */
struct winner_cell {
    const struct tcplan_platforms *report;
    const struct tcplan_ported_contraction *contraction;
    int machine;
};

/** The fields of a struct winner_cell. */
extern const struct field winner_cell_fields[];

#endif
