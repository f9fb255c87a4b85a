#include "routines/sampler/experiments/sweep.h"

#include <ctype.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"

enum { PARTS = 3, PIECES_MAX = 4096, TEXT_MAX = 65536 };

/** First and last value and step; a single value has only the first. */
struct sweep_piece {
    int parts;
    struct expression part[PARTS];
};

/** Returns the number of characters before the next `end` (or `other`) outside of parentheses. */
static size_t span(const char *text, char end, char other) {
    int depth = 0;
    size_t length = 0;
    for (; text[length]; length++) {
        const char c = text[length];
        if (depth == 0 && (c == end || c == other)) break;
        depth += (c == '(') - (c == ')');
    }
    return length;
}

/* piece = expression [ ":" expression [ ":" expression ] ] */
static enum tcplan_status parse_piece(struct sweep_piece *out, struct arena *arena,
                                      const char *text, size_t length,
                                      const struct expression_scope *scope,
                                      struct tcplan_error *error) {
    const char *at = text, *end = text + length;
    *out = (struct sweep_piece){0};
    for (;;) {
        const size_t part = span(at, ':', ',');
        if (out->parts == PARTS)
            return error_set(error, TCPLAN_INVALID,
                             "expected first:last:step at most, found '%.*s'", (int)length, text);
        enum tcplan_status status =
            expression_parse(&out->part[out->parts++], arena, at, part, scope, error);
        at += part;
        if (status != TCPLAN_OK || at >= end) return status;
        at++;
    }
}

static size_t count_pieces(const char *text) {
    size_t count = 1;
    for (const char *at = text + span(text, ',', ','); *at; at += 1 + span(at + 1, ',', ','))
        count++;
    return count;
}

static const char *without_blanks(struct arena *arena, const char *text) {
    char *copy = arena_strndup(arena, text, strlen(text));
    size_t length = 0;
    for (size_t i = 0; copy && text[i]; i++) {
        if (!isspace((unsigned char)text[i])) copy[length++] = text[i];
    }
    if (copy) copy[length] = '\0';
    return copy;
}

enum tcplan_status sweep_parse(struct sweep *out, struct arena *arena, const char *text,
                               const struct expression_scope *scope, struct tcplan_error *error) {
    *out = (struct sweep){0};
    if (strlen(text) > TEXT_MAX)
        return error_set(error, TCPLAN_INVALID, "more than %d characters of values", TEXT_MAX);
    const size_t count = count_pieces(text);
    if (count > PIECES_MAX)
        return error_set(error, TCPLAN_INVALID, "there are more than %d values and ranges",
                         PIECES_MAX);
    struct sweep_piece *piece = arena_alloc(arena, count * sizeof *piece);
    const char *copy = without_blanks(arena, text), *at = copy;
    if (!piece || !copy) return error_no_memory(error);
    for (size_t p = 0; p < count; p++) {
        const size_t length = span(at, ',', ',');
        enum tcplan_status status = parse_piece(&piece[p], arena, at, length, scope, error);
        if (status != TCPLAN_OK) return status;
        at += length + 1;
    }
    *out = (struct sweep){.text = copy, .count = count, .piece = piece};
    return TCPLAN_OK;
}

/** The numbers of a sweep piece: first value, step and count. */
struct steps {
    int64_t first, last, step;
    uint64_t count;
};

static enum tcplan_status evaluate(struct steps *out, const struct sweep_piece *piece,
                                   const struct expression_values *values,
                                   struct tcplan_error *error) {
    int64_t number[PARTS] = {0, 0, 1};
    enum tcplan_status status = TCPLAN_OK;
    for (int p = 0; p < piece->parts && status == TCPLAN_OK; p++)
        status = expression_integer(&piece->part[p], values, &number[p], error);
    if (status != TCPLAN_OK) return status;
    *out = (struct steps){
        .first = number[0], .last = piece->parts > 1 ? number[1] : number[0], .step = number[2]};
    if (out->step == 0)
        return error_set(error, TCPLAN_INVALID, "a step of 0 in '%.80s'", piece->part[2].text);
    const bool up = out->step > 0;
    if (up ? out->first > out->last : out->first < out->last) return TCPLAN_OK;
    const uint64_t distance = up ? (uint64_t)out->last - (uint64_t)out->first
                                 : (uint64_t)out->first - (uint64_t)out->last;
    const uint64_t step = up ? (uint64_t)out->step : -(uint64_t)out->step;
    out->count = distance / step + 1;
    if (out->count == 0) out->count = UINT64_MAX; /* the count is 2^64, which does not fit */
    return TCPLAN_OK;
}

static enum tcplan_status refuse_count(const struct sweep *sweep, size_t most,
                                       struct tcplan_error *error) {
    return error_set(error, TCPLAN_INVALID, "'%.80s' has more than %zu values", sweep->text, most);
}

enum tcplan_status sweep_values(const int64_t **out, size_t *count, const struct sweep *sweep,
                                const struct expression_values *values, size_t most,
                                struct arena *arena, struct tcplan_error *error) {
    size_t total = 0, at = 0;
    struct steps steps = {0};
    for (size_t p = 0; p < sweep->count; p++) {
        enum tcplan_status status = evaluate(&steps, &sweep->piece[p], values, error);
        if (status != TCPLAN_OK) return status;
        if (steps.count > most - total) return refuse_count(sweep, most, error);
        total += (size_t)steps.count;
    }
    int64_t *value = arena_alloc(arena, (total + 1) * sizeof *value);
    if (!value) return error_no_memory(error);
    for (size_t p = 0; p < sweep->count; p++) {
        /* This cannot fail: the values were counted in the same way. */
        (void)evaluate(&steps, &sweep->piece[p], values, error);
        for (uint64_t i = 0; i < steps.count; i++)
            value[at++] = steps.first + (int64_t)i * steps.step;
    }
    *out = value;
    *count = total;
    return TCPLAN_OK;
}
