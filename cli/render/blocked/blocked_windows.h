/**
 * Predictions by windows, with those by models beside where there are models, in every format that
 * has them: text, JSON, XML.
 */
#ifndef CLI_RENDER_BLOCKED_BLOCKED_WINDOWS_H
#define CLI_RENDER_BLOCKED_BLOCKED_WINDOWS_H

#include "cli/render/format.h"
#include "tcplan/blocked_predict.h"
#include "tcplan/blocked_windows.h"

/** One algorithm, size and block size. */
struct windowed {
    const struct tcplan_blocked *blocked;
    struct tcplan_blocked_sizes sizes;
    struct tcplan_blocked_windows windows;
    bool has_models; /**< all its calls have models: */
    struct tcplan_blocked_prediction models;
};

/** Those of one size, the fastest first. */
struct windowed_point {
    size_t count;
    struct windowed *of;
};

struct windows_view {
    int threads;
    const char *library;         /**< who computes, as `OpenBLAS 0.3.21` */
    bool measured;               /**< whole runs were made as well */
    bool has_models;             /**< some have a prediction by models */
    double models_spent_seconds; /**< that these took, without making models */
    size_t count;
    const struct windowed_point *point;
};

/** Prints in the writer's format, between its begin and end. */
void blocked_windows_print(struct writer *writer, const struct windows_view *view);

#endif
