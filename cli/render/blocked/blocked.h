/** Results of `tcplan blocked`: each has a view and a record. All pointers in records are
 * borrowed. */
#ifndef CLI_RENDER_BLOCKED_BLOCKED_H
#define CLI_RENDER_BLOCKED_BLOCKED_H

#include "cli/render/view.h"
#include "tcplan/blocked_cache.h"
#include "tcplan/blocked_measure.h"
#include "tcplan/blocked_predict.h"
#include "tcplan/blocked_run.h"
#include "tcplan/blocked_windows.h"

/** The operation and models that a prediction, ranking or measurement is about. */
struct blocked_head {
    const char *operation; /**< `potrf_L` */
    const char *purpose;   /**< what the operation computes, in a few words; NULL: unknown */
    enum tcplan_dtype dtype;
    const struct tcplan_model_setup *setup;
    double peak_gflops; /**< peak performance of all threads in GFLOP/s; 0: unknown, and no
                           efficiencies are printed */
};

/** Algorithms of an operation, or of a file, and their steps. */
struct blocked_listing {
    const struct tcplan_blocked_operation *of; /**< the operation; its name is NULL for algorithms
                                                  of a file */
    const struct tcplan_blocked *const *algorithm;
    int count;
};

/** An algorithm and its calls at one size. */
struct blocked_traced {
    const struct tcplan_blocked *algorithm;
    struct tcplan_blocked_sizes sizes; /**< checked */
};

/** Results of algorithms compared with those of LAPACK's routine. */
struct blocked_checked {
    const struct tcplan_blocked *algorithm;
    int64_t cases, failed;
    struct tcplan_blocked_verdict worst;
    struct tcplan_blocked_sizes at; /**< sizes at which the worst error occurred */
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

/** Prints the command that makes missing models, one routine per line. */
void blocked_needs_print_command(FILE *file, const struct blocked_needs *needs);

/** Predicted times, and the share of each kernel. */
struct blocked_predicted {
    const struct tcplan_blocked *blocked;
    struct tcplan_blocked_sizes sizes;
    struct tcplan_blocked_prediction prediction;
    int kernels;
    struct tcplan_blocked_kernel kernel[TCPLAN_BLOCKED_KERNELS];
};
struct blocked_predictions {
    const struct blocked_head *head;
    size_t count; /**< number of predictions, at least 1 */
    const struct blocked_predicted *of;
};

/** Rankings by predicted times, each algorithm with its best block size. */
struct blocked_rankings {
    const struct blocked_head *head;
    const struct tcplan_blocked_map *map;
    const struct tcplan_blocked_rank *rank; /**< ranking at each size point, with an entry for each
                                               algorithm */
    double tie;
    int64_t default_block; /**< LAPACK's */
    int default_place; /**< position of LAPACK's block size among those of the map; -1 if absent */
    int lapack;        /**< number of LAPACK's algorithm; -1 if absent */
};

/** Returns the prediction of an algorithm with LAPACK's block size; NULL if there is none. */
const struct tcplan_blocked_prediction *blocked_rankings_default(
    const struct blocked_rankings *rankings, int algorithm, int point);

/** Predicted and measured times. */
struct blocked_measurements {
    const struct blocked_head *head;
    bool predicted; /**< whether models exist for all calls */
    size_t count;
    const struct tcplan_blocked_measured *of; /**< measurements sorted by size, then by algorithm,
                                                 so that alternatives are adjacent */
    const struct tcplan_blocked_prediction *prediction; /**< prediction for each measurement; its
                                                           number of operations is set even if no
                                                           models exist */
    const struct tcplan_blocked_measuring *measuring;
    int64_t default_block; /**< LAPACK's */
};

/** Predictions by windows at one size, fastest first. */
struct windowed {
    const struct tcplan_blocked *blocked;
    struct tcplan_blocked_sizes sizes;
    uint64_t calls; /**< hash of the calls; entries that make equal calls share their times */
    bool is_owner;  /**< whether this entry is the first one with its calls; it owns the times */
    int place;      /**< rank from 1; entries that make equal calls share the rank */
    struct tcplan_blocked_windows windows;
    bool has_models; /**< whether models exist for all calls */
    struct tcplan_blocked_prediction models;
};
struct windowed_point {
    size_t count;
    struct windowed *of;
};
struct windows_ranking {
    int threads;
    const char *library; /**< library whose routines are called, such as `OpenBLAS 0.3.21` */
    const char *binding; /**< see tcplan_binding_print(); empty: not bound */
    bool measured;       /**< whether times of whole runs are included */
    bool has_models;     /**< whether some entries have a prediction by models */
    double models_spent_seconds; /**< time spent on predictions by models, not counting the
                                    generation of models */
    size_t count;
    const struct windowed_point *point;
};

/** Times of calls inside an algorithm and in isolation. */
struct blocked_cache_studied {
    const struct tcplan_blocked_cache *study;
    const struct tcplan_blocked *blocked;
    const struct tcplan_blocked_sizes *sizes;
    int threads;
    const char *library; /**< library whose routines are called, such as `OpenBLAS 0.3.21` */
    const char *binding; /**< see tcplan_binding_print(); empty: not bound */
    bool calls;          /**< whether documents list each call */
};

#endif
