#include "tcplan/tuning.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "microbench/program/buffers.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/session.h"
#include "roofline/kernels/working_set.h"
#include "roofline/tuning/peak.h"
#include "roofline/tuning/tuner.h"

enum {
    MOST_SAMPLES = 1000000,
    PATIENCE_TIMES = 10,
    PATIENCE_SECONDS = 60,
    ALL_STOPS = 7,
    USUAL_INVOCATIONS = 10
};

#define USUAL_MEMORY_BYTES ((int64_t)1 << 30)

/** The benchmarks that are gemms, and the types of their elements. */
static const struct {
    bool is_gemm;
    enum tcplan_dtype dtype;
} benchmarks[] = {[TCPLAN_TUNED_DGEMM] = {true, TCPLAN_DOUBLE},
                  [TCPLAN_TUNED_TRIAD] = {false, TCPLAN_DOUBLE},
                  [TCPLAN_TUNED_SGEMM] = {true, TCPLAN_FLOAT},
                  [TCPLAN_TUNED_CGEMM] = {true, TCPLAN_FLOAT_COMPLEX},
                  [TCPLAN_TUNED_ZGEMM] = {true, TCPLAN_DOUBLE_COMPLEX}};

bool tcplan_tuned_is_gemm(enum tcplan_tuned benchmark) {
    return benchmarks[benchmark].is_gemm;
}

struct tcplan_tune_options tcplan_tune_defaults(void) {
    const struct stop_rules rules = stop_rules_defaults();
    return (struct tcplan_tune_options){.stops = ALL_STOPS,
                                        .seed = 1,
                                        .invocations = USUAL_INVOCATIONS,
                                        .iterations = rules.most_samples,
                                        .seconds = rules.most_seconds,
                                        .tolerance = rules.precise_share,
                                        .least_count = rules.least_beaten};
}

static enum tcplan_status check_count(const char *what, int64_t count, struct tcplan_error *error) {
    if (count >= 1 && count <= MOST_SAMPLES) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID, "expected 1 to %d as %s, found %lld", MOST_SAMPLES,
                     what, (long long)count);
}

static enum tcplan_status check_options(const struct tcplan_tune_options *options,
                                        struct tcplan_error *error) {
    enum tcplan_status status =
        check_count("the number of invocations", options->invocations, error);
    if (status == TCPLAN_OK)
        status = check_count("the number of iterations", options->iterations, error);
    if (status == TCPLAN_OK) status = check_count("the least count", options->least_count, error);
    if (status != TCPLAN_OK) return status;
    if (options->stops > ALL_STOPS)
        return error_set(error, TCPLAN_INVALID, "expected the stops C, I and O, found the bits %#x",
                         options->stops);
    if (!(options->seconds > 0 && isfinite(options->seconds))) {
        return error_set(error, TCPLAN_INVALID,
                         "expected a time above 0 s for an invocation, found %g", options->seconds);
    }
    if (!(options->tolerance > 0 && options->tolerance < 1)) {
        return error_set(error, TCPLAN_INVALID, "expected a tolerance between 0 and 1, found %g",
                         options->tolerance);
    }
    struct tcplan_provider_info is;
    if (benchmarks[options->benchmark].is_gemm && !tcplan_provider_info(&is, options->provider))
        return error_set(error, TCPLAN_NOT_APPLICABLE, "this program has no library %s",
                         tcplan_provider_name(options->provider));
    if (options->max_memory_bytes < 0)
        return error_set(error, TCPLAN_INVALID,
                         "expected a memory limit of at least 0, found a negative number");
    return TCPLAN_OK;
}

static struct autotune_options search_options(const struct tcplan_tune_options *options) {
    static const enum autotune_order orders[] = {[TCPLAN_TUNE_FORWARD] = AUTOTUNE_FORWARD,
                                                 [TCPLAN_TUNE_REVERSE] = AUTOTUNE_REVERSED,
                                                 [TCPLAN_TUNE_RANDOM] = AUTOTUNE_RANDOM};
    static const enum stop_interval iterations[] = {[TCPLAN_TUNE_STUDENT] = STOP_STUDENT,
                                                    [TCPLAN_TUNE_NORMAL] = STOP_NORMAL,
                                                    [TCPLAN_TUNE_MEDIAN] = STOP_MEDIAN};
    struct autotune_options out = autotune_defaults();
    out.order = orders[options->order];
    out.seed = options->seed;
    out.iteration.most_samples = options->iterations;
    out.iteration.most_seconds = options->seconds;
    out.iteration.precise_share = options->stops & TCPLAN_TUNE_PRECISE ? options->tolerance : 0;
    out.iteration.beaten = (options->stops & TCPLAN_TUNE_INNER) != 0;
    out.iteration.least_beaten = options->least_count;
    out.invocation.most_samples = options->invocations;
    out.invocation.precise_share = options->stops & TCPLAN_TUNE_OUTER ? options->tolerance : 0;
    out.invocation.beaten = (options->stops & TCPLAN_TUNE_OUTER) != 0;
    out.iteration.interval = iterations[options->interval];
    out.invocation.interval = options->interval == TCPLAN_TUNE_NORMAL ? STOP_NORMAL : STOP_STUDENT;
    out.iteration.ramps = options->ramps;
    return out;
}

/** State of a tuning while it is made. */
struct maker {
    struct tcplan_tuning *tuning;
    const struct tcplan_tune_options *options;
    struct autotune_options search;
    struct places places;
    struct place_part part[PLACE_SCOPES];
    int parts;
    int searches; /* number of all searches */
    int done;     /* number of finished searches */
    int capacity; /* number of rows for which there is memory */
};

/** Reports progress from 0 to 1 over all searches. */
static void tell(void *context, const char *activity, double done, double total) {
    const struct maker *maker = context;
    if (maker->options->progress) {
        maker->options->progress(maker->options->progress_context, activity,
                                 maker->done + (total > 0 ? done / total : 0), maker->searches);
    }
}

/** Adds a configuration to the counts of a row. */
static void add_record(struct tcplan_tuned_row *row, const struct autotune_record *record) {
    row->configurations++;
    row->invocations += record->means.count;
    row->iterations += record->iterations;
    row->disturbed += record->disturbed;
    row->lost += record->lost;
    row->left_out += !record->applicable;
    if (row->found && record->applicable && record->means.count > 0)
        row->slowest = fmin(row->slowest, record->means.mean);
}

static enum tcplan_status add_row(struct maker *maker, const struct tcplan_tuned_row *row,
                                  struct tcplan_error *error) {
    struct tcplan_tuning *tuning = maker->tuning;
    if (tuning->count == maker->capacity) {
        const int capacity = 2 * maker->capacity + 8;
        struct tcplan_tuned_row *rows =
            base_realloc(tuning->row, (size_t)capacity * sizeof *tuning->row);
        if (!rows) return error_no_memory(error);
        tuning->row = rows;
        maker->capacity = capacity;
    }
    tuning->row[tuning->count++] = *row;
    return TCPLAN_OK;
}

/** Describes a configuration in a row. */
static void describe_configuration(struct tcplan_tuned_row *row, const struct tuner *tuner,
                                   int64_t configuration) {
    if (tuner->gemm) {
        const struct gemm_extents extents = gemm_choices_at(tuner->gemm, configuration);
        row->m = extents.m;
        row->n = extents.n;
        row->k = extents.k;
        row->used_threads = tuner->threads;
    } else {
        const struct triad_choice *choice = &tuner->triad->choice[configuration];
        row->elements = choice->elements;
        row->used_threads = choice->threads;
        row->spread = choice->affinity == PLACE_SPREAD;
        row->interleaved = choice->interleaved;
    }
}

/** Adds the rows of a search, each of which begins as `row`. */
static enum tcplan_status add_rows(struct maker *maker, const struct tcplan_tuned_row *row,
                                   const struct tuner *tuner, const struct autotune_result *result,
                                   struct tcplan_error *error) {
    struct tcplan_tuned_row best = *row;
    best.found = result->best >= 0;
    best.rate = best.slowest = best.found ? result->value : 0;
    best.seconds = result->seconds;
    if (best.found) describe_configuration(&best, tuner, result->best);
    enum tcplan_status status = TCPLAN_OK;
    for (int64_t c = 0; c < result->count && status == TCPLAN_OK; c++) {
        const struct autotune_record *record = &result->record[c];
        struct tcplan_tuned_row one = *row;
        add_record(&best, record);
        if (!maker->options->configurations) continue;
        one.found = record->applicable && record->means.count > 0;
        one.rate = one.slowest = one.found ? record->means.mean : 0;
        one.seconds = record->seconds;
        describe_configuration(&one, tuner, c);
        add_record(&one, record);
        status = add_row(maker, &one, error);
    }
    return status == TCPLAN_OK && !maker->options->configurations ? add_row(maker, &best, error)
                                                                  : status;
}

/** Searches, and adds the rows of the search, each of which begins as `row`. */
static enum tcplan_status search(struct maker *maker, const struct tcplan_tuned_row *row,
                                 struct tuner *tuner, struct tcplan_error *error) {
    struct autotune_result result;
    const struct tcplan_tune_options *options = maker->options;
    tuner->program = options->program;
    tuner->patience_seconds = options->patience_seconds > 0
                                  ? options->patience_seconds
                                  : PATIENCE_SECONDS + PATIENCE_TIMES * options->seconds;
    enum tcplan_status status = tuner_search(&result, tuner, &maker->search, error);
    maker->done++;
    if (*tuner->state.reason) {
        snprintf(maker->tuning->lost_reason, sizeof maker->tuning->lost_reason, "%s",
                 tuner->state.reason);
    }
    if (status != TCPLAN_OK) return status;
    status = add_rows(maker, row, tuner, &result, error);
    autotune_free(&result);
    return status;
}

static enum tcplan_status tune_gemm(struct tcplan_tuned_row *row, struct maker *maker,
                                    const struct places *places, struct tcplan_error *error) {
    const struct gemm_choices choices =
        maker->options->extents == TCPLAN_TUNE_PAPER ? gemm_choices_paper() : gemm_choices_quick();
    const enum tcplan_dtype dtype = benchmarks[maker->options->benchmark].dtype;
    struct tuner tuner = {.gemm = &choices,
                          .dtype = dtype,
                          .provider = maker->options->provider,
                          .threads = row->threads,
                          .places = places};
    struct session session = {0};
    enum tcplan_status status =
        maker->options->program
            ? blas_check_memory(1, error) /* 1: each started process has its own BLAS */
            : session_begin(&session, row->threads, error);
    row->used_threads = row->threads;
    row->peak = maker->tuning->peak.core_gflops * row->threads *
                (dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX ? 2 : 1);
    if (status == TCPLAN_OK) status = search(maker, row, &tuner, error);
    session_end(&session);
    return status;
}

static struct tcplan_tuned_row new_row(const struct place_part *part, const struct places *places) {
    struct tcplan_tuned_row row = {.threads = part->threads, .sockets = places_sockets(places)};
    snprintf(row.part, sizeof row.part, "%s",
             part->scope < PLACE_SCOPES ? place_scope_name(part->scope) : "threads");
    return row;
}

static enum tcplan_status tune_part_triad(struct maker *maker, const struct place_part *part,
                                          const struct places *places, struct tcplan_error *error) {
    struct tcplan_tuning *tuning = maker->tuning;
    struct triad_choices *choices = base_alloc(sizeof *choices);
    if (!choices) return error_no_memory(error);
    enum tcplan_status status = TCPLAN_OK;
    const int caches = tuning->machine.cache_count;
    for (int in_memory = 0; in_memory < 2 && status == TCPLAN_OK; in_memory++) {
        struct tcplan_tuned_row row = new_row(part, places);
        triad_choices_make(choices, &tuning->machine, places, in_memory == 1,
                           tuning->options.max_memory_bytes);
        if (choices->count == 0 && !in_memory) continue;
        working_set_level(row.level, sizeof row.level, &tuning->machine,
                          in_memory ? caches : caches - 1);
        row.wanted_bytes = choices->wanted_bytes;
        row.too_little_memory = choices->count == 0;
        row.reduced = choices->count > 0 && choices->reduced;
        row.peak = in_memory ? tuning->peak.socket_gbytes * row.sockets : 0;
        struct tuner tuner = {.triad = choices, .places = places};
        status = row.too_little_memory ? add_row(maker, &row, error)
                                       : search(maker, &row, &tuner, error);
    }
    base_free(choices);
    return status;
}

static enum tcplan_status tune_parts(struct maker *maker, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int p = 0; p < maker->parts && status == TCPLAN_OK; p++) {
        const struct places places = places_first(&maker->places, maker->part[p].threads);
        if (maker->options->benchmark == TCPLAN_TUNED_TRIAD) {
            status = tune_part_triad(maker, &maker->part[p], &places, error);
        } else {
            struct tcplan_tuned_row row = new_row(&maker->part[p], &places);
            status = tune_gemm(&row, maker, &places, error);
        }
    }
    return status;
}

/** Chooses the parts of the machine to tune: those of the topology, or a part with the number of
 * threads in the options. */
static enum tcplan_status choose_parts(struct maker *maker, struct tcplan_error *error) {
    const int wanted = maker->options->threads;
    enum tcplan_status status = places_load(&maker->places, NULL, error);
    if (status != TCPLAN_OK) return status;
    if (wanted < 0 || wanted > maker->places.count) {
        return error_set(
            error, TCPLAN_INVALID,
            "expected at most %d thread%s, one for each core that this process may use, found %d",
            maker->places.count, maker->places.count == 1 ? "" : "s", wanted);
    }
    maker->parts = places_parts(maker->part, &maker->places);
    if (wanted == 0) return TCPLAN_OK;
    struct place_part part = {.scope = PLACE_SCOPES, .threads = wanted};
    for (int p = 0; p < maker->parts; p++) {
        if (maker->part[p].threads == wanted) part = maker->part[p];
    }
    maker->part[0] = part;
    maker->parts = 1;
    return TCPLAN_OK;
}

/** Returns the measured size of one cache of a level, from the smallest number of threads; 0 if
 * loads did not distinguish the cache from its neighbours. */
static int64_t found_bytes(const struct tcplan_roofline *known,
                           const struct tcplan_machine *machine, int cache) {
    const struct tcplan_level *best = NULL;
    for (size_t l = 0; l < known->level_count; l++) {
        const struct tcplan_level *level = &known->level[l];
        if (level->cache != cache || level->holds_bytes <= 0 ||
            (best && best->threads <= level->threads))
            continue;
        best = level;
    }
    if (!best) return 0;
    const int sharers = machine->cache[cache].shared_by > 0 ? machine->cache[cache].shared_by : 1;
    return best->holds_bytes / ((best->threads + sharers - 1) / sharers);
}

/** Replaces reported cache sizes by those that loads found: a virtual machine may report the caches
 * of the host. */
static void take_found_caches(struct tcplan_tuning *tuning, const struct tcplan_roofline *known) {
    struct tcplan_machine *machine = &tuning->machine;
    const int last = machine->cache_count - 1;
    if (last < 0) return;
    tuning->reported_cache_bytes = machine->cache[last].size_bytes;
    for (int c = 0; c <= last && known && known->machine.cache_count == machine->cache_count; c++) {
        const int64_t bytes = found_bytes(known, machine, c);
        if (bytes <= 0) continue;
        machine->cache[c].size_bytes = bytes;
        tuning->cache_found = c == last;
    }
}

/** Limits the memory to what is available, because the system kills a process that uses more. */
static void bound_memory(struct tcplan_tuning *tuning) {
    int64_t *bound = &tuning->options.max_memory_bytes;
    const int64_t available = tuning->available_bytes = buffers_available_bytes();
    if (*bound == 0) *bound = available > 1 ? available / 2 : USUAL_MEMORY_BYTES;
    if (available > 0 && *bound > available) *bound = available;
}

static enum tcplan_status describe(struct maker *maker, struct tcplan_error *error) {
    struct tcplan_tuning *tuning = maker->tuning;
    tuning->options = *maker->options;
    tuning->options.machine = NULL;
    tuning->options.known = NULL;
    tuning->options.program = NULL;
    tuning->options.progress = NULL;
    tuning->options.progress_context = NULL;
    bound_memory(tuning);
    if (maker->options->machine) {
        tuning->machine = *maker->options->machine;
    } else {
        const enum tcplan_status status = tcplan_machine_load(&tuning->machine, "live", error);
        if (status != TCPLAN_OK) return status;
    }
    tuning->machine.ceilings = NULL;
    take_found_caches(tuning, maker->options->known);
    return TCPLAN_OK;
}

static enum tcplan_status make(struct maker *maker, struct tcplan_error *error) {
    enum tcplan_status status = choose_parts(maker, error);
    if (status == TCPLAN_OK) status = describe(maker, error);
    if (status != TCPLAN_OK) return status;
    maker->search = search_options(maker->options);
    maker->search.progress = tell;
    maker->search.progress_context = maker;
    maker->searches = maker->parts * (maker->options->benchmark == TCPLAN_TUNED_TRIAD ? 2 : 1);
    maker->tuning->peak = peak_find(&maker->tuning->machine.data_sheet);
    return tune_parts(maker, error);
}

enum tcplan_status tcplan_tune(struct tcplan_tuning *out, const struct tcplan_tune_options *options,
                               struct tcplan_error *error) {
    const struct tcplan_tune_options defaults = tcplan_tune_defaults();
    const uint64_t start_ns = clock_now_ns();
    if (!options) options = &defaults;
    *out = (struct tcplan_tuning){0};
    enum tcplan_status status = check_options(options, error);
    if (status != TCPLAN_OK) return status;
    struct maker *maker = base_alloc(sizeof *maker);
    if (!maker) return error_no_memory(error);
    *maker = (struct maker){.tuning = out, .options = options};
    status = make(maker, error);
    base_free(maker);
    if (status != TCPLAN_OK) tcplan_tuning_free(out);
    out->seconds = 1e-9 * (double)(clock_now_ns() - start_ns);
    return status;
}

void tcplan_tuning_free(struct tcplan_tuning *tuning) {
    base_free(tuning->row);
    tuning->row = NULL;
    tuning->count = 0;
}

bool tcplan_tune_serve(void) {
    return tuner_serve();
}
