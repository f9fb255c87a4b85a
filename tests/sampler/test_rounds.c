/*
 * Tests the generation of models on a simulated machine: times are a function of the sizes, and the
 * clock advances only during calls.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "routines/sampler/generation/rounds.h"

static char path[] = "/tmp/tcplan-rounds-XXXXXX";
static const struct samples_setup setup = {.cpu = "made up", .threads = 1, .placement = "warm"};

#define GOOD 20e-6

/** The machine. */
struct script {
    double now;
    double noise; /* relative noise of times; a function of sizes and number of the execution */
    double slow_ratio; /* above 1: factor of times in every other half millisecond */
    double slow_until; /* above 0: all executions until this time are slow */
    double bend;       /* above this size, times are another function; 0: nowhere */
    int64_t most;      /* number of executions after which the machine fails */
    int64_t executions;
    int disturbed_in; /* one of this many executions is disturbed; 0: none, 1: all */
    int64_t disturbed;
    int64_t log_count;
    int64_t log[100000];     /* the first size of each execution, in order */
    struct samples *samples; /* samples, whose number for a point shows how often the point was
                                executed */
};

static double exact_seconds(const struct script *script, const int64_t size[]) {
    const double m = (double)size[0], n = (double)(size[1] > 0 ? size[1] : 1);
    const double seconds = 1e-6 + 2e-10 * m * m * n + 1e-9 * m;
    return script->bend > 0 && m > script->bend ? seconds * (1 + 0.3 * sin((m - script->bend) / 40))
                                                : seconds;
}

static double noise_of(const struct script *script, const int64_t size[], int64_t number) {
    const uint64_t hash =
        hash_spread(hash_add(hash_add(HASH_OF_NOTHING, size, TCPLAN_MODEL_SIZES * sizeof *size),
                             &number, sizeof number));
    return 1 + script->noise * (double)(hash >> 11) * 0x1p-53;
}

static double slower_at(const struct script *script) {
    const bool is_slow =
        script->slow_until > 0 ? script->now < script->slow_until : fmod(script->now, 1e-3) >= 5e-4;
    return script->slow_ratio > 1 && is_slow ? script->slow_ratio : 1;
}

static enum tcplan_status measure(void *context, const struct points_job job[], int count,
                                  struct points_timing out[], struct tcplan_error *error) {
    struct script *script = context;
    for (int j = 0; j < count; j++) {
        const int64_t point = samples_find(script->samples, job[j].task,
                                           job[j].size); /* cases have the order of the jobs */
        int64_t number = samples_point(script->samples, point)->count;
        for (int before = 0; before < j; before++)
            number += memcmp(job[before].size, job[j].size, sizeof job->size) == 0 &&
                      job[before].task == job[j].task;
        if (script->executions++ >= script->most)
            return error_set(error, TCPLAN_ENVIRONMENT, "the machine was switched off");
        const double slower = slower_at(script);
        const double seconds =
            exact_seconds(script, job[j].size) * noise_of(script, job[j].size, number) * slower;
        out[j] =
            (struct points_timing){.sample = {.seconds = seconds,
                                              .at_seconds = script->now,
                                              .apart_seconds = 2 * seconds,
                                              .before = GOOD * slower,
                                              .after = GOOD * slower},
                                   .disturbed = script->disturbed_in > 0 &&
                                                script->executions % script->disturbed_in == 0};
        if (script->log_count < 100000) script->log[script->log_count++] = job[j].size[0];
        script->disturbed += out[j].disturbed;
        script->now += 2 * seconds + 1e-5;
    }
    return TCPLAN_OK;
}

static double now(void *context) {
    return ((const struct script *)context)->now;
}

/** A generation with one job for each case. */
struct generation {
    struct generation_cases cases;
    struct rounds_task task[8];
    struct rounds rounds;
};

static void begin(struct generation *out, const char *words, const char *domain,
                  struct samples *samples) {
    const char *const word[] = {words};
    struct tcplan_error error;
    *out = (struct generation){.rounds = {.samples = samples, .seed = 1}};
    if (cases_read(&out->cases, word, 1, domain, 8, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    assert_true(out->cases.count <= 8);
    for (int t = 0; t < out->cases.count; t++) {
        out->task[t] = (struct rounds_task){
            .of = &out->cases.of[t],
            .config = tcplan_model_config_default(out->cases.of[t].domain.count, 1),
            .leading = 5000};
    }
    out->rounds.task = out->task;
    out->rounds.count = out->cases.count;
}

static enum tcplan_status run(struct generation *generation, struct script *script,
                              struct tcplan_error *error) {
    const struct points_means means = {.context = script, .measure = measure, .now = now};
    script->samples = generation->rounds.samples;
    if (script->most == 0) script->most = INT64_MAX;
    return rounds_run(&generation->rounds, &means, error);
}

static void end(struct generation *generation) {
    for (int t = 0; t < generation->rounds.count; t++) tcplan_model_free(generation->task[t].model);
    rounds_free(&generation->rounds);
    cases_free(&generation->cases);
}

static struct samples *open_samples(const char *name) {
    struct samples *samples;
    struct tcplan_error error;
    if (samples_open(&samples, name, &setup, false, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    return samples;
}

/** Returns the largest relative error of a model's minimum time on a grid over its domain. */
static double worst_error(const struct script *script, const struct tcplan_model *model) {
    double worst = 0;
    int64_t size[TCPLAN_MODEL_SIZES] = {0};
    for (size[0] = model->domain.low[0]; size[0] <= model->domain.high[0]; size[0] += 8) {
        size[1] =
            model->domain.count > 1 ? (model->domain.low[1] + model->domain.high[1]) / 16 * 8 : 0;
        struct tcplan_model_estimate estimate;
        tcplan_model_evaluate(&estimate, model, size);
        worst =
            fmax(worst,
                 fabs(estimate.ns[TCPLAN_MODEL_MINIMUM] * 1e-9 / exact_seconds(script, size) - 1));
    }
    return worst;
}

static void assert_equal_models(const struct tcplan_model *a, const struct tcplan_model *b) {
    assert_string_equal(a->case_text, b->case_text);
    assert_int_equal(a->piece_count, b->piece_count);
    for (size_t p = 0; p < a->piece_count; p++) {
        const int count = tcplan_model_coefficients(a->piece[p].degree, a->domain.count);
        assert_memory_equal(&a->piece[p].domain, &b->piece[p].domain, sizeof a->piece[p].domain);
        assert_memory_equal(a->piece[p].coefficient, b->piece[p].coefficient,
                            (size_t)count * sizeof *a->piece[p].coefficient);
    }
}

static void polynomials_are_found_again(void **state) {
    (void)state;
    struct script script = {.noise = 0};
    struct generation generation;
    struct samples *samples = open_samples(NULL);
    begin(&generation, "dtrsm:side=L,alpha=1,diag=N dpotf2", "m=24:536,n=24:536", samples);
    assert_int_equal(generation.rounds.count, 2);
    assert_int_equal(run(&generation, &script, NULL), TCPLAN_OK);
    for (int t = 0; t < 2; t++) {
        const struct tcplan_model *model = generation.task[t].model;
        assert_true(model->complete && model->piece_count == 1 && generation.task[t].rounds == 1);
        assert_string_equal(model->case_text, generation.cases.of[t].text);
        assert_string_equal(model->size_name[0], t == 0 ? "m" : "n");
        assert_true(worst_error(&script, model) < 1e-6);
    }
    assert_int_equal(generation.rounds.points.measured, samples_count(samples));
    assert_int_equal(generation.rounds.known_count, 0);
    end(&generation);
    samples_close(samples);
}

static void bent_pieces_are_halved(void **state) {
    (void)state;
    struct script script = {.bend = 200};
    struct generation generation;
    struct samples *samples = open_samples(NULL);
    begin(&generation, "dpotf2", "n=24:1048", samples);
    assert_int_equal(run(&generation, &script, NULL), TCPLAN_OK);
    const struct tcplan_model *model = generation.task[0].model;
    assert_true(model->piece_count > 2 && generation.task[0].rounds > 2);
    assert_true(worst_error(&script, model) < 0.05);
    end(&generation);
    samples_close(samples);
}

/** Repetitions of a point usually alternate with those of other points. */
static void repetitions_are_interleaved(void **state) {
    (void)state;
    static struct script script;
    struct generation generation;
    struct samples *samples = open_samples(NULL);
    int64_t neighbours = 0;
    script = (struct script){.noise = 0.01};
    begin(&generation, "dpotf2", "n=24:536", samples);
    assert_int_equal(run(&generation, &script, NULL), TCPLAN_OK);
    for (int64_t p = 0; p < samples_points(samples); p++)
        assert_int_equal(samples_point(samples, p)->count, 10);
    for (int64_t l = 1; l < script.log_count; l++) neighbours += script.log[l] == script.log[l - 1];
    assert_true(neighbours < script.log_count / 4);
    end(&generation);
    samples_close(samples);
}

/* Interruptions. */

/** Interrupted after any number of executions, a generation continues to the same models, with the
 * same total number of executions. */
static void an_interrupted_generation_makes_the_same_models(void **state) {
    static const char words[] = "dpotf2 dtrti2";
    static const int64_t interruptions[] = {1, 7, 100, 137, 260, 400};
    (void)state;
    struct script whole = {.noise = 0.02, .bend = 150};
    struct generation expected;
    struct samples *samples = open_samples(NULL);
    begin(&expected, words, "n=24:536", samples);
    assert_int_equal(run(&expected, &whole, NULL), TCPLAN_OK);
    assert_true(expected.task[0].rounds > 1);
    for (size_t i = 0; i < sizeof interruptions / sizeof *interruptions; i++) {
        struct script script = {.noise = whole.noise, .bend = whole.bend, .most = interruptions[i]};
        struct generation generation;
        struct tcplan_error error;
        assert_int_equal(truncate(path, 0), 0);
        struct samples *kept = open_samples(path);
        begin(&generation, words, "n=24:536", kept);
        assert_int_equal(run(&generation, &script, &error), TCPLAN_ENVIRONMENT);
        assert_string_equal(error.message, "the machine was switched off");
        assert_null(generation.task[0].model);
        end(&generation);
        samples_close(kept);

        script.most = INT64_MAX;
        kept = open_samples(path);
        const int64_t before = samples_count(kept);
        begin(&generation, words, "n=24:536", kept);
        assert_int_equal(run(&generation, &script, NULL), TCPLAN_OK);
        assert_int_equal(generation.rounds.known_count, before);
        assert_int_equal(generation.rounds.points.measured + before,
                         expected.rounds.points.measured);
        for (int t = 0; t < 2; t++)
            assert_equal_models(generation.task[t].model, expected.task[t].model);
        end(&generation);
        samples_close(kept);
    }
    end(&expected);
    samples_close(samples);
}

/** If any allocation fails, no stored sample is lost, and a continued generation makes the same
 * models. */
static void a_generation_out_of_memory_makes_the_same_models(void **state) {
    static const char words[] = "dpotf2 dtrti2";
    (void)state;
    struct script whole = {.noise = 0.02, .bend = 150};
    struct generation expected, generation;
    struct samples *samples = open_samples(NULL);
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    int64_t kept = 0;
    begin(&expected, words, "n=24:536", samples);
    assert_int_equal(run(&expected, &whole, NULL), TCPLAN_OK);
    assert_int_equal(truncate(path, 0), 0);
    for (long successes = 0; status != TCPLAN_OK; successes += 1 + successes / 32) {
        struct script script = {.noise = whole.noise, .bend = whole.bend};
        struct samples *some = open_samples(path);
        assert_true(samples_count(some) >= kept);
        kept = samples_count(some);
        begin(&generation, words, "n=24:536", some);
        base_alloc_fail_after(successes);
        status = run(&generation, &script, NULL);
        base_alloc_fail_after(-1);
        assert_true(status == TCPLAN_OK || status == TCPLAN_NO_MEMORY);
        for (int t = 0; t < 2 && status == TCPLAN_OK; t++)
            assert_equal_models(generation.task[t].model, expected.task[t].model);
        end(&generation);
        samples_close(some);
    }
    end(&expected);
    samples_close(samples);
}

static void another_configuration_reuses_samples(void **state) {
    (void)state;
    struct script script = {.noise = 0.02};
    struct generation generation;
    struct samples *samples = open_samples(NULL);
    begin(&generation, "dpotf2", "n=24:536", samples);
    assert_int_equal(run(&generation, &script, NULL), TCPLAN_OK);
    const int64_t points = samples_points(samples);
    end(&generation);
    begin(&generation, "dpotf2", "n=24:536", samples);
    generation.task[0].config.repetitions = 15;
    assert_int_equal(run(&generation, &script, NULL), TCPLAN_OK);
    assert_int_equal(generation.rounds.known_count, 10 * points);
    assert_int_equal(generation.rounds.points.measured, 5 * points);
    end(&generation);
    begin(&generation, "dpotf2", "n=24:536", samples);
    generation.task[0].config.repetitions = 5;
    assert_int_equal(run(&generation, &script, NULL), TCPLAN_OK);
    assert_int_equal(generation.rounds.points.measured, 0);
    end(&generation);
    samples_close(samples);
}

/* Time. */

static void with_too_little_time_no_model_is_made(void **state) {
    (void)state;
    struct script script = {.noise = 0.02};
    struct generation generation;
    struct samples *samples = open_samples(NULL);
    begin(&generation, "dpotf2", "n=24:536", samples);
    generation.rounds.time_limit_seconds = 1e-3;
    assert_int_equal(run(&generation, &script, NULL), TCPLAN_OK);
    assert_true(generation.rounds.points.time_over);
    assert_null(generation.task[0].model);
    assert_true(samples_count(samples) > 0);
    end(&generation);
    samples_close(samples);
}

static void at_the_time_limit_known_results_are_returned(void **state) {
    (void)state;
    struct script script = {.noise = 0.001, .bend = 200};
    struct generation generation;
    struct samples *samples = open_samples(NULL);
    begin(&generation, "dpotf2", "n=24:1048", samples);
    assert_int_equal(run(&generation, &script, NULL), TCPLAN_OK);
    const double needed = script.now;
    const size_t pieces = generation.task[0].model->piece_count;
    end(&generation);
    samples_close(samples);

    samples = open_samples(NULL);
    script = (struct script){.noise = 0.001, .bend = 200};
    begin(&generation, "dpotf2", "n=24:1048", samples);
    generation.rounds.time_limit_seconds = 0.7 * needed;
    assert_int_equal(run(&generation, &script, NULL), TCPLAN_OK);
    assert_true(generation.rounds.points.time_over);
    assert_true(script.now < 0.8 * needed);
    assert_non_null(generation.task[0].model);
    assert_false(generation.task[0].model->complete);
    assert_true(generation.task[0].model->piece_count < pieces);
    end(&generation);
    samples_close(samples);
}

/** If time does not suffice for all cases, the cases with the least work have models. */
static void when_time_is_over_some_cases_have_models(void **state) {
    (void)state;
    struct script script = {.noise = 0.001};
    struct generation generation;
    struct samples *samples = open_samples(NULL);
    begin(&generation, "dgemv:trans=N,beta=1", "m=24:1048,n=24:1048", samples);
    const int count = generation.rounds.count;
    assert_true(count >= 3);
    assert_int_equal(run(&generation, &script, NULL), TCPLAN_OK);
    const double needed = script.now;
    end(&generation);
    samples_close(samples);

    samples = open_samples(NULL);
    script = (struct script){.noise = 0.001};
    begin(&generation, "dgemv:trans=N,beta=1", "m=24:1048,n=24:1048", samples);
    generation.rounds.time_limit_seconds = 1.5 / count * needed;
    assert_int_equal(run(&generation, &script, NULL), TCPLAN_OK);
    int made = 0;
    for (int t = 0; t < count; t++) made += generation.task[t].model != NULL;
    assert_in_range(made, 1, count - 1);
    end(&generation);
    samples_close(samples);
}

static void disturbed_samples_are_repeated(void **state) {
    (void)state;
    struct script script = {.noise = 0.01, .disturbed_in = 3};
    struct generation generation;
    struct samples *samples = open_samples(NULL);
    begin(&generation, "dpotf2", "n=24:536", samples);
    assert_int_equal(run(&generation, &script, NULL), TCPLAN_OK);
    assert_true(script.disturbed > 0);
    assert_int_equal(generation.rounds.points.disturbed, script.disturbed);
    assert_int_equal(samples_count(samples), script.executions - script.disturbed);
    for (int64_t p = 0; p < samples_points(samples); p++)
        assert_int_equal(samples_point(samples, p)->count, 10);
    end(&generation);
    samples_close(samples);
}

static void a_machine_that_is_always_disturbed_is_refused(void **state) {
    (void)state;
    struct script script = {.noise = 0.01, .disturbed_in = 1};
    struct generation generation;
    struct tcplan_error error;
    struct samples *samples = open_samples(NULL);
    begin(&generation, "dpotf2", "n=24:536", samples);
    assert_int_equal(run(&generation, &script, &error), TCPLAN_ENVIRONMENT);
    assert_non_null(strstr(error.message, "other load disturbed dpotf2 uplo=L 100 times"));
    assert_int_equal(samples_count(samples), 0);
    assert_null(generation.task[0].model);
    end(&generation);
    samples_close(samples);
}

static void models_describe_the_good_state(void **state) {
    (void)state;
    struct script script = {.slow_ratio = 1.5};
    struct generation generation;
    struct samples *samples = open_samples(NULL);
    begin(&generation, "dpotf2", "n=24:536", samples);
    generation.task[0].config.reference = TCPLAN_MODEL_MEDIAN;
    assert_int_equal(run(&generation, &script, NULL), TCPLAN_OK);
    const struct tcplan_model *model = generation.task[0].model;
    assert_true(fabs(generation.rounds.drift.good_seconds / GOOD - 1) < 0.01);
    struct tcplan_model_estimate estimate;
    tcplan_model_evaluate(&estimate, model, (const int64_t[]){248});
    const double exact = 1e9 * exact_seconds(&script, (const int64_t[TCPLAN_MODEL_SIZES]){248});
    for (int s = 0; s < TCPLAN_MODEL_DEVIATION; s++)
        assert_true(fabs(estimate.ns[s] / exact - 1) < 0.02);
    end(&generation);
    samples_close(samples);
}

/** The machine is slow for most of a round. The points have too few samples at the faster speed,
 * and a second generation requests them again. */
static void points_that_hardly_met_the_good_state_are_executed_again(void **state) {
    (void)state;
    struct script script = {.noise = 0.001};
    struct generation first, second;
    struct samples *samples = open_samples(NULL);
    int often = 0;
    begin(&first, "dpotf2", "n=24:536", samples);
    assert_int_equal(run(&first, &script, NULL), TCPLAN_OK);
    end(&first);
    samples_close(samples);

    samples = open_samples(NULL);
    script = (struct script){.noise = 0.001, .slow_ratio = 1.5, .slow_until = 1.3 * script.now};
    begin(&first, "dpotf2", "n=24:536", samples);
    assert_int_equal(run(&first, &script, NULL), TCPLAN_OK);
    for (int64_t p = 0; p < samples_points(samples); p++) {
        const struct samples_point *point = samples_point(samples, p);
        int good = 0;
        for (int s = 0; s < point->count; s++) good += point->sample[s].before == GOOD;
        assert_true(good >= 3);
        often += point->count > 10;
    }
    assert_true(often > 0);
    begin(&second, "dpotf2", "n=24:536", samples);
    assert_int_equal(run(&second, &script, NULL), TCPLAN_OK);
    assert_int_equal(second.rounds.points.measured, 0);
    assert_int_equal(second.rounds.known_count, samples_count(samples));
    assert_equal_models(second.task[0].model, first.task[0].model);
    end(&first);
    end(&second);
    samples_close(samples);
}

static int make_path(void **state) {
    (void)state;
    const int descriptor = mkstemp(path);
    return descriptor < 0 ? -1 : close(descriptor);
}

static int remove_path(void **state) {
    (void)state;
    return unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polynomials_are_found_again),
        cmocka_unit_test(bent_pieces_are_halved),
        cmocka_unit_test(repetitions_are_interleaved),
        cmocka_unit_test(an_interrupted_generation_makes_the_same_models),
        cmocka_unit_test(a_generation_out_of_memory_makes_the_same_models),
        cmocka_unit_test(another_configuration_reuses_samples),
        cmocka_unit_test(with_too_little_time_no_model_is_made),
        cmocka_unit_test(at_the_time_limit_known_results_are_returned),
        cmocka_unit_test(when_time_is_over_some_cases_have_models),
        cmocka_unit_test(disturbed_samples_are_repeated),
        cmocka_unit_test(a_machine_that_is_always_disturbed_is_refused),
        cmocka_unit_test(models_describe_the_good_state),
        cmocka_unit_test(points_that_hardly_met_the_good_state_are_executed_again),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
