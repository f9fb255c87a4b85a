#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "store/experience.h"
#include "store/fields.h"
#include "store/kinds.h"
#include "tcplan/store.h"

enum { DAYS = 90 };

/* A mean square of logarithms above that is of no times. */
#define MOST_SQUARE 100.0

static const char *const kinds[] = {
    [RESIDUAL_SCOUTS] = "scouts",
    [RESIDUAL_WINDOWS] = "windows",
    [RESIDUAL_RUNS] = "runs",
    [RESIDUAL_COMPARED_WINDOWS] = "compared-windows",
    [RESIDUAL_COMPARED_RUNS] = "compared-runs",
    [RESIDUAL_KINDS] = NULL,
};

#define OF(type, member) .offset = offsetof(struct type, member)

static const struct field residual_fields[] = {
    {.name = "kind", .type = FIELD_WORD, OF(residual, kind), .word = kinds},
    {.name = "memory", .type = FIELD_FLAG, OF(residual, memory)},
    {.name = "count", .type = FIELD_REAL, OF(residual, count)},
    {.name = "squares", .type = FIELD_REAL, OF(residual, squares)},
    {0},
};

static const struct field said_fields[] = {
    {.name = "of", .type = FIELD_INT64, OF(said, of), .lowest = 0, .highest = INT64_MAX},
    {.name = "made", .type = FIELD_INT64, OF(said, made), .lowest = 0, .highest = INT64_MAX},
    {.name = "kind", .type = FIELD_WORD, OF(said, kind), .word = kinds},
    {.name = "memory", .type = FIELD_FLAG, OF(said, memory)},
    {.name = "seconds", .type = FIELD_REAL, OF(said, good_seconds)},
    {.name = "reference", .type = FIELD_REAL, OF(said, good_reference_seconds)},
    {.name = "follows", .type = FIELD_REAL, OF(said, follows)},
    {.name = "error", .type = FIELD_REAL, OF(said, error)},
    {0},
};

static void write_content(struct strbuf *out, const void *value) {
    const struct tcplan_experience *experience = value;
    for (int r = 0; r < experience->residual_count; r++)
        fields_write(out, "residual", residual_fields, &experience->residual[r]);
    for (int s = 0; s < experience->said_count; s++)
        fields_write(out, "said", said_fields, &experience->said[s]);
}

/* Reading. */

static bool begins_with(const char *line, size_t length, const char *word) {
    const size_t word_length = strlen(word);
    return length >= word_length && memcmp(line, word, word_length) == 0 &&
           (length == word_length || line[word_length] == ' ');
}

static enum tcplan_status read_residual(struct tcplan_experience *experience, const char *text,
                                        size_t length, struct tcplan_error *error) {
    struct residual residual = {0};
    enum tcplan_status status = fields_read(&residual, residual_fields, text, length, error);
    if (status != TCPLAN_OK) return status;
    if (!(residual.count > 0) || residual.count > EXPERIENCE_RESIDUALS_COUNT ||
        residual.squares > MOST_SQUARE * residual.count)
        return error_set(error, TCPLAN_INVALID,
                         "the residual lacks a count, or squares that can be");
    for (int r = 0; r < experience->residual_count; r++) {
        const struct residual *other = &experience->residual[r];
        if (other->kind == residual.kind && other->memory == residual.memory)
            return error_set(error, TCPLAN_INVALID, "a second residual of %s",
                             kinds[residual.kind]);
    }
    experience->residual[experience->residual_count++] =
        residual; /* there is room for one of each */
    return TCPLAN_OK;
}

static enum tcplan_status read_said(struct tcplan_experience *experience, const char *text,
                                    size_t length, struct tcplan_error *error) {
    struct said said = {0};
    enum tcplan_status status = fields_read(&said, said_fields, text, length, error);
    if (status != TCPLAN_OK) return status;
    if (!(said.good_seconds > 0) || !(said.good_reference_seconds > 0) ||
        said.kind < RESIDUAL_COMPARED_WINDOWS)
        return error_set(error, TCPLAN_INVALID,
                         "what was said lacks seconds, a reference, or a kind that is compared");
    if (experience->said_count == EXPERIENCE_SAID)
        return error_set(error, TCPLAN_INVALID, "more than %d times", EXPERIENCE_SAID);
    experience->said[experience->said_count++] = said;
    return TCPLAN_OK;
}

static enum tcplan_status read_line(void *value, const void *context, const char *line,
                                    size_t length, struct tcplan_error *error) {
    static const char residual[] = "residual", said[] = "said";
    (void)context;
    if (begins_with(line, length, residual))
        return read_residual(value, line + sizeof residual - 1, length - sizeof residual + 1,
                             error);
    if (begins_with(line, length, said))
        return read_said(value, line + sizeof said - 1, length - sizeof said + 1, error);
    return error_set(error, TCPLAN_INVALID, "expected residual or said");
}

static enum tcplan_status read_content(void *value, const char *content, size_t length,
                                       struct tcplan_error *error) {
    return fields_read_lines(value, NULL, content, length, read_line, "there is no residual in it",
                             error);
}

/* Showing. */

static void show_residual(struct strbuf *out, const struct residual *residual) {
    static const char *const what[] = {
        [RESIDUAL_SCOUTS] = "scouts, by what was compared",
        [RESIDUAL_WINDOWS] = "windows, by what was compared",
        [RESIDUAL_RUNS] = "first runs, by what was compared",
        [RESIDUAL_COMPARED_WINDOWS] = "compared windows, by later processes",
        [RESIDUAL_COMPARED_RUNS] = "compared runs, by later processes",
    };
    strbuf_add(out, "%-38s%s %6.0f times, %5.1f %%\n", what[residual->kind],
               residual->memory ? ", memory" : "        ", residual->count,
               100 * residual_deviation(residual));
}

static void show_experience(struct strbuf *out, const struct tcplan_experience *experience) {
    strbuf_add(
        out,
        "what predictions were off by, one standard deviation; %d time%s to compare later ones with\n\n",
        experience->said_count, experience->said_count == 1 ? "" : "s");
    for (int r = 0; r < experience->residual_count; r++)
        show_residual(out, &experience->residual[r]);
}

static enum tcplan_status show_content(struct strbuf *out, const char *content, size_t length,
                                       struct tcplan_error *error) {
    return experience_show(out, content, length, read_content, show_experience, error);
}

const struct store_kind store_kind_residuals = {.name = "residuals",
                                                .version = 3,
                                                .days = DAYS,
                                                .parts = TCPLAN_FINGERPRINT_PARTS,
                                                .write = write_content,
                                                .read = read_content,
                                                .show = show_content};
