/** Reports of experiments side by side: `experiment report A.xml B.xml`. */
#ifndef CLI_COMMANDS_EXPERIMENT_REPORTS_H
#define CLI_COMMANDS_EXPERIMENT_REPORTS_H

#include "cli/commands/commands.h"
#include "tcplan/experiment.h"

enum { EXPERIMENT_REPORTS_MAX = 16 };

struct experiment_reports {
    const struct options *options;
    int count;
    struct tcplan_experiment_report *report[EXPERIMENT_REPORTS_MAX];
    char label[EXPERIMENT_REPORTS_MAX][64];
    struct tcplan_evaluation part[EXPERIMENT_REPORTS_MAX]; /**< evaluation of each report */
    struct tcplan_evaluation whole; /**< the joined evaluation of all reports */
};

/** Reads the files that the arguments name as FILE or LABEL=FILE. The caller frees `out` even after
 * an error. */
enum exit_status experiment_reports_read(struct experiment_reports *out,
                                         const struct options *options);

/** Evaluates all reports by a metric and the options' selectors, and joins the evaluations. */
enum exit_status experiment_reports_evaluate(struct experiment_reports *reports,
                                             const char *metric);

/** Writes the HTML page of --page, with all metrics that apply to all reports. */
enum exit_status experiment_reports_page(struct experiment_reports *reports);

void experiment_reports_free(struct experiment_reports *reports);

#endif
