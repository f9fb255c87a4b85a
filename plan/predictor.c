#include "plan/predictor.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "microbench/repeated.h"
#include "microbench/statistics.h"

/* An algorithm whose best window is this much slower than the best prediction gets no more windows. */
#define HOPELESS_FACTOR 1.5

enum { FIRST_SAMPLES = 3, SAMPLES = 6 };

void note_prediction(struct tcplan_entry *entry, struct tcplan_estimate estimate) {
    entry->prediction = estimate;
    entry->predicted = true;
    entry->status = TCPLAN_ENTRY_PREDICTED;
}

/* Window. */

static bool is_hopeless(const struct window *window, double best_seconds) {
    const double smallest_ns = statistics_smallest(window->sample_ns, window->sample_count);
    return window->sample_count >= FIRST_SAMPLES && smallest_ns * 1e-9 > HOPELESS_FACTOR * best_seconds;
}

/** Samples windows until there are enough, or the first few show that the algorithm is far from the best. */
static enum tcplan_status predict_window(const struct prediction_task *task, struct tcplan_error *error) {
    struct window *window = task->window;
    enum tcplan_status status = TCPLAN_OK;
    while (status == TCPLAN_OK && window->sample_count < SAMPLES && !is_hopeless(window, task->best_seconds)) {
        status = window_sample(window, error);
    }
    if (status == TCPLAN_OK) note_prediction(task->entry, statistics_mean_estimate(window->sample_ns, window->sample_count));
    return status;
}

/* Repeated. */

static enum tcplan_status predict_repeated(const struct prediction_task *task, struct tcplan_error *error) {
    double sample_ns[REPEATED_REPETITIONS];
    enum tcplan_status status = repeated_nest(task->window, sample_ns, error);
    if (status == TCPLAN_OK) note_prediction(task->entry, statistics_median_estimate(sample_ns, REPEATED_REPETITIONS));
    return status;
}

/* Thesis. */

static enum tcplan_status keep_benchmarks(struct tcplan_entry *entry, const struct thesis_prediction *prediction,
                                          struct tcplan_error *error) {
    const size_t bytes = (size_t)prediction->benchmark_count * sizeof *prediction->benchmark;
    base_free(entry->benchmark);
    entry->benchmark_count = 0;
    entry->benchmark = NULL;
    if (bytes == 0) return TCPLAN_OK;
    entry->benchmark = base_alloc(bytes);
    if (!entry->benchmark) return error_no_memory(error);
    memcpy(entry->benchmark, prediction->benchmark, bytes);
    entry->benchmark_count = prediction->benchmark_count;
    return TCPLAN_OK;
}

static enum tcplan_status predict_thesis(const struct prediction_task *task, struct tcplan_error *error) {
    struct thesis_prediction prediction;
    enum tcplan_status status = thesis_predict(&prediction, &task->ranker->thesis, task->window, &task->ranker->ranking->problem, error);
    if (status == TCPLAN_NOT_APPLICABLE) task->entry->status = TCPLAN_ENTRY_NOT_APPLICABLE;
    if (status == TCPLAN_OK) status = keep_benchmarks(task->entry, &prediction, error);
    if (status == TCPLAN_OK) note_prediction(task->entry, prediction.estimate);
    return status;
}

const struct predictor *predictor_of(enum tcplan_predictor predictor) {
    static const struct predictor predictors[] = {[TCPLAN_PREDICT_WINDOW] = {.predict = predict_window, .samples_windows = true},
                                                  [TCPLAN_PREDICT_THESIS] = {.predict = predict_thesis},
                                                  [TCPLAN_PREDICT_REPEATED] = {.predict = predict_repeated}};
    return &predictors[predictor];
}
