#include "microbench/counters/source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "microbench/counters/perf.h"
#include "microbench/counters/recorded.h"

/* No counters. */

static enum tcplan_status nothing(struct counter_source *source, struct tcplan_error *error) {
    (void)source;
    (void)error;
    return TCPLAN_OK;
}

static enum tcplan_status read_nothing(struct counter_source *source, struct counter_reading *out,
                                       struct tcplan_error *error) {
    (void)out;
    return nothing(source, error);
}

static void close_nothing(struct counter_source *source) {
    (void)source;
}

static const struct counter_source_class none = {.name = "none",
                                                 .start = nothing,
                                                 .read = read_nothing,
                                                 .stop = nothing,
                                                 .close = close_nothing};

struct counter_source *counter_none(const char *reason) {
    struct counter_source *source = base_alloc_zero(1, sizeof *source);
    if (!source) return NULL;
    source->class = &none;
    for (int q = 0; q < COUNTER_SLOTS; q++)
        snprintf(source->why_not[q], COUNTER_REASON, "%s", reason);
    return source;
}

/* All sources. */

enum tcplan_status counter_open(struct counter_source **out, const char *name,
                                const struct counter_target *target, struct tcplan_error *error) {
    if (strcmp(name, "perf") == 0) return perf_open(out, target, &perf_live, error);
    if (strcmp(name, "none") != 0) return recorded_open(out, name, target, error);
    *out = counter_none("counters are turned off");
    return *out ? TCPLAN_OK : error_no_memory(error);
}

enum tcplan_status counter_start(struct counter_source *source, struct tcplan_error *error) {
    return source->class->start(source, error);
}

enum tcplan_status counter_read(struct counter_source *source, struct counter_reading *out,
                                struct tcplan_error *error) {
    return source->class->read(source, out, error);
}

enum tcplan_status counter_stop(struct counter_source *source, struct tcplan_error *error) {
    return source->class->stop(source, error);
}

void counter_close(struct counter_source *source) {
    if (!source) return;
    source->class->close(source);
    base_free(source);
}

bool counter_can(const struct counter_source *source, enum counter_quantity quantity) {
    for (int e = 0; e < source->count; e++) {
        if (source->event[e].quantity == quantity) return true;
    }
    return false;
}

const char *counter_quantity_name(enum counter_quantity quantity) {
    static const char *const names[COUNTER_QUANTITIES] = {"flops",   "misses", "read",
                                                          "written", "cycles", "instructions"};
    return quantity < COUNTER_NAMED ? names[quantity] : "named";
}

/* Totals. */

static const int width_bits[COUNTER_WIDTHS] = {64, 128, 256, 512, 0};

int counter_width_bits(int place) {
    return width_bits[place];
}

static int width_place(int bits) {
    int place = 0;
    while (width_bits[place] != bits && width_bits[place] != 0) place++;
    return place;
}

static double grown(uint64_t from, uint64_t to) {
    return to > from ? (double)(to - from) : 0;
}

/** Returns the share of the time between two readings that an event was counted; 1 if no time
 * passed. */
static double share_of(const struct counter_reading *from, const struct counter_reading *to) {
    const double enabled = grown(from->enabled_ns, to->enabled_ns);
    return enabled > 0 ? fmin(grown(from->running_ns, to->running_ns) / enabled, 1) : 1;
}

struct counter_totals counter_between(const struct counter_source *source,
                                      const struct counter_reading *from,
                                      const struct counter_reading *to) {
    struct counter_totals out = {0};
    for (int q = 0; q < COUNTER_SLOTS; q++) {
        out.known[q] = counter_can(source, (enum counter_quantity)q);
        out.share[q] = 1;
    }
    for (int e = 0; e < source->count; e++) {
        const struct counter_event *event = &source->event[e];
        const double share = share_of(&from[e], &to[e]);
        out.known[event->quantity] = out.known[event->quantity] && share > 0;
        out.share[event->quantity] = fmin(out.share[event->quantity], share);
        if (share <= 0) continue;
        const double amount = event->weight * grown(from[e].value, to[e].value) / share;
        out.amount[event->quantity] += amount;
        if (event->quantity == COUNTER_FLOPS)
            out.width_flops[width_place(event->vector_bits)] += amount;
    }
    return out;
}

void counter_add(struct counter_totals *sum, const struct counter_totals *other) {
    for (int q = 0; q < COUNTER_SLOTS; q++) {
        sum->known[q] = sum->known[q] && other->known[q];
        sum->amount[q] += other->amount[q];
        sum->share[q] = fmin(sum->share[q], other->share[q]);
    }
    for (int w = 0; w < COUNTER_WIDTHS; w++) sum->width_flops[w] += other->width_flops[w];
}
