/** Pictures of the times of algorithms over the sizes of a sweep. */
#ifndef CLI_SURVEY_PLOT_H
#define CLI_SURVEY_PLOT_H

#include "cli/request.h"
#include "tcplan/rank.h"

/** The figures of a picture. */
enum survey_figure { SURVEY_PERFORMANCE, SURVEY_ERROR, SURVEY_SPEEDUP };

/** Times of all algorithms that were predicted at some size. Zero-initialise before use. */
struct survey_plot {
    size_t points; /**< number of sizes; 0: no picture was requested */
    size_t added;  /**< number of sizes added so far */
    struct tcplan_problem *problem;
    size_t count;
    struct survey_curve *curve;
};

/** Prepares the picture of --plot. Checks that there are several sizes, and that the file can be
 * written. */
enum exit_status survey_plot_begin(struct survey_plot *out, const struct request *request);

/** Adds the next size; false if memory runs out. */
bool survey_plot_add(struct survey_plot *plot, const struct tcplan_ranking *ranking);

/** Writes the picture: of all algorithms with --all or --algorithm, otherwise of the fastest
 * ones. */
enum exit_status survey_plot_write(struct survey_plot *plot, const struct request *request);

void survey_plot_free(struct survey_plot *plot);

#endif
