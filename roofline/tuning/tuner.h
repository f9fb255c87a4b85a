/**
 * A benchmark with its configurations, ready for autotune_search(): invoked in this process or,
 * each time, in one of its own.
 */
#ifndef ROOFLINE_TUNING_TUNER_H
#define ROOFLINE_TUNING_TUNER_H

#include "roofline/tuning/tune_gemm.h"
#include "roofline/tuning/tune_triad.h"

/** Zero-initialise, then set the public fields. */
struct tuner {
    const struct gemm_choices *gemm;   /**< a gemm's configurations; NULL: triad's */
    enum tcplan_dtype dtype;           /**< of gemm */
    int threads;                       /**< of gemm */
    const struct triad_choices *triad; /**< configurations of triad */
    const struct places *places; /**< where threads run; gemm in this process: NULL, its threads are
                                    as they are */
    const char *const *program; /**< path and arguments of a program that calls tuner_serve(), ended
                                   by NULL; NULL: this process */
    double patience_seconds;    /**< after which an invocation in a process of its own that has not
                                   ended is hung */

    struct {
        double good_reference_seconds;    /* see struct gemm_run */
        char reason[TCPLAN_MESSAGE_SIZE]; /* why the last invocation that was lost was; empty: none
                                             was */
    } state;                              /**< receives what the invocations tell */
};

/** How many configurations there are. */
int64_t tuner_count(const struct tuner *tuner);

/** Searches. Status as autotune_search(). */
enum tcplan_status tuner_search(struct autotune_result *out, struct tuner *tuner,
                                const struct autotune_options *options, struct tcplan_error *error);

/** The work of a process that a search started: one invocation. Returns whether somebody asked for
 * it and got the answer. */
bool tuner_serve(void);

#endif
