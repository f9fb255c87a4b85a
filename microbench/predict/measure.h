/** Measures a program by running it. */
#ifndef MICROBENCH_MEASURE_H
#define MICROBENCH_MEASURE_H

#include "microbench/program/buffers.h"
#include "microbench/program/program.h"
#include "microbench/timing/reference.h"
#include "tcplan/predict.h"

enum { MEASUREMENT_MAX_SAMPLES = 10 };

/** A series of runs of one program; short programs run several times per sample. */
struct measurement {
    struct tcplan_program *program; /**< borrowed */
    int64_t runs;                   /**< number of runs in a sample */
    double run_ns;                  /**< approximate time of one run, in nanoseconds */
    int sample_count;
    int samples_wanted;
    double sample_ns[TCPLAN_MAX_SAMPLES]; /**< nanoseconds of one run, by sample */
    struct reference *reference; /**< reference that is timed next to each sample; borrowed; NULL:
                                    none */
    struct drift_sample sample[TCPLAN_MAX_SAMPLES]; /**< the same samples, each with the time of its
                                                       references */
};

/** Runs the program once to choose the number of runs in a sample; several times if runs are
 * short. A run longer than a second is itself the first sample. */
void measurement_start(struct measurement *out, struct tcplan_program *program,
                       struct reference *reference, struct buffers *buffers, int threads);

/**
 * Takes one more sample by the common clock (microbench/timing/clock.h). A short program first runs
 * for about 5 ms, since another one may have run before.
 */
void measurement_sample(struct measurement *measurement, struct buffers *buffers, int threads);

/** Returns the elasticity of the samples of `count` measurements, shrunk towards the prior
 * elasticity (microbench/timing/drift.h). */
double measurement_elasticity(const struct measurement *const *measurement, size_t count,
                              double expected);

/**
 * Estimates a single run next to a reference, from at least one sample.
 * @param elasticity  elasticity of all interleaved measurements
 */
struct tcplan_estimate measurement_estimate(const struct measurement *measurement,
                                            double elasticity, double reference_seconds);

#endif
