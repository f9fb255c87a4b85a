/** Predictors: methods to predict the time of an algorithm without running it as a whole. */
#ifndef TCPLAN_PREDICT_H
#define TCPLAN_PREDICT_H

#include "tcplan/machine.h"
#include "tcplan/nest.h"

enum tcplan_predictor {
    TCPLAN_PREDICT_WINDOW,  /**< window replay: stretches of real calls at random positions, after
                               the replayed history of accesses */
    TCPLAN_PREDICT_THESIS,  /**< the dissertation's method (sections 6.2.2-6.2.6); enum tcplan_stage
                               lists its stages */
    TCPLAN_PREDICT_REPEATED /**< the kernel, repeated on the same operands (dissertation, 6.2.2): a
                               naive method, for comparison */
};

/** State of the caches before the first call. */
enum tcplan_cache_state {
    TCPLAN_CACHE_WARM, /**< with the contents that the previous execution of the same contraction
                          left (the papers' assumption) */
    TCPLAN_CACHE_COLD  /**< the caches hold none of the operands */
};

enum { TCPLAN_MAX_SAMPLES = 64 };

/** Time of one execution of the whole contraction, in seconds. */
struct tcplan_estimate {
    double seconds;
    double low; /**< lower end of the 95 % interval */
    double high;
    int sample_count;
    double sample[TCPLAN_MAX_SAMPLES]; /**< the samples that were used, each scaled to the whole
                                          contraction, in the order taken */
};

#endif
