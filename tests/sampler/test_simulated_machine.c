/*
 * Tests the generation of models on a simulated machine with known true times. Measured times are
 * noisy, and the core changes between two speeds every few seconds. The tests compare the errors of
 * models, and the measuring time, with bounds.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/random.h"
#include "routines/sampler/generation/check.h"
#include "routines/sampler/generation/rounds.h"

#define GOOD 3.4e-6
#define BESIDE 3.5e-3 /* seconds per execution outside of the timed call */

enum { TRUE_POINTS = 500 };

struct machine {
    double noise; /* mean relative noise, exponentially distributed */
    double ratio; /* slow time divided by fast time; 0: one speed only */
    double period_seconds,
        slow_seconds; /* each period begins with slow_seconds at the slow speed */
    double jump;      /* above m = 280, times are longer by this share */
    double now;
    int64_t executions;
    struct random random;
};

/** Returns the true time of dtrsm from the left: m^2 n operations at a rate that increases with the
 * sizes, with small waves due to blocking. */
static double true_seconds(const struct machine *machine, const int64_t size[]) {
    const double m = (double)size[0], n = (double)size[1];
    const double rate = 20e9 * m / (m + 80) * n / (n + 12) * (1 + 0.02 * sin(m / 50));
    return (5e-7 + m * m * n / rate) * (m > 280 ? 1 + machine->jump : 1);
}

static enum tcplan_status measure(void *context, const struct points_job job[], int count,
                                  struct points_timing out[], struct tcplan_error *error) {
    struct machine *machine = context;
    (void)error;
    for (int j = 0; j < count; j++) {
        const bool is_slow = machine->ratio > 0 &&
                             fmod(machine->now, machine->period_seconds) < machine->slow_seconds;
        const double slower = is_slow ? machine->ratio : 1;
        const double longer = 1 - machine->noise * log(1 - random_unit(&machine->random));
        const double seconds = true_seconds(machine, job[j].size) * slower * longer;
        out[j] = (struct points_timing){.sample = {.seconds = seconds,
                                                   .before = GOOD * slower,
                                                   .after = GOOD * slower,
                                                   .apart_seconds = 2 * seconds + BESIDE,
                                                   .at_seconds = machine->now}};
        machine->now += 2 * seconds + BESIDE;
        machine->executions++;
    }
    return TCPLAN_OK;
}

static double now(void *context) {
    return ((const struct machine *)context)->now;
}

/** A generation of a model for dtrsm on the domain of Peise (2017). */
struct made {
    struct generation_cases cases;
    struct rounds_task task;
    struct rounds rounds;
    struct samples *samples;
};

static struct points_means means_of(struct machine *machine) {
    return (struct points_means){
        .context = machine, .measure = measure, .now = now, .beside_seconds = BESIDE};
}

static void make(struct made *out, struct machine *machine, int most_pieces) {
    static const struct samples_setup setup = {.threads = 1};
    const char *const word[] = {"dtrsm:side=L,uplo=L,transA=N,diag=N,alpha=1"};
    const struct points_means means = means_of(machine);
    struct tcplan_error error;
    machine->random = (struct random){5};
    *out = (struct made){.task = {.leading = 5000}};
    if (cases_read(&out->cases, word, 1, "m=24:536,n=24:4152", 8, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    assert_int_equal(samples_open(&out->samples, NULL, &setup, false, NULL), TCPLAN_OK);
    out->task.of = &out->cases.of[0];
    out->task.config = tcplan_model_config_default(2, 1);
    out->task.config.most_pieces = most_pieces;
    out->rounds =
        (struct rounds){.task = &out->task, .count = 1, .samples = out->samples, .seed = 1};
    if (rounds_run(&out->rounds, &means, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    assert_non_null(out->task.model);
}

static void drop(struct made *made) {
    tcplan_model_free(made->task.model);
    rounds_free(&made->rounds);
    cases_free(&made->cases);
    samples_close(made->samples);
}

/** Returns the mean true error of a model at random points. */
static double true_error(const struct machine *machine, const struct tcplan_model *model) {
    struct random random = {7};
    double sum = 0;
    for (int p = 0; p < TRUE_POINTS; p++) {
        const int64_t size[TCPLAN_MODEL_SIZES] = {24 + 8 * random_below(&random, 65),
                                                  24 + 8 * random_below(&random, 517)};
        struct tcplan_model_estimate estimate;
        tcplan_model_evaluate(&estimate, model, size);
        sum += fabs(estimate.ns[TCPLAN_MODEL_MINIMUM] * 1e-9 / true_seconds(machine, size) - 1);
    }
    return sum / TRUE_POINTS;
}

/** Returns the result of checking a model on the simulated machine; frees the points. */
static struct tcplan_model_checked check(const struct made *made, struct machine *machine) {
    const struct check_task task = {
        .of = made->task.of, .model = made->task.model, .leading = 5000};
    const struct points_means means = means_of(machine);
    const struct check check = {.task = &task,
                                .count = 1,
                                .points = 200,
                                .repetitions = 10,
                                .seed = 3,
                                .fitted = made->samples};
    struct tcplan_model_checked out = {0};
    struct drift drift = {0};
    made->task.model->good_reference_seconds = GOOD;
    assert_int_equal(check_run(&out, &drift, &check, &means, NULL), TCPLAN_OK);
    base_free(out.point);
    out.point = NULL;
    return out;
}

/** Without noise, only the rules of Peise (2017) apply: each piece is within the error bound or
 * narrow, and no point is executed more often than required. */
static void a_calm_machine_is_modelled_as_in_the_source(void **state) {
    (void)state;
    struct machine machine = {.noise = 0};
    struct made made;
    make(&made, &machine, 256);
    const struct tcplan_model *model = made.task.model;
    assert_true(model->complete && model->piece_count > 1);
    for (size_t p = 0; p < model->piece_count; p++) {
        const struct tcplan_model_piece *piece = &model->piece[p];
        const bool narrow = piece->domain.high[0] - piece->domain.low[0] < 32 &&
                            piece->domain.high[1] - piece->domain.low[1] < 32;
        assert_true(narrow || piece->error <= 0.01);
    }
    for (int64_t p = 0; p < samples_points(made.samples); p++)
        assert_int_equal(samples_point(made.samples, p)->count, 10);
    assert_true(made.task.again_seconds == 0);
    assert_true(true_error(&machine, model) < 0.002);
    drop(&made);
}

/** With noise, models stay within the permitted error, with at most 1.5 times the executions: noise
 * does not cause pieces to be halved. */
static void noise_is_not_halved(void **state) {
    (void)state;
    struct machine calm = {.noise = 0};
    struct made calm_made;
    make(&calm_made, &calm, 256);
    static const double noises[] = {0.1, 0.2, 0.4};
    for (size_t n = 0; n < sizeof noises / sizeof *noises; n++) {
        struct machine machine = {.noise = noises[n]};
        struct made made;
        make(&made, &machine, 256);
        assert_true(made.task.model->complete);
        assert_true(machine.executions <= calm.executions * 3 / 2);
        const struct tcplan_model_checked checked = check(&made, &machine);
        assert_true(checked.spread > 0.05 * noises[n] && checked.met);
        drop(&made);
    }
    drop(&calm_made);
}

/** The core is slow for a third of the time, for seconds at once. Points have times at both speeds;
 * models have those at the faster one. */
static void two_states_are_one_model(void **state) {
    (void)state;
    struct machine machine = {.noise = 0.05, .ratio = 1.35, .period_seconds = 9, .slow_seconds = 3};
    struct made made;
    make(&made, &machine, 256);
    assert_true(made.task.model->complete);
    assert_true(fabs(made.rounds.drift.good_seconds / GOOD - 1) < 0.01);
    assert_true(made.task.again_seconds <= made.task.seconds - made.task.again_seconds);
    assert_true(true_error(&machine, made.task.model) < 0.02);
    assert_true(check(&made, &machine).met);
    drop(&made);
}

/** The core is slow for longer than a round. This doubles the measuring time at most, and corrected
 * times do not make the model worse. */
static void a_long_slow_phase_costs_twice_the_time_at_most(void **state) {
    (void)state;
    struct machine calm = {.noise = 0.02};
    struct made made;
    make(&made, &calm, 1);
    const double usual = calm.now;
    drop(&made);
    struct machine machine = {
        .noise = 0.02, .ratio = 1.35, .period_seconds = 1e9, .slow_seconds = 1.2 * usual};
    make(&made, &machine, 1);
    assert_true(made.task.again_seconds > 0);
    assert_true(made.task.again_seconds <= made.task.seconds - made.task.again_seconds);
    assert_true(machine.now < 2.7 * usual); /* 2.7 = 2 * 1.35: twice the executions on the slow core
                                             */
    assert_true(true_error(&machine, made.task.model) < 0.05);
    drop(&made);
}

/** A real effect is found despite noise: for m > 280, times are a fifth longer. */
static void a_jump_is_found_despite_noise(void **state) {
    (void)state;
    struct machine machine = {.noise = 0.1, .jump = 0.2};
    struct made made;
    bool found = false;
    make(&made, &machine, 60);
    for (size_t p = 0; p < made.task.model->piece_count; p++)
        found = found || made.task.model->piece[p].domain.low[0] == 280;
    assert_true(found);
    assert_true(true_error(&machine, made.task.model) < 0.03);
    drop(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_calm_machine_is_modelled_as_in_the_source),
        cmocka_unit_test(noise_is_not_halved),
        cmocka_unit_test(two_states_are_one_model),
        cmocka_unit_test(a_long_slow_phase_costs_twice_the_time_at_most),
        cmocka_unit_test(a_jump_is_found_despite_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
