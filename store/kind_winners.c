#include <math.h>

#include "store/experience.h"
#include "store/kinds.h"
#include "store/log.h"

enum { DAYS = 90 };

/* A mean square of logarithms above that is of no times. */
#define MOST_SQUARE 100.0

#define FIELD(label, kind, member)                                                                 \
    .name = (label), .type = FIELD_##kind, .offset = offsetof(struct winner, member)

static const struct field fields[] = {
    {FIELD("made", INT64, made), .lowest = 0, .highest = INT64_MAX},
    {FIELD("of", INT64, of), .lowest = 0, .highest = INT64_MAX},
    {FIELD("seconds", REAL, seconds)},
    {FIELD("error", REAL, error)},
    {FIELD("count", REAL, count)},
    {FIELD("squares", REAL, squares)},
    {0},
};

static bool can_be(const void *observation) {
    const struct winner *winner = observation;
    return winner->seconds > 0 && winner->error >= 0 && winner->count >= 0 &&
           winner->count <= EXPERIENCE_DIFFERENCES && winner->squares >= 0 &&
           winner->squares <= MOST_SQUARE * winner->count;
}

/** Replaces the time of the same winner and adds up its differences, or drops the oldest winner
 * beyond the most. Where there are more differences than the most, all count less. */
static enum tcplan_status fold(struct tcplan_experience *experience, const void *observation) {
    struct winner sum = *(const struct winner *)observation;
    const struct winner *before = experience_winner(experience, sum.of);
    size_t count = (size_t)experience->winner_count;
    const size_t place = before ? (size_t)(before - experience->winner) : 0;
    if (before) {
        sum.squares += before->squares;
        sum.count += before->count;
    }
    if (sum.count > EXPERIENCE_DIFFERENCES) {
        sum.squares *= EXPERIENCE_DIFFERENCES / sum.count;
        sum.count = EXPERIENCE_DIFFERENCES;
    }
    if (before || count == EXPERIENCE_WINNERS)
        experience_drop(experience->winner, sizeof sum, &count, place, 1);
    experience->winner[count++] = sum;
    experience->winner_count = (int)count;
    return TCPLAN_OK;
}

static const void *at(const struct tcplan_experience *experience, size_t place) {
    return place < (size_t)experience->winner_count ? &experience->winner[place] : NULL;
}

static void show(struct strbuf *out, const struct tcplan_experience *experience) {
    double squares = 0, count = 0;
    for (int w = 0; w < experience->winner_count; w++) {
        squares += experience->winner[w].squares;
        count += experience->winner[w].count;
    }
    strbuf_add(out, "times of %d winner%s to compare later ones with", experience->winner_count,
               experience->winner_count == 1 ? "" : "s");
    if (count > 0)
        strbuf_add(out, "; %.0f later time%s differed by %.1f %%, one standard deviation", count,
                   count < 1.5 ? "" : "s", 100 * sqrt(squares / count));
    strbuf_add(out, "\n");
}

static enum tcplan_status show_content(struct strbuf *out, const char *content, size_t length,
                                       struct tcplan_error *error) {
    return log_show_content(out, content, length, show, error);
}

const struct store_kind store_kind_winners = {.name = "winners",
                                              .version = 1,
                                              .days = DAYS,
                                              .parts = TCPLAN_FINGERPRINT_PARTS,
                                              .logged = true,
                                              .read = log_read_content,
                                              .show = show_content};

const struct observation_type observation_winner = {.word = "winner",
                                                    .kind = &store_kind_winners,
                                                    .size = sizeof(struct winner),
                                                    .field = fields,
                                                    .can_be = can_be,
                                                    .fold = fold,
                                                    .at = at};
