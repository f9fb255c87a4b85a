#include "microbench/predict/measure.h"

#include <math.h>

#include "microbench/predict/cutoff.h"
#include "microbench/program/program.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/statistics.h"

#define SAMPLE_NS 2e6
#define TELLING_NS (SAMPLE_NS / 20)
#define LONG_RUN_NS 1e9
#define SERIES_NS 2e9

/* Nanoseconds: shorter runs are repeated for this long, and at least once, before they are timed.
 */
#define WARMED_NS 100e6
#define WARM_UP_NS 5e6

enum { MIN_SAMPLES = 3 };

static double time_runs(const struct measurement *measurement, struct buffers *buffers,
                        int threads) {
    const struct clock_start start = clock_start();
    program_repeat(measurement->program, buffers, measurement->runs);
    return clock_stop(&start, threads == 1).ns / (double)measurement->runs;
}

/** Takes a sample: runs between two references. */
static struct drift_sample sample_runs(const struct measurement *measurement,
                                       struct buffers *buffers, int threads) {
    buffers_settle_all(buffers);
    const double before = reference_seconds(measurement->reference);
    if (measurement->runs > 1)
        program_run_whole(measurement->program,
                          program_base(buffers)); /* the run is short: it finds the first cache as
                                                     its previous run left it */
    struct drift_sample sample = {.seconds = 1e-9 * time_runs(measurement, buffers, threads)};
    sample.reference_seconds = sqrt(before * reference_seconds(measurement->reference));
    return sample;
}

static void take_sample(struct measurement *measurement, struct buffers *buffers, int threads) {
    struct drift_sample *sample = &measurement->sample[measurement->sample_count];
    if (measurement->runs > 1 || measurement->run_ns == 0) {
        *sample = sample_runs(measurement, buffers, threads);
    } else {
        *sample = cutoff_sample(measurement->program, buffers, measurement->run_ns, INFINITY,
                                measurement->reference);
    }
    measurement->sample_ns[measurement->sample_count++] = 1e9 * sample->seconds;
}

/** Returns the time of one run, from more and more runs until the clock resolves them. */
static double time_run(struct measurement *measurement, struct buffers *buffers, int threads) {
    double ns = time_runs(measurement, buffers, threads);
    for (int64_t runs = 4; ns * (double)measurement->runs < TELLING_NS; runs *= 4) {
        measurement->runs = runs;
        ns = time_runs(measurement, buffers, threads);
    }
    return ns;
}

void measurement_start(struct measurement *out, struct tcplan_program *program,
                       struct reference *reference, struct buffers *buffers, int threads) {
    *out = (struct measurement){.program = program, .reference = reference, .runs = 1};
    take_sample(out, buffers, threads);
    double ns = out->sample_ns[0];
    if (ns < LONG_RUN_NS) {
        out->sample_count = 0;
        ns =
            time_run(out, buffers, threads); /* repeated, because the first run found cold caches */
        out->run_ns = ns;
        out->runs = ns < SAMPLE_NS ? (int64_t)(SAMPLE_NS / ns) + 1 : 1;
        const double wanted = SERIES_NS / (ns * (double)out->runs);
        out->samples_wanted = wanted < MIN_SAMPLES               ? MIN_SAMPLES
                              : wanted > MEASUREMENT_MAX_SAMPLES ? MEASUREMENT_MAX_SAMPLES
                                                                 : (int)wanted;
        return;
    }
    out->samples_wanted = 1;
}

/**
 * Repeats a program until caches and the core's clock reach its steady state, since repeated
 * contractions are measured. After a program that waits for memory, AVX-512 code can take twice as
 * long for some milliseconds.
 */
static void warm_up(const struct measurement *measurement, struct buffers *buffers) {
    const uint64_t start_ns = clock_now_ns();
    do {
        program_run_whole(measurement->program, program_base(buffers));
    } while ((double)(clock_now_ns() - start_ns) < WARM_UP_NS);
}

void measurement_sample(struct measurement *measurement, struct buffers *buffers, int threads) {
    if (measurement->sample_count >= measurement->samples_wanted) return;
    if (measurement->run_ns < WARMED_NS) warm_up(measurement, buffers);
    take_sample(measurement, buffers, threads);
}

double measurement_elasticity(const struct measurement *const *measurement, size_t count,
                              double expected) {
    struct drift_regression regression = {0};
    for (size_t m = 0; m < count; m++) {
        drift_begin_series(&regression);
        for (int s = 0; s < measurement[m]->sample_count; s++)
            drift_add(&regression, measurement[m]->sample[s].seconds,
                      measurement[m]->sample[s].reference_seconds);
    }
    return drift_elasticity(&regression, expected);
}

/* Interleaved runs show their spread well, so the prior has little weight. */
static const struct expected_spread usual = {.share = 0.02, .freedom = 1, .disturbed_factor = 2.5};

struct tcplan_estimate measurement_estimate(const struct measurement *measurement,
                                            double elasticity, double reference_seconds) {
    double error;
    struct tcplan_estimate estimate = drift_estimate(measurement->sample, measurement->sample_count,
                                                     elasticity, reference_seconds, usual, &error);
    for (int s = 0; s < measurement->sample_count; s++)
        estimate.sample[estimate.sample_count++] = measurement->sample[s].seconds;
    return estimate;
}
