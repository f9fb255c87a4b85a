#include "cli/render/algorithms/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/strbuf.h"
#include "cli/render/common_fields.h"
#include "cli/render/text/table.h"

bool explained_report_make(struct explained_report *out, const struct request *request,
                           const struct tcplan_explanation *explanation) {
    *out = (struct explained_report){.request = request, .explanation = explanation};
    for (int s = 0; s < explanation->side_count; s++) {
        if (!row_make(&out->row[s], &explanation->side[s].algorithm, request->contraction,
                      explanation->problem.dtype))
            return false;
    }
    return true;
}

void explained_report_free(struct explained_report *report) {
    for (int s = 0; s < TCPLAN_EXPLAINED_SIDES; s++) row_free(&report->row[s]);
}

/** Returns the name of a level, such as "L2" or "memory"; `level` is an index as in struct
 * tcplan_explained_operand. */
static struct quantity explain_level(const struct tcplan_machine *machine, int level) {
    struct quantity quantity = {"memory"};
    if (level < machine->cache_count)
        snprintf(quantity.text, sizeof quantity.text, "L%d", machine->cache[level].level);
    return quantity;
}

/** Returns a number, which may be a mean, as text: "1", "7.2" or "20000". */
static struct quantity explain_number(double number) {
    struct quantity quantity;
    const bool whole = number >= 100 || number == floor(number);
    snprintf(quantity.text, sizeof quantity.text, "%.*f", whole ? 0 : 1, number);
    return quantity;
}

/** Returns a time as text, like quantity_seconds(), but it may be negative. */
static struct quantity explain_seconds(double seconds) {
    const struct quantity size = quantity_seconds(fabs(seconds));
    struct quantity quantity = {"0"};
    if (seconds != 0)
        snprintf(quantity.text, sizeof quantity.text, "%s%.30s", seconds < 0 ? "-" : "", size.text);
    return quantity;
}

/** Returns a slice in the loop nest of the winner or loser as text. The caller frees it. */
static char *explain_slice_text(const struct explained_report *report,
                                const struct tcplan_explained *side, struct tcplan_slice slice) {
    return tcplan_slice_text(report->row[side - report->explanation->side].nest, slice);
}

/** Returns a copy as text, `C~[:,:] := C[:,:,c]`, or the slice that is scaled. The caller frees
 * it. */
static char *explain_copy_text(const struct explained_report *report,
                               const struct tcplan_explained *side,
                               const struct tcplan_explained_copy *copy) {
    struct strbuf out = {0};
    const struct tcplan_nest *nest = report->row[side - report->explanation->side].nest;
    text_add_owned(&out, tcplan_slice_text(nest, copy->to));
    if (copy->kind == TCPLAN_NODE_COPY) {
        strbuf_add(&out, "%s", copy->accumulates ? " += " : " := ");
        text_add_owned(&out, tcplan_source_text(nest, copy->from, copy->summed));
    } else {
        strbuf_add(&out, ", scaled");
    }
    if (copy->streamed) strbuf_add(&out, " (streamed)");
    return strbuf_finish(&out);
}

/* Sentences. */

/** State of writing a sentence, with the names and numbers of winner and loser. */
struct sentence {
    struct strbuf out;
    const struct explained_report *report;
    const struct tcplan_reason *reason;
    const struct tcplan_explained *winner;
    const struct tcplan_explained *loser;
    const char *winner_name;
    const char *loser_name;
};

static struct quantity count_text(int64_t count) {
    struct quantity quantity;
    snprintf(quantity.text, sizeof quantity.text, "%lld", (long long)count);
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
    text_add_owned(&sentence->out, explain_slice_text(sentence->report, side, slice));
}

/** Appends the part's share of the difference between both times. A share above 100 % would puzzle
 * readers: other parts, in which the loser is faster, compensate for the rest. */
static void add_share(struct sentence *sentence) {
    const double difference =
        sentence->loser->prediction.seconds - sentence->winner->prediction.seconds;
    const double share = 100 * sentence->reason->seconds / difference;
    strbuf_add(&sentence->out, ", %s more", explain_seconds(sentence->reason->seconds).text);
    if (difference > 0 && share > 100)
        strbuf_add(&sentence->out, ", which other parts partly compensate");
    else if (difference > 0)
        strbuf_add(&sentence->out, ", %.0f %% of the difference", share);
    strbuf_add(&sentence->out, ".");
}

static void say_faster(struct sentence *s) {
    const double ratio = s->loser->prediction.seconds / s->winner->prediction.seconds;
    strbuf_add(&s->out, "%s is predicted to take %s, %s %s: %s times as long%s.", s->winner_name,
               explain_seconds(s->winner->prediction.seconds).text, s->loser_name,
               explain_seconds(s->loser->prediction.seconds).text, ratio_text(ratio).text,
               ratio < 1 ? " (new timings reversed the order of the ranking)" : "");
}

static void print_tie(struct sentence *s) {
    strbuf_add(
        &s->out,
        "%s (predicted %s) and %s (%s) are tied: in the same rounds their times differ by no more than noise, so the following reasons explain at "
        "most a small difference.",
        s->winner_name, explain_seconds(s->winner->prediction.seconds).text, s->loser_name,
        explain_seconds(s->loser->prediction.seconds).text);
}

/** Returns the time of a part. */
static struct quantity part_text(const struct tcplan_explained *side, enum tcplan_part part) {
    return explain_seconds(side->part_seconds[part]);
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

/* Sentences about the parts of the time: call overhead, kernel, copies, waiting. */

static void say_overhead(struct sentence *s) {
    strbuf_add(&s->out, "Call overhead (measured): %s pays %s, %s of each call of %s, %s pays %s",
               s->loser_name, part_text(s->loser, TCPLAN_PART_OVERHEAD).text,
               overhead_text(s->loser).text, explain_seconds(s->loser->call_seconds).text,
               s->winner_name, part_text(s->winner, TCPLAN_PART_OVERHEAD).text);
    add_share(s);
}

static void say_kernel(struct sentence *s) {
    strbuf_add(
        &s->out,
        "The kernel itself is slower (measured, same operands repeatedly): %s of %s needs %s beyond overhead, %s of %s %s",
        s->report->row[TCPLAN_LOSER].kernel, s->loser_name,
        part_text(s->loser, TCPLAN_PART_KERNEL).text, s->report->row[TCPLAN_WINNER].kernel,
        s->winner_name, part_text(s->winner, TCPLAN_PART_KERNEL).text);
    strbuf_add(&s->out, " (overhead included %.3g against %.3g GFLOP/s)", s->loser->kernel_gflops,
               s->winner->kernel_gflops);
    add_share(s);
}

static void say_copies(struct sentence *s) {
    const double seconds = s->loser->part_seconds[TCPLAN_PART_COPIES];
    strbuf_add(
        &s->out, "Copies and scalings (measured) take %s of %s, %.0f %% of its time, and %s of %s",
        explain_seconds(seconds).text, s->loser_name, 100 * seconds / s->loser->prediction.seconds,
        part_text(s->winner, TCPLAN_PART_COPIES).text, s->winner_name);
    add_share(s);
}

/** Adds the origin of an operand, such as "C[a,:,c] of ca-dgemv comes from memory (analytic: 498.1
 * MiB touched since its last access; 3.815 GiB of lines in all calls)". */
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
        s->loser_name, part_text(s->loser, TCPLAN_PART_WAITING).text,
        100 * s->loser->part_seconds[TCPLAN_PART_WAITING] / s->loser->prediction.seconds,
        s->winner_name, part_text(s->winner, TCPLAN_PART_WAITING).text);
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
    strbuf_add(&s->out, "In one part %s is faster, %s: %s against %s of %s.", s->loser_name,
               tcplan_word(tcplan_words_time_parts, (int)part), part_text(s->loser, part).text,
               part_text(s->winner, part).text, s->winner_name);
}

/** Returns a reason as a sentence. The caller frees it. */
static char *explain_sentence(const struct explained_report *report,
                              const struct tcplan_reason *reason) {
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

/* Fields. */

/** The winner or loser of an explanation, or a part of it. */
struct side {
    const struct explained_report *report;
    const struct tcplan_explained *side;
    const struct row *row;
    const struct tcplan_explained_operand *operand;
    const struct tcplan_explained_copy *copy;
    const struct tcplan_explained_class *call_class;
};

static void each_operand(struct field_visit *visit, struct side of) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        of.operand = &of.side->operand[t];
        FIELD_VISIT(&of);
    }
}

static void each_copy(struct field_visit *visit, struct side of) {
    for (int c = 0; c < of.side->copy_count; c++) {
        of.copy = &of.side->copy[c];
        FIELD_VISIT(&of);
    }
}

static void each_class(struct field_visit *visit, struct side of) {
    for (int c = 0; c < of.side->class_count; c++) {
        of.call_class = &of.side->call_class[c];
        FIELD_VISIT(&of);
    }
}

static struct field_value loops_of(const struct side *r) {
    const int loop = r->call_class->loop;
    return loop < 0 ? field_unknown() : field_names(r->row->loop + loop, r->row->loop_count - loop);
}

/** Returns the cache level with a given index. */
static struct field_value level(const struct side *r, int place) {
    return field_owned(strdup(explain_level(&r->report->explanation->machine, place).text));
}

static void write_nest(struct document *document, const void *record) {
    const struct side *side = record;
    document_nest(document, side->row, &side->report->explanation->problem);
}

struct reasoned {
    const struct explained_report *report;
    const struct tcplan_reason *reason;
};

static struct field_value part_of(const struct tcplan_reason *reason) {
    const bool known = reason->kind == TCPLAN_REASON_PART || reason->kind == TCPLAN_REASON_AHEAD;
    return field_if(known, FIELD_WORD(time_parts, reason->part));
}

#define PREDICTION r->side->prediction
#define PART(part) field_number(r->side->part_seconds[TCPLAN_PART_##part])

/* clang-format off */

#define OPERAND(F, T) \
    F(T, slice, TEXT, field_owned(explain_slice_text(r->report, r->side, r->operand->slice)), "as A[:,k]", ALWAYS) \
    F(T, bytes, INTEGER, field_integer(r->operand->bytes), "bytes that a call needs", ALWAYS) \
    F(T, distance_bytes, NUMBER, field_number(r->operand->distance_bytes), "bytes accessed since the last access to the slice; absent: first access") \
    F(T, found_in, TEXT, level(r, r->operand->level), "place of the slice before a call: a cache level, such as L1, or memory", ALWAYS) \
    F(T, prefetched, FLAG, field_flag(r->operand->prefetched), "whether the hardware prefetches the slice", ALWAYS) \
    F(T, prefetched_into, TEXT, r->operand->prefetched ? level(r, r->operand->prefetch_level) : field_unknown(), "target of prefetches") \
    F(T, lines_per_call, NUMBER, field_number(r->operand->lines), "cache lines that a call accesses", ALWAYS) \
    F(T, pages_per_call, NUMBER, field_number(r->operand->pages), "pages that a call accesses", ALWAYS) \
    F(T, used_share, NUMBER, field_number(r->operand->used_share), "share of the slice's cache lines that a call needs", ALWAYS) \
    F(T, total_traffic_bytes, NUMBER, field_number(r->operand->total_traffic_bytes), "bytes of the cache lines that all calls access", ALWAYS)

#define CLASS(F, T) \
    F(T, kind, TEXT, FIELD_WORD(classes, r->call_class->kind), "kind of the calls", .words = tcplan_words_classes, ALWAYS) \
    F(T, loops, NAMES, loops_of(r), "loops in their first iteration") \
    F(T, calls, INTEGER, field_integer(r->call_class->calls), "number of calls", ALWAYS)

#define OPERATION(F, T) \
    F(T, kind, TEXT, FIELD_WORD(parts, r->copy->kind), "copy or scaling", .words = tcplan_words_parts, ALWAYS) \
    F(T, text, TEXT, field_owned(explain_copy_text(r->report, r->side, r->copy)), "copied or scaled slice", ALWAYS) \
    F(T, times, NUMBER, field_number(r->copy->times), "number of executions", ALWAYS) \
    F(T, seconds, NUMBER, field_number(r->copy->seconds), "total time", ALWAYS) \
    F(T, place, TEXT, field_text(r->copy->apart ? "actual" : "in cache"), "cache state of the measurement", \
      .schema = "\"enum\": [\"actual\", \"in cache\"]", ALWAYS)

#define PREDICTED(F, T) \
    F(T, seconds, NUMBER, field_number(PREDICTION.seconds), "predicted time", ALWAYS) \
    F(T, low, NUMBER, field_number(PREDICTION.low), "lower end of the 95 % interval", ALWAYS) \
    F(T, high, NUMBER, field_number(PREDICTION.high), "upper end of the 95 % interval", ALWAYS) \
    F(T, stretch_seconds, NUMBER, field_number(r->side->stretch_seconds), "time of the calls that were timed together", ALWAYS) \
    F(T, call_seconds, NUMBER, field_number(r->side->call_seconds), "time of a call, including the loops around it", ALWAYS)

#define ESTIMATED(F, T) \
    F(T, seconds, NUMBER, field_number(r->side->estimate_seconds), "estimated time", ALWAYS) \
    F(T, kernel_time, TEXT, FIELD_WORD(time_sources, r->side->kernel_source), "source of the kernel time", .words = tcplan_words_time_sources) \
    F(T, copy_time, TEXT, FIELD_WORD(time_sources, r->side->copy_source), "source of the copy times", .words = tcplan_words_time_sources)

#define MEASURED(F, T) \
    F(T, kernel_seconds, NUMBER, field_number(r->side->kernel_seconds), "time of all calls, each on the same operands", ALWAYS) \
    F(T, kernel_gflops, NUMBER, field_number(r->side->kernel_gflops), "speed of the kernel in these calls", ALWAYS) \
    F(T, smallest_call_seconds, NUMBER, field_number(r->side->smallest_call_seconds), "time of a call with all extents 1", ALWAYS)

#define PARTS(F, T) \
    F(T, sampled_seconds, NUMBER, field_number(r->side->sampled_seconds), "time of the whole contraction according to the timings of the parts", ALWAYS) \
    F(T, scale, NUMBER, field_number(r->side->scale), "factor by which the measured times of the first three parts were multiplied", ALWAYS) \
    F(T, overhead_seconds, NUMBER, PART(OVERHEAD), "overhead of calls", ALWAYS) \
    F(T, kernel_seconds, NUMBER, PART(KERNEL), "time of the kernels on operands in cache", ALWAYS) \
    F(T, copies_seconds, NUMBER, PART(COPIES), "copies and scalings", ALWAYS) \
    F(T, waiting_seconds, NUMBER, PART(WAITING), "time of the rest: waiting for operands, and loops", ALWAYS)

#define ANALYTIC(F, T) \
    F(T, operands, LIST, each_operand(visit, *r), "operands of a steady call", .item = "operand", .fields = operand_fields, ALWAYS) \
    F(T, classes, LIST, each_class(visit, *r), "classes of calls", .item = "class", .fields = class_fields, ALWAYS)

#define SIDE(F, T) \
    F(T, name, TEXT, field_text(r->row->name), "name of the algorithm", ALWAYS) \
    F(T, kernel, TEXT, field_text(r->row->kernel), "name of the kernel, such as dgemm", ALWAYS) \
    F(T, provider, TEXT, field_text(r->row->provider), "library of the kernel", ALWAYS) \
    F(T, loops, NAMES, field_names(r->row->loop, r->row->loop_count), "loops, outermost first, such as c or a:8", ALWAYS) \
    F(T, rank, INTEGER, field_if(!r->side->pruned, field_integer((int64_t)r->side->place + 1)), "rank; absent: ruled out by a lower bound") \
    F(T, tied, FLAG, field_flag(r->side->tied), "whether the algorithm is as fast as the fastest", ALWAYS) \
    F(T, calls, INTEGER, field_integer(r->side->calls), "calls of the kernel", ALWAYS) \
    F(T, nest, TEXT, field_word(""), "loop nest of the algorithm", .write = write_nest, ALWAYS) \
    F(T, predicted, OBJECT, FIELD_VISIT(r), "predicted times", .fields = predicted_fields, ALWAYS) \
    F(T, estimated, OBJECT, if (isfinite(r->side->estimate_seconds)) FIELD_VISIT(r), "estimate before anything was timed", .fields = estimated_fields) \
    F(T, measured, OBJECT, FIELD_VISIT(r), "times of the kernel alone", .fields = measured_fields, ALWAYS) \
    F(T, parts, OBJECT, FIELD_VISIT(r), "parts of the predicted time", .fields = parts_fields, ALWAYS) \
    F(T, copies, LIST, each_copy(visit, *r), "copies and scalings", .item = "operation", .fields = operation_fields, ALWAYS) \
    F(T, analytic, OBJECT, FIELD_VISIT(r), "cache analysis", .fields = analytic_fields, ALWAYS)

#define REASONED(F, T) \
    F(T, kind, TEXT, FIELD_WORD(reasons, r->reason->kind), "kind of the reason", .words = tcplan_words_reasons, ALWAYS) \
    F(T, part, TEXT, part_of(r->reason), "part of the time", .words = tcplan_words_time_parts) \
    F(T, more_seconds, NUMBER, field_if(r->reason->kind != TCPLAN_REASON_LINES, field_number(r->reason->seconds)), \
      "extra time of the slower algorithm", .schema = "\"type\": \"number\"") \
    F(T, text, TEXT, field_owned(explain_sentence(r->report, r->reason)), "a sentence", ALWAYS)

#define EXPLAINED(F, T) \
    F(T, asked, GROUP, FIELD_VISIT(&(struct asked){r->request, &r->explanation->problem}), "the contraction", .fields = asked_fields) \
    F(T, flops, NUMBER, field_number(r->explanation->problem.flops), "operations of the contraction", ALWAYS) \
    F(T, threads, INTEGER, field_integer(r->request->options->threads), "threads", ALWAYS) \
    F(T, predictor, TEXT, FIELD_WORD(predictors, TCPLAN_PREDICT_WINDOW), "predictor", .words = tcplan_words_predictors, ALWAYS) \
    F(T, cache, TEXT, FIELD_WORD(cache_states, r->request->options->cache), "caches before the first call", .words = tcplan_words_cache_states, ALWAYS) \
    F(T, planning, GROUP, FIELD_VISIT(r->request->options), "settings of planning", .fields = planning_fields) \
    F(T, line_bytes, INTEGER, field_integer(r->explanation->machine.line_bytes), "size of a cache line", ALWAYS) \
    F(T, page_bytes, INTEGER, field_integer(r->explanation->page_bytes), "size of a page", ALWAYS) \
    F(T, reliable, FLAG, field_flag(!r->explanation->unreliable), "false: other load disturbed the times, or the parts exceed the whole", ALWAYS) \
    F(T, load, OBJECT, FIELD_VISIT(&r->explanation->load), "load by other programs", .fields = tcplan_load_fields, ALWAYS) \
    F(T, machine, OBJECT, FIELD_VISIT(&r->explanation->machine), "cores and caches", .fields = tcplan_machine_fields, ALWAYS) \
    F(T, algorithms, LIST, FIELD_VISIT_ALL(r->explanation->side_count, &(struct side){.report = r, .side = &r->explanation->side[i], .row = &r->row[i]}), \
      "the algorithms, the faster one first", .item = "algorithm", .fields = side_fields, ALWAYS) \
    F(T, reasons, LIST, FIELD_VISIT_ALL(r->explanation->reason_count, &(struct reasoned){r, &r->explanation->reason[i]}), \
      "reasons", .item = "reason", .fields = reasoned_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(operand, side, OPERAND);
FIELD_TABLE(class, side, CLASS);
FIELD_TABLE(operation, side, OPERATION);
FIELD_TABLE(predicted, side, PREDICTED);
FIELD_TABLE(estimated, side, ESTIMATED);
FIELD_TABLE(measured, side, MEASURED);
FIELD_TABLE(parts, side, PARTS);
FIELD_TABLE(analytic, side, ANALYTIC);
FIELD_TABLE(side, side, SIDE);
FIELD_TABLE(reasoned, reasoned, REASONED);
FIELD_TABLE(explained, explained_report, EXPLAINED);

/* Text. */

enum { SENTENCE_WIDTH = 96, MARGIN = 3 };

static void print_head(struct writer *writer, const struct explained_report *report) {
    const struct options *options = report->request->options;
    format_text_problem(writer, &report->explanation->problem);
    format_text_machine(writer, &report->explanation->machine);
    fprintf(writer->file, "prediction   window, %s cache, %s\n",
            tcplan_word(tcplan_words_cache_states, options->cache),
            counted(options->threads, "thread").text);
}

/** A line of the table: a label, and for winner and loser each a value, its share of the time, and
 * its source. */
struct line {
    const struct explained_report *report;
    const char *label, *source;
    struct field_value (*text)(const struct tcplan_explained *side); /* returns the value; NULL: the
                                                                        line is a part of the time
                                                                      */
    enum tcplan_part part;
};

static const char *source_word(enum tcplan_time_source source) {
    const char *word = tcplan_word(tcplan_words_time_sources, (int)source);
    return *word ? word : "-";
}

static double alone_seconds(const struct tcplan_explained *side) {
    return side->kernel_seconds / ((double)side->calls * side->share);
}

/** With parallel loops, the parts are those of the thread with the most calls. */
static struct field_value calls_text(const struct tcplan_explained *side) {
    if (side->share == 1) return field_printed("%lld", (long long)side->calls);
    return field_printed("%lld, %.0f a thread", (long long)side->calls,
                         (double)side->calls * side->share);
}

static struct field_value place_text(const struct tcplan_explained *side) {
    return side->pruned ? field_text("not predicted")
                        : field_printed("%zu%s", side->place + 1,
                                        side->tied && side->place > 0 ? ", tied" : "");
}

/** Defines a function that returns a value of `side`, the winner or loser. */
#define VALUE(name, ...)                                                                           \
    static struct field_value name(const struct tcplan_explained *side) {                          \
        return field_printed(__VA_ARGS__);                                                         \
    }
#define SECONDS(name, value) VALUE(name, "%s", explain_seconds(value).text)

SECONDS(time_text, side->prediction.seconds)
SECONDS(low_text, side->prediction.low)
SECONDS(high_text, side->prediction.high)
VALUE(estimate_text, "%s",
      isfinite(side->estimate_seconds) ? explain_seconds(side->estimate_seconds).text : "-")
VALUE(kernel_source_text, "%s", source_word(side->kernel_source))
VALUE(copy_source_text, "%s", source_word(side->copy_source))
SECONDS(all_alone_text, side->kernel_seconds)
SECONDS(sampled_text, side->sampled_seconds)
VALUE(scale_text, "%.4g", side->scale)
SECONDS(call_text, side->call_seconds)
SECONDS(alone_text, alone_seconds(side))
VALUE(smallest_text, "%s",
      side->smallest_call_seconds > 0 ? explain_seconds(side->smallest_call_seconds).text : "-")
VALUE(speed_text, "%.4g GFLOP/s", side->kernel_gflops)

static void each_line(const void *record, struct field_visit *visit) {
    static const struct line lines[] = {
        {NULL, "rank", "the ranking", place_text, 0},
        {NULL, "predicted time", "the ranking", time_text, 0},
        {NULL, "  lower end", "95 % interval", low_text, 0},
        {NULL, "  upper end", "95 % interval", high_text, 0},
        {NULL, "  sampled here", "time of stretches of calls, timed here for the parts",
         sampled_text, 0},
        {NULL, "estimated time", "before any timing", estimate_text, 0},
        {NULL, "  its kernel", "source of the kernel time", kernel_source_text, 0},
        {NULL, "  its copies", "source of the copy times", copy_source_text, 0},
        {NULL, "kernel calls", "counted", calls_text, 0},
        {NULL, "time of a call", "predicted time, including loops", call_text, 0},
        {NULL, "  alone", "measured: same operands repeatedly", alone_text, 0},
        {NULL, "  smallest", "measured: same operands, all extents 1", smallest_text, 0},
        {NULL, "all calls alone", "measured: time of a call alone, times the calls", all_alone_text,
         0},
        {NULL, "speed of the kernel alone", "measured", speed_text, 0},
        {NULL, "scale of the parts", "predicted over sampled time", scale_text, 0},
        {NULL, NULL, "smallest call times the calls, scaled", NULL, TCPLAN_PART_OVERHEAD},
        {NULL, NULL, "all calls alone, scaled, minus overhead", NULL, TCPLAN_PART_KERNEL},
        {NULL, NULL, "measured, see below", NULL, TCPLAN_PART_COPIES},
        {NULL, NULL, "the rest of the predicted time", NULL, TCPLAN_PART_WAITING}};
    for (size_t l = 0; l < sizeof lines / sizeof *lines; l++) {
        struct line line = lines[l];
        line.report = record;
        if (!line.text) line.label = tcplan_word(tcplan_words_time_parts, (int)line.part);
        FIELD_VISIT(&line);
    }
}

/** Returns the number of columns: for winner and loser, each a value and its share of the time. */
static int side_columns(const void *record) {
    return 2 * ((const struct explained_report *)record)->explanation->side_count;
}

static struct field_value side_heading(const void *record, int of) {
    const struct explained_report *report = record;
    return field_word(of % 2 ? "share" : report->row[of / 2].name);
}

static struct field_value side_value(const void *record, int of) {
    const struct line *line = record;
    const struct tcplan_explained *side = &line->report->explanation->side[of / 2];
    const double seconds = side->part_seconds[line->part];
    if (line->text) return of % 2 ? field_word("") : line->text(side);
    return of % 2 ? field_printed("%.1f %%", 100 * seconds / side->prediction.seconds)
                  : field_printed("%s", explain_seconds(seconds).text);
}

static const struct field_spread sides = {side_columns, side_heading, side_value};

/* clang-format off */

#define LINE(F, T) \
    F(T, label, TEXT, field_text(r->label), "quantity", COLUMN(1, "")) \
    F(T, sides, TEXT, field_unknown(), "value and share", COLUMN(2, ""), .right = true, .spread = &sides) \
    F(T, source, TEXT, field_text(r->source), "source", COLUMN(3, "from"), .optional = '3')

#define SHOWN_OPERAND(F, T) \
    F(T, margin, TEXT, field_word("  "), "margin", COLUMN(1, "  ")) \
    F(T, operand, TEXT, field_owned(explain_slice_text(r->report, r->side, r->operand->slice)), "slice", COLUMN(2, "operand")) \
    F(T, bytes, INTEGER, field_integer(r->operand->bytes), "size", COLUMN(3, "bytes"), .format = FIELD_BYTES) \
    F(T, distance, TEXT, field_printed("%s", r->operand->never ? "never" : quantity_bytes(r->operand->distance_bytes).text), "distance", \
      COLUMN(4, "touched since"), .right = true, .optional = '3') \
    F(T, found, TEXT, LEVEL(level), "cache level before the call", COLUMN(5, "found in")) \
    F(T, prefetched, TEXT, r->operand->prefetched ? field_printed("into %s", LEVEL_TEXT(prefetch_level)) : field_word("no"), "target of prefetches", \
      COLUMN(6, "prefetched"), .optional = '1') \
    F(T, lines, TEXT, field_printed("%s", explain_number(r->operand->lines).text), "cache lines", COLUMN(7, "lines"), .right = true, .optional = '2') \
    F(T, pages, TEXT, field_printed("%s", explain_number(r->operand->pages).text), "pages", COLUMN(8, "pages"), .right = true, .optional = '4') \
    F(T, used, TEXT, field_printed("%.3g %%", 100 * r->operand->used_share), "needed share", COLUMN(9, "bytes used"), .right = true, .optional = '5')

/* clang-format on */

#define LEVEL_TEXT(member) explain_level(&r->report->explanation->machine, r->operand->member).text
#define LEVEL(member) field_printed("%s", LEVEL_TEXT(member))

FIELD_TABLE(line, line, LINE);
FIELD_TABLE(shown_operand, side, SHOWN_OPERAND);

/* Each side. */

static void print_operands(struct writer *writer, const struct explained_report *report,
                           const struct tcplan_explained *side) {
    fprintf(writer->file, "    a steady call, analytic, lines of %lld bytes:\n",
            (long long)report->explanation->machine.line_bytes);
    fields_print_list(writer,
                      &(struct field){.fields = shown_operand_fields,
                                      .each = field_named(analytic_fields, "operands")->each},
                      &(struct side){.report = report, .side = side});
}

static void print_copies(struct writer *writer, const struct explained_report *report,
                         const struct tcplan_explained *side) {
    struct table table = {.columns = "llrrrl", .headless = true};
    if (side->copy_count == 0) return;
    for (int c = 0; c < side->copy_count; c++) {
        const struct tcplan_explained_copy *copy = &side->copy[c];
        table_add(&table, "  ");
        table_add_owned(&table, explain_copy_text(report, side, copy));
        table_add(&table, "%.0f times", copy->times);
        table_add(&table, "%s", explain_seconds(copy->seconds).text);
        table_add(&table, "%.1f %%", 100 * copy->seconds / side->prediction.seconds);
        table_add(&table, "%s", copy->apart ? "actual" : "in cache");
    }
    fputs("    copies and scalings, measured:\n", writer->file);
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

static void print_classes(struct writer *writer, const struct row *row,
                          const struct tcplan_explained *side) {
    fputs("    calls, counted: ", writer->file);
    for (int c = 0; c < side->class_count; c++) {
        const struct tcplan_explained_class *call_class = &side->call_class[c];
        fprintf(writer->file, "%s%s", c > 0 ? ", " : "",
                tcplan_word(tcplan_words_classes, (int)call_class->kind));
        for (int l = call_class->loop; l >= 0 && l < row->loop_count; l++) {
            fprintf(writer->file, "%s%s", l == call_class->loop ? " of " : "+", row->loop[l]);
        }
        fprintf(writer->file, " %lld (%.3g %%)", (long long)call_class->calls,
                100 * (double)call_class->calls / (double)side->calls);
    }
    fputs("\n", writer->file);
}

static void print_side(struct writer *writer, const struct explained_report *report, int number) {
    const struct tcplan_explained *side = &report->explanation->side[number];
    fprintf(writer->file, "\n%s\n", report->row[number].name);
    writer_print_nest(writer, &report->row[number], &report->explanation->problem);
    print_operands(writer, report, side);
    print_copies(writer, report, side);
    print_classes(writer, &report->row[number], side);
}

/**
 * Prints a sentence with line breaks between words, and frees it.
 *
 * @param sentence  NULL means that memory ran out
 */
static void print_sentence(struct writer *writer, char *sentence) {
    const char *text = sentence ? sentence : "";
    const size_t columns = terminal_of(writer->file).columns;
    const size_t room =
        columns > MARGIN && columns - MARGIN < SENTENCE_WIDTH ? columns - MARGIN : SENTENCE_WIDTH;
    size_t column = 0;
    fputs("  -", writer->file);
    while (*text) {
        const size_t length = strcspn(text, " ");
        if (column > 0 && column + length + 1 > room) {
            fputs("\n   ", writer->file);
            column = 0;
        }
        fprintf(writer->file, " %.*s", (int)length, text);
        column += length + 1;
        text += length + (text[length] == ' ');
    }
    fputs("\n", writer->file);
    if (!sentence) writer->no_memory = true;
    free(sentence);
}

/** Prints a sentence if the sampled times of the winner's parts are outside the 95 % interval of
 * its total time. */
static void print_deviation(struct writer *writer, const struct explained_report *report) {
    const struct tcplan_explained *winner = &report->explanation->side[TCPLAN_WINNER];
    const struct tcplan_estimate *whole = &winner->prediction;
    struct strbuf out = {0};
    if (winner->sampled_seconds >= whole->low && winner->sampled_seconds <= whole->high) return;
    strbuf_add(
        &out,
        "The parts of %s were sampled at %s, outside the 95 %% interval of its time, %s to %s: they "
        "are scaled to %s.",
        report->row[TCPLAN_WINNER].name, explain_seconds(winner->sampled_seconds).text,
        explain_seconds(whole->low).text, explain_seconds(whole->high).text,
        explain_seconds(whole->seconds).text);
    print_sentence(writer, strbuf_finish(&out));
}

static void print_reasons(struct writer *writer, const struct explained_report *report) {
    const struct tcplan_explanation *explanation = report->explanation;
    if (explanation->side_count == 1) {
        fprintf(writer->file,
                "\n%s is the only algorithm that can run; there is no other to compare it with.\n",
                report->row[0].name);
        return;
    }
    fprintf(writer->file, "\nWhy %s and not %s:\n", report->row[TCPLAN_WINNER].name,
            report->row[TCPLAN_LOSER].name);
    for (int r = 0; r < explanation->reason_count; r++)
        print_sentence(writer, explain_sentence(report, &explanation->reason[r]));
    print_deviation(writer, report);
}

/** Prints a warning about measurements. It comes first, because it affects all numbers. */
static void print_reliability(struct writer *writer, const struct tcplan_explanation *explanation) {
    char load[REPORT_LOAD_CHARS];
    if (!explanation->unreliable) return;
    fprintf(writer->file, "unreliable   %s, and parts may not add up\n",
            report_load_warning(load, &explanation->load));
}

static void explain_print(struct writer *writer, const void *record) {
    const struct explained_report *report = record;
    print_reliability(writer, report->explanation);
    print_head(writer, report);
    fputs("\n", writer->file);
    fields_print_list(writer, &(struct field){.fields = line_fields, .each = each_line}, report);
    for (int s = 0; s < report->explanation->side_count; s++) print_side(writer, report, s);
    print_reasons(writer, report);
}

VIEW(explained, explained, "explanation", explain_print,
     "Reasons why an algorithm is faster than another.");
