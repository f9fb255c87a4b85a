/**
 * Results of `tcplan blocked`: a view and its record each. All records borrow what they point to.
 */
#ifndef CLI_RENDER_BLOCKED_BLOCKED_H
#define CLI_RENDER_BLOCKED_BLOCKED_H

#include "cli/render/view.h"
#include "tcplan/blocked_cache.h"
#include "tcplan/blocked_measure.h"
#include "tcplan/blocked_predict.h"
#include "tcplan/blocked_run.h"
#include "tcplan/blocked_windows.h"

/** Of which operation predictions, rankings and measurements are, and by which models. */
struct blocked_head {
    const char *operation; /**< `potrf_L` */
    const char *purpose;   /**< in a few words; NULL: not known */
    enum tcplan_dtype dtype;
    const struct tcplan_model_setup *setup;
    double peak_gflops; /**< of the threads; 0: not known, and there are no efficiencies */
};

/** All operations; there is no record. */
extern const struct view blocked_operations_view;

/** Algorithms of an operation, or of a file, with their steps. */
struct blocked_listing {
    const struct tcplan_blocked_operation *of; /**< its name is NULL where they are a user's */
    const struct tcplan_blocked *const *algorithm;
    int count;
};
extern const struct view blocked_list_view;

/** The calls of an algorithm. */
struct blocked_traced {
    const struct tcplan_blocked *algorithm;
    struct tcplan_blocked_sizes sizes; /**< checked */
};
extern const struct view blocked_trace_view;

/** Results of algorithms next to LAPACK's. */
struct blocked_checked {
    const struct tcplan_blocked *algorithm;
    int64_t cases, failed;
    struct tcplan_blocked_verdict worst;
    struct tcplan_blocked_sizes at; /**< of the worst */
};
struct blocked_checks {
    struct blocked_checked *checked;
    int count;
};
extern const struct view blocked_check_view;

/** Models that algorithms need. */
struct blocked_needs {
    const struct blocked_head *head;
    const struct tcplan_blocked_needs *needs;
};
extern const struct view blocked_models_view;

/** Prints the command that makes the models that are missing, a KERNEL a line. */
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
extern const struct view blocked_predict_view;

/** Rankings by predicted times, each algorithm with its best block size. */
struct blocked_rankings {
    const struct blocked_head *head;
    const struct tcplan_blocked_map *map;
    const struct tcplan_blocked_rank *rank; /**< of each point as many as there are algorithms */
    double tie;
    int64_t default_block; /**< LAPACK's */
    int default_place;     /**< its place among the map's block sizes; -1: it is none of them */
    int lapack;            /**< which algorithm of the map is LAPACK's; -1: none */
};
extern const struct view blocked_rank_view;

/** The prediction of an algorithm with LAPACK's block size; NULL where it was not made. */
const struct tcplan_blocked_prediction *blocked_rankings_default(
    const struct blocked_rankings *rankings, int algorithm, int point);

/** Predicted next to measured times. */
struct blocked_measurements {
    const struct blocked_head *head;
    bool predicted; /**< there are models of all calls */
    size_t count;
    const struct tcplan_blocked_measured *of; /**< by sizes, among these by algorithm: alternatives
                                                 one behind the other */
    const struct tcplan_blocked_prediction *prediction; /**< of each; its operations in any case */
    const struct tcplan_blocked_measuring *measuring;
    int64_t default_block; /**< LAPACK's */
};
extern const struct view blocked_measure_view;

/** Predictions by windows of one size, the fastest first. */
struct windowed {
    const struct tcplan_blocked *blocked;
    struct tcplan_blocked_sizes sizes;
    uint64_t calls; /**< their hash: equal calls share their times, */
    bool is_owner;  /**< which the first of them owns */
    int place;      /**< in the ranking, from 1; equal calls share the first one's */
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
    const char *library;         /**< that computes, as `OpenBLAS 0.3.21` */
    bool measured;               /**< whole runs were made as well */
    bool has_models;             /**< some have a prediction by models */
    double models_spent_seconds; /**< that these took, without making models */
    size_t count;
    const struct windowed_point *point;
};
extern const struct view blocked_windows_view;

/** Calls in an algorithm and by themselves. */
struct blocked_cache_studied {
    const struct tcplan_blocked_cache *study;
    const struct tcplan_blocked *blocked;
    const struct tcplan_blocked_sizes *sizes;
    int threads;
    const char *library; /**< that computed, as `OpenBLAS 0.3.21` */
    bool calls;          /**< every call is written to documents */
};
extern const struct view blocked_cache_view;

#endif
