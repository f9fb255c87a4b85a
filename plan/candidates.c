#include "plan/candidates.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/provider.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/units.h"
#include "cachesim/arrangement/arrangement.h"
#include "gen/providers/provider.h"
#include "microbench/providers/providers.h"
#include "microbench/timing/clock.h"
#include "plan/generate.h"
#include "plan/loop_sharing.h"
#include "plan/temporaries.h"
#include "plan/thread_counts.h"
#include "plan/times/call_time.h"

/* Beam width: partial arrangements of a structure that the arranger extends in each step. */
enum { BEAM = 4 };

enum { FIRST_ENTRIES = 64, MOST_ENTRIES = 4096 };

/* Candidates are dropped if their estimate exceeds the lowest estimate by this factor, which is
 * larger than the cost model's error. */
#define ENTRY_FACTOR 3.0

/* Kernels are not timed if their guessed time exceeds the best one by this factor. */
#define GUESS_FACTOR 2.0

/* Largest error of a guessed time after guesses of its class were calibrated by measured times. */
#define GUESS_ERROR 2.0

/* Shortest time to arrange a structure, in seconds: it limits how many structures are generated. */
#define ARRANGING_SECONDS 20e-6
#define FEWEST_STRUCTURES 64.0

/* Share of the remaining time for generating candidates. */
#define GENERATING_SHARE 0.4

struct tcplan_entry candidate_of(const struct tcplan_algorithm *algorithm, int threads,
                                 uint64_t ordinal) {
    return (struct tcplan_entry){.algorithm = *algorithm,
                                 .threads = threads,
                                 .status = TCPLAN_ENTRY_OPEN,
                                 .ordinal = ordinal,
                                 .calls = 1,
                                 .estimate_seconds = INFINITY};
}

struct tcplan_entry *candidate_find(const struct tcplan_ranking *ranking,
                                    const struct tcplan_algorithm *algorithm, int threads) {
    for (size_t e = 0; e < ranking->entry_count; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        if (entry->threads == threads && tcplan_algorithm_equal(&entry->algorithm, algorithm))
            return entry;
    }
    return NULL;
}

/** Counts an algorithm. Those of the `blas` space were counted when they were enumerated. */
static void count(struct tcplan_ranking *ranking, const struct tcplan_algorithm *algorithm,
                  int more) {
    if (tcplan_algorithm_in_blas_space(algorithm, ranking->problem.contraction)) return;
    ranking->candidate_count += more;
    ranking->algorithm_count += more;
}

struct tcplan_entry *candidate_add(struct ranker *ranker, const struct tcplan_entry *entry) {
    assert(entry->threads > 0 && entry->calls > 0);
    struct tcplan_ranking *ranking = ranker->ranking;
    if (ranking->entry_count == ranker->entry_capacity) {
        const size_t capacity =
            ranker->entry_capacity > 0 ? 2 * ranker->entry_capacity : FIRST_ENTRIES;
        struct tcplan_entry *grown = base_realloc(ranking->entry, capacity * sizeof *grown);
        if (!grown) return NULL;
        ranking->entry = grown;
        ranker->entry_capacity = capacity;
    }
    struct tcplan_entry *added = &ranking->entry[ranking->entry_count++];
    *added = *entry;
    added->ordinal = ranker->found++;
    count(ranking, &entry->algorithm, 1);
    return added;
}

/** Returns the number of BLAS threads of each call of an entry. */
static int threads_of(const struct tcplan_entry *entry) {
    return entry->algorithm.parallel >= 0 ? 1 : entry->threads;
}

/** Finds the call of an entry's kernel and the number of calls of the busiest thread. */
static bool call_of(struct blas_call *call, double *calls, const struct ranker *ranker,
                    const struct tcplan_entry *entry) {
    const struct tcplan_problem *problem = &ranker->ranking->problem;
    if (blas_call_of(call, calls, problem, &entry->algorithm, NULL) != TCPLAN_OK) return false;
    *calls *= loop_sharing_largest(problem, &entry->algorithm, entry->threads);
    return true;
}

void candidate_learn(struct ranker *ranker, struct tcplan_entry *entry) {
    struct blas_call call;
    double calls;
    if (!entry->predicted || entry->prediction.seconds >= entry->lower_bound_seconds) return;
    if (!call_of(&call, &calls, ranker, entry)) return;
    entry->lower_bound_seconds = entry->prediction.seconds;
    call_time_learn(ranker, &call, threads_of(entry),
                    entry->prediction.seconds * NS_PER_SECOND / calls);
}

bool candidate_exceeds(struct ranker *ranker, struct tcplan_entry *entry, double seconds) {
    struct blas_call call;
    double calls;
    if (entry->lower_bound_seconds <= seconds) return false;
    if (!call_of(&call, &calls, ranker, entry)) return true;
    const struct call_time time =
        call_time_of(ranker, &call, threads_of(entry), seconds * NS_PER_SECOND / calls);
    const double bound_seconds = time.ns * calls * SECONDS_PER_NS;
    const bool was_timed =
        entry->kernel_source ==
        TCPLAN_TIME_TIMED; /* a modelled kernel time was no lower bound, so it is replaced */
    if (time.ns >= 0)
        entry->lower_bound_seconds =
            was_timed ? fmin(entry->lower_bound_seconds, bound_seconds) : bound_seconds;
    return entry->lower_bound_seconds > seconds;
}

bool candidate_is_known_to_exceed(const struct ranker *ranker, const struct tcplan_entry *entry,
                                  double seconds) {
    struct blas_call call;
    double calls;
    if (entry->lower_bound_seconds <= seconds || entry->kernel_source != TCPLAN_TIME_TIMED)
        return false;
    return call_of(&call, &calls, ranker, entry) &&
           call_time_is_certain(ranker, &call, threads_of(entry));
}

/** Measures an entry's kernel time, unless it was measured twice already or is at most
 * `doubtful_seconds`, and updates the estimate. Returns false, without changes, if the kernel may
 * not be timed. */
static bool retime(struct ranker *ranker, struct tcplan_entry *entry, double doubtful_seconds) {
    struct blas_call call;
    double calls;
    if (ranker->effort.times_nothing || !call_of(&call, &calls, ranker, entry) ||
        provider_traits_of(call.provider)->is_compiled) /* no kernel is compiled just to be timed */
        return false;
    const struct call_time time =
        call_time_timed(ranker, &call, threads_of(entry), NS_PER_SECOND * doubtful_seconds / calls);
    if (time.ns < 0) return false;
    const double rest_seconds = fmax(0, entry->estimate_seconds - entry->lower_bound_seconds);
    entry->lower_bound_seconds = time.ns * calls * SECONDS_PER_NS;
    entry->estimate_seconds = entry->lower_bound_seconds + rest_seconds;
    entry->estimate_low = time.low_ns * calls * SECONDS_PER_NS + rest_seconds / ESTIMATE_FACTOR;
    entry->estimate_high = time.high_ns * calls * SECONDS_PER_NS + rest_seconds * ESTIMATE_FACTOR;
    entry->kernel_source = time.source;
    return true;
}

bool candidate_confirm(struct ranker *ranker, struct tcplan_entry *entry) {
    return entry->kernel_source != TCPLAN_TIME_TIMED && retime(ranker, entry, INFINITY);
}

void candidate_doubt(struct ranker *ranker, struct tcplan_entry *entry, double seconds) {
    const double rest_seconds = entry->estimate_seconds - entry->lower_bound_seconds;
    if (entry->kernel_source == TCPLAN_TIME_TIMED && entry->estimate_seconds > seconds)
        retime(ranker, entry, fmax(0, seconds - rest_seconds));
}

/** Returns whether an algorithm's temporaries fit in the memory for planning, and in the limit of
 * the options. */
static bool fits_workspace(const struct ranker *ranker, const struct tcplan_entry *entry) {
    const struct tcplan_ranking *ranking = ranker->ranking;
    const struct tcplan_rank_options *options = &ranker->options;
    const struct buffers *buffers = ranking->buffers; /* NULL: nothing is timed */
    int64_t bytes;
    if (temporaries_bytes(&bytes, &ranking->problem, &entry->algorithm, entry->threads, NULL) !=
        TCPLAN_OK)
        return false; /* memory ran out */
    const bool is_allowed =
        options->max_workspace_bytes == 0 || bytes <= options->max_workspace_bytes;
    return is_allowed && (!buffers || (double)bytes <= (double)buffers->scratch.limit_bytes);
}

/** Copies an estimate to an entry. */
static void note_rating(struct tcplan_entry *entry, const struct estimate *estimate, double calls) {
    assert(estimate->low_seconds <= estimate->seconds);
    assert(estimate->seconds <= estimate->high_seconds);
    entry->calls = saturated_i64(ceil(calls));
    entry->lower_bound_seconds = estimate->kernel_seconds;
    entry->estimate_seconds = estimate->seconds;
    entry->estimate_low = estimate->low_seconds;
    entry->estimate_high = estimate->high_seconds;
    entry->kernel_source = estimate->kernel_source;
    entry->copy_source = estimate->copy_source;
}

/** Prepares the estimate of an entry without its arrangement. Returns a status of candidate_rate().
 */
static enum tcplan_status time_kernel(struct estimate_task *out, struct blas_call *call,
                                      struct ranker *ranker, const struct tcplan_entry *entry,
                                      bool times, struct tcplan_error *error) {
    const struct tcplan_problem *problem = &ranker->ranking->problem;
    const int threads = threads_of(entry);
    *out = (struct estimate_task){
        .models = &ranker->models, .problem = problem, .call = call, .threads = threads};
    const enum tcplan_status status =
        blas_call_of(call, &out->calls, problem, &entry->algorithm, error);
    if (status != TCPLAN_OK) return status;
    if (!fits_workspace(ranker, entry)) {
        return error_set(error, TCPLAN_NOT_APPLICABLE, "the algorithm's temporaries are too large");
    }
    out->threads_around = entry->threads / threads;
    if (tcplan_problem_only_scales(problem)) { /* without products, no kernel is called */
        out->calls = 0;
        return TCPLAN_OK;
    }
    out->call_time = times ? call_time_of(ranker, call, threads, INFINITY)
                           : call_time_expected(ranker, call, threads);
    return out->call_time.ns >= 0
               ? TCPLAN_OK
               : error_set(error, TCPLAN_NOT_APPLICABLE, "no kernel makes this call");
}

static enum tcplan_status rate(struct ranker *ranker, struct tcplan_entry *entry, bool times,
                               struct tcplan_error *error) {
    struct blas_call call;
    struct estimate_task task;
    struct arrangement arrangement = {.algorithm = entry->algorithm};
    const enum tcplan_status status = time_kernel(&task, &call, ranker, entry, times, error);
    if (status != TCPLAN_OK) return status;
    const double calls = task.calls;
    arrangement.seconds =
        arrangement_seconds(ranker->arranger, &entry->algorithm, &arrangement.parts);
    if (isinf(arrangement.seconds)) return error_no_memory(error);
    task.arrangement = &arrangement;
    task.calls *= loop_sharing_largest(task.problem, &entry->algorithm, entry->threads);
    const struct estimate estimate = estimate_of(&task);
    note_rating(entry, &estimate, calls);
    return TCPLAN_OK;
}

enum tcplan_status candidate_rate(struct ranker *ranker, struct tcplan_entry *entry,
                                  struct tcplan_error *error) {
    const enum tcplan_status status = rate(ranker, entry, true, error);
    if (status == TCPLAN_NOT_APPLICABLE) ranking_exclude(ranker->ranking, entry, error);
    return status;
}

enum tcplan_status candidate_expect(struct ranker *ranker, struct tcplan_entry *entry,
                                    struct tcplan_error *error) {
    return rate(ranker, entry, false, error);
}

/** Estimates all listed entries, those with the largest kernel calls first. */
static enum tcplan_status rate_listed(struct ranker *ranker, struct tcplan_error *error) {
    struct tcplan_ranking *ranking = ranker->ranking;
    const int most = effort_work(&ranker->effort, ranking->problem.contraction->index_count).rated;
    int rated = 0;
    for (size_t e = ranking->entry_count; e-- > 0;) {
        if (rated > 0 && (ranker_is_late(ranker) || rated == most)) break;
        const enum tcplan_status status = candidate_rate(ranker, &ranking->entry[e], error);
        if (status != TCPLAN_OK && status != TCPLAN_NOT_APPLICABLE) return status;
        rated += status == TCPLAN_OK;
    }
    return TCPLAN_OK;
}

/** State of generating candidates. */
struct gathering {
    struct ranker *ranker;
    double best_seconds;
    size_t first; /* number of the first entry that was not evaluated before */
    enum tcplan_status status;
    struct tcplan_error *error;
};

static int compare_estimates(const void *a, const void *b) {
    const struct tcplan_entry *x = a;
    const struct tcplan_entry *y = b;
    return x->estimate_seconds < y->estimate_seconds ? -1
                                                     : x->estimate_seconds > y->estimate_seconds;
}

static void keep_better_half(struct gathering *gathering) {
    struct tcplan_ranking *ranking = gathering->ranker->ranking;
    const size_t count = ranking->entry_count - gathering->first;
    qsort(ranking->entry + gathering->first, count, sizeof *ranking->entry, compare_estimates);
    ranking->entry_count = gathering->first + count / 2;
}

static bool add(struct gathering *gathering, const struct tcplan_entry *entry) {
    const bool is_added = candidate_add(gathering->ranker, entry);
    if (!is_added) gathering->status = error_no_memory(gathering->error);
    return is_added;
}

/**
 * Returns the time by which a new candidate is compared with the best one: its estimate if nothing
 * is timed; otherwise its kernel time plus the modelled rest. A modelled kernel time that would
 * make it the best is first replaced by a measured one.
 */
static double leading_seconds(const struct gathering *gathering, struct tcplan_entry *entry,
                              double rest_seconds) {
    if (gathering->ranker->effort.times_nothing) return entry->estimate_seconds;
    if (entry->lower_bound_seconds + rest_seconds < gathering->best_seconds)
        candidate_confirm(gathering->ranker, entry);
    return entry->lower_bound_seconds + rest_seconds;
}

/** Returns whether nothing is timed and an estimate is too high for its algorithm to become a
 * candidate. */
static bool is_far_behind(const struct gathering *gathering, double seconds) {
    return gathering->ranker->effort.times_nothing &&
           seconds > ENTRY_FACTOR * gathering->best_seconds;
}

static bool take(void *context, const struct generated *generated) {
    struct gathering *gathering = context;
    struct tcplan_ranking *ranking = gathering->ranker->ranking;
    const struct ranker *ranker = gathering->ranker;
    const int threads = thread_count_of(&ranker->options, &generated->algorithm, ranker->threads);
    struct tcplan_entry entry = candidate_of(&generated->algorithm, threads, 0);
    const struct estimate estimate = generated->estimate;
    if (is_far_behind(gathering, estimate.seconds)) return true;
    if (!fits_workspace(ranker, &entry)) return true;
    note_rating(&entry, &estimate, generated->calls);
    const double seconds = leading_seconds(gathering, &entry, estimate.rest_seconds);
    /* Slow algorithms of the `blas` space are added as well: they are few. */
    const bool is_slow = seconds > ENTRY_FACTOR * gathering->best_seconds;
    if (is_slow &&
        !tcplan_algorithm_in_blas_space(&entry.algorithm, ranking->problem.contraction)) {
        ranker_notify(gathering->ranker, TCPLAN_PLANNING_LEFT_OUT, &entry.algorithm, seconds);
        count(ranking, &entry.algorithm, 1);
        return true;
    }
    if (ranking->entry_count - gathering->first >= MOST_ENTRIES) keep_better_half(gathering);
    gathering->best_seconds = fmin(gathering->best_seconds, seconds);
    ranker_step(gathering->ranker);
    ranker_notify(gathering->ranker, TCPLAN_PLANNING_CANDIDATE, &entry.algorithm,
                  entry.estimate_seconds);
    return add(gathering, &entry);
}

static bool refuse(void *context, const struct tcplan_algorithm *structure) {
    const struct gathering *gathering = context;
    struct tcplan_entry entry = candidate_of(structure, gathering->ranker->threads, 0);
    entry.status = TCPLAN_ENTRY_NOT_APPLICABLE;
    return add(context, &entry);
}

static struct call_time time_call(void *context, const struct blas_call *call, int threads,
                                  double doubtful_ns) {
    const struct gathering *gathering = context;
    return call_time_of(gathering->ranker, call, threads, doubtful_ns);
}

/**
 * Rates a structure of the `full` space. Times its call only if that may decide whether the
 * structure is arranged, or if it is the first of its class and provider and so calibrates guesses.
 * The most promising ones are timed before their evaluation (candidate_confirm()).
 */
static struct call_time expect_call(void *context, const struct blas_call *call, int threads,
                                    double doubtful_ns) {
    const struct gathering *gathering = context;
    const struct call_time time = call_time_expected(gathering->ranker, call, threads);
    const bool is_slow = time.ns > doubtful_ns;
    const bool decides =
        is_slow && (time.source == TCPLAN_TIME_TIMED || time.ns <= GUESS_FACTOR * doubtful_ns);
    const bool tells = !call_errors_know(&gathering->ranker->call_errors, call);
    return (decides || tells) && !gathering->ranker->effort.times_nothing
               ? call_time_of(gathering->ranker, call, threads, doubtful_ns)
               : time;
}

static double guess_call(void *context, const struct blas_call *call) {
    const struct gathering *gathering = context;
    return call_time_guess(gathering->ranker, call);
}

static void tell(void *context, enum tcplan_planning_event event,
                 const struct tcplan_algorithm *structure, double seconds) {
    const struct gathering *gathering = context;
    ranker_notify(gathering->ranker, event, structure, seconds);
}

static double best_seconds(void *context) {
    const struct gathering *gathering = context;
    return gathering->best_seconds;
}

/** Sorts equal algorithms together, the baseline or an evaluated one first. */
static int compare_algorithms(const void *a, const void *b) {
    const struct tcplan_entry *x = a;
    const struct tcplan_entry *y = b;
    const int order = algorithm_compare(&x->algorithm, &y->algorithm);
    if (order) return order;
    if (x->threads != y->threads) return x->threads - y->threads;
    if (x->is_baseline != y->is_baseline) return y->is_baseline - x->is_baseline;
    return x->predicted != y->predicted ? y->predicted - x->predicted : compare_estimates(a, b);
}

/** Drops duplicate entries: evaluated candidates are generated again, and several structures may
 * become one algorithm when threads share a loop. */
static void drop_repeated(struct tcplan_ranking *ranking) {
    size_t kept = 0;
    if (ranking->entry_count > 0)
        qsort(ranking->entry, ranking->entry_count, sizeof *ranking->entry, compare_algorithms);
    for (size_t e = 0; e < ranking->entry_count; e++) {
        const struct tcplan_entry *own = &ranking->entry[e];
        const struct tcplan_entry *last = kept > 0 ? &ranking->entry[kept - 1] : NULL;
        const bool is_repeated = last && last->threads == own->threads &&
                                 tcplan_algorithm_equal(&last->algorithm, &own->algorithm);
        if (is_repeated) count(ranking, &own->algorithm, -1);
        if (!is_repeated) ranking->entry[kept++] = *own;
    }
    ranking->entry_count = kept;
}

/** Returns the deadline of generating within the time limit. */
static struct deadline generating_share(const struct ranker *ranker) {
    return deadline_share(ranker->deadline, GENERATING_SHARE);
}

/** Which space is generated, and where call times come from. */
struct generation_kind {
    enum tcplan_status (*generate)(const struct generator *generator, struct tcplan_error *error);
    struct call_time (*call_time)(void *context, const struct blas_call *call, int threads,
                                  double doubtful_ns);
};

static const struct generation_kind orders = {.generate = generate_orders, .call_time = time_call};
static const struct generation_kind arrangements = {.generate = generate_arrangements,
                                                    .call_time = expect_call};

/** Returns the CPU seconds for generating candidates again: the unused part of the effort's
 * budget, but at least half of the budget's minimum. */
static double generating_seconds(const struct ranker *ranker, const struct generating *generating) {
    const struct effort_share share = ranker->effort.generating;
    const double seconds = effort_seconds(share, generating->best_seconds);
    if (ranker->effort.times_nothing) return INFINITY;
    return fmax(seconds - generating->spent_seconds, share.least_seconds / 2);
}

/** Returns how many structures can be arranged in this time. */
static size_t structures_in(double seconds) {
    return (size_t)fmin(fmax(seconds / ARRANGING_SECONDS, FEWEST_STRUCTURES), MOST_ENTRIES);
}

/** Returns whether models or recorded times of calls exist, by which guessed times can be
 * calibrated. */
static bool knows_calls(const struct ranker *ranker) {
    return ranker->models.models || tcplan_kernel_times_count(ranker->kernel_times) > 0;
}

/** Returns whether compiling kernels may be worthwhile: a candidate whose kernel takes no time
 * would be evaluated. */
static bool may_compile(const struct ranker *ranker, double best_seconds) {
    return !ranker->effort.times_nothing && provider_compile_seconds(TCPLAN_PROVIDER_EMITTED) *
                                                    effort_price(&ranker->effort, best_seconds) <
                                                1;
}

/** Generates candidates and drops duplicates. */
static enum tcplan_status gather(struct ranker *ranker, struct generating *generating,
                                 const struct generation_kind *kind, struct tcplan_error *error) {
    struct tcplan_ranking *ranking = ranker->ranking;
    const struct deadline share = generating_share(ranker);
    const uint64_t start_ns = clock_thread_cpu_ns();
    const double seconds = generating_seconds(ranker, generating);
    struct gathering gathering = {.ranker = ranker,
                                  .best_seconds = generating->best_seconds,
                                  .first = ranking->entry_count,
                                  .error = error};
    const struct generator generator = {
        .problem = &ranking->problem,
        .machine = &ranker->machine,
        .threads = ranker->threads,
        .orders = ranker->effort.most_evaluations,
        .fuses = ranker_searches_full(ranker),
        .beam_width = BEAM,
        .streams = maker_keeps(&ranker->maker) && may_compile(ranker, generating->best_seconds),
        .compiles = maker_keeps(&ranker->maker) && ranker->effort.compiles,
        .deadline = deadline_first(deadline_in_cpu(seconds), share),
        .work = effort_work(&ranker->effort, ranking->problem.contraction->index_count),
        .guess_error = knows_calls(ranker) ? GUESS_ERROR : 1,
        .structures = structures_in(seconds),
        .models = &ranker->models,
        .context = &gathering,
        .call_time = kind->call_time,
        .guess_call = guess_call,
        .best_seconds = best_seconds,
        .take = take,
        .refuse = refuse,
        .tell = tell};
    const enum tcplan_status status = kind->generate(&generator, error);
    generating->is_out_of_time = deadline_is_over(share);
    generating->best_seconds = gathering.best_seconds;
    generating->spent_seconds += (double)(clock_thread_cpu_ns() - start_ns) * SECONDS_PER_NS;
    drop_repeated(ranking);
    candidate_index_free(&ranker->index); /* the entries were sorted */
    return status == TCPLAN_OK ? gathering.status : status;
}

enum tcplan_status candidates_make_orders(struct ranker *ranker, struct generating *generating,
                                          struct tcplan_error *error) {
    ranker_enter(ranker, TCPLAN_PLANNING_ORDERS);
    return ranker->ranking->lists_all ? rate_listed(ranker, error)
                                      : gather(ranker, generating, &orders, error);
}

enum tcplan_status candidates_make_arrangements(struct ranker *ranker,
                                                struct generating *generating,
                                                struct tcplan_error *error) {
    ranker_enter(ranker, TCPLAN_PLANNING_STRUCTURES);
    return gather(ranker, generating, &arrangements, error);
}
