/**
 * Results of `tcplan blocked`: a view and a record each. Records borrow everything.
 */
#ifndef CLI_RENDER_BLOCKED_BLOCKED_H
#define CLI_RENDER_BLOCKED_BLOCKED_H

#include "cli/render/view.h"
#include "tcplan/blocked_cache.h"
#include "tcplan/blocked_measure.h"
#include "tcplan/blocked_predict.h"
#include "tcplan/blocked_run.h"
#include "tcplan/blocked_windows.h"

/** The operation and models of predictions, rankings and measurements. */
struct blocked_head {
    const char *operation; /**< `potrf_L` */
    const char *purpose;   /**< in a few words; NULL: unknown */
    enum tcplan_dtype dtype;
    const struct tcplan_model_setup *setup;
    double peak_gflops; /**< of the threads; 0: unknown, without efficiencies */
};

/** Algorithms of an operation, or of a file, with their steps. */
struct blocked_listing {
    const struct tcplan_blocked_operation *of; /**< its name is NULL for algorithms of a file */
    const struct tcplan_blocked *const *algorithm;
    int count;
};

/** The calls of an algorithm. */
struct blocked_traced {
    const struct tcplan_blocked *algorithm;
    struct tcplan_blocked_sizes sizes; /**< checked */
};

/** Results of algorithms next to LAPACK's. */
struct blocked_checked {
    const struct tcplan_blocked *algorithm;
    int64_t cases, failed;
    struct tcplan_blocked_verdict worst;
    struct tcplan_blocked_sizes at; /**< of the worst case */
};
struct blocked_checks {
    struct blocked_checked *checked;
    int count;
};

/** Models that algorithms need. */
struct blocked_needs {
    const struct blocked_head *head;
    const struct tcplan_blocked_needs *needs;
};

/** Prints the command that makes missing models, one KERNEL per line. */
void blocked_needs_print_command(FILE *file, const struct blocked_needs *needs);

/** Predictions, and the share of each kernel in their time. */
struct blocked_predicted {
    const struct tcplan_blocked *blocked;
    struct tcplan_blocked_sizes sizes;
    struct tcplan_blocked_prediction prediction;
    int kernels;
    struct tcplan_blocked_kernel kernel[TCPLAN_BLOCKED_KERNELS];
};
struct blocked_predictions {
    const struct blocked_head *head;
    size_t count; /**< at least 1 */
    const struct blocked_predicted *of;
};

/** Rankings by predicted times, each algorithm with its best block size. */
struct blocked_rankings {
    const struct blocked_head *head;
    const struct tcplan_blocked_map *map;
    const struct tcplan_blocked_rank *rank; /**< for each point one for each algorithm */
    double tie;
    int64_t default_block; /**< LAPACK's */
    int default_place;     /**< its index among the map's block sizes; -1: none */
    int lapack;            /**< index of LAPACK's algorithm; -1: none */
};

/** The prediction of an algorithm with LAPACK's block size; NULL: none. */
const struct tcplan_blocked_prediction *blocked_rankings_default(
    const struct blocked_rankings *rankings, int algorithm, int point);

/** Predicted and measured times. */
struct blocked_measurements {
    const struct blocked_head *head;
    bool predicted; /**< all calls have models */
    size_t count;
    const struct tcplan_blocked_measured *of; /**< by sizes, then by algorithm, so that alternatives
                                                 are adjacent */
    const struct tcplan_blocked_prediction *prediction; /**< of each; its operations are always
                                                           known */
    const struct tcplan_blocked_measuring *measuring;
    int64_t default_block; /**< LAPACK's */
};

/** Predictions by windows for one size, fastest first. */
struct windowed {
    const struct tcplan_blocked *blocked;
    struct tcplan_blocked_sizes sizes;
    uint64_t calls; /**< their hash: entries with equal calls share times, */
    bool is_owner;  /**< which the first of them owns */
    int place;      /**< rank from 1; equal calls share the first one's */
    struct tcplan_blocked_windows windows;
    bool has_models; /**< all its calls have models: */
    struct tcplan_blocked_prediction models;
};
struct windowed_point {
    size_t count;
    struct windowed *of;
};
struct windows_ranking {
    int threads;
    const char *library;         /**< the library, as `OpenBLAS 0.3.21` */
    bool measured;               /**< with times of whole runs */
    bool has_models;             /**< some entries have a prediction by models */
    double models_spent_seconds; /**< of these predictions, without making models */
    size_t count;
    const struct windowed_point *point;
};

/** Calls inside an algorithm and isolated. */
struct blocked_cache_studied {
    const struct tcplan_blocked_cache *study;
    const struct tcplan_blocked *blocked;
    const struct tcplan_blocked_sizes *sizes;
    int threads;
    const char *library; /**< the library, as `OpenBLAS 0.3.21` */
    bool calls;          /**< every call is written to documents */
};

#endif
