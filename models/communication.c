/*
 * Samples are sorted by place, collective, ranks and bytes. The samples of one number of ranks
 * form a piecewise linear function of bytes. A prediction evaluates the functions of the next
 * smaller and the next larger number of ranks and interpolates in the logarithm of the ranks.
 */
#include "tcplan/communication.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/decimal.h"
#include "base/error.h"

/** The median time of a collective with some number of ranks and bytes. */
struct sample {
    int between; /* 1: ranks on several nodes; 0: on one node */
    enum tcplan_collective collective;
    int ranks;
    double bytes, seconds;
};

struct tcplan_communication {
    size_t count, capacity;
    struct sample *sample;
};

static const char *const names[TCPLAN_COLLECTIVES] = {
    "MPI_Allgatherv", "MPI_Alltoallv", "MPI_Reduce_scatter", "MPI_Allreduce", "MPI_Bcast"};

const char *tcplan_collective_name(enum tcplan_collective collective) {
    return names[collective];
}

/* Reading. */

static int compare(const void *left, const void *right) {
    const struct sample *a = left, *b = right;
    if (a->between != b->between) return a->between - b->between;
    if (a->collective != b->collective) return a->collective < b->collective ? -1 : 1;
    if (a->ranks != b->ranks) return a->ranks < b->ranks ? -1 : 1;
    return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

static bool read_sample(struct sample *out, const char *line) {
    char place[16], name[32], bytes[32], seconds[32], rest;
    if (sscanf(line, "%15s %31s %d %31s %31s %c", place, name, &out->ranks, bytes, seconds,
               &rest) != 5)
        return false;
    out->between = strcmp(place, "between") == 0;
    int c = 0;
    while (c < TCPLAN_COLLECTIVES && strcmp(name, names[c]) != 0) c++;
    out->collective = (enum tcplan_collective)c;
    return c < TCPLAN_COLLECTIVES && (out->between || strcmp(place, "within") == 0) &&
           out->ranks >= 2 && decimal_read(&out->bytes, bytes, strlen(bytes)) &&
           decimal_read(&out->seconds, seconds, strlen(seconds)) && isfinite(out->bytes) &&
           out->seconds > 0 && isfinite(out->seconds);
}

static enum tcplan_status add(struct tcplan_communication *model, const struct sample *sample,
                              struct tcplan_error *error) {
    if (model->count == model->capacity) {
        const size_t capacity = model->capacity > 0 ? 2 * model->capacity : 64;
        struct sample *grown = base_realloc(model->sample, capacity * sizeof *grown);
        if (!grown) return error_no_memory(error);
        model->sample = grown;
        model->capacity = capacity;
    }
    model->sample[model->count++] = *sample;
    return TCPLAN_OK;
}

enum tcplan_status tcplan_communication_parse(struct tcplan_communication **out, const char *text,
                                              struct tcplan_error *error) {
    struct tcplan_communication *model = base_alloc_zero(1, sizeof *model);
    enum tcplan_status status = model ? TCPLAN_OK : error_no_memory(error);
    size_t number = 1;
    for (const char *at = text; *at && status == TCPLAN_OK; number++) {
        const size_t length = strcspn(at, "\n");
        char line[160];
        struct sample sample;
        snprintf(line, sizeof line, "%.*s", (int)(length < 159 ? length : 159), at);
        const bool ignored = line[strspn(line, " \t\r")] == '\0' || *line == '#';
        if (!ignored && !read_sample(&sample, line)) {
            status = error_set(error, TCPLAN_INVALID,
                               "line %zu of the communication model is not `within|between "
                               "COLLECTIVE RANKS BYTES SECONDS`: %.60s",
                               number, line);
        } else if (!ignored) {
            status = add(model, &sample, error);
        }
        at += length + (at[length] == '\n');
    }
    if (status == TCPLAN_OK) {
        if (model->count > 0) qsort(model->sample, model->count, sizeof *model->sample, compare);
        *out = model;
    } else {
        tcplan_communication_free(model);
    }
    return status;
}

void tcplan_communication_free(struct tcplan_communication *communication) {
    if (!communication) return;
    base_free(communication->sample);
    base_free(communication);
}

/* Prediction. */

/** Finds the samples of a place and a collective, which are adjacent: `first` up to but not
 * including `end`. Returns false if there are none. */
static bool find(const struct tcplan_communication *model, int between,
                 enum tcplan_collective collective, size_t *first, size_t *end) {
    *first = 0;
    if (!model) return false;
    while (*first < model->count && (model->sample[*first].between != between ||
                                     model->sample[*first].collective != collective))
        ++*first;
    *end = *first;
    while (*end < model->count && model->sample[*end].between == between &&
           model->sample[*end].collective == collective)
        ++*end;
    return *end > *first;
}

/** Interpolates between the samples of one number of ranks. Beyond the last sample it continues the
 * line through the last two, at no less than half the time of the last but one; after a single
 * sample, time is proportional to bytes. */
static double at_bytes(const struct sample *sample, size_t count, double bytes) {
    size_t upper = 1;
    if (count == 1) return sample->seconds * (bytes > sample->bytes ? bytes / sample->bytes : 1);
    while (upper + 1 < count && sample[upper].bytes < bytes) upper++;
    const struct sample *low = &sample[upper - 1], *high = &sample[upper];
    if (bytes <= sample->bytes || high->bytes == low->bytes) return low->seconds;
    const double slope = (high->seconds - low->seconds) / (high->bytes - low->bytes);
    return fmax(low->seconds + slope * (bytes - low->bytes), 0.5 * low->seconds);
}

static double from_samples(const struct sample *sample, size_t count, int ranks, double bytes) {
    double below = 0, above = 0;
    int ranks_below = 0, ranks_above = 0;
    for (size_t first = 0, end; first < count; first = end) {
        end = first;
        while (end < count && sample[end].ranks == sample[first].ranks) end++;
        const double seconds = at_bytes(sample + first, end - first, bytes);
        if (ranks_above > 0 && ranks_above < ranks) {
            below = above;
            ranks_below = ranks_above;
        }
        if (ranks_above < ranks) {
            above = seconds;
            ranks_above = sample[first].ranks;
        }
    }
    if (ranks_below == 0 || ranks_above == ranks) return above;
    const double share =
        log2((double)ranks / ranks_below) / log2((double)ranks_above / ranks_below);
    return fmax(below + share * (above - below), below);
}

static double assumed(enum tcplan_collective collective, bool between, int ranks, double bytes) {
    const double latency = between ? 20e-6 : 2e-6, rate = between ? 1.1e9 : 4e9;
    const double others = 1 - 1.0 / ranks, steps = ceil(log2(ranks));
    switch (collective) {
    case TCPLAN_ALLTOALLV: return latency * (ranks - 1) + bytes * others / rate;
    case TCPLAN_ALLREDUCE: return 2 * (latency * steps + bytes * others / rate);
    case TCPLAN_BCAST: return latency * steps + bytes / rate;
    case TCPLAN_ALLGATHERV:
    case TCPLAN_REDUCE_SCATTER:
    case TCPLAN_COLLECTIVES: break;
    }
    return latency * steps + bytes * others / rate;
}

bool tcplan_communication_has(const struct tcplan_communication *communication,
                              enum tcplan_collective collective) {
    size_t first, end;
    return find(communication, 0, collective, &first, &end) ||
           find(communication, 1, collective, &first, &end);
}

double tcplan_communication_seconds(const struct tcplan_communication *communication,
                                    enum tcplan_collective collective, bool between, int ranks,
                                    double bytes) {
    size_t first, end;
    if (ranks < 2) return 0;
    if (!find(communication, between, collective, &first, &end) &&
        !find(communication, !between, collective, &first, &end))
        return assumed(collective, between, ranks, bytes);
    return from_samples(communication->sample + first, end - first, ranks, bytes);
}
