#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "routines/sampler/experiments/report.h"
#include "routines/sampler/experiments/run.h"
#include "support/memory_source.h"

/* The calls are executed, but a formula gives their times, so that reports are reproducible. */

enum { UNITS_MOST = 1000 };

struct scripted {
    int64_t units_left; /* number of units (points of the experiment) to run before an interruption
                         */
    struct sample sample[UNITS_MOST];
};

/** Returns synthetic ticks of a sample, at least 1000, which differ for every unit, sample and
 * repetition. */
static uint64_t ticks_of(int64_t unit, int number) {
    return 1000 + 100 * (uint64_t)unit + (uint64_t)number;
}

static enum tcplan_status run_scripted(void *context, int64_t unit, struct queue *queue,
                                       const struct queue_options *options,
                                       const struct sample **samples, int *count,
                                       struct tcplan_error *error) {
    struct scripted *scripted = context;
    if (scripted->units_left-- == 0) return error_set(error, TCPLAN_ENVIRONMENT, "interrupted");
    enum tcplan_status status = queue_run(queue, options, error);
    const struct sample *made = queue_samples(queue, count);
    assert_true(*count <= UNITS_MOST);
    for (int s = 0; s < *count; s++) {
        scripted->sample[s] = made[s];
        scripted->sample[s].ticks = ticks_of(unit, made[s].tag);
        scripted->sample[s].disturbed = made[s].tag == 1;
    }
    *samples = scripted->sample;
    return status;
}

static struct tcplan_experiment *experiment_of(const char *text) {
    struct memory_source source = memory_source_of(text);
    struct tcplan_experiment *experiment = NULL;
    struct tcplan_error error = {0};
    if (tcplan_experiment_from(&experiment, memory_source_read, &source, &error) != TCPLAN_OK)
        fail_msg("line %zu: %s", error.line, error.message);
    return experiment;
}

static struct tcplan_machine machine_of(const char *cpu) {
    struct tcplan_machine machine = {.live = true, .cores = 2, .processing_units = 2};
    snprintf(machine.cpu, sizeof machine.cpu, "%s", cpu);
    return machine;
}

/** Runs an experiment until this many units are complete (-1: all). */
static enum tcplan_status run(const struct tcplan_experiment *experiment, const char *report,
                              int64_t shard, int64_t shards, int64_t units, const char *cpu,
                              struct tcplan_experiment_outcome *outcome,
                              struct tcplan_error *error) {
    struct scripted *scripted = calloc(1, sizeof *scripted);
    const struct tcplan_machine machine = machine_of(cpu);
    const struct experiment_executor executor = {
        .context = scripted, .run = run_scripted, .ticks_per_second = 1e6};
    const struct tcplan_experiment_run_options options = {
        .machine = &machine, .report = report, .shard = shard, .shards = shards};
    assert_non_null(scripted);
    scripted->units_left = units;
    const enum tcplan_status status =
        experiment_run_by(outcome, experiment, &options, &executor, error);
    free(scripted);
    return status;
}

static struct tcplan_experiment_report *report_of(const char *path) {
    struct tcplan_experiment_report *report = NULL;
    struct tcplan_error error = {0};
    if (tcplan_experiment_report_read(&report, path, &error) != TCPLAN_OK)
        fail_msg("%s, line %zu: %s", path, error.line, error.message);
    return report;
}

/** Returns the text of the report without the dates of its units. */
static char *text_of(const char *path) {
    struct tcplan_experiment_report *report = report_of(path);
    for (struct report_run *r = report->runs; r; r = r->next) r->finished = "";
    char *text = tcplan_experiment_report_text(report);
    tcplan_experiment_report_free(report);
    assert_non_null(text);
    return text;
}

static void assert_same_reports(const char *a, const char *b) {
    char *one = text_of(a), *other = text_of(b);
    assert_string_equal(one, other);
    free(one);
    free(other);
}

static int enter_folder(void **state) {
    char *folder = strdup("/tmp/tcplan-experiment-XXXXXX");
    *state = folder;
    return folder && mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state) {
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", (char *)*state);
    free(*state);
    return chdir("/") == 0 ? system(command) : -1; /* NOLINT(cert-env33-c): the command removes the
                                                      test's own folder */
}

#define CALLS                                                                                                        \
    "<call routine=\"dgemv\">trans=N m=n n=n alpha=1 A=A x=x beta=1 y=y</call><call routine=\"ddot\">x=x y=y</call>" \
    "<operand name=\"A\" vary=\"rep\"/></experiment>"

static const char plain[] =
    "<experiment format=\"1\" name=\"x\" repetitions=\"3\" flops_per_cycle=\"4\"><range variable=\"n\" values=\"10:60:10\"/>" CALLS;
static const char shuffled[] =
    "<experiment format=\"1\" name=\"x\" repetitions=\"4\" shuffle=\"true\" flops_per_cycle=\"4\"><range variable=\"n\" values=\"10:60:10\"/>" CALLS;

/* Resuming. */

static void check_resuming(const char *text) {
    struct tcplan_experiment *experiment = experiment_of(text);
    struct tcplan_experiment_outcome outcome;
    struct tcplan_error error = {0};
    if (run(experiment, "whole.xml", 0, 0, -1, "cpu", &outcome, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    assert_true(outcome.complete && outcome.done == outcome.units && outcome.known == 0);
    assert_int_equal(run(experiment, "parts.xml", 0, 0, 2, "cpu", &outcome, &error),
                     TCPLAN_ENVIRONMENT);
    assert_false(outcome.complete);
    struct tcplan_experiment_report *report = report_of("parts.xml");
    assert_int_equal(report->run_count, 2);
    assert_false(tcplan_experiment_report_is_complete(report));
    tcplan_experiment_report_free(report);
    assert_int_equal(run(experiment, "parts.xml", 0, 0, 1, "cpu", &outcome, &error),
                     TCPLAN_ENVIRONMENT);
    assert_int_equal(run(experiment, "parts.xml", 0, 0, -1, "cpu", &outcome, &error), TCPLAN_OK);
    assert_int_equal(outcome.known, 3);
    assert_same_reports("whole.xml", "parts.xml");
    assert_int_equal(run(experiment, "parts.xml", 0, 0, 0, "cpu", &outcome, &error),
                     TCPLAN_OK); /* resuming a complete report runs nothing */
    assert_same_reports("whole.xml", "parts.xml");
    tcplan_experiment_free(experiment);
}

static void an_interrupted_run_resumes(void **state) {
    (void)state;
    check_resuming(plain);
}

static void shuffled_repetitions_resume(void **state) {
    (void)state;
    check_resuming(shuffled);
}

static void a_truncated_report_resumes_after_its_last_unit(void **state) {
    struct tcplan_experiment *experiment = experiment_of(plain);
    struct tcplan_experiment_outcome outcome;
    struct tcplan_error error = {0};
    struct stat status;
    (void)state;
    assert_int_equal(run(experiment, "whole.xml", 0, 0, -1, "cpu", &outcome, &error), TCPLAN_OK);
    assert_int_equal(stat("whole.xml", &status), 0);
    char *bytes = malloc((size_t)status.st_size);
    FILE *file = fopen("whole.xml", "r");
    assert_true(bytes && file &&
                fread(bytes, 1, (size_t)status.st_size, file) == (size_t)status.st_size);
    fclose(file);
    const char *begun = strstr(bytes, "</experiment>");
    assert_non_null(begun);
    const size_t first = (size_t)(begun - bytes) + strlen("</experiment>\n");
    for (size_t length = first; length < (size_t)status.st_size;
         length += 97) { /* truncates at every 97th byte after the description of the experiment */
        file = fopen("torn.xml", "w");
        assert_non_null(file);
        assert_int_equal(fwrite(bytes, 1, length, file), length);
        fclose(file);
        if (run(experiment, "torn.xml", 0, 0, -1, "cpu", &outcome, &error) != TCPLAN_OK)
            fail_msg("cut at %zu: %s", length, error.message);
        assert_same_reports("whole.xml", "torn.xml");
    }
    free(bytes);
    tcplan_experiment_free(experiment);
}

static void another_experiment_shard_or_machine_is_refused(void **state) {
    struct tcplan_experiment *experiment = experiment_of(plain), *other = experiment_of(shuffled);
    struct tcplan_experiment_outcome outcome;
    struct tcplan_error error = {0};
    (void)state;
    assert_int_equal(run(experiment, "report.xml", 0, 0, 2, "cpu", &outcome, &error),
                     TCPLAN_ENVIRONMENT);
    assert_int_equal(run(other, "report.xml", 0, 0, -1, "cpu", &outcome, &error), TCPLAN_MISMATCH);
    assert_non_null(strstr(error.message, "another experiment"));
    assert_int_equal(run(experiment, "report.xml", 1, 2, -1, "cpu", &outcome, &error),
                     TCPLAN_MISMATCH);
    assert_non_null(strstr(error.message, "the whole experiment"));
    assert_int_equal(run(experiment, "report.xml", 0, 0, -1, "another", &outcome, &error),
                     TCPLAN_MISMATCH);
    assert_non_null(strstr(error.message, "CPU: 'cpu' and 'another'"));
    FILE *file = fopen("else.xml", "w");
    assert_non_null(file);
    fputs("<results format=\"1\"/>", file);
    fclose(file);
    assert_int_equal(run(experiment, "else.xml", 0, 0, -1, "cpu", &outcome, &error),
                     TCPLAN_INVALID);
    tcplan_experiment_free(experiment);
    tcplan_experiment_free(other);
}

static void damage_is_noticed(void **state) {
    struct tcplan_experiment *experiment = experiment_of(plain);
    struct tcplan_experiment_outcome outcome;
    struct tcplan_error error = {0};
    (void)state;
    assert_int_equal(run(experiment, "report.xml", 0, 0, -1, "cpu", &outcome, &error), TCPLAN_OK);
    static const char *const parts[] = {"ticks=\"1",  "repetition=\"1", "flops_per_cycle=\"4",
                                        "values=\"1", "runs=\"6",       "cpu"};
    char *text = text_of("report.xml");
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        char *copy = strdup(text);
        assert_non_null(copy);
        char *at = strstr(copy, parts[p]);
        assert_non_null(at);
        at[strlen(parts[p]) - 1]++;
        struct memory_source source = memory_source_of(copy);
        struct tcplan_experiment_report *report = NULL;
        if (tcplan_experiment_report_from(&report, memory_source_read, &source, &error) ==
            TCPLAN_OK)
            fail_msg("taken: changed %s", parts[p]);
        assert_true(error.line > 0);
        free(copy);
    }
    free(text);
    tcplan_experiment_free(experiment);
}

/* Shards. */

static void check_shards(const char *text) {
    static const char *const paths[] = {"3.xml", "1.xml", "2.xml"};
    struct tcplan_experiment *experiment = experiment_of(text);
    struct tcplan_experiment_outcome outcome;
    struct tcplan_experiment_report *merged = NULL;
    struct tcplan_evaluation whole_figures, merged_figures;
    const struct tcplan_evaluation_choice choice = {.metric = "flops"};
    struct tcplan_error error = {0};
    assert_int_equal(run(experiment, "whole.xml", 0, 0, -1, "cpu", &outcome, &error), TCPLAN_OK);
    const int64_t samples = outcome.samples;
    int64_t sum = 0;
    for (int shard = 1; shard <= 3; shard++) {
        char path[16];
        snprintf(path, sizeof path, "%d.xml", shard);
        assert_int_equal(run(experiment, path, shard, 3, -1, "cpu", &outcome, &error), TCPLAN_OK);
        sum += outcome.samples;
    }
    assert_int_equal(sum, samples);
    if (tcplan_experiment_report_merge(&merged, paths, 3, false, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    struct tcplan_experiment_report *whole = report_of("whole.xml");
    assert_true(tcplan_experiment_report_is_complete(merged));
    assert_int_equal(tcplan_experiment_evaluate(&whole_figures, whole, &choice, &error), TCPLAN_OK);
    assert_int_equal(tcplan_experiment_evaluate(&merged_figures, merged, &choice, &error),
                     TCPLAN_OK);
    assert_int_equal(merged_figures.missing, 0);
    for (size_t p = 0; p < whole_figures.point_count; p++) {
        const struct tcplan_figure *a = &whole_figures.figure[p], *b = &merged_figures.figure[p];
        assert_int_equal(a->count, b->count);
        assert_memory_equal(a->sample, b->sample, a->count * sizeof *a->sample);
    }
    tcplan_evaluation_free(&whole_figures);
    tcplan_evaluation_free(&merged_figures);
    tcplan_experiment_report_free(whole);
    tcplan_experiment_report_free(merged);
    tcplan_experiment_free(experiment);
}

static void shards_joined_are_the_whole(void **state) {
    (void)state;
    check_shards(plain);
}

static void shuffled_shards_joined_are_the_whole(void **state) {
    (void)state;
    check_shards(shuffled);
}

static void ticks_of_shards_equal_those_of_the_whole(void **state) {
    static const char *const paths[] = {"1.xml", "2.xml"};
    struct tcplan_experiment *experiment = experiment_of(plain);
    struct tcplan_experiment_outcome outcome;
    struct tcplan_experiment_report *merged = NULL;
    struct tcplan_error error = {0};
    (void)state;
    assert_int_equal(run(experiment, "whole.xml", 0, 0, -1, "cpu", &outcome, &error), TCPLAN_OK);
    assert_int_equal(run(experiment, "1.xml", 1, 2, -1, "cpu", &outcome, &error), TCPLAN_OK);
    assert_int_equal(run(experiment, "2.xml", 2, 2, -1, "cpu", &outcome, &error), TCPLAN_OK);
    assert_int_equal(tcplan_experiment_report_merge(&merged, paths, 2, false, &error), TCPLAN_OK);
    char *text = tcplan_experiment_report_text(merged);
    FILE *file = fopen("merged.xml", "w");
    assert_true(text && file);
    fputs(text, file);
    fclose(file);
    assert_same_reports("whole.xml", "merged.xml");
    free(text);
    tcplan_experiment_report_free(merged);
    tcplan_experiment_free(experiment);
}

static void shards_that_do_not_make_a_whole_are_refused(void **state) {
    static const char *const twice[] = {"1.xml", "1.xml"}, *const one[] = {"1.xml"},
                             *const broken[] = {"1.xml", "2.xml"}, *const none[] = {"whole.xml"};
    struct tcplan_experiment *experiment = experiment_of(plain);
    struct tcplan_experiment_outcome outcome;
    struct tcplan_experiment_report *merged = NULL;
    struct tcplan_error error = {0};
    (void)state;
    assert_int_equal(run(experiment, "1.xml", 1, 2, -1, "cpu", &outcome, &error), TCPLAN_OK);
    assert_int_equal(run(experiment, "2.xml", 2, 2, 1, "cpu", &outcome, &error),
                     TCPLAN_ENVIRONMENT);
    assert_int_equal(run(experiment, "whole.xml", 0, 0, -1, "cpu", &outcome, &error), TCPLAN_OK);
    assert_int_equal(tcplan_experiment_report_merge(&merged, twice, 2, false, &error),
                     TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "overlaps"));
    assert_int_equal(tcplan_experiment_report_merge(&merged, one, 1, false, &error),
                     TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "shard 2/2 is missing"));
    assert_int_equal(tcplan_experiment_report_merge(&merged, broken, 2, false, &error),
                     TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "not complete"));
    assert_int_equal(tcplan_experiment_report_merge(&merged, none, 1, false, &error),
                     TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "is no shard"));
    tcplan_experiment_free(experiment);
}

/* Figures. */

/** A report evaluated with one selector; freed together with its figures. */
struct evaluated {
    struct tcplan_experiment_report *report;
    struct tcplan_evaluation figures;
};

static struct evaluated evaluate(const char *path, const char *metric, const char *selector,
                                 bool discard_first) {
    struct evaluated out = {.report = report_of(path)};
    const struct tcplan_evaluation_choice choice = {.metric = metric,
                                                    .selector_count = selector ? 1 : 0,
                                                    .selector = {selector},
                                                    .discard_first = discard_first};
    struct tcplan_error error = {0};
    if (tcplan_experiment_evaluate(&out.figures, out.report, &choice, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    return out;
}

static void evaluated_free(struct evaluated *evaluated) {
    tcplan_evaluation_free(&evaluated->figures);
    tcplan_experiment_report_free(evaluated->report);
}

/** Returns the median of a metric at the first point. */
static double median(const char *metric, const char *selector) {
    struct evaluated evaluated = evaluate("report.xml", metric, selector, false);
    const double out = evaluated.figures.figure[0].statistic[TCPLAN_STATISTIC_MEDIAN];
    evaluated_free(&evaluated);
    return out;
}

static void assert_near(double found, double expected) {
    if (!(fabs(found - expected) <= 1e-12 * fabs(expected)))
        fail_msg("expected %.17g, found %.17g", expected, found);
}

/* Side by side. */

#define LINE_UP(values, variable)                                                                  \
    "<experiment format=\"1\" name=\"x\" repetitions=\"3\">"                                       \
    "<range variable=\"" variable "\" values=\"" values "\"/>"                                     \
    "<call routine=\"ddot\">n=" variable " x=x y=y</call></experiment>"

static struct evaluated run_and_evaluate(const char *text, const char *path, const char *metric) {
    struct tcplan_experiment *experiment = experiment_of(text);
    struct tcplan_experiment_outcome outcome;
    struct tcplan_error error = {0};
    unlink(path);
    if (run(experiment, path, 0, 0, -1, "cpu", &outcome, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    tcplan_experiment_free(experiment);
    return evaluate(path, metric, NULL, false);
}

static void reports_are_joined_by_the_values_of_their_ranges(void **state) {
    (void)state;
    static const char *const labels[] = {"A", "B"};
    static const int64_t points[] = {10, 20, 30, 40};
    struct evaluated a = run_and_evaluate(LINE_UP("10:30:10", "n"), "a.xml", "cycles"),
                     b = run_and_evaluate(LINE_UP("20:40:20", "n"), "b.xml", "cycles");
    const struct tcplan_evaluation of[] = {a.figures, b.figures};
    struct tcplan_evaluation joined;
    struct tcplan_error error = {0};
    assert_int_equal(tcplan_evaluations_join(&joined, of, labels, 2, &error), TCPLAN_OK);
    assert_int_equal(joined.point_count, 4);
    assert_memory_equal(joined.point, points, sizeof points);
    assert_int_equal(joined.selector_count, 2);
    assert_string_equal(joined.selector[0], "A");
    assert_string_equal(joined.selector[1], "B");
    assert_int_equal(joined.figure[1].count, 0); /* B has no n = 10 */
    assert_int_equal(joined.figure[2 * 3].count, 0);
    /* n = 20 is unit 1 of A, unit 0 of B: ticks_of(unit, number) */
    assert_near(joined.figure[2].statistic[TCPLAN_STATISTIC_MEDIAN], (double)ticks_of(1, 1));
    assert_near(joined.figure[3].statistic[TCPLAN_STATISTIC_MEDIAN], (double)ticks_of(0, 1));
    assert_near(joined.figure[3].statistic[TCPLAN_STATISTIC_P25], (double)ticks_of(0, 0) + 0.5);
    assert_near(joined.figure[3].statistic[TCPLAN_STATISTIC_P75], (double)ticks_of(0, 1) + 0.5);
    tcplan_evaluation_free(&joined);
    evaluated_free(&a);
    evaluated_free(&b);
}

static void reports_that_do_not_compare_are_refused(void **state) {
    (void)state;
    static const char *const labels[] = {"A", "B"};
    struct evaluated a = run_and_evaluate(LINE_UP("10:30:10", "n"), "a.xml", "cycles"),
                     b = run_and_evaluate(LINE_UP("10:30:10", "m"), "b.xml", "cycles"),
                     c = evaluate("a.xml", "flops", NULL, false);
    struct tcplan_evaluation joined;
    struct tcplan_error error = {0};
    const struct tcplan_evaluation other_variable[] = {a.figures, b.figures},
                                   other_metric[] = {a.figures, c.figures};
    assert_int_equal(tcplan_evaluations_join(&joined, other_variable, labels, 2, &error),
                     TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "different variables: 'n' and 'm'"));
    tcplan_evaluation_free(&joined);
    assert_int_equal(tcplan_evaluations_join(&joined, other_metric, labels, 2, &error),
                     TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "'cycles' and 'flops' cannot be compared"));
    tcplan_evaluation_free(&joined);
    evaluated_free(&a);
    evaluated_free(&b);
    evaluated_free(&c);
}

/* At n = 10 (unit 0): repetition r has dgemv in sample 2 r and ddot in sample 2 r + 1, so ticks
 * 1000, 1002, 1004 and 1001, 1003, 1005; a second has 1e6 ticks. dgemv: 2 n^2 = 200 operations, and
 * 100 + 10 + 2 * 10 = 130 doubles moved = 1040 bytes; ddot: 20 operations, 20 doubles = 160 bytes.
 */
static void metrics_are_those_computed_by_hand(void **state) {
    struct tcplan_experiment *experiment = experiment_of(plain);
    struct tcplan_experiment_outcome outcome;
    struct tcplan_error error = {0};
    (void)state;
    assert_int_equal(run(experiment, "report.xml", 0, 0, -1, "cpu", &outcome, &error), TCPLAN_OK);
    assert_near(median("cycles", "dgemv"), 1002);
    assert_near(median("cycles", "ddot"), 1003);
    assert_near(median("cycles", NULL), 2005);
    assert_near(median("cycles", "x=2*dgemv-ddot"), 1001);
    assert_near(median("s", "dgemv"), 1002e-6);
    assert_near(median("ms", "dgemv"), 1.002);
    assert_near(median("flops", "dgemv"), 200);
    assert_near(median("flops", NULL), 220);
    assert_near(median("flops/cycle", "dgemv"), 200.0 / 1002);
    assert_near(median("gflops", "dgemv"), 1e-9 * 200 / 1002e-6);
    assert_near(median("efficiency", "dgemv"), 200.0 / (4 * 1002));
    assert_near(median("bandwidth", "dgemv"), 1e-9 * 1040 / 1002e-6);
    assert_near(median("bandwidth", "ddot"), 1e-9 * 160 / 1003e-6);
    assert_near(median("bytes", "dgemv"), 1040);
    assert_near(median("written", "dgemv"), 80);
    assert_near(median("written", "ddot"), 0);
    assert_near(median("intensity", "dgemv"), 200.0 / 1040);
    assert_near(median("intensity", "ddot"), 1.0 / 8);
    tcplan_experiment_free(experiment);
}

/* Rates are computed before statistics: ticks 1000, 1002, 1004 give rates 200/1000, 200/1002,
 * 200/1004, whose mean is not 200 over the mean of the ticks. */
static void statistics_apply_to_metrics(void **state) {
    struct tcplan_experiment *experiment = experiment_of(plain);
    struct tcplan_experiment_outcome outcome;
    struct tcplan_error error = {0};
    (void)state;
    assert_int_equal(run(experiment, "report.xml", 0, 0, -1, "cpu", &outcome, &error), TCPLAN_OK);
    struct evaluated evaluated = evaluate("report.xml", "flops/cycle", "dgemv", false);
    const struct tcplan_figure *figure = &evaluated.figures.figure[0];
    const double rate[3] = {0.2, 200.0 / 1002, 200.0 / 1004},
                 mean = (rate[0] + rate[1] + rate[2]) / 3;
    double squares = 0;
    for (int r = 0; r < 3; r++) squares += (rate[r] - mean) * (rate[r] - mean);
    assert_int_equal(figure->count, 3);
    assert_near(figure->statistic[TCPLAN_STATISTIC_MIN], rate[2]);
    assert_near(figure->statistic[TCPLAN_STATISTIC_MEDIAN], rate[1]);
    assert_near(figure->statistic[TCPLAN_STATISTIC_MAX], rate[0]);
    assert_near(figure->statistic[TCPLAN_STATISTIC_MEAN], mean);
    assert_near(figure->statistic[TCPLAN_STATISTIC_DEVIATION], sqrt(squares / 3));
    assert_int_equal(figure->disturbed, 0);
    evaluated_free(&evaluated);
    evaluated = evaluate("report.xml", "cycles", "ddot", true); /* 1003, 1005 */
    assert_int_equal(evaluated.figures.figure[0].count, 2);
    assert_near(evaluated.figures.figure[0].statistic[TCPLAN_STATISTIC_MEDIAN], 1004);
    assert_near(evaluated.figures.figure[0].statistic[TCPLAN_STATISTIC_DEVIATION], 1);
    evaluated_free(&evaluated);
    evaluated = evaluate("report.xml", "cycles", "ddot", false);
    assert_int_equal(evaluated.figures.figure[0].disturbed,
                     1); /* disturbed: sample 1 of every unit */
    evaluated_free(&evaluated);
    tcplan_experiment_free(experiment);
}

static void sums_add_up_over_their_variable(void **state) {
    static const char text[] =
        "<experiment format=\"1\" name=\"x\" repetitions=\"2\"><sum variable=\"k\" values=\"1:4\"/>"
        "<call routine=\"ddot\">n=10*k x=x y=y</call><call routine=\"daxpy\">n=k alpha=2 x=x y=z</call></experiment>";
    struct tcplan_experiment *experiment = experiment_of(text);
    struct tcplan_experiment_outcome outcome;
    struct tcplan_error error = {0};
    (void)state;
    assert_int_equal(run(experiment, "report.xml", 0, 0, -1, "cpu", &outcome, &error), TCPLAN_OK);
    assert_int_equal(outcome.samples, 16);
    assert_near(median("flops", "ddot"), 2 * 10 * (1 + 2 + 3 + 4));
    assert_near(median("flops", "daxpy"), 2 * (1 + 2 + 3 + 4));
    /* ddot has samples 0, 2, 4, 6 of the first repetition and 8, 10, 12, 14 of the second */
    struct evaluated evaluated = evaluate("report.xml", "cycles", "ddot", false);
    assert_near(evaluated.figures.figure[0].sample[0], 4000 + 0 + 2 + 4 + 6);
    assert_near(evaluated.figures.figure[0].sample[1], 4000 + 8 + 10 + 12 + 14);
    assert_null(evaluated.figures.variable);
    evaluated_free(&evaluated);
    tcplan_experiment_free(experiment);
}

static void parallel_calls_have_one_time(void **state) {
    static const char text[] =
        "<experiment format=\"1\" name=\"x\" repetitions=\"2\" threads=\"2\"><sum variable=\"k\" values=\"1:4\" parallel=\"true\"/>"
        "<call routine=\"ddot\">n=10*k x=x y=y</call><call routine=\"daxpy\">n=k alpha=2 x=x y=z</call></experiment>";
    struct tcplan_experiment *experiment = experiment_of(text);
    struct tcplan_experiment_outcome outcome;
    struct tcplan_evaluation figures;
    const struct tcplan_evaluation_choice one = {
        .metric = "cycles", .selector_count = 1, .selector = {"ddot"}};
    struct tcplan_error error = {0};
    (void)state;
    if (run(experiment, "report.xml", 0, 0, -1, "cpu", &outcome, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    assert_int_equal(outcome.samples, 2);
    assert_near(median("flops", NULL), 2 * 11 * 10);
    assert_near(median("cycles", NULL), 1000.5); /* samples 0 and 1 */
    struct tcplan_experiment_report *report = report_of("report.xml");
    assert_int_equal(tcplan_experiment_evaluate(&figures, report, &one, &error), TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "only the sum of all calls"));
    tcplan_evaluation_free(&figures);
    tcplan_experiment_report_free(report);
    tcplan_experiment_free(experiment);
}

static void random_fills_have_no_samples(void **state) {
    static const char text[] =
        "<experiment format=\"1\" name=\"x\" repetitions=\"2\" randomize=\"true\"><range variable=\"n\" values=\"3,4\"/>"
        "<call routine=\"sdot\">n=n x=x y=y</call></experiment>";
    struct tcplan_experiment *experiment = experiment_of(text);
    struct tcplan_experiment_outcome outcome;
    struct tcplan_error error = {0};
    (void)state;
    if (run(experiment, "report.xml", 0, 0, -1, "cpu", &outcome, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    assert_int_equal(outcome.samples, 4);
    struct evaluated evaluated = evaluate("report.xml", "cycles", NULL, false);
    assert_near(evaluated.figures.figure[1].sample[0], 1100);
    assert_near(evaluated.figures.figure[1].sample[1], 1101);
    evaluated_free(&evaluated);
    tcplan_experiment_free(experiment);
}

static void missing_items_cannot_be_chosen(void **state) {
    static const struct {
        const char *metric, *selector, *says;
    } cases[] = {{"speed", "all", "expected the metric cycles"},
                 {"misses", "all", "(it has none)"},
                 {"cycles", "dgemm", "unknown call 'dgemm': expected all, dgemv, ddot"},
                 {"cycles", "dgemv dgemv", "expected + or - between calls"},
                 {"cycles", "2*", "unknown call"},
                 {"cycles", "", "unknown call"}};
    struct tcplan_experiment *experiment = experiment_of(plain);
    struct tcplan_experiment_outcome outcome;
    struct tcplan_error error = {0};
    (void)state;
    assert_int_equal(run(experiment, "report.xml", 0, 0, -1, "cpu", &outcome, &error), TCPLAN_OK);
    struct tcplan_experiment_report *report = report_of("report.xml");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct tcplan_evaluation_choice choice = {
            .metric = cases[c].metric, .selector_count = 1, .selector = {cases[c].selector}};
        struct tcplan_evaluation figures;
        assert_int_equal(tcplan_experiment_evaluate(&figures, report, &choice, &error),
                         TCPLAN_INVALID);
        if (!strstr(error.message, cases[c].says))
            fail_msg("expected '%s', found '%s'", cases[c].says, error.message);
        tcplan_evaluation_free(&figures);
    }
    tcplan_experiment_report_free(report);
    tcplan_experiment_free(experiment);
}

/* Failing memory. */

/** Returns the next number of successful allocations to try: every number at first, then with
 * growing gaps. */
static long after(long successes) {
    return successes + 1 + successes / 32;
}

static void a_run_out_of_memory_keeps_its_results(void **state) {
    struct tcplan_experiment *experiment = experiment_of(plain);
    struct tcplan_experiment_outcome outcome;
    struct tcplan_error error = {0};
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    int64_t kept = 0;
    (void)state;
    assert_int_equal(run(experiment, "whole.xml", 0, 0, -1, "cpu", &outcome, &error), TCPLAN_OK);
    for (long successes = 0; status != TCPLAN_OK; successes = after(successes)) {
        base_alloc_fail_after(successes);
        status = run(experiment, "parts.xml", 0, 0, -1, "cpu", &outcome, &error);
        base_alloc_fail_after(-1);
        if (status != TCPLAN_OK && status != TCPLAN_NO_MEMORY)
            fail_msg("%ld: %s", successes, error.message);
        if (access("parts.xml", F_OK) != 0) continue;
        struct tcplan_experiment_report *report = report_of("parts.xml");
        assert_true(report->run_count >= kept);
        kept = report->run_count;
        tcplan_experiment_report_free(report);
    }
    assert_same_reports("whole.xml", "parts.xml");
    tcplan_experiment_free(experiment);
}

/** Joins two shards of a report, prints the result, and evaluates it. */
static enum tcplan_status join_and_evaluate(const char *const paths[], struct tcplan_error *error) {
    static const struct tcplan_evaluation_choice choice = {
        .metric = "gflops", .selector_count = 1, .selector = {"x=2*dgemv-ddot"}};
    struct tcplan_experiment_report *merged = NULL;
    struct tcplan_evaluation figures;
    enum tcplan_status status = tcplan_experiment_report_merge(&merged, paths, 2, false, error);
    if (status != TCPLAN_OK) {
        assert_null(merged);
        return status;
    }
    char *text = tcplan_experiment_report_text(merged);
    status = tcplan_experiment_evaluate(&figures, merged, &choice, error);
    if (status == TCPLAN_OK && !text) status = TCPLAN_NO_MEMORY;
    tcplan_evaluation_free(&figures);
    tcplan_experiment_report_free(merged);
    free(text);
    return status;
}

static void reports_report_out_of_memory(void **state) {
    static const char *const paths[] = {"1.xml", "2.xml"};
    struct tcplan_experiment *experiment = experiment_of(shuffled);
    struct tcplan_experiment_outcome outcome;
    struct tcplan_error error = {0};
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    (void)state;
    for (int shard = 1; shard <= 2; shard++)
        assert_int_equal(run(experiment, paths[shard - 1], shard, 2, -1, "cpu", &outcome, &error),
                         TCPLAN_OK);
    for (long successes = 0; status != TCPLAN_OK; successes = after(successes)) {
        base_alloc_fail_after(successes);
        status = join_and_evaluate(paths, &error);
        base_alloc_fail_after(-1);
        if (status != TCPLAN_OK && status != TCPLAN_NO_MEMORY)
            fail_msg("%ld: %s", successes, error.message);
    }
    tcplan_experiment_free(experiment);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_interrupted_run_resumes, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(shuffled_repetitions_resume, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(a_truncated_report_resumes_after_its_last_unit,
                                        enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(another_experiment_shard_or_machine_is_refused,
                                        enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(damage_is_noticed, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(shards_joined_are_the_whole, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(shuffled_shards_joined_are_the_whole, enter_folder,
                                        leave_folder),
        cmocka_unit_test_setup_teardown(ticks_of_shards_equal_those_of_the_whole, enter_folder,
                                        leave_folder),
        cmocka_unit_test_setup_teardown(shards_that_do_not_make_a_whole_are_refused, enter_folder,
                                        leave_folder),
        cmocka_unit_test_setup_teardown(metrics_are_those_computed_by_hand, enter_folder,
                                        leave_folder),
        cmocka_unit_test_setup_teardown(reports_are_joined_by_the_values_of_their_ranges,
                                        enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(reports_that_do_not_compare_are_refused, enter_folder,
                                        leave_folder),
        cmocka_unit_test_setup_teardown(statistics_apply_to_metrics, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(sums_add_up_over_their_variable, enter_folder,
                                        leave_folder),
        cmocka_unit_test_setup_teardown(parallel_calls_have_one_time, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(random_fills_have_no_samples, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(missing_items_cannot_be_chosen, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(a_run_out_of_memory_keeps_its_results, enter_folder,
                                        leave_folder),
        cmocka_unit_test_setup_teardown(reports_report_out_of_memory, enter_folder, leave_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
