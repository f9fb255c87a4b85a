/** Pictures of a study of the cache model: a mark for each call, a series for each kernel. */
#ifndef CLI_COMMANDS_BLOCKED_CACHE_PLOT_H
#define CLI_COMMANDS_BLOCKED_CACHE_PLOT_H

#include "cli/diagnostics.h"
#include "tcplan/blocked_cache.h"

/** The figures of a study. */
enum cache_figure {
    CACHE_SCATTER, /**< measured time divided by estimated time */
    CACHE_TIMES,   /**< measured time by number of the call */
    CACHE_STAGE /**< error of a stage over the number of the call; add the enum tcplan_cache_stage
                   to this value */
};

/** Contents of a picture of a study; all pointers are borrowed. */
struct cache_picture {
    const struct tcplan_blocked_cache *study;
    int figure;        /**< enum cache_figure */
    const char *name;  /**< name of the algorithm */
    const char *sizes; /**< as `n=1568, b=32` */
    const char *library;
    int threads;
};

/** Writes the picture as an SVG file. */
enum exit_status cache_plot(const struct cache_picture *picture, const char *path);

#endif
