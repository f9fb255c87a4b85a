#include "plan/rank.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ast/algorithm/algorithm_check.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/units.h"
#include "cachesim/arrangement/bound.h"
#include "gen/space/enumerate.h"
#include "microbench/providers/blas.h"
#include "microbench/providers/providers.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/load.h"
#include "microbench/timing/session.h"
#include "plan/candidates.h"
#include "plan/ceiling.h"
#include "plan/learn/between.h"
#include "plan/options.h"
#include "plan/predictor.h"
#include "plan/temporaries.h"
#include "plan/thread_counts.h"
#include "plan/times/kernel_times.h"
#include "store/code_stored.h"
#include "store/experience.h"
#include "tcplan/blas.h"
#include "tcplan/traffic.h"

enum { WINDOWS_ALONE = 6 };

/* Memory that tensors may take during predictions: a share of the free memory, within limits. */
#define DEFAULT_MEMORY_SHARE 0.125
#define LEAST_MEMORY_BYTES 384e6
#define MOST_MEMORY_BYTES 2e9

/* Seconds: with a shorter time limit, the speed of gemm is not measured, which takes some 30 ms. */
#define LEAST_LIMIT_WITH_GEMM 2.0

/* Share of the remaining time for backing all pages; evaluations back the pages that they touch. */
#define BACKING_SHARE 0.3

struct tcplan_rank_options tcplan_rank_defaults(void) {
    return (struct tcplan_rank_options){.predictor = TCPLAN_PREDICT_WINDOW,
                                        .stage = TCPLAN_STAGE_FIRST,
                                        .cache = TCPLAN_CACHE_WARM,
                                        .effort = TCPLAN_EFFORT_NORMAL,
                                        .threads = 1,
                                        .seed = 1};
}

/* Memory. */

/** Returns the modelled seconds of moving every tensor from or to memory once. */
static double tensors_seconds(const struct ranker *ranker) {
    const struct arrangement_bound least =
        arrangement_bound_of(&ranker->ranking->problem, &ranker->machine);
    return fmin(arrangement_bound_tensors_seconds(&least, false),
                arrangement_bound_tensors_seconds(&least, true));
}

/**
 * Backs all pages in order, so that they lie in physical memory as in a program that fills its
 * tensors. Whole runs need all of them. Windows would back most of them anyway, except of large
 * tensors.
 */
void ranker_back_small(struct ranker *ranker) {
    struct buffers *buffers = ranker->ranking->buffers;
    const double bytes = (double)buffers_total_bytes(buffers);
    const double allowed_seconds = BACKING_SHARE * deadline_left_seconds(ranker->deadline);
    const struct tcplan_costs costs = tcplan_costs_of(&ranker->machine);
    const double pages = bytes / (double)costs.page_bytes;
    if (buffers_all_backed(buffers) || pages * costs.fresh_page_seconds > allowed_seconds) return;
    if (bytes <= (double)buffers->limit_bytes &&
        tensors_seconds(ranker) <= ranker->effort.executed_seconds) {
        buffers_back_until(buffers, deadline_first(ranker->deadline, deadline_in(allowed_seconds)));
    }
}

static size_t default_memory_bytes(void) {
    return (size_t)fmin(
        fmax(DEFAULT_MEMORY_SHARE * (double)buffers_available_bytes(), LEAST_MEMORY_BYTES),
        MOST_MEMORY_BYTES);
}

/** Returns the alignment of arrays that the options give; at least that of an element. */
static enum tcplan_status alignment_of(size_t *out, const struct tcplan_problem *problem,
                                       int64_t wanted, struct tcplan_error *error) {
    const int64_t least =
        (int64_t)problem->element_bytes / (tcplan_dtype_is_complex(problem->dtype) ? 2 : 1);
    *out = wanted > 0 ? (size_t)wanted : BUFFERS_ALIGNMENT;
    if (wanted == 0 || (wanted >= least && (wanted & (wanted - 1)) == 0)) return TCPLAN_OK;
    return error_set(
        error, TCPLAN_INVALID,
        "arrays aligned to %lld bytes; expected a power of two, at least %lld for type %c",
        (long long)wanted, (long long)least, tcplan_dtype_letter(problem->dtype));
}

enum tcplan_status ranking_buffers(struct buffers **out, struct tcplan_ranking *ranking,
                                   const struct tcplan_rank_options *options,
                                   struct tcplan_error *error) {
    if (ranking->buffers) {
        *out = ranking->buffers;
        return TCPLAN_OK;
    }
    size_t alignment;
    enum tcplan_status status =
        alignment_of(&alignment, &ranking->problem, options->alignment_bytes, error);
    if (status != TCPLAN_OK) return status;
    struct buffers *buffers = base_alloc(sizeof *buffers);
    if (!buffers) return error_no_memory(error);
    const size_t limit_bytes =
        options->max_memory_bytes > 0 ? (size_t)options->max_memory_bytes : default_memory_bytes();
    status = buffers_reserve(buffers, &ranking->problem, alignment, limit_bytes, error);
    if (status != TCPLAN_OK) {
        base_free(buffers);
        return status;
    }
    buffers->moves = alignment < buffers->page_bytes;
    ranking->max_memory_bytes = (int64_t)limit_bytes;
    *out = ranking->buffers = buffers;
    return TCPLAN_OK;
}

/* Stages. */

static void begin_stage(struct ranker *ranker, enum tcplan_planning_stage stage) {
    const struct buffers *buffers = ranker->ranking->buffers;
    ranker->clock = (struct stage_clock){
        .stage = stage, .wall_ns = clock_now_ns(), .cpu_ns = clock_thread_cpu_ns()};
    ranker->clock.made = ranker->maker;
    if (!buffers) return;
    ranker->clock.backing_ns = buffers->backing_ns;
    ranker->clock.backed_pages = buffers->backed_pages;
}

static void add_part(struct tcplan_planning_part *part, double seconds, double cpu_seconds,
                     int64_t steps) {
    part->seconds += seconds;
    part->cpu_seconds += cpu_seconds;
    part->steps += steps;
}

enum tcplan_planning_stage ranker_enter(struct ranker *ranker, enum tcplan_planning_stage stage) {
    const struct stage_clock before = ranker->clock;
    struct tcplan_planning_part *part = ranker->ranking->part;
    begin_stage(ranker, stage);
    const struct stage_clock *now = &ranker->clock;
    const double pages_seconds = SECONDS_PER_NS * (double)(now->backing_ns - before.backing_ns);
    add_part(&part[TCPLAN_PLANNING_PAGES], pages_seconds, pages_seconds,
             now->backed_pages - before.backed_pages);
    const double stage_seconds =
        SECONDS_PER_NS * (double)(now->wall_ns - before.wall_ns) - pages_seconds;
    const double taken_seconds =
        fmin(now->made.seconds - before.made.seconds, fmax(0, stage_seconds));
    add_part(&part[TCPLAN_PLANNING_COMPILING], taken_seconds, 0,
             now->made.compiled - before.made.compiled);
    add_part(&part[before.stage], stage_seconds - taken_seconds,
             SECONDS_PER_NS * (double)(now->cpu_ns - before.cpu_ns) - pages_seconds, 0);
    return before.stage;
}

void ranker_step(struct ranker *ranker) {
    ranker->ranking->part[ranker->clock.stage].steps++;
}

void ranker_notify(const struct ranker *ranker, enum tcplan_planning_event event,
                   const struct tcplan_algorithm *algorithm, double seconds) {
    if (ranker->options.watch)
        ranker->options.watch(ranker->options.watch_context, event, algorithm, seconds);
}

void ranking_exclude(struct tcplan_ranking *ranking, struct tcplan_entry *entry,
                     const struct tcplan_error *error) {
    entry->status = TCPLAN_ENTRY_NOT_APPLICABLE;
    if (error && error->status == TCPLAN_NOT_APPLICABLE && !*ranking->cannot_run) {
        snprintf(ranking->cannot_run, sizeof ranking->cannot_run, "%s", error->message);
    }
}

/* Entries. */

static struct tcplan_ranking *new_ranking(const struct tcplan_problem *problem) {
    struct tcplan_ranking *ranking = base_alloc(sizeof *ranking);
    if (ranking) *ranking = (struct tcplan_ranking){.problem = *problem};
    return ranking;
}

static void clear(struct tcplan_ranking *ranking) {
    for (size_t e = 0; e < ranking->entry_count; e++) base_free(ranking->entry[e].benchmark);
    base_free(ranking->entry);
    ranking->entry = NULL;
    ranking->entry_count = 0;
}

void tcplan_ranking_free(struct tcplan_ranking *ranking) {
    if (!ranking) return;
    if (ranking->buffers) buffers_free(ranking->buffers);
    base_free(ranking->buffers);
    clear(ranking);
    base_free(ranking);
}

/** Counts the algorithms of the `blas` space. */
static enum tcplan_status count_algorithms(struct tcplan_ranking *ranking,
                                           const struct tcplan_rank_options *options,
                                           struct tcplan_error *error) {
    size_t count;
    int threads[2];
    struct tcplan_algorithm *structure =
        enumerator_structures(ranking->problem.contraction, &count);
    enum tcplan_status status = structure ? TCPLAN_OK : error_no_memory(error);
    ranking->algorithm_count = ranking->oversized_count = ranking->candidate_count = 0;
    for (size_t s = 0; status == TCPLAN_OK && s < count; s++) {
        status = temporaries_check(&ranking->problem, &structure[s], options, error);
        const bool is_oversized = status == TCPLAN_INVALID;
        if (is_oversized) status = TCPLAN_OK;
        if (status == TCPLAN_OK)
            *(is_oversized ? &ranking->oversized_count : &ranking->algorithm_count) +=
                thread_counts_generated(threads, options, &structure[s]) *
                enumerator_orders(&structure[s]);
    }
    base_free(structure);
    return status;
}

static void append_entry(struct tcplan_ranking *ranking, const struct tcplan_algorithm *algorithm,
                         int threads) {
    struct tcplan_entry entry = candidate_of(algorithm, threads, ranking->entry_count);
    for (int l = 0; l < algorithm->loop_count; l++) {
        entry.calls = saturated_mul_i64(entry.calls, ranking->problem.extent[algorithm->loop[l]]);
    }
    ranking->entry[ranking->entry_count++] = entry;
}

static enum tcplan_status list_entries(struct tcplan_ranking *ranking,
                                       const struct tcplan_rank_options *options,
                                       struct tcplan_error *error) {
    ranking->entry = base_alloc((size_t)ranking->algorithm_count * sizeof *ranking->entry);
    if (!ranking->entry) return error_no_memory(error);
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm algorithm;
    enum tcplan_status status = TCPLAN_OK;
    int threads[2];
    tcplan_enumerator_init(&enumerator, ranking->problem.contraction);
    while (status == TCPLAN_OK && tcplan_enumerator_next(&enumerator, &algorithm)) {
        status = temporaries_check(&ranking->problem, &algorithm, options, error);
        const int count = thread_counts_generated(threads, options, &algorithm);
        for (int t = 0; t < count && status == TCPLAN_OK; t++)
            append_entry(ranking, &algorithm, threads[t]);
        if (status == TCPLAN_INVALID) status = TCPLAN_OK;
    }
    ranking->lists_all = true;
    return status;
}

/** Returns whether the options ask for a prediction of every algorithm. */
static bool predicts_all(const struct tcplan_rank_options *options) {
    return options && (options->predict_all || options->predictor != TCPLAN_PREDICT_WINDOW);
}

/** Fails if all algorithms are to be predicted, but there are too many to list. */
static enum tcplan_status check_all_listed(const struct tcplan_ranking *ranking,
                                           const struct tcplan_rank_options *options,
                                           struct tcplan_error *error) {
    const double count = ranking->algorithm_count - ranking->candidate_count;
    if (count <= TCPLAN_MAX_LISTED || !predicts_all(options)) return TCPLAN_OK;
    return error_set(
        error, TCPLAN_OVERFLOW,
        "%.10g algorithms are too many to predict all of them (limit: %d); the predictor `window` need not predict all",
        count, TCPLAN_MAX_LISTED);
}

/** Returns whether every algorithm gets an entry: only the `blas` space is ranked, and it is small.
 */
static bool is_to_list_all(const struct tcplan_ranking *ranking,
                           const struct tcplan_rank_options *options) {
    const bool full = !options || (options->space == TCPLAN_SPACE_FULL && !predicts_all(options));
    return !full && ranking->algorithm_count - ranking->candidate_count <= TCPLAN_MAX_LISTED;
}

/** Counts algorithms, and lists them if there are few enough. */
static enum tcplan_status list(struct tcplan_ranking *ranking,
                               const struct tcplan_rank_options *options,
                               struct tcplan_error *error) {
    clear(ranking);
    ranking->lists_all = false;
    enum tcplan_status status = count_algorithms(ranking, options, error);
    if (status == TCPLAN_OK) status = check_all_listed(ranking, options, error);
    return status == TCPLAN_OK && is_to_list_all(ranking, options)
               ? list_entries(ranking, options, error)
               : status;
}

static enum tcplan_status ranker_start(struct ranker *ranker,
                                       const struct tcplan_rank_options *options,
                                       struct tcplan_error *error) {
    ranker->options = options ? *options : tcplan_rank_defaults();
    ranker->threads = ranker->options.threads;
    ranker->deadline =
        deadline_or_cancelled(ranker->options.time_limit_seconds, ranker->options.is_cancelled,
                              ranker->options.cancel_context);
    ranker->maker = (struct kernel_maker){.keeper = store_code_keeper(ranker->options.code),
                                          .deadline = ranker->deadline};
    enum tcplan_status status = rank_options_check(&ranker->options, error);
    if (status != TCPLAN_OK) return status;
    if (ranker->options.machine) {
        ranker->machine = *ranker->options.machine;
    } else {
        status = tcplan_machine_load(&ranker->machine, "live", error);
    }
    if (status != TCPLAN_OK) return status;
    ranker->ranking->problem.heuristics = ranker->machine.heuristics;
    ranker->least_seconds = ceiling_bound_seconds(
        ranker->machine.ceilings, &ranker->ranking->problem, ranker->options.threads);
    for (int grade = 0; grade < WINDOW_GRADES; grade++) {
        ranker->settings[grade] =
            window_settings_for(&ranker->machine, ranker->options.cache, (enum window_grade)grade);
        ranker->settings[grade].threads = ranker->options.threads;
        ranker->settings[grade].deadline = ranker->deadline;
        ranker->settings[grade].maker = &ranker->maker;
    }
    ranker->effort = *effort_of(ranker->options.effort);
    ranker->effort.has_threads = ranker->options.threads > 1;
    ranker->models = model_times_of(ranker->options.models, &ranker->machine);
    tcplan_binding_print(ranker->models.binding, &ranker->options.binding);
    ranker->ranking->is_untimed = ranker->effort.times_nothing;
    if (ranker->effort.times_nothing) return TCPLAN_OK;
    status = ranking_buffers(&ranker->ranking->buffers, ranker->ranking, &ranker->options, error);
    if (status != TCPLAN_OK) return status;
    ranker->ranking->buffers->scratch.deadline = ranker->deadline;
    ranker->thesis = thesis_make(&ranker->machine, ranker->options.stage, ranker->options.cache,
                                 ranker->ranking->buffers->limit_bytes);
    if (ranker->options.setup_limit_bytes > 0)
        ranker->thesis.analysis.limit_bytes = (double)ranker->options.setup_limit_bytes;
    return TCPLAN_OK;
}

static bool watches_memory(const struct ranker *ranker) {
    return reference_kind(ranker->reference) == REFERENCE_MEMORY;
}

struct drift ranker_drift(const struct ranker *ranker) {
    const struct drift_timing *timing;
    const int count = reference_timings(ranker->reference, &timing);
    return drift_of(timing, count);
}

/** Work from which one more thread is worthwhile: operations, in double-precision equivalents, and
 * bytes moved. */
struct thread_work {
    double flops;
    double bytes;
};

static struct thread_work thread_work(const struct ranker *ranker) {
    const struct tcplan_problem *problem = &ranker->ranking->problem;
    const bool single = problem->dtype == TCPLAN_FLOAT ||
                        problem->dtype == TCPLAN_FLOAT_COMPLEX; /* the rate in single precision is
                                                                   twice that in double precision */
    return (struct thread_work){
        .flops = problem->flops / (single ? 2 : 1) / ranker->options.threads,
        .bytes = tcplan_compulsory_bytes(problem) / ranker->options.threads};
}

double ranker_expected_elasticity(const struct ranker *ranker, double seconds) {
    const struct thread_work work = thread_work(ranker);
    return drift_expected_elasticity(reference_count(ranker->reference, work.flops, work.bytes),
                                     ranker_drift(ranker).good_seconds, seconds);
}

struct drift_range ranker_error(const struct ranker *ranker, double seconds) {
    const struct drift_timing *timing;
    const int count = reference_timings(ranker->reference, &timing);
    const double elasticity = ranker->ranking->load.elasticity;
    const double between = between_half_width(ranker->options.experience);
    const struct drift_range within = drift_within(timing, count, seconds);
    return (struct drift_range){.below = hypot(elasticity * within.below, between),
                                .above = hypot(elasticity * within.above, between)};
}

void ranker_note_speed(const struct ranker *ranker) {
    struct tcplan_load *load = &ranker->ranking->load;
    const struct drift drift = ranker_drift(ranker);
    load->speed_share =
        drift.good_seconds > 0 ? fmin(drift.good_seconds / drift.mean_seconds, 1) : 0;
    load->good_reference_seconds = drift.good_seconds;
    load->watches_memory = watches_memory(ranker);
}

/** Widens 95 % intervals so that they hold for single runs in the next minutes. Without a
 * comparison, intervals are not widened, because ties are determined from them. */
static void note_drift(const struct ranker *ranker) {
    struct tcplan_ranking *ranking = ranker->ranking;
    const struct tcplan_entry *chosen = tcplan_ranking_chosen(ranking);
    ranker_note_speed(ranker);
    if (!chosen) return;
    const double seconds = chosen->prediction.seconds;
    if (!ranking->compared) ranking->load.elasticity = ranker_expected_elasticity(ranker, seconds);
    const struct drift_range error = ranker_error(ranker, seconds);
    for (size_t e = 0; e < ranking->entry_count && (ranking->compared || ranking->is_single); e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        if (!entry->predicted || entry->widened || entry->basis == TCPLAN_BASIS_ESTIMATE) continue;
        drift_widen(&entry->prediction, error);
        entry->widened = true;
    }
}

/** Starts reference measurements of the core or of the memory, whichever limits the problem's
 * speed. */
static void start_watching(struct ranker *ranker) {
    const struct thread_work work = thread_work(ranker);
    ranker->reference = reference_new();
    if (ranker->effort.skips_memory) return;
    reference_choose(ranker->reference, work.flops, work.bytes);
}

/** The work of a stage, after timing is set up and before entries are sorted. */
typedef enum tcplan_status stage_fn(struct ranker *ranker, struct tcplan_error *error);

static void note_load(struct tcplan_ranking *ranking, const struct load_mark *mark) {
    const struct load_report report = load_end(mark);
    ranking->load.lost_share = report.lost_share;
    ranking->load.other_cores = report.other_cores;
}

/** Sets the speed of gemm, with which reports compare: as given or measured; unknown if the time
 * limit is too short. */
static void note_gemm(const struct ranker *ranker) {
    struct tcplan_ranking *ranking = ranker->ranking;
    const struct tcplan_rank_options *options = &ranker->options;
    if (options->gemm_gflops < 0 || ranking->gemm_gflops > 0) return;
    if (options->gemm_gflops > 0) {
        ranking->gemm_gflops = options->gemm_gflops;
    } else if (!ranker_is_late(ranker) || options->time_limit_seconds >= LEAST_LIMIT_WITH_GEMM) {
        ranking->gemm_gflops = blas_gemm_gflops(ranking->problem.dtype);
    }
}

/** Sets the table of kernel times: the caller's, or a temporary one that starts with the stored
 * times. */
static enum tcplan_status keep_kernel_times(struct ranker *ranker, struct tcplan_error *error) {
    ranker->kernel_times =
        ranker->options.kernel_times ? ranker->options.kernel_times : tcplan_kernel_times_new();
    if (!ranker->kernel_times) return error_no_memory(error);
    if (ranker->options.experience)
        kernel_times_recall(ranker->kernel_times, ranker->options.experience);
    return TCPLAN_OK;
}

/**
 * Uses measured capacities of caches, and the measured cost of fresh pages, if known: caches of
 * virtual machines hold less than reported. Other costs stay the defaults: measured ones order
 * fewer pairs of candidates correctly (bench_costs).
 */
static void find_costs(struct ranker *ranker) {
    const struct tcplan_costs *kept = tcplan_experience_costs(ranker->options.experience);
    struct tcplan_machine *machine = &ranker->machine;
    if (!kept || !machine->live || machine->costs || kept->cache_count != machine->cache_count)
        return;
    ranker->costs = tcplan_costs_assumed(machine);
    for (int c = 0; c < machine->cache_count; c++)
        ranker->costs.cache[c].held_bytes = kept->cache[c].held_bytes;
    ranker->costs.fresh_page_seconds =
        kept->fresh_page_seconds * (double)ranker->costs.page_bytes / (double)kept->page_bytes;
    machine->costs = &ranker->costs;
}

/** Prepares timing: one core, the wanted BLAS threads, references, and a record of other load.
 */
struct surroundings {
    struct load_mark mark;
    struct session session;
};

static enum tcplan_status begin_timing(struct surroundings *out, struct ranker *ranker,
                                       struct tcplan_error *error) {
    const struct tcplan_rank_options *options = &ranker->options;
    const struct session_options session = {.threads = options->threads,
                                            .binding = &options->binding};
    const enum tcplan_status status = session_begin_with(&out->session, &session, error);
    if (status == TCPLAN_OK) start_watching(ranker);
    return status;
}

static void end_timing(const struct surroundings *surroundings, const struct ranker *ranker) {
    note_load(ranker->ranking, &surroundings->mark);
    note_gemm(ranker);
    session_end(&surroundings->session);
}

/** Runs a stage of the ranking, and cleans up. */
static enum tcplan_status run_stage(struct tcplan_ranking *ranking, size_t front_count,
                                    const struct tcplan_rank_options *options, stage_fn *stage,
                                    struct tcplan_error *error) {
    const uint64_t start_ns = clock_now_ns();
    bool times = !options || options->effort != TCPLAN_EFFORT_ESTIMATE;
    struct surroundings surroundings;
    struct ranker ranker = {.ranking = ranking, .front_count = front_count};
    if (times) surroundings.mark = load_begin();
    begin_stage(&ranker, TCPLAN_PLANNING_SETUP);
    enum tcplan_status status = ranker_start(&ranker, options, error);
    if (status != TCPLAN_OK) return status;
    find_costs(&ranker);
    if (times) status = begin_timing(&surroundings, &ranker, error);
    times = times && status == TCPLAN_OK;
    if (status == TCPLAN_OK) status = keep_kernel_times(&ranker, error);
    if (status == TCPLAN_OK) status = stage(&ranker, error);
    if (deadline_is_cancelled(ranker.deadline))
        status = error_set(error, TCPLAN_CANCELLED, "planning was cancelled");
    if (ranking->buffers)
        ranking->buffers->scratch.deadline = (struct deadline){
            0}; /* the buffers are used after this ranking, so its deadline no longer applies */
    ranker_enter(&ranker, TCPLAN_PLANNING_SETUP);
    if (status == TCPLAN_OK && times) note_drift(&ranker);
    reference_free(ranker.reference);
    if (status == TCPLAN_OK && ranker.options.experience)
        kernel_times_keep(ranker.kernel_times, ranker.options.experience);
    if (!ranker.options.kernel_times) tcplan_kernel_times_free(ranker.kernel_times);
    thesis_free(&ranker.thesis);
    candidate_index_free(&ranker.index);
    ranker_sort(ranking);
    ranker_enter(&ranker, TCPLAN_PLANNING_SETUP);
    ranking->planning_seconds = (double)(clock_now_ns() - start_ns) * SECONDS_PER_NS;
    if (times) {
        end_timing(&surroundings, &ranker);
    } else {
        ranking->load.other_cores = -1; /* unknown */
        if (ranker.options.gemm_gflops > 0) ranking->gemm_gflops = ranker.options.gemm_gflops;
    }
    return status;
}

/** Returns the ranking, or frees it after an error. */
static enum tcplan_status hand_out(struct tcplan_ranking **out, struct tcplan_ranking *ranking,
                                   enum tcplan_status status) {
    if (status == TCPLAN_OK) {
        *out = ranking;
    } else {
        tcplan_ranking_free(ranking);
    }
    return status;
}

static int compare_ordinals(const void *a, const void *b) {
    const struct tcplan_entry *x = a;
    const struct tcplan_entry *y = b;
    return x->ordinal < y->ordinal ? -1 : x->ordinal > y->ordinal;
}

/** Resets all entries to their initial order and state. */
static void forget_entries(struct tcplan_ranking *ranking) {
    qsort(ranking->entry, ranking->entry_count, sizeof *ranking->entry, compare_ordinals);
    for (size_t e = 0; e < ranking->entry_count; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        base_free(entry->benchmark);
        const struct tcplan_entry before = *entry;
        *entry = candidate_of(&before.algorithm, before.threads, before.ordinal);
        entry->calls = before.calls;
        entry->measured = before.measured;
    }
}

static void forget_results(struct tcplan_ranking *ranking) {
    ranking->unlisted_pruned = ranking->unlisted_bound_seconds = 0;
    ranking->load = (struct tcplan_load){0};
    memset(ranking->part, 0, sizeof ranking->part);
    ranking->compared = false;
    ranking->missed_count = 0;
}

static enum tcplan_status predict_only_entry(struct ranker *ranker, struct tcplan_error *error) {
    if (ranker->effort.times_nothing) return ranker_estimate(ranker, error);
    ranker_back_small(ranker);
    return ranker_predict(ranker, &ranker->ranking->entry[0], WINDOWS_ALONE, error);
}

enum tcplan_status tcplan_ranking_predict(struct tcplan_ranking *ranking,
                                          const struct tcplan_rank_options *options,
                                          struct tcplan_error *error) {
    enum tcplan_status status =
        ranking->is_single ? TCPLAN_OK : check_all_listed(ranking, options, error);
    if (status != TCPLAN_OK) return status;
    if (ranking->is_single || (ranking->lists_all && is_to_list_all(ranking, options))) {
        forget_entries(ranking);
    } else {
        status = list(ranking, options, error);
    }
    forget_results(ranking);
    if (status != TCPLAN_OK) return status;
    return run_stage(ranking, ranking->entry_count, options,
                     ranking->is_single ? predict_only_entry : ranker_search, error);
}

/** Ranks a product without multiplications: all algorithms only scale, so one is enough. */
static enum tcplan_status rank_first(struct tcplan_ranking **out,
                                     const struct tcplan_problem *problem,
                                     const struct tcplan_rank_options *options,
                                     struct tcplan_error *error) {
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm first;
    tcplan_enumerator_init(&enumerator, problem->contraction);
    tcplan_enumerator_next(&enumerator,
                           &first); /* cannot fail: every contraction has an algorithm */
    return tcplan_rank_one(out, problem, &first, options, error);
}

enum tcplan_status tcplan_rank(struct tcplan_ranking **out, const struct tcplan_problem *problem,
                               const struct tcplan_rank_options *options,
                               struct tcplan_error *error) {
    if (tcplan_problem_only_scales(problem)) return rank_first(out, problem, options, error);
    struct tcplan_ranking *ranking = new_ranking(problem);
    if (!ranking) return error_no_memory(error);
    enum tcplan_status status = list(ranking, options, error);
    if (status == TCPLAN_OK)
        status = run_stage(ranking, ranking->entry_count, options, ranker_search, error);
    return hand_out(out, ranking, status);
}

/**
 * Returns the entry to predict next, until the first `front_count` entries are certain. This is one
 * of them that only probes have predicted, or the entry with the lowest bound among those that may
 * belong to the first ones. NULL: none is left.
 */
static struct tcplan_entry *next_of_front(struct ranker *ranker) {
    struct tcplan_ranking *ranking = ranker->ranking;
    size_t predicted = 0;
    while (predicted < ranking->entry_count && ranking->entry[predicted].predicted) {
        struct tcplan_entry *entry = &ranking->entry[predicted++];
        if (predicted <= ranker->front_count && entry->basis == TCPLAN_BASIS_PROBE) return entry;
    }
    if (predicted == ranking->entry_count ||
        ranking->entry[predicted].status == TCPLAN_ENTRY_NOT_APPLICABLE)
        return NULL;
    const bool certain = predicted >= ranker->front_count && ranker->front_count > 0 &&
                         ranking->entry[predicted].lower_bound_seconds >
                             ranking->entry[ranker->front_count - 1].prediction.seconds;
    return certain ? NULL : &ranking->entry[predicted];
}

static enum tcplan_status predict_front(struct ranker *ranker, struct tcplan_error *error) {
    struct tcplan_entry *entry;
    if (ranker->effort.times_nothing)
        return error_set(
            error, TCPLAN_INVALID,
            "the effort `estimate` times nothing, so it cannot compare the fastest algorithms");
    ranker_back_small(ranker);
    while ((entry = next_of_front(ranker))) {
        enum tcplan_status status = ranker_predict(ranker, entry, 1, error);
        if (status != TCPLAN_OK && status != TCPLAN_NOT_APPLICABLE) return status;
        ranker_sort(ranker->ranking);
    }
    return TCPLAN_OK;
}

enum tcplan_status tcplan_ranking_predict_front(struct tcplan_ranking *ranking, size_t count,
                                                const struct tcplan_rank_options *options,
                                                struct tcplan_error *error) {
    const double planning_seconds = ranking->planning_seconds;
    enum tcplan_status status =
        run_stage(ranking, count < ranking->entry_count ? count : ranking->entry_count, options,
                  predict_front, error);
    ranking->planning_seconds += planning_seconds;
    return status;
}

enum tcplan_status tcplan_rank_one(struct tcplan_ranking **out,
                                   const struct tcplan_problem *problem,
                                   const struct tcplan_algorithm *algorithm,
                                   const struct tcplan_rank_options *options,
                                   struct tcplan_error *error) {
    enum tcplan_status status = algorithm_check(algorithm, problem->contraction, error);
    if (status == TCPLAN_OK) status = temporaries_check(problem, algorithm, options, error);
    if (status != TCPLAN_OK) return status;
    struct tcplan_ranking *ranking = new_ranking(problem);
    if (!ranking) return error_no_memory(error);
    ranking->entry = base_alloc(sizeof *ranking->entry);
    if (!ranking->entry) return hand_out(out, ranking, error_no_memory(error));
    ranking->entry[ranking->entry_count++] =
        candidate_of(algorithm, options ? options->threads : 1, 0);
    ranking->algorithm_count = 1;
    ranking->is_single = true;
    ranking->lists_all = true;
    return hand_out(out, ranking, run_stage(ranking, 1, options, predict_only_entry, error));
}
