#include "microbench/measure.h"

#include "microbench/clock.h"
#include "microbench/program.h"
#include "microbench/strided.h"

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

void measurement_start(struct measurement *out, struct tcplan_program *program, const struct buffers *buffers, int threads) {
    *out = (struct measurement){.program = program, .runs = 1};
    double ns = time_runs(out, buffers, threads);
    if (ns < LONG_RUN_NS) {
        ns = time_runs(out, buffers, threads); /* the first met cold caches */
        out->run_ns = ns;
        out->runs = ns < SAMPLE_NS ? (int64_t)(SAMPLE_NS / (ns > 1 ? ns : 1)) + 1 : 1;
        const double wanted = SERIES_NS / (ns * (double)out->runs);
        out->samples_wanted = wanted < MIN_SAMPLES ? MIN_SAMPLES : wanted > MEASUREMENT_MAX_SAMPLES ? MEASUREMENT_MAX_SAMPLES : (int)wanted;
        return;
    }
    out->samples_wanted = 1;
    out->sample_ns[out->sample_count++] = ns;
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
    measurement->sample_ns[measurement->sample_count++] = time_runs(measurement, buffers, threads);
}
