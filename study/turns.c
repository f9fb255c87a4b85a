#include "tcplan/study/turns.h"

#include <math.h>
#include <stdio.h>

#include "base/deadline.h"
#include "base/error.h"
#include "microbench/predict/measure.h"
#include "microbench/providers/blas.h"
#include "microbench/timing/drift.h"
#include "microbench/timing/session.h"
#include "microbench/timing/statistics.h"
#include "study/numpy.h"
#include "tcplan/rank.h"

#define USUAL_LIMIT_SECONDS 20.0
#define PRECISE_SHARE 0.005

/* If there are fewer rounds than MEDIAN_ROUNDS, the mean is used, which is then more precise than
 * the median. A ratio counts as known only after LEAST_ROUNDS. */
enum { MEDIAN_ROUNDS = 8, LEAST_ROUNDS = 10 };

/** A contender, and the data to run it. */
struct arm {
    struct tcplan_contender *contender;
    struct tcplan_nest *nest;
    struct tcplan_program *program;
    struct measurement measurement;
    struct numpy numpy;
};

struct series {
    struct tcplan_turns *turns;
    const struct tcplan_problem *problem;
    const struct tcplan_turns_options *options;
    double limit_seconds;
    struct deadline deadline;
    struct buffers buffers;
    struct reference *reference;
    struct arm arm[TCPLAN_CONTENDERS_MAX];
};

/* Judging. */

static bool runs(const struct tcplan_contender *contender) {
    return contender->reason[0] == '\0';
}

/** Estimates the ratio of the times of two contenders. The ratio of each round is corrected for the
 * speed of the core, measured by the references next to the samples. */
static struct tcplan_estimate ratio_of(const struct tcplan_turns *turns, int a, int b) {
    const struct tcplan_contender *x = &turns->contender[a], *y = &turns->contender[b];
    struct drift_regression regression = {0};
    double ratio[TCPLAN_ROUNDS_MAX]; /* ratios times 1e9, because estimates divide nanoseconds by
                                        1e9 */
    double reference[TCPLAN_ROUNDS_MAX];
    for (int r = 0; r < turns->rounds; r++) {
        const bool known = x->round_reference_seconds[r] > 0 && y->round_reference_seconds[r] > 0;
        ratio[r] = 1e9 * x->round_seconds[r] / y->round_seconds[r];
        reference[r] = known ? x->round_reference_seconds[r] / y->round_reference_seconds[r] : 0;
        drift_add(&regression, ratio[r], reference[r]);
    }
    const double elasticity = drift_elasticity(&regression, 0);
    for (int r = 0; r < turns->rounds; r++) ratio[r] *= drift_factor(elasticity, reference[r], 1);
    return turns->rounds < MEDIAN_ROUNDS ? statistics_mean_estimate(ratio, turns->rounds)
                                         : statistics_median_estimate(ratio, turns->rounds);
}

static int find_fastest(const struct tcplan_turns *turns) {
    int fastest = -1;
    for (int c = 0; c < turns->count; c++) {
        if (!runs(&turns->contender[c])) continue;
        if (fastest < 0 || ratio_of(turns, c, fastest).seconds < 1) fastest = c;
    }
    return fastest;
}

static enum tcplan_standing standing_of(const struct tcplan_turns *turns, int contender) {
    const struct tcplan_contender *own = &turns->contender[contender];
    if (!runs(own)) return TCPLAN_STANDING_NONE;
    if (contender == turns->fastest) return TCPLAN_STANDING_FASTEST;
    if (own->ratio_low > 1 + TCPLAN_EQUAL_SHARE) return TCPLAN_STANDING_SLOWER;
    return own->ratio_high <= 1 + TCPLAN_EQUAL_SHARE ? TCPLAN_STANDING_TIE : TCPLAN_STANDING_OPEN;
}

static void judge_one(struct tcplan_turns *turns, int c) {
    struct tcplan_contender *own = &turns->contender[c];
    double ns[TCPLAN_ROUNDS_MAX];
    for (int r = 0; r < turns->rounds; r++) ns[r] = 1e9 * own->round_seconds[r];
    const struct tcplan_estimate ratio = ratio_of(turns, c, turns->fastest);
    own->seconds = turns->rounds < MEDIAN_ROUNDS ? statistics_mean_estimate(ns, turns->rounds)
                                                 : statistics_median_estimate(ns, turns->rounds);
    own->ratio = ratio.seconds;
    own->ratio_low = c == turns->fastest ? 1 : ratio.low;
    own->ratio_high = c == turns->fastest ? 1 : ratio.high;
}

void tcplan_turns_judge(struct tcplan_turns *turns) {
    turns->fastest = turns->rounds > 0 ? find_fastest(turns) : -1;
    for (int c = 0; c < turns->count; c++) {
        if (turns->fastest >= 0 && runs(&turns->contender[c])) judge_one(turns, c);
        turns->contender[c].standing =
            turns->fastest >= 0 ? standing_of(turns, c) : TCPLAN_STANDING_NONE;
    }
}

/** Returns whether all ratios to the fastest contender are known to PRECISE_SHARE in either
 * direction. */
static bool is_known(struct tcplan_turns *turns) {
    if (turns->rounds < LEAST_ROUNDS) return false;
    tcplan_turns_judge(turns);
    for (int c = 0; c < turns->count; c++) {
        const struct tcplan_contender *own = &turns->contender[c];
        if (runs(own) && c != turns->fastest &&
            log(own->ratio_high / own->ratio_low) > 2 * log(1 + PRECISE_SHARE))
            return false;
    }
    return true;
}

/* Running. */

/** Records the reason of TCPLAN_NOT_APPLICABLE and returns TCPLAN_OK instead, so that the
 * contender is skipped. */
static enum tcplan_status forgive(struct arm *arm, enum tcplan_status status,
                                  const struct tcplan_error *error) {
    if (status != TCPLAN_NOT_APPLICABLE) return status;
    snprintf(arm->contender->reason, sizeof arm->contender->reason, "%s", error->message);
    return TCPLAN_OK;
}

static int threads_of(const struct series *series, const struct arm *arm) {
    return arm->contender->threads > 0 ? arm->contender->threads : series->options->threads;
}

static enum tcplan_status start_algorithm(struct series *series, struct arm *arm,
                                          struct tcplan_error *error) {
    const struct tcplan_problem *problem = series->problem;
    enum tcplan_status status =
        tcplan_nest_build(&arm->nest, problem->contraction, arm->contender->algorithm, error);
    if (status == TCPLAN_OK)
        status = program_build_on(&arm->program, arm->nest, problem, &series->buffers.scratch, NULL,
                                  error);
    if (status == TCPLAN_OK)
        status = tcplan_program_set_threads(arm->program, threads_of(series, arm), error);
    if (status != TCPLAN_OK) return status;
    blas_set_threads(threads_of(series, arm));
    measurement_start(&arm->measurement, arm->program, series->reference, &series->buffers,
                      threads_of(series, arm));
    return TCPLAN_OK;
}

static enum tcplan_status start(struct series *series, struct arm *arm,
                                struct tcplan_error *error) {
    static const enum numpy_way ways[] = {[TCPLAN_CONTENDER_NUMPY] = NUMPY_EINSUM,
                                          [TCPLAN_CONTENDER_NUMPY_BEST] = NUMPY_EINSUM_OPTIMIZED,
                                          [TCPLAN_CONTENDER_NUMPY_MATMUL] = NUMPY_MATMUL};
    if (arm->contender->kind == TCPLAN_CONTENDER_ALGORITHM)
        return forgive(arm, start_algorithm(series, arm, error), error);
    enum tcplan_status status =
        numpy_start(&arm->numpy, series->problem, ways[arm->contender->kind],
                    series->options->threads, series->limit_seconds, error);
    snprintf(arm->contender->version, sizeof arm->contender->version, "%s", arm->numpy.version);
    return forgive(arm, status, error);
}

static enum tcplan_status sample(struct series *series, struct arm *arm,
                                 struct tcplan_error *error) {
    double *seconds = &arm->contender->round_seconds[series->turns->rounds];
    if (arm->contender->kind != TCPLAN_CONTENDER_ALGORITHM) {
        return forgive(arm, numpy_sample(&arm->numpy, seconds, series->limit_seconds, error),
                       error);
    }
    arm->measurement.sample_count =
        0; /* without this, measurement_sample() would append to the samples of earlier rounds */
    blas_set_threads(threads_of(series, arm));
    measurement_sample(&arm->measurement, &series->buffers, threads_of(series, arm));
    *seconds = arm->measurement.sample[0].seconds;
    arm->contender->round_reference_seconds[series->turns->rounds] =
        arm->measurement.sample[0].reference_seconds;
    return TCPLAN_OK;
}

static void report(const struct series *series) {
    const struct tcplan_turns_options *options = series->options;
    const double spent = series->limit_seconds - deadline_left_seconds(series->deadline);
    const double share =
        fmax(spent / series->limit_seconds, (double)series->turns->rounds / TCPLAN_ROUNDS_MAX);
    if (options->progress)
        options->progress(options->progress_context, "running in turns", fmin(share, 1), 1);
}

static enum tcplan_status run_round(struct series *series, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    const int count = series->turns->count;
    for (int c = 0; c < count && status == TCPLAN_OK; c++) {
        struct arm *arm = &series->arm[series->turns->rounds % 2 ? count - 1 - c : c];
        report(series);
        if (runs(arm->contender)) status = sample(series, arm, error);
    }
    if (status == TCPLAN_OK) series->turns->rounds++;
    return status;
}

static enum tcplan_status run_all(struct series *series, struct tcplan_error *error) {
    struct tcplan_turns *turns = series->turns;
    enum tcplan_status status = TCPLAN_OK;
    for (int c = 0; c < turns->count && status == TCPLAN_OK; c++) {
        series->arm[c].contender = &turns->contender[c];
        status = start(series, &series->arm[c], error);
    }
    while (status == TCPLAN_OK && turns->rounds < TCPLAN_ROUNDS_MAX) {
        if (turns->rounds > 0 && (deadline_is_over(series->deadline) || is_known(turns))) break;
        status = run_round(series, error);
    }
    for (int c = 0; c < turns->count; c++) {
        tcplan_program_free(series->arm[c].program);
        tcplan_nest_free(series->arm[c].nest);
        numpy_stop(&series->arm[c].numpy);
    }
    return status;
}

static enum tcplan_status reserve(struct series *series, struct tcplan_error *error) {
    const struct tcplan_turns_options *options = series->options;
    const struct tcplan_rank_options limits = {.max_memory_bytes = options->max_memory_bytes};
    const size_t alignment =
        options->alignment_bytes > 0 ? (size_t)options->alignment_bytes : BUFFERS_ALIGNMENT;
    enum tcplan_status status = tcplan_measure_check(series->problem, &limits, error);
    if (status != TCPLAN_OK) return status;
    if (alignment < series->problem->element_bytes /
                        (tcplan_dtype_is_complex(series->problem->dtype) ? 2 : 1) ||
        (alignment & (alignment - 1))) {
        return error_set(
            error, TCPLAN_INVALID,
            "alignment of %zu bytes; expected a power of two that the size of an element divides",
            alignment);
    }
    return buffers_reserve(&series->buffers, series->problem, alignment, SIZE_MAX, error);
}

enum tcplan_status tcplan_turns_find_numpy(double patience_seconds, struct tcplan_error *error) {
    struct tcplan_error own = {0};
    if (!numpy_is_missing(patience_seconds, &own)) return TCPLAN_OK;
    return error_set(error, TCPLAN_ENVIRONMENT, "%s", own.message);
}

enum tcplan_status tcplan_turns_run(struct tcplan_turns *turns,
                                    const struct tcplan_problem *problem,
                                    const struct tcplan_turns_options *options,
                                    struct tcplan_error *error) {
    const double limit =
        options->time_limit_seconds > 0 ? options->time_limit_seconds : USUAL_LIMIT_SECONDS;
    struct series series = {
        .turns = turns, .problem = problem, .options = options, .limit_seconds = limit};
    struct tcplan_error own = {0};
    enum tcplan_status status = reserve(&series, error);
    if (status != TCPLAN_OK) return status;
    const double began = monotonic_seconds();
    series.deadline = deadline_in(limit);
    turns->rounds = 0;
    struct session session;
    const struct session_options wanted = {.threads = options->threads,
                                           .binding = &options->binding};
    status = session_begin_with(&session, &wanted, error);
    if (status == TCPLAN_OK) {
        buffers_back_all(&series.buffers);
        series.reference = reference_new();
        status = run_all(&series, error ? error : &own);
    }
    reference_free(series.reference);
    session_end(&session);
    buffers_free(&series.buffers);
    turns->spent_seconds = monotonic_seconds() - began;
    tcplan_turns_judge(turns);
    return status;
}
