/*
 * Evaluates a report with four metrics, and passes the medians as CSV to the reader of points, so
 * that reports have the same limits, roofs and output as the results of other tools.
 */
#include "cli/roofs/report_points.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "cli/diagnostics.h"
#include "cli/output/printed.h"
#include "cli/output/progress.h"
#include "cli/render/text/values.h"
#include "tcplan/experiment.h"
#include "tcplan/kernel_points.h"

enum { FLOPS, BYTES, WRITTEN, SECONDS, METRICS };
enum { REPETITIONS = 20 /* number of repetitions, as in Ofenbeck et al., section III */ };

static const enum tcplan_metric metrics[METRICS] = {
    [FLOPS] = TCPLAN_METRIC_COST,
    [BYTES] = TCPLAN_METRIC_BYTES,
    [WRITTEN] = TCPLAN_METRIC_WRITTEN,
    [SECONDS] = TCPLAN_METRIC_SECONDS,
};

bool report_points_are_asked(const struct options *options) {
    return options->points && text_ends(options->points, ".xml");
}

static void free_all(struct tcplan_evaluation evaluation[METRICS]) {
    for (int m = 0; m < METRICS; m++) tcplan_evaluation_free(&evaluation[m]);
}

static enum exit_status evaluate(struct tcplan_evaluation out[METRICS],
                                 const struct tcplan_experiment_report *report,
                                 struct tcplan_evaluation_choice choice) {
    for (int m = 0; m < METRICS; m++) {
        choice.metric = tcplan_metric_name(metrics[m]);
        if (tcplan_experiment_evaluate(&out[m], report, &choice, &failure) != TCPLAN_OK) {
            const bool has_place = failure.column > 0 && choice.selector_count == 1;
            return diagnose_failure(has_place ? choice.selector[0] : NULL);
        }
    }
    return EXIT_DONE;
}

static void add_heading(struct strbuf *csv) {
    strbuf_add(csv, "name,flops,bytes,written_bytes,seconds,threads,dtype\n");
}

static const char *letter_of(int dtype) {
    if (dtype < 0) return "";
    return dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX ? "s" : "d";
}

/** Adds a line for a point, unless it has no samples or moves no bytes. `label` replaces the
 * selector's label; may be NULL. */
static void add_point(struct strbuf *csv, const struct tcplan_evaluation evaluation[METRICS],
                      size_t point, int selector, const char *label) {
    const struct tcplan_evaluation *first = &evaluation[0];
    const size_t at = point * (size_t)first->selector_count + (size_t)selector;
    double median[METRICS];
    for (int m = 0; m < METRICS; m++)
        median[m] = evaluation[m].figure[at].statistic[TCPLAN_STATISTIC_MEDIAN];
    if (!(median[BYTES] > 0) || !(median[SECONDS] > 0) || median[FLOPS] < 0) return;
    strbuf_add(csv, "\"");
    for (const char *c = label ? label : first->selector[selector]; *c; c++)
        strbuf_add(csv, "%c", *c == '"' || *c == '\n' ? ' ' : *c);
    if (first->variable)
        strbuf_add(csv, " %s=%lld", first->variable, (long long)first->point[point]);
    strbuf_add(csv, "\",%.17g,%.17g,%.17g,%.17g,%lld,%s\n", median[FLOPS], median[BYTES],
               median[WRITTEN], median[SECONDS], (long long)first->figure[at].threads,
               letter_of(first->dtype));
}

static void add_points(struct strbuf *csv, const struct tcplan_evaluation evaluation[METRICS],
                       const char *label) {
    for (size_t p = 0; p < evaluation->point_count; p++) {
        for (int s = 0; s < evaluation->selector_count; s++)
            add_point(csv, evaluation, p, s, label);
    }
}

/** Reads points from the CSV, and frees it. `origin` is a description of the points. */
static enum exit_status convert(struct tcplan_regions **out, struct strbuf *csv, const char *name,
                                const char *origin) {
    char *text = strbuf_finish(csv);
    if (!text) return diagnose_no_memory();
    const enum tcplan_status status = tcplan_regions_parse(out, name, text, strlen(text), &failure);
    free(text);
    if (status != TCPLAN_OK) return diagnose_failure(NULL);
    snprintf((*out)->source, sizeof(*out)->source, "%.120s", origin);
    for (size_t r = 0; r < (*out)->count; r++) {
        (*out)->region[r].flops_origin = TCPLAN_ORIGIN_ANALYTIC;
        (*out)->region[r].bytes_source = TCPLAN_BYTES_COMPULSORY;
    }
    return EXIT_DONE;
}

enum exit_status report_points_read(struct tcplan_regions **out, const struct options *options) {
    struct tcplan_evaluation_choice choice = {.selector_count = options->selectors.count};
    struct tcplan_experiment_report *report = NULL;
    struct tcplan_evaluation evaluation[METRICS] = {0};
    struct strbuf csv = {0};
    char origin[160];
    for (int s = 0; s < options->selectors.count; s++)
        choice.selector[s] = options->selectors.text[s];
    if (tcplan_experiment_report_read(&report, options->points, &failure) != TCPLAN_OK)
        return diagnose_failure(NULL);
    enum exit_status status = evaluate(evaluation, report, choice);
    if (status == EXIT_DONE) {
        add_heading(&csv);
        add_points(&csv, evaluation, NULL);
        snprintf(origin, sizeof origin, "experiment, %.100s", evaluation->library);
        status = convert(out, &csv, options->points, origin);
    }
    free_all(evaluation);
    tcplan_experiment_report_free(report);
    return status;
}

/* Routines. */

/** Returns whether a value of --kernel consists of a name of cli/roofs/kernels.h and sizes only. */
static bool is_kernel(const char *text) {
    const size_t length = strcspn(text, "@:=");
    for (int k = 0; k < TCPLAN_POINT_KERNELS; k++) {
        if (text_is(text, length, tcplan_point_kernel_name((enum tcplan_point_kernel)k)))
            return text[length] != '@' && !strchr(text, ':');
    }
    return false;
}

bool routines_are_asked(const struct options *options) {
    int t = 0;
    while (t < options->kernels.count && is_kernel(options->kernels.text[t])) t++;
    return t < options->kernels.count;
}

/** A temporary folder for one report. */
struct place {
    char folder[TEMPORARY_FOLDER], report[240];
};

static enum exit_status place_open(struct place *out) {
    const enum exit_status status = temporary_folder_make(out->folder);
    snprintf(out->report, sizeof out->report, "%s/report.xml", out->folder);
    return status;
}

static void place_close(const struct place *place) {
    unlink(place->report);
    rmdir(place->folder);
}

/** Runs an experiment, and adds its points. */
static enum exit_status time_routine(struct strbuf *csv, const struct request *request,
                                     const struct tcplan_routine_experiment *routine,
                                     const struct place *place) {
    const struct options *options = request->options;
    const struct tcplan_experiment_run_options run = {.machine = &request->machine,
                                                      .report = place->report,
                                                      .counters = "none",
                                                      .time_limit_seconds =
                                                          request_seconds_left(request),
                                                      .max_memory_bytes = options->max_memory_bytes,
                                                      .progress = progress_update};
    const struct tcplan_evaluation_choice choice = {.selector_count = 1,
                                                    .selector = {routine->call}};
    struct tcplan_experiment_outcome outcome;
    struct tcplan_experiment_report *report = NULL;
    struct tcplan_evaluation evaluation[METRICS] = {0};
    progress_set_label("%.60s", routine->label);
    enum tcplan_status ran = tcplan_experiment_run(&outcome, routine->experiment, &run, &failure);
    progress_clear();
    if (ran == TCPLAN_OK) ran = tcplan_experiment_report_read(&report, place->report, &failure);
    enum exit_status status = diagnosed(ran);
    if (status == EXIT_DONE) status = evaluate(evaluation, report, choice);
    if (status == EXIT_DONE) add_points(csv, evaluation, routine->label);
    free_all(evaluation);
    tcplan_experiment_report_free(report);
    return status;
}

static enum exit_status add_routine(struct strbuf *csv, const struct request *request,
                                    const char *text) {
    struct tcplan_routine_experiment routine;
    struct place place;
    const enum tcplan_status made = tcplan_experiment_of_routine(
        &routine, text, request->options->threads, REPETITIONS, &failure);
    if (made == TCPLAN_INVALID || made == TCPLAN_OVERFLOW)
        return diagnose_as(EXIT_USAGE, "--kernel %.100s: %.300s", text, failure.message);
    if (made != TCPLAN_OK) return diagnose_failure(NULL);
    enum exit_status status = place_open(&place);
    if (status == EXIT_DONE) {
        status = time_routine(csv, request, &routine, &place);
        place_close(&place);
    }
    tcplan_experiment_free(routine.experiment);
    return status;
}

enum exit_status routine_points_make(struct tcplan_regions **out, const struct request *request) {
    const struct options *options = request->options;
    struct strbuf csv = {0};
    enum exit_status status = EXIT_DONE;
    if (options->per_cycle || options->counters)
        return diagnose_as(EXIT_USAGE, "--%s needs --kernel daxpy, dgemv, dgemm or fft only",
                           options->per_cycle ? "unit" : "counters");
    add_heading(&csv);
    for (int t = 0; t < options->kernels.count && status == EXIT_DONE; t++)
        status = add_routine(&csv, request, options->kernels.text[t]);
    if (status == EXIT_DONE) return convert(out, &csv, "--kernel", "timed now, warm caches");
    strbuf_free(&csv);
    return status;
}
