#include "roofline/validation/protocol.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "microbench/timing/clock.h"
#include "roofline/timing/summary.h"

enum { MOST_RUNS = 1 << 30 };

int64_t protocol_replicas(int64_t bytes, int64_t cache_bytes, int ways, int64_t limit_bytes) {
    const int64_t wanted_bytes = cache_bytes * (ways > 0 ? ways : 1);
    const int64_t wanted = (wanted_bytes + bytes - 1) / bytes, most = limit_bytes / bytes;
    const int64_t out = wanted < most ? wanted : most;
    return out < 1 ? 1 : out;
}

/* One repeat. */

struct protocol {
    const struct protocol_target *target;
    const struct protocol_options *options;
    struct counter_reading before[COUNTER_MAX_EVENTS];
    struct counter_reading after[COUNTER_MAX_EVENTS];
    double begun_seconds;
};

static double now_seconds(void) {
    return 1e-9 * (double)clock_now_ns();
}

static enum tcplan_status time_runs(struct protocol_sample *out, struct protocol *protocol,
                                    void (*run)(void *, int64_t), int64_t runs,
                                    struct tcplan_error *error) {
    struct counter_source *counts = protocol->options->counts;
    enum tcplan_status status = counts ? counter_read(counts, protocol->before, error) : TCPLAN_OK;
    if (status != TCPLAN_OK) return status;
    const struct clock_start start = clock_start();
    run(protocol->target->context, runs);
    const struct timing timing = clock_stop(&start, protocol->options->alone);
    *out = (struct protocol_sample){.seconds = 1e-9 * timing.ns, .disturbed = timing.disturbed};
    if (!counts) return TCPLAN_OK;
    status = counter_read(counts, protocol->after, error);
    if (status == TCPLAN_OK)
        out->counts = counter_between(counts, protocol->before, protocol->after);
    return status;
}

/** Returns the number of runs that take `least_seconds`, but at least one on each replica. */
static int64_t find_runs(const struct protocol *protocol) {
    const struct protocol_target *target = protocol->target;
    int64_t runs = target->replicas;
    for (;;) {
        const double start = now_seconds();
        target->run(target->context, runs);
        const double seconds = now_seconds() - start;
        if (seconds >= protocol->options->least_seconds || runs >= MOST_RUNS) return runs;
        const double factor = seconds > 0 ? 1.1 * protocol->options->least_seconds / seconds : 2;
        runs = (int64_t)ceil(fmin((double)runs * fmin(fmax(factor, 1.1), 100), MOST_RUNS));
    }
}

static bool is_over(const struct protocol *protocol) {
    const double most = protocol->options->most_seconds;
    return most > 0 && now_seconds() - protocol->begun_seconds > most;
}

static enum tcplan_status repeat(struct protocol *protocol, struct protocol_sample *sample,
                                 struct protocol_sample *empty, int most, int *count, int64_t runs,
                                 struct tcplan_error *error) {
    const struct protocol_target *target = protocol->target;
    enum tcplan_status status = TCPLAN_OK;
    for (*count = 0; *count < most && status == TCPLAN_OK && (*count == 0 || !is_over(protocol));
         ++*count) {
        status = time_runs(&empty[*count], protocol, target->run_empty, runs, error);
        if (status == TCPLAN_OK)
            status = time_runs(&sample[*count], protocol, target->run, runs, error);
    }
    return status;
}

enum tcplan_status protocol_run(struct protocol_result *out, const struct protocol_target *target,
                                const struct protocol_options *options, double flops,
                                struct tcplan_error *error) {
    const int most = options->repeats > 0 && options->repeats <= PROTOCOL_MOST_REPEATS
                         ? options->repeats
                         : PROTOCOL_REPEATS;
    struct protocol protocol = {
        .target = target, .options = options, .begun_seconds = now_seconds()};
    struct protocol_sample *sample = base_alloc_zero(2 * (size_t)most, sizeof *sample);
    int count = 0;
    if (!sample) return error_no_memory(error);
    target->run(target->context, target->replicas); /* uses each replica once, to fill the caches
                                                       with written lines */
    const int64_t runs = find_runs(&protocol);
    enum tcplan_status status = options->counts ? counter_start(options->counts, error) : TCPLAN_OK;
    if (status == TCPLAN_OK)
        status = repeat(&protocol, sample, sample + most, most, &count, runs, error);
    if (options->counts && status == TCPLAN_OK) status = counter_stop(options->counts, error);
    if (status == TCPLAN_OK)
        status = protocol_summarise(out, sample, sample + most, count, runs, flops, error);
    base_free(sample);
    return status;
}

/* Summaries. */

static struct protocol_quantity summarise(double *value, int count) {
    struct protocol_quantity out = {.known = count > 0};
    if (count == 0) return out;
    const struct summary summary = summary_make(value, count);
    out.median = summary.median;
    out.q1 = summary.q1;
    out.q3 = summary.q3;
    return out;
}

/** The values of a repeat. The summary uses an array of each value over all repeats. */
enum value {
    SECONDS,
    WORK,
    READ,
    WRITTEN,
    MOVED,
    SECONDS_PER_GFLOP,
    MOVED_PER_FLOP,
    READ_PER_FLOP,
    WRITTEN_PER_FLOP,
    VALUES
};

/** Returns whether all samples have a count of a quantity. */
static bool knows_all(const struct protocol_sample *sample, int count,
                      enum counter_quantity quantity) {
    for (int i = 0; i < count; i++) {
        if (!sample[i].counts.known[quantity]) return false;
    }
    return count > 0;
}

/** Returns the median of a count over the repeats without the kernel. */
static double median_count(const struct protocol_sample *empty, int count,
                           enum counter_quantity quantity, double *scratch) {
    for (int i = 0; i < count; i++) scratch[i] = empty[i].counts.amount[quantity];
    return summary_make(scratch, count).median;
}

struct subtracted {
    double seconds, work, read, written;
};

static struct subtracted medians_of(const struct protocol_sample *empty, int count, double *scratch,
                                    struct protocol_quantity *overhead) {
    struct subtracted out = {0};
    for (int i = 0; i < count; i++) scratch[i] = empty[i].seconds;
    *overhead = summarise(scratch, count);
    out.seconds = overhead->median;
    out.work = median_count(empty, count, COUNTER_FLOPS, scratch);
    out.read = median_count(empty, count, COUNTER_READ, scratch);
    out.written = median_count(empty, count, COUNTER_WRITTEN, scratch);
    return out;
}

static double less(double total, double overhead, int64_t runs) {
    return fmax(total - overhead, 0) / (double)runs;
}

/** Summarises the inverse of values; the inverse of 0 is infinite. */
static struct protocol_quantity inverse(double *value, int count) {
    struct protocol_quantity out = summarise(value, count);
    const double q1 = out.q3, q3 = out.q1;
    out.median = out.median > 0 ? 1 / out.median : INFINITY;
    out.q1 = q1 > 0 ? 1 / q1 : INFINITY;
    out.q3 = q3 > 0 ? 1 / q3 : INFINITY;
    return out;
}

static void fill(double *const value[VALUES], int place, const struct protocol_sample *sample,
                 const struct subtracted *less_by, int64_t runs, double flops, bool counted_work) {
    const double *amount = sample->counts.amount;
    value[SECONDS][place] = less(sample->seconds, less_by->seconds, runs);
    value[WORK][place] = less(amount[COUNTER_FLOPS], less_by->work, runs);
    value[READ][place] = less(amount[COUNTER_READ], less_by->read, runs);
    value[WRITTEN][place] = less(amount[COUNTER_WRITTEN], less_by->written, runs);
    value[MOVED][place] = value[READ][place] + value[WRITTEN][place];
    const double work = counted_work ? value[WORK][place] : flops;
    if (!(work > 0)) return;
    value[SECONDS_PER_GFLOP][place] = 1e9 * value[SECONDS][place] / work;
    value[MOVED_PER_FLOP][place] = value[MOVED][place] / work;
    value[READ_PER_FLOP][place] = value[READ][place] / work;
    value[WRITTEN_PER_FLOP][place] = value[WRITTEN][place] / work;
}

static void summarise_all(struct protocol_result *out, double *const value[VALUES], int count,
                          bool has_work, bool has_read, bool has_written, double flops) {
    out->seconds = summarise(value[SECONDS], count);
    if (has_work) out->work = summarise(value[WORK], count);
    const bool has_flops = has_work ? out->work.q1 > 0 : flops > 0;
    if (has_read) out->read = summarise(value[READ], count);
    if (has_written) out->written = summarise(value[WRITTEN], count);
    if (has_read && has_written) out->moved = summarise(value[MOVED], count);
    if (has_flops) out->gflops = inverse(value[SECONDS_PER_GFLOP], count);
    if (has_flops && has_read && has_written)
        out->intensity = inverse(value[MOVED_PER_FLOP], count);
    if (has_flops && has_read) out->intensity_read = inverse(value[READ_PER_FLOP], count);
    if (has_flops && has_written) out->intensity_written = inverse(value[WRITTEN_PER_FLOP], count);
}

enum tcplan_status protocol_summarise(struct protocol_result *out,
                                      const struct protocol_sample *sample,
                                      const struct protocol_sample *empty, int count, int64_t runs,
                                      double flops, struct tcplan_error *error) {
    double *memory = base_alloc(VALUES * (size_t)(count + 1) * sizeof *memory), *value[VALUES];
    if (!memory) return error_no_memory(error);
    for (int v = 0; v < VALUES; v++) value[v] = memory + (size_t)v * (size_t)(count + 1);
    *out = (struct protocol_result){.runs = runs, .repeats = count};
    for (int i = 0; i < count; i++) out->disturbed += sample[i].disturbed;
    if (count > 0) {
        const bool has_work = knows_all(sample, count, COUNTER_FLOPS);
        const bool any_good = out->disturbed < count;
        const struct subtracted overhead = medians_of(empty, count, memory, &out->overhead);
        int good = 0;
        for (int i = 0; i < count; i++) {
            if (!any_good || !sample[i].disturbed)
                fill(value, good++, &sample[i], &overhead, runs, flops, has_work);
        }
        summarise_all(out, value, good, has_work, knows_all(sample, count, COUNTER_READ),
                      knows_all(sample, count, COUNTER_WRITTEN), flops);
    }
    base_free(memory);
    return TCPLAN_OK;
}
