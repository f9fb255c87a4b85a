/**
 * Running a program for real, to know how long it takes.
 */
#ifndef MICROBENCH_MEASURE_H
#define MICROBENCH_MEASURE_H

#include "microbench/buffers.h"
#include "microbench/program.h"
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
};

/** Runs once to size samples, more often where runs are short; a run of more than a second is the first sample itself. */
void measurement_start(struct measurement *out, struct tcplan_program *program, const struct buffers *buffers, int threads);

/**
 * Takes one more sample, of a short program after some 5 ms of it, as another program may have run in between, by the one clock
 * (microbench/clock.h).
 */
void measurement_sample(struct measurement *measurement, const struct buffers *buffers, int threads);

#endif
