#include "plan/candidates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ast/algorithm.h"
#include "ast/algorithm_check.h"
#include "ast/refine.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/indexset.h"
#include "cachesim/arrangement.h"
#include "cachesim/loop_order.h"
#include "gen/provider.h"
#include "gen/structures.h"
#include "microbench/blas.h"
#include "microbench/probe.h"
#include "microbench/program.h"
#include "microbench/share.h"
#include "plan/kernel_times.h"
#include "tcplan/blas.h"

enum { ARRANGEMENTS = 3, FIRST_CAPACITY = 256, MOST_KEPT = 4096 };

/* Estimates this much above the best are not kept: the model is not that wrong. */
#define KEPT_FACTOR 3.0

/* A structure whose kernels by themselves take this much longer than the best estimate is not arranged. */
#define BOUND_FACTOR 1.3

/* Of the time that is left this much at most is for generating. */
#define GENERATING_SHARE 0.4

/** An enumeration in progress. */
struct gathering {
    struct ranker *ranker;
    struct candidates *out;
    struct arranger *arranger;
    double best_seconds;
    struct deadline deadline; /* the structures with most in the kernel come first: what is beyond is given up */
    struct tcplan_error *error;
};

/**
 * Nanoseconds of a call by itself, with so many threads of the BLAS, from the store where that knows it; negative where its provider cannot make
 * it. What takes more than `doubtful_ns` is timed twice, some time apart: other load and swings of the clock last for milliseconds.
 */
static double call_ns(struct ranker *ranker, const struct blas_call *call, int threads, double doubtful_ns) {
    const enum tcplan_dtype dtype = ranker->ranking->problem.dtype;
    const struct probe_call probe = probe_call_of(call);
    const struct kernel_key key = kernel_key_of(&probe.call, dtype, threads);
    const double known_ns = kernel_times_find(ranker->kernel_times, &key);
    double repetition_ns[PROBE_REPETITIONS];
    if (known_ns >= 0 && known_ns * probe.scale <= doubtful_ns) return known_ns * probe.scale;
    if (known_ns >= 0 && kernel_times_timed(ranker->kernel_times, &key) >= 2 * PROBE_REPETITIONS) return known_ns * probe.scale;
    if (!probe_time(&probe, dtype, repetition_ns)) return -1;
    double ns = known_ns >= 0 ? known_ns : INFINITY;
    for (int r = 0; r < PROBE_REPETITIONS; r++) {
        ns = fmin(ns, repetition_ns[r]);
        kernel_times_add(ranker->kernel_times, &key, repetition_ns[r], NULL);
    }
    return ns * probe.scale;
}

bool candidate_exceeds(const struct candidate *candidate, struct ranker *ranker, double seconds) {
    struct blas_call call;
    double calls;
    if (candidate->kernel_seconds <= seconds) return false;
    const bool is_shared = candidate->algorithm.parallel >= 0;
    const double doubtful_ns = candidate->call_ns * seconds / candidate->kernel_seconds;
    if (blas_call_of(&call, &calls, &ranker->ranking->problem, &candidate->algorithm, NULL) != TCPLAN_OK) return true;
    const int before = blas_set_threads(is_shared ? 1 : ranker->options.threads);
    const double ns = call_ns(ranker, &call, is_shared ? 1 : ranker->options.threads, doubtful_ns);
    blas_set_threads(before);
    return ns < 0 || ns > doubtful_ns;
}

enum tcplan_status candidate_estimate(double *seconds, double *calls, struct ranker *ranker, const struct tcplan_algorithm *algorithm,
                                      struct tcplan_error *error) {
    const struct tcplan_problem *problem = &ranker->ranking->problem;
    struct blas_call call;
    enum tcplan_status status = blas_call_of(&call, calls, problem, algorithm, error);
    if (status != TCPLAN_OK || !seconds) return status;
    const double ns = call_ns(ranker, &call, ranker->options.threads, INFINITY);
    if (ns < 0) return error_set(error, TCPLAN_NOT_APPLICABLE, "no kernel makes this call");
    *seconds = *calls * ns * 1e-9 + loop_order_seconds(problem, &ranker->machine, algorithm);
    return TCPLAN_OK;
}

static int compare_candidates(const void *a, const void *b) {
    const struct candidate *x = a;
    const struct candidate *y = b;
    return x->estimate_seconds < y->estimate_seconds ? -1 : x->estimate_seconds > y->estimate_seconds;
}

static void sort(struct candidates *candidates) {
    if (candidates->count > 0) qsort(candidates->candidate, candidates->count, sizeof *candidates->candidate, compare_candidates);
}

/** Equal algorithms stand together, the one with the best estimate first. */
static int compare_algorithms(const void *a, const void *b) {
    const struct candidate *x = a;
    const struct candidate *y = b;
    const int order = algorithm_compare(&x->algorithm, &y->algorithm);
    return order ? order : compare_candidates(a, b);
}

/** Several structures may become one algorithm when threads share a loop. */
static void drop_repeated(struct candidates *candidates) {
    size_t kept = 0;
    if (candidates->count > 0) qsort(candidates->candidate, candidates->count, sizeof *candidates->candidate, compare_algorithms);
    for (size_t c = 0; c < candidates->count; c++) {
        const struct candidate *own = &candidates->candidate[c];
        if (kept > 0 && tcplan_algorithm_equal(&candidates->candidate[kept - 1].algorithm, &own->algorithm)) continue;
        candidates->candidate[kept++] = *own;
    }
    candidates->generated -= (double)(candidates->count - kept);
    candidates->count = kept;
}

static void keep_better_half(struct candidates *candidates) {
    sort(candidates);
    candidates->count /= 2;
}

static bool keep(struct gathering *gathering, const struct candidate *candidate) {
    struct candidates *out = gathering->out;
    if (candidate->estimate_seconds > KEPT_FACTOR * gathering->best_seconds) return true;
    if (out->count == MOST_KEPT) keep_better_half(out);
    if (out->count == out->capacity) {
        const size_t capacity = out->capacity > 0 ? 2 * out->capacity : FIRST_CAPACITY;
        struct candidate *grown = base_realloc(out->candidate, capacity * sizeof *grown);
        if (!grown) {
            out->status = error_no_memory(gathering->error);
            return false;
        }
        out->candidate = grown;
        out->capacity = capacity;
    }
    out->candidate[out->count++] = *candidate;
    gathering->best_seconds = fmin(gathering->best_seconds, candidate->estimate_seconds);
    return true;
}

/**
 * Whether the temporaries of an arrangement fit the memory for planning and the bound, if there is one; *fresh_seconds: what it takes that
 * executions find pages of large ones fresh.
 */
static bool fits_workspace(const struct ranker *ranker, const struct tcplan_algorithm *algorithm, double *fresh_seconds) {
    const struct tcplan_problem *problem = &ranker->ranking->problem;
    const struct tcplan_rank_options *options = &ranker->options;
    struct tcplan_nest *nest;
    if (tcplan_nest_build(&nest, problem->contraction, algorithm, NULL) != TCPLAN_OK)
        return false; /* memory is out, which the caller sees elsewhere */
    const int64_t limit = options->max_workspace_bytes;
    const int64_t bytes = tcplan_nest_workspace_bytes(nest, problem, options->threads);
    const bool fits = (limit == 0 || bytes <= limit) && (double)bytes <= (double)ranker->ranking->buffers->scratch.limit_bytes;
    const struct refined_problem refined = problem_refine(problem, nest->refinement);
    *fresh_seconds = program_large_bytes(&refined) * ranker->ranking->buffers->fresh_ns_per_byte * 1e-9;
    tcplan_nest_free(nest);
    return fits;
}

/** Iterations of a loop, the first where tiles differ. */
static int64_t loop_extent(const struct tcplan_problem *problem, const struct tcplan_algorithm *algorithm, int loop) {
    const int number = algorithm->loop[loop];
    const int index = algorithm_source_index(algorithm, problem->contraction, number);
    const int64_t extent = problem->extent[index];
    for (int s = 0; s < algorithm->split_count; s++) {
        const int64_t step = algorithm->split[s].step;
        if (algorithm->split[s].index != index) continue;
        return number == index ? (step < extent ? step : extent) : (extent + step - 1) / step;
    }
    return extent;
}

/** The outermost loop that so many threads may share; -1: none. */
static int loop_to_share(const struct tcplan_problem *problem, const struct tcplan_algorithm *algorithm, int threads) {
    for (int l = 0; l < algorithm->loop_count; l++) {
        const int index = algorithm_source_index(algorithm, problem->contraction, algorithm->loop[l]);
        if (problem->contraction->index[index].kind == TCPLAN_CONTRACTED) continue;
        if (loop_extent(problem, algorithm, l) >= threads) return l;
    }
    return -1;
}

/** Keeps an arrangement that is neither too large nor in the `blas` space; false when memory is out. */
static bool keep_arrangement(struct gathering *gathering, struct candidate candidate) {
    const struct tcplan_problem *problem = &gathering->ranker->ranking->problem;
    double fresh_seconds;
    algorithm_canonical(&candidate.algorithm, problem->contraction);
    if (tcplan_algorithm_in_blas_space(&candidate.algorithm, problem->contraction)) return true;
    if (!fits_workspace(gathering->ranker, &candidate.algorithm, &fresh_seconds)) return true;
    gathering->out->generated++;
    candidate.estimate_seconds += fresh_seconds;
    return keep(gathering, &candidate);
}

/** Makes a loop the outermost one. Copies of what varies with it come inside of it; others that were outside of all loops stay there. */
static void move_outside(struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction, int number) {
    const int index = algorithm_source_index(algorithm, contraction, number);
    int place = 0;
    while (algorithm->loop[place] != number) place++;
    memmove(algorithm->loop + 1, algorithm->loop, (size_t)place);
    algorithm->loop[0] = (uint8_t)number;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        int8_t *depth = &algorithm->copy[t].depth;
        const bool varies = indexset_has(contraction->tensor[t].indices, index);
        if (*depth >= 0 && *depth <= place && (varies || *depth > 0)) ++*depth;
    }
}

bool candidate_share(struct tcplan_algorithm *algorithm, double *share, const struct tcplan_problem *problem,
                     const struct tcplan_algorithm *structure, int threads) {
    if (structure->parallel >= 0) {
        move_outside(algorithm, problem->contraction, structure->loop[structure->parallel]);
    } else {
        algorithm->parallel = (int8_t)loop_to_share(problem, algorithm, threads);
    }
    const int loop = algorithm->parallel;
    if (loop < 0) return false;
    const int64_t extent = loop_extent(problem, algorithm, loop);
    const int64_t most = (extent + threads - 1) / threads;
    *share = (double)most / (double)extent;
    return true;
}

/** The same arrangement with threads around its kernels, each of which makes its calls in `ns`: memory serves them less than `threads` times as fast. */
static bool keep_shared(struct gathering *gathering, const struct tcplan_algorithm *structure, const struct arrangement *arrangement,
                        double ns, double calls) {
    const struct tcplan_problem *problem = &gathering->ranker->ranking->problem;
    const int threads = gathering->ranker->options.threads;
    struct candidate candidate = {.algorithm = arrangement->algorithm, .call_ns = ns};
    double share;
    if (!candidate_share(&candidate.algorithm, &share, problem, structure, threads)) return true;
    candidate.kernel_seconds = ns * calls * 1e-9 * share;
    candidate.estimate_seconds = candidate.kernel_seconds + arrangement->seconds / sqrt(threads);
    return keep_arrangement(gathering, candidate);
}

/** Nanoseconds of a call made by one of several threads, INFINITY where threads are not asked for or the provider cannot make it. */
static double one_thread_ns(const struct gathering *gathering, const struct blas_call *call, double doubtful_ns) {
    const int threads = gathering->ranker->options.threads;
    if (threads == 1 || !share_is_possible()) return INFINITY;
    const int before = blas_set_threads(1);
    const double ns = call_ns(gathering->ranker, call, 1, threads * doubtful_ns);
    blas_set_threads(before);
    return ns < 0 ? INFINITY : ns;
}

static bool gather(void *context, const struct tcplan_algorithm *structure) {
    struct gathering *gathering = context;
    struct arrangement arrangement[ARRANGEMENTS];
    struct blas_call call;
    double calls;
    const struct tcplan_problem *problem = &gathering->ranker->ranking->problem;
    const enum tcplan_status status = blas_call_of(&call, &calls, problem, structure, gathering->error);
    if (status == TCPLAN_NO_MEMORY) gathering->out->status = status;
    if (status != TCPLAN_OK) return status != TCPLAN_NO_MEMORY;
    if (!blas_call_provider_applies(&call, problem->dtype, call.provider)) return true;
    gathering->out->structures++;
    const int threads = gathering->ranker->options.threads;
    const bool is_shared = structure->parallel >= 0;
    const double most_ns = BOUND_FACTOR * gathering->best_seconds * 1e9 / calls;
    const double ns = is_shared ? INFINITY : call_ns(gathering->ranker, &call, threads, most_ns);
    const double shared_ns = one_thread_ns(gathering, &call, most_ns);
    if (ns < 0 || fmin(ns, shared_ns / threads) > most_ns) return true;
    const int count = arrangements_best(gathering->arranger, arrangement, ARRANGEMENTS, problem, &gathering->ranker->machine, structure);
    for (int a = 0; a < count; a++) {
        const struct candidate candidate = {.algorithm = arrangement[a].algorithm,
                                            .call_ns = ns,
                                            .kernel_seconds = ns * calls * 1e-9,
                                            .estimate_seconds = ns * calls * 1e-9 + arrangement[a].seconds};
        if (!is_shared && !keep_arrangement(gathering, candidate)) return false;
        if (isfinite(shared_ns) && !keep_shared(gathering, structure, &arrangement[a], shared_ns, calls)) return false;
    }
    return !deadline_is_over(gathering->deadline);
}

struct structures_options candidate_structures(const struct tcplan_problem *problem, const struct tcplan_machine *machine, int threads) {
    struct structures_options options = {.problem = problem,
                                         .threads = share_is_possible() ? threads : 1,
                                         .line_elems = machine->line_bytes / (int64_t)problem->element_bytes};
    if (options.line_elems < 1) options.line_elems = 1;
    for (int c = 0; c < STRUCTURES_NEAR_CACHES; c++) {
        const int64_t bytes = c < machine->cache_count ? machine->cache[c].size_bytes : 1 << (15 + 4 * c);
        options.near_elems[c] = bytes / (int64_t)problem->element_bytes;
    }
    for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
        struct tcplan_provider_info info;
        options.provider[p] = tcplan_provider_info(&info, (enum tcplan_provider)p);
    }
    return options;
}

/** Candidates are worth nothing without time to look at them. */
static struct deadline generating_deadline(const struct ranker *ranker) {
    const double share_seconds = GENERATING_SHARE * deadline_left_seconds(ranker->deadline);
    if (ranker_is_late(ranker)) return ranker->deadline;
    return deadline_first(deadline_in(ranker->effort.generating_seconds), deadline_in(share_seconds));
}

enum tcplan_status candidate_rate(struct candidate *out, struct ranker *ranker, const struct tcplan_algorithm *algorithm,
                                  struct tcplan_error *error) {
    const struct tcplan_problem *problem = &ranker->ranking->problem;
    struct blas_call call;
    double calls;
    double fresh_seconds;
    *out = (struct candidate){.algorithm = *algorithm};
    if (!fits_workspace(ranker, algorithm, &fresh_seconds)) {
        return error_set(error, TCPLAN_NOT_APPLICABLE, "the algorithm's temporaries are too large");
    }
    enum tcplan_status status = blas_call_of(&call, &calls, problem, algorithm, error);
    if (status != TCPLAN_OK) return status;
    out->call_ns = call_ns(ranker, &call, ranker->options.threads, INFINITY);
    if (out->call_ns < 0) return error_set(error, TCPLAN_NOT_APPLICABLE, "no kernel makes this call");
    out->kernel_seconds = calls * out->call_ns * 1e-9;
    out->estimate_seconds = out->kernel_seconds + fresh_seconds + loop_order_seconds(problem, &ranker->machine, algorithm);
    return TCPLAN_OK;
}

void candidates_remove(struct candidates *candidates, const struct tcplan_algorithm *algorithm) {
    size_t kept = 0;
    for (size_t c = 0; c < candidates->count; c++) {
        if (!tcplan_algorithm_equal(&candidates->candidate[c].algorithm, algorithm))
            candidates->candidate[kept++] = candidates->candidate[c];
    }
    candidates->generated -= (double)(candidates->count - kept);
    candidates->count = kept;
}

enum tcplan_status candidates_make(struct candidates *out, struct ranker *ranker, double best_seconds, struct tcplan_error *error) {
    *out = (struct candidates){.index_count = ranker->ranking->problem.contraction->index_count};
    struct structures_options options = candidate_structures(&ranker->ranking->problem, &ranker->machine, ranker->options.threads);
    struct gathering gathering = {.ranker = ranker, .out = out, .best_seconds = best_seconds, .error = error};
    gathering.deadline = options.deadline = generating_deadline(ranker);
    gathering.arranger = arranger_new(gathering.deadline);
    if (!gathering.arranger) return error_no_memory(error);
    structures_visit(&options, gather, &gathering);
    arranger_free(gathering.arranger);
    drop_repeated(out);
    sort(out);
    return out->status;
}

void candidates_free(struct candidates *candidates) {
    base_free(candidates->candidate);
    *candidates = (struct candidates){0};
}
