#include "store/experience.h"
#include "store/kinds.h"
#include "store/log.h"

enum { DAYS = 30 };

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
                                                    .fold = experience_fold_states,
                                                    .at = at};
