#include "routines/sampler/generation/live.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/deadline.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "microbench/program/buffers.h"
#include "microbench/timing/session.h"
#include "routines/sampler/timing/reference_calls.h"

/* A unit of work (case_work()) takes a nanosecond or less. A call that takes more than a hundred
 * times as long, plus half a minute, counts as hanging. */
#define HANGING_SECONDS_PER_WORK 1e-7
#define HANGING_SECONDS 30.0
#define MEMORY_SHARE 0.8

/** The purpose of a call in the queue. */
enum role { ROLE_REFERENCE, ROLE_UNTIMED, ROLE_TIMED };

struct live {
    struct live_options options;
    struct session session;
    struct operands *operands;
    struct queue *queue;
    struct reference_calls reference;
    struct counter_source *source; /* source of the counts; NULL: time is measured */
    enum counter_quantity counter;
    struct operands_calls *calls; /* OPERANDS_PLACES elements for each job of a batch */
    double limit_seconds;         /* time limit of the queued calls */
    bool given_up;
};

static int64_t most_memory(const struct live_options *options) {
    if (options->max_memory_bytes > 0) return options->max_memory_bytes;
    return (int64_t)(MEMORY_SHARE * (double)buffers_available_bytes());
}

static enum tcplan_status open_all(struct live *live, const struct generation_case of[],
                                   const int64_t leading[], int count, struct tcplan_error *error) {
    const struct live_options *options = &live->options;
    const int places = options->placement == TCPLAN_MODEL_WARM ? 1 : OPERANDS_PLACES;
    enum tcplan_status status = operands_new(&live->operands, of, leading, count, options->provider,
                                             places, most_memory(options), error);
    if (status != TCPLAN_OK) return status;
    if (places > 1 && !operands_evict(live->operands, 0, of[0].domain.low, 0,
                                      options->machine->line_bytes, false)) {
        return error_set(
            error, TCPLAN_ENVIRONMENT,
            "this processor has no instruction that flushes caches, so only warm models can be "
            "made");
    }
    live->queue = queue_new();
    live->calls = base_alloc(OPERANDS_PLACES * POINTS_BATCH * sizeof *live->calls);
    if (!live->queue || !live->calls) return error_no_memory(error);
    return reference_calls_open(&live->reference, error);
}

/** Finds a quantity by its name; other names are those of events of the system. */
static enum counter_quantity quantity_of(const char *name) {
    for (int q = 0; q < COUNTER_NAMED; q++) {
        const char *known = counter_quantity_name((enum counter_quantity)q);
        if (known && strcmp(known, name) == 0) return (enum counter_quantity)q;
    }
    return COUNTER_NAMED;
}

static enum tcplan_status open_counter(struct live *live, struct tcplan_error *error) {
    const struct live_options *options = &live->options;
    if (!options->counter) return TCPLAN_OK;
    live->counter = quantity_of(options->counter);
    const struct counter_target target = {
        .descendants = true, .quantities = 1U << live->counter, .named = {options->counter}};
    const enum tcplan_status status =
        counter_open(&live->source, options->counters ? options->counters : "perf", &target, error);
    if (status != TCPLAN_OK || counter_can(live->source, live->counter)) return status;
    return error_set(error, TCPLAN_ENVIRONMENT, "cannot count %s: %s", options->counter,
                     live->source->why_not[live->counter]);
}

enum tcplan_status live_open(struct live **out, const struct generation_case of[],
                             const int64_t leading[], int count, const struct live_options *options,
                             struct tcplan_error *error) {
    struct live *live = base_alloc_zero(1, sizeof *live);
    *out = NULL;
    if (!live) return error_no_memory(error);
    live->options = *options;
    const struct session_options session = {.threads = options->threads,
                                            .binding = &live->options.binding};
    if (options->counter) live->options.settling_seconds = -1;
    /* Counters include only threads that start after they are opened. */
    enum tcplan_status status = open_counter(live, error);
    if (status == TCPLAN_OK) status = session_begin_with(&live->session, &session, error);
    if (status == TCPLAN_OK) status = open_all(live, of, leading, count, error);
    if (status == TCPLAN_OK) {
        *out = live;
    } else {
        live_close(live);
    }
    return status;
}

bool live_given_up(const struct live *live) {
    return live->given_up;
}

void live_close(struct live *live) {
    if (!live || live->given_up) return;
    session_end(&live->session);
    queue_free(live->queue);
    operands_free(live->operands);
    reference_calls_close(&live->reference);
    counter_close(live->source);
    base_free(live->calls);
    base_free(live);
}

double live_now(void *context) {
    (void)context;
    return monotonic_seconds();
}

/** Returns seconds since 1970, which order samples of several processes. */
static double time_of_day(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static enum tcplan_status add_references(struct live *live, struct tcplan_error *error) {
    return reference_calls_add(live->queue, &live->reference, ROLE_REFERENCE, error);
}

static enum tcplan_status add_restores(struct live *live, const struct operands_calls *calls,
                                       struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int r = 0; r < calls->restored && status == TCPLAN_OK; r++)
        status = queue_add(live->queue, &calls->restore[r], ROLE_UNTIMED, error);
    return status;
}

static enum tcplan_status add_execution(struct live *live, const struct operands_calls *calls,
                                        enum role role, struct tcplan_error *error) {
    enum tcplan_status status = add_restores(live, calls, error);
    return status == TCPLAN_OK ? queue_add(live->queue, &calls->call, role, error) : status;
}

/** Queues executions that do not count, until the core's speed has settled. */
static enum tcplan_status add_settling(struct live *live, const struct operands_calls *calls,
                                       const struct points_job *job, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int e = settling_times(live->options.settling_seconds, job->expected_seconds,
                                LIVE_MOST_SETTLING);
         e > 0 && status == TCPLAN_OK; e--)
        status = add_execution(live, calls, ROLE_UNTIMED, error);
    return status;
}

static void empty_queue(struct live *live) {
    queue_clear(live->queue);
    live->limit_seconds = HANGING_SECONDS;
}

static void expect(struct live *live, const struct points_job *job) {
    live->limit_seconds += OPERANDS_PLACES * HANGING_SECONDS_PER_WORK *
                           case_work(operands_case(live->operands, job->task)->of, job->size);
}

static enum tcplan_status refuse_hanging(const struct live *live, const struct points_job *job,
                                         struct tcplan_error *error) {
    const struct generation_case *of = operands_case(live->operands, job->task)->of;
    struct strbuf sizes = {0};
    for (int s = 0; s < of->domain.count; s++) {
        strbuf_add(&sizes, "%s%s=%lld", s > 0 ? "," : "",
                   of->signature->argument[of->size_argument[s]].name, (long long)job->size[s]);
    }
    error_set(error, TCPLAN_ENVIRONMENT,
              "%.100s with %.80s, or a call next to it, did not end within %.0f s", of->text,
              sizes.text ? sizes.text : "", live->limit_seconds);
    strbuf_free(&sizes);
    return TCPLAN_ENVIRONMENT;
}

static enum tcplan_status run(struct live *live, const struct points_job *job,
                              struct tcplan_error *error) {
    const struct queue_options options = {.limit_seconds = live->limit_seconds,
                                          .source = live->source,
                                          .counters = live->source ? 1 : 0,
                                          .counter = &live->counter};
    const enum tcplan_status status = queue_run(live->queue, &options, error);
    live->given_up = queue_given_up(live->queue);
    return status == TCPLAN_BUSY ? refuse_hanging(live, job, error) : status;
}

static enum tcplan_status check_info(const struct live *live, const struct points_job *job,
                                     const struct operands_calls *calls,
                                     struct tcplan_error *error) {
    const int info = call_info(&calls->call);
    if (info == 0) return TCPLAN_OK;
    return error_set(error, TCPLAN_ENVIRONMENT, "%.100s reports an error: info = %d",
                     operands_case(live->operands, job->task)->of->text, info);
}

/** A position in the samples of a run of the queue. */
struct reader {
    const struct sample *at;
    const struct sample *end;
    double now_seconds; /* time when the execution of sample `at` began */
    bool counts;        /* whether an event was counted */
};

static struct reader read_samples(const struct live *live, double began) {
    int count;
    const struct sample *sample = queue_samples(live->queue, &count);
    return (struct reader){
        .at = sample, .end = sample + count, .now_seconds = began, .counts = live->source != NULL};
}

/** Reads a reference; returns its seconds, 0 if there is none or an event was counted. */
static double pass_reference(struct reader *reader) {
    const struct sample *first = reader->at;
    int count = 0;
    while (count < REFERENCE_CALLS && reader->at < reader->end &&
           reader->at->tag == ROLE_REFERENCE) {
        reader->now_seconds += reader->at++->ns * 1e-9;
        count++;
    }
    return reader->counts ? 0 : reference_calls_seconds(first, count);
}

/** Skips calls up to the timed one. */
static void pass_timed(struct reader *reader, struct points_timing *out) {
    while (reader->at < reader->end && reader->at->tag == ROLE_UNTIMED)
        reader->now_seconds += reader->at++->ns * 1e-9;
    if (reader->at == reader->end) return;
    const double value =
        reader->counts ? fmax(reader->at->counter[0], TCPLAN_MODEL_LEAST_NS) : reader->at->ns;
    out->sample.seconds = value * 1e-9;
    out->disturbed = reader->at->disturbed || !(reader->at->ns > 0) ||
                     (reader->counts && isnan(reader->at->counter[0]));
    reader->now_seconds += reader->at++->ns * 1e-9;
}

/**
 * Reads the samples of some jobs. They begin with a reference; the calls of each job follow, with
 * another reference after each job.
 */
static void take_samples(struct reader reader, struct points_timing out[], int count) {
    double before = pass_reference(&reader);
    for (int j = 0; j < count; j++) {
        const double at = reader.now_seconds;
        out[j] = (struct points_timing){.sample = {.before = before, .at_seconds = at},
                                        .disturbed = true};
        pass_timed(&reader, &out[j]);
        out[j].sample.apart_seconds = reader.now_seconds - at;
        out[j].sample.after = before = pass_reference(&reader);
    }
}

static enum tcplan_status measure_warm(struct live *live, const struct points_job job[], int count,
                                       struct points_timing out[], struct tcplan_error *error) {
    empty_queue(live);
    enum tcplan_status status = add_references(live, error);
    for (int j = 0; j < count && status == TCPLAN_OK; j++) {
        expect(live, &job[j]);
        status =
            operands_prepare(&live->calls[j], live->operands, job[j].task, job[j].size, 0, error);
        if (status == TCPLAN_OK) status = add_settling(live, &live->calls[j], &job[j], error);
        if (status == TCPLAN_OK) status = add_execution(live, &live->calls[j], ROLE_TIMED, error);
        if (status == TCPLAN_OK) status = add_references(live, error);
    }
    const double began = time_of_day();
    if (status == TCPLAN_OK) status = run(live, &job[0], error);
    for (int j = 0; j < count && status == TCPLAN_OK; j++)
        status = check_info(live, &job[j], &live->calls[j], error);
    if (status == TCPLAN_OK) take_samples(read_samples(live, began), out, count);
    return status;
}

/** Refills overwritten operands before the caches are emptied, so that the refilling does not bring
 * them into the caches. */
static enum tcplan_status prepare_far(struct live *live, const struct points_job *job,
                                      struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    empty_queue(live);
    expect(live, job);
    for (int place = 0; place < OPERANDS_PLACES && status == TCPLAN_OK; place++) {
        status = operands_prepare(&live->calls[place], live->operands, job->task, job->size, place,
                                  error);
        if (status == TCPLAN_OK) status = add_restores(live, &live->calls[place], error);
    }
    if (status != TCPLAN_OK || queue_length(live->queue) == 0) return status;
    return run(live, job, error);
}

static enum tcplan_status measure_far(struct live *live, const struct points_job *job,
                                      struct points_timing *out, struct tcplan_error *error) {
    const bool streams = live->options.placement == TCPLAN_MODEL_STREAMING;
    const int64_t line_bytes = live->options.machine->line_bytes;
    enum tcplan_status status = prepare_far(live, job, error);
    if (status != TCPLAN_OK) return status;
    if (streams) operands_evict(live->operands, job->task, job->size, 0, line_bytes, false);
    operands_evict(live->operands, job->task, job->size, 1, line_bytes, !streams);
    empty_queue(live);
    expect(live, job);
    status = add_references(live, error);
    if (status == TCPLAN_OK && streams)
        status = queue_add(live->queue, &live->calls[0].call, ROLE_UNTIMED, error);
    if (status == TCPLAN_OK && !streams) status = add_settling(live, &live->calls[0], job, error);
    if (status == TCPLAN_OK)
        status = queue_add(live->queue, &live->calls[1].call, ROLE_TIMED, error);
    if (status == TCPLAN_OK) status = add_references(live, error);
    const double began = time_of_day();
    if (status == TCPLAN_OK) status = run(live, job, error);
    if (status == TCPLAN_OK) status = check_info(live, job, &live->calls[1], error);
    if (status == TCPLAN_OK) take_samples(read_samples(live, began), out, 1);
    return status;
}

enum tcplan_status live_measure(void *context, const struct points_job job[], int count,
                                struct points_timing out[], struct tcplan_error *error) {
    struct live *live = context;
    enum tcplan_status status = TCPLAN_OK;
    if (live->options.placement == TCPLAN_MODEL_WARM)
        return measure_warm(live, job, count, out, error);
    for (int j = 0; j < count && status == TCPLAN_OK; j++)
        status = measure_far(live, &job[j], &out[j], error);
    return status;
}
