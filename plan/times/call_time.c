#include "plan/times/call_time.h"

#include <math.h>

#include "ast/algorithm/provider.h"
#include "gen/providers/provider.h"
#include "microbench/predict/probe.h"
#include "microbench/providers/blas.h"
#include "microbench/providers/providers.h"
#include "plan/estimate.h"
#include "plan/predictor.h"
#include "plan/times/call_model.h"
#include "plan/times/kernel_times.h"
#include "tcplan/blas.h"

/* Extent, in every dimension, of the calls that initialise providers. */
enum { READY = 8 };

/** A call whose time is wanted, and the call that is timed instead. */
struct question {
    const struct blas_call *call;
    int threads;
    struct probe_call probe;
    struct kernel_key key;
};

static struct question question_of(const struct ranker *ranker, const struct blas_call *call,
                                   int threads) {
    struct question question = {.call = call, .threads = threads, .probe = probe_call_of(call)};
    question.key = kernel_key_of(&question.probe.call, ranker->ranking->problem.dtype, threads);
    return question;
}

/** Returns a measured time as a struct call_time, with the error interval of a probe, because calls
 * take another time within the contraction. */
static struct call_time time_taken(double ns, enum tcplan_time_source source) {
    const double factor = 1 + predictor_systematic_share(TCPLAN_BASIS_PROBE);
    return (struct call_time){
        .ns = ns, .low_ns = ns / factor, .high_ns = ns * factor, .source = source};
}

static bool is_built_in(const struct ranker *ranker, const struct blas_call *call) {
    return effort_uses_built_in(ranker->effort.times_nothing, call->provider);
}

static struct call_time modelled(const struct ranker *ranker, const struct blas_call *call,
                                 int threads) {
    const enum tcplan_dtype dtype = ranker->ranking->problem.dtype;
    return is_built_in(ranker, call) ? call_model_built_in(call, dtype, &ranker->machine)
                                     : call_model_time(call, dtype, threads, &ranker->machine);
}

static bool from_model(struct call_time *out, const struct ranker *ranker,
                       const struct question *question) {
    return model_times_call(out, &ranker->models, question->call, ranker->ranking->problem.dtype,
                            question->threads, TCPLAN_MODEL_WARM);
}

static bool from_stored(struct call_time *out, const struct ranker *ranker,
                        const struct question *question) {
    const double ns = kernel_times_find(ranker->kernel_times, &question->key);
    if (ns >= 0) *out = time_taken(ns * question->probe.scale, TCPLAN_TIME_STORED);
    return ns >= 0;
}

static bool beyond_model(struct call_time *out, const struct ranker *ranker,
                         const struct question *question) {
    return model_times_beyond(out, &ranker->models, question->call, ranker->ranking->problem.dtype,
                              question->threads, &ranker->machine);
}

static bool from_ceilings(struct call_time *out, const struct ranker *ranker,
                          const struct question *question) {
    *out = modelled(ranker, question->call, question->threads);
    return true;
}

/** Sources of call times if nothing may be timed, in order; the last one always has a time. */
static bool (*const sources[])(struct call_time *out, const struct ranker *ranker,
                               const struct question *question) = {from_model, from_stored,
                                                                   beyond_model, from_ceilings};

static struct call_time known_time(const struct ranker *ranker, const struct question *question) {
    struct call_time time;
    int s = 0;
    while (!sources[s](&time, ranker, question)) s++;
    return time;
}

void call_errors_add(struct call_errors *errors, const struct blas_call *call, double ns,
                     double expected_ns) {
    const double error = log(ns / expected_ns);
    if (!isfinite(error)) return;
    errors->logs[call->kernel][call->provider] += error;
    errors->count[call->kernel][call->provider]++;
}

bool call_errors_know(const struct call_errors *errors, const struct blas_call *call) {
    return errors->count[call->kernel][call->provider] > 0;
}

/** Returns the correction factor of a compiled kernel before any such kernel was timed: the
 * lowest mean factor of all providers, because the kernel is written for its call. */
static double least_factor(const struct call_errors *errors, enum tcplan_kernel kernel) {
    double least = INFINITY;
    for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
        if (errors->count[kernel][p] > 0)
            least = fmin(least, exp(errors->logs[kernel][p] / errors->count[kernel][p]));
    }
    return isinf(least) ? 1 : least;
}

double call_errors_factor(const struct call_errors *errors, const struct blas_call *call) {
    if (provider_traits_of(call->provider)->is_compiled && !call_errors_know(errors, call))
        return least_factor(errors, call->kernel);
    double logs = 0;
    int count = 0;
    for (int k = 0; k < TCPLAN_KERNELS; k++) {
        for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
            logs += errors->logs[k][p];
            count += errors->count[k][p];
        }
    }
    if (count == 0) return 1;
    const double mean = logs / count;
    return exp((errors->logs[call->kernel][call->provider] + mean) /
               (errors->count[call->kernel][call->provider] + 1));
}

static double ceiling_ns(const struct ranker *ranker, const struct blas_call *call, int threads) {
    return modelled(ranker, call, threads).ns;
}

double call_time_guess(const struct ranker *ranker, const struct blas_call *call) {
    const double ns = ceiling_ns(ranker, call, 1);
    return is_built_in(ranker, call) ? ns : ns * call_errors_factor(&ranker->call_errors, call);
}

struct call_time call_time_expected(const struct ranker *ranker, const struct blas_call *call,
                                    int threads) {
    const struct question question = question_of(ranker, call, threads);
    struct call_time time;
    if (ranker->effort.times_nothing) return known_time(ranker, &question);
    const double known_ns = kernel_times_find(ranker->kernel_times, &question.key);
    if (known_ns >= 0) return time_taken(known_ns * question.probe.scale, TCPLAN_TIME_TIMED);
    if (from_model(&time, ranker, &question)) return time;
    time = call_model_time(call, ranker->ranking->problem.dtype, threads, &ranker->machine);
    const double factor = call_errors_factor(&ranker->call_errors, call);
    return (struct call_time){.ns = time.ns * factor,
                              .low_ns = time.low_ns * factor,
                              .high_ns = time.high_ns * factor,
                              .source = time.source};
}

/** Returns the known time of a call; otherwise a guessed one, calibrated by known times. */
static struct call_time learn_known(struct ranker *ranker, const struct question *question) {
    const struct call_time time = known_time(ranker, question);
    const bool is_guess = time.source == TCPLAN_TIME_CEILINGS || time.source == TCPLAN_TIME_NOMINAL;
    if (!is_guess) {
        call_errors_add(&ranker->call_errors, question->call, time.ns,
                        ceiling_ns(ranker, question->call, question->threads));
    }
    return time;
}

/** Times a call and records the time; returns nanoseconds, negative if no provider has the call. */
static double time_probe(struct ranker *ranker, const struct question *question, double most_ns) {
    double repetition_ns[PROBE_REPETITIONS];
    double least_ns = INFINITY;
    const enum tcplan_planning_stage stage = ranker_enter(ranker, TCPLAN_PLANNING_KERNELS);
    const int before = blas_set_threads(question->threads);
    ranker_step(ranker);
    const int taken = probe_time(&ranker->ranking->buffers->scratch, &question->probe,
                                 ranker->ranking->problem.dtype, most_ns, repetition_ns);
    blas_set_threads(before);
    for (int r = 0; r < taken; r++) {
        least_ns = fmin(least_ns, repetition_ns[r]);
        kernel_times_add(ranker->kernel_times, &question->key, repetition_ns[r], NULL);
    }
    ranker_enter(ranker, stage);
    if (taken == 0) return -1;
    call_errors_add(&ranker->call_errors, question->call, least_ns,
                    ceiling_ns(ranker, &question->probe.call, question->threads));
    return least_ns;
}

static bool is_certain(const struct ranker *ranker, const struct question *question) {
    return kernel_times_timed(ranker->kernel_times, &question->key) >= 2 * PROBE_FEWEST;
}

bool call_time_is_certain(const struct ranker *ranker, const struct blas_call *call, int threads) {
    const struct question question = question_of(ranker, call, threads);
    return is_certain(ranker, &question);
}

static struct call_time timed(struct ranker *ranker, const struct question *question,
                              double doubtful_ns) {
    const double scale = question->probe.scale;
    const double known_ns = kernel_times_find(ranker->kernel_times, &question->key);
    if (known_ns >= 0 && (is_certain(ranker, question) || known_ns * scale <= doubtful_ns))
        return time_taken(known_ns * scale, TCPLAN_TIME_TIMED);
    const double ns = time_probe(ranker, question, doubtful_ns / scale);
    if (ns < 0) return (struct call_time){.ns = -1};
    return time_taken((known_ns >= 0 ? fmin(known_ns, ns) : ns) * scale, TCPLAN_TIME_TIMED);
}

struct call_time call_time_timed(struct ranker *ranker, const struct blas_call *call, int threads,
                                 double doubtful_ns) {
    const struct question question = question_of(ranker, call, threads);
    return timed(ranker, &question, doubtful_ns);
}

struct call_time call_time_of(struct ranker *ranker, const struct blas_call *call, int threads,
                              double doubtful_ns) {
    const struct question question = question_of(ranker, call, threads);
    struct call_time time;
    if (ranker->effort.times_nothing) return learn_known(ranker, &question);
    if (provider_traits_of(call->provider)->is_compiled)
        return call_time_expected(ranker, call, threads);
    const bool is_new = kernel_times_find(ranker->kernel_times, &question.key) < 0;
    if (is_new && from_model(&time, ranker, &question) && time.ns <= doubtful_ns) return time;
    return timed(ranker, &question, doubtful_ns);
}

void call_time_make_ready(struct ranker *ranker) {
    const enum tcplan_dtype dtype = ranker->ranking->problem.dtype;
    double ns[PROBE_REPETITIONS];
    for (int p = 0; p < TCPLAN_PROVIDERS && !ranker_is_late(ranker); p++) {
        const enum tcplan_provider provider = (enum tcplan_provider)p;
        struct blas_call call = {.kernel = TCPLAN_GEMM,
                                 .provider = provider,
                                 .first = TCPLAN_A,
                                 .second = TCPLAN_B,
                                 .m = READY,
                                 .n = READY,
                                 .k = READY,
                                 .ld = {READY, READY, READY},
                                 .alpha = {1, 0},
                                 .beta = {1, 0}};
        struct tcplan_provider_info info;
        if (provider_traits_of(provider)->is_compiled || !tcplan_provider_info(&info, provider))
            continue;
        blas_call_set_strides(&call);
        if (!blas_call_provider_applies(&call, dtype, provider)) continue;
        const struct probe_call probe = probe_call_of(&call);
        probe_time(&ranker->ranking->buffers->scratch, &probe, dtype, 0, ns);
    }
}

void call_time_learn(struct ranker *ranker, const struct blas_call *call, int threads, double ns) {
    const struct question question = question_of(ranker, call, threads);
    kernel_times_add(ranker->kernel_times, &question.key, ns / question.probe.scale, NULL);
}
