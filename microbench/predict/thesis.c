#include "microbench/predict/thesis.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "microbench/predict/repeated.h"
#include "microbench/timing/statistics.h"

/* Copies and scalings that take fewer nanoseconds are timed several at a time. */
static const double short_operation_ns = 2000;

struct thesis thesis_make(const struct tcplan_machine *machine, enum tcplan_stage stage,
                          enum tcplan_cache_state cache, size_t limit_bytes) {
    struct thesis thesis = {.analysis = tcplan_analysis_defaults(machine),
                            .settings = benchmark_settings_for(machine),
                            .remote = {.limit_bytes = limit_bytes}};
    thesis.analysis.stage = stage;
    thesis.analysis.cache = cache;
    return thesis;
}

void thesis_free(struct thesis *thesis) {
    for (size_t r = 0; r < thesis->result_count; r++) free(thesis->result[r].text);
    base_free(thesis->result);
    remote_memory_free(&thesis->remote);
    thesis->result = NULL;
    thesis->result_count = thesis->result_capacity = 0;
}

/* Shared benchmarks. */

static const struct benchmark_result *find_result(const struct thesis *thesis, const char *text) {
    const uint64_t hash = hash_text(text);
    for (size_t r = 0; r < thesis->result_count; r++) {
        if (thesis->result[r].hash == hash && strcmp(thesis->result[r].text, text) == 0)
            return &thesis->result[r];
    }
    return NULL;
}

static bool reserve_result(struct thesis *thesis) {
    if (thesis->result_count < thesis->result_capacity) return true;
    const size_t capacity = thesis->result_capacity * 2 + 32;
    struct benchmark_result *result = base_realloc(thesis->result, capacity * sizeof *result);
    if (!result) return false;
    thesis->result = result;
    thesis->result_capacity = capacity;
    return true;
}

/** Runs a benchmark and stores its result; takes ownership of the text. */
static enum tcplan_status measure(struct thesis *thesis, const struct benchmark *benchmark,
                                  char *text, struct tcplan_error *error) {
    struct benchmark_result result = {.hash = hash_text(text), .text = text};
    enum tcplan_status status = benchmark_run(benchmark, result.sample_ns, error);
    if (status == TCPLAN_OK && !reserve_result(thesis)) status = error_no_memory(error);
    if (status == TCPLAN_OK) {
        thesis->result[thesis->result_count++] = result;
    } else {
        free(text);
    }
    return status;
}

/* Sums. */

/** Sums of a prediction over all calls, in nanoseconds. */
struct sum {
    struct thesis_prediction *prediction;
    double sample_ns[BENCHMARK_REPETITIONS];
};

/** Adds `benchmark.calls` calls with these times to the sums. */
static void add_calls(struct sum *sum, struct tcplan_benchmark benchmark,
                      const double sample_ns[BENCHMARK_REPETITIONS]) {
    struct thesis_prediction *prediction = sum->prediction;
    const struct tcplan_estimate estimate =
        statistics_median_estimate(sample_ns, BENCHMARK_REPETITIONS);
    benchmark.seconds = estimate.seconds;
    prediction->estimate.seconds += estimate.seconds * benchmark.calls;
    prediction->estimate.low += estimate.low * benchmark.calls;
    prediction->estimate.high += estimate.high * benchmark.calls;
    for (int r = 0; r < BENCHMARK_REPETITIONS; r++)
        sum->sample_ns[r] += sample_ns[r] * benchmark.calls;
    assert(prediction->benchmark_count < THESIS_MAX_BENCHMARKS);
    prediction->benchmark[prediction->benchmark_count++] = benchmark;
}

static void close_sum(struct sum *sum) {
    struct tcplan_estimate *estimate = &sum->prediction->estimate;
    estimate->sample_count = BENCHMARK_REPETITIONS;
    for (int r = 0; r < BENCHMARK_REPETITIONS; r++) estimate->sample[r] = sum->sample_ns[r] * 1e-9;
}

/* The kernel. */

static enum tcplan_status add_class(struct sum *sum, struct thesis *thesis, struct window *window,
                                    const struct tcplan_call_class *call_class,
                                    struct tcplan_error *error) {
    const struct benchmark benchmark =
        benchmark_make(&thesis->settings, call_class, window, &thesis->remote);
    char *text = benchmark_text(&benchmark);
    if (!text) return error_no_memory(error);
    const struct benchmark_result *result = find_result(thesis, text);
    const bool shared = result;
    if (shared) {
        thesis->shared_count++;
        free(text);
    } else {
        enum tcplan_status status = measure(thesis, &benchmark, text, error);
        if (status != TCPLAN_OK) return status;
        result = &thesis->result[thesis->result_count - 1];
    }
    add_calls(sum,
              (struct tcplan_benchmark){.part = TCPLAN_NODE_KERNEL,
                                        .kind = call_class->kind,
                                        .loop = call_class->loop,
                                        .calls = (double)call_class->calls * window->scale,
                                        .batch = benchmark.batch,
                                        .shared = shared},
              result->sample_ns);
    return TCPLAN_OK;
}

/** Fills the temporaries with numbers and adds every class of calls. */
static enum tcplan_status add_kernel(struct sum *sum, struct thesis *thesis, struct window *window,
                                     const struct tcplan_analysis *analysis,
                                     struct tcplan_error *error) {
    struct cursor cursor;
    enum tcplan_status status = window_back_first(window, window->program->kernel, error);
    if (status == TCPLAN_OK) program_seek(window->program, &cursor, 0, window_base(window));
    for (int c = 0; c < analysis->class_count && status == TCPLAN_OK; c++) {
        status = add_class(sum, thesis, window, &analysis->call_class[c], error);
    }
    return status;
}

/* Copies and scalings. */

/** Chooses how many executions to time together, from the time of one. */
static enum tcplan_status choose_run(struct window *window, const struct operation *operation,
                                     int64_t *count, struct tcplan_error *error) {
    double ns = 0;
    enum tcplan_status status = window_time_operation(window, operation, 1, &ns, error);
    const double most = fmin(program_occurrences(window->program, operation), WINDOW_MAX_RUN);
    *count = (int64_t)fmin(most, short_operation_ns / fmax(ns, 1) + 1);
    return status;
}

static enum tcplan_status add_operation(struct sum *sum, const struct thesis *thesis,
                                        struct window *window, const struct operation *operation,
                                        struct tcplan_error *error) {
    double sample_ns[BENCHMARK_REPETITIONS];
    int64_t count = 1;
    enum tcplan_status status = choose_run(window, operation, &count, error);
    for (int r = 0; r < BENCHMARK_REPETITIONS && status == TCPLAN_OK; r++) {
        double ns = 0;
        status = window_time_operation(window, operation, count, &ns, error);
        sample_ns[r] = fmax(ns - thesis->settings.timer_ns, 0) / (double)count;
    }
    if (status != TCPLAN_OK) return status;
    add_calls(sum,
              (struct tcplan_benchmark){
                  .part = operation->kind == OPERATION_COPY ? TCPLAN_NODE_COPY : TCPLAN_NODE_SCALE,
                  .loop = -1,
                  .calls = program_occurrences(window->program, operation) *
                           window_operation_scale(window, operation),
                  .batch = count},
              sample_ns);
    return TCPLAN_OK;
}

static enum tcplan_status add_others(struct sum *sum, const struct thesis *thesis,
                                     struct window *window, const struct operation *operation,
                                     struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (; operation && status == TCPLAN_OK; operation = operation->next) {
        if (operation->kind == OPERATION_LOOP)
            status = add_others(sum, thesis, window, operation->body, error);
        if (operation->kind == OPERATION_COPY || operation->kind == OPERATION_SCALE) {
            status = add_operation(sum, thesis, window, operation, error);
        }
    }
    return status;
}

/* The whole. */

static enum tcplan_status predict_repeated(struct thesis_prediction *out, struct window *window,
                                           struct tcplan_error *error) {
    double sample_ns[REPEATED_REPETITIONS];
    enum tcplan_status status = repeated_nest(window, sample_ns, error);
    if (status == TCPLAN_OK)
        out->estimate = statistics_median_estimate(sample_ns, REPEATED_REPETITIONS);
    return status;
}

enum tcplan_status thesis_predict(struct thesis_prediction *out, struct thesis *thesis,
                                  struct window *window, const struct tcplan_problem *problem,
                                  struct tcplan_error *error) {
    struct sum sum = {.prediction = out};
    struct tcplan_analysis *analysis = NULL;
    *out = (struct thesis_prediction){0};
    if (thesis->analysis.stage == TCPLAN_STAGE_REPEATED)
        return predict_repeated(out, window, error);
    enum tcplan_status status =
        tcplan_analysis_build(&analysis, window->program->nest, problem, &thesis->analysis, error);
    if (status == TCPLAN_OK) status = add_kernel(&sum, thesis, window, analysis, error);
    if (status == TCPLAN_OK)
        status = add_others(&sum, thesis, window, window->program->body, error);
    tcplan_analysis_free(analysis);
    close_sum(&sum);
    return status;
}
