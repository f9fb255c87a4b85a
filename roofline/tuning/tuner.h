/**
 * A benchmark with its configurations, ready for autotune_search(). It is invoked in this process,
 * or each time in a new process.
 */
#ifndef ROOFLINE_TUNING_TUNER_H
#define ROOFLINE_TUNING_TUNER_H

#include "roofline/tuning/tune_gemm.h"
#include "roofline/tuning/tune_triad.h"

/** A way to run invocations of gemm or triad. Zero-initialise, then set the members up to
 * `patience_seconds`. */
struct tuner {
    const struct gemm_choices *gemm;   /**< configurations of gemm; NULL: the benchmark is triad */
    enum tcplan_dtype dtype;           /**< element type of gemm */
    enum tcplan_provider provider;     /**< library of gemm */
    int threads;                       /**< number of threads of gemm */
    const struct triad_choices *triad; /**< configurations of triad */
    const struct places *places; /**< places on which threads run; NULL for gemm in this process,
                                    whose threads are not moved */
    const char *const *program;  /**< path and arguments, then NULL, of a program that calls
                                    tuner_serve(); NULL: benchmarks are invoked in this process */
    double patience_seconds;     /**< seconds after which an invocation in another process counts as
                                    hung */

    struct {
        double good_reference_seconds;    /* shortest reference so far, as in struct gemm_run */
        char reason[TCPLAN_MESSAGE_SIZE]; /* why an invocation was lost; empty: none was */
    } state;                              /**< state that the invocations set */
};

/** Returns the number of configurations. */
int64_t tuner_count(const struct tuner *tuner);

/** Searches for the best configuration. Returns the statuses of autotune_search(). */
enum tcplan_status tuner_search(struct autotune_result *out, struct tuner *tuner,
                                const struct autotune_options *options, struct tcplan_error *error);

/** Runs one invocation, in a process that a search started. Returns whether a request was received
 * and the answer sent. */
bool tuner_serve(void);

#endif
