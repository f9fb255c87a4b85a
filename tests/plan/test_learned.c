/*
 * Tests that evaluations of one problem improve the estimates for another one. Times are scripted:
 * no clock is read.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "plan/learn/learned.h"
#include "plan/learn/surrogate.h"

enum { KINDS = 5, OF_A_KIND = 6, COUNT = KINDS * OF_A_KIND };

/** Algorithms of a contraction at some sizes. They are of five kinds; within a kind, all
 * estimates are wrong by the same factor. */
struct fixture {
    struct tcplan_contraction *contraction;
    struct tcplan_ranking ranking;
    struct tcplan_entry candidate[COUNT];
};

static void parse(struct tcplan_algorithm *out, const struct fixture *fixture, const char *name) {
    struct tcplan_error error;
    if (tcplan_algorithm_parse(out, fixture->contraction, TCPLAN_DOUBLE, name, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
}

static bool is_fast(const struct tcplan_entry *candidate) {
    return candidate->algorithm.kernel == TCPLAN_GEMM;
}

static void set_up(struct fixture *out, int extent) {
    static const char *const kind[KINDS] = {"b:%d.c.b-dgemv", "b:%d.c.b.a-ddot", "b:%d.c.b.i-daxpy",
                                            "b:%d.c.i-dger", "b:%d.c-dgemm"};
    int64_t extents[TCPLAN_MAX_INDICES];
    char name[40];
    assert_int_equal(
        tcplan_contraction_parse(&out->contraction, "C_abc=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, NULL),
        TCPLAN_OK);
    for (int i = 0; i < TCPLAN_MAX_INDICES; i++) extents[i] = extent;
    out->ranking = (struct tcplan_ranking){.entry = out->candidate, .entry_count = COUNT};
    assert_int_equal(
        tcplan_problem_init(&out->ranking.problem, out->contraction, extents, TCPLAN_DOUBLE, NULL),
        TCPLAN_OK);
    for (int c = 0; c < COUNT; c++) {
        struct tcplan_entry *candidate = &out->candidate[c];
        *candidate = (struct tcplan_entry){.status = TCPLAN_ENTRY_OPEN,
                                           .threads = 1,
                                           .estimate_seconds = 1 + 0.001 * c,
                                           .lower_bound_seconds = 0.5,
                                           .calls = 1000};
        snprintf(name, sizeof name, kind[c % KINDS], 2 + c / KINDS);
        parse(&candidate->algorithm, out, name);
    }
}

static void tear_down(struct fixture *fixture) {
    tcplan_contraction_free(fixture->contraction);
}

/** Returns the time on a simulated machine: matrix products take as long as estimated, other
 * kernels four times as long. */
static double seconds_of(const struct tcplan_entry *candidate) {
    return candidate->estimate_seconds * (is_fast(candidate) ? 1 : 4);
}

/** A search until no candidate has an expected improvement above its cost, and its result. Counts
 * all evaluations, and those of kernels that are slower than estimated. */
struct outcome {
    int looks, slow;
    double best_seconds;
};

/** Returns the price of an evaluation: a hundredth of the best time. */
static double a_hundredth(const void *context, struct tcplan_entry *candidate) {
    (void)context;
    (void)candidate;
    return 0.01;
}

static struct outcome search(const struct fixture *fixture, struct tcplan_experience *experience) {
    const struct tcplan_rank_options options = {.threads = 1, .experience = experience};
    struct surrogate *surrogate = surrogate_new(&fixture->ranking, &options);
    struct outcome outcome = {.best_seconds = INFINITY};
    assert_non_null(surrogate);
    double per_second;
    for (struct tcplan_entry *next;
         (next = surrogate_next(surrogate, a_hundredth, NULL, &per_second)) && per_second > 0.5;
         outcome.looks++) {
        const double seconds = seconds_of(next);
        outcome.best_seconds = fmin(outcome.best_seconds, seconds);
        outcome.slow += !is_fast(next);
        surrogate_learn(surrogate, next, seconds);
    }
    surrogate_keep(surrogate);
    surrogate_free(surrogate);
    return outcome;
}

static struct tcplan_experience *new_experience(void) {
    struct tcplan_experience *experience = tcplan_experience_new();
    assert_non_null(experience);
    return experience;
}

/** A second search, at other sizes, finds the best candidate with fewer evaluations: the first one
 * showed which kernels are slower than estimated. */
static void a_second_search_of_the_kind_evaluations_at_fewer(void **state) {
    (void)state;
    struct fixture first, second;
    struct tcplan_experience *experience = new_experience();
    set_up(&first, 40);
    set_up(&second, 50);
    const struct outcome alone = search(&second, NULL);
    const struct outcome before = search(&first, experience);
    assert_int_equal(tcplan_experience_count(experience), before.looks);
    const struct outcome after = search(&second, experience);
    assert_true(after.looks < alone.looks && after.slow < alone.slow);
    assert_true(after.best_seconds <= alone.best_seconds);
    assert_int_equal(tcplan_experience_count(experience), before.looks + after.looks);
    tcplan_experience_free(experience);
    tear_down(&first);
    tear_down(&second);
}

/** Estimates with timed kernels are corrected by the evaluations of similar algorithms; estimates
 * from ceilings are not. */
static void estimates_are_corrected_by_evaluations(void **state) {
    (void)state;
    struct fixture first, second;
    struct tcplan_error error;
    struct tcplan_experience *experience = new_experience();
    const struct tcplan_rank_options options = {.threads = 1, .experience = experience};
    set_up(&first, 40);
    set_up(&second, 50);
    search(&first, experience);
    second.candidate[COUNT - 1].kernel_source = TCPLAN_TIME_CEILINGS;
    for (int c = 0; c < COUNT - 1; c++) second.candidate[c].kernel_source = TCPLAN_TIME_STORED;
    const double untouched = second.candidate[COUNT - 1].estimate_seconds;
    assert_int_equal(learned_correct(&second.ranking, &options, COUNT, &error), TCPLAN_OK);
    double fast = INFINITY, slow = INFINITY;
    for (int c = 0; c < COUNT; c++) {
        double *least = is_fast(&second.candidate[c]) ? &fast : &slow;
        *least = fmin(*least, second.candidate[c].estimate_seconds);
    }
    assert_true(fast < slow);
    assert_true(second.candidate[COUNT - 1].estimate_seconds == untouched);
    tcplan_experience_free(experience);
    tear_down(&first);
    tear_down(&second);
}

/** Even if earlier evaluations were misleading, the search finds the fastest candidate: evaluations
 * of similar ones correct its expected time. */
static void a_wrong_experience_is_unlearnt(void **state) {
    (void)state;
    struct fixture fixture;
    struct tcplan_experience *experience = new_experience();
    set_up(&fixture, 40);
    const struct tcplan_rank_options options = {.threads = 1, .experience = experience};
    struct learned *learned = learned_new(&fixture.ranking.problem, &options);
    struct evaluation evaluation[COUNT];
    for (int c = 0; c < COUNT; c++) { /* the reverse of the true times */
        assert_true(learned_describe(&evaluation[c], learned, &fixture.candidate[c]));
        evaluation[c].problem = 1; /* evaluations of another problem */
        evaluation[c].ratio = is_fast(&fixture.candidate[c]) ? 4 : 1;
    }
    learned_free(learned);
    assert_int_equal(experience_add(experience, &store_kind_evaluations, evaluation, COUNT),
                     TCPLAN_OK);
    const struct outcome outcome = search(&fixture, experience);
    assert_true(outcome.best_seconds < 1.1);
    tcplan_experience_free(experience);
    tear_down(&fixture);
}

static struct evaluation the_evaluation(const struct learned *learned,
                                        const struct tcplan_entry *candidate, double ratio) {
    struct evaluation evaluation;
    assert_true(learned_describe(&evaluation, learned, candidate));
    evaluation.problem = 1;
    evaluation.ratio = ratio;
    return evaluation;
}

/** A run that was stopped took at least that long: it does not contradict longer expected times. */
static void a_run_that_was_cut_off_is_a_bound(void **state) {
    (void)state;
    struct fixture fixture;
    struct tcplan_experience *experience = new_experience();
    set_up(&fixture, 40);
    const struct tcplan_rank_options options = {.threads = 1, .experience = experience};
    struct learned *learned = learned_new(&fixture.ranking.problem, &options);
    const struct evaluation asked = the_evaluation(learned, &fixture.candidate[1], 1);
    assert_true(learned_expect(learned, &asked).trust == 0);
    struct evaluation evaluation[2] = {the_evaluation(learned, &fixture.candidate[1], 3),
                                       the_evaluation(learned, &fixture.candidate[3], 2)};
    evaluation[1].censored = true;
    assert_int_equal(experience_add(experience, &store_kind_evaluations, evaluation, 2), TCPLAN_OK);
    learned_free(learned);
    learned = learned_new(&fixture.ranking.problem, &options);
    const struct expectation expected = learned_expect(learned, &asked);
    assert_float_equal(expected.ratio, log(3), 1e-9);
    assert_true(expected.trust > 0.5 && expected.trust < 1);
    learned_free(learned);
    tcplan_experience_free(experience);
    tear_down(&fixture);
}

/** Evaluations with another element type or cache state are ignored; those with another number of
 * threads have less weight. */
static void evaluations_under_other_conditions_count_less_or_not_at_all(void **state) {
    (void)state;
    struct fixture fixture;
    struct tcplan_experience *experience = new_experience();
    set_up(&fixture, 40);
    struct tcplan_rank_options options = {.threads = 1, .experience = experience};
    struct learned *learned = learned_new(&fixture.ranking.problem, &options);
    const struct evaluation asked = the_evaluation(learned, &fixture.candidate[1], 1);
    struct evaluation evaluation[2] = {asked, asked};
    evaluation[0].dtype = TCPLAN_FLOAT;
    evaluation[1].cold = true;
    assert_int_equal(experience_add(experience, &store_kind_evaluations, evaluation, 2), TCPLAN_OK);
    learned_free(learned);
    learned = learned_new(&fixture.ranking.problem, &options);
    assert_true(learned_expect(learned, &asked).trust == 0);
    evaluation[0] = asked;
    evaluation[0].threads = 2;
    assert_int_equal(experience_add(experience, &store_kind_evaluations, evaluation, 1), TCPLAN_OK);
    learned_free(learned);
    learned = learned_new(&fixture.ranking.problem, &options);
    const double of_others = learned_expect(learned, &asked).trust;
    assert_true(of_others > 0 && of_others < learned_expect(learned, &evaluation[0]).trust);
    learned_free(learned);
    options.cache = TCPLAN_CACHE_COLD;
    learned = learned_new(&fixture.ranking.problem, &options);
    assert_true(learned_expect(learned, &evaluation[1]).trust > 0);
    learned_free(learned);
    tcplan_experience_free(experience);
    tear_down(&fixture);
}

static void incomparable_algorithms_are_not_described(void **state) {
    (void)state;
    struct fixture fixture;
    struct tcplan_experience *experience = new_experience();
    struct evaluation evaluation;
    set_up(&fixture, 40);
    const struct tcplan_rank_options options = {.threads = 1, .experience = experience};
    struct learned *learned = learned_new(&fixture.ranking.problem, &options);
    struct tcplan_entry candidate = fixture.candidate[1];
    candidate.estimate_seconds = INFINITY;
    assert_false(learned_describe(&evaluation, learned, &candidate));
    candidate = fixture.candidate[1];
    candidate.lower_bound_seconds = 0;
    assert_false(learned_describe(&evaluation, learned, &candidate));
    candidate = fixture.candidate[1];
    candidate.algorithm.provider = TCPLAN_PROVIDER_FILE_1;
    assert_false(learned_describe(&evaluation, learned, &candidate));
    learned_free(learned);
    tcplan_experience_free(experience);
    tear_down(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_search_of_the_kind_evaluations_at_fewer),
        cmocka_unit_test(a_wrong_experience_is_unlearnt),
        cmocka_unit_test(a_run_that_was_cut_off_is_a_bound),
        cmocka_unit_test(evaluations_under_other_conditions_count_less_or_not_at_all),
        cmocka_unit_test(incomparable_algorithms_are_not_described),
        cmocka_unit_test(estimates_are_corrected_by_evaluations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
