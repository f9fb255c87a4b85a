/**
 * What a picture of a roofline is made of, however it is drawn: which ceilings, where their roofs
 * lie, and what they are called.
 */
#ifndef CLI_PAGE_ROOFS_H
#define CLI_PAGE_ROOFS_H

#include "cli/page/roofline_plot.h"
#include "tcplan/study/digest.h"

enum {
    ROOFS_COMPUTES = TCPLAN_MIXES > 3
                         ? TCPLAN_MIXES
                         : 3 /* of a type; of mixed precisions there are fewer than TCPLAN_MIXES */,
    ROOFS_LEVELS = TCPLAN_MAX_CACHE_LEVELS + 1
};

/** Roofs that are drawn. */
struct drawn_roofs {
    const struct plot_roofs *roofs;
    const struct tcplan_ceiling *level[ROOFS_LEVELS]; /**< bandwidths, nearest to the core first */
    int levels;
    const struct tcplan_ceiling *compute[ROOFS_COMPUTES];
    int computes;
};

/** The roofs of all numbers of threads that a roofline has, in double and, beside these, single
 * precision and mixed ones; returns how many. */
int roofs_of(struct plot_roofs out[PLOT_ROOFS], const struct tcplan_roofline *roofline);

/** "a machine, 2 threads", as the key has it. */
void roofs_name(char *out, size_t size, const struct plot_roofs *roofs);

/** Finds the ceilings of some roofs. */
void roofs_collect(struct drawn_roofs *drawn, const struct plot_roofs *roofs);

/** The highest compute ceiling; 0: none. */
double roofs_highest(const struct drawn_roofs *drawn);

/** The slope of a bandwidth's roof. */
double roofs_rate(const struct plot_roofs *roofs, const struct tcplan_ceiling *level);

/** The slope of the fastest level; 0: none. Those without bandwidths are beside others of as many
 * threads that have them. */
double roofs_fastest(const struct drawn_roofs *drawn);

/**
 * The ranges of both axes: roofs from left of where the fastest level's meets the highest ceiling
 * to right of where the slowest one's does, and all points.
 *
 * @param all  of each of the plot's roofs
 */
void roofs_ranges(struct tcplan_span *x, struct tcplan_span *y, const struct roofline_plot *plot,
                  const struct drawn_roofs all[]);

/** The level that feeds the points, whose roof is drawn bold; -1: no points. */
int roofs_home(const struct roofline_plot *plot);

/** "L2 load: 174 GB/s" or "fma, 512 bits: 115 GFLOP/s"; whole, with what tells these roofs from
 * others, of which labels have the colour. */
void roofs_tell(char *out, size_t size, const struct roofline_plot *plot,
                const struct drawn_roofs *drawn, const struct tcplan_ceiling *ceiling, bool whole);

/** From the lower ends of both spans to the upper ones. */
struct roof_line {
    struct tcplan_span x, y;
};

/**
 * The roof of a level, up to the highest compute ceiling; of a compute ceiling, from where the
 * fastest level reaches it. `x` and `y` are the ranges of the axes.
 */
struct roof_line roofs_level_line(const struct drawn_roofs *drawn,
                                  const struct tcplan_ceiling *level, const struct tcplan_span *x,
                                  const struct tcplan_span *y);
struct roof_line roofs_compute_line(const struct drawn_roofs *drawn,
                                    const struct tcplan_ceiling *compute,
                                    const struct tcplan_span *x);

#endif
