/**
 * Reads any bytes as an experiment and as a report of an experiment. Errors must have a message;
 * accepted input must have a text that reads back to the same text. The calls of a small
 * experiment are written as a script, and a report is evaluated.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "routines/sampler/experiments/nest.h"
#include "tcplan/experiment.h"

enum { SCRIPT_MOST = 1 << 16, POINTS_MOST = 50, CALLS_MOST = 2000 };

/** Accepts a number of bytes, then fails; a tcplan_write_fn. */
static bool count_bytes(void *context, const char *text, size_t length) {
    size_t *total = context;
    require(length == strlen(text));
    return (*total += length) < SCRIPT_MOST;
}

/** Returns whether the loops of an experiment are short: it has one call for each iteration. */
static bool is_small(const struct tcplan_experiment *experiment) {
    struct point_plan *plan = calloc(1, sizeof *plan);
    bool small = plan && experiment->point_count <= POINTS_MOST;
    for (size_t p = 0; p < experiment->point_count && small; p++) {
        small = point_plan_loops(plan, experiment, p, NULL) == TCPLAN_OK &&
                (double)plan->sum_count * (double)plan->repetitions * experiment->call_count <=
                    CALLS_MOST;
    }
    if (plan) point_plan_free(plan);
    free(plan);
    return small;
}

static void check_experiment(const struct tcplan_experiment *experiment) {
    char *text = tcplan_experiment_text(experiment);
    struct input input = {.data = text, .size = strlen(text)};
    struct tcplan_experiment *again = NULL;
    struct tcplan_error error = {0};
    size_t total = 0;
    require(tcplan_experiment_from(&again, read_input, &input, &error) == TCPLAN_OK);
    char *reprinted = tcplan_experiment_text(again);
    require(strcmp(text, reprinted) == 0);
    if (is_small(experiment) &&
        tcplan_experiment_script(experiment, NULL, count_bytes, &total, &error) != TCPLAN_OK)
        require(error.message[0] != '\0');
    tcplan_experiment_free(again);
    free(reprinted);
    free(text);
}

static void check_report(const struct tcplan_experiment_report *report) {
    static const char *const metrics[] = {"gflops",         "cycles",    "efficiency",
                                          "counted-cycles", "intensity", "written"};
    char *text = tcplan_experiment_report_text(report);
    struct input input = {.data = text, .size = strlen(text)};
    struct tcplan_experiment_report *again = NULL;
    require(tcplan_experiment_report_from(&again, read_input, &input, NULL) == TCPLAN_OK);
    char *reprinted = tcplan_experiment_report_text(again);
    require(strcmp(text, reprinted) == 0);
    for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++) {
        const struct tcplan_evaluation_choice choice = {.metric = metrics[m]};
        struct tcplan_evaluation evaluation;
        struct tcplan_error error = {0};
        if (tcplan_experiment_evaluate(&evaluation, report, &choice, &error) != TCPLAN_OK)
            require(error.message[0] != '\0');
        tcplan_evaluation_free(&evaluation);
    }
    tcplan_experiment_report_free(again);
    free(reprinted);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input input = {.data = (const char *)data, .size = size}, same = input;
    struct tcplan_experiment *experiment = NULL;
    struct tcplan_experiment_report *report = NULL;
    struct tcplan_error error = {0};
    if (tcplan_experiment_from(&experiment, read_input, &input, &error) == TCPLAN_OK) {
        check_experiment(experiment);
    } else {
        require(error.message[0] != '\0');
    }
    if (tcplan_experiment_report_from(&report, read_input, &same, &error) == TCPLAN_OK) {
        check_report(report);
    } else {
        require(error.message[0] != '\0');
    }
    tcplan_experiment_report_free(report);
    tcplan_experiment_free(experiment);
    return 0;
}
