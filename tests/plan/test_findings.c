/* Tests times from scripted comparisons, the order of entries in a ranking, and their marks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/decision/arms.h"
#include "plan/decision/findings.h"
#include "plan/predictor.h"
#include "store/experience.h"

enum { ALGORITHMS = 2, ROUNDS = 8 };

struct fixture {
    struct tcplan_contraction *contraction;
    struct tcplan_ranking ranking;
    struct tcplan_entry entry[ALGORITHMS];
    struct tcplan_rank_options options;
    struct ranker ranker;
    struct select_arm arm[ALGORITHMS];
    struct select select;
};

static void set_up(struct fixture *out) {
    static const char *const name[ALGORITHMS] = {"c-dgemm", "cb-dgemv"};
    int64_t extents[TCPLAN_MAX_INDICES];
    for (int i = 0; i < TCPLAN_MAX_INDICES; i++) extents[i] = 30;
    *out = (struct fixture){.options = {.threads = 1, .experience = tcplan_experience_new()}};
    assert_non_null(out->options.experience);
    assert_int_equal(
        tcplan_contraction_parse(&out->contraction, "C_abc=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, NULL),
        TCPLAN_OK);
    assert_int_equal(
        tcplan_problem_init(&out->ranking.problem, out->contraction, extents, TCPLAN_DOUBLE, NULL),
        TCPLAN_OK);
    out->ranking.entry = out->entry;
    out->ranking.entry_count = ALGORITHMS;
    out->ranker = (struct ranker){.ranking = &out->ranking, .options = out->options};
    for (int a = 0; a < ALGORITHMS; a++) {
        out->entry[a] = (struct tcplan_entry){
            .predicted = true, .status = TCPLAN_ENTRY_PREDICTED, .ordinal = (uint64_t)a};
        out->entry[a].prediction.seconds = out->arm[a].seconds = 1e-3;
        out->arm[a].spread = 0.1;
        assert_int_equal(tcplan_algorithm_parse(&out->entry[a].algorithm, out->contraction,
                                                TCPLAN_DOUBLE, name[a], NULL),
                         TCPLAN_OK);
    }
    out->select = (struct select){.count = ALGORITHMS,
                                  .arm = out->arm,
                                  .rounds = ROUNDS,
                                  .all_rounds = ROUNDS,
                                  .compared = true};
    out->select.rules = (struct select_rules){
        .least_rounds = 3, .margin = 0.02, .expected = predictor_expected(TCPLAN_BASIS_RUNS)};
}

static void tear_down(struct fixture *fixture) {
    tcplan_experience_free(fixture->options.experience);
    tcplan_contraction_free(fixture->contraction);
}

/** The first algorithm's time is proportional to the core's reference, the second's does not depend
 * on it. In the common rounds, the second takes 1.13 times as long. */
static void times_of_compared_algorithms_have_the_ratio_of_their_rounds(void **state) {
    (void)state;
    struct fixture fixture;
    set_up(&fixture);
    for (int r = 0; r < ROUNDS; r++) {
        const double reference = r % 2 ? 1.2e-5 : 1e-5;
        fixture.arm[0].sample[r] =
            (struct drift_sample){.seconds = 100 * reference, .reference_seconds = reference};
        fixture.arm[1].sample[r] =
            (struct drift_sample){.seconds = 1.24e-3, .reference_seconds = reference};
    }
    fixture.arm[0].taken = fixture.arm[1].taken = ROUNDS;
    arms_believe(&fixture.select);
    findings_note(&fixture.ranker, &fixture.select, TCPLAN_BASIS_RUNS);
    const double ratio = select_ratio(&fixture.select, 1, 0);
    assert_true(ratio > 1.1);
    assert_true(fixture.entry[0].compared && fixture.entry[1].compared);
    assert_true(
        fabs(fixture.entry[1].prediction.seconds / fixture.entry[0].prediction.seconds / ratio -
             1) < 1e-9);
    for (int a = 0; a < ALGORITHMS; a++) {
        const struct tcplan_estimate *prediction = &fixture.entry[a].prediction;
        assert_true(prediction->low < prediction->seconds &&
                    prediction->seconds < prediction->high);
    }
    tear_down(&fixture);
}

/** The first algorithm was sampled and takes 1 ms, the second one was only evaluated, with 1 ms.
 * The kernel of each, timed alone, took as long as 2 ms in all calls. */
static void a_bound_above_the_time_is_lowered(void **state) {
    (void)state;
    struct fixture fixture;
    set_up(&fixture);
    fixture.ranker.kernel_times = tcplan_kernel_times_new();
    assert_non_null(fixture.ranker.kernel_times);
    for (int r = 0; r < ROUNDS; r++)
        fixture.arm[0].sample[r] =
            (struct drift_sample){.seconds = 1e-3, .reference_seconds = 1e-5};
    fixture.arm[0].taken = ROUNDS;
    for (int a = 0; a < ALGORITHMS; a++) {
        fixture.entry[a].threads = 1;
        fixture.entry[a].lower_bound_seconds = 2e-3;
    }
    arms_believe(&fixture.select);
    findings_note(&fixture.ranker, &fixture.select, TCPLAN_BASIS_RUNS);
    for (int a = 0; a < ALGORITHMS; a++)
        assert_true(fixture.entry[a].lower_bound_seconds == fixture.entry[a].prediction.seconds);
    assert_int_equal(tcplan_kernel_times_count(fixture.ranker.kernel_times), 1);
    tcplan_kernel_times_free(fixture.ranker.kernel_times);
    tear_down(&fixture);
}

static struct tcplan_entry timed(double seconds, bool tied, uint64_t ordinal) {
    struct tcplan_entry entry = {
        .predicted = true, .compared = true, .tied = tied, .ordinal = ordinal};
    entry.prediction.seconds = seconds;
    return entry;
}

static void rows_are_sorted_by_time_whatever_is_chosen(void **state) {
    (void)state;
    struct tcplan_entry entry[] = {timed(2e-3, true, 0), timed(1.99e-3, true, 1),
                                   timed(1e-3, false, 2), timed(3e-3, false, 3)};
    struct tcplan_ranking ranking = {
        .entry = entry, .entry_count = 4, .algorithm_count = 4, .compared = true};
    entry[0].picked = true;
    ranker_sort(&ranking);
    for (int e = 1; e < 4; e++)
        assert_true(entry[e - 1].prediction.seconds < entry[e].prediction.seconds);
    assert_ptr_equal(tcplan_ranking_chosen(&ranking), &entry[2]);
    assert_int_equal(ranking.tied_count, 2);
    assert_true(entry[0].missed && !entry[0].compared); /* faster than the answer and not tied, but
                                                           not compared in enough rounds */
    assert_true(entry[1].compared && entry[2].compared && entry[3].compared);
    assert_int_equal(ranking.missed_count, 1);
    ranker_sort(&ranking);
    assert_int_equal(ranking.missed_count, 1);
}

static void the_front_includes_the_choice(void **state) {
    (void)state;
    struct tcplan_entry entry[] = {timed(1e-3, true, 0), timed(2e-3, true, 1),
                                   timed(3e-3, false, 2)};
    struct tcplan_ranking ranking = {.entry = entry, .entry_count = 3};
    assert_int_equal(tcplan_ranking_front(&ranking, 1), 1);
    entry[1].picked = true;
    assert_int_equal(tcplan_ranking_front(&ranking, 1), 2);
    assert_int_equal(tcplan_ranking_front(&ranking, 9), 3);
    entry[2].status = TCPLAN_ENTRY_NOT_APPLICABLE;
    assert_int_equal(tcplan_ranking_front(&ranking, 9), 2);
    ranking.entry_count = 0;
    assert_null(tcplan_ranking_chosen(&ranking));
    assert_int_equal(tcplan_ranking_front(&ranking, 1), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_of_compared_algorithms_have_the_ratio_of_their_rounds),
        cmocka_unit_test(a_bound_above_the_time_is_lowered),
        cmocka_unit_test(rows_are_sorted_by_time_whatever_is_chosen),
        cmocka_unit_test(the_front_includes_the_choice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
