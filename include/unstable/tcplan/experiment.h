/**
 * Experiments: calls of BLAS and LAPACK, with sizes, repetitions and placement of memory, read from
 * an XML file; their reports, which hold every sample; and what reports come to (Peise, Performance
 * Modeling and Prediction for Dense Linear Algebra, section 2.2.2). docs/experiments.md describes
 * the files.
 *
 *   struct tcplan_experiment *experiment;
 *   tcplan_experiment_read(&experiment, "dgemv.xml", &error);
 *   tcplan_experiment_run(&outcome, experiment, &options, &error);
 *         after an interruption, the same call resumes
 *   struct tcplan_experiment_report *report;
 *   tcplan_experiment_report_read(&report, "dgemv-report.xml", &error);
 *   tcplan_experiment_evaluate(&evaluation, report, &choice, &error);
 */
#ifndef TCPLAN_EXPERIMENT_H
#define TCPLAN_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tcplan/export.h"
#include "tcplan/machine.h"
#include "tcplan/progress.h"
#include "tcplan/status.h"
#include "tcplan/xml.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Experiments. */

struct tcplan_experiment;

/**
 * Reads an experiment.
 *
 * @param out  receives it, to be freed with tcplan_experiment_free(); NULL if it is refused
 * @return TCPLAN_OK; TCPLAN_INVALID or TCPLAN_OVERFLOW if the file is no experiment, with the line;
 *         TCPLAN_ENVIRONMENT if it cannot be read; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_experiment_read(struct tcplan_experiment **out,
                                                     const char *path, struct tcplan_error *error);

/** The same from anywhere. */
TCPLAN_API enum tcplan_status tcplan_experiment_from(struct tcplan_experiment **out,
                                                     tcplan_read_fn *read, void *context,
                                                     struct tcplan_error *error);

/** NULL is fine. */
TCPLAN_API void tcplan_experiment_free(struct tcplan_experiment *experiment);

TCPLAN_API const char *tcplan_experiment_name(const struct tcplan_experiment *experiment);

/** The experiment as a document that reads back to the same, to be freed with free(); NULL if
 * memory runs out. */
TCPLAN_API char *tcplan_experiment_text(const struct tcplan_experiment *experiment);

/**
 * Writes what the experiment runs as input of `tcplan sample`: memory, calls and `go`, in the order
 * in which they run.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID, TCPLAN_OVERFLOW if there are values for which a call cannot be
 *         made, with the line; TCPLAN_ENVIRONMENT if `write` refused; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_experiment_script(const struct tcplan_experiment *experiment,
                                                       tcplan_write_fn *write, void *context,
                                                       struct tcplan_error *error);

/* Running. */

struct tcplan_experiment_run_options {
    const struct tcplan_machine *machine; /**< this one */
    const char *report;                   /**< a file that is added to */
    int64_t shard;                        /**< 1 to `shards` */
    int64_t shards;                       /**< 0: the experiment is not divided */
    bool restart; /**< a report that is there is replaced; a file of anything else is refused */
    bool mixed;   /**< samples of another machine or library may be there */
    double time_limit_seconds; /**< no unit is begun after that; 0: none */
    int64_t max_memory_bytes;  /**< of the operands; 0: what is free */
    const char *counters; /**< where counts come from: `perf`, `none` or a file of recorded ones;
                             NULL: perf */
    tcplan_progress_fn *progress; /**< receives the share of the work done, by weight; may be NULL
                                   */
    void (*rest)(void *context, double seconds); /**< also receives the remaining time at the
                                                    current rate; may be NULL */
    void *context;                               /**< of both */
};

/** How far a run came. A unit is what one `go` runs: a value of the range or, with shuffle, a
 * repetition. */
struct tcplan_experiment_outcome {
    int64_t units;                         /**< of this shard */
    int64_t known;                         /**< that were there at the start */
    int64_t done;                          /**< now */
    int64_t samples;                       /**< now */
    int64_t disturbed;                     /**< of these */
    bool complete;                         /**< nothing is missing */
    char not_counted[TCPLAN_MESSAGE_SIZE]; /**< the first counter that cannot be had, and why;
                                              empty: none */
};

/**
 * Runs the parts missing from the report. Every unit is in the file once it is done.
 *
 * @return TCPLAN_OK, also if the time was over; TCPLAN_INVALID, TCPLAN_OVERFLOW if a call cannot be
 *         made, a routine or counter is not there, or the file is no such report; TCPLAN_MISMATCH
 *         if the report belongs to another experiment, shard or machine; TCPLAN_ENVIRONMENT;
 *         TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_experiment_run(
    struct tcplan_experiment_outcome *out, const struct tcplan_experiment *experiment,
    const struct tcplan_experiment_run_options *options, struct tcplan_error *error);

/* Reports. */

struct tcplan_experiment_report;

/**
 * Reads a report; if writing it was interrupted, its complete part.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID or TCPLAN_OVERFLOW if it is no report, with the line;
 *         TCPLAN_ENVIRONMENT; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_experiment_report_read(struct tcplan_experiment_report **out,
                                                            const char *path,
                                                            struct tcplan_error *error);

/** The same from anywhere. */
TCPLAN_API enum tcplan_status tcplan_experiment_report_from(struct tcplan_experiment_report **out,
                                                            tcplan_read_fn *read, void *context,
                                                            struct tcplan_error *error);

/** NULL is fine. */
TCPLAN_API void tcplan_experiment_report_free(struct tcplan_experiment_report *report);

/** Returns whether the report, or its shard, is complete. */
TCPLAN_API bool tcplan_experiment_report_is_complete(const struct tcplan_experiment_report *report);

/** The report as a document, to be freed with free(); NULL if memory runs out. */
TCPLAN_API char *tcplan_experiment_report_text(const struct tcplan_experiment_report *report);

/**
 * Joins the reports of all shards of an experiment.
 *
 * @param out    receives the report of the whole
 * @param mixed  they may be of different machines and libraries
 * @return TCPLAN_OK; TCPLAN_INVALID if one is no report, is not complete, there twice, missing, or
 *         of another experiment; TCPLAN_MISMATCH if they belong to different machines or libraries;
 *         TCPLAN_ENVIRONMENT; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_experiment_report_merge(struct tcplan_experiment_report **out,
                                                             const char *const paths[], int count,
                                                             bool mixed,
                                                             struct tcplan_error *error);

/* Evaluation of reports. */

/** The quantity computed from every sample before any statistic (section 4.2). */
enum tcplan_metric {
    TCPLAN_METRIC_CYCLES, /**< of the processor's constant counter */
    TCPLAN_METRIC_SECONDS,
    TCPLAN_METRIC_MILLISECONDS,
    TCPLAN_METRIC_COST, /**< operations */
    TCPLAN_METRIC_FLOPS_PER_CYCLE,
    TCPLAN_METRIC_GFLOPS,
    TCPLAN_METRIC_EFFICIENCY, /**< a share of flops_per_cycle times cores at work */
    TCPLAN_METRIC_BANDWIDTH,  /**< 1e9 bytes per second that have to be moved at least */
    TCPLAN_METRIC_BYTES,      /**< that have to be moved at least */
    TCPLAN_METRIC_WRITTEN,    /**< of these, written */
    TCPLAN_METRIC_INTENSITY,  /**< operations per byte that has to be moved at least */
    TCPLAN_METRICS            /**< from here on the counters of the experiment */
};

/** `cycles`, `s`, `ms`, `flops`, `flops/cycle`, `gflops`, `efficiency`, `bandwidth`,
 * `bytes`, `written`, `intensity`. */
TCPLAN_API const char *tcplan_metric_name(enum tcplan_metric metric);

/** In which it is: `cycles`, `s`, `ms`, `flop`, `flop/cycle`, `GFLOP/s`, `%` (the values are
 * shares), `GB/s`, `B`, `B`, `flop/B`. */
TCPLAN_API const char *tcplan_metric_unit(enum tcplan_metric metric);

enum tcplan_statistic {
    TCPLAN_STATISTIC_MIN,
    TCPLAN_STATISTIC_MEDIAN,
    TCPLAN_STATISTIC_MAX,
    TCPLAN_STATISTIC_MEAN,
    TCPLAN_STATISTIC_DEVIATION, /**< of the population: the mean of the squares, not of those less
                                   one */
    TCPLAN_STATISTICS
};

/** `min`, `med`, `max`, `avg`, `std`. */
TCPLAN_API const char *tcplan_statistic_name(enum tcplan_statistic statistic);

enum { TCPLAN_SELECTORS_MAX = 8 };

struct tcplan_evaluation_choice {
    const char *metric;                         /**< a name of a metric or counter */
    int selector_count;                         /**< 0: `all` */
    const char *selector[TCPLAN_SELECTORS_MAX]; /**< [LABEL=] [NUMBER*]CALL { (+|-) [NUMBER*]CALL };
                                                   `all` is the sum of all calls */
    bool discard_first;                         /**< leave the first repetition out */
};

/** The repetitions of one selector at one value of the range. */
struct tcplan_figure {
    size_t count;     /**< of samples; 0: none was made */
    size_t disturbed; /**< of these */
    int64_t threads;  /**< of the libraries */
    double *sample;   /**< in the order of the repetitions */
    double statistic[TCPLAN_STATISTICS];
};

struct tcplan_evaluation {
    const char *title; /**< of the experiment, or its name */
    const char *name;
    const char *machine;  /**< where the first samples were made */
    const char *library;  /**< likewise: name, version and core */
    const char *variable; /**< of the range; NULL: there is none */
    const char *metric;
    const char *unit;
    int dtype; /**< enum tcplan_dtype of all calls; -1: they differ */
    size_t point_count;
    const int64_t *point; /**< values of the range */
    int selector_count;
    const char *selector[TCPLAN_SELECTORS_MAX]; /**< labels */
    struct tcplan_figure *figure; /**< of point p and selector s: figure[p * selector_count + s] */
    size_t missing; /**< points without a sample, or with fewer than there are to be */
    void *memory;   /**< private */
};

/**
 * Evaluates a report.
 *
 * @param out  to be freed with tcplan_evaluation_free() whatever is returned; borrows from the
 *             report
 * @return TCPLAN_OK; TCPLAN_INVALID if the choice names a missing item, with its place in the
 *         selector; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_experiment_evaluate(
    struct tcplan_evaluation *out, const struct tcplan_experiment_report *report,
    const struct tcplan_evaluation_choice *choice, struct tcplan_error *error);

TCPLAN_API void tcplan_evaluation_free(struct tcplan_evaluation *evaluation);

#ifdef __cplusplus
}
#endif

#endif
