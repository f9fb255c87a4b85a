#include <math.h>

#include "plan/explain.h"

/* Share of the difference from which a part is decisive. For a tie, the difference counts as at
 * least this share of the winner's time. */
#define DECISIVE_SHARE 0.1
#define LEAST_DIFFERENCE_SHARE 0.05

/* A call wastes a cache line if it uses at most this share of the line's bytes. */
#define WASTEFUL_SHARE 0.5

static const struct tcplan_explained *winner_of(const struct tcplan_explanation *explanation) {
    return &explanation->side[TCPLAN_WINNER];
}

static const struct tcplan_explained *loser_of(const struct tcplan_explanation *explanation) {
    return &explanation->side[TCPLAN_LOSER];
}

static double difference(const struct tcplan_explanation *explanation) {
    return loser_of(explanation)->prediction.seconds - winner_of(explanation)->prediction.seconds;
}

static double part_difference(const struct tcplan_explanation *explanation, enum tcplan_part part) {
    return loser_of(explanation)->part_seconds[part] - winner_of(explanation)->part_seconds[part];
}

static double decisive_seconds(const struct tcplan_explanation *explanation) {
    return DECISIVE_SHARE *
           fmax(difference(explanation),
                LEAST_DIFFERENCE_SHARE * winner_of(explanation)->prediction.seconds);
}

static void add(struct tcplan_explanation *explanation, struct tcplan_reason reason) {
    if (explanation->reason_count < TCPLAN_MAX_REASONS)
        explanation->reason[explanation->reason_count++] = reason;
}

/* The rules: each function adds reasons if its condition holds. */

static void say_times(struct tcplan_explanation *explanation) {
    const bool is_tie = loser_of(explanation)->tied;
    add(explanation,
        (struct tcplan_reason){.kind = is_tie ? TCPLAN_REASON_TIE : TCPLAN_REASON_FASTER,
                               .seconds = difference(explanation)});
}

static void say_calls(struct tcplan_explanation *explanation) {
    add(explanation,
        (struct tcplan_reason){.kind = TCPLAN_REASON_CALLS, .seconds = difference(explanation)});
}

/** Returns the operand that comes from the farthest level; of several, the one with the most
 * traffic. */
static enum tcplan_operand farthest_operand(const struct tcplan_explained *side) {
    int farthest = 0;
    for (int t = 1; t < TCPLAN_OPERANDS; t++) {
        const struct tcplan_explained_operand *operand = &side->operand[t];
        const struct tcplan_explained_operand *best = &side->operand[farthest];
        const bool more = operand->level == best->level &&
                          operand->total_traffic_bytes > best->total_traffic_bytes;
        if (operand->level > best->level || more) farthest = t;
    }
    return (enum tcplan_operand)farthest;
}

static void say_part(struct tcplan_explanation *explanation, enum tcplan_part part,
                     enum tcplan_reason_kind kind) {
    add(explanation, (struct tcplan_reason){.kind = kind,
                                            .part = part,
                                            .operand = farthest_operand(loser_of(explanation)),
                                            .seconds = part_difference(explanation, part)});
}

/** Adds the parts for which the loser takes decisively more time, largest difference first. */
static void say_parts(struct tcplan_explanation *explanation) {
    bool said[TCPLAN_PARTS] = {false};
    for (;;) {
        int largest = -1;
        for (int part = 0; part < TCPLAN_PARTS; part++) {
            const double seconds = part_difference(explanation, (enum tcplan_part)part);
            if (said[part] || seconds < decisive_seconds(explanation)) continue;
            if (largest < 0 || seconds > part_difference(explanation, (enum tcplan_part)largest))
                largest = part;
        }
        if (largest < 0) return;
        said[largest] = true;
        say_part(explanation, (enum tcplan_part)largest, TCPLAN_REASON_PART);
    }
}

/** Returns whether an operand wastes cache lines: each call uses a small part of lines that do not
 * stay in the L1 cache until the next call. */
static bool wastes_lines(const struct tcplan_explained_operand *operand) {
    return operand->level > 0 && operand->prefetch_level > 0 &&
           operand->used_share <= WASTEFUL_SHARE;
}

/** Adds the loser's operand with the most traffic among those that waste cache lines, if the
 * winner's operand does not. */
static void say_wasted_lines(struct tcplan_explanation *explanation) {
    const struct tcplan_explained *loser = loser_of(explanation);
    int worst = -1;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (!wastes_lines(&loser->operand[t]) || wastes_lines(&winner_of(explanation)->operand[t]))
            continue;
        if (worst < 0 ||
            loser->operand[t].total_traffic_bytes > loser->operand[worst].total_traffic_bytes)
            worst = t;
    }
    if (worst < 0) return;
    add(explanation,
        (struct tcplan_reason){.kind = TCPLAN_REASON_LINES, .operand = (enum tcplan_operand)worst});
}

/** Adds the part for which the loser is faster than the winner, if it is decisive; of several, the
 * largest. */
static void say_what_loser_does_better(struct tcplan_explanation *explanation) {
    int best = 0;
    for (int part = 1; part < TCPLAN_PARTS; part++) {
        if (part_difference(explanation, (enum tcplan_part)part) <
            part_difference(explanation, (enum tcplan_part)best))
            best = part;
    }
    if (-part_difference(explanation, (enum tcplan_part)best) < decisive_seconds(explanation))
        return;
    say_part(explanation, (enum tcplan_part)best, TCPLAN_REASON_AHEAD);
}

typedef void rule_fn(struct tcplan_explanation *explanation);

static rule_fn *const rules[] = {say_times, say_calls, say_parts, say_wasted_lines,
                                 say_what_loser_does_better};

void explain_reasons(struct tcplan_explanation *explanation) {
    explanation->reason_count = 0;
    if (explanation->side_count < TCPLAN_EXPLAINED_SIDES) return;
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) rules[r](explanation);
}
