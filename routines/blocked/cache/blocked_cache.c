#include "tcplan/blocked_cache.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/deadline.h"
#include "base/error.h"
#include "base/random.h"
#include "microbench/program/buffers.h"
#include "microbench/timing/session.h"
#include "routines/blocked/cache/stages.h"
#include "routines/blocked/cache/timings.h"

/* RUNS: number of runs of the algorithm in each round; all other timings are compared with these.
 * LEAST_ROUNDS: minimum number of rounds. */
enum { RUNS = 4, LEAST_ROUNDS = 2 };

#define MEMORY_SHARE 0.375

/** The kinds of timings in a round, other than runs of the algorithm. */
enum { SERIES_AWARE = TIMING_KINDS, SERIES };

/** State of a study. Times are nanoseconds, round after round. */
struct work {
    const struct tcplan_blocked_cache_options *options;
    struct tcplan_blocked_cache *out;
    struct sequence sequence;
    struct timings *timings;
    struct stages_rules rules;
    struct random random;
    struct deadline deadline;
    int rounds;             /* number of rounds */
    double *algorithm;      /* RUNS * rounds times for each call, in runs of the algorithm */
    double *series[SERIES]; /* for each series, `rounds` times for each group of alike calls; for
                               SERIES_AWARE, for each call */
    int64_t *order;         /* order in which different calls are timed */
    double *scratch;
};

static const struct tcplan_cache_level *find_level(const struct tcplan_machine *machine,
                                                   int level) {
    const struct tcplan_cache_level *found = NULL;
    for (int c = 0; c < machine->cache_count; c++) {
        if (level == 0 || machine->cache[c].level == level) found = &machine->cache[c];
    }
    return found;
}

static enum tcplan_status choose_cache(struct work *work, struct tcplan_error *error) {
    const struct tcplan_blocked_cache_options *options = work->options;
    const struct tcplan_machine *machine = options->machine;
    const struct tcplan_cache_level *level = find_level(machine, options->level);
    if (!machine->live)
        return error_set(error, TCPLAN_INVALID,
                         "times are those of this machine; '%.100s' is another one",
                         machine->source);
    if (!level && options->level > 0) {
        return error_set(error, TCPLAN_INVALID,
                         "this machine has no cache of level %d; `tcplan machine` lists its caches",
                         options->level);
    }
    if (!level && options->cache_bytes <= 0)
        return error_set(error, TCPLAN_INVALID,
                         "the cache sizes of this machine are unknown; use --cache-size");
    const int64_t told = level ? level->size_bytes : 0;
    work->out->level = level ? level->level : 0;
    work->out->cache_bytes = options->cache_bytes > 0 ? options->cache_bytes : told;
    work->out->line_bytes =
        level && level->line_bytes > 0 ? level->line_bytes : machine->line_bytes;
    if (work->out->cache_bytes > 0) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID,
                     "this machine does not report the size of its cache of level %d; use "
                     "--cache-size",
                     work->out->level);
}

/** Returns whether a call computes something. Copies are excluded from mean errors, as in Peise
 * 2017. */
static bool counts(const struct sequence_call *call) {
    return call->flops > 0;
}

/** Returns the number of a call's kernel; adds the kernel if its name is new. */
static int kernel_of(struct tcplan_blocked_cache *out, const struct sequence *sequence,
                     const struct sequence_call *call) {
    char name[TCPLAN_CACHE_KERNEL];
    int k = 0;
    sequence_name(name, sizeof name, sequence->blocked, call->statement);
    while (k < out->kernel_count && strcmp(out->kernel[k].name, name) != 0) k++;
    if (k == out->kernel_count) {
        struct tcplan_blocked_cache_kernel *kernel = &out->kernel[out->kernel_count++];
        *kernel = (struct tcplan_blocked_cache_kernel){.counts = counts(call)};
        snprintf(kernel->name, sizeof kernel->name, "%s", name);
    }
    return k;
}

static enum tcplan_status list_calls(struct work *work, struct tcplan_error *error) {
    const struct sequence *sequence = &work->sequence;
    struct tcplan_blocked_cache *out = work->out;
    out->call = base_alloc_zero((size_t)sequence->count, sizeof *out->call);
    out->kernel = base_alloc_zero((size_t)sequence->blocked->statement_count, sizeof *out->kernel);
    if (!out->call || !out->kernel) return error_no_memory(error);
    out->count = sequence->count;
    out->matrix_bytes = sequence->whole_bytes;
    for (int64_t c = 0; c < sequence->count; c++) {
        const struct sequence_call *call = &sequence->call[c];
        out->call[c] = (struct tcplan_blocked_cache_call){.kernel = kernel_of(out, sequence, call),
                                                          .step = call->step + 1,
                                                          .flops = call->flops,
                                                          .counts = counts(call)};
    }
    return TCPLAN_OK;
}

static enum tcplan_status reserve(struct work *work, struct tcplan_error *error) {
    const size_t rounds = (size_t)work->rounds, calls = (size_t)work->sequence.count,
                 alike = (size_t)work->sequence.alike_count;
    bool good = true;
    work->algorithm = base_alloc_zero(RUNS * rounds * calls, sizeof *work->algorithm);
    work->scratch = base_alloc_zero(RUNS * rounds, sizeof *work->scratch);
    work->order = base_alloc_zero(alike, sizeof *work->order);
    for (int s = 0; s < SERIES; s++) {
        work->series[s] =
            base_alloc_zero(rounds * (s == SERIES_AWARE ? calls : alike), sizeof(double));
        good = good && work->series[s];
    }
    return good && work->algorithm && work->scratch && work->order ? TCPLAN_OK
                                                                   : error_no_memory(error);
}

static int64_t most_memory(const struct tcplan_blocked_cache_options *options) {
    if (options->max_memory_bytes > 0) return options->max_memory_bytes;
    return (int64_t)(MEMORY_SHARE * (double)buffers_available_bytes());
}

static enum tcplan_status open_work(struct work *work, const struct tcplan_blocked *blocked,
                                    const struct tcplan_blocked_sizes *sizes,
                                    struct tcplan_error *error) {
    const struct tcplan_blocked_cache_options *options = work->options;
    const int64_t most = most_memory(options);
    enum tcplan_status status = choose_cache(work, error);
    if (status == TCPLAN_OK)
        status = sequence_open(&work->sequence, blocked, sizes, options->provider, most, error);
    if (status == TCPLAN_OK) status = list_calls(work, error);
    if (status == TCPLAN_OK) status = reserve(work, error);
    const struct timings_setting setting = {.provider = options->provider,
                                            .threads = options->threads,
                                            .cache_bytes = work->out->cache_bytes,
                                            .line_bytes = work->out->line_bytes,
                                            .max_memory_bytes = most};
    if (status == TCPLAN_OK)
        status = timings_open(&work->timings, &work->sequence, &setting, error);
    work->rules = (struct stages_rules){
        .cache_bytes = (double)work->out->cache_bytes,
        .line_bytes = work->out->line_bytes,
        .whole_bytes = work->sequence.whole_bytes,
        .step_calls = work->sequence.step_calls,
        .split_share = options->split_share > 0 ? options->split_share : CALL_HISTORY_SPLIT_SHARE,
        .smoothing = {options->alpha > 0 ? options->alpha : 4,
                      options->beta > 0 ? options->beta : 2}};
    return status;
}

static void close_work(struct work *work) {
    timings_close(work->timings);
    sequence_close(&work->sequence);
    base_free(work->algorithm);
    base_free(work->scratch);
    base_free(work->order);
    for (int s = 0; s < SERIES; s++) base_free(work->series[s]);
}

/* Timing. A round has a few runs of the algorithm and, between them in random order, all other
 * timings, so that the machine's state affects all timings alike. */

static void shuffle(struct work *work) {
    const int64_t count = work->sequence.alike_count;
    for (int64_t i = 0; i < count; i++) work->order[i] = i;
    for (int64_t i = count - 1; i > 0; i--) {
        const int64_t other = random_below(&work->random, i + 1), swapped = work->order[i];
        work->order[i] = work->order[other];
        work->order[other] = swapped;
    }
}

static enum tcplan_status time_alone(struct work *work, int round, int64_t alike,
                                     struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int k = 0; k < TIMING_KINDS && status == TCPLAN_OK; k++) {
        const enum timing_kind kind = (enum timing_kind)k;
        const double began = monotonic_seconds();
        double *ns = work->series[k] + (int64_t)round * work->sequence.alike_count + alike;
        if (kind == TIMING_IN_CACHE && !timings_differ(work->timings, kind, alike)) {
            *ns =
                work->series[TIMING_REPEATED][(int64_t)round * work->sequence.alike_count + alike];
            continue;
        }
        status = timings_alone(work->timings, kind, alike, ns, error);
        work->out->spent_seconds[k] += monotonic_seconds() - began;
    }
    return status;
}

static enum tcplan_status run_algorithm(struct work *work, int64_t run,
                                        struct tcplan_error *error) {
    const double began = monotonic_seconds();
    const enum tcplan_status status =
        timings_algorithm(work->timings, work->algorithm + run * work->sequence.count, NULL, error);
    work->out->algorithm_spent_seconds += monotonic_seconds() - began;
    return status;
}

/** Times the calls of each statement that computes, after the algorithm's own preceding calls;
 * calls that only move data get their times in runs of the algorithm. */
static enum tcplan_status time_aware(struct work *work, int round, struct tcplan_error *error) {
    const struct sequence *sequence = &work->sequence;
    double *ns = work->series[SERIES_AWARE] + (int64_t)round * sequence->count;
    const double began = monotonic_seconds();
    enum tcplan_status status = TCPLAN_OK;
    memcpy(ns, work->algorithm + (int64_t)RUNS * round * sequence->count,
           (size_t)sequence->count * sizeof *ns);
    for (int s = 0; s < sequence->blocked->statement_count && status == TCPLAN_OK; s++) {
        int64_t first = 0;
        while (first < sequence->count && sequence->call[first].statement != s) first++;
        if (first < sequence->count && counts(&sequence->call[first]))
            status = timings_aware(work->timings, s, ns, error);
    }
    work->out->spent_seconds[TCPLAN_CACHE_AWARE] += monotonic_seconds() - began;
    return status;
}

static enum tcplan_status time_round(struct work *work, int round, struct tcplan_error *error) {
    const int64_t count = work->sequence.alike_count;
    enum tcplan_status status = TCPLAN_OK;
    shuffle(work);
    for (int quarter = 0; quarter < RUNS && status == TCPLAN_OK; quarter++) {
        status = run_algorithm(work, (int64_t)RUNS * round + quarter, error);
        for (int64_t a = quarter * count / RUNS;
             a < (quarter + 1) * count / RUNS && status == TCPLAN_OK; a++) {
            status = time_alone(work, round, work->order[a], error);
        }
    }
    return status == TCPLAN_OK ? time_aware(work, round, error) : status;
}

static enum tcplan_status time_rounds(struct work *work, struct tcplan_error *error) {
    const struct tcplan_blocked_cache_options *options = work->options;
    enum tcplan_status status =
        run_algorithm(work, 0, error); /* a first run whose times are overwritten, so that the first
                                          round does not find cold memory */
    work->out->algorithm_spent_seconds = 0;
    for (int round = 0; round < work->rounds && status == TCPLAN_OK; round++) {
        work->out->time_over = deadline_is_over(work->deadline);
        if (work->out->time_over && round >= LEAST_ROUNDS) break;
        if (options->progress)
            options->progress(options->progress_context, "timing calls", round, work->rounds);
        status = time_round(work, round, error);
        work->out->repetitions = round + 1;
    }
    work->out->time_over = work->out->repetitions < work->rounds;
    work->out->runs = (int64_t)RUNS * work->out->repetitions;
    return status;
}

/** Returns the median over the rounds, in seconds, of a series with `count` times per round. */
static double median_seconds(struct work *work, const double *series, int64_t count, int64_t place,
                             int64_t runs) {
    for (int64_t r = 0; r < runs; r++) work->scratch[r] = series[r * count + place];
    return 1e-9 * stages_median(work->scratch, runs);
}

static enum tcplan_status conclude(struct work *work, struct tcplan_error *error) {
    const struct sequence *sequence = &work->sequence;
    struct tcplan_blocked_cache *out = work->out;
    const int64_t rounds = out->repetitions, alike = sequence->alike_count;
    struct stages_call *call = base_alloc_zero((size_t)out->count, sizeof *call);
    if (!call) return error_no_memory(error);
    for (int64_t c = 0; c < out->count; c++) {
        const int64_t a = sequence->call[c].alike;
        call[c] = (struct stages_call){
            .accesses = &sequence->call[c].accesses,
            .repeated = median_seconds(work, work->series[TIMING_REPEATED], alike, a, rounds),
            .in_cache = median_seconds(work, work->series[TIMING_IN_CACHE], alike, a, rounds),
            .out_of_cache =
                median_seconds(work, work->series[TIMING_OUT_OF_CACHE], alike, a, rounds),
            .aware = median_seconds(work, work->series[SERIES_AWARE], out->count, c, rounds)};
        out->call[c].seconds = median_seconds(work, work->algorithm, out->count, c, out->runs);
    }
    const bool good = stages_estimate(out->call, call, out->count, &work->rules);
    base_free(call);
    if (!good) return error_no_memory(error);
    stages_sum(out);
    out->spread = stages_spread(out->call, work->algorithm, out->count, out->runs, work->scratch);
    /* The stages that mix times need the time in the cache and the time out of the cache. Where no
     * separate time in the cache is taken, the time of a repeated execution replaces it. */
    const double *spent = out->spent_seconds;
    out->spent_seconds[TCPLAN_CACHE_IN] += spent[TCPLAN_CACHE_REPEATED];
    const double both = spent[TCPLAN_CACHE_IN] + spent[TCPLAN_CACHE_OUT];
    for (int s = TCPLAN_CACHE_INITIAL; s <= TCPLAN_CACHE_DISTINCT; s++)
        out->spent_seconds[s] = both;
    return TCPLAN_OK;
}

_Static_assert((int)TIMING_REPEATED == (int)TCPLAN_CACHE_REPEATED &&
                   (int)TIMING_IN_CACHE == (int)TCPLAN_CACHE_IN &&
                   (int)TIMING_OUT_OF_CACHE == (int)TCPLAN_CACHE_OUT,
               "the first stages are the kinds of timings");

enum tcplan_status tcplan_blocked_cache_study(struct tcplan_blocked_cache *out,
                                              const struct tcplan_blocked *blocked,
                                              const struct tcplan_blocked_sizes *sizes,
                                              const struct tcplan_blocked_cache_options *options,
                                              struct tcplan_error *error) {
    struct tcplan_blocked_cache_options own = *options;
    struct work work = {.options = &own,
                        .out = out,
                        .random = {.state = options->seed},
                        .deadline = deadline_in(options->time_limit_seconds)};
    *out = (struct tcplan_blocked_cache){.repetitions = 0};
    if (own.threads <= 0) own.threads = 1;
    work.rounds = own.repetitions > 0 ? own.repetitions : TCPLAN_CACHE_REPETITIONS;
    if (work.rounds < LEAST_ROUNDS) work.rounds = LEAST_ROUNDS;
    struct session session;
    const struct session_options wanted = {.threads = own.threads, .binding = &own.binding};
    enum tcplan_status status = session_begin_with(&session, &wanted, error);
    if (status == TCPLAN_OK) status = open_work(&work, blocked, sizes, error);
    if (status == TCPLAN_OK) status = time_rounds(&work, error);
    if (status == TCPLAN_OK) status = conclude(&work, error);
    close_work(&work);
    session_end(&session);
    return status;
}

void tcplan_blocked_cache_free(struct tcplan_blocked_cache *study) {
    base_free(study->call);
    base_free(study->kernel);
    *study = (struct tcplan_blocked_cache){.repetitions = 0};
}
