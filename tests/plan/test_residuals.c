/*
 * What predictions were off by, learnt from scripted times: what replaces what is assumed, and what
 * counts as one.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/learn/residuals.h"
#include "plan/predictor.h"

enum { ALGORITHMS = 3, PROCESSES = 60 };

/** What processes say of the algorithms of one problem, by the same means. */
struct fixture {
    struct tcplan_contraction *contraction;
    struct tcplan_experience *experience;
    struct tcplan_ranking ranking;
    struct tcplan_entry entry[ALGORITHMS];
    struct ranker ranker;
};

static const struct states steady = {.good = 5e-6, .ratio = 1, .watched_seconds = 1};

static void set_up(struct fixture *out) {
    static const char *const name[ALGORITHMS] = {"c-dgemm", "cb-dgemv", "bc-dgemv"};
    int64_t extents[TCPLAN_MAX_INDICES];
    for (int i = 0; i < TCPLAN_MAX_INDICES; i++) extents[i] = 30;
    *out = (struct fixture){.experience = tcplan_experience_new()};
    assert_non_null(out->experience);
    assert_int_equal(
        tcplan_contraction_parse(&out->contraction, "C_abc=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, NULL),
        TCPLAN_OK);
    assert_int_equal(
        tcplan_problem_init(&out->ranking.problem, out->contraction, extents, TCPLAN_DOUBLE, NULL),
        TCPLAN_OK);
    out->ranking.entry = out->entry;
    out->ranking.entry_count = ALGORITHMS;
    out->ranker = (struct ranker){.ranking = &out->ranking,
                                  .options = {.threads = 1, .experience = out->experience}};
    for (int a = 0; a < ALGORITHMS; a++) {
        struct tcplan_entry *entry = &out->entry[a];
        *entry = (struct tcplan_entry){
            .predicted = true, .compared = true, .basis = TCPLAN_BASIS_RUNS, .follows = 1};
        assert_int_equal(tcplan_algorithm_parse(&entry->algorithm, out->contraction, TCPLAN_DOUBLE,
                                                name[a], NULL),
                         TCPLAN_OK);
    }
}

static void tear_down(struct fixture *fixture) {
    tcplan_experience_free(fixture->experience);
    tcplan_contraction_free(fixture->contraction);
}

/** A process says that all take `factor` times what they do; minutes pass behind it. */
static void say(struct fixture *fixture, double factor, const struct states *met) {
    for (int a = 0; a < ALGORITHMS; a++)
        fixture->entry[a].good_seconds = fixture->entry[a].prediction.seconds =
            (1 + a) * 1e-3 * factor;
    residuals_learn_comparison(&fixture->ranker, met);
    for (int s = 0; s < fixture->experience->said_count; s++)
        fixture->experience->said[s].made -= 600;
}

static double compared(const struct fixture *fixture) {
    return residuals_of_comparison(&fixture->ranker, TCPLAN_BASIS_RUNS);
}

static void before_anything_is_known_it_is_what_is_assumed(void **state) {
    (void)state;
    struct fixture fixture;
    set_up(&fixture);
    const double own = predictor_systematic_share(TCPLAN_BASIS_RUNS) / 1.96;
    assert_true(fabs(compared(&fixture) / own - 1) < 1e-3);
    assert_true(residuals_unwatched(&fixture.ranker) == STATES_USUAL_CHANGE); /* nobody watched what
                                                                                 it waits for */
    assert_true(residuals_of_look(&fixture.ranker, TCPLAN_BASIS_SCOUT) >
                residuals_of_look(&fixture.ranker, TCPLAN_BASIS_WINDOWS));
    assert_true(residuals_of_look(&fixture.ranker, TCPLAN_BASIS_OTHER) == 0);
    const double alone = compared(&fixture);
    fixture.ranker.options.experience = NULL;
    assert_true(compared(&fixture) == alone);
    residuals_learn_comparison(&fixture.ranker, &steady); /* nothing to learn for */
    tear_down(&fixture);
}

/** Processes that differ by a fifth, one by one, are found out to; those that agree narrow what was
 * assumed. */
static void what_later_processes_say_replaces_it(void **state) {
    (void)state;
    struct fixture differ, agree;
    set_up(&differ);
    set_up(&agree);
    const double assumed = compared(&differ);
    for (int p = 0; p < PROCESSES; p++) {
        say(&differ, p % 2 ? 1.2 : 1, &steady);
        say(&agree, p % 2 ? 1.01 : 1, &steady);
    }
    assert_true(fabs(compared(&differ) / log(1.2) - 1) < 0.1);
    assert_true(compared(&agree) < 0.4 * assumed);
    assert_true(residuals_unwatched(&agree.ranker) < 0.3 * STATES_USUAL_CHANGE); /* it is in what
                                                                                    they say */
    assert_int_equal(differ.experience->said_count, ALGORITHMS);
    tear_down(&differ);
    tear_down(&agree);
}

/** The algorithms of a ranking met the same pages and neighbours: they are one observation. */
static void algorithms_of_one_ranking_count_as_one(void **state) {
    (void)state;
    struct fixture fixture;
    set_up(&fixture);
    say(&fixture, 1, &steady);
    assert_int_equal(fixture.experience->residual_count, 0);
    say(&fixture, 1.3, &steady);
    const struct residual known =
        experience_residual(fixture.experience, RESIDUAL_COMPARED_RUNS, false);
    assert_true(known.count == 1 && fabs(residual_deviation(&known) - log(1.3)) < 1e-9);
    tear_down(&fixture);
}

/** Two times whose samples spread differ by chance: that is no residual, which predictions would
 * count beside the spread of their own samples. */
static void what_samples_spread_is_no_residual(void **state) {
    (void)state;
    struct fixture fixture, known;
    set_up(&fixture);
    set_up(&known);
    const double deviation = 0.05;
    for (int a = 0; a < ALGORITHMS; a++) fixture.entry[a].good_error = deviation;
    for (int p = 0; p < PROCESSES; p++) {
        const double factor = p % 2 ? exp(sqrt(2) * deviation) : 1; /* of two such times */
        say(&fixture, factor, &steady);
        say(&known, factor, &steady);
    }
    const struct residual none =
        experience_residual(fixture.experience, RESIDUAL_COMPARED_RUNS, false);
    assert_true(none.count == PROCESSES - 1 && residual_deviation(&none) < 1e-6);
    assert_true(fabs(compared(&known) / (sqrt(2) * deviation) - 1) < 0.1);
    /* A look of two samples that are a tenth apart, each of its own. */
    const struct tcplan_estimate look = {
        .seconds = exp(0.05) * 1e-3, .sample = {1e-3, exp(0.1) * 1e-3}, .sample_count = 2};
    fixture.entry[0].prediction.seconds = 1e-3;
    fixture.entry[0].good_error = 0;
    residuals_learn_look(&fixture.ranker, &fixture.entry[0], &look, TCPLAN_BASIS_RUNS);
    const struct residual looks = experience_residual(fixture.experience, RESIDUAL_RUNS, false);
    assert_true(looks.count == 1 && residual_deviation(&looks) < 1e-6);
    tear_down(&fixture);
    tear_down(&known);
}

/** What references tell is no error: the slower core is known to be. */
static void what_the_core_did_is_no_residual(void **state) {
    (void)state;
    struct fixture fixture;
    set_up(&fixture);
    const struct states slow = {.good = 1.4 * steady.good, .ratio = 1, .watched_seconds = 1};
    say(&fixture, 1, &steady);
    say(&fixture, 1.4, &slow);
    struct residual known = experience_residual(fixture.experience, RESIDUAL_COMPARED_RUNS, false);
    assert_true(known.count == 1 && residual_deviation(&known) < 1e-9);
    for (int a = 0; a < ALGORITHMS; a++)
        fixture.entry[a].follows = 0; /* so that it should have taken the same */
    say(&fixture, 1.4, &slow);
    say(&fixture, 1, &steady);
    known = experience_residual(fixture.experience, RESIDUAL_COMPARED_RUNS, false);
    assert_true(residual_deviation(&known) > 0.1);
    tear_down(&fixture);
}

static void the_same_minute_tells_nothing(void **state) {
    (void)state;
    struct fixture fixture;
    set_up(&fixture);
    residuals_learn_comparison(&fixture.ranker, &steady);
    assert_int_equal(fixture.experience->said_count, 0); /* no time is known */
    for (int p = 0; p < 3; p++) {
        for (int a = 0; a < ALGORITHMS; a++) fixture.entry[a].good_seconds = 1e-3 * (1 + p);
        residuals_learn_comparison(&fixture.ranker, &steady);
    }
    assert_int_equal(fixture.experience->said_count, ALGORITHMS);
    assert_true(fixture.experience->said[0].good_seconds == 1e-3);
    assert_int_equal(fixture.experience->residual_count, 0);
    tear_down(&fixture);
}

/** By other means, or what was not compared, is another thing. */
static void only_like_is_compared(void **state) {
    (void)state;
    struct fixture fixture;
    set_up(&fixture);
    say(&fixture, 1, &steady);
    for (int a = 0; a < ALGORITHMS; a++) fixture.entry[a].basis = TCPLAN_BASIS_LONG;
    say(&fixture, 2, &steady);
    assert_int_equal(fixture.experience->residual_count, 0);
    fixture.ranker.options.threads = 2;
    say(&fixture, 4, &steady);
    assert_int_equal(fixture.experience->residual_count, 0);
    assert_int_equal(fixture.experience->said_count, 2 * ALGORITHMS);
    for (int a = 0; a < ALGORITHMS; a++) fixture.entry[a].compared = false;
    say(&fixture, 8, &steady);
    assert_int_equal(fixture.experience->residual_count, 0);
    tear_down(&fixture);
}

/** Scouts that are 30 % off are found out to be in the rankings of one process, of whatever
 * problems. */
static void looks_are_judged_by_the_comparison(void **state) {
    (void)state;
    struct fixture fixture;
    set_up(&fixture);
    const double assumed = residuals_of_look(&fixture.ranker, TCPLAN_BASIS_SCOUT);
    const double of_windows = residuals_of_look(&fixture.ranker, TCPLAN_BASIS_WINDOWS);
    for (int n = 0; n < PROCESSES; n++) {
        const struct tcplan_estimate look = {.seconds = n % 2 ? 1 / 1.1e3 : 1.1e-3};
        fixture.entry[0].prediction.seconds = 1e-3;
        residuals_learn_look(&fixture.ranker, &fixture.entry[0], &look, TCPLAN_BASIS_SCOUT);
    }
    assert_true(residuals_of_look(&fixture.ranker, TCPLAN_BASIS_SCOUT) < 0.5 * assumed);
    assert_true(residuals_of_look(&fixture.ranker, TCPLAN_BASIS_SCOUT) > log(1.1));
    assert_true(residuals_of_look(&fixture.ranker, TCPLAN_BASIS_WINDOWS) == of_windows);
    const size_t known = (size_t)fixture.experience->residual_count;
    const struct tcplan_estimate none = {.seconds = 0};
    residuals_learn_look(&fixture.ranker, &fixture.entry[0], &none, TCPLAN_BASIS_WINDOWS);
    residuals_learn_look(&fixture.ranker, &fixture.entry[0],
                         &(struct tcplan_estimate){.seconds = 1}, TCPLAN_BASIS_ESTIMATE);
    assert_int_equal(fixture.experience->residual_count, known);
    tear_down(&fixture);
}

/** Looks that were off by a factor of twenty, once or often, do not make intervals of the kind
 * useless. */
static void what_is_off_once_is_not_believed_whole(void **state) {
    (void)state;
    struct fixture fixture;
    set_up(&fixture);
    const double assumed = residuals_of_look(&fixture.ranker, TCPLAN_BASIS_RUNS);
    const struct tcplan_estimate look = {.seconds = 20e-3};
    fixture.entry[0].prediction.seconds = 1e-3;
    residuals_learn_look(&fixture.ranker, &fixture.entry[0], &look, TCPLAN_BASIS_RUNS);
    const double once = residuals_of_look(&fixture.ranker, TCPLAN_BASIS_RUNS);
    assert_true(once > assumed && once < log(1.5));
    for (int n = 0; n < 10 * PROCESSES; n++)
        residuals_learn_look(&fixture.ranker, &fixture.entry[0], &look, TCPLAN_BASIS_RUNS);
    const double always = residuals_of_look(&fixture.ranker, TCPLAN_BASIS_RUNS);
    assert_true(always > log(2.5) && always <= log(3));
    tear_down(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_anything_is_known_it_is_what_is_assumed),
        cmocka_unit_test(what_later_processes_say_replaces_it),
        cmocka_unit_test(algorithms_of_one_ranking_count_as_one),
        cmocka_unit_test(what_samples_spread_is_no_residual),
        cmocka_unit_test(what_the_core_did_is_no_residual),
        cmocka_unit_test(the_same_minute_tells_nothing),
        cmocka_unit_test(only_like_is_compared),
        cmocka_unit_test(looks_are_judged_by_the_comparison),
        cmocka_unit_test(what_is_off_once_is_not_believed_whole),
    };
    return cmocka_run_group_tests_name("residuals", tests, NULL, NULL);
}
