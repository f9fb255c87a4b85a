/*
 * Evaluates a report with four metrics, and passes the medians as CSV to the reader of points. So
 * reports and the results of other tools have the same limits, roofs and output.
 */
#include "cli/roofs/report_points.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "cli/diagnostics.h"
#include "tcplan/experiment.h"

enum { FLOPS, BYTES, WRITTEN, SECONDS, METRICS };

static const enum tcplan_metric metrics[METRICS] = {
    [FLOPS] = TCPLAN_METRIC_COST,
    [BYTES] = TCPLAN_METRIC_BYTES,
    [WRITTEN] = TCPLAN_METRIC_WRITTEN,
    [SECONDS] = TCPLAN_METRIC_SECONDS,
};

bool report_points_are_asked(const struct options *options) {
    const size_t length = options->points ? strlen(options->points) : 0;
    return length > 4 && strcmp(options->points + length - 4, ".xml") == 0;
}

static enum exit_status evaluate(struct tcplan_evaluation out[METRICS],
                                 const struct tcplan_experiment_report *report,
                                 const struct options *options) {
    struct tcplan_evaluation_choice choice = {.selector_count = options->selectors.count};
    for (int s = 0; s < options->selectors.count; s++)
        choice.selector[s] = options->selectors.text[s];
    for (int m = 0; m < METRICS; m++) {
        choice.metric = tcplan_metric_name(metrics[m]);
        if (tcplan_experiment_evaluate(&out[m], report, &choice, &failure) != TCPLAN_OK) {
            const bool has_place = failure.column > 0 && choice.selector_count == 1;
            return diagnose_failure(has_place ? choice.selector[0] : NULL);
        }
    }
    return EXIT_DONE;
}

static const char *letter_of(int dtype) {
    return dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX ? "s" : "d";
}

/** Adds a line, unless nothing was sampled or moved. */
static void add_point(struct strbuf *csv, const struct tcplan_evaluation evaluation[METRICS],
                      size_t point, int selector) {
    const struct tcplan_evaluation *first = &evaluation[0];
    const size_t at = point * (size_t)first->selector_count + (size_t)selector;
    double median[METRICS];
    for (int m = 0; m < METRICS; m++)
        median[m] = evaluation[m].figure[at].statistic[TCPLAN_STATISTIC_MEDIAN];
    if (!(median[BYTES] > 0) || !(median[SECONDS] > 0) || median[FLOPS] < 0) return;
    strbuf_add(csv, "\"");
    for (const char *c = first->selector[selector]; *c; c++)
        strbuf_add(csv, "%c", *c == '"' || *c == '\n' ? ' ' : *c);
    if (first->variable)
        strbuf_add(csv, " %s=%lld", first->variable, (long long)first->point[point]);
    strbuf_add(csv, "\",%.17g,%.17g,%.17g,%.17g,%lld", median[FLOPS], median[BYTES],
               median[WRITTEN], median[SECONDS], (long long)first->figure[at].threads);
    if (first->dtype >= 0) strbuf_add(csv, ",%s", letter_of(first->dtype));
    strbuf_add(csv, "\n");
}

static enum exit_status convert(struct tcplan_regions **out,
                                const struct tcplan_evaluation evaluation[METRICS],
                                const char *path) {
    const struct tcplan_evaluation *first = &evaluation[0];
    struct strbuf csv = {0};
    strbuf_add(&csv, "name,flops,bytes,written_bytes,seconds,threads%s\n",
               first->dtype >= 0 ? ",dtype" : "");
    for (size_t p = 0; p < first->point_count; p++) {
        for (int s = 0; s < first->selector_count; s++) add_point(&csv, evaluation, p, s);
    }
    char *text = strbuf_finish(&csv);
    if (!text) return diagnose_no_memory();
    const enum tcplan_status status = tcplan_regions_parse(out, path, text, strlen(text), &failure);
    free(text);
    if (status != TCPLAN_OK) return diagnose_failure(NULL);
    snprintf((*out)->source, sizeof(*out)->source, "experiment, %.100s", first->library);
    for (size_t r = 0; r < (*out)->count; r++) {
        (*out)->region[r].flops_origin = TCPLAN_ORIGIN_ANALYTIC;
        (*out)->region[r].bytes_source = TCPLAN_BYTES_COMPULSORY;
    }
    return EXIT_DONE;
}

enum exit_status report_points_read(struct tcplan_regions **out, const struct options *options) {
    struct tcplan_experiment_report *report = NULL;
    struct tcplan_evaluation evaluation[METRICS] = {0};
    if (tcplan_experiment_report_read(&report, options->points, &failure) != TCPLAN_OK)
        return diagnose_failure(NULL);
    enum exit_status status = evaluate(evaluation, report, options);
    if (status == EXIT_DONE) status = convert(out, evaluation, options->points);
    for (int m = 0; m < METRICS; m++) tcplan_evaluation_free(&evaluation[m]);
    tcplan_experiment_report_free(report);
    return status;
}
