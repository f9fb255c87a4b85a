/*
 * Tests studies of configurations on a simulated machine with known times: the grid is measured
 * once, and the models fitted to it equal those of a generation on the same samples.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/error.h"
#include "routines/sampler/generation/rounds.h"
#include "routines/sampler/generation/study.h"

static const char domain[] = "m=24:136,n=24:264";

enum { POINTS = 15 * 31 };

struct machine {
    double exponent; /* of n in the time */
    int64_t executions;
    int64_t most; /* executions after which the clock passes the time limit; 0: never */
};

static enum tcplan_status measure(void *context, const struct points_job job[], int count,
                                  struct points_timing out[], struct tcplan_error *error) {
    struct machine *machine = context;
    (void)error;
    for (int j = 0; j < count; j++) {
        const double m = (double)job[j].size[0], n = (double)job[j].size[1];
        const double bump = 1 + 0.1 * sin(m / 9) * sin(n / 13);
        const double seconds = 1e-6 + 1e-9 * m * m * pow(n, machine->exponent) * bump;
        const double late = 1 + 0.001 * (double)(machine->executions++ % 7);
        out[j] = (struct points_timing){
            .sample = {.seconds = seconds * late, .apart_seconds = 2 * seconds}};
    }
    return TCPLAN_OK;
}

static double now(void *context) {
    const struct machine *machine = context;
    return machine->most > 0 && machine->executions >= machine->most ? 10 : 0;
}

/** A study of the configurations of the paper. */
struct made {
    struct generation_cases cases;
    struct samples *samples;
    int64_t leading;
    size_t configs;
    struct tcplan_model_config *config;
    struct tcplan_study result;
};

static void begin(struct made *made, const struct tcplan_generation_config *deviations) {
    static const struct samples_setup setup = {.threads = 1};
    const char *const word[] = {"dtrsm:side=L,uplo=L,transA=N,diag=N,alpha=1"};
    *made = (struct made){.leading = 5000};
    assert_int_equal(cases_read(&made->cases, word, 1, domain, 8, NULL), TCPLAN_OK);
    assert_int_equal(samples_open(&made->samples, NULL, &setup, false, NULL), TCPLAN_OK);
    made->configs = tcplan_configurations_list(NULL, 0, TCPLAN_CONFIGURATIONS_PAPER, deviations);
    made->config = calloc(made->configs, sizeof *made->config);
    assert_non_null(made->config);
    tcplan_configurations_list(made->config, made->configs, TCPLAN_CONFIGURATIONS_PAPER,
                               deviations);
}

static void run(struct made *made, struct machine *machine) {
    const struct points_means means = {.context = machine, .measure = measure, .now = now};
    struct study study = {.of = made->cases.of,
                          .leading = &made->leading,
                          .cases = made->cases.count,
                          .config = made->config,
                          .configs = made->configs,
                          .step = 8,
                          .samples = made->samples,
                          .time_limit_seconds = machine->most > 0 ? 5 : 0,
                          .result = &made->result};
    struct tcplan_error error;
    if (study_run(&study, &means, &error) != TCPLAN_OK) fail_msg("%s", error.message);
}

static void make(struct made *made, struct machine *machine) {
    const struct tcplan_generation_config usual = tcplan_generation_config_usual();
    begin(made, &usual);
    run(made, machine);
    assert_int_equal(made->result.count, made->configs);
}

static void drop(struct made *made) {
    tcplan_study_free(&made->result);
    free(made->config);
    cases_free(&made->cases);
    samples_close(made->samples);
}

static void the_paper_has_14_configurations_and_2880_combinations(void **state) {
    (void)state;
    struct tcplan_generation_config config = tcplan_generation_config_usual();
    assert_int_equal(tcplan_configurations_list(NULL, 0, TCPLAN_CONFIGURATIONS_PAPER, &config), 14);
    assert_int_equal(tcplan_configurations_list(NULL, 0, TCPLAN_CONFIGURATIONS_ALL, &config), 2880);
    config.bound = 0.01;
    assert_int_equal(tcplan_configurations_list(NULL, 0, TCPLAN_CONFIGURATIONS_ALL, &config), 1440);
    config.min_width = 40; /* lines 8 and 9, 10 and 11, 12 and 13 become equal */
    assert_int_equal(tcplan_configurations_list(NULL, 0, TCPLAN_CONFIGURATIONS_PAPER, &config), 11);
}

/* Table 3.3, as printed. */
static void the_configurations_are_those_of_the_paper(void **state) {
    (void)state;
    static const char *const table[] = {
        "0 4 chebyshev 10 median maximum 1 % 32",  "0 4 chebyshev 15 minimum maximum 1 % 32",
        "1 5 chebyshev 10 median maximum 1 % 32",  "1 5 chebyshev 10 minimum maximum 1 % 32",
        "1 8 cartesian 5 minimum maximum 1 % 32",  "2 4 cartesian 5 median maximum 1 % 64",
        "2 4 cartesian 10 median maximum 1 % 32",  "2 4 chebyshev 10 median maximum 1 % 32",
        "2 4 chebyshev 10 median maximum 1 % 64",  "2 4 chebyshev 10 minimum maximum 1 % 32",
        "2 4 chebyshev 10 minimum maximum 1 % 64", "2 4 chebyshev 15 minimum maximum 1 % 32",
        "2 4 chebyshev 15 minimum maximum 1 % 64", "2 7 cartesian 10 minimum maximum 1 % 32"};
    enum { LINES = sizeof table / sizeof *table };
    const struct tcplan_generation_config usual = tcplan_generation_config_usual();
    struct tcplan_model_config config[LINES];
    assert_int_equal(tcplan_configurations_list(config, LINES, TCPLAN_CONFIGURATIONS_PAPER, &usual),
                     LINES);
    for (int l = 0; l < LINES; l++) {
        const struct tcplan_model_config *line = &config[l];
        char text[80];
        snprintf(text, sizeof text, "%d %d %s %d %s %s %.3g %% %d", line->overfitting,
                 line->oversampling, tcplan_model_grid_name(line->grid), line->repetitions,
                 tcplan_model_statistic_name(line->reference),
                 tcplan_model_measure_name(line->measure), 100 * line->bound, (int)line->min_width);
        assert_string_equal(text, table[l]);
    }
}

static void the_grid_is_measured_once(void **state) {
    (void)state;
    struct machine machine = {.exponent = 1};
    struct made made;
    make(&made, &machine);
    assert_int_equal(made.result.points, POINTS);
    assert_int_equal(made.result.ready, POINTS);
    assert_int_equal(made.result.repetitions, 15);
    assert_int_equal(made.result.measured, 15 * POINTS);
    assert_int_equal(machine.executions, 15 * POINTS);
    tcplan_study_free(&made.result);
    run(&made, &machine);
    assert_int_equal(made.result.measured, 0);
    assert_int_equal(machine.executions, 15 * POINTS);
    drop(&made);
}

static void an_interrupted_measurement_resumes(void **state) {
    (void)state;
    const struct tcplan_generation_config usual = tcplan_generation_config_usual();
    struct machine machine = {.exponent = 1, .most = 1000}, whole = {.exponent = 1};
    struct made made, other;
    begin(&made, &usual);
    run(&made, &machine);
    assert_true(made.result.time_over);
    assert_int_equal(made.result.count, 0);
    const int64_t before = machine.executions;
    machine.most = 0;
    tcplan_study_free(&made.result);
    run(&made, &machine);
    assert_int_equal(made.result.measured, 15 * POINTS - before);
    assert_int_equal(made.result.count, 14);
    make(&other, &whole);
    for (size_t r = 0; r < made.result.count; r++)
        assert_int_equal(made.result.of[r].pieces, other.result.of[r].pieces);
    drop(&made);
    drop(&other);
}

/** Each configuration's model, made from the same samples by rounds_run(), has the pieces, points
 * and cost that the study reports, and no execution is missing. */
static void a_fit_from_the_grid_equals_a_generation_on_its_samples(void **state) {
    (void)state;
    struct machine machine = {.exponent = 1};
    struct made made;
    make(&made, &machine);
    const int64_t executions = machine.executions;
    const struct points_means means = {.context = &machine, .measure = measure, .now = now};
    for (size_t r = 0; r < made.result.count; r++) {
        const struct tcplan_studied *row = &made.result.of[r];
        struct rounds_task task = {
            .of = &made.cases.of[0], .config = made.config[r], .leading = made.leading};
        struct rounds rounds = {.task = &task, .count = 1, .samples = made.samples};
        assert_int_equal(rounds_run(&rounds, &means, NULL), TCPLAN_OK);
        assert_int_equal(task.model->piece_count, row->pieces);
        assert_int_equal(task.points, row->points);
        assert_float_equal(task.seconds, row->cost_seconds, 0);
        double sum = 0;
        for (int64_t p = 0; p < samples_points(made.samples); p++) {
            const struct samples_point *point = samples_point(made.samples, p);
            struct tcplan_model_estimate estimate;
            double least = INFINITY;
            for (int s = 0; s < point->count; s++) least = fmin(least, point->sample[s].seconds);
            tcplan_model_evaluate(&estimate, task.model, point->size);
            sum += fabs(estimate.ns[TCPLAN_MODEL_MINIMUM] * 1e-9 / least - 1);
        }
        assert_float_equal(sum / POINTS, row->error, 1e-9);
        tcplan_model_free(task.model);
        rounds_free(&rounds);
    }
    assert_int_equal(machine.executions, executions);
    drop(&made);
}

static void other_times_change_the_rows(void **state) {
    (void)state;
    struct machine machine = {.exponent = 1}, other_machine = {.exponent = 1.5};
    struct made made, other;
    make(&made, &machine);
    make(&other, &other_machine);
    for (size_t r = 0; r < made.result.count; r++) {
        assert_true(made.result.of[r].error != other.result.of[r].error);
        assert_true(made.result.of[r].cost_seconds < other.result.of[r].cost_seconds);
    }
    drop(&made);
    drop(&other);
}

static void a_larger_bound_gives_cheaper_and_less_accurate_models(void **state) {
    (void)state;
    struct tcplan_generation_config loose = tcplan_generation_config_usual();
    struct machine machine = {.exponent = 1}, other_machine = {.exponent = 1};
    struct made made, other;
    make(&made, &machine);
    loose.bound = 0.2;
    begin(&other, &loose);
    run(&other, &other_machine);
    for (size_t r = 0; r < made.result.count; r++) {
        assert_true(other.result.of[r].cost_seconds < made.result.of[r].cost_seconds);
        assert_true(other.result.of[r].error > made.result.of[r].error);
    }
    drop(&made);
    drop(&other);
}

static void pruning_keeps_the_cheapest_quarter_of_the_accurate_rows(void **state) {
    (void)state;
    struct tcplan_studied row[8] = {
        {.error = 0.010, .cost_seconds = 9}, {.error = 0.015, .cost_seconds = 2},
        {.error = 0.016, .cost_seconds = 1}, {.error = 0.012, .cost_seconds = 3},
        {.error = 0.020, .cost_seconds = 4}, {.error = 0.020, .cost_seconds = 5},
        {.error = 0.020, .cost_seconds = 6}, {.error = 0.020, .cost_seconds = 7}};
    study_prune(row, 8);
    for (int r = 0; r < 8; r++) {
        assert_int_equal(row[r].accurate, r == 0 || r == 1 || r == 3);
        assert_int_equal(row[r].chosen, r == 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_paper_has_14_configurations_and_2880_combinations),
        cmocka_unit_test(the_configurations_are_those_of_the_paper),
        cmocka_unit_test(the_grid_is_measured_once),
        cmocka_unit_test(an_interrupted_measurement_resumes),
        cmocka_unit_test(a_fit_from_the_grid_equals_a_generation_on_its_samples),
        cmocka_unit_test(other_times_change_the_rows),
        cmocka_unit_test(a_larger_bound_gives_cheaper_and_less_accurate_models),
        cmocka_unit_test(pruning_keeps_the_cheapest_quarter_of_the_accurate_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
