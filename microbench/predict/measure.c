#include "microbench/predict/measure.h"

#include <math.h>

#include "microbench/copy/strided.h"
#include "microbench/program/program.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/statistics.h"

#define SAMPLE_NS 2e6
#define LONG_RUN_NS 1e9
#define SERIES_NS 2e9

/* A run shorter than this is preceded by one of the same at least, and by as much of the same as this. */
#define WARMED_NS 100e6
#define WARM_UP_NS 5e6

enum { MIN_SAMPLES = 3 };

static void run_once(const struct measurement *measurement, const struct buffers *buffers) {
    program_run_whole(measurement->program, program_base(buffers));
    strided_fence();
}

static double time_runs(const struct measurement *measurement, const struct buffers *buffers, int threads) {
    const struct clock_start start = clock_start();
    for (int64_t r = 0; r < measurement->runs; r++) {
        program_release_large(measurement->program);
        run_once(measurement, buffers);
    }
    return clock_stop(&start, threads == 1).ns / (double)measurement->runs;
}

/** A sample between two references. */
static void take_sample(struct measurement *measurement, const struct buffers *buffers, int threads) {
    const double before = reference_seconds(measurement->reference);
    if (measurement->runs > 1) run_once(measurement, buffers); /* a short run finds the first cache as a run leaves it */
    measurement->sample_ns[measurement->sample_count] = time_runs(measurement, buffers, threads);
    measurement->reference_seconds[measurement->sample_count++] = sqrt(before * reference_seconds(measurement->reference));
}

void measurement_start(struct measurement *out, struct tcplan_program *program, struct reference *reference, const struct buffers *buffers,
                       int threads) {
    *out = (struct measurement){.program = program, .reference = reference, .runs = 1};
    take_sample(out, buffers, threads);
    double ns = out->sample_ns[0];
    if (ns < LONG_RUN_NS) {
        out->sample_count = 0;
        ns = time_runs(out, buffers, threads); /* the first met cold caches */
        out->run_ns = ns;
        out->runs = ns < SAMPLE_NS ? (int64_t)(SAMPLE_NS / (ns > 1 ? ns : 1)) + 1 : 1;
        const double wanted = SERIES_NS / (ns * (double)out->runs);
        out->samples_wanted = wanted < MIN_SAMPLES ? MIN_SAMPLES : wanted > MEASUREMENT_MAX_SAMPLES ? MEASUREMENT_MAX_SAMPLES : (int)wanted;
        return;
    }
    out->samples_wanted = 1;
}

/**
 * Runs a program until caches and the core's clock are as it leaves them: what is measured is a repeated contraction, not one that follows another
 * algorithm. Behind one that waited for memory, the first milliseconds of AVX-512 take twice the time here.
 */
static void warm_up(const struct measurement *measurement, const struct buffers *buffers) {
    const uint64_t start_ns = clock_now_ns();
    do {
        run_once(measurement, buffers);
    } while ((double)(clock_now_ns() - start_ns) < WARM_UP_NS);
}

void measurement_sample(struct measurement *measurement, const struct buffers *buffers, int threads) {
    if (measurement->sample_count >= measurement->samples_wanted) return;
    if (measurement->run_ns < WARMED_NS) warm_up(measurement, buffers);
    take_sample(measurement, buffers, threads);
}

struct states measurement_states(const struct measurement *const *measurement, size_t count, double *references) {
    struct states_regression regression = {0};
    int known = 0;
    for (size_t m = 0; m < count; m++) {
        states_begin_series(&regression);
        for (int s = 0; s < measurement[m]->sample_count; s++) {
            states_add(&regression, measurement[m]->sample_ns[s], measurement[m]->reference_seconds[s]);
            if (measurement[m]->reference_seconds[s] > 0) references[known++] = measurement[m]->reference_seconds[s];
        }
    }
    return states_of(states_follows(&regression), references, known);
}

struct tcplan_estimate measurement_estimate(const struct measurement *measurement, const struct states *states, double *good_seconds) {
    double usual_ns[TCPLAN_MAX_SAMPLES];
    for (int s = 0; s < measurement->sample_count; s++)
        usual_ns[s] = measurement->sample_ns[s] * states_factor(states->follows, measurement->reference_seconds[s], states->usual);
    struct tcplan_estimate estimate = statistics_median_estimate(usual_ns, measurement->sample_count);
    for (int s = 0; s < estimate.sample_count; s++) estimate.sample[s] = 1e-9 * measurement->sample_ns[s]; /* as they were */
    *good_seconds = states_widen(states, &estimate);
    return estimate;
}
