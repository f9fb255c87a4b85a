#include <math.h>

#include "store/experience.h"
#include "store/kinds.h"
#include "store/log.h"

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
    {.name = "made", .type = FIELD_INT64, OF(residual, made), .lowest = 0, .highest = INT64_MAX},
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

static bool residual_can_be(const void *observation) {
    const struct residual *residual = observation;
    return residual->count > 0 && residual->count <= EXPERIENCE_RESIDUALS_COUNT &&
           residual->squares >= 0 && residual->squares <= MOST_SQUARE * residual->count;
}

static bool said_can_be(const void *observation) {
    const struct said *said = observation;
    return said->good_seconds > 0 && said->good_reference_seconds > 0 &&
           said->kind >= RESIDUAL_COMPARED_WINDOWS;
}

/** The summary of a kind; one without residuals behind the others where there is none. */
static struct residual *residual_of(struct tcplan_experience *experience, enum residual_kind kind,
                                    bool memory) {
    int r = 0;
    struct residual *residual = experience->residual;
    while (r < experience->residual_count &&
           (residual[r].kind != kind || residual[r].memory != memory))
        r++;
    if (r == experience->residual_count)
        residual[experience->residual_count++] = (struct residual){.kind = kind, .memory = memory};
    return &residual[r];
}

/** Where there are more than the most, all count less. */
static enum tcplan_status fold_residual(struct tcplan_experience *experience,
                                        const void *observation) {
    const struct residual *added = observation;
    struct residual *sum = residual_of(experience, added->kind, added->memory);
    const double count = sum->count + added->count;
    sum->made = added->made;
    sum->count = fmin(count, EXPERIENCE_RESIDUALS_COUNT);
    sum->squares += added->squares;
    if (sum->count < count) sum->squares *= sum->count / count;
    return TCPLAN_OK;
}

static enum tcplan_status fold_said(struct tcplan_experience *experience, const void *observation) {
    const struct said *added = observation, *before = experience_said(experience, added->of);
    size_t count = (size_t)experience->said_count;
    const size_t place = before ? (size_t)(before - experience->said) : 0; /* the oldest */
    if (before || count == EXPERIENCE_SAID)
        experience_drop(experience->said, sizeof *added, &count, place, 1);
    experience->said[count++] = *added;
    experience->said_count = (int)count;
    return TCPLAN_OK;
}

static const void *residual_at(const struct tcplan_experience *experience, size_t place) {
    return place < (size_t)experience->residual_count ? &experience->residual[place] : NULL;
}

static const void *said_at(const struct tcplan_experience *experience, size_t place) {
    return place < (size_t)experience->said_count ? &experience->said[place] : NULL;
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

static void show(struct strbuf *out, const struct tcplan_experience *experience) {
    strbuf_add(
        out,
        "what predictions were off by, one standard deviation; %d time%s to compare later ones with\n\n",
        experience->said_count, experience->said_count == 1 ? "" : "s");
    for (int r = 0; r < experience->residual_count; r++)
        show_residual(out, &experience->residual[r]);
}

static enum tcplan_status show_content(struct strbuf *out, const char *content, size_t length,
                                       struct tcplan_error *error) {
    return log_show_content(out, content, length, show, error);
}

const struct store_kind store_kind_residuals = {.name = "residuals",
                                                .version = 3,
                                                .days = DAYS,
                                                .parts = TCPLAN_FINGERPRINT_PARTS,
                                                .logged = true,
                                                .read = log_read_content,
                                                .show = show_content};

const struct observation_type observation_residual = {.word = "residual",
                                                      .kind = &store_kind_residuals,
                                                      .size = sizeof(struct residual),
                                                      .field = residual_fields,
                                                      .can_be = residual_can_be,
                                                      .fold = fold_residual,
                                                      .at = residual_at};

const struct observation_type observation_said = {.word = "said",
                                                  .kind = &store_kind_residuals,
                                                  .size = sizeof(struct said),
                                                  .field = said_fields,
                                                  .can_be = said_can_be,
                                                  .fold = fold_said,
                                                  .at = said_at};
