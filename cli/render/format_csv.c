#include <stdlib.h>

#include "cli/render/algorithms/ranking_fields.h"
#include "cli/render/format.h"
#include "cli/render/roofs/ceilings.h"
#include "cli/render/text/csv_line.h"
#include "cli/render/view.h"

static void print_line(struct writer *writer, struct csv_line *line) {
    if (!csv_print(line, writer->file)) writer->no_memory = true;
}

static void print_report_header(struct writer *writer,
                                const struct tcplan_contraction *contraction) {
    struct csv_line line = {0};
    fields_csv_headings(&line, ranking_fields);
    for (int i = 0; i < contraction->index_count; i++)
        strbuf_add(&line.text, ",extent_%s", contraction->index[i].name);
    print_line(writer, &line);
}

static void print_entry(struct writer *writer, const struct report *report,
                        const struct tcplan_entry *entry) {
    const struct tcplan_problem *problem = &report->ranking->problem;
    struct csv_line line = {0};
    struct ranked ranked;
    if (!ranked_make(&ranked, report, entry)) {
        writer->no_memory = true;
        return;
    }
    fields_csv(&line, ranking_fields, &ranked);
    for (int i = 0; i < problem->contraction->index_count; i++)
        csv_add_integer(&line, problem->extent[i]);
    print_line(writer, &line);
    ranked_free(&ranked);
}

static void print_report(struct writer *writer, const struct report *report) {
    if (writer->written == 0) print_report_header(writer, report->request->contraction);
    for (size_t e = 0; e < report->ranking->entry_count; e++) {
        if (report_lists(report, e)) print_entry(writer, report, &report->ranking->entry[e]);
    }
}

const struct format format_csv = {
    .view = view_csv, .report = print_report, .roofline = ceilings_print_csv};
