#include <stdlib.h>

#include "cli/render/format.h"
#include "cli/render/roofs/ceilings.h"
#include "cli/render/roofs/tuning.h"
#include "cli/render/text/csv_line.h"

/** Takes over the text. */
static void add_owned(struct writer *writer, struct csv_line *line, char *text) {
    csv_add_text(line, text ? text : "");
    writer->no_memory = writer->no_memory || !text;
    free(text);
}

static void print_line(struct writer *writer, struct csv_line *line) {
    if (!csv_print(line, writer->file)) writer->no_memory = true;
}

/** "A@i B@": operands and, behind the @, the loop that carries the copy. */
static void add_copies(struct csv_line *line, const struct row *row) {
    csv_add_text(line, "");
    for (int c = 0; c < row->copy_count; c++) {
        strbuf_add(&line->text, "%s%s@%s", c > 0 ? " " : "", row->copy[c].operand,
                   row->copy[c].inside ? row->copy[c].inside : "");
    }
}

static void print_report_header(struct writer *writer,
                                const struct tcplan_contraction *contraction) {
    struct csv_line line = {0};
    strbuf_add(
        &line.text,
        "contraction,sizes,dtype,order,threads,predictor,cache,rank,name,kernel,loops,copies,status,calls,predicted_seconds,"
        "predicted_low,predicted_high,lower_bound_seconds,predicted_gflops,tied,measured_seconds,measured_gflops,samples,"
        "flops,gemm_gflops,provider,strides,limit_seconds,chosen");
    for (int i = 0; i < contraction->index_count; i++)
        strbuf_add(&line.text, ",extent_%s", contraction->index[i].name);
    print_line(writer, &line);
}

static void add_settings(struct writer *writer, struct csv_line *line, const struct report *report,
                         const struct tcplan_entry *entry) {
    const struct options *options = report->request->options;
    add_owned(writer, line, tcplan_contraction_text(report->request->contraction));
    add_owned(writer, line, report_sizes(&report->ranking->problem));
    csv_add_text(line, tcplan_word(tcplan_words_dtypes, options->dtype));
    csv_add_text(line, tcplan_word(tcplan_words_orders, options->order));
    csv_add_integer(line, entry->threads);
    csv_add_text(line, tcplan_word(tcplan_words_predictors, options->predictor));
    csv_add_text(line, tcplan_word(tcplan_words_cache_states, options->cache));
}

static void add_times(struct csv_line *line, const struct report *report,
                      const struct tcplan_entry *entry) {
    const bool measured = entry->status == TCPLAN_ENTRY_MEASURED;
    const struct tcplan_estimate *estimate = report_estimate(entry);
    const bool has_interval =
        entry->predicted && (entry->basis != TCPLAN_BASIS_ESTIMATE || report->ranking->is_untimed);
    csv_add_integer(line, entry->calls);
    csv_add_number(line, entry->predicted, entry->prediction.seconds);
    csv_add_number(line, has_interval, entry->prediction.low);
    csv_add_number(line, has_interval, entry->prediction.high);
    csv_add_number(line, entry->lower_bound_seconds > 0, entry->lower_bound_seconds);
    csv_add_number(line, entry->predicted, report_gflops(report, entry->prediction.seconds));
    csv_add_text(line, !entry->predicted ? "" : entry->tied ? "true" : "false");
    csv_add_number(line, measured, entry->measured.seconds);
    csv_add_number(line, measured, report_gflops(report, entry->measured.seconds));
    csv_add_number(line, estimate != NULL, estimate ? estimate->sample_count : 0);
}

static void add_problem(struct writer *writer, struct csv_line *line, const struct report *report,
                        const struct tcplan_entry *entry, const struct row *row) {
    const struct tcplan_problem *problem = &report->ranking->problem;
    csv_add_number(line, true, problem->flops);
    csv_add_number(line, true, report->ranking->gemm_gflops);
    csv_add_text(line, row->provider);
    add_owned(writer, line, tcplan_strides_text(problem->contraction));
    csv_add_number(line, report->limit_seconds > 0, report->limit_seconds);
    csv_add_text(line, report_is_chosen(report, entry) ? "true" : "false");
    for (int i = 0; i < problem->contraction->index_count; i++)
        csv_add_integer(line, problem->extent[i]);
}

static void print_entry(struct writer *writer, const struct report *report, size_t position) {
    const struct tcplan_entry *entry = &report->ranking->entry[position];
    struct csv_line line = {0};
    struct row row;
    if (!row_make(&row, &entry->algorithm, report->request->contraction,
                  report->ranking->problem.dtype)) {
        writer->no_memory = true;
        return;
    }
    add_settings(writer, &line, report, entry);
    csv_add_integer(&line, (int64_t)position + 1);
    csv_add_text(&line, row.name);
    csv_add_text(&line, row.kernel);
    csv_add_names(&line, row.loop, row.loop_count);
    add_copies(&line, &row);
    csv_add_text(&line, tcplan_word(tcplan_words_entry_statuses, entry->status));
    add_times(&line, report, entry);
    add_problem(writer, &line, report, entry, &row);
    print_line(writer, &line);
    row_free(&row);
}

static void print_report(struct writer *writer, const struct report *report) {
    if (writer->written == 0) print_report_header(writer, report->request->contraction);
    for (size_t e = 0; e < report->ranking->entry_count; e++) {
        if (report_lists(report, e)) print_entry(writer, report, e);
    }
}

static void print_list_head(struct writer *writer, const struct listing *listing) {
    (void)listing;
    fputs("contraction,name,kernel,loops,copies,provider,model_seconds\n", writer->file);
}

static void print_list_row(struct writer *writer, const struct listing *listing,
                           const struct row *row) {
    struct csv_line line = {0};
    add_owned(writer, &line, tcplan_contraction_text(listing->request->contraction));
    csv_add_text(&line, row->name);
    csv_add_text(&line, row->kernel);
    csv_add_names(&line, row->loop, row->loop_count);
    add_copies(&line, row);
    csv_add_text(&line, row->provider);
    csv_add_number(&line, row->model_seconds >= 0, row->model_seconds);
    print_line(writer, &line);
}

const struct format format_csv = {.report = print_report,
                                  .list_head = print_list_head,
                                  .list_row = print_list_row,
                                  .roofline = ceilings_print_csv,
                                  .tuning = tuning_print_csv};
