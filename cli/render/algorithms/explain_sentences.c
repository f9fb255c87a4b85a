#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/strbuf.h"
#include "cli/render/algorithms/explain.h"

/** A sentence under construction, with the names and numbers of winner and loser. */
struct sentence {
    struct strbuf out;
    const struct explained_report *report;
    const struct tcplan_reason *reason;
    const struct tcplan_explained *winner;
    const struct tcplan_explained *loser;
    const char *winner_name;
    const char *loser_name;
};

/** "64 000 000" */
static struct quantity count_text(int64_t count) {
    char digits[24];
    struct quantity quantity;
    const int length = snprintf(digits, sizeof digits, "%lld", (long long)count);
    size_t written = 0;
    for (int d = 0; d < length; d++) {
        if (d > 0 && (length - d) % 3 == 0) quantity.text[written++] = ' ';
        quantity.text[written++] = digits[d];
    }
    quantity.text[written] = '\0';
    return quantity;
}

/** "1.04", "29.8", "1034" */
static struct quantity ratio_text(double ratio) {
    struct quantity quantity;
    snprintf(quantity.text, sizeof quantity.text, "%.*f",
             ratio < 9.995   ? 2
             : ratio < 99.95 ? 1
                             : 0,
             ratio);
    return quantity;
}

static void add_slice(struct sentence *sentence, const struct tcplan_explained *side,
                      struct tcplan_slice slice) {
    char *text = explain_slice_text(sentence->report, side, slice);
    strbuf_add(&sentence->out, "%s", text ? text : "");
    sentence->out.failed = sentence->out.failed || !text;
    free(text);
}

/** Adds the share of a part in the difference; other parts compensate shares above 1. */
static void add_share(struct sentence *sentence) {
    const double difference =
        sentence->loser->prediction.seconds - sentence->winner->prediction.seconds;
    const double share = 100 * sentence->reason->seconds / difference;
    strbuf_add(&sentence->out, ", %s more", explain_seconds(sentence->reason->seconds).text);
    if (difference > 0 && share < 1000)
        strbuf_add(&sentence->out, ", %.0f %% of the difference", share);
    strbuf_add(&sentence->out, ".");
}

static void say_faster(struct sentence *s) {
    const double ratio = s->loser->prediction.seconds / s->winner->prediction.seconds;
    strbuf_add(&s->out, "%s is predicted to take %s, %s %s: %s times as long%s.", s->winner_name,
               explain_seconds(s->winner->prediction.seconds).text, s->loser_name,
               explain_seconds(s->loser->prediction.seconds).text, ratio_text(ratio).text,
               ratio < 1 ? ", from samples of this explanation; the ranking did not compare the two"
                         : "");
}

static void print_tie(struct sentence *s) {
    strbuf_add(
        &s->out,
        "%s (predicted %s) and %s (%s) are tied: in the same rounds their times differ by no more than noise, so the following reasons explain at "
        "most a small difference.",
        s->winner_name, explain_seconds(s->winner->prediction.seconds).text, s->loser_name,
        explain_seconds(s->loser->prediction.seconds).text);
}

/** Returns the overhead of one call. */
static struct quantity overhead_text(const struct tcplan_explained *side) {
    return explain_seconds(side->part_seconds[TCPLAN_PART_OVERHEAD] / (double)side->calls);
}

static void say_calls(struct sentence *s) {
    const struct quantity winner_call = explain_seconds(s->winner->call_seconds);
    const struct quantity loser_call = explain_seconds(s->loser->call_seconds);
    if (s->winner->calls == s->loser->calls) {
        strbuf_add(&s->out, "Both make %s call%s, of %s in %s and of %s in %s (predicted).",
                   count_text(s->winner->calls).text, s->winner->calls == 1 ? "" : "s",
                   winner_call.text, s->winner_name, loser_call.text, s->loser_name);
        return;
    }
    strbuf_add(
        &s->out,
        "%s makes %s call%s of %s, %s of it overhead, and %s makes %s of %s, %s of it overhead (calls counted, ",
        s->winner_name, count_text(s->winner->calls).text, s->winner->calls == 1 ? "" : "s",
        winner_call.text, overhead_text(s->winner).text, s->loser_name,
        count_text(s->loser->calls).text, loser_call.text, overhead_text(s->loser).text);
    strbuf_add(&s->out, "overhead measured, times predicted).");
}

/* The parts. */

static void say_overhead(struct sentence *s) {
    const struct tcplan_explained *l = s->loser;
    strbuf_add(&s->out, "Call overhead (measured): %s pays %s, %s of each call of %s, %s pays %s",
               s->loser_name, explain_seconds(l->part_seconds[TCPLAN_PART_OVERHEAD]).text,
               overhead_text(l).text, explain_seconds(l->call_seconds).text, s->winner_name,
               explain_seconds(s->winner->part_seconds[TCPLAN_PART_OVERHEAD]).text);
    add_share(s);
}

static void say_kernel(struct sentence *s) {
    strbuf_add(
        &s->out,
        "The kernel itself is slower (measured, same operands repeatedly): %s of %s needs %s beyond overhead, %s of %s %s",
        s->report->row[TCPLAN_LOSER].kernel, s->loser_name,
        explain_seconds(s->loser->part_seconds[TCPLAN_PART_KERNEL]).text,
        s->report->row[TCPLAN_WINNER].kernel, s->winner_name,
        explain_seconds(s->winner->part_seconds[TCPLAN_PART_KERNEL]).text);
    strbuf_add(&s->out, " (overhead included %.3g against %.3g GFLOP/s)", s->loser->kernel_gflops,
               s->winner->kernel_gflops);
    add_share(s);
}

static void say_copies(struct sentence *s) {
    const double seconds = s->loser->part_seconds[TCPLAN_PART_COPIES];
    strbuf_add(
        &s->out, "Copies and scalings (measured) take %s of %s, %.0f %% of its time, and %s of %s",
        explain_seconds(seconds).text, s->loser_name, 100 * seconds / s->loser->prediction.seconds,
        explain_seconds(s->winner->part_seconds[TCPLAN_PART_COPIES]).text, s->winner_name);
    add_share(s);
}

/** "C[a,:,c] of ca-dgemv comes from memory (analytic: 498.1 MiB touched since its last
 * access; 3.815 GiB of lines in all calls)" */
static void add_origin(struct sentence *s) {
    const struct tcplan_explained_operand *operand = &s->loser->operand[s->reason->operand];
    const struct tcplan_explained_operand *same = &s->winner->operand[s->reason->operand];
    const struct tcplan_machine *machine = &s->report->explanation->machine;
    strbuf_add(&s->out, " Analytic: ");
    add_slice(s, s->loser, operand->slice);
    strbuf_add(&s->out, " of %s is found in %s%s, ", s->loser_name,
               explain_level(machine, operand->level).text,
               operand->prefetched ? " unless prefetched" : "");
    if (!operand->never) {
        strbuf_add(&s->out, "%s touched since its last access, ",
                   quantity_bytes(operand->distance_bytes).text);
    }
    strbuf_add(&s->out, "%s of lines over all calls; ",
               quantity_bytes(operand->total_traffic_bytes).text);
    add_slice(s, s->winner, same->slice);
    strbuf_add(&s->out, " of %s in %s, %s.", s->winner_name,
               explain_level(machine, same->level).text,
               quantity_bytes(same->total_traffic_bytes).text);
}

static void report_waiting(struct sentence *s) {
    strbuf_add(
        &s->out,
        "Waiting for operands and loops (the rest) costs %s %s, %.0f %% of its time, and %s %s",
        s->loser_name, explain_seconds(s->loser->part_seconds[TCPLAN_PART_WAITING]).text,
        100 * s->loser->part_seconds[TCPLAN_PART_WAITING] / s->loser->prediction.seconds,
        s->winner_name, explain_seconds(s->winner->part_seconds[TCPLAN_PART_WAITING]).text);
    add_share(s);
    add_origin(s);
}

static void say_part(struct sentence *s) {
    static void (*const parts[TCPLAN_PARTS])(struct sentence *) = {
        [TCPLAN_PART_OVERHEAD] = say_overhead,
        [TCPLAN_PART_KERNEL] = say_kernel,
        [TCPLAN_PART_COPIES] = say_copies,
        [TCPLAN_PART_WAITING] = report_waiting};
    parts[s->reason->part](s);
}

static void say_lines(struct sentence *s) {
    const struct tcplan_explained_operand *operand = &s->loser->operand[s->reason->operand];
    const struct tcplan_explained_operand *same = &s->winner->operand[s->reason->operand];
    strbuf_add(&s->out,
               "Strided access (analytic): a call of %s touches %s line%s on %s page%s of ",
               s->loser_name, explain_number(operand->lines).text, operand->lines == 1 ? "" : "s",
               explain_number(operand->pages).text, operand->pages == 1 ? "" : "s");
    add_slice(s, s->loser, operand->slice);
    strbuf_add(&s->out, " and needs %.3g %% of the bytes in them; of ", 100 * operand->used_share);
    add_slice(s, s->winner, same->slice);
    strbuf_add(&s->out, " %s needs %.3g %%.", s->winner_name, 100 * same->used_share);
}

static void say_ahead(struct sentence *s) {
    const enum tcplan_part part = s->reason->part;
    strbuf_add(&s->out, "In one part %s is ahead, %s: %s against %s of %s.", s->loser_name,
               tcplan_word(tcplan_words_time_parts, (int)part),
               explain_seconds(s->loser->part_seconds[part]).text,
               explain_seconds(s->winner->part_seconds[part]).text, s->winner_name);
}

char *explain_sentence(const struct explained_report *report, const struct tcplan_reason *reason) {
    static void (*const kinds[])(struct sentence *) = {
        [TCPLAN_REASON_FASTER] = say_faster, [TCPLAN_REASON_TIE] = print_tie,
        [TCPLAN_REASON_CALLS] = say_calls,   [TCPLAN_REASON_PART] = say_part,
        [TCPLAN_REASON_LINES] = say_lines,   [TCPLAN_REASON_AHEAD] = say_ahead};
    struct sentence sentence = {.report = report,
                                .reason = reason,
                                .winner = &report->explanation->side[TCPLAN_WINNER],
                                .loser = &report->explanation->side[TCPLAN_LOSER],
                                .winner_name = report->row[TCPLAN_WINNER].name,
                                .loser_name = report->row[TCPLAN_LOSER].name};
    kinds[reason->kind](&sentence);
    return strbuf_finish(&sentence.out);
}
