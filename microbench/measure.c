#include "microbench/measure.h"

#include "microbench/clock.h"

#define SAMPLE_NS 2e6
#define LONG_RUN_NS 1e9
#define SERIES_NS 2e9

enum { MIN_SAMPLES = 3 };

static double time_runs(const struct measurement *measurement, const struct buffers *buffers, int threads) {
    const struct reservation *tensor = buffers->tensor;
    uint64_t (*const now_ns)(void) = threads == 1 ? clock_thread_cpu_ns : clock_now_ns;
    const uint64_t start_ns = now_ns();
    for (int64_t r = 0; r < measurement->runs; r++) {
        tcplan_program_run(measurement->program, tensor[TCPLAN_A].base, tensor[TCPLAN_B].base, tensor[TCPLAN_C].base);
    }
    return (double)(now_ns() - start_ns) / (double)measurement->runs;
}

void measurement_start(struct measurement *out, struct tcplan_program *program, const struct buffers *buffers, int threads) {
    *out = (struct measurement){.program = program, .runs = 1};
    double ns = time_runs(out, buffers, threads);
    if (ns < LONG_RUN_NS) {
        ns = time_runs(out, buffers, threads); /* the first met cold caches */
        out->runs = ns < SAMPLE_NS ? (int64_t)(SAMPLE_NS / (ns > 1 ? ns : 1)) + 1 : 1;
        const double wanted = SERIES_NS / (ns * (double)out->runs);
        out->samples_wanted = wanted < MIN_SAMPLES ? MIN_SAMPLES : wanted > MEASUREMENT_MAX_SAMPLES ? MEASUREMENT_MAX_SAMPLES : (int)wanted;
        return;
    }
    out->samples_wanted = 1;
    out->sample_ns[out->sample_count++] = ns;
}

void measurement_sample(struct measurement *measurement, const struct buffers *buffers, int threads) {
    if (measurement->sample_count >= measurement->samples_wanted) return;
    measurement->sample_ns[measurement->sample_count++] = time_runs(measurement, buffers, threads);
}
