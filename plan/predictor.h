/**
 * The predictors: one table, one line each.
 */
#ifndef PLAN_PREDICTOR_H
#define PLAN_PREDICTOR_H

#include "microbench/timing/statistics.h"
#include "plan/rank.h"

/** What a predictor works on. */
struct prediction_task {
    struct ranker *ranker;
    struct tcplan_entry *entry;
    double best_seconds; /**< the best prediction so far: what is much slower gets no more samples;
                            INFINITY: there is none */
    enum window_grade grade; /**< of windows, where windows are its samples */
    int windows;             /**< how many */
};

struct predictor {
    /** Predicts the entry with note_prediction(), or says in its status why not. */
    enum tcplan_status (*predict)(const struct prediction_task *task, struct tcplan_error *error);
    bool samples_windows; /**< bounds prune, and the fastest are sampled again; other predictors
                             predict everything, once */
};

/** Predicts an entry where there is nothing to multiply, by scaling the result. */
enum tcplan_status predict_scaling(const struct prediction_task *task, struct tcplan_error *error);

/** The functions of an enum tcplan_predictor. */
const struct predictor *predictor_of(enum tcplan_predictor predictor);

/** How much samples of a basis usually spread. */
struct expected_spread predictor_expected(enum tcplan_basis basis);

/** What estimates of a basis are off by besides, as a share: half of an interval that holds it. */
double predictor_systematic_share(enum tcplan_basis basis);

/** Makes samples the entry's prediction, with an interval that holds what this basis misses besides
 * the spread of the samples. */
void note_samples(struct tcplan_entry *entry, const double *sample_ns, int count,
                  enum tcplan_basis basis);

/** Makes the entry's estimate its prediction, with no sample; it takes `least_seconds` at least. */
void note_guess(struct tcplan_entry *entry, double least_seconds);

/** Where windows say that an entry is faster than the machine's ceilings allow it is taken for as
 * fast as they allow, which is noted. */
void note_ceiling(struct tcplan_entry *entry, double least_seconds);

/** Below this a run costs no more than the windows that would predict it. */
#define RUN_SECONDS 2e-3

#endif
