/** The predictors: a table with one line each. */
#ifndef PLAN_PREDICTOR_H
#define PLAN_PREDICTOR_H

#include "microbench/timing/statistics.h"
#include "plan/rank.h"

/** Arguments and result of a predictor. */
struct prediction_task {
    struct ranker *ranker;
    struct tcplan_entry *entry;
    double best_seconds;     /**< best prediction so far: entries that are much slower get no more
                                samples; INFINITY: none */
    enum window_grade grade; /**< grade of the windows, from probes to full windows */
    int windows; /**< number of samples by windows; also the number of runs, if an evaluation
                    executes the whole algorithm */
};

struct predictor {
    /** predicts the entry by note_samples(), or sets its status */
    enum tcplan_status (*predict)(const struct prediction_task *task, struct tcplan_error *error);
    bool samples_windows; /**< whether bounds exclude entries and the fastest are compared;
                             otherwise, every entry is predicted once */
};

/** Whether a prediction uses windows or whole runs, and how long its samples take. */
struct instrument_cost {
    bool runs;      /**< whether whole runs are timed, not windows */
    double seconds; /**< estimated seconds of the samples, without preparation */
};

struct instrument_cost predictor_cost(const struct prediction_task *task);

/** Predicts an entry of a product without multiplication, by scaling the result. */
enum tcplan_status predict_scaling(const struct prediction_task *task, struct tcplan_error *error);

/** Returns the functions of a predictor. */
const struct predictor *predictor_of(enum tcplan_predictor predictor);

/** Returns the prior spread of samples of a basis. */
struct expected_spread predictor_expected(enum tcplan_basis basis);

/** Returns the systematic error of a basis: half of its 95 % interval, as a share of the time. */
double predictor_systematic_share(enum tcplan_basis basis);

/** Sets an entry's prediction from samples, with a 95 % interval that includes the systematic
 * error. */
void note_samples(struct tcplan_entry *entry, const double *sample_ns, int count,
                  enum tcplan_basis basis);

/** Sets an entry's prediction from its estimate, at least `least_seconds`. */
void note_guess(struct tcplan_entry *entry, double least_seconds);

/** Raises a prediction by windows to the lower bound of the ceilings, and marks it. */
void note_ceiling(struct tcplan_entry *entry, double least_seconds);

/** Runs of up to this many seconds cost no more than the probe that would predict their time, which
 * takes 1 to 3 ms with its preparation (`bench_probes`). */
#define RUN_SECONDS 3e-3

#endif
