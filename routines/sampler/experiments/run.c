#include "routines/sampler/experiments/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/deadline.h"
#include "base/edit_distance.h"
#include "base/error.h"
#include "contractions/document_file.h"
#include "microbench/timing/ticks.h"
#include "routines/sampler/experiments/report.h"
#include "routines/sampler/experiments/workshop.h"
#include "tcplan/ceilings.h"
#include "tcplan/provider.h"
#include "tcplan/version.h"

/** A run of an experiment, and the file to which it adds samples. */
struct running {
    const struct tcplan_experiment *experiment;
    const struct tcplan_experiment_run_options *options;
    const struct experiment_executor *executor;
    struct nest_part part;
    int64_t units; /* number of units in all shards */
    struct arena arena;
    struct tcplan_fingerprint fingerprint;
    char host[256], library[1200];
    struct report_provenance provenance;
    bool provenance_written;
    struct document_owner owner;
    struct document_file file;
    bool *known;  /* for each unit, whether the file contains it */
    int64_t runs; /* number of runs in the file */
    bool was_complete;
    double *weight; /* for each point, the relative work of a repetition */
    struct workshop *workshop;
    struct counter_source *counters; /* source of counts; NULL: the experiment requests no counters
                                      */
    enum counter_quantity quantity[REPORT_COUNTERS_MAX];
    int quantity_count;
    struct counter_target target; /* the events of `quantity`; names are in the arena */
    struct deadline deadline;
    struct tcplan_experiment_outcome *outcome;
};

/* Describes the origin of samples. */

/** Returns whether some call uses a library. */
static bool uses(const struct tcplan_experiment *experiment, enum tcplan_provider library) {
    for (int c = 0; c < experiment->call_count; c++) {
        if (experiment->call[c].library == library) return true;
    }
    return false;
}

/** Writes the names and versions of the libraries that the calls use, separated by `; `. */
static void describe_libraries(struct running *running) {
    const size_t size = sizeof running->library;
    size_t length = 0;
    for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
        const enum tcplan_provider library = (enum tcplan_provider)p;
        struct tcplan_provider_info info = {0};
        if (!uses(running->experiment, library) || length >= size) continue;
        const bool known = tcplan_provider_info(&info, library);
        length += (size_t)snprintf(running->library + length, size - length, "%s%s: %s%s%s%s%s%s",
                                   length > 0 ? "; " : "", tcplan_provider_name(library),
                                   known ? info.name : "not there", info.version ? " " : "",
                                   info.version ? info.version : "", info.core ? " (" : "",
                                   info.core ? info.core : "", info.core ? ")" : "");
    }
}

/** Returns the peak of a core in operations per tick of the clock: the peak that the experiment
 * gives or, if it gives none, the ceiling of fused operations; 0 if unknown. */
static double flops_per_tick(const struct running *running, double hz) {
    const struct tcplan_roofline *ceilings = running->options->machine->ceilings;
    const struct tcplan_ceiling *fma =
        ceilings ? tcplan_roofline_compute(ceilings, "fma", TCPLAN_DOUBLE, 0, 1) : NULL;
    if (running->experiment->flops_per_cycle > 0) return running->experiment->flops_per_cycle;
    return fma && !tcplan_ceiling_is_slow(fma) ? fma->rate * 1e9 / hz : 0;
}

static void describe(struct running *running) {
    const struct tcplan_machine *machine = running->options->machine;
    struct report_provenance *out = &running->provenance;
    const double hz =
        running->executor->ticks_per_second > 0 ? running->executor->ticks_per_second : ticks_hz();
    running->fingerprint = tcplan_fingerprint_make(machine);
    if (gethostname(running->host, sizeof running->host - 1) != 0) running->host[0] = '\0';
    describe_libraries(running);
    *out = (struct report_provenance){.id = 1,
                                      .tcplan = TCPLAN_VERSION_STRING,
                                      .host = running->host,
                                      .library = running->library,
                                      .ticks_per_second = hz,
                                      .cores = machine->cores > 0 ? machine->cores : 1,
                                      .flops_per_cycle = flops_per_tick(running, hz),
                                      .part_count = TCPLAN_FINGERPRINT_PARTS};
    for (int p = 0; p < TCPLAN_FINGERPRINT_PARTS; p++) {
        out->part[p].name = tcplan_fingerprint_part_name(p);
        out->part[p].value = running->fingerprint.part[p];
    }
}

static char *empty_document(void *context, size_t *length) {
    struct running *running = context;
    struct strbuf out = {0};
    report_add_begin(&out, running->experiment, running->part.number, running->part.count);
    *length = out.length;
    report_add_end(&out, -1);
    return strbuf_finish(&out);
}

static char *end_text(void *context) {
    struct strbuf out = {0};
    (void)context;
    report_add_end(&out, -1);
    return strbuf_finish(&out);
}

static enum tcplan_status refuse_content(const char *path, struct tcplan_error *error,
                                         const char *what) {
    return error_set(error, TCPLAN_MISMATCH, "'%.100s' is the report of %.180s", path, what);
}

/** Checks that samples of this machine are comparable with those in the file: returns
 * TCPLAN_MISMATCH if the provenances differ. */
static enum tcplan_status check_provenance(struct running *running,
                                           const struct report_provenance *found, const char *path,
                                           struct tcplan_error *error) {
    char difference[200] = "", what[240];
    const bool equal =
        report_provenance_equal(found, &running->provenance, difference, sizeof difference);
    if (equal && strcmp(found->host, running->host) == 0) {
        running->provenance.id = found->id;
        running->provenance_written = true;
    } else if (found->id >= running->provenance.id && !running->provenance_written) {
        running->provenance.id = found->id + 1;
    }
    if (equal || running->options->mixed) return TCPLAN_OK;
    snprintf(what, sizeof what, "another machine (%.180s)", difference);
    return refuse_content(path, error, what);
}

static enum tcplan_status check_report(struct running *running,
                                       const struct tcplan_experiment_report *report,
                                       const char *path, struct tcplan_error *error) {
    char what[80];
    if (report->experiment->checksum != running->experiment->checksum) {
        return refuse_content(path, error,
                              "another experiment, or of an earlier version of this experiment");
    }
    if (report->shards != running->part.count ||
        report->shard != (running->part.count > 0 ? running->part.number : 0)) {
        if (report->shards == 0)
            return refuse_content(path, error,
                                  "the whole experiment; expected the report of a shard");
        snprintf(what, sizeof what, "shard %lld/%lld; expected the report of %s",
                 (long long)report->shard, (long long)report->shards,
                 running->part.count > 0 ? "another shard" : "the whole experiment");
        return refuse_content(path, error, what);
    }
    for (const struct report_provenance *p = report->provenances; p; p = p->next) {
        enum tcplan_status status = check_provenance(running, p, path, error);
        if (status != TCPLAN_OK) return status;
    }
    return TCPLAN_OK;
}

static enum tcplan_status read_file(void *context, const char *path, struct tcplan_error *error) {
    struct running *running = context;
    struct tcplan_experiment_report *report = NULL;
    enum tcplan_status status = tcplan_experiment_report_read(&report, path, error);
    if (status == TCPLAN_OK) status = check_report(running, report, path, error);
    for (const struct report_run *run = status == TCPLAN_OK ? report->runs : NULL; run;
         run = run->next) {
        running->known[run->unit] = true;
        running->runs++;
    }
    running->was_complete = report && report->complete;
    tcplan_experiment_report_free(report);
    return status;
}

static enum tcplan_status open_file(struct running *running, struct tcplan_error *error) {
    running->owner = (struct document_owner){.kind = &document_experiment_report,
                                             .context = running,
                                             .empty = empty_document,
                                             .read = read_file,
                                             .end = end_text};
    running->known = base_alloc_zero((size_t)running->units + 1, sizeof *running->known);
    if (!running->known) return error_no_memory(error);
    return document_file_open(&running->file, running->options->report, &running->owner,
                              running->options->restart, error);
}

/** Adds a run to the file; the first run is preceded by the provenance. */
static enum tcplan_status keep_run(struct running *running, const struct report_run *run,
                                   struct tcplan_error *error) {
    struct strbuf out = {0};
    if (!running->provenance_written) report_add_provenance(&out, &running->provenance);
    report_add_run(&out, run, running->quantity_count);
    const size_t record = out.length;
    report_add_end(&out, -1);
    char *text = strbuf_finish(&out);
    enum tcplan_status status = text
                                    ? document_file_write(&running->file, text, record, true, error)
                                    : error_no_memory(error);
    free(text);
    if (status != TCPLAN_OK) return status;
    running->provenance_written = true;
    running->runs++;
    return TCPLAN_OK;
}

static enum tcplan_status keep_end(struct running *running, struct tcplan_error *error) {
    struct strbuf out = {0};
    report_add_end(&out, running->runs);
    char *text = strbuf_finish(&out);
    enum tcplan_status status =
        text ? document_file_write(&running->file, text, 0, true, error) : error_no_memory(error);
    free(text);
    return status;
}

/** Returns the quantity with a name or, if there is none, the slot of the next named event.
 * `nearest` receives quantities with a similar name. */
static int quantity_of(const struct running *running, const char *name, struct nearest *nearest) {
    int q = 0;
    for (; q < COUNTER_QUANTITIES; q++) {
        const char *known = counter_quantity_name((enum counter_quantity)q);
        if (strcmp(known, name) == 0) return q;
        nearest_consider(nearest, name, known);
    }
    while (running->target.quantities & 1U << q) q++;
    return q;
}

/** Adds a counter: a quantity, or an event of the system. */
static enum tcplan_status take_counter(struct running *running, const char *text, size_t length,
                                       struct tcplan_error *error) {
    struct nearest nearest = {0};
    const char *name = arena_strndup(&running->arena, text, length);
    if (!name) return error_no_memory(error);
    const int q = quantity_of(running, name, &nearest);
    if (q >= COUNTER_QUANTITIES && (nearest.name || length >= COUNTER_NAME))
        return error_set(error, TCPLAN_INVALID,
                         "counters: expected flops, misses, read, written, cycles, instructions or "
                         "an event of perf, found '%.60s'%s%s%s",
                         name, nearest.name ? "; did you mean '" : "",
                         nearest.name ? nearest.name : "", nearest.name ? "'?" : "");
    if (q == COUNTER_SLOTS)
        return error_set(error, TCPLAN_INVALID, "counters: more than %d events of perf",
                         COUNTER_MAX_NAMED);
    if (running->quantity_count == REPORT_COUNTERS_MAX)
        return error_set(error, TCPLAN_INVALID, "more than %d counters", REPORT_COUNTERS_MAX);
    running->quantity[running->quantity_count++] = (enum counter_quantity)q;
    running->target.quantities |= 1U << q;
    if (q >= COUNTER_NAMED) running->target.named[q - COUNTER_NAMED] = name;
    return TCPLAN_OK;
}

/** Opens the counters of the experiment; if one is unavailable, the outcome states the reason. */
static enum tcplan_status open_counters(struct running *running, struct tcplan_error *error) {
    for (const char *at = running->experiment->counters; *at;) {
        const size_t length = strcspn(at, " ");
        enum tcplan_status status = take_counter(running, at, length, error);
        if (status != TCPLAN_OK) return status;
        at += length + (at[length] == ' ');
    }
    if (running->quantity_count == 0) return TCPLAN_OK;
    enum tcplan_status status = counter_open(
        &running->counters, running->options->counters ? running->options->counters : "perf",
        &running->target, error);
    if (status != TCPLAN_OK) return status;
    for (int c = 0; c < running->quantity_count; c++) {
        const enum counter_quantity quantity = running->quantity[c];
        if (counter_can(running->counters, quantity) || *running->outcome->not_counted) continue;
        snprintf(running->outcome->not_counted, sizeof running->outcome->not_counted, "%s: %.200s",
                 quantity < COUNTER_NAMED ? counter_quantity_name(quantity)
                                          : running->target.named[quantity - COUNTER_NAMED],
                 running->counters->why_not[quantity]);
    }
    return TCPLAN_OK;
}

/** Samples of a unit, by their numbers. */
struct taken {
    uint64_t *ticks;
    bool *disturbed;
    double *counts; /* counts of events; NULL: there are no counters */
};

static bool take_memory(struct taken *out, struct arena *arena, size_t samples, int counters) {
    out->ticks = arena_alloc(arena, (samples + 1) * sizeof *out->ticks);
    out->disturbed = arena_alloc(arena, (samples + 1) * sizeof *out->disturbed);
    out->counts =
        counters > 0 ? arena_alloc(arena, samples * (size_t)counters * sizeof *out->counts) : NULL;
    return out->ticks && out->disturbed && (out->counts || counters == 0);
}

static void take_samples(const struct running *running, struct taken *out,
                         const struct sample *samples, int count) {
    const int counters = running->quantity_count;
    for (int s = 0; s < count; s++) {
        const struct sample *from = &samples[s];
        if (from->tag < 0 || (size_t)from->tag >= running->workshop->samples) continue;
        out->ticks[from->tag] = from->ticks;
        out->disturbed[from->tag] = from->disturbed;
        running->outcome->samples++;
        running->outcome->disturbed += from->disturbed;
        for (int c = 0; c < counters; c++) out->counts[from->tag * counters + c] = from->counter[c];
    }
}

/** Lists the samples of a unit, an entry for each repetition, in the order of the report; returns
 * NULL if memory runs out. */
static struct report_samples *list_parts(const struct running *running, struct arena *arena,
                                         const struct taken *taken) {
    const struct workshop *workshop = running->workshop;
    struct report_samples *list = arena_alloc(arena, (workshop->part_count + 1) * sizeof *list);
    for (size_t p = 0; list && p < workshop->part_count; p++) {
        const struct workshop_part *part = &workshop->part[p];
        list[p] = (struct report_samples){
            .next = p + 1 < workshop->part_count ? &list[p + 1] : NULL,
            .point = part->point,
            .repetition = part->repetition,
            .count = part->count,
            .ticks = taken->ticks + part->first,
            .disturbed = taken->disturbed + part->first,
            .counts = taken->counts ? taken->counts + part->first * (size_t)running->quantity_count
                                    : NULL};
    }
    return list;
}

static enum tcplan_status keep_unit(struct running *running, int64_t unit,
                                    const struct sample *samples, int count,
                                    struct tcplan_error *error) {
    struct arena arena = {0};
    struct taken taken;
    char finished[32] = "";
    const time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc)) strftime(finished, sizeof finished, "%Y-%m-%dT%H:%M:%SZ", &utc);
    struct report_run run = {
        .unit = unit, .provenance = &running->provenance, .finished = finished};
    enum tcplan_status status = TCPLAN_OK;
    if (take_memory(&taken, &arena, running->workshop->samples, running->quantity_count)) {
        take_samples(running, &taken, samples, count);
        run.samples = list_parts(running, &arena, &taken);
    }
    status = run.samples ? keep_run(running, &run, error) : error_no_memory(error);
    arena_free(&arena);
    return status;
}

static enum tcplan_status run_unit(struct running *running, int64_t unit,
                                   struct tcplan_error *error) {
    struct queue_options options = {.source = running->counters,
                                    .counters = running->quantity_count,
                                    .counter = running->quantity};
    const struct sample *samples = NULL;
    int count = 0;
    enum tcplan_status status = workshop_queue(running->workshop, &running->part, unit, error);
    options.threads = workshop_threads(running->workshop);
    if (status == TCPLAN_OK) {
        status = running->executor->run(running->executor->context, unit, running->workshop->queue,
                                        &options, &samples, &count, error);
    }
    return status == TCPLAN_OK ? keep_unit(running, unit, samples, count, error) : status;
}

static double weight_of(const struct running *running, int64_t unit) {
    double weight = 0;
    if (!running->experiment->shuffle) return running->weight[unit];
    for (size_t p = 0; p < running->experiment->point_count; p++) {
        if (nest_part_has(&running->part, p)) weight += running->weight[p];
    }
    return weight;
}

static bool is_to_do(const struct running *running, int64_t unit) {
    return nest_has_unit(running->experiment, &running->part, unit) && !running->known[unit];
}

static void tell(const struct running *running, double started, double done, double total) {
    const struct tcplan_experiment_run_options *options = running->options;
    const double elapsed = monotonic_seconds() - started;
    if (options->rest)
        options->rest(options->context, done > 0 ? elapsed / done * (total - done) : -1);
    if (options->progress) options->progress(options->context, "sampling", done, total);
}

static enum tcplan_status run_units(struct running *running, struct tcplan_error *error) {
    const double started = monotonic_seconds();
    enum tcplan_status status = TCPLAN_OK;
    double done = 0, total = 0;
    bool over = false;
    for (int64_t u = 0; u < running->units; u++) {
        if (is_to_do(running, u)) total += weight_of(running, u);
    }
    for (int64_t u = 0; u < running->units && status == TCPLAN_OK && !over; u++) {
        if (!is_to_do(running, u)) continue;
        over = deadline_is_over(running->deadline);
        if (over) break;
        tell(running, started, done, total);
        status = run_unit(running, u, error);
        done += weight_of(running, u);
        running->outcome->done += status == TCPLAN_OK;
    }
    running->outcome->complete = status == TCPLAN_OK && !over;
    return status == TCPLAN_OK && !over && !running->was_complete ? keep_end(running, error)
                                                                  : status;
}

static void count_units(struct running *running) {
    for (int64_t u = 0; u < running->units; u++) {
        if (!nest_has_unit(running->experiment, &running->part, u)) continue;
        running->outcome->units++;
        running->outcome->known += running->known[u];
    }
}

/** Opens the file and, if units lack samples, the workshop. A restart opens the workshop first: if
 * it is refused, the old report stays. */
static enum tcplan_status open_both(struct running *running, const struct nest_memory *memory,
                                    struct tcplan_error *error) {
    const bool restarts = running->options->restart;
    const int64_t most_bytes = running->options->max_memory_bytes;
    enum tcplan_status status = TCPLAN_OK;
    if (restarts)
        status = workshop_open(running->workshop, running->experiment, memory, most_bytes, error);
    if (status == TCPLAN_OK) status = open_file(running, error);
    if (status == TCPLAN_OK) count_units(running);
    if (status == TCPLAN_OK && !restarts && running->outcome->known < running->outcome->units)
        status = workshop_open(running->workshop, running->experiment, memory, most_bytes, error);
    return status;
}

static enum tcplan_status prepare(struct running *running, struct tcplan_error *error) {
    struct nest_memory *memory = base_alloc(sizeof *memory);
    running->workshop = base_alloc_zero(1, sizeof *running->workshop);
    if (!memory || !running->workshop) {
        base_free(memory);
        return error_no_memory(error);
    }
    enum tcplan_status status =
        nest_measure(memory, &running->weight, &running->arena, running->experiment, error);
    if (status == TCPLAN_OK) status = nest_units(&running->units, running->experiment, error);
    if (status == TCPLAN_OK) status = open_counters(running, error);
    if (status == TCPLAN_OK) describe(running);
    if (status == TCPLAN_OK) status = open_both(running, memory, error);
    base_free(memory);
    return status;
}

enum tcplan_status experiment_run_by(struct tcplan_experiment_outcome *out,
                                     const struct tcplan_experiment *experiment,
                                     const struct tcplan_experiment_run_options *options,
                                     const struct experiment_executor *executor,
                                     struct tcplan_error *error) {
    struct running running = {
        .experiment = experiment,
        .options = options,
        .executor = executor,
        .part = {.number = options->shards > 0 ? options->shard : 0, .count = options->shards},
        .file = {.descriptor = -1},
        .deadline = deadline_in(options->time_limit_seconds),
        .outcome = out};
    *out = (struct tcplan_experiment_outcome){0};
    ticks_watch();
    enum tcplan_status status = prepare(&running, error);
    if (status == TCPLAN_OK) status = run_units(&running, error);
    if (running.workshop) workshop_close(running.workshop);
    base_free(running.workshop);
    counter_close(running.counters);
    if (status != TCPLAN_OK && running.runs == 0) {
        document_file_discard(&running.file); /* a refused run leaves no report without samples */
    } else {
        document_file_close(&running.file);
    }
    base_free(running.known);
    arena_free(&running.arena);
    return status;
}

static enum tcplan_status run_queue(void *context, int64_t unit, struct queue *queue,
                                    const struct queue_options *options,
                                    const struct sample **samples, int *count,
                                    struct tcplan_error *error) {
    (void)context;
    (void)unit;
    enum tcplan_status status = queue_run(queue, options, error);
    *samples = queue_samples(queue, count);
    return status;
}

enum tcplan_status tcplan_experiment_run(struct tcplan_experiment_outcome *out,
                                         const struct tcplan_experiment *experiment,
                                         const struct tcplan_experiment_run_options *options,
                                         struct tcplan_error *error) {
    const struct experiment_executor executor = {.run = run_queue};
    return experiment_run_by(out, experiment, options, &executor, error);
}
