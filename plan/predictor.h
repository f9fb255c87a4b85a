/**
 * The predictors, as a table with one line each.
 */
#ifndef PLAN_PREDICTOR_H
#define PLAN_PREDICTOR_H

#include "microbench/timing/statistics.h"
#include "plan/rank.h"

/** Input and output of a predictor. */
struct prediction_task {
    struct ranker *ranker;
    struct tcplan_entry *entry;
    double best_seconds; /**< the best prediction so far: much slower entries get no more samples;
                            INFINITY: none */
    enum window_grade grade; /**< wanted grade of windows */
    int windows; /**< number of samples; also of runs, if a first evaluation runs the algorithm */
};

struct predictor {
    /** Predicts the entry with note_samples(), or sets its status. */
    enum tcplan_status (*predict)(const struct prediction_task *task, struct tcplan_error *error);
    bool samples_windows; /**< if true, bounds exclude entries and the fastest are compared;
                             otherwise every entry is predicted once */
};

/** How a prediction is measured, by windows or by whole runs, and how long its samples take. */
struct instrument_cost {
    bool runs;      /**< the prediction times whole runs instead of windows */
    double seconds; /**< seconds of its samples by the estimate; other costs are learned */
};

struct instrument_cost predictor_cost(const struct prediction_task *task);

/** Predicts an entry of a product without multiplication, by scaling the result. */
enum tcplan_status predict_scaling(const struct prediction_task *task, struct tcplan_error *error);

/** Returns the functions of a predictor. */
const struct predictor *predictor_of(enum tcplan_predictor predictor);

/** Returns the prior spread of samples of a basis. */
struct expected_spread predictor_expected(enum tcplan_basis basis);

/** Returns the systematic error of a basis, as a share: half of a 95 % interval. */
double predictor_systematic_share(enum tcplan_basis basis);

/** Sets an entry's prediction from samples, with an interval that includes the systematic error. */
void note_samples(struct tcplan_entry *entry, const double *sample_ns, int count,
                  enum tcplan_basis basis);

/** Sets an entry's prediction from its estimate, at least `least_seconds`. */
void note_guess(struct tcplan_entry *entry, double least_seconds);

/** Raises a prediction by windows to the lower bound of the machine's ceilings, and marks it. */
void note_ceiling(struct tcplan_entry *entry, double least_seconds);

/** Runs up to this length cost no more than the probe that would predict them: with its set-up, a
 * probe takes 1 to 3 ms (`bench_probes`). */
#define RUN_SECONDS 3e-3

#endif
