#include "roofline/tuning/autotune.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/random.h"

/* DISTURBED_TIMES: an invocation ends after this multiple of its maximum number of iterations,
 * even if disturbed iterations prevented another end. MOST_LOST: number of lost invocations after
 * which a configuration ends. */
enum { DISTURBED_TIMES = 2, MOST_LOST = 2 };

struct search {
    const struct autotune_space *space;
    const struct autotune_options *options;
    struct autotune_result *result;
};

struct autotune_options autotune_defaults(void) {
    struct autotune_options options = {.iteration = stop_rules_defaults(),
                                       .invocation = stop_rules_defaults()};
    options.invocation.most_seconds = 0; /* each invocation has its own limit */
    options.invocation.most_samples = 10;
    return options;
}

static uint64_t now_ns(const struct search *search) {
    return search->space->now_ns(search->space->context);
}

static double seconds_since(const struct search *search, uint64_t start_ns) {
    return 1e-9 * (double)(now_ns(search) - start_ns);
}

static double value_to_beat(const struct search *search) {
    return search->result->best >= 0 ? search->result->value
                                     : stop_worst(search->options->invocation.aim);
}

/** Returns whether undisturbed and disturbed iterations together reach DISTURBED_TIMES times the
 * maximum number of iterations. */
static bool is_disturbed_out(const struct stop_rules *rules, int64_t iterations,
                             int64_t disturbed) {
    return rules->most_samples > 0 &&
           iterations + disturbed >= DISTURBED_TIMES * rules->most_samples;
}

/** Iterates until the rules end the invocation. */
static void iterate(struct autotune_invocation *out, const struct autotune_benchmark *benchmark,
                    const struct stop_rules *rules, double best) {
    const uint64_t start_ns = benchmark->now_ns(benchmark->context);
    struct stop_series series = {0};
    while (out->reason == STOP_NOT) {
        const struct autotune_sample sample = benchmark->iterate(benchmark->context);
        if (sample.disturbed) {
            out->disturbed++;
        } else {
            stop_series_add(&series, rules, sample.value);
        }
        const double seconds = 1e-9 * (double)(benchmark->now_ns(benchmark->context) - start_ns);
        out->reason = stop_check_series(rules, &series, seconds, best);
        if (out->reason == STOP_NOT && is_disturbed_out(rules, series.added, out->disturbed))
            out->reason = STOP_COUNT;
    }
    out->value = stop_series_centre(rules, &series);
    out->iterations = series.added;
}

enum tcplan_status autotune_invoke(struct autotune_invocation *out,
                                   const struct autotune_benchmark *benchmark,
                                   const struct stop_rules *rules, double best,
                                   struct tcplan_error *error) {
    *out = (struct autotune_invocation){0};
    enum tcplan_status status = benchmark->begin(benchmark->context, error);
    if (status != TCPLAN_OK) return status;
    iterate(out, benchmark, rules, best);
    benchmark->end(benchmark->context);
    return TCPLAN_OK;
}

static enum tcplan_status invoke(const struct search *search, int64_t configuration,
                                 struct autotune_record *record, struct tcplan_error *error) {
    const struct autotune_space *space = search->space;
    struct autotune_invocation made = {0};
    enum tcplan_status status =
        space->invoke(space->context, configuration, &search->options->iteration,
                      value_to_beat(search), &made, error);
    if (status != TCPLAN_OK) return status;
    record->lost += made.lost;
    if (made.lost) return TCPLAN_OK;
    record->ended[made.reason]++;
    record->iterations += made.iterations;
    record->disturbed += made.disturbed;
    if (made.iterations > 0) running_mean_add(&record->means, made.value);
    return TCPLAN_OK;
}

/** Returns the reason to end a configuration by the rules for invocations, or STOP_NOT. An
 * invocation whose iterations were all disturbed has no mean but counts towards the maximum. */
static enum stop_reason check_invocations(const struct search *search,
                                          const struct autotune_record *record, int64_t invocations,
                                          double elapsed_seconds) {
    const struct stop_rules *rules = &search->options->invocation;
    enum stop_reason reason =
        stop_check(rules, &record->means, elapsed_seconds, value_to_beat(search));
    const int64_t disturbed = invocations - record->means.count;
    return reason == STOP_NOT && is_disturbed_out(rules, record->means.count, disturbed)
               ? STOP_COUNT
               : reason;
}

static enum tcplan_status try_configuration(const struct search *search, int64_t configuration,
                                            struct tcplan_error *error) {
    struct autotune_record *record = &search->result->record[configuration];
    const uint64_t start_ns = now_ns(search);
    enum tcplan_status status = TCPLAN_OK;
    *record = (struct autotune_record){.applicable = true};
    for (int64_t invocations = 1;
         record->reason == STOP_NOT && status == TCPLAN_OK && record->applicable; invocations++) {
        status = invoke(search, configuration, record, error);
        record->seconds = seconds_since(search, start_ns);
        if (status == TCPLAN_OK)
            record->reason = check_invocations(search, record, invocations, record->seconds);
        record->applicable = record->lost < MOST_LOST;
    }
    if (status == TCPLAN_NOT_APPLICABLE) {
        *record = (struct autotune_record){.seconds = record->seconds};
        return TCPLAN_OK;
    }
    return status;
}

/** Replaces the best configuration if the given one has a better mean. */
static void consider(struct autotune_result *result, int64_t configuration, enum stop_aim aim) {
    const struct autotune_record *record = &result->record[configuration];
    if (!record->applicable || record->means.count == 0) return;
    if (result->best >= 0 && !stop_is_better(aim, record->means.mean, result->value)) return;
    result->best = configuration;
    result->value = record->means.mean;
}

static void put_in_order(int64_t *order, int64_t count, const struct autotune_options *options) {
    struct random random = {options->seed};
    for (int64_t i = 0; i < count; i++)
        order[i] = options->order == AUTOTUNE_REVERSED ? count - 1 - i : i;
    if (options->order != AUTOTUNE_RANDOM) return;
    for (int64_t i = count - 1; i > 0; i--) { /* shuffle of Fisher and Yates */
        const int64_t other = random_below(&random, i + 1);
        const int64_t moved = order[i];
        order[i] = order[other];
        order[other] = moved;
    }
}

static enum tcplan_status try_all(struct search *search, const int64_t *order,
                                  struct tcplan_error *error) {
    const struct autotune_options *options = search->options;
    const uint64_t start_ns = now_ns(search);
    enum tcplan_status status = TCPLAN_OK;
    for (int64_t i = 0; i < search->space->count && status == TCPLAN_OK; i++) {
        search->result->cut = deadline_is_over(options->deadline);
        if (search->result->cut) break;
        if (options->progress)
            options->progress(options->progress_context, "autotuning", (double)i,
                              (double)search->space->count);
        status = try_configuration(search, order[i], error);
        if (status == TCPLAN_OK) consider(search->result, order[i], options->invocation.aim);
    }
    search->result->seconds = seconds_since(search, start_ns);
    return status;
}

static enum tcplan_status check_options(const struct autotune_options *options,
                                        struct tcplan_error *error) {
    if (!stop_rules_end(&options->iteration)) {
        return error_set(error, TCPLAN_INVALID, "iterations need a limit of their number or time");
    }
    if (!stop_rules_end(&options->invocation)) {
        return error_set(error, TCPLAN_INVALID, "invocations need a limit of their number or time");
    }
    if (options->iteration.aim != options->invocation.aim) {
        return error_set(
            error, TCPLAN_INVALID,
            "iterations and invocations must both aim at the highest or both at the lowest values");
    }
    return TCPLAN_OK;
}

enum tcplan_status autotune_search(struct autotune_result *out, const struct autotune_space *space,
                                   const struct autotune_options *options,
                                   struct tcplan_error *error) {
    *out = (struct autotune_result){.best = -1, .count = space->count};
    enum tcplan_status status = check_options(options, error);
    if (status != TCPLAN_OK) return status;
    int64_t *order = base_alloc((size_t)space->count * sizeof *order);
    out->record = base_alloc((size_t)space->count * sizeof *out->record);
    struct search search = {.space = space, .options = options, .result = out};
    if (order && out->record) {
        put_in_order(order, space->count, options);
        status = try_all(&search, order, error);
    } else {
        status = error_no_memory(error);
    }
    base_free(order);
    if (status != TCPLAN_OK) autotune_free(out);
    return status;
}

void autotune_free(struct autotune_result *result) {
    base_free(result->record);
    *result = (struct autotune_result){.best = -1};
}
