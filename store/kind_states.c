#include <math.h>

#include "store/experience.h"
#include "store/kinds.h"
#include "store/log.h"

enum { DAYS = 30, MINUTE = 60 };

#define FIELD(label, kind, member)                                                                 \
    .name = (label), .type = FIELD_##kind, .offset = offsetof(struct states_kept, member)

static const struct field fields[] = {
    {FIELD("made", INT64, made), .lowest = 0, .highest = INT64_MAX},
    {FIELD("good", REAL, states.good)},
    {FIELD("ratio", REAL, states.ratio)},
    {FIELD("slow", REAL, states.share)},
    {FIELD("dwell", REAL, states.dwell_seconds)},
    {FIELD("watched", REAL, states.watched_seconds)},
    {FIELD("memory", FLAG, memory)},
    {0},
};

static bool can_be(const void *observation) {
    return states_can_be(&((const struct states_kept *)observation)->states);
}

/** The mean of two numbers, in logarithms, weighted; of one where the other is not known. */
static double joined(double a, double b, double weight_of_a, double nothing) {
    if (a <= nothing || b <= nothing) return a > b ? a : b;
    return exp(weight_of_a * log(a) + (1 - weight_of_a) * log(b));
}

static struct states join(const struct states *a, const struct states *b) {
    const double watched = a->watched_seconds + b->watched_seconds;
    const double weight = a->watched_seconds / watched;
    return (struct states){.good = joined(a->good, b->good, weight, 0),
                           .ratio = joined(a->ratio, b->ratio, weight, 1),
                           .share = weight * a->share + (1 - weight) * b->share,
                           .dwell_seconds = joined(a->dwell_seconds, b->dwell_seconds, weight, 0),
                           .watched_seconds = watched};
}

static enum tcplan_status fold(struct tcplan_experience *experience, const void *observation) {
    const struct states_kept *added = observation;
    size_t count = (size_t)experience->states_count;
    struct states_kept *last = count > 0 ? &experience->states[count - 1] : NULL;
    if (last && last->memory == added->memory && added->made - last->made < MINUTE &&
        added->made >= last->made) {
        last->states = join(&last->states, &added->states);
        return TCPLAN_OK;
    }
    if (count == EXPERIENCE_STATES)
        experience_drop(experience->states, sizeof *added, &count, 0, 1);
    experience->states[count++] = *added;
    experience->states_count = (int)count;
    return TCPLAN_OK;
}

static const void *at(const struct tcplan_experience *experience, size_t place) {
    return place < (size_t)experience->states_count ? &experience->states[place] : NULL;
}

static void show_line(struct strbuf *out, const struct states_kept *kept) {
    const struct states *states = &kept->states;
    strbuf_add(out, "%swatched %.3f s: ", kept->memory ? "memory " : "", states->watched_seconds);
    if (states->ratio > 1) {
        strbuf_add(out, " %.0f %% of the time slower by %.2f", 100 * states->share, states->ratio);
        if (states->dwell_seconds > 0)
            strbuf_add(out, ", for some %.2g ms each time", 1e3 * states->dwell_seconds);
    } else {
        strbuf_add(out, "one speed");
    }
    strbuf_add(out, "\n");
}

static void show(struct strbuf *out, const struct tcplan_experience *experience) {
    strbuf_add(
        out, "the speed of the core, and of memory, as %d process%s met it, the last one last\n\n",
        experience->states_count, experience->states_count == 1 ? "" : "es");
    for (int i = 0; i < experience->states_count; i++) show_line(out, &experience->states[i]);
}

static enum tcplan_status show_content(struct strbuf *out, const char *content, size_t length,
                                       struct tcplan_error *error) {
    return log_show_content(out, content, length, show, error);
}

const struct store_kind store_kind_states = {.name = "states",
                                             .version = 5,
                                             .days = DAYS,
                                             .parts = TCPLAN_FINGERPRINT_PARTS,
                                             .logged = true,
                                             .read = log_read_content,
                                             .show = show_content};

const struct observation_type observation_states = {.word = "states",
                                                    .kind = &store_kind_states,
                                                    .size = sizeof(struct states_kept),
                                                    .field = fields,
                                                    .can_be = can_be,
                                                    .fold = fold,
                                                    .at = at};
