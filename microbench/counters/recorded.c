#include "microbench/counters/recorded.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/input_file.h"

enum { MAX_GROWTHS = 4096, MAX_BYTES = 1 << 20 };

#define MOST_COUNT 1e15        /* largest increment of a count, so that sums stay exact */
#define GROWTH_NS 1000000000.0 /* nanoseconds of counting for each entry `growth` of the file */

/** An increment of one event's count. */
struct growth {
    double count;
    double share;
};

struct recorded {
    int total;                     /* number of events in the file */
    bool kept[COUNTER_MAX_EVENTS]; /* for each event, whether the source uses it */
    int growths;
    struct growth *growth; /* increments of the events, a list of `total` each */
    int next;              /* number of the next list of increments */
    bool running;
    struct counter_reading now[COUNTER_MAX_EVENTS]; /* present counts of the used events */
};

/* The source. */

static enum tcplan_status start(struct counter_source *source, struct tcplan_error *error) {
    (void)error;
    ((struct recorded *)source->state)->running = true;
    return TCPLAN_OK;
}

static enum tcplan_status stop(struct counter_source *source, struct tcplan_error *error) {
    (void)error;
    ((struct recorded *)source->state)->running = false;
    return TCPLAN_OK;
}

/** Advances all counts by one line of the file. A counter that was active for part of the time
 * counts that part. */
static void grow(struct recorded *recorded) {
    const struct growth *growth = recorded->growth + (ptrdiff_t)recorded->next * recorded->total;
    for (int e = 0, k = 0; e < recorded->total; e++) {
        if (!recorded->kept[e]) continue;
        struct counter_reading *now = &recorded->now[k++];
        now->value += (uint64_t)llround(growth[e].count * growth[e].share);
        now->enabled_ns += (uint64_t)GROWTH_NS;
        now->running_ns += (uint64_t)(GROWTH_NS * growth[e].share);
    }
    recorded->next = (recorded->next + 1) % recorded->growths;
}

static enum tcplan_status read_recorded(struct counter_source *source, struct counter_reading *out,
                                        struct tcplan_error *error) {
    struct recorded *recorded = source->state;
    (void)error;
    if (recorded->running && recorded->growths > 0) grow(recorded);
    memcpy(out, recorded->now, (size_t)source->count * sizeof *out);
    return TCPLAN_OK;
}

static void close_recorded(struct counter_source *source) {
    struct recorded *recorded = source->state;
    base_free(recorded->growth);
    base_free(recorded);
}

static const struct counter_source_class class = {.name = "recorded",
                                                  .start = start,
                                                  .read = read_recorded,
                                                  .stop = stop,
                                                  .close = close_recorded};

/* Reading. */

/** State of parsing: a line, and the position of its next word. */
struct cursor {
    struct counter_source *source;
    struct recorded *recorded;
    const struct counter_target *target;
    const char *line;
    const char *at;
    const char *end; /* end of the line, or of the part before its comment */
    size_t number;
    struct tcplan_error *error;
};

struct word {
    const char *text;
    size_t length;
};

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/** Returns the next word; empty at the end of the line. */
static struct word next_word(struct cursor *cursor) {
    while (cursor->at < cursor->end && is_blank(*cursor->at)) cursor->at++;
    struct word word = {.text = cursor->at};
    while (cursor->at < cursor->end && !is_blank(*cursor->at)) cursor->at++;
    word.length = (size_t)(cursor->at - word.text);
    return word;
}

static bool is_word(struct word word, const char *text) {
    return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

static enum tcplan_status refuse(const struct cursor *cursor, struct word found,
                                 const char *expected) {
    const size_t column = (size_t)(found.text - cursor->line);
    const bool is_text = found.length > 0 && *found.text != '\0';
    const int shown = is_text ? (int)(found.length < 40 ? found.length : 40) : 0;
    error_at(cursor->error, TCPLAN_INVALID, column, found.length, "expected %s, found %s%.*s%s",
             expected,
             is_text            ? "'"
             : found.length > 0 ? "a byte 0"
                                : "the end of the line",
             shown, found.text, is_text ? "'" : "");
    if (cursor->error) cursor->error->line = cursor->number;
    return TCPLAN_INVALID;
}

static const char quantities_expected[] =
    "flops, misses, read, written, cycles, instructions or named";

static bool read_quantity(enum counter_quantity *out, struct word word) {
    for (int q = 0; q < COUNTER_QUANTITIES; q++) {
        if (!is_word(word, counter_quantity_name((enum counter_quantity)q))) continue;
        *out = (enum counter_quantity)q;
        return true;
    }
    return false;
}

static bool read_number(double *out, struct word word, double most) {
    return decimal_read(out, word.text, word.length) && *out <= most;
}

/** Returns the place of a requested name; COUNTER_SLOTS if it is not requested. */
static enum counter_quantity find_named(const struct counter_target *target, const char *name) {
    int place = 0;
    while (place < COUNTER_MAX_NAMED &&
           !(target->named[place] && strcmp(target->named[place], name) == 0))
        place++;
    return (enum counter_quantity)(COUNTER_NAMED + place);
}

static enum tcplan_status read_event(struct cursor *cursor) {
    static const char bits_expected[] = "the bits of vectors: 0, 64, 128, 256 or 512";
    struct recorded *recorded = cursor->recorded;
    struct counter_event event = {0};
    double bits;
    struct word word = next_word(cursor);
    if (recorded->total == COUNTER_MAX_EVENTS || recorded->growths > 0) {
        return refuse(cursor, word,
                      recorded->growths > 0 ? "no event after a growth" : "128 events at most");
    }
    const bool is_named = is_word(word, counter_quantity_name(COUNTER_NAMED));
    if (!is_named && !read_quantity(&event.quantity, word))
        return refuse(cursor, word, quantities_expected);
    word = next_word(cursor);
    if (!read_number(&event.weight, word, 1e6) || event.weight <= 0)
        return refuse(cursor, word, "the weight of a count: a number above 0");
    word = next_word(cursor);
    if (!read_number(&bits, word, 512)) return refuse(cursor, word, bits_expected);
    event.vector_bits = (int)bits;
    if (bits != 0 && bits != 64 && bits != 128 && bits != 256 && bits != 512)
        return refuse(cursor, word, bits_expected);
    word = next_word(cursor);
    if (word.length == 0 || word.length >= sizeof event.name)
        return refuse(cursor, word, "a name of at most 63 characters");
    memcpy(event.name, word.text, word.length);
    if (is_named) event.quantity = find_named(cursor->target, event.name);
    const bool kept = (cursor->target->quantities & 1U << event.quantity) != 0;
    recorded->kept[recorded->total++] = kept;
    if (kept) cursor->source->event[cursor->source->count++] = event;
    return TCPLAN_OK;
}

static enum tcplan_status read_missing(struct cursor *cursor) {
    enum counter_quantity quantity;
    struct word word = next_word(cursor);
    if (!read_quantity(&quantity, word)) return refuse(cursor, word, quantities_expected);
    const struct word reason = next_word(cursor);
    if (reason.length == 0) return refuse(cursor, reason, "a reason");
    snprintf(cursor->source->why_not[quantity], COUNTER_REASON, "%.*s",
             (int)(cursor->end - reason.text), reason.text);
    cursor->at = cursor->end;
    return TCPLAN_OK;
}

/* count [ "@" share ] */
static bool read_growth_of(struct growth *out, struct word word) {
    const char *mark = memchr(word.text, '@', word.length);
    const size_t length = mark ? (size_t)(mark - word.text) : word.length;
    out->share = 1;
    if (!read_number(&out->count, (struct word){word.text, length}, MOST_COUNT)) return false;
    return !mark || read_number(&out->share, (struct word){mark + 1, word.length - length - 1}, 1);
}

static enum tcplan_status read_growth(struct cursor *cursor) {
    struct recorded *recorded = cursor->recorded;
    const size_t count = (size_t)recorded->total;
    if (recorded->growths == MAX_GROWTHS || count == 0) {
        return refuse(cursor, next_word(cursor),
                      count == 0 ? "an event before the first growth" : "4096 growths at most");
    }
    struct growth *larger =
        base_realloc(recorded->growth, ((size_t)recorded->growths + 1) * count * sizeof *larger);
    if (!larger) return error_no_memory(cursor->error);
    recorded->growth = larger;
    struct growth *growth = larger + (size_t)recorded->growths * count;
    for (size_t e = 0; e < count; e++) {
        const struct word word = next_word(cursor);
        if (!read_growth_of(&growth[e], word))
            return refuse(cursor, word, "a count for each event, such as 1000 or 1000@0.5");
    }
    recorded->growths++;
    return TCPLAN_OK;
}

static enum tcplan_status read_line(struct cursor *cursor) {
    enum tcplan_status status = TCPLAN_OK;
    const struct word word = next_word(cursor);
    if (cursor->number == 1) {
        const struct word version = next_word(cursor);
        if (!is_word(word, "counts") || !is_word(version, "1"))
            return refuse(cursor, word, "recorded counts, which begin with 'counts 1'");
    } else if (is_word(word, "event")) {
        status = read_event(cursor);
    } else if (is_word(word, "missing")) {
        status = read_missing(cursor);
    } else if (is_word(word, "growth")) {
        status = read_growth(cursor);
    } else if (word.length > 0) {
        return refuse(cursor, word, "event, missing or growth");
    }
    if (status != TCPLAN_OK) return status;
    const struct word rest = next_word(cursor);
    return rest.length == 0 ? TCPLAN_OK : refuse(cursor, rest, "the end of the line");
}

static enum tcplan_status read_lines(struct cursor *cursor, const char *text, size_t length) {
    const char *const end = text + length;
    enum tcplan_status status = TCPLAN_OK;
    cursor->line = text;
    do {
        const char *line_end = memchr(cursor->line, '\n', (size_t)(end - cursor->line));
        if (!line_end) line_end = end;
        const char *comment = memchr(cursor->line, '#', (size_t)(line_end - cursor->line));
        cursor->number++;
        cursor->at = cursor->line;
        cursor->end = comment ? comment : line_end;
        status = read_line(cursor);
        cursor->line = line_end + 1;
    } while (status == TCPLAN_OK && cursor->line < end);
    return status;
}

/** Gives each requested quantity that has neither an event nor a reason for its absence a default
 * reason; clears the reasons of all other quantities that have an event or were not requested. */
static void complete_reasons(struct counter_source *source, unsigned quantities) {
    for (int q = 0; q < COUNTER_SLOTS; q++) {
        if (counter_can(source, (enum counter_quantity)q) || !(quantities & 1U << q)) {
            source->why_not[q][0] = '\0';
        } else if (!source->why_not[q][0]) {
            snprintf(source->why_not[q], COUNTER_REASON, "the recorded counts have no such event");
        }
    }
}

enum tcplan_status recorded_parse(struct counter_source **out, const char *text, size_t length,
                                  const struct counter_target *target, struct tcplan_error *error) {
    struct counter_source *source = counter_none("");
    struct recorded *recorded = base_alloc_zero(1, sizeof *recorded);
    if (!source || !recorded) {
        base_free(recorded);
        counter_close(source);
        return error_no_memory(error);
    }
    source->state = recorded;
    source->class = &class;
    struct cursor cursor = {
        .source = source, .recorded = recorded, .target = target, .error = error};
    const enum tcplan_status status = read_lines(&cursor, text, length);
    if (status != TCPLAN_OK) {
        counter_close(source);
        return status;
    }
    complete_reasons(source, target->quantities);
    *out = source;
    return TCPLAN_OK;
}

enum tcplan_status recorded_open(struct counter_source **out, const char *path,
                                 const struct counter_target *target, struct tcplan_error *error) {
    char *text;
    size_t length;
    enum tcplan_status status =
        input_file_read(&text, &length, "recorded counts ", path, MAX_BYTES, error);
    if (status != TCPLAN_OK) return status;
    struct tcplan_error reason = {0};
    status = recorded_parse(out, text, length, target, &reason);
    base_free(text);
    if (status == TCPLAN_OK) return TCPLAN_OK;
    if (status != TCPLAN_INVALID) return error_set(error, status, "%s", reason.message);
    error_set(error, status, "%.80s, line %zu, column %zu: %.180s", path, reason.line,
              reason.column, reason.message);
    if (error) error->line = reason.line;
    return status;
}
