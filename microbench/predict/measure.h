/**
 * Running a program for real, to know how long it takes.
 */
#ifndef MICROBENCH_MEASURE_H
#define MICROBENCH_MEASURE_H

#include "microbench/program/buffers.h"
#include "microbench/program/program.h"
#include "microbench/timing/reference.h"
#include "tcplan/predict.h"

enum { MEASUREMENT_MAX_SAMPLES = 10 };

/** A series of runs of one program. Short programs run several times per sample. */
struct measurement {
    struct tcplan_program *program; /**< borrowed */
    int64_t runs;                   /**< per sample */
    double run_ns;                  /**< of one run, about */
    int sample_count;
    int samples_wanted;
    double sample_ns[TCPLAN_MAX_SAMPLES]; /**< of one run */
    struct reference *reference; /**< borrowed: what is run beside each sample; NULL: nothing is */
    struct drift_sample sample[TCPLAN_MAX_SAMPLES]; /**< the same times, and how fast the core was
                                                        beside each */
};

/** Runs once to size samples, more often where runs are short; a run of more than a second is the
 * first sample itself. */
void measurement_start(struct measurement *out, struct tcplan_program *program,
                       struct reference *reference, struct buffers *buffers, int threads);

/**
 * Takes one more sample, of a short program after some 5 ms of it, as another program may have run
 * in between, by the one clock (microbench/timing/clock.h).
 */
void measurement_sample(struct measurement *measurement, struct buffers *buffers, int threads);

/** Returns the elasticity of the samples of `count` measurements, shrunk towards the expected one
 * (microbench/timing/drift.h). */
double measurement_elasticity(const struct measurement *const *measurement, size_t count,
                              double expected);

/**
 * Estimates a single run next to a reference, from at least one sample.
 *
 * @param elasticity  of all that was measured in turns
 */
struct tcplan_estimate measurement_estimate(const struct measurement *measurement,
                                            double elasticity, double reference_seconds);

#endif
