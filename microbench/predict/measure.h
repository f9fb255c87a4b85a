/**
 * Running a program for real, to know how long it takes.
 */
#ifndef MICROBENCH_MEASURE_H
#define MICROBENCH_MEASURE_H

#include "microbench/program/buffers.h"
#include "microbench/program/program.h"
#include "microbench/timing/reference.h"
#include "microbench/timing/states.h"
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
    struct states_sample sample[TCPLAN_MAX_SAMPLES]; /**< the same times, and how fast the core was
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

/** How far the samples of `count` measurements that were taken in turns follow what they felt of
 * the core's states, drawn to what is expected. */
double measurement_follows(const struct measurement *const *measurement, size_t count,
                           const struct states *met, double expected);

/**
 * The time of a run in the next minutes, with its interval, from at least one sample.
 *
 * @param follows       of all that was measured in turns
 * @param good_seconds  receives the time in the good state; 0 where states are not known
 */
struct tcplan_estimate measurement_estimate(const struct measurement *measurement,
                                            const struct states *met,
                                            const struct states_outlook *outlook, double follows,
                                            double *good_seconds);

#endif
