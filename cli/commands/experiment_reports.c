#include "cli/commands/experiment_reports.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/output/printed.h"
#include "cli/page/page.h"

/** Splits an argument into a label and a file: LABEL=FILE, unless a file has this whole name. The
 * default label is the name of the file without folder and `.xml`. Returns the file. */
static const char *split(char label[64], const char *argument) {
    const char *equals = strchr(argument, '=');
    if (equals && equals > argument && access(argument, F_OK) != 0) {
        snprintf(label, 64, "%.*s", (int)(equals - argument < 63 ? equals - argument : 63),
                 argument);
        return equals + 1;
    }
    const char *slash = strrchr(argument, '/'), *name = slash ? slash + 1 : argument;
    const size_t length = strlen(name);
    const bool xml = length > 4 && strcmp(name + length - 4, ".xml") == 0;
    snprintf(label, 64, "%.*s", (int)(xml ? length - 4 : length), name);
    return argument;
}

enum exit_status experiment_reports_read(struct experiment_reports *out,
                                         const struct options *options) {
    *out = (struct experiment_reports){.options = options};
    if (options->argument_count - 1 > EXPERIMENT_REPORTS_MAX)
        return options_refuse(options, "experiment report takes at most %d reports, found %d",
                              EXPERIMENT_REPORTS_MAX, options->argument_count - 1);
    for (int r = 0; r < options->argument_count - 1; r++) {
        const char *file = split(out->label[r], options->arguments[r + 1]);
        if (tcplan_experiment_report_read(&out->report[r], file, &failure) != TCPLAN_OK)
            return diagnose_failure(NULL);
        out->count++;
    }
    return EXIT_DONE;
}

static void free_evaluations(struct experiment_reports *reports) {
    if (reports->count > 1) tcplan_evaluation_free(&reports->whole);
    for (int r = 0; r < reports->count; r++) tcplan_evaluation_free(&reports->part[r]);
    reports->whole = (struct tcplan_evaluation){0};
}

static enum tcplan_status evaluate(struct experiment_reports *reports, const char *metric) {
    const struct options *options = reports->options;
    const char *label[EXPERIMENT_REPORTS_MAX];
    struct tcplan_evaluation_choice choice = {.metric = metric,
                                              .selector_count = options->selectors.count,
                                              .discard_first = options->discard_first};
    for (int s = 0; s < options->selectors.count; s++)
        choice.selector[s] = options->selectors.text[s];
    enum tcplan_status status = TCPLAN_OK;
    free_evaluations(reports);
    for (int r = 0; r < reports->count && status == TCPLAN_OK; r++) {
        label[r] = reports->label[r];
        status =
            tcplan_experiment_evaluate(&reports->part[r], reports->report[r], &choice, &failure);
    }
    if (status == TCPLAN_OK && reports->count > 1) {
        status = tcplan_evaluations_join(&reports->whole, reports->part, label, reports->count,
                                         &failure);
    } else {
        reports->whole = reports->part[0];
    }
    return status;
}

enum exit_status experiment_reports_evaluate(struct experiment_reports *reports,
                                             const char *metric) {
    const struct text_list *selectors = &reports->options->selectors;
    if (evaluate(reports, metric) == TCPLAN_OK) return EXIT_DONE;
    return diagnose_failure(failure.column > 0 && selectors->count == 1 ? selectors->text[0]
                                                                        : NULL);
}

static enum exit_status write_page(struct experiment_reports *reports, FILE *file) {
    const char *metric[TCPLAN_METRICS + 1];
    int count = 1;
    enum tcplan_status status = TCPLAN_OK;
    metric[0] = reports->options->metric ? reports->options->metric : "gflops"; /* shown first */
    for (int m = 0; m < TCPLAN_METRICS; m++) {
        const char *name = tcplan_metric_name((enum tcplan_metric)m);
        if (strcmp(name, metric[0]) == 0) continue;
        status = evaluate(reports, name); /* Some metrics do not apply; for example, efficiency
                                             needs the peak performance. */
        if (status == TCPLAN_OK) metric[count++] = name;
        if (status != TCPLAN_OK && status != TCPLAN_INVALID) return diagnose_failure(NULL);
    }
    status = evaluate(reports, metric[0]);
    if (status != TCPLAN_OK) return diagnose_failure(NULL);
    samples_page_begin(file, reports->whole.title, metric, count);
    for (int m = 0; m < count; m++) {
        status = evaluate(reports, metric[m]);
        if (status != TCPLAN_OK) return diagnose_failure(NULL);
        if (!samples_page_add(file, &reports->whole, m == 0)) return diagnose_no_memory();
    }
    page_end(file);
    return EXIT_DONE;
}

enum exit_status experiment_reports_page(struct experiment_reports *reports) {
    struct output_file out = {0};
    enum exit_status status = output_begin(&out, reports->options->page);
    if (status == EXIT_DONE) status = write_page(reports, out.file);
    if (status == EXIT_DONE) status = printed_complete(&out);
    output_file_discard(&out);
    return status;
}

void experiment_reports_free(struct experiment_reports *reports) {
    free_evaluations(reports);
    for (int r = 0; r < reports->count; r++) tcplan_experiment_report_free(reports->report[r]);
}
