#include "roofline/validation/measure.h"

#include <string.h>

#include "base/error.h"
#include "roofline/validation/fft.h"
#include "roofline/validation/traces.h"

enum {
    SIMULATED_REPEATS = 3,
    SIMULATED_TIMES = 2 /* replicas take this many times the cache: enough for a simulator that
                           evicts the least recently used line */
};

bool validation_fits(const struct validation_setting *setting, enum tcplan_point_kernel kernel,
                     int64_t n) {
    return validation_bytes(kernel, n) <= setting->workspace->bytes;
}

bool validation_is_simulated(const char *name) {
    return strcmp(name, "simulated") == 0;
}

enum tcplan_status validation_open_counts(struct counter_source **out, const char *name,
                                          int threads, struct tcplan_error *error) {
    const struct counter_target target = {.quantities = COUNTER_ALL, .descendants = threads > 1};
    return counter_open(out, validation_is_simulated(name) ? "none" : name, &target, error);
}

static const struct tcplan_cache_level *last_cache(const struct validation_setting *setting) {
    const int count = setting->machine->cache_count;
    return count > 0 ? &setting->machine->cache[count - 1] : NULL;
}

static int64_t replicas_of(const struct validation_setting *setting,
                           enum tcplan_point_kernel kernel, int64_t n, bool cold, bool simulated) {
    const struct tcplan_cache_level *cache = last_cache(setting);
    const int64_t bytes = (int64_t)validation_bytes(kernel, n);
    if (!cold || !cache) return 1;
    return protocol_replicas(bytes, cache->size_bytes, simulated ? SIMULATED_TIMES : cache->ways,
                             simulated ? INT64_MAX : (int64_t)setting->workspace->bytes);
}

/** Times real runs; also counts their operations and bytes if there is a source of counts. */
static enum tcplan_status run_for_real(struct validation_result *out, struct validation_run *run,
                                       const struct validation_setting *setting,
                                       struct tcplan_error *error) {
    const struct protocol_options options = {.repeats = setting->repeats,
                                             .least_seconds = setting->least_seconds,
                                             .most_seconds = setting->most_seconds,
                                             .alone = setting->threads == 1,
                                             .counts = setting->counts};
    const struct protocol_target target = {.context = run,
                                           .run = validation_run,
                                           .run_empty = validation_run_empty,
                                           .replicas = run->subject.replicas};
    return protocol_run(&out->time, &target, &options, out->bounds.flops, error);
}

/** Counts the bytes of traced runs, by the same protocol as for real runs. */
static enum tcplan_status run_simulated(struct validation_result *out, struct validation_run *run,
                                        const struct validation_setting *setting,
                                        struct tcplan_error *error) {
    const struct simulator_options caches = simulator_options_of(setting->machine, false);
    run->simulator = simulator_new(&caches);
    struct counter_source *counts =
        run->simulator
            ? validation_simulated_counts(run->simulator, caches.level_count - 1, caches.line_bytes)
            : NULL;
    const struct protocol_options options = {.repeats = SIMULATED_REPEATS,
                                             .most_seconds = setting->most_seconds,
                                             .alone = true,
                                             .counts = counts};
    const struct protocol_target target = {.context = run,
                                           .run = validation_trace,
                                           .run_empty = validation_trace_empty,
                                           .replicas = run->subject.replicas};
    const enum tcplan_status status =
        counts ? protocol_run(&out->bytes, &target, &options, out->bounds.flops, error)
               : error_no_memory(error);
    counter_close(counts);
    simulator_free(run->simulator);
    return status;
}

/** Plans an FFT in the memory of the replicas, and fills this memory again, since planning
 * overwrites it. */
static enum tcplan_status plan(struct validation_run *run, struct validation_result *out,
                               const struct validation_setting *setting,
                               struct tcplan_error *error) {
    if (run->kernel != TCPLAN_POINT_FFT) return TCPLAN_OK;
    const enum tcplan_status status = fft_new(&run->fft, run->n, run->subject.memory, error);
    if (status != TCPLAN_OK) return status;
    workspace_refill(setting->workspace, setting->team);
    out->bounds.flops = fft_flops(run->fft);
    return TCPLAN_OK;
}

enum tcplan_status validation_measure(struct validation_result *out,
                                      enum tcplan_point_kernel kernel, int64_t n, bool cold,
                                      const struct validation_setting *setting,
                                      struct tcplan_error *error) {
    char *memory = setting->workspace->region[0];
    const bool simulated =
        setting->simulated && validation_has_trace(kernel) && last_cache(setting);
    struct validation_run run =
        validation_run_make(kernel, n, memory, replicas_of(setting, kernel, n, cold, false));
    *out = (struct validation_result){.bounds = validation_bounds(kernel, n),
                                      .simulated = simulated,
                                      .replicas = run.subject.replicas};
    out->replicas_bytes = out->replicas * (int64_t)run.subject.replica_bytes;
    out->lukewarm =
        cold && last_cache(setting) && out->replicas_bytes < 2 * last_cache(setting)->size_bytes;
    enum tcplan_status status = plan(&run, out, setting, error);
    if (status == TCPLAN_OK) status = run_for_real(out, &run, setting, error);
    fft_free(run.fft);
    out->bytes = out->time;
    if (status != TCPLAN_OK || !simulated) return status;
    struct validation_run traced =
        validation_run_make(kernel, n, memory, replicas_of(setting, kernel, n, cold, true));
    return run_simulated(out, &traced, setting, error);
}
