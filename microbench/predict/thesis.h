/**
 * The dissertation's predictor (sections 6.2.2-6.2.6), to the letter.
 *
 * The analysis divides a nest's kernel calls into classes that meet the same cache state. Each
 * class has a micro-benchmark: ten times its setup is replayed and the kernel timed; the prediction
 * is the sum of medians times numbers of calls. At stage `repeated` nothing is analysed: see
 * microbench/predict/repeated.h.
 *
 * The text describes kernels only and says that copies are treated alike. Here a copy or scaling is
 * timed ten times where it stands, at random places: the history of accesses before it is replayed
 * with the data themselves instead of remote memory, and the kernel call before it is made for
 * real. Short ones are timed several in succession.
 *
 * Equal benchmarks (kernel, shapes, strides, transpositions, setup) are measured once and shared by
 * all algorithms of a ranking.
 */
#ifndef MICROBENCH_THESIS_H
#define MICROBENCH_THESIS_H

#include "microbench/predict/benchmark.h"
#include "tcplan/benchmark.h"

/** A benchmark that was made. */
struct benchmark_result {
    uint64_t hash;
    char *text; /**< of benchmark_text() */
    double sample_ns[BENCHMARK_REPETITIONS];
};

/** What the predictions of one ranking share. */
struct thesis {
    struct tcplan_analysis_options analysis;
    struct benchmark_settings settings;
    struct remote_memory remote;
    size_t result_count;
    size_t result_capacity;
    struct benchmark_result *result;
    int64_t shared_count; /**< benchmarks that need not be made again */
};

/** Prepares predictions for a machine. `limit_bytes` bounds the remote memory. */
struct thesis thesis_make(const struct tcplan_machine *machine, enum tcplan_stage stage,
                          enum tcplan_cache_state cache, size_t limit_bytes);

/** Frees what thesis_predict() has collected. */
void thesis_free(struct thesis *thesis);

enum { THESIS_MAX_BENCHMARKS = TCPLAN_MAX_CLASSES + WINDOW_MAX_RARE };

/** A prediction and where it comes from; no benchmarks at stage `repeated`. */
struct thesis_prediction {
    struct tcplan_estimate estimate;
    int benchmark_count;
    struct tcplan_benchmark benchmark[THESIS_MAX_BENCHMARKS];
};

/**
 * Predicts the nest of a window.
 *
 * @param problem  the whole problem, of which the window may hold a part
 * @return TCPLAN_OK, TCPLAN_NOT_APPLICABLE where a distance does not fit an int64_t,
 *         TCPLAN_NO_MEMORY
 */
enum tcplan_status thesis_predict(struct thesis_prediction *out, struct thesis *thesis,
                                  struct window *window, const struct tcplan_problem *problem,
                                  struct tcplan_error *error);

#endif
