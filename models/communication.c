/*
 * Samples are sorted by place, call, ranks and bytes. The samples of one number of ranks form a
 * piecewise linear function of bytes. A prediction evaluates the functions of the next smaller and
 * the next larger number of ranks and interpolates in the logarithm of the ranks. Beyond the
 * largest number, the time of an MPI_Alltoallv grows in proportion to the ranks, since each rank
 * gets a message; other calls grow with the logarithm of the ranks. With samples of only one
 * number of ranks, times are scaled like those of an assumed algorithm with the measured latency
 * and bandwidth of a message; MPI_Alltoallv is excepted, because its messages overlap. Samples of
 * `check` lines are sorted after all others.
 */
#include "tcplan/communication.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ast/scan.h"
#include "base/alloc.h"
#include "base/decimal.h"
#include "base/error.h"

enum { MOST_SECONDS = 64 };

/** The median time of a call with some number of ranks and bytes. */
struct sample {
    bool checks;
    int between; /* whether the ranks are on several nodes, 1 or 0 */
    enum tcplan_collective collective;
    int ranks;
    double bytes, seconds;
};

struct tcplan_communication {
    size_t count, capacity; /* number of all samples, and capacity of the array */
    size_t fitted; /* number of samples that do not come from `check` lines; these come first */
    struct sample *sample;
    char *text;
};

static const char *const names[TCPLAN_COMMUNICATION_CALLS] = {
    "MPI_Allgatherv", "MPI_Alltoallv", "MPI_Reduce_scatter",
    "MPI_Allreduce",  "MPI_Bcast",     "MPI_Send",
    "copy",           "dgemm",         "pdgemr2d",
    "pdgemm"};

const char *tcplan_collective_name(enum tcplan_collective collective) {
    return names[collective];
}

/* Reading. */

static int compare(const void *left, const void *right) {
    const struct sample *a = left, *b = right;
    if (a->checks != b->checks) return a->checks ? 1 : -1;
    if (a->between != b->between) return a->between - b->between;
    if (a->collective != b->collective) return a->collective < b->collective ? -1 : 1;
    if (a->ranks != b->ranks) return a->ranks < b->ranks ? -1 : 1;
    return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

static int compare_numbers(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static double median(double value[], size_t count) {
    qsort(value, count, sizeof *value, compare_numbers);
    return count % 2 == 1 ? value[count / 2] : 0.5 * (value[count / 2 - 1] + value[count / 2]);
}

static bool next_word(struct word *word, const char **at, const char *end) {
    while (*at < end && (**at == ' ' || **at == '\t' || **at == '\r')) ++*at;
    word->text = *at;
    while (*at < end && **at != ' ' && **at != '\t' && **at != '\r') ++*at;
    word->length = (size_t)(*at - word->text);
    return word->length > 0;
}

static bool next_number(double *out, const char **at, const char *end) {
    struct word word;
    return next_word(&word, at, end) && decimal_read(out, word.text, word.length) && isfinite(*out);
}

/** Reads the ranks, bytes and times of a line. */
static bool read_numbers(struct sample *out, const char **at, const char *end) {
    double seconds[MOST_SECONDS], ranks;
    size_t count = 0;
    if (!next_number(&ranks, at, end) || !next_number(&out->bytes, at, end)) return false;
    out->ranks = ranks >= 1 && ranks <= INT_MAX ? (int)ranks : 0;
    while (*at < end && count < MOST_SECONDS) {
        if (!next_number(&seconds[count], at, end) || !(seconds[count++] > 0)) return false;
    }
    if (count == 0 || *at < end || out->bytes < 0 || out->ranks != ranks) return false;
    out->seconds = median(seconds, count);
    return true;
}

static bool read_sample(struct sample *out, const char *line, size_t length) {
    const char *at = line, *end = line + length;
    struct word word;
    while (end > line && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) end--;
    if (!next_word(&word, &at, end)) return false;
    out->checks = word_equal(word, word_of("check"));
    if (out->checks && !next_word(&word, &at, end)) return false;
    out->between = word_equal(word, word_of("between"));
    if (!out->between && !word_equal(word, word_of("within"))) return false;
    if (!next_word(&word, &at, end)) return false;
    int c = 0;
    while (c < TCPLAN_COMMUNICATION_CALLS && !word_equal(word, word_of(names[c]))) c++;
    out->collective = (enum tcplan_collective)c;
    return c < TCPLAN_COMMUNICATION_CALLS && read_numbers(out, &at, end) &&
           (out->ranks >= 2 || c == TCPLAN_COPY || c == TCPLAN_DGEMM);
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

/** Reads all lines; adds their samples. */
static enum tcplan_status read_lines(struct tcplan_communication *model, const char *text,
                                     struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    size_t number = 1;
    for (const char *at = text; *at && status == TCPLAN_OK; number++) {
        const size_t length = strcspn(at, "\n"), blanks = strspn(at, " \t\r");
        struct sample sample = {0};
        if (blanks >= length || *at == '#') {
            /* an empty line or a comment */
        } else if (read_sample(&sample, at, length)) {
            status = add(model, &sample, error);
        } else {
            status = error_set(error, TCPLAN_INVALID,
                               "line %zu of the communication model is not `within|between "
                               "CALL RANKS BYTES SECONDS...`: %.*s",
                               number, (int)(length < 60 ? length : 60), at);
        }
        at += length + (at[length] == '\n');
    }
    return status;
}

enum tcplan_status tcplan_communication_parse(struct tcplan_communication **out, const char *text,
                                              struct tcplan_error *error) {
    struct tcplan_communication *model = base_alloc_zero(1, sizeof *model);
    enum tcplan_status status = model ? TCPLAN_OK : error_no_memory(error);
    if (status == TCPLAN_OK) {
        model->text = strdup(text);
        if (!model->text) status = error_no_memory(error);
    }
    if (status == TCPLAN_OK) status = read_lines(model, text, error);
    if (status == TCPLAN_OK) {
        if (model->count > 0) qsort(model->sample, model->count, sizeof *model->sample, compare);
        while (model->fitted < model->count && !model->sample[model->fitted].checks)
            model->fitted++;
        *out = model;
    } else {
        tcplan_communication_free(model);
    }
    return status;
}

const char *tcplan_communication_text(const struct tcplan_communication *communication) {
    return communication->text;
}

void tcplan_communication_free(struct tcplan_communication *communication) {
    if (!communication) return;
    base_free(communication->sample);
    free(communication->text);
    base_free(communication);
}

/* Prediction. */

static const double copied_bytes_per_second = 4e9; /* copy rate of one core, for strided runs */

/** Finds the samples of a collective within a node (`between` is 0) or between nodes (1). They are
 * adjacent: numbers `first` up to but not including `end`. Returns false if there are none. */
static bool find(const struct tcplan_communication *model, int between,
                 enum tcplan_collective collective, size_t *first, size_t *end) {
    *first = 0;
    if (!model) return false;
    while (*first < model->fitted && (model->sample[*first].between != between ||
                                      model->sample[*first].collective != collective))
        ++*first;
    *end = *first;
    while (*end < model->fitted && model->sample[*end].between == between &&
           model->sample[*end].collective == collective)
        ++*end;
    return *end > *first;
}

/** Interpolates between the samples of one number of ranks. Beyond the last sample it continues the
 * line through the last two, at no less than half the time of the sample before the last; after a
 * single sample, time is proportional to bytes. */
static double at_bytes(const struct sample *sample, size_t count, double bytes) {
    size_t upper = 1;
    if (count == 1) return sample->seconds * (bytes > sample->bytes ? bytes / sample->bytes : 1);
    while (upper + 1 < count && sample[upper].bytes < bytes) upper++;
    const struct sample *low = &sample[upper - 1], *high = &sample[upper];
    if (bytes <= sample->bytes || high->bytes == low->bytes) return low->seconds;
    const double slope = (high->seconds - low->seconds) / (high->bytes - low->bytes);
    return fmax(low->seconds + slope * (bytes - low->bytes), 0.5 * low->seconds);
}

/** Interpolates between the samples of the next smaller and the next larger number of ranks, or
 * extrapolates from the samples of the two largest numbers. */
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
    const bool is_linear = sample->collective == TCPLAN_ALLTOALLV && ranks > ranks_above;
    const double share =
        is_linear ? (double)(ranks - ranks_below) / (ranks_above - ranks_below)
                  : log2((double)ranks / ranks_below) / log2((double)ranks_above / ranks_below);
    return fmax(below + share * (above - below), below);
}

/** Finds the samples of a collective within a node or between nodes, as selected by `between`. If
 * there are none, finds the samples of the opposite placement. */
static bool find_any(const struct tcplan_communication *model, int between,
                     enum tcplan_collective collective, size_t *first, size_t *end) {
    return find(model, between, collective, first, end) ||
           find(model, !between, collective, first, end);
}

/** Computes the latency and the bandwidth of a message. */
static void find_link(double *latency, double *rate, const struct tcplan_communication *model,
                      bool between, double bytes) {
    size_t first, end;
    *latency = between ? 20e-6 : 2e-6;
    *rate = between ? 1.1e9 : 4e9;
    if (!find_any(model, between, TCPLAN_SEND, &first, &end)) return;
    const struct sample *sample = model->sample + first;
    const double seconds = at_bytes(sample, end - first, bytes);
    *latency = at_bytes(sample, end - first, 0);
    if (seconds > *latency) *rate = bytes / (seconds - *latency);
}

static double assumed(const struct tcplan_communication *model, enum tcplan_collective collective,
                      bool between, int ranks, double bytes) {
    const double others = 1 - 1.0 / ranks, steps = ceil(log2(ranks));
    double latency, rate;
    find_link(&latency, &rate, model, between, bytes);
    switch (collective) {
    case TCPLAN_PDGEMM:
        return 2 * (latency * steps + bytes / rate); /* each panel is packed and then broadcast */
    case TCPLAN_PDGEMR2D:
    case TCPLAN_ALLTOALLV: return latency * (ranks - 1) + bytes * others / rate;
    case TCPLAN_ALLREDUCE: return 2 * (latency * steps + bytes * others / rate);
    case TCPLAN_BCAST: return latency * steps + bytes / rate;
    case TCPLAN_SEND: return latency + bytes / rate;
    case TCPLAN_COPY: return bytes / copied_bytes_per_second;
    case TCPLAN_DGEMM: return 0;
    case TCPLAN_ALLGATHERV:
    case TCPLAN_REDUCE_SCATTER:
    case TCPLAN_COMMUNICATION_CALLS: break;
    }
    return latency * steps + bytes * others / rate;
}

double tcplan_communication_seconds(const struct tcplan_communication *communication,
                                    enum tcplan_collective collective, bool between, int ranks,
                                    double bytes) {
    size_t first, end;
    const bool is_local = collective == TCPLAN_COPY || collective == TCPLAN_DGEMM;
    if (ranks < 2 && !is_local) return 0;
    if (!find_any(communication, between, collective, &first, &end))
        return assumed(communication, collective, between, ranks, bytes);
    const struct sample *sample = communication->sample + first;
    const double seconds = from_samples(sample, end - first, ranks, bytes);
    const bool is_scaled = !is_local && collective != TCPLAN_ALLTOALLV;
    if (!is_scaled || sample->ranks != sample[end - first - 1].ranks) return seconds;
    const double factor = assumed(communication, collective, between, ranks, bytes) /
                          assumed(communication, collective, between, sample->ranks, bytes);
    return factor > 0 && isfinite(factor) ? factor * seconds : seconds;
}

/* Compares predictions with the samples of `check` lines. */

struct tcplan_communication_error tcplan_communication_check(
    const struct tcplan_communication *communication, enum tcplan_collective collective) {
    struct tcplan_communication_error out = {0};
    const size_t most = communication->count - communication->fitted;
    double *error = most > 0 ? base_alloc(most * sizeof *error) : NULL;
    for (size_t s = communication->fitted; s < communication->count && error; s++) {
        const struct sample *sample = &communication->sample[s];
        if (collective != TCPLAN_COMMUNICATION_CALLS && sample->collective != collective) continue;
        const double predicted = tcplan_communication_seconds(
            communication, sample->collective, sample->between != 0, sample->ranks, sample->bytes);
        error[out.count] = fabs(predicted / sample->seconds - 1);
        out.largest = fmax(out.largest, error[out.count++]);
    }
    if (out.count > 0) out.median = median(error, (size_t)out.count);
    base_free(error);
    return out;
}

double tcplan_communication_eager_bytes(const struct tcplan_communication *communication,
                                        bool between) {
    size_t first, end;
    double at = 0, highest = 0.25; /* a smaller relative excess over the expected time is noise */
    if (!find(communication, between, TCPLAN_SEND, &first, &end)) return 0;
    for (size_t s = first + 1; s + 1 < end; s++) {
        const struct sample *x = &communication->sample[s - 1], *y = x + 1, *z = x + 2;
        if (!(x->bytes < y->bytes && y->bytes < z->bytes)) continue;
        const double slope = fmax((y->seconds - x->seconds) / (y->bytes - x->bytes), 0);
        const double expected = y->seconds + slope * (z->bytes - y->bytes);
        const double step = z->seconds / expected - 1;
        if (step > highest) {
            highest = step;
            at = y->bytes;
        }
    }
    return at;
}
