#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ast/algorithm.h"
#include "ast/algorithm_check.h"
#include "ast/provider.h"
#include "base/alloc.h"
#include "base/error.h"
#include "cachesim/arrangement/arrangement.h"
#include "gen/lower/blas_call.h"
#include "gen/providers/provider.h"
#include "gen/space/baseline.h"
#include "gen/space/enumerate.h"
#include "gen/space/structures.h"
#include "microbench/program/reduce.h"
#include "microbench/providers/emitted.h"
#include "microbench/providers/providers.h"
#include "microbench/timing/clock.h"
#include "plan/candidates.h"
#include "plan/decision/ease.h"
#include "plan/learn/learned.h"
#include "plan/learn/surrogate.h"
#include "plan/predictor.h"
#include "plan/times/call_time.h"
#include "plan/variant.h"
#include "tcplan/blas.h"

/* A bound within this much of the best prediction does not exclude: both are measured. */
#define BOUND_MARGIN 1.05

/* A baseline whose estimate is this much above the best takes long to look at, and tells nothing: the model is not that wrong (plan/candidates.c). */
#define HOPELESS_FACTOR 3.0
#define CLEARLY_FACTOR 1.2

/* A look executes a kernel that takes longer than a window about so often. */
#define CALLS_OF_A_LOOK 10.0

/* Of a time limit this much at most is for the first look, for all looks, and for these and full windows: the rest is for the comparison. */
#define FIRST_SHARE 0.3
#define LOOKING_SHARE 0.6
#define PROMOTING_SHARE 0.75

/* A compiler beside other programs takes so many times what is expected. */
#define COMPILE_SPREAD 2.0

enum { VARIED = 4 };

/* What is this much slower than the fastest is not tried with other providers' kernels. */
#define VARIED_FACTOR 1.5

bool ranker_is_late(const struct ranker *ranker) {
    return deadline_is_over(ranker->deadline);
}

void ranker_report(const struct ranker *ranker, const char *activity, double done, double total) {
    if (ranker->options.progress) ranker->options.progress(ranker->options.progress_context, activity, done, total);
}

/** A search: what it has found so far. */
struct search {
    struct ranker *ranker;
    struct deadline first;       /**< by which the first look has ended, or there is none */
    struct deadline looking;     /**< and all looks */
    struct deadline promoting;   /**< and full windows */
    double best_seconds;         /**< of what was looked at */
    uint64_t looking_ns;         /**< of CPU time: when looks at what promises most began */
    int looks;                   /**< of these, so many were made */
    double compiled_seconds;     /**< that compilers had taken before */
    struct surrogate *surrogate; /**< that chose the last of them */
    bool answered;               /**< something is predicted, or at least estimated */
    bool is_cut;                 /**< there was no time for some look */
};

static bool in_blas_space(const struct ranker *ranker, const struct tcplan_entry *entry) {
    return tcplan_algorithm_in_blas_space(&entry->algorithm, ranker->ranking->problem.contraction);
}

static bool prunes(const struct ranker *ranker) {
    return predictor_of(ranker->options.predictor)->samples_windows && !ranker->options.predict_all;
}

bool ranker_searches_full(const struct ranker *ranker) {
    return ranker->options.space == TCPLAN_SPACE_FULL && prunes(ranker);
}

static enum tcplan_status predict(const struct prediction_task *task, struct tcplan_error *error) {
    if (tcplan_problem_only_scales(&task->ranker->ranking->problem)) return predict_scaling(task, error);
    return predictor_of(task->ranker->options.predictor)->predict(task, error);
}

/** A first look: by scouts, unless the effort has it that all get full windows. */
static enum tcplan_status predict_first(struct search *search, struct tcplan_entry *entry, struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    const bool scouts = ranker->effort.scouts > 0 && !ranker->options.predict_all;
    const int windows = scouts ? ranker->effort.scouts : ranker->effort.windows;
    const struct prediction_task task = {.ranker = ranker,
                                         .entry = entry,
                                         .best_seconds = prunes(ranker) ? search->best_seconds : INFINITY,
                                         .grade = scouts ? WINDOW_SCOUT : WINDOW_STANDARD,
                                         .windows = windows > 0 ? windows : 1};
    return predict(&task, error);
}

bool ranker_forgives(struct ranker *ranker, const struct tcplan_entry *entry, enum tcplan_status status) {
    struct buffers *buffers = ranker->ranking->buffers;
    const bool forgives = status == TCPLAN_NO_MEMORY && buffers->exceeded && !in_blas_space(ranker, entry);
    if (forgives) buffers->exceeded = false;
    return forgives;
}

enum tcplan_status ranker_predict(struct ranker *ranker, struct tcplan_entry *entry, int least_windows, struct tcplan_error *error) {
    const struct prediction_task task = {.ranker = ranker,
                                         .entry = entry,
                                         .best_seconds = INFINITY,
                                         .grade = WINDOW_STANDARD,
                                         .windows = ranker->effort.windows > least_windows ? ranker->effort.windows : least_windows};
    const enum tcplan_status status = predict(&task, error);
    return entry->predicted && ranker_forgives(ranker, entry, status) ? TCPLAN_OK : status;
}

/* Looks. */

/** Whether a look at an entry ends by then. */
static bool ends_by(const struct search *search, const struct tcplan_entry *entry, struct deadline deadline) {
    const double calls = (double)entry->calls;
    const double most_flops = search->ranker->settings[WINDOW_STANDARD].most_call_flops;
    const double call_flops = search->ranker->ranking->problem.flops / calls;
    const double seconds = isfinite(entry->estimate_seconds) ? entry->estimate_seconds : entry->lower_bound_seconds;
    const double look_seconds = CALLS_OF_A_LOOK * kernel_reduced_seconds(seconds / calls, call_flops, most_flops);
    return !deadline_is_over(deadline) && look_seconds <= deadline_left_seconds(deadline);
}

static bool has_time(const struct search *search, const struct tcplan_entry *entry) {
    return ends_by(search, entry, search->answered ? search->looking : search->first);
}

/** Whether a look is left out, as there is an answer and no time: that is noted. */
static bool is_cut(struct search *search, const struct tcplan_entry *entry) {
    const bool cut = search->answered && !has_time(search, entry);
    search->is_cut = search->is_cut || cut;
    return cut;
}

/** Tells who watches what a look saw, if it did. */
static void tell_look(const struct ranker *ranker, const struct tcplan_entry *entry) {
    if (entry->status == TCPLAN_ENTRY_PRUNED) {
        ranker_tell(ranker, TCPLAN_PLANNING_CUT, &entry->algorithm, entry->lower_bound_seconds);
    } else if (entry->predicted) {
        ranker_tell(ranker, TCPLAN_PLANNING_LOOKED, &entry->algorithm, entry->prediction.seconds);
    }
}

/**
 * Predicts an entry. Where there is no time for that it stays open, or its estimate is the answer where there is none yet. That it does
 * not apply, or takes more than the bound on memory, is no failure.
 */
static enum tcplan_status look(struct search *search, struct tcplan_entry *entry, struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    enum tcplan_status status = TCPLAN_OK;
    if (has_time(search, entry)) {
        ranker_step(ranker);
        status = predict_first(search, entry, error);
        tell_look(ranker, entry);
        candidate_learn(ranker, entry);
        if (entry->predicted) search->best_seconds = fmin(search->best_seconds, entry->prediction.seconds);
    } else if (!search->answered) {
        if (!isfinite(entry->estimate_seconds)) status = candidate_rate(ranker, entry, error);
        if (status == TCPLAN_OK) note_guess(entry, 0);
    }
    search->answered = search->answered || entry->predicted;
    return status == TCPLAN_NOT_APPLICABLE || ranker_forgives(ranker, entry, status) ? TCPLAN_OK : status;
}

/** Whether an entry's kernels alone take too long. */
static bool is_excluded(const struct search *search, struct tcplan_entry *entry) {
    const double most_seconds = BOUND_MARGIN * search->best_seconds;
    if (!prunes(search->ranker) || entry->lower_bound_seconds <= most_seconds) return false;
    if (!ranker_is_late(search->ranker)) return candidate_exceeds(search->ranker, entry, most_seconds);
    if (entry->kernel_source != TCPLAN_TIME_TIMED) entry->lower_bound_seconds = 0; /* nobody timed it: no bound */
    return entry->lower_bound_seconds > most_seconds;
}

/** The second fastest of what was looked at, as the fastest may have been lucky; INFINITY: there are not two. */
static double second_best_seconds(const struct tcplan_ranking *ranking) {
    double best = INFINITY;
    double second = INFINITY;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        if (!entry->predicted || entry->basis == TCPLAN_BASIS_ESTIMATE) continue;
        second = fmin(second, fmax(best, entry->prediction.seconds));
        best = fmin(best, entry->prediction.seconds);
    }
    return second;
}

/** Whether a stage that began at `start_ns` of CPU time has taken what the fastest is worth. */
static bool is_over(const struct search *search, struct effort_share share, uint64_t start_ns) {
    return effort_is_over(share, (double)(clock_thread_cpu_ns() - start_ns) * 1e-9, search->best_seconds);
}

/** Whether looks at what promises most end, of which there are to be `least`. */
static bool is_spent(const struct search *search, int least) {
    const struct effort *effort = &search->ranker->effort;
    const double taken_seconds = (double)(clock_thread_cpu_ns() - search->looking_ns) * 1e-9;
    return effort_ends_looks(effort, search->looks, least, taken_seconds, search->best_seconds);
}

/** The most promising candidate, by a time of its kernel that is no model's. */
static struct tcplan_entry *next_promising(struct ranker *ranker, struct surrogate *surrogate) {
    struct tcplan_entry *entry = surrogate_next(surrogate);
    while (entry && candidate_confirm(ranker, entry)) {
        surrogate_reconsider(surrogate, entry);
        entry = surrogate_next(surrogate);
    }
    return entry;
}

/** Whether the most promising candidate is hardly among the fastest. */
static bool is_unlikely(const struct search *search, const struct tcplan_entry *entry) {
    const struct ranker *ranker = search->ranker;
    const double least_seconds = surrogate_least_seconds(search->surrogate, entry);
    return effort_is_unlikely(&ranker->effort, least_seconds, second_best_seconds(ranker->ranking), search->looks);
}

/** What a compiler is expected to take for an algorithm's kernels; 0 where none is needed, or the one that most calls are of is there. */
static double compile_seconds(const struct search *search, const struct tcplan_algorithm *algorithm) {
    const struct tcplan_problem *problem = &search->ranker->ranking->problem;
    struct blas_call call;
    double calls;
    if (!provider_traits_of(algorithm->provider)->is_compiled || blas_call_of(&call, &calls, problem, algorithm, NULL) != TCPLAN_OK)
        return 0;
    const double seconds = provider_kernel_seconds(&call, problem->dtype);
    return seconds > 0 ? seconds * blas_call_kinds_of(problem, algorithm) : 0;
}

/** Whether there is time for a compiler to make an algorithm's kernel, and others that take `kept_seconds`: by the effort, and until looks are to end. */
static bool may_compile(const struct search *search, const struct tcplan_algorithm *algorithm, double kept_seconds) {
    const double own_seconds = compile_seconds(search, algorithm);
    if (own_seconds > 0 && COMPILE_SPREAD * (own_seconds + kept_seconds) > deadline_left_seconds(search->looking)) return false;
    const double taken_seconds = providers_compiled_seconds() - search->compiled_seconds + own_seconds + kept_seconds;
    return own_seconds == 0 || !effort_is_over(search->ranker->effort.compiling, taken_seconds, search->best_seconds);
}

/** Likewise for a candidate that promises much: where compilers have some time in any case, that of one kernel is left to look_at_loops(). */
static bool may_compile_candidate(const struct search *search, const struct tcplan_algorithm *algorithm) {
    const bool keeps = search->ranker->effort.compiling.least_seconds > 0;
    return may_compile(search, algorithm, keeps ? provider_compile_seconds(algorithm->provider) : 0);
}

/** Looks at candidates until `least` and the time for looks are over, at any time at the one that is most promising by what is known then. */
static enum tcplan_status look_at_promising(struct search *search, int least, struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    ranker_enter(ranker, TCPLAN_PLANNING_LOOKS);
    surrogate_free(search->surrogate);
    search->surrogate = surrogate_new(ranker->ranking, &ranker->options);
    enum tcplan_status status = search->surrogate ? TCPLAN_OK : error_no_memory(error);
    while (status == TCPLAN_OK && !is_spent(search, least)) {
        struct tcplan_entry *entry = next_promising(ranker, search->surrogate);
        if (!entry || is_unlikely(search, entry) || is_cut(search, entry)) break;
        ranker_report(ranker, "looking at candidates", search->looks, ranker->effort.most_looks);
        if (!may_compile_candidate(search, &entry->algorithm)) {
            surrogate_learn(search->surrogate, entry, INFINITY); /* it stays open */
            continue;
        }
        if (!is_excluded(search, entry)) {
            status = look(search, entry, error);
            search->looks++;
        } else {
            ranker_tell(ranker, TCPLAN_PLANNING_EXCLUDED, &entry->algorithm, entry->lower_bound_seconds);
        }
        surrogate_learn(search->surrogate, entry, surrogate_learnt_seconds(entry));
    }
    return status;
}

static int compare_estimates(const void *a, const void *b) {
    const struct tcplan_entry *x = a;
    const struct tcplan_entry *y = b;
    if (x->estimate_seconds != y->estimate_seconds) return x->estimate_seconds < y->estimate_seconds ? -1 : 1;
    return x->ordinal < y->ordinal ? -1 : x->ordinal > y->ordinal;
}

static void sort_by_estimate(struct tcplan_ranking *ranking) {
    if (ranking->entry_count > 0) qsort(ranking->entry, ranking->entry_count, sizeof *ranking->entry, compare_estimates);
}

/** Looks at every candidate that no bound excludes. */
static enum tcplan_status look_at_all(struct search *search, struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    struct tcplan_ranking *ranking = ranker->ranking;
    enum tcplan_status status = TCPLAN_OK;
    ranker_enter(ranker, TCPLAN_PLANNING_LOOKS);
    sort_by_estimate(ranking);
    for (size_t e = 0; e < ranking->entry_count && status == TCPLAN_OK; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        ranker_report(ranker, "predicting", (double)e, (double)ranking->entry_count);
        if (entry->status != TCPLAN_ENTRY_OPEN || is_cut(search, entry)) continue;
        if (!is_excluded(search, entry)) status = look(search, entry, error);
    }
    return status;
}

/** The first candidate of all; nobody has looked at it yet. */
static enum tcplan_status add_baseline(struct ranker *ranker, struct tcplan_error *error) {
    struct tcplan_algorithm algorithm;
    if (!baseline_of(&algorithm, &ranker->ranking->problem)) return TCPLAN_OK;
    struct tcplan_entry baseline = candidate_of(&algorithm, 0);
    baseline.is_baseline = true;
    const enum tcplan_status status = candidate_rate(ranker, &baseline, error);
    if (status != TCPLAN_OK) return status == TCPLAN_NOT_APPLICABLE ? TCPLAN_OK : status;
    candidate_confirm(ranker, &baseline);
    return candidate_add(ranker, &baseline) ? TCPLAN_OK : error_no_memory(error);
}

static struct tcplan_entry *find_baseline(const struct tcplan_ranking *ranking) {
    for (size_t e = 0; e < ranking->entry_count; e++) {
        if (ranking->entry[e].is_baseline) return &ranking->entry[e];
    }
    return NULL;
}

/** The candidate with the best estimate; NULL: there is none. */
static struct tcplan_entry *best_estimated(const struct tcplan_ranking *ranking) {
    struct tcplan_entry *best = NULL;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        if (entry->status != TCPLAN_ENTRY_OPEN || (best && entry->estimate_seconds >= best->estimate_seconds)) continue;
        best = entry;
    }
    return best;
}

/** The same by a time of its kernel that is no model's. */
static struct tcplan_entry *best_confirmed(struct ranker *ranker) {
    struct tcplan_entry *best = best_estimated(ranker->ranking);
    while (best && candidate_confirm(ranker, best)) best = best_estimated(ranker->ranking);
    return best;
}

/** Looks at the baseline where that was not done, and it may be as fast as the best that was looked at. */
static enum tcplan_status look_at_baseline(struct search *search, struct tcplan_error *error) {
    struct tcplan_entry *baseline = find_baseline(search->ranker->ranking);
    const bool is_open = baseline && baseline->status == TCPLAN_ENTRY_OPEN;
    return is_open && baseline->estimate_seconds <= HOPELESS_FACTOR * search->best_seconds ? look(search, baseline, error) : TCPLAN_OK;
}

/**
 * The first look prunes from then on, and is the answer where there is no time for others: the baseline, or the paper's algorithm that promises
 * clearly more, where there is one. Then the baseline comes last, when more is known of what it is held against: it may be long.
 */
static enum tcplan_status look_at_first(struct search *search, struct tcplan_error *error) {
    struct tcplan_ranking *ranking = search->ranker->ranking;
    ranker_enter(search->ranker, TCPLAN_PLANNING_FIRST);
    struct tcplan_entry *baseline = find_baseline(ranking);
    struct tcplan_entry *best = best_confirmed(search->ranker);
    if (!best) return TCPLAN_OK;
    if (!baseline || baseline->estimate_seconds > CLEARLY_FACTOR * best->estimate_seconds) return look(search, best, error);
    return look_at_baseline(search, error);
}

/** The time of a baseline that is hopeless is an estimate. */
static enum tcplan_status settle_baseline(struct search *search, struct tcplan_error *error) {
    ranker_enter(search->ranker, TCPLAN_PLANNING_FIRST);
    const enum tcplan_status status = look_at_baseline(search, error);
    struct tcplan_entry *baseline = find_baseline(search->ranker->ranking);
    const bool is_open = baseline && (baseline->status == TCPLAN_ENTRY_OPEN || baseline->status == TCPLAN_ENTRY_PRUNED);
    if (status == TCPLAN_OK && is_open) note_guess(baseline, baseline->lower_bound_seconds);
    return status;
}

/* Variants of the fastest. */

static struct tcplan_entry *find_entry(const struct tcplan_ranking *ranking, const struct tcplan_algorithm *algorithm) {
    for (size_t e = 0; e < ranking->entry_count; e++) {
        if (tcplan_algorithm_equal(&ranking->entry[e].algorithm, algorithm)) return &ranking->entry[e];
    }
    return NULL;
}

/** Whether an algorithm's provider is there and has its kernel's routine. */
static bool has_routine(const struct tcplan_problem *problem, const struct tcplan_algorithm *algorithm) {
    struct tcplan_provider_info info;
    struct blas_call call;
    double calls;
    return tcplan_provider_info(&info, algorithm->provider) && algorithm_check(algorithm, problem->contraction, NULL) == TCPLAN_OK &&
           blas_call_of(&call, &calls, problem, algorithm, NULL) == TCPLAN_OK &&
           blas_call_provider_has(&call, problem->dtype, algorithm->provider);
}

/** The entry of an algorithm, which gets one where it has none and can run; NULL: it cannot. */
static enum tcplan_status entry_of(struct tcplan_entry **out, struct ranker *ranker, const struct tcplan_algorithm *algorithm,
                                   struct tcplan_error *error) {
    struct tcplan_entry candidate = candidate_of(algorithm, 0);
    *out = find_entry(ranker->ranking, algorithm);
    if (*out) return TCPLAN_OK;
    if (!ranker_searches_full(ranker) && !in_blas_space(ranker, &candidate)) return TCPLAN_OK;
    if (!has_routine(&ranker->ranking->problem, algorithm)) return TCPLAN_OK;
    const enum tcplan_status status = candidate_rate(ranker, &candidate, error);
    if (status != TCPLAN_OK) return status == TCPLAN_NOT_APPLICABLE ? TCPLAN_OK : status;
    *out = candidate_add(ranker, &candidate);
    return *out ? TCPLAN_OK : error_no_memory(error);
}

/** Looks at an algorithm, whether it was a candidate or not, unless somebody did, it cannot run, or its kernels take too long. */
static enum tcplan_status look_at_other(struct search *search, const struct tcplan_algorithm *algorithm, struct tcplan_error *error) {
    struct tcplan_entry *entry;
    const enum tcplan_status status = entry_of(&entry, search->ranker, algorithm, error);
    if (status != TCPLAN_OK || !entry || entry->status != TCPLAN_ENTRY_OPEN || is_excluded(search, entry)) return status;
    return look(search, entry, error);
}

/**
 * The same algorithm with every other provider's kernel; what only some kernels can, to write the result past the caches, is left to the next but these. Those
 * that can are looked at in both ways.
 */
static enum tcplan_status look_at_providers(struct search *search, struct tcplan_algorithm algorithm, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    struct tcplan_algorithm other;
    const bool streams = algorithm.copy[TCPLAN_C].streamed && !algorithm_copies(&algorithm, TCPLAN_C);
    for (int p = 0; p < TCPLAN_PROVIDERS && status == TCPLAN_OK && !deadline_is_over(search->looking); p++) {
        algorithm.provider = (enum tcplan_provider)p;
        algorithm.tile = (struct tcplan_register_tile){0};
        if (streams) algorithm.copy[TCPLAN_C].streamed = provider_traits_of(algorithm.provider)->streams;
        if (!provider_is_searched(algorithm.provider) || !may_compile(search, &algorithm, 0)) continue;
        status = look_at_other(search, &algorithm, error);
        if (status != TCPLAN_OK || !variant_streamed(&other, &search->ranker->ranking->problem, &search->ranker->machine, &algorithm))
            continue;
        if (may_compile(search, &other, 0)) status = look_at_other(search, &other, error);
    }
    return status;
}

/**
 * The fastest, where its kernel is written for the call, with other tiles in registers: those that a count of instructions takes for about as good, as long as
 * a compiler may have time for them.
 */
static enum tcplan_status look_at_tiles(struct search *search, struct tcplan_error *error) {
    const struct tcplan_ranking *ranking = search->ranker->ranking;
    enum tcplan_status status = TCPLAN_OK;
    struct blas_call call;
    double calls;
    ranker_sort(search->ranker->ranking);
    if (ranking->entry_count == 0 || !ranking->entry[0].predicted) return TCPLAN_OK;
    struct tcplan_algorithm algorithm = ranking->entry[0].algorithm;
    if (!provider_traits_of(algorithm.provider)->is_compiled || algorithm_tile_number(algorithm.tile) != 0) return TCPLAN_OK;
    if (blas_call_of(&call, &calls, &ranking->problem, &algorithm, NULL) != TCPLAN_OK) return TCPLAN_OK;
    const struct emitted_tiles tiles = emitted_tiles_of(&call, ranking->problem.dtype);
    for (int t = 0; t < tiles.count && status == TCPLAN_OK && !deadline_is_over(search->looking); t++) {
        algorithm.tile = tiles.tile[t];
        if (may_compile(search, &algorithm, 0)) status = look_at_other(search, &algorithm, error);
    }
    return status;
}

/* What a kernel of loops takes that nobody compiled is a guess: of small products it was up to 2.8 times what it took. */
#define GUESSED_FACTOR 3.0

/**
 * The whole product as loops of one kernel, which has to be compiled; that it is guessed to be slower does not exclude it. With a copy of a small factor
 * first, as a compiler may have time for one.
 */
static enum tcplan_status look_at_loops(struct search *search, struct tcplan_error *error) {
    const struct tcplan_problem *problem = &search->ranker->ranking->problem;
    struct tcplan_algorithm loops, copied;
    struct tcplan_entry *entry = NULL;
    struct blas_call call;
    double calls;
    if (!structures_loops(&loops, problem->contraction) || blas_call_of(&call, &calls, problem, &loops, NULL) != TCPLAN_OK)
        return TCPLAN_OK;
    if (!blas_call_provider_applies(&call, problem->dtype, loops.provider) || !provider_is_searched(loops.provider)) return TCPLAN_OK;
    enum tcplan_status status = structures_loops_copied(&copied, problem) ? look_at_providers(search, copied, error) : TCPLAN_OK;
    if (status == TCPLAN_OK) status = entry_of(&entry, search->ranker, &loops, error);
    if (status != TCPLAN_OK || !entry || entry->status != TCPLAN_ENTRY_OPEN || deadline_is_over(search->looking)) return status;
    const double factor = entry->kernel_source == TCPLAN_TIME_TIMED ? BOUND_MARGIN : GUESSED_FACTOR;
    const bool is_hopeless = prunes(search->ranker) && entry->lower_bound_seconds > factor * search->best_seconds;
    return !is_hopeless && may_compile(search, &loops, 0) ? look(search, entry, error) : TCPLAN_OK;
}

/** The fastest that was looked at, with its result copied otherwise, its temporaries padded, its loops one thread's. */
static enum tcplan_status look_at_variants(struct search *search, const struct tcplan_algorithm *algorithm, struct tcplan_error *error) {
    const struct ranker *ranker = search->ranker;
    const struct tcplan_problem *problem = &ranker->ranking->problem;
    struct tcplan_algorithm other[3];
    const bool has_other[3] = {variant_of_result(&other[0], problem, &ranker->machine, algorithm),
                               variant_padded(&other[1], problem, &ranker->machine, algorithm),
                               variant_unshared(&other[2], problem->contraction, algorithm)};
    enum tcplan_status status = TCPLAN_OK;
    for (int v = 0; v < 3 && status == TCPLAN_OK; v++) {
        if (has_other[v] && !deadline_is_over(search->looking)) status = look_at_other(search, &other[v], error);
    }
    return status;
}

/* Estimates of the whole product and of its slices were 15 % off each other's times at most (the intensli cases on a Zen 3); slices were a sixth faster. */
#define ABOUT_AS_FAST 1.1

/** What is estimated of an algorithm; INFINITY: it cannot run. */
static enum tcplan_status estimate_of(double *seconds, struct ranker *ranker, const struct tcplan_algorithm *algorithm,
                                      struct tcplan_error *error) {
    struct tcplan_entry candidate = candidate_of(algorithm, 0);
    const bool can_run = has_routine(&ranker->ranking->problem, algorithm);
    const enum tcplan_status status = can_run ? candidate_rate(ranker, &candidate, error) : TCPLAN_NOT_APPLICABLE;
    *seconds = status == TCPLAN_OK ? candidate.estimate_seconds : INFINITY;
    return status == TCPLAN_NOT_APPLICABLE ? TCPLAN_OK : status;
}

/** The whole product in slices, a loop over the index for which least is estimated, where that is about what is estimated of the whole. */
static enum tcplan_status look_at_slices(struct search *search, const struct tcplan_algorithm *whole, struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    const struct tcplan_problem *problem = &ranker->ranking->problem;
    struct tcplan_algorithm sliced, best;
    double seconds, least_seconds = INFINITY, whole_seconds = INFINITY;
    enum tcplan_status status = estimate_of(&whole_seconds, ranker, whole, error);
    for (int i = 0; i < problem->contraction->index_count && status == TCPLAN_OK; i++) {
        if (!baseline_sliced(&sliced, problem, whole->provider, i)) continue;
        status = estimate_of(&seconds, ranker, &sliced, error);
        if (seconds >= least_seconds) continue;
        least_seconds = seconds;
        best = sliced;
    }
    if (status != TCPLAN_OK || isinf(least_seconds) || least_seconds > ABOUT_AS_FAST * whole_seconds) return status;
    return may_compile(search, &best, 0) ? look_at_other(search, &best, error) : TCPLAN_OK;
}

/**
 * The product as a whole by kernels that take all operands as they lie, in slices or shared by threads, and as it is: none of the fastest may show what they
 * can.
 */
static enum tcplan_status look_at_whole(struct search *search, struct tcplan_error *error) {
    const struct tcplan_problem *problem = &search->ranker->ranking->problem;
    const int threads = search->ranker->options.threads;
    enum tcplan_status status = TCPLAN_OK;
    for (int p = 0; p < TCPLAN_PROVIDERS && status == TCPLAN_OK && !deadline_is_over(search->looking); p++) {
        const enum tcplan_provider provider = (enum tcplan_provider)p;
        struct tcplan_algorithm whole, shared;
        if (!provider_is_searched(provider) || !baseline_in_place(&whole, problem, provider)) continue;
        if (threads == 1) status = look_at_slices(search, &whole, error);
        const bool is_shared = baseline_shared(&shared, problem, provider, threads) && may_compile(search, &shared, 0);
        if (is_shared) status = look_at_other(search, &shared, error);
        if (status == TCPLAN_OK && may_compile(search, &whole, 0)) status = look_at_other(search, &whole, error);
    }
    return status;
}

/**
 * What a kernel does to operands beyond the caches, and what caches keep of a result, shows only in place: the fastest are tried with all providers, and the
 * fastest of all with its copies made otherwise, and by one thread.
 */
static enum tcplan_status vary(struct search *search, struct tcplan_error *error) {
    const struct tcplan_ranking *ranking = search->ranker->ranking;
    enum tcplan_status status = TCPLAN_OK;
    struct tcplan_algorithm fastest[VARIED];
    size_t count = 0;
    const uint64_t start_ns = clock_thread_cpu_ns();
    ranker_enter(search->ranker, TCPLAN_PLANNING_PROVIDERS);
    ranker_sort(search->ranker->ranking);
    for (; count < VARIED && count < ranking->entry_count && ranking->entry[count].predicted; count++) {
        if (ranking->entry[count].prediction.seconds > VARIED_FACTOR * ranking->entry[0].prediction.seconds) break;
        fastest[count] = ranking->entry[count].algorithm;
    }
    if (count > 0) status = look_at_variants(search, &fastest[0], error);
    if (count > 0 && status == TCPLAN_OK) status = look_at_loops(search, error); /* a compiler may have time for one kernel */
    if (count > 0 && status == TCPLAN_OK) status = look_at_whole(search, error);
    for (size_t f = 0; f < count && status == TCPLAN_OK && !deadline_is_over(search->looking); f++) {
        if (f > 0 && is_over(search, search->ranker->effort.varying, start_ns)) break;
        status = look_at_providers(search, fastest[f], error);
    }
    return status == TCPLAN_OK && count > 0 ? look_at_tiles(search, error) : status;
}

/* Afterwards. */

/** So many that a bound excludes have no entry. */
static void note_unlisted(struct tcplan_ranking *ranking, double pruned, double bound_seconds) {
    if (pruned <= 0) return;
    const bool is_first = ranking->unlisted_pruned == 0;
    ranking->unlisted_pruned += pruned;
    if (is_first || bound_seconds < ranking->unlisted_bound_seconds) ranking->unlisted_bound_seconds = bound_seconds;
}

/** Of the orders of a structure's loops that have no entry, what the bound of those that have one says: it is the same kernel's. */
static void count_unlisted(struct tcplan_ranking *ranking, const struct tcplan_algorithm *structure, double most_seconds) {
    double unlisted = enumerator_orders(structure);
    double bound_seconds = INFINITY;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        if (memcmp(entry->algorithm.group, structure->group, sizeof structure->group) != 0) continue;
        if (!tcplan_algorithm_in_blas_space(&entry->algorithm, ranking->problem.contraction)) continue;
        unlisted--;
        /* That of a run that was cut off is its own. */
        if (entry->status != TCPLAN_ENTRY_PRUNED) bound_seconds = fmin(bound_seconds, entry->lower_bound_seconds);
    }
    if (isfinite(bound_seconds) && bound_seconds > most_seconds) note_unlisted(ranking, unlisted, bound_seconds);
}

/** Where not all have an entry those keep theirs that were predicted, or cannot run; the others are counted. */
static void drop_rest(struct tcplan_ranking *ranking, double most_seconds) {
    size_t kept = 0;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        const bool is_left = entry->status == TCPLAN_ENTRY_OPEN || entry->status == TCPLAN_ENTRY_PRUNED;
        if (is_left && entry->lower_bound_seconds > most_seconds) note_unlisted(ranking, 1, entry->lower_bound_seconds);
        if (!is_left) ranking->entry[kept++] = *entry;
    }
    ranking->entry_count = kept;
}

/**
 * What nobody looked at is excluded where its bound exceeds the best prediction that there is in the end. Of many candidates that is no reason to time kernels
 * again: what is not known for certain is left open.
 */
static enum tcplan_status settle_rest(const struct search *search, struct tcplan_error *error) {
    struct tcplan_ranking *ranking = search->ranker->ranking;
    const double most_seconds = prunes(search->ranker) ? BOUND_MARGIN * search->best_seconds : INFINITY;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        if (entry->status != TCPLAN_ENTRY_OPEN) continue;
        if (!ranking->lists_all) {
            if (!candidate_is_known_to_exceed(search->ranker, entry, most_seconds)) entry->lower_bound_seconds = 0;
        } else if (is_excluded(search, entry)) {
            entry->status = TCPLAN_ENTRY_PRUNED;
        }
    }
    if (ranking->lists_all) return TCPLAN_OK;
    size_t count;
    struct tcplan_algorithm *structure = enumerator_structures(ranking->problem.contraction, &count);
    if (!structure) return error_no_memory(error);
    for (size_t s = 0; s < count; s++) count_unlisted(ranking, &structure[s], most_seconds);
    base_free(structure);
    drop_rest(ranking, most_seconds);
    return TCPLAN_OK;
}

/** Full windows for an entry that only scouts, or nobody, have seen. */
static enum tcplan_status look_closely(const struct search *search, struct tcplan_entry *entry, struct tcplan_error *error) {
    const bool is_rough = entry->basis == TCPLAN_BASIS_SCOUT || entry->basis == TCPLAN_BASIS_ESTIMATE;
    if (!is_rough || !ends_by(search, entry, search->ranker->deadline)) return TCPLAN_OK;
    ranker_step(search->ranker);
    return ranker_predict(search->ranker, entry, 1, error);
}

/**
 * Full windows for what the model has in front, unless scouts have seen that it is much slower than the fastest: a disturbed scout must not lose the
 * best.
 */
static enum tcplan_status promote_estimated(const struct search *search, double fastest_seconds, size_t most, uint64_t start_ns,
                                            struct tcplan_error *error) {
    const struct effort *effort = &search->ranker->effort;
    struct tcplan_ranking *ranking = search->ranker->ranking;
    enum tcplan_status status = TCPLAN_OK;
    size_t promoted = 0;
    sort_by_estimate(ranking);
    for (size_t e = 0; e < ranking->entry_count && promoted < most && status == TCPLAN_OK; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        const bool is_late = deadline_is_over(search->promoting) || (promoted > 0 && is_over(search, effort->promoting, start_ns));
        if (is_late) break;
        if (!entry->predicted || !effort_promotes(entry->prediction.seconds, fastest_seconds)) continue;
        promoted++;
        status = look_closely(search, entry, error);
    }
    return status;
}

/**
 * Full windows for the fastest of what scouts have seen. Where whole runs are compared these tell more than windows, and who gets a seat is told by scouts as
 * well (bench_selection): then only what the model has in front of all is looked at more closely.
 */
static enum tcplan_status promote(const struct search *search, struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    struct tcplan_ranking *ranking = ranker->ranking;
    enum tcplan_status status = TCPLAN_OK;
    const uint64_t start_ns = clock_thread_cpu_ns();
    ranker_enter(ranker, TCPLAN_PLANNING_WINDOWS);
    ranker_sort(ranking);
    if (!prunes(ranker) || ranking->entry_count == 0 || !ranking->entry[0].predicted) return TCPLAN_OK;
    const double fastest_seconds = ranking->entry[0].prediction.seconds;
    const bool compares_runs = ranker_compares_runs(ranker, &ranking->entry[0]);
    const size_t most = compares_runs ? 0 : ranker->effort.most_promoted;
    const size_t most_doubted = compares_runs && ranker->effort.most_doubted > 0 ? 1 : ranker->effort.most_doubted;
    for (size_t e = 0; e < ranking->entry_count && e < most && status == TCPLAN_OK; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        if (!entry->predicted || !effort_promotes(entry->prediction.seconds, fastest_seconds) || deadline_is_over(search->promoting)) break;
        if (e > 0 && is_over(search, ranker->effort.promoting, start_ns)) break;
        ranker_report(ranker, "predicting the fastest", (double)e, (double)most);
        status = look_closely(search, entry, error);
    }
    return status == TCPLAN_OK && ranker_searches_full(ranker) ? promote_estimated(search, fastest_seconds, most_doubted, start_ns, error)
                                                               : status;
}

/* Algorithms that the caller has look at. */

/** Looks at where to start from, however little its estimate promises: it was the fastest of something alike. */
static enum tcplan_status look_at_starts(struct search *search, struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    enum tcplan_status status = TCPLAN_OK;
    for (size_t s = 0; s < ranker->options.start_count && status == TCPLAN_OK; s++) {
        struct tcplan_entry *entry;
        status = entry_of(&entry, ranker, &ranker->options.start[s], error);
        if (status == TCPLAN_OK && entry && entry->status == TCPLAN_ENTRY_OPEN && !is_cut(search, entry))
            status = look(search, entry, error);
    }
    return status;
}

/* The stages. */

/**
 * Whether every candidate is looked at, whatever it promises: where that was asked for, and where the effort has no scouts and all are
 * listed.
 */
static bool looks_at_all(const struct ranker *ranker) {
    return !prunes(ranker) || (ranker->ranking->lists_all && ranker->effort.scouts == 0);
}

/** Candidates, and the first look. */
static enum tcplan_status generate(struct search *search, struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    const bool full = ranker_searches_full(ranker);
    struct generating generating = {.best_seconds = INFINITY};
    enum tcplan_status status = full ? add_baseline(ranker, error) : TCPLAN_OK;
    if (status == TCPLAN_OK) status = candidates_make_orders(ranker, &generating, error);
    if (status == TCPLAN_OK && prunes(ranker) && !ranker->effort.times_nothing) status = look_at_starts(search, error);
    if (status == TCPLAN_OK && full && !ranker->effort.times_nothing) status = look_at_first(search, error);
    search->is_cut = generating.is_cut || (search->answered && deadline_is_over(search->looking));
    if (status != TCPLAN_OK || !full || search->is_cut) return status;
    generating.best_seconds = fmin(generating.best_seconds, search->best_seconds);
    status = candidates_make_arrangements(ranker, &generating, error);
    search->is_cut = generating.is_cut;
    return status;
}

/** Looks at what promises most, and at the fastest with all providers' kernels, in turns (plan/effort.h). */
static enum tcplan_status look_in_turns(struct search *search, struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    enum tcplan_status status = TCPLAN_OK;
    bool goes_on = true;
    search->looking_ns = clock_thread_cpu_ns();
    for (int turn = 0; goes_on && status == TCPLAN_OK; turn++) {
        status = look_at_promising(search, effort_least_looks(&ranker->effort, turn, search->looks), error);
        const double before_seconds = search->best_seconds;
        if (status == TCPLAN_OK && ranker_searches_full(ranker)) status = vary(search, error);
        goes_on = effort_turns_again(turn, before_seconds, search->best_seconds);
    }
    if (search->surrogate) surrogate_keep(search->surrogate);
    surrogate_free(search->surrogate);
    search->surrogate = NULL;
    return status;
}

static enum tcplan_status find(struct search *search, struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    enum tcplan_status status = generate(search, error);
    if (status == TCPLAN_OK) status = looks_at_all(ranker) ? look_at_all(search, error) : look_in_turns(search, error);
    if (status == TCPLAN_OK && ranker_searches_full(ranker)) status = settle_baseline(search, error);
    return status == TCPLAN_OK ? settle_rest(search, error) : status;
}

/** Of predictions that are equal to the least, the easiest. */
static size_t easiest_guess(const struct ranker *ranker) {
    const struct tcplan_ranking *ranking = ranker->ranking;
    size_t easiest = 0;
    for (size_t e = 1; e < ranking->entry_count && ranking->entry[e].predicted; e++) {
        const double most_seconds = ranking->entry[0].prediction.seconds * (1 + ease_margin(ranker->options.prefer));
        if (ranking->entry[e].prediction.seconds > most_seconds) break;
        const struct tcplan_algorithm *algorithm = &ranking->entry[e].algorithm;
        if (ease_prefer(&ranking->problem, ranker->options.threads, algorithm, &ranking->entry[easiest].algorithm) < 0) easiest = e;
    }
    return easiest;
}

/** The best estimates, and the baseline's, as predictions; which of them may be as fast as the first. */
static void note_guesses(struct ranker *ranker) {
    struct tcplan_ranking *ranking = ranker->ranking;
    sort_by_estimate(ranking);
    for (size_t e = 0; e < ranking->entry_count; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        const bool is_told = e < (size_t)ranker->effort.most_looks || entry->is_baseline;
        if (is_told && entry->status == TCPLAN_ENTRY_OPEN && isfinite(entry->estimate_seconds)) note_guess(entry, 0);
    }
    ranker_sort(ranking);
    const size_t picked = easiest_guess(ranker);
    for (size_t e = 0; e < ranking->entry_count && ranking->entry[e].predicted; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        entry->picked = e == picked;
        entry->missed = entry->prediction.low <= ranking->entry[0].prediction.high;
        ranking->missed_count += entry->missed && !entry->picked;
    }
}

static enum tcplan_status estimate(struct search *search, struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    struct tcplan_ranking *ranking = ranker->ranking;
    enum tcplan_status status = ranking->is_single ? candidate_rate(ranker, &ranking->entry[0], error) : generate(search, error);
    if (status == TCPLAN_OK) status = learned_correct(ranking, &ranker->options, ranker->effort.most_looks, error);
    if (status != TCPLAN_OK) return status;
    for (size_t e = 0; e < ranking->entry_count; e++)
        ranking->entry[e].lower_bound_seconds = 0; /* no kernel was timed: they exclude nothing */
    note_guesses(ranker);
    ranking->out_of_time = search->is_cut;
    return ranking->is_single ? TCPLAN_OK : settle_rest(search, error);
}

enum tcplan_status ranker_estimate(struct ranker *ranker, struct tcplan_error *error) {
    struct search search = {.ranker = ranker, .compiled_seconds = providers_compiled_seconds(), .best_seconds = INFINITY};
    ranker->arranger = arranger_new(&ranker->ranking->problem, &ranker->machine, 1, ranker->deadline);
    const enum tcplan_status status = ranker->arranger ? estimate(&search, error) : error_no_memory(error);
    arranger_free(ranker->arranger);
    return status;
}

enum tcplan_status ranker_search(struct ranker *ranker, struct tcplan_error *error) {
    struct tcplan_ranking *ranking = ranker->ranking;
    if (ranker->effort.times_nothing) return ranker_estimate(ranker, error);
    struct search search = {.ranker = ranker,
                            .compiled_seconds = providers_compiled_seconds(),
                            .best_seconds = INFINITY,
                            .first = ranker->deadline,
                            .looking = ranker->deadline,
                            .promoting = ranker->deadline};
    if (prunes(ranker) && !ranker_is_late(ranker)) {
        search.first = deadline_share(ranker->deadline, FIRST_SHARE);
        search.looking = deadline_share(ranker->deadline, LOOKING_SHARE);
        search.promoting = deadline_share(ranker->deadline, PROMOTING_SHARE);
    }
    ranker_back_small(ranker);
    if (ranker_searches_full(ranker)) call_time_make_ready(ranker);
    ranker->arranger = arranger_new(&ranking->problem, &ranker->machine, 1, ranker->deadline);
    enum tcplan_status status = ranker->arranger ? find(&search, error) : error_no_memory(error);
    arranger_free(ranker->arranger);
    if (status == TCPLAN_OK && predictor_of(ranker->options.predictor)->samples_windows) {
        status = promote(&search, error);
        if (status == TCPLAN_OK) status = ranker_compare(ranker, error);
    }
    ranking->out_of_time = ranker_is_late(ranker) || search.is_cut;
    return status;
}
