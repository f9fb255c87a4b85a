#include "cli/render/algorithms/ranking_fields.h"
#include "cli/render/algorithms/turns.h"
#include "cli/render/document.h"

/** How many of the estimates have their kernels' times from where. */
static void write_time_sources(struct document *document, const struct tcplan_ranking *ranking) {
    size_t count[TCPLAN_TIME_SOURCES];
    if (!ranking->is_untimed || tcplan_ranking_time_sources(ranking, count) == 0) return;
    document->kind->object(document, "kernel_times");
    for (int s = TCPLAN_TIME_NONE + 1; s < TCPLAN_TIME_SOURCES; s++) {
        if (count[s] > 0)
            document->kind->integer(document, tcplan_word(tcplan_words_time_sources, s),
                                    (int64_t)count[s]);
    }
    document->kind->end(document);
}

/** Where the time of planning went; stages that took none are left out. */
static void write_planning(struct document *document, const struct tcplan_ranking *ranking) {
    const struct document_kind *kind = document->kind;
    kind->list(document, "planning");
    for (int s = 0; s < TCPLAN_PLANNING_STAGES; s++) {
        const struct tcplan_planning_part *part = &ranking->part[s];
        if (!(part->seconds > 0)) continue;
        kind->object(document, "part");
        kind->text(document, "stage", tcplan_word(tcplan_words_planning_stages, s));
        kind->number(document, "seconds", part->seconds);
        kind->number(document, "cpu_seconds", part->cpu_seconds);
        kind->integer(document, "steps", part->steps);
        kind->end(document);
    }
    kind->end(document);
}

static void write_settings(struct document *document, const struct report *report) {
    const struct ranked whole = {.report = report};
    fields_document(document, ranking_fields, RANKING_SETTINGS, &whole);
    document_planning(document, report->request->options);
    fields_document(document, ranking_fields, RANKING_COUNTS, &whole);
    document_load(document, &report->ranking->load); /* last: an element of XML, which takes no
                                                        attributes once it has elements */
    write_planning(document, report->ranking);
    write_time_sources(document, report->ranking);
}

/** What the answer is compared with. */
static void write_baseline(struct document *document, const struct report *report) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_problem *problem = &report->ranking->problem;
    const struct report_baseline baseline = report_baseline(report);
    if (!baseline.entry) return;
    kind->object(document, "baseline");
    document_text_owned(
        document, "name",
        tcplan_algorithm_name(&baseline.entry->algorithm, problem->contraction, problem->dtype));
    kind->number(document, "predicted_seconds", baseline.entry->prediction.seconds);
    if (baseline.entry->basis != TCPLAN_BASIS_ESTIMATE || report->ranking->is_untimed) {
        kind->number(document, "predicted_low", baseline.entry->prediction.low);
        kind->number(document, "predicted_high", baseline.entry->prediction.high);
    }
    if (baseline.entry->basis == TCPLAN_BASIS_ESTIMATE)
        kind->text(document, "basis", tcplan_word(tcplan_words_bases, baseline.entry->basis));
    kind->boolean(document, "compared", baseline.speedup > 0);
    if (baseline.entry->status == TCPLAN_ENTRY_MEASURED)
        kind->number(document, "measured_seconds", baseline.entry->measured.seconds);
    if (baseline.speedup > 0) kind->number(document, "speedup", baseline.speedup);
    kind->end(document);
}

static void write_entry(struct document *document, const struct report *report,
                        const struct tcplan_entry *entry) {
    struct ranked ranked;
    if (!ranked_make(&ranked, report, entry)) {
        document->writer->no_memory = true;
        return;
    }
    document->kind->object(document, "algorithm");
    fields_document(document, ranking_fields, RANKING_ROW, &ranked);
    document->kind->end(document);
    ranked_free(&ranked);
}

void document_report(struct writer *writer, const struct report *report) {
    struct document *document = writer->document;
    if (!document) return;
    if (writer->written == 0 && writer->points > 1) document->kind->list(document, "rankings");
    document_open(document, "ranking");
    document_contraction(document, report->request, &report->ranking->problem);
    write_settings(document, report);
    write_baseline(document, report);
    document_machine(document, &report->request->machine);
    document_blas(document, &report->blas);
    document->kind->list(document, "algorithms");
    for (size_t e = 0; e < report->ranking->entry_count; e++) {
        if (report_lists(report, e)) write_entry(document, report, &report->ranking->entry[e]);
    }
    document->kind->end(document);
    const struct in_turns turns = {report->turns, &report->ranking->problem};
    if (report->turns) fields_document(document, in_turns_fields, 0, &turns);
    document->kind->end(document);
}
