/**
 * The dissertation's predictor (sections 6.2.2-6.2.6), implemented literally.
 *
 * The analysis divides a nest's kernel calls into classes with the same cache state. The
 * micro-benchmark of each class replays its setup and times the kernel, ten times. The prediction
 * is the sum of the medians times the numbers of calls. Stage `repeated` needs no analysis: see
 * microbench/predict/repeated.h.
 *
 * The text describes only kernels and says that copies are treated alike. Here each copy or scaling
 * is timed ten times at random places: the preceding accesses are replayed on the data themselves
 * instead of remote memory, and the preceding kernel call is executed. Short ones are timed several
 * in succession.
 *
 * Equal benchmarks (kernel, shapes, strides, transpositions, setup) are measured once and shared by
 * all algorithms of a ranking.
 */
#ifndef MICROBENCH_THESIS_H
#define MICROBENCH_THESIS_H

#include "microbench/predict/benchmark.h"
#include "tcplan/benchmark.h"

/** The result of a benchmark. */
struct benchmark_result {
    uint64_t hash;
    char *text; /**< description of the benchmark by benchmark_text() */
    double sample_ns[BENCHMARK_REPETITIONS];
};

/** State shared by the predictions of one ranking. */
struct thesis {
    struct tcplan_analysis_options analysis;
    struct benchmark_settings settings;
    struct remote_memory remote;
    size_t result_count;
    size_t result_capacity;
    struct benchmark_result *result;
    int64_t shared_count; /**< number of benchmarks that an earlier result answered */
};

/** Prepares predictions for a machine; `limit_bytes` limits the remote memory. */
struct thesis thesis_make(const struct tcplan_machine *machine, enum tcplan_stage stage,
                          enum tcplan_cache_state cache, size_t limit_bytes);

/** Frees the collected results. */
void thesis_free(struct thesis *thesis);

enum { THESIS_MAX_BENCHMARKS = TCPLAN_MAX_CLASSES + WINDOW_MAX_RARE };

/** A prediction and its benchmarks, of which there are none at stage `repeated`. */
struct thesis_prediction {
    struct tcplan_estimate estimate;
    int benchmark_count;
    struct tcplan_benchmark benchmark[THESIS_MAX_BENCHMARKS];
};

/**
 * Predicts the nest of a window.
 * @param problem  the whole problem, of which the window may hold a part
 * @return TCPLAN_OK, TCPLAN_NOT_APPLICABLE if a distance does not fit an int64_t, TCPLAN_NO_MEMORY
 */
enum tcplan_status thesis_predict(struct thesis_prediction *out, struct thesis *thesis,
                                  struct window *window, const struct tcplan_problem *problem,
                                  struct tcplan_error *error);

#endif
