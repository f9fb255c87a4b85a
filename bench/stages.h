/** Data of the study of the dissertation's stages (bench/stages.c). */
#ifndef BENCH_STAGES_H
#define BENCH_STAGES_H

#include <stdbool.h>

#include "tcplan/unstable.h"

/** The dissertation's five stages and the window predictor. */
enum { STAGES_WINDOW = TCPLAN_STAGE_FIRST + 1, STAGES };

/** One algorithm at one size: times in seconds. */
struct stages_row {
    struct tcplan_algorithm algorithm;
    double predicted[STAGES];
    double measured; /**< measured time; 0: not measured */
};

/** One size point. */
struct stages_point {
    struct tcplan_problem problem;
    size_t count;
    struct stages_row *row; /**< rows in the order of the enumeration, which is the same at every
                               size */
};

/**
 * Draws performance against size, predicted by `stage` and measured, as an SVG file. The size is
 * the first extent that differs between the points.
 *
 * @return false if the file cannot be written, after printing a message
 */
bool stages_plot(const char *path, const struct stages_point *point, size_t points, int stage,
                 const char *stage_name);

#endif
