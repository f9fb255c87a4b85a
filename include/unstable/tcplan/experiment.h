/**
 * Experiments: calls of BLAS and LAPACK, with sizes, repetitions and placement of memory, read
 * from an XML file; their reports, which hold every sample; and the evaluation of reports (Peise,
 * Performance Modeling and Prediction for Dense Linear Algebra, section 2.2.2).
 * docs/experiments.md describes the files.
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

#include "tcplan/binding.h"
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
 * @param out  receives the experiment, to be freed with tcplan_experiment_free(); NULL if it is
 *             invalid
 * @return TCPLAN_OK; TCPLAN_INVALID or TCPLAN_OVERFLOW if the file is not an experiment, with the
 *         line; TCPLAN_ENVIRONMENT if it cannot be read; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_experiment_read(struct tcplan_experiment **out,
                                                     const char *path, struct tcplan_error *error);

/** Reads an experiment through a callback. Returns a status of tcplan_experiment_read(). */
TCPLAN_API enum tcplan_status tcplan_experiment_from(struct tcplan_experiment **out,
                                                     tcplan_read_fn *read, void *context,
                                                     struct tcplan_error *error);

/** Frees an experiment; does nothing if it is NULL. */
TCPLAN_API void tcplan_experiment_free(struct tcplan_experiment *experiment);

enum { TCPLAN_ROUTINE_LABEL = 128 };

/** An experiment that times one routine over a range of sizes. */
struct tcplan_routine_experiment {
    struct tcplan_experiment *experiment; /**< the experiment, to be freed with
                                             tcplan_experiment_free() */
    char label[TCPLAN_ROUTINE_LABEL]; /**< the text without the sizes, such as `dtrsm@blis:side=R`
                                       */
    char call[32];                    /**< name of the timed call, for evaluations */
};

/**
 * Makes an experiment of one routine.
 *
 *     text     = routine [ "@" provider ] ( "=" values | ":" argument { "," argument } )
 *     argument = name "=" value
 *     values   = size { "," size } | first ":" last ":" step
 *
 * The last argument is a size, and its values are the range: `dtrsm=100,200` or
 * `dgemm@blis:transA=T,k=64,n=100:1000:100`. Other sizes equal it unless given, flags have their
 * first letter, and scalars are 1. Operands are warm. Before each timed call, matrices that the
 * routine reads and overwrites get new random numbers; triangles and symmetric matrices are
 * positive definite.
 *
 * @param threads      number of threads of the library
 * @param repetitions  number of timed calls for each size
 * @return TCPLAN_OK; TCPLAN_INVALID, TCPLAN_OVERFLOW if the text has another form or the routine
 *         lacks an argument; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_experiment_of_routine(struct tcplan_routine_experiment *out,
                                                           const char *text, int threads,
                                                           int repetitions,
                                                           struct tcplan_error *error);

/**
 * Changes the cores or the memory of an experiment; its report then belongs to the changed one.
 *
 * @param cores   a text of tcplan/binding.h, or one for each value of the range with `|` between
 *                them; NULL: unchanged
 * @param memory  NUMA nodes in the same form; NULL: unchanged
 * @return TCPLAN_OK; TCPLAN_INVALID if a text is malformed; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_experiment_bind(struct tcplan_experiment *experiment,
                                                     const char *cores, const char *memory,
                                                     struct tcplan_error *error);

TCPLAN_API const char *tcplan_experiment_name(const struct tcplan_experiment *experiment);

/** Returns the experiment as a document that reads back to an equal one, to be freed with free();
 * NULL if memory runs out. */
TCPLAN_API char *tcplan_experiment_text(const struct tcplan_experiment *experiment);

/**
 * Writes the experiment as input of `tcplan sample`: memory, calls and `go`, in the order of their
 * execution.
 *
 * @param machine  machine whose cores and nodes the comments of bound experiments name, as in
 *                 tcplan_binding_describe(); NULL: the comments repeat the experiment's cores and
 *                 memory
 * @return TCPLAN_OK; TCPLAN_INVALID, TCPLAN_OVERFLOW if some values make a call impossible, with
 *         the line, or if the machine lacks a core or node; TCPLAN_ENVIRONMENT if `write` failed;
 *         TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_experiment_script(const struct tcplan_experiment *experiment,
                                                       const char *machine, tcplan_write_fn *write,
                                                       void *context, struct tcplan_error *error);

/* Running. */

struct tcplan_experiment_run_options {
    const struct tcplan_machine *machine; /**< the machine that runs this program */
    const char *report;                   /**< file to which samples are added */
    int64_t shard;  /**< number of this process's part of the experiment, 1 to `shards` */
    int64_t shards; /**< number of parts, each run by another process; 0: the experiment is not
                       divided */
    bool restart;   /**< whether to replace an existing report; a file that is not a report is
                       rejected */
    bool mixed;     /**< whether to accept existing samples of another machine or library */
    double time_limit_seconds; /**< time limit in seconds, after which no unit starts; 0: no limit
                                */
    int64_t max_memory_bytes;  /**< memory limit in bytes for the operands; 0: the free memory */
    const char *counters;      /**< source of hardware counts: `perf`, `none` or a file of recorded
                                  counts; NULL: perf */
    tcplan_progress_fn *progress; /**< receives the completed share of the work; may be NULL */
    void (*rest)(void *context, double seconds); /**< callback that receives the remaining seconds
                                                    at the current rate; may be NULL */
    void *context;                               /**< context that both callbacks receive */
};

/** Progress of a run. A unit is what one `go` runs: a value of the range or, with shuffle, a
 * repetition. */
struct tcplan_experiment_outcome {
    int64_t units;                         /**< number of units of this shard */
    int64_t known;                         /**< number of units that the report had at the start */
    int64_t done;                          /**< number of units in the report now */
    int64_t samples;                       /**< number of samples in the report now */
    int64_t disturbed;                     /**< number of disturbed samples in the report */
    bool complete;                         /**< whether all units are in the report */
    char not_counted[TCPLAN_MESSAGE_SIZE]; /**< the first counter that is not available, and why;
                                              empty if all are */
};

/**
 * Runs the units of an experiment that are missing from the report. Each unit is written to the
 * file when it is complete.
 *
 * @return TCPLAN_OK, also after the time limit; TCPLAN_INVALID, TCPLAN_OVERFLOW if a call cannot
 *         be made, a routine or counter is missing, or the file is not a report; TCPLAN_MISMATCH
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
 * @return TCPLAN_OK; TCPLAN_INVALID or TCPLAN_OVERFLOW if it is not a report, with the line;
 *         TCPLAN_ENVIRONMENT; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_experiment_report_read(struct tcplan_experiment_report **out,
                                                            const char *path,
                                                            struct tcplan_error *error);

/** Reads a report through a callback. Returns a status of tcplan_experiment_report_read(). */
TCPLAN_API enum tcplan_status tcplan_experiment_report_from(struct tcplan_experiment_report **out,
                                                            tcplan_read_fn *read, void *context,
                                                            struct tcplan_error *error);

/** Frees a report; does nothing if it is NULL. */
TCPLAN_API void tcplan_experiment_report_free(struct tcplan_experiment_report *report);

/** Returns whether the report, which may be that of a shard, is complete. */
TCPLAN_API bool tcplan_experiment_report_is_complete(const struct tcplan_experiment_report *report);

/** Returns the report as a document, to be freed with free(); NULL if memory runs out. */
TCPLAN_API char *tcplan_experiment_report_text(const struct tcplan_experiment_report *report);

/**
 * Joins the reports of all shards of an experiment.
 *
 * @param out    receives the report of the whole
 * @param mixed  accepts different machines and libraries
 * @return TCPLAN_OK; TCPLAN_INVALID if a file is not a report, is incomplete, or belongs to
 *         another experiment, or if a shard occurs twice or is missing; TCPLAN_MISMATCH if they
 *         belong to different machines or libraries; TCPLAN_ENVIRONMENT; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_experiment_report_merge(struct tcplan_experiment_report **out,
                                                             const char *const paths[], int count,
                                                             bool mixed,
                                                             struct tcplan_error *error);

/* Evaluation of reports. */

/** The quantity computed from every sample before any statistic (section 4.2). */
enum tcplan_metric {
    TCPLAN_METRIC_CYCLES, /**< cycles of the processor's counter of constant rate (x86: the
                             time-stamp counter) */
    TCPLAN_METRIC_SECONDS,
    TCPLAN_METRIC_MILLISECONDS,
    TCPLAN_METRIC_COST, /**< number of operations */
    TCPLAN_METRIC_FLOPS_PER_CYCLE,
    TCPLAN_METRIC_GFLOPS,
    TCPLAN_METRIC_EFFICIENCY, /**< operations per cycle divided by the peak: flops_per_cycle of a
                                 core, doubled in single precision, times the smaller of the numbers
                                 of cores and threads */
    TCPLAN_METRIC_BANDWIDTH,  /**< compulsory traffic in 1e9 bytes per second */
    TCPLAN_METRIC_BYTES,      /**< bytes of compulsory traffic */
    TCPLAN_METRIC_WRITTEN,    /**< bytes written, a part of the compulsory traffic */
    TCPLAN_METRIC_INTENSITY,  /**< operations per byte of compulsory traffic */
    TCPLAN_METRICS /**< numbers from TCPLAN_METRICS on denote the experiment's counters */
};

/** Returns the name of a metric: `cycles`, `s`, `ms`, `flops`, `flops/cycle`, `gflops`,
 * `efficiency`, `bandwidth`, `bytes`, `written` or `intensity`. */
TCPLAN_API const char *tcplan_metric_name(enum tcplan_metric metric);

/** Returns the unit of a metric: `cycles`, `s`, `ms`, `flop`, `flop/cycle`, `GFLOP/s`, `%`, `GB/s`,
 * `B` or `flop/B`. Values of the metric with unit `%` are shares: 1 is 100 %. */
TCPLAN_API const char *tcplan_metric_unit(enum tcplan_metric metric);

enum tcplan_statistic {
    TCPLAN_STATISTIC_MIN,
    TCPLAN_STATISTIC_MEDIAN,
    TCPLAN_STATISTIC_MAX,
    TCPLAN_STATISTIC_MEAN,
    TCPLAN_STATISTIC_DEVIATION, /**< population standard deviation: divides by n, not n - 1 */
    TCPLAN_STATISTIC_P25,       /**< percentiles, interpolated between samples */
    TCPLAN_STATISTIC_P75,
    TCPLAN_STATISTIC_P90,
    TCPLAN_STATISTICS
};

/** Returns the name of a statistic: `min`, `med`, `max`, `avg`, `std`, `p25`, `p75` or `p90`. */
TCPLAN_API const char *tcplan_statistic_name(enum tcplan_statistic statistic);

enum { TCPLAN_SELECTORS_MAX = 8, TCPLAN_JOINED_MAX = 64 };

struct tcplan_evaluation_choice {
    const char *metric; /**< name of a metric or counter */
    int selector_count; /**< number of selectors; 0: the single selector `all` */
    const char *selector[TCPLAN_SELECTORS_MAX]; /**< [LABEL=] [NUMBER*]CALL { (+|-) [NUMBER*]CALL };
                                                   `all` is the sum of all calls */
    bool discard_first;                         /**< whether to omit the first repetition */
};

/** The samples of one selector at one value of the range. */
struct tcplan_figure {
    size_t count;     /**< number of samples; may be 0 */
    size_t disturbed; /**< number of disturbed samples */
    int64_t threads;  /**< number of threads of the libraries */
    double *sample;   /**< values of the metric, in the order of the repetitions */
    double statistic[TCPLAN_STATISTICS];
};

struct tcplan_evaluation {
    const char *title; /**< title of the experiment, or its name */
    const char *name;
    const char *machine; /**< machine of the first samples */
    const char *library; /**< library of the first samples: name, version and core */
    const char *cores,
        *nodes; /**< binding of threads and of memory, see tcplan/binding.h; empty: not bound */
    const char *variable; /**< variable of the range; NULL: there is no range */
    const char *metric;
    const char *unit;
    int dtype; /**< enum tcplan_dtype of all calls; -1: the calls have several types */
    size_t point_count;
    const int64_t *point; /**< values of the range */
    int selector_count;
    const char *selector[TCPLAN_JOINED_MAX]; /**< labels of the selectors */
    struct tcplan_figure *figure; /**< figure[p * selector_count + s] belongs to value number p of
                                     the range and selector s */
    size_t missing; /**< number of values of the range that have no samples, or too few */
    void *memory;   /**< private */
};

/**
 * Evaluates a report.
 *
 * @param out  receives the evaluation, which borrows from the report; to be freed with
 *             tcplan_evaluation_free() whatever is returned
 * @return TCPLAN_OK; TCPLAN_INVALID if the choice names a missing item, with its place in the
 *         selector; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_experiment_evaluate(
    struct tcplan_evaluation *out, const struct tcplan_experiment_report *report,
    const struct tcplan_evaluation_choice *choice, struct tcplan_error *error);

/**
 * Puts evaluations of one metric side by side: each selector of each evaluation becomes a selector,
 * and the points are those of all ranges.
 *
 * @param out    receives the joined evaluation, which borrows from the others; to be freed with
 *               tcplan_evaluation_free() whatever is returned
 * @param of     `count` evaluations, at least one
 * @param label  their labels, put before the selectors; a selector that all evaluations have alone
 *               is omitted
 * @return TCPLAN_OK; TCPLAN_INVALID if they differ in the metric or the variable of the range, or
 *         have more than TCPLAN_JOINED_MAX selectors together; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_evaluations_join(struct tcplan_evaluation *out,
                                                      const struct tcplan_evaluation of[],
                                                      const char *const label[], int count,
                                                      struct tcplan_error *error);

TCPLAN_API void tcplan_evaluation_free(struct tcplan_evaluation *evaluation);

#ifdef __cplusplus
}
#endif

#endif
