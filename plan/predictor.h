/**
 * The predictors: one table, one line each.
 */
#ifndef PLAN_PREDICTOR_H
#define PLAN_PREDICTOR_H

#include "plan/rank.h"

/** What a predictor works on. */
struct prediction_task {
    struct ranker *ranker;
    struct tcplan_entry *entry;
    struct window *window; /**< of the entry, initialised */
    double best_seconds;   /**< the best prediction so far; INFINITY: the full effort is wanted */
};

struct predictor {
    /** Predicts the entry with note_prediction(). */
    enum tcplan_status (*predict)(const struct prediction_task *task, struct tcplan_error *error);
    bool samples_windows; /**< bounds prune, and the fastest are sampled again; other predictors predict everything, once */
};

/** The functions of an enum tcplan_predictor. */
const struct predictor *predictor_of(enum tcplan_predictor predictor);

/** Makes `estimate` the entry's prediction. */
void note_prediction(struct tcplan_entry *entry, struct tcplan_estimate estimate);

#endif
