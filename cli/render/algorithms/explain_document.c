#include <math.h>
#include <stdlib.h>

#include "base/quantity.h"
#include "cli/render/algorithms/explain.h"
#include "cli/render/document.h"

static void write_operand(struct document *document, const struct explained_report *report,
                          const struct tcplan_explained *side,
                          const struct tcplan_explained_operand *operand) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_machine *machine = &report->explanation->machine;
    kind->object(document, "operand");
    document_text_owned(document, "slice", explain_slice_text(report, side, operand->slice));
    kind->integer(document, "bytes", operand->bytes);
    kind->number(document, "distance_bytes", operand->distance_bytes);
    kind->text(document, "found_in", explain_level(machine, operand->level).text);
    kind->boolean(document, "prefetched", operand->prefetched);
    if (operand->prefetched)
        kind->text(document, "prefetched_into",
                   explain_level(machine, operand->prefetch_level).text);
    kind->number(document, "lines_per_call", operand->lines);
    kind->number(document, "pages_per_call", operand->pages);
    kind->number(document, "used_share", operand->used_share);
    kind->number(document, "total_traffic_bytes", operand->total_traffic_bytes);
    kind->end(document);
}

static void write_copy(struct document *document, const struct explained_report *report,
                       const struct tcplan_explained *side,
                       const struct tcplan_explained_copy *copy) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "operation");
    kind->text(document, "kind", tcplan_word(tcplan_words_parts, (int)copy->kind));
    document_text_owned(document, "text", explain_copy_text(report, side, copy));
    kind->number(document, "times", copy->times);
    kind->number(document, "seconds", copy->seconds);
    kind->text(document, "place", copy->apart ? "where it stands" : "in cache");
    kind->end(document);
}

static void write_class(struct document *document, const struct row *row,
                        const struct tcplan_explained_class *call_class) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "class");
    kind->text(document, "kind", tcplan_word(tcplan_words_classes, (int)call_class->kind));
    if (call_class->loop >= 0)
        kind->texts(document, "loops", row->loop + call_class->loop,
                    row->loop_count - call_class->loop);
    kind->integer(document, "calls", call_class->calls);
    kind->end(document);
}

/** Numbers by where they are from. */
static void write_times(struct document *document, const struct tcplan_explained *side) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "predicted");
    kind->number(document, "seconds", side->prediction.seconds);
    kind->number(document, "low", side->prediction.low);
    kind->number(document, "high", side->prediction.high);
    kind->number(document, "stretch_seconds", side->stretch_seconds);
    kind->number(document, "call_seconds", side->call_seconds);
    kind->end(document);
    if (isfinite(side->estimate_seconds)) {
        kind->object(document, "estimated");
        kind->number(document, "seconds", side->estimate_seconds);
        if (side->kernel_source != TCPLAN_TIME_NONE)
            kind->text(document, "kernel_time",
                       tcplan_word(tcplan_words_time_sources, (int)side->kernel_source));
        if (side->copy_source != TCPLAN_TIME_NONE)
            kind->text(document, "copy_time",
                       tcplan_word(tcplan_words_time_sources, (int)side->copy_source));
        kind->end(document);
    }
    kind->object(document, "measured");
    kind->number(document, "kernel_seconds", side->kernel_seconds);
    kind->number(document, "kernel_gflops", side->kernel_gflops);
    kind->number(document, "smallest_call_seconds", side->smallest_call_seconds);
    kind->end(document);
    kind->object(document, "parts");
    kind->number(document, "overhead_seconds", side->part_seconds[TCPLAN_PART_OVERHEAD]);
    kind->number(document, "kernel_seconds", side->part_seconds[TCPLAN_PART_KERNEL]);
    kind->number(document, "copies_seconds", side->part_seconds[TCPLAN_PART_COPIES]);
    kind->number(document, "waiting_seconds", side->part_seconds[TCPLAN_PART_WAITING]);
    kind->end(document);
}

static void write_analysis(struct document *document, const struct explained_report *report,
                           int number) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_explained *side = &report->explanation->side[number];
    kind->object(document, "analytic");
    kind->list(document, "operands");
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        write_operand(document, report, side, &side->operand[t]);
    kind->end(document);
    kind->list(document, "classes");
    for (int c = 0; c < side->class_count; c++)
        write_class(document, &report->row[number], &side->call_class[c]);
    kind->end(document);
    kind->end(document);
}

static void write_side(struct document *document, const struct explained_report *report,
                       int number) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_explained *side = &report->explanation->side[number];
    const struct row *row = &report->row[number];
    kind->object(document, "algorithm");
    kind->text(document, "name", row->name);
    kind->text(document, "kernel", row->kernel);
    kind->text(document, "provider", row->provider);
    kind->texts(document, "loops", row->loop, row->loop_count);
    if (!side->pruned) kind->integer(document, "rank", (int64_t)side->place + 1);
    kind->boolean(document, "tied", side->tied);
    kind->integer(document, "calls", side->calls);
    kind->nest(document, row, &report->explanation->problem);
    write_times(document, side);
    kind->list(document, "copies");
    for (int c = 0; c < side->copy_count; c++) write_copy(document, report, side, &side->copy[c]);
    kind->end(document);
    write_analysis(document, report, number);
    kind->end(document);
}

static void write_reason(struct document *document, const struct explained_report *report,
                         const struct tcplan_reason *reason) {
    const struct document_kind *kind = document->kind;
    const bool of_part = reason->kind == TCPLAN_REASON_PART || reason->kind == TCPLAN_REASON_AHEAD;
    kind->object(document, "reason");
    kind->text(document, "kind", tcplan_word(tcplan_words_reasons, (int)reason->kind));
    if (of_part)
        kind->text(document, "part", tcplan_word(tcplan_words_time_parts, (int)reason->part));
    if (reason->kind != TCPLAN_REASON_LINES)
        kind->number(document, "more_seconds", reason->seconds);
    document_text_owned(document, "text", explain_sentence(report, reason));
    kind->end(document);
}

void document_explain(struct writer *writer, const struct explained_report *report) {
    struct document *document = writer->document;
    if (!document) return;
    const struct document_kind *kind = document->kind;
    const struct tcplan_explanation *explanation = report->explanation;
    document_open(document, "explanation");
    document_contraction(document, report->request, &explanation->problem);
    kind->number(document, "flops", explanation->problem.flops);
    kind->integer(document, "threads", report->request->options->threads);
    kind->text(document, "predictor", tcplan_word(tcplan_words_predictors, TCPLAN_PREDICT_WINDOW));
    kind->text(document, "cache",
               tcplan_word(tcplan_words_cache_states, report->request->options->cache));
    document_planning(document, report->request->options);
    kind->integer(document, "line_bytes", explanation->machine.line_bytes);
    kind->integer(document, "page_bytes", explanation->page_bytes);
    kind->boolean(document, "reliable", !explanation->unreliable);
    document_load(document, &explanation->load);
    document_machine(document, &explanation->machine);
    kind->list(document, "algorithms");
    for (int s = 0; s < explanation->side_count; s++) write_side(document, report, s);
    kind->end(document);
    kind->list(document, "reasons");
    for (int r = 0; r < explanation->reason_count; r++)
        write_reason(document, report, &explanation->reason[r]);
    kind->end(document);
    kind->end(document);
}
