#include <math.h>
#include <string.h>

#include "cli/render/algorithms/explain.h"
#include "cli/render/common_fields.h"

/** A side of an explanation, or a part of it. */
struct side {
    const struct explained_report *report;
    const struct tcplan_explained *side;
    const struct row *row;
    const struct tcplan_explained_operand *operand;
    const struct tcplan_explained_copy *copy;
    const struct tcplan_explained_class *call_class;
};

static void each_side(struct field_visit *visit, const struct explained_report *report) {
    for (int s = 0; s < report->explanation->side_count; s++)
        FIELD_VISIT(&(struct side){
            .report = report, .side = &report->explanation->side[s], .row = &report->row[s]});
}

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

/** A cache level by its index. */
static struct field_value level(const struct side *r, int place) {
    return field_owned(strdup(explain_level(&r->report->explanation->machine, place).text));
}

static void write_nest(struct document *document, const void *record) {
    const struct side *side = record;
    document->kind->nest(document, side->row, &side->report->explanation->problem);
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
    F(T, distance_bytes, NUMBER, field_number(r->operand->distance_bytes), "bytes accessed since its last access; absent: first access") \
    F(T, found_in, TEXT, level(r, r->operand->level), "its level before a call: L1 and so on, or memory", ALWAYS) \
    F(T, prefetched, FLAG, field_flag(r->operand->prefetched), "whether hardware prefetches it", ALWAYS) \
    F(T, prefetched_into, TEXT, r->operand->prefetched ? level(r, r->operand->prefetch_level) : field_unknown(), "target of prefetches") \
    F(T, lines_per_call, NUMBER, field_number(r->operand->lines), "cache lines that a call accesses", ALWAYS) \
    F(T, pages_per_call, NUMBER, field_number(r->operand->pages), "pages that a call accesses", ALWAYS) \
    F(T, used_share, NUMBER, field_number(r->operand->used_share), "share of its cache lines that a call needs", ALWAYS) \
    F(T, total_traffic_bytes, NUMBER, field_number(r->operand->total_traffic_bytes), "bytes of the lines of all calls", ALWAYS)

#define CLASS(F, T) \
    F(T, kind, TEXT, FIELD_WORD(classes, r->call_class->kind), "kind of the calls", .words = tcplan_words_classes, ALWAYS) \
    F(T, loops, NAMES, loops_of(r), "loops in their first iteration") \
    F(T, calls, INTEGER, field_integer(r->call_class->calls), "number of calls", ALWAYS)

#define OPERATION(F, T) \
    F(T, kind, TEXT, FIELD_WORD(parts, r->copy->kind), "copy or scaling", .words = tcplan_words_parts, ALWAYS) \
    F(T, text, TEXT, field_owned(explain_copy_text(r->report, r->side, r->copy)), "copied or scaled slice", ALWAYS) \
    F(T, times, NUMBER, field_number(r->copy->times), "number of executions", ALWAYS) \
    F(T, seconds, NUMBER, field_number(r->copy->seconds), "total time", ALWAYS) \
    F(T, place, TEXT, field_text(r->copy->apart ? "where it stands" : "in cache"), "cache state of the measurement", \
      .schema = "\"enum\": [\"where it stands\", \"in cache\"]", ALWAYS)

#define PREDICTED(F, T) \
    F(T, seconds, NUMBER, field_number(PREDICTION.seconds), "predicted time", ALWAYS) \
    F(T, low, NUMBER, field_number(PREDICTION.low), "lower end of its 95 % interval", ALWAYS) \
    F(T, high, NUMBER, field_number(PREDICTION.high), "upper end of the interval", ALWAYS) \
    F(T, stretch_seconds, NUMBER, field_number(r->side->stretch_seconds), "time of the timed stretch of calls", ALWAYS) \
    F(T, call_seconds, NUMBER, field_number(r->side->call_seconds), "time of a call, including its loops", ALWAYS)

#define ESTIMATED(F, T) \
    F(T, seconds, NUMBER, field_number(r->side->estimate_seconds), "estimated time", ALWAYS) \
    F(T, kernel_time, TEXT, FIELD_WORD(time_sources, r->side->kernel_source), "source of the kernel time", .words = tcplan_words_time_sources) \
    F(T, copy_time, TEXT, FIELD_WORD(time_sources, r->side->copy_source), "source of the copy times", .words = tcplan_words_time_sources)

#define MEASURED(F, T) \
    F(T, kernel_seconds, NUMBER, field_number(r->side->kernel_seconds), "time of all calls, each on the same operands", ALWAYS) \
    F(T, kernel_gflops, NUMBER, field_number(r->side->kernel_gflops), "speed of the kernel in these calls", ALWAYS) \
    F(T, smallest_call_seconds, NUMBER, field_number(r->side->smallest_call_seconds), "time of a call with all extents 1", ALWAYS)

#define PARTS(F, T) \
    F(T, overhead_seconds, NUMBER, PART(OVERHEAD), "overhead of calls", ALWAYS) \
    F(T, kernel_seconds, NUMBER, PART(KERNEL), "kernels on operands in cache", ALWAYS) \
    F(T, copies_seconds, NUMBER, PART(COPIES), "copies and scalings", ALWAYS) \
    F(T, waiting_seconds, NUMBER, PART(WAITING), "the rest: waiting for operands, and loops", ALWAYS)

#define ANALYTIC(F, T) \
    F(T, operands, LIST, each_operand(visit, *r), "operands of a steady call", .item = "operand", .fields = operand_fields, ALWAYS) \
    F(T, classes, LIST, each_class(visit, *r), "classes of calls", .item = "class", .fields = class_fields, ALWAYS)

#define SIDE(F, T) \
    F(T, name, TEXT, field_text(r->row->name), "name of the algorithm", ALWAYS) \
    F(T, kernel, TEXT, field_text(r->row->kernel), "name of its kernel, as dgemm", ALWAYS) \
    F(T, provider, TEXT, field_text(r->row->provider), "library of the kernel", ALWAYS) \
    F(T, loops, NAMES, field_names(r->row->loop, r->row->loop_count), "loops from the outside in, as c or a:8", ALWAYS) \
    F(T, rank, INTEGER, field_if(!r->side->pruned, field_integer((int64_t)r->side->place + 1)), "rank; absent: ruled out by a lower bound") \
    F(T, tied, FLAG, field_flag(r->side->tied), "whether it is as fast as the fastest", ALWAYS) \
    F(T, calls, INTEGER, field_integer(r->side->calls), "calls of the kernel", ALWAYS) \
    F(T, nest, TEXT, field_word(""), "its loop nest", .write = write_nest, ALWAYS) \
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
    F(T, algorithms, LIST, each_side(visit, r), "the algorithms, the faster one first", .item = "algorithm", .fields = side_fields, ALWAYS) \
    F(T, reasons, LIST, for (int e = 0; e < r->explanation->reason_count; e++) FIELD_VISIT(&(struct reasoned){r, &r->explanation->reason[e]}), \
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

VIEW(explained, explained, "explanation", explain_print,
     "Reasons why an algorithm is faster than another.");
