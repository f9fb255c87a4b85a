/**
 * The predictors, as a table with one line each.
 */
#ifndef PLAN_PREDICTOR_H
#define PLAN_PREDICTOR_H

#include "microbench/timing/statistics.h"
#include "plan/rank.h"

/** Input of a predictor. */
struct prediction_task {
    struct ranker *ranker;
    struct tcplan_entry *entry;
    double best_seconds; /**< the best prediction so far: much slower entries get no more samples;
                            INFINITY: none */
    enum window_grade grade; /**< of windows */
    int windows;             /**< how many; also the runs of a first evaluation by runs */
};

struct predictor {
    /** Predicts the entry by note_samples() or sets its status. */
    enum tcplan_status (*predict)(const struct prediction_task *task, struct tcplan_error *error);
    bool samples_windows; /**< bounds prune and the fastest are compared; other predictors predict
                             every entry once */
};

/** The cost of a prediction by windows or runs. */
struct instrument_cost {
    bool runs;      /**< by whole runs */
    double seconds; /**< of its samples, by the estimate; the rest is learned */
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

/** Shorter runs cost no more than the windows that would predict them. */
#define RUN_SECONDS 2e-3

#endif
