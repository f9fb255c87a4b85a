#include "plan/call_time.h"

#include <math.h>

#include "microbench/predict/probe.h"
#include "microbench/providers/blas.h"
#include "plan/call_model.h"
#include "plan/kernel_times.h"

/** Times what stands for a call and keeps that; nanoseconds of it, negative where nobody makes it. */
static double time_probe(struct ranker *ranker, const struct probe_call *probe, const struct kernel_key *key, int threads, double most_ns) {
    double repetition_ns[PROBE_REPETITIONS];
    double least_ns = INFINITY;
    const int before = blas_set_threads(threads);
    const int taken = probe_time(&ranker->probe_memory, probe, ranker->ranking->problem.dtype, most_ns, repetition_ns);
    blas_set_threads(before);
    for (int r = 0; r < taken; r++) {
        least_ns = fmin(least_ns, repetition_ns[r]);
        kernel_times_add(ranker->kernel_times, key, repetition_ns[r], NULL);
    }
    return taken > 0 ? least_ns : -1;
}

double call_time_ns(struct ranker *ranker, const struct blas_call *call, int threads, double doubtful_ns) {
    const struct probe_call probe = probe_call_of(call);
    const struct kernel_key key = kernel_key_of(&probe.call, ranker->ranking->problem.dtype, threads);
    const double known_ns = kernel_times_find(ranker->kernel_times, &key);
    if (known_ns >= 0 && ranker->effort.times_nothing) return known_ns * probe.scale;
    if (ranker->effort.times_nothing) return call_model_ns(call, ranker->ranking->problem.dtype, threads, &ranker->machine);
    if (known_ns >= 0 && known_ns * probe.scale <= doubtful_ns) return known_ns * probe.scale;
    if (known_ns >= 0 && kernel_times_timed(ranker->kernel_times, &key) >= 2 * PROBE_REPETITIONS) return known_ns * probe.scale;
    const double ns = time_probe(ranker, &probe, &key, threads, doubtful_ns / probe.scale);
    if (ns < 0) return -1;
    return (known_ns >= 0 ? fmin(known_ns, ns) : ns) * probe.scale;
}

void call_time_learn(struct ranker *ranker, const struct blas_call *call, int threads, double ns) {
    const struct probe_call probe = probe_call_of(call);
    const struct kernel_key key = kernel_key_of(&probe.call, ranker->ranking->problem.dtype, threads);
    kernel_times_add(ranker->kernel_times, &key, ns / probe.scale, NULL);
}
