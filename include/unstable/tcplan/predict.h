/**
 * Predicting how long an algorithm takes, without running it.
 */
#ifndef TCPLAN_PREDICT_H
#define TCPLAN_PREDICT_H

#include "tcplan/machine.h"
#include "tcplan/nest.h"

enum tcplan_predictor {
    TCPLAN_PREDICT_WINDOW,  /**< window replay: stretches of real calls at random positions, after
                               the replayed history of accesses */
    TCPLAN_PREDICT_THESIS,  /**< the dissertation's method, by enum tcplan_stage (6.2.2-6.2.6) */
    TCPLAN_PREDICT_REPEATED /**< the kernel again and again on the same operands
                               (dissertation, 6.2.2): naive, for comparison */
};

/** The state of the caches before the first call. */
enum tcplan_cache_state {
    TCPLAN_CACHE_WARM, /**< the contraction is repeated: what its previous execution left (the
                          papers' assumption) */
    TCPLAN_CACHE_COLD  /**< nothing of the operands is cached */
};

enum { TCPLAN_MAX_SAMPLES = 64 };

/** Seconds per execution of the whole contraction. */
struct tcplan_estimate {
    double seconds;
    double low; /**< 95 % interval */
    double high;
    int sample_count;
    double sample[TCPLAN_MAX_SAMPLES]; /**< every kept sample, scaled to the whole contraction, in
                                          the order taken */
};

#endif
