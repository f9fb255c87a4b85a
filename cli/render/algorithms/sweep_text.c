/*
 * Each line is printed as soon as its size is ranked, so columns have the width that the last and
 * largest size needs. The algorithm's name, whose width is unknown, comes last.
 */
#include "cli/render/algorithms/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "cli/providers.h"

enum { TIME_WIDTH = 9, SPEED_WIDTH = 7 };

bool sweep_is_brief(const struct report *report) {
    const struct options *options = report->request->options;
    return request_points(report->request) > 1 && !options->full && !options->verbose &&
           !options->all && !options->baseline && options->top == 0 &&
           options->compared == TCPLAN_CONTENDER_ALGORITHM;
}

static char *last_sizes(const struct request *request) {
    const struct tcplan_problem last = request_problem(request, request_points(request) - 1);
    return report_short_sizes(&last);
}

void sweep_print_cell(struct writer *writer, char *cell, char *widest) {
    const int width = widest ? (int)strlen(widest) : 0;
    writer->no_memory = writer->no_memory || !cell || !widest;
    fprintf(writer->file, "%-*s", width, cell ? cell : "");
    free(cell);
    free(widest);
}

void sweep_print_headings(struct writer *writer, char *widest, const char *last) {
    fputs("\n", writer->file);
    sweep_print_cell(writer, strdup("sizes"), widest);
    fprintf(writer->file, "  %*s  %*s  %s\n", TIME_WIDTH, "time", SPEED_WIDTH, "GFLOP/s", last);
}

void sweep_print_time(struct writer *writer, double seconds, double gflops) {
    fprintf(writer->file, "  %*s  %*.4g  ", TIME_WIDTH, quantity_seconds(seconds).text, SPEED_WIDTH,
            gflops);
}

static void print_head(struct writer *writer, const struct report *report) {
    const struct options *options = report->request->options;
    const struct tcplan_problem *problem = &report->ranking->problem;
    const uint64_t first = UINT64_C(1) << TCPLAN_PROVIDER_BLAS;
    if (blas_warnings_precede(writer->file, first) > 0) fputs("\n", writer->file);
    writer_print_owned(writer, "", tcplan_contraction_text(problem->contraction), "");
    fprintf(writer->file, "   %s, %s, %s%s\n", format_text_dtype(problem->dtype),
            tcplan_word(tcplan_words_orders, problem->contraction->order),
            options->threads > 1 && !options->algorithm ? "up to " : "",
            counted(options->threads, "thread").text);
    format_text_strides(writer, problem->contraction);
    sweep_print_headings(writer, last_sizes(report->request),
                         report->ranking->is_untimed ? "fastest by estimate" : "fastest");
}

static void print_answer(struct writer *writer, const struct report *report) {
    const struct tcplan_problem *problem = &report->ranking->problem;
    const struct tcplan_entry *best = tcplan_ranking_chosen(report->ranking);
    const double seconds = report_seconds(best);
    sweep_print_time(writer, seconds, report_gflops(report, seconds));
    writer_print_owned(
        writer, "", tcplan_algorithm_name(&best->algorithm, problem->contraction, problem->dtype),
        "");
    if (report->request->options->threads > 1)
        fprintf(writer->file, ", %s", counted(best->threads, "thread").text);
    fputs("\n", writer->file);
    writer->disturbed += tcplan_ranking_is_disturbed(report->ranking);
    writer->warned |= report_providers(report);
}

void sweep_print_foot(struct writer *writer) {
    if (writer->written + 1 < writer->points) return;
    fputs("\n", writer->file);
    if (writer->disturbed > 0)
        fprintf(writer->file,
                "warning: other load disturbed %" PRId64 " of %" PRId64
                " sizes; their times may be too long\n",
                writer->disturbed, writer->points);
    blas_warnings_precede(writer->file, writer->warned & ~(UINT64_C(1) << TCPLAN_PROVIDER_BLAS));
    fputs("--full prints a table for each size.\n", writer->file);
}

void sweep_print_text(struct writer *writer, const struct report *report) {
    if (writer->written == 0) print_head(writer, report);
    sweep_print_cell(writer, report_short_sizes(&report->ranking->problem),
                     last_sizes(report->request));
    if (report->predicted_count == 0) {
        fputs("  no algorithm was predicted\n", writer->file);
    } else if (tcplan_problem_only_scales(&report->ranking->problem)) {
        fputs("  nothing to multiply\n", writer->file);
    } else {
        print_answer(writer, report);
    }
    sweep_print_foot(writer);
}
