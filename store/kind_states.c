#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "store/experience.h"
#include "store/fields.h"
#include "store/kinds.h"
#include "tcplan/store.h"

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

static void write_content(struct strbuf *out, const void *value) {
    const struct tcplan_experience *experience = value;
    for (int i = 0; i < experience->states_count; i++)
        fields_write(out, "states", fields, &experience->states[i]);
}

static enum tcplan_status read_line(void *value, const void *context, const char *line,
                                    size_t length, struct tcplan_error *error) {
    struct tcplan_experience *experience = value;
    (void)context;
    static const char word[] = "states";
    const size_t word_length = sizeof word - 1;
    struct states_kept kept = {0};
    if (length < word_length || memcmp(line, word, word_length) != 0)
        return error_set(error, TCPLAN_INVALID, "expected states");
    enum tcplan_status status =
        fields_read(&kept, fields, line + word_length, length - word_length, error);
    if (status != TCPLAN_OK) return status;
    if (!states_can_be(&kept.states))
        return error_set(error, TCPLAN_INVALID,
                         "the states lack good, watched, a ratio or a share that can be");
    if (experience->states_count == EXPERIENCE_STATES)
        return error_set(error, TCPLAN_INVALID, "more than %d states", EXPERIENCE_STATES);
    experience->states[experience->states_count++] = kept;
    return TCPLAN_OK;
}

static enum tcplan_status read_content(void *value, const char *content, size_t length,
                                       struct tcplan_error *error) {
    return fields_read_lines(value, NULL, content, length, read_line, "there are no states in it",
                             error);
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

static void show_experience(struct strbuf *out, const struct tcplan_experience *experience) {
    strbuf_add(
        out, "the speed of the core, and of memory, as %d process%s met it, the last one last\n\n",
        experience->states_count, experience->states_count == 1 ? "" : "es");
    for (int i = 0; i < experience->states_count; i++) show_line(out, &experience->states[i]);
}

static enum tcplan_status show_content(struct strbuf *out, const char *content, size_t length,
                                       struct tcplan_error *error) {
    return experience_show(out, content, length, read_content, show_experience, error);
}

const struct store_kind store_kind_states = {.name = "states",
                                             .version = 4,
                                             .days = DAYS,
                                             .parts = TCPLAN_FINGERPRINT_LIBRARIES,
                                             .write = write_content,
                                             .read = read_content,
                                             .show = show_content};
