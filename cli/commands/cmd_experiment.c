#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "cli/commands/commands.h"
#include "cli/commands/experiment_reports.h"
#include "cli/node_lock.h"
#include "cli/output/printed.h"
#include "cli/output/progress.h"
#include "cli/page/pictures.h"
#include "cli/render/sampling/sampling.h"
#include "cli/render/text/values.h"
#include "cli/render/text/visible.h"
#include "cli/request.h"
#include "cli/roofs/ceilings.h"
#include "cli/roofs/points_plot.h"
#include "cli/roofs/regions.h"
#include "tcplan/experiment.h"

/* run */

/** Returns the default path of the report, `FILE-report.xml` or, for a shard,
 * `FILE-report-K-of-N.xml`, in the current folder. The caller frees it; NULL if memory runs out. */
static char *usual_report(const struct options *options) {
    struct strbuf out = {0};
    const char *slash = strrchr(options->arguments[1], '/'),
               *name = slash ? slash + 1 : options->arguments[1];
    const size_t ending = text_ends(name, ".xml") ? strlen(".xml") : 0;
    strbuf_add(&out, "%.*s-report", (int)(strlen(name) - ending), name);
    if (options->shard.count > 0)
        strbuf_add(&out, "-%lld-of-%lld", (long long)options->shard.number,
                   (long long)options->shard.count);
    strbuf_add(&out, ".xml");
    return strbuf_finish(&out);
}

static void report_end(const struct options *options,
                       const struct tcplan_experiment_outcome *outcome, const char *report) {
    if (options->quiet) return;
    if (*outcome->not_counted) diagnose("note: not counted: %.280s", outcome->not_counted);
    fprintf(stderr, "tcplan: %lld of %s run", (long long)outcome->done,
            counted(outcome->units, "unit").text);
    if (outcome->known > 0)
        fprintf(stderr, ", %lld already had samples", (long long)outcome->known);
    if (outcome->samples > 0)
        fprintf(stderr, "; %lld samples, %lld disturbed", (long long)outcome->samples,
                (long long)outcome->disturbed);
    fputs(": '", stderr);
    visible_print(stderr, report);
    fputs(outcome->complete ? "'\n" : "'; time limit reached, the same command resumes\n", stderr);
}

static enum exit_status run_locked(const struct tcplan_experiment *experiment,
                                   const struct request *request, const char *report) {
    const struct options *options = request->options;
    struct tcplan_experiment_outcome outcome;
    progress_set_label("%.60s", tcplan_experiment_name(experiment));
    const struct tcplan_experiment_run_options run = {.machine = &request->machine,
                                                      .report = report,
                                                      .shard = options->shard.number,
                                                      .shards = options->shard.count,
                                                      .restart = options->restart,
                                                      .mixed = options->mixed,
                                                      .time_limit_seconds =
                                                          options->time_limit_seconds,
                                                      .max_memory_bytes = options->max_memory_bytes,
                                                      .counters = options->counters,
                                                      .progress = progress_update,
                                                      .rest = progress_report_rest};
    const enum tcplan_status status = tcplan_experiment_run(&outcome, experiment, &run, &failure);
    progress_clear();
    if (status == TCPLAN_OK) report_end(options, &outcome, report);
    return status == TCPLAN_OK
               ? EXIT_DONE
               : diagnose_advised(
                     TCPLAN_MISMATCH,
                     "--restart replaces the report, --mixed adds to samples of other machines");
}

static enum exit_status run_experiment(const struct tcplan_experiment *experiment,
                                       const struct options *options) {
    struct request request = {.options = options};
    struct tcplan_node_lock *lock = NULL;
    char *usual = options->output ? NULL : usual_report(options);
    const char *report = options->output ? options->output : usual;
    enum exit_status status =
        report ? request_read_machine(&request, REQUEST_CEILINGS) : diagnose_no_memory();
    if (status == EXIT_DONE) status = lock_hold(&lock, options);
    if (status == EXIT_DONE) status = run_locked(experiment, &request, report);
    tcplan_node_lock_close(lock);
    request_free(&request);
    free(usual);
    return status;
}

static enum exit_status run(const struct options *options) {
    struct tcplan_experiment *experiment = NULL;
    if (options->output && strcmp(options->output, "-") == 0)
        return options_refuse(options,
                              "experiment run appends to a file: -o expects its name, found '-'");
    if (tcplan_experiment_read(&experiment, options->arguments[1], &failure) != TCPLAN_OK)
        return diagnose_failure(NULL);
    enum exit_status status = EXIT_DONE;
    if (options->cores || options->memory)
        status = diagnosed(
            tcplan_experiment_bind(experiment, options->cores, options->memory, &failure));
    if (status == EXIT_DONE) status = run_experiment(experiment, options);
    tcplan_experiment_free(experiment);
    return status;
}

/* script */

/** Writes a text to a file; implements tcplan_write_fn. */
static bool write_file(void *context, const char *text, size_t length) {
    struct output_file *out = context;
    return fwrite(text, 1, length, out->file) == length && output_file_good(out);
}

static enum exit_status script(const struct options *options) {
    struct tcplan_experiment *experiment = NULL;
    struct output_file out = {0};
    enum exit_status status =
        diagnosed(tcplan_experiment_read(&experiment, options->arguments[1], &failure));
    if (status == EXIT_DONE) status = output_begin(&out, options->output);
    if (status == EXIT_DONE)
        status = diagnosed(tcplan_experiment_script(
            experiment, options_given(options, "machine") ? options->machine : NULL, write_file,
            &out, &failure));
    tcplan_experiment_free(experiment);
    return output_end(&out, status);
}

/* merge */

static enum exit_status merge(const struct options *options) {
    struct tcplan_experiment_report *report = NULL;
    if (tcplan_experiment_report_merge(&report, options->arguments + 1, options->argument_count - 1,
                                       options->mixed, &failure) != TCPLAN_OK)
        return diagnose_advised(TCPLAN_MISMATCH, "--mixed joins them");
    const enum exit_status status =
        printed_text(options->output, tcplan_experiment_report_text(report));
    tcplan_experiment_report_free(report);
    return status;
}

/* report */

/* statistics = word { "," word } ; returns false if a word is not the name of a statistic */
static bool read_statistics(unsigned *out, const char *text) {
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        int s = 0;
        while (s < TCPLAN_STATISTICS &&
               (strlen(tcplan_statistic_name((enum tcplan_statistic)s)) != length ||
                memcmp(tcplan_statistic_name((enum tcplan_statistic)s), at, length) != 0)) {
            s++;
        }
        if (s == TCPLAN_STATISTICS && !(length == 3 && memcmp(at, "all", 3) == 0)) return false;
        *out |= 1U << s; /* SAMPLES_ALL is the bit after those of the statistics */
        at += length;
        if (!*at) return true;
    }
}

static enum exit_status take_statistics(unsigned *table, unsigned *picture,
                                        const struct options *options) {
    /* text omits percentiles unless the user requests them */
    *table = options->format == OUTPUT_TEXT ? (1U << TCPLAN_STATISTIC_P25) - 1
                                            : (1U << TCPLAN_STATISTICS) - 1;
    *picture =
        1U << TCPLAN_STATISTIC_MIN | 1U << TCPLAN_STATISTIC_MEDIAN | 1U << TCPLAN_STATISTIC_MAX;
    if (!options->statistics) return EXIT_DONE;
    unsigned given = 0;
    if (!read_statistics(&given, options->statistics))
        return options_refuse(
            options,
            "--statistics expects some of min, med, max, avg, std, p25, p75, p90 and all, with commas between them, found '%.100s'",
            options->statistics);
    *table = *picture = given;
    return EXIT_DONE;
}

/** Draws the calls of the report as points under the stored or measured roofs. */
static enum exit_status draw_roofline(const struct options *given) {
    struct options options = *given;
    struct request request = {.options = &options};
    struct region_list regions = {0};
    struct roofline_report report = {.regions = &regions};
    struct tcplan_roofline *roofline = NULL;
    options.points = given->arguments[1];
    options.plot = given->roofline;
    if (given->ceiling_files.count > 0) { /* A missing file is an error for this command. */
        if (tcplan_ceilings_load(&roofline, NULL, given->ceiling_files.text[0], &failure) !=
            TCPLAN_OK)
            return diagnose_failure(NULL);
        tcplan_roofline_free(roofline);
        roofline = NULL;
    }
    enum exit_status status = request_read_machine(&request, REQUEST_CEILINGS);
    if (status == EXIT_DONE) status = regions_make(&regions, &request);
    if (status == EXIT_DONE)
        status = ceilings_obtain(&roofline, &report.stored, &request, regions_need(&regions));
    if (status == EXIT_DONE) status = regions_place(&regions, roofline);
    report.roofline = roofline;
    if (status == EXIT_DONE) status = points_plot(&report, &options, options.plot);
    regions_free(&regions);
    tcplan_roofline_free(roofline);
    request_free(&request);
    return status;
}

static enum exit_status draw(const struct experiment_reports *reports,
                             const struct options *options, unsigned statistics) {
    struct output_file out = {0};
    const enum exit_status status = output_begin(&out, options->plot);
    return status == EXIT_DONE
               ? picture_file_end(&out,
                                  samples_plot_print(out.file, &reports->whole, statistics, false))
               : status;
}

static enum exit_status show(struct experiment_reports *reports, const struct options *options) {
    unsigned table, picture;
    enum exit_status status = take_statistics(&table, &picture, options);
    if (status == EXIT_DONE)
        status = experiment_reports_evaluate(reports, options->metric ? options->metric : "gflops");
    const struct evaluated shown = {.evaluation = &reports->whole,
                                    .statistics = table,
                                    .discard_first = options->discard_first};
    if (status == EXIT_DONE && options->plot) status = draw(reports, options, picture);
    const bool is_drawn = options->plot || options->roofline || options->page;
    if (status == EXIT_DONE && (!is_drawn || options->output || options_name_format(options)))
        status = printed_view(options, &evaluation_view, &shown);
    return status == EXIT_DONE && options->page ? experiment_reports_page(reports) : status;
}

static enum exit_status check_files(const struct options *options) {
    enum exit_status status = EXIT_DONE;
    if (options->ceiling_files.count > 0 && !options->roofline)
        return options_refuse(options, "--ceilings needs --roofline");
    if (options->roofline && options->argument_count > 2)
        return options_refuse(options, "--roofline draws one report, found %d",
                              options->argument_count - 1);
    if (options->plot) status = picture_file_check("--plot", options->plot);
    if (status == EXIT_DONE && options->roofline)
        status = picture_file_check("--roofline", options->roofline);
    return status;
}

static enum exit_status report(const struct options *options) {
    struct experiment_reports reports;
    enum exit_status status = check_files(options);
    if (status != EXIT_DONE) return status;
    status = experiment_reports_read(&reports, options);
    if (status == EXIT_DONE) status = show(&reports, options);
    experiment_reports_free(&reports);
    return status == EXIT_DONE && options->roofline ? draw_roofline(options) : status;
}

static const struct action actions[] = {
    {"run", EXPERIMENT_RUN, "FILE.xml", "time the calls and add them to a report", "one file", 1,
     FILE_INPUT, NULL, run, NULL},
    {"report", EXPERIMENT_REPORT, "[LABEL=]REPORT.xml ...", "print or draw metrics of reports",
     "reports", ANY_ARGUMENTS, FILE_INPUT, NULL, report, NULL},
    {"script", EXPERIMENT_SCRIPT, "FILE.xml", "print the calls as a script of `sample`", "one file",
     1, FILE_INPUT, NULL, script, NULL},
    {"merge", EXPERIMENT_MERGE, "REPORT.xml ...", "join the reports of shards", "reports",
     ANY_ARGUMENTS, FILE_INPUT, NULL, merge, NULL},
    {0},
};

const struct command command_experiment = {
    "experiment",
    COMMAND_EXPERIMENT,
    "run | report | script FILE.xml [OPTIONS]",
    "time calls over a range of sizes; metrics and plots of the samples",
    "  tcplan experiment run dgemm.xml -o dgemm-report.xml\n"
    "  tcplan experiment report dgemm-report.xml --metric gflops --plot dgemm.svg\n"
    "  tcplan experiment report OpenBLAS=a.xml BLIS=b.xml --page libraries.html\n"
    "  tcplan experiment script dgemm.xml | tcplan sample -\n"
    "  tcplan experiment merge dgemm-report-*-of-4.xml -o dgemm-report.xml\n",
    .actions = actions,
    .manual =
        "An experiment is XML that describes which calls to time, over which range, how often, in which order and on which memory. `run` saves each "
        "sample in a report at once; after an interruption the same command resumes. `report` computes metrics and statistics, of several reports side by "
        "side. `script` prints the "
        "calls as input of `sample`. `merge` joins the reports of all shards."};
