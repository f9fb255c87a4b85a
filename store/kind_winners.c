/*
 * Times of winners, with which later processes compare theirs: the differences show how much
 * processes vary.
 */
#include <math.h>

#include "store/experience.h"

enum { DAYS = 90 };

static const struct field fields[] = {
    {INT64_OF("made", winner, made, 0, INT64_MAX)},
    {INT64_OF("of", winner, of, 0, INT64_MAX)},
    {FIELD_OF("seconds", REAL, winner, seconds)},
    {FIELD_OF("error", REAL, winner, error)},
    {FIELD_OF("count", REAL, winner, count)},
    {FIELD_OF("squares", REAL, winner, squares)},
    {0},
};

static bool can_be(const void *observation) {
    const struct winner *winner = observation;
    return winner->seconds > 0 && winner->error >= 0 &&
           experience_is_sum(winner->count, winner->squares, EXPERIENCE_DIFFERENCES);
}

/** Replaces the time of the same winner and adds the difference of both times, or drops the
 * oldest winner beyond the maximum. Beyond the maximum number of differences, earlier differences
 * lose weight. */
static enum tcplan_status fold(struct tcplan_experience *experience, const void *observation) {
    struct winner sum = *(const struct winner *)observation;
    const struct winner *before = experience_winner(experience, sum.of);
    size_t count = (size_t)experience->winner_count;
    const size_t place = before ? (size_t)(before - experience->winner) : 0;
    if (before) {
        sum.squares += before->squares;
        sum.count += before->count;
    }
    experience_bound(&sum.count, &sum.squares, EXPERIENCE_DIFFERENCES);
    if (before || count == EXPERIENCE_WINNERS)
        experience_drop(experience->winner, sizeof sum, &count, place, 1);
    experience->winner[count++] = sum;
    experience->winner_count = (int)count;
    return TCPLAN_OK;
}

static void print(struct strbuf *out, const void *value) {
    const struct tcplan_experience *experience = value;
    double squares = 0, count = 0;
    for (int w = 0; w < experience->winner_count; w++) {
        squares += experience->winner[w].squares;
        count += experience->winner[w].count;
    }
    strbuf_add(out, "times of %d winner%s to compare later ones with", experience->winner_count,
               experience->winner_count == 1 ? "" : "s");
    if (count > 0)
        strbuf_add(out, "; %.0f later time%s, standard deviation of the differences %.1f %%", count,
                   count < 1.5 ? "" : "s", 100 * sqrt(squares / count));
    strbuf_add(out, "\n");
}

static const struct fields_line lines[] = {
    {LINE_SEVERAL("winner", fields, tcplan_experience, winner, winner_count)}, {0}};

const struct store_kind store_kind_winners = {.name = "winners",
                                              .version = 1,
                                              .days = DAYS,
                                              .parts = TCPLAN_FINGERPRINT_PARTS,
                                              .line = lines,
                                              .can_be = can_be,
                                              .fold = fold,
                                              .print = print};
