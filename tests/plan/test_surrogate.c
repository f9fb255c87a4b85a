/*
 * Tests how the next candidate to evaluate is chosen: first by estimates, later by evaluations of
 * similar candidates.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/learn/surrogate.h"

enum { OF_A_KIND = 4, COUNT = 2 * OF_A_KIND, INDICES = 3 };

/** Makes candidates with two kinds of kernels: on indices 0, 1 and 2, and on index 0 with a copy.
 * Candidates of a kind differ in the step of index 0. */
static struct tcplan_ranking two_kinds(struct tcplan_entry candidate[COUNT]) {
    static const struct tcplan_contraction contraction = {.index_count = INDICES};
    for (int c = 0; c < COUNT; c++) {
        const bool second = c >= OF_A_KIND;
        candidate[c] = (struct tcplan_entry){.status = TCPLAN_ENTRY_OPEN,
                                             .basis = TCPLAN_BASIS_RUNS,
                                             .threads = 1,
                                             .calls = 1,
                                             .estimate_seconds = 1 + 0.01 * c,
                                             .lower_bound_seconds = 1};
        struct tcplan_algorithm *algorithm = &candidate[c].algorithm;
        *algorithm = tcplan_algorithm_empty();
        algorithm->kernel = TCPLAN_GEMM;
        algorithm->split_count = 1;
        algorithm->group[TCPLAN_M] = 1;
        algorithm->group[TCPLAN_N] = second ? 0 : 2;
        algorithm->group[TCPLAN_K] = second ? 0 : 4;
        algorithm->split[0] = (struct tcplan_split){.index = 0, .step = 8 << c % OF_A_KIND};
        for (int t = 0; t < TCPLAN_OPERANDS; t++) algorithm->copy[t].depth = second ? 0 : -1;
    }
    return (struct tcplan_ranking){.problem = {.contraction = &contraction, .extent = {64, 64, 64}},
                                   .entry = candidate,
                                   .entry_count = COUNT};
}

static bool is_second(const struct tcplan_entry *candidate) {
    return candidate->algorithm.group[TCPLAN_N] == 0;
}

static struct surrogate *new_surrogate(const struct tcplan_ranking *ranking) {
    const struct tcplan_rank_options options = {.threads = 1};
    struct surrogate *surrogate = surrogate_new(ranking, &options);
    assert_non_null(surrogate);
    return surrogate;
}

/** Returns the price of an evaluation: one second. */
static double a_second(const void *context, struct tcplan_entry *candidate) {
    (void)context;
    (void)candidate;
    return 1;
}

static struct tcplan_entry *next_of(struct surrogate *surrogate) {
    double per_second;
    return surrogate_next(surrogate, a_second, NULL, &per_second);
}

static double expected_seconds(const struct surrogate *surrogate,
                               const struct tcplan_entry *candidate) {
    return exp(surrogate_belief(surrogate, candidate).mean);
}

static void the_best_estimate_is_offered_first(void **state) {
    (void)state;
    struct tcplan_entry candidate[COUNT];
    const struct tcplan_ranking ranking = two_kinds(candidate);
    struct surrogate *surrogate = new_surrogate(&ranking);
    assert_ptr_equal(next_of(surrogate), &candidate[0]);
    surrogate_free(surrogate);
}

/** A kernel may take half of its heuristic cost. So it is timed before candidates with lower
 * estimates, and from then on has its measured time. */
static void heuristic_costs_may_be_wrong_by_half(void **state) {
    (void)state;
    struct tcplan_entry candidate[COUNT];
    const struct tcplan_ranking ranking = two_kinds(candidate);
    for (int c = 0; c < COUNT; c++) candidate[c].kernel_source = TCPLAN_TIME_TIMED;
    candidate[2].kernel_source = candidate[3].kernel_source = TCPLAN_TIME_NOMINAL;
    candidate[2].estimate_seconds = candidate[3].estimate_seconds = 1.5;
    candidate[2].lower_bound_seconds = 1.2; /* the kernel takes most of the time, */
    candidate[3].lower_bound_seconds = 0.3; /* or little of it */
    struct surrogate *surrogate = new_surrogate(&ranking);
    assert_ptr_equal(next_of(surrogate), &candidate[2]);
    candidate[2].kernel_source = TCPLAN_TIME_TIMED;
    surrogate_reconsider(surrogate, &candidate[2]);
    assert_ptr_equal(next_of(surrogate), &candidate[0]);
    surrogate_free(surrogate);
}

/** An evaluation moves the expected time of a similar candidate, and decreases its variance. */
static void an_evaluation_changes_the_estimates_of_its_kind(void **state) {
    (void)state;
    struct tcplan_entry candidate[COUNT];
    const struct tcplan_ranking ranking = two_kinds(candidate);
    struct surrogate *surrogate = new_surrogate(&ranking);
    const double before = expected_seconds(surrogate, &candidate[1]);
    assert_true(fabs(before / candidate[1].estimate_seconds - 1) < 1e-9);
    surrogate_learn(surrogate, &candidate[0], 3 * candidate[0].estimate_seconds);
    const double after = expected_seconds(surrogate, &candidate[1]);
    assert_true(after > 2 * before && after < 3.0001 * candidate[1].estimate_seconds);
    assert_true(surrogate_belief(surrogate, &candidate[1]).variance <
                surrogate_belief(surrogate, &candidate[OF_A_KIND]).variance);
    surrogate_free(surrogate);
}

/** Candidates 0 and 1 have the same expected improvement, but evaluating one takes longer. */
static double longer(const void *context, struct tcplan_entry *candidate) {
    return candidate == context ? 10 : 1;
}

static void the_cheaper_of_equal_improvements_is_next(void **state) {
    (void)state;
    struct tcplan_entry candidate[COUNT];
    const struct tcplan_ranking ranking = two_kinds(candidate);
    struct surrogate *surrogate = new_surrogate(&ranking);
    double per_second, of_others;
    assert_ptr_equal(surrogate_next(surrogate, longer, &candidate[0], &per_second), &candidate[1]);
    assert_true(isinf(per_second)); /* infinite: nothing was evaluated yet */
    surrogate_learn(surrogate, &candidate[0], candidate[0].estimate_seconds);
    const struct tcplan_entry *next = surrogate_next(surrogate, a_second, NULL, &per_second);
    assert_true(per_second > 0 && per_second < 1);
    assert_ptr_not_equal(surrogate_next(surrogate, longer, next, &of_others), next);
    assert_true(of_others < per_second);
    surrogate_free(surrogate);
}

/** Evaluations that confirm the prior decrease the variance of other candidates more than
 * surprising ones do. */
static void unexpected_results_increase_all_uncertainties(void **state) {
    (void)state;
    struct tcplan_entry candidate[COUNT];
    const struct tcplan_ranking ranking = two_kinds(candidate);
    double variance[2];
    for (int surprises = 0; surprises <= 1; surprises++) {
        struct surrogate *surrogate = new_surrogate(&ranking);
        for (int c = 0; c < OF_A_KIND - 1; c++) {
            const double factor = surprises ? (c % 2 ? 0.2 : 5) : 1;
            surrogate_learn(surrogate, &candidate[c], factor * candidate[c].estimate_seconds);
        }
        variance[surprises] = surrogate_belief(surrogate, &candidate[OF_A_KIND]).variance;
        surrogate_free(surrogate);
    }
    assert_true(variance[1] > 2 * variance[0]);
}

/** An evaluation of five times the estimate raises the expected times of similar candidates; one of
 * a fifth lowers them. */
static void similar_candidates_have_similar_errors(void **state) {
    (void)state;
    struct tcplan_entry candidate[COUNT];
    const struct tcplan_ranking ranking = two_kinds(candidate);
    for (int second_is_fast = 0; second_is_fast <= 1; second_is_fast++) {
        struct surrogate *surrogate = new_surrogate(&ranking);
        surrogate_learn(surrogate, &candidate[0], second_is_fast ? 5 : 0.2);
        surrogate_learn(surrogate, &candidate[OF_A_KIND], second_is_fast ? 0.2 : 5);
        for (int c = 1; c < OF_A_KIND; c++) {
            const struct tcplan_entry *next = next_of(surrogate);
            assert_int_equal(is_second(next), second_is_fast);
            surrogate_learn(surrogate, next, 0.2);
        }
        assert_int_equal(is_second(next_of(surrogate)), !second_is_fast);
        surrogate_free(surrogate);
    }
}

/** Evaluations confirm the estimates of one kind of candidates. Still, another kind with nearly the
 * same estimate is evaluated. */
static void unknown_candidates_are_tried(void **state) {
    (void)state;
    struct tcplan_entry candidate[COUNT];
    const struct tcplan_ranking ranking = two_kinds(candidate);
    struct surrogate *surrogate = new_surrogate(&ranking);
    surrogate_learn(surrogate, &candidate[0], candidate[0].estimate_seconds);
    assert_true(is_second(next_of(surrogate)));
    surrogate_free(surrogate);
}

/** Each candidate is proposed exactly once, whatever is known of its time. */
static void all_candidates_are_offered_once(void **state) {
    (void)state;
    struct tcplan_entry candidate[COUNT];
    const struct tcplan_ranking ranking = two_kinds(candidate);
    struct surrogate *surrogate = new_surrogate(&ranking);
    bool offered[COUNT] = {false};
    for (int c = 0; c < COUNT; c++) {
        const struct tcplan_entry *next = next_of(surrogate);
        assert_non_null(next);
        assert_false(offered[next - candidate]);
        offered[next - candidate] = true;
        surrogate_learn(surrogate, next, c % 2 ? INFINITY : 1);
    }
    assert_null(next_of(surrogate));
    surrogate_free(surrogate);
}

/** Candidates that were evaluated before, or are not applicable, are not proposed. Earlier
 * evaluations show the errors of estimates. */
static void prior_knowledge_counts(void **state) {
    (void)state;
    struct tcplan_entry candidate[COUNT];
    const struct tcplan_ranking ranking = two_kinds(candidate);
    candidate[0].status = TCPLAN_ENTRY_PREDICTED;
    candidate[0].predicted = true;
    candidate[0].prediction.seconds = 5;
    candidate[OF_A_KIND].status = TCPLAN_ENTRY_NOT_APPLICABLE;
    struct surrogate *surrogate = new_surrogate(&ranking);
    for (int c = 1; c < OF_A_KIND; c++) {
        const struct tcplan_entry *next = next_of(surrogate);
        assert_true(is_second(next) && next != &candidate[OF_A_KIND]);
        surrogate_learn(surrogate, next, next->estimate_seconds);
    }
    assert_false(is_second(next_of(surrogate)));
    surrogate_free(surrogate);
}

/** An earlier run that was stopped raises the expected times of similar candidates, as a new one
 * does. */
static void censored_prior_samples_count(void **state) {
    (void)state;
    struct tcplan_entry candidate[COUNT];
    const struct tcplan_ranking ranking = two_kinds(candidate);
    candidate[0].status = TCPLAN_ENTRY_PRUNED;
    candidate[0].lower_bound_seconds = 5;
    struct surrogate *surrogate = new_surrogate(&ranking);
    for (int c = 0; c < OF_A_KIND; c++) {
        const struct tcplan_entry *next = next_of(surrogate);
        assert_true(is_second(next));
        surrogate_learn(surrogate, next, next->estimate_seconds);
    }
    assert_false(is_second(next_of(surrogate)));
    surrogate_free(surrogate);
}

/** An entry that was only estimated adds no information to the prior. */
static void the_learnt_time_is_a_bound_or_the_prediction(void **state) {
    (void)state;
    struct tcplan_entry candidate = {.status = TCPLAN_ENTRY_OPEN, .lower_bound_seconds = 2};
    assert_true(isinf(surrogate_learnt_seconds(&candidate)));
    candidate.status = TCPLAN_ENTRY_PRUNED;
    assert_true(surrogate_learnt_seconds(&candidate) == 2);
    candidate.status = TCPLAN_ENTRY_PREDICTED;
    candidate.predicted = true;
    candidate.prediction.seconds = 3;
    candidate.basis = TCPLAN_BASIS_PROBE;
    assert_true(surrogate_learnt_seconds(&candidate) == 3);
    candidate.basis = TCPLAN_BASIS_ESTIMATE;
    assert_true(isinf(surrogate_learnt_seconds(&candidate)));
}

static void without_candidates_nothing_is_offered(void **state) {
    (void)state;
    const struct tcplan_ranking none = {0};
    struct surrogate *surrogate = new_surrogate(&none);
    assert_null(next_of(surrogate));
    surrogate_free(surrogate);
    surrogate_free(NULL);
}

/** Candidates that differ from evaluated ones in the provider are proposed. If another
 * provider's kernel makes one candidate faster, that provider is also proposed for the other
 * candidates, once for each. */
static void an_improvement_of_one_is_proposed_for_others(void **state) {
    (void)state;
    for (int gains = 0; gains < 2; gains++) {
        struct tcplan_entry candidate[COUNT];
        struct tcplan_ranking ranking = two_kinds(candidate);
        struct tcplan_entry *child = &candidate[COUNT - 1];
        const double seconds = candidate[0].estimate_seconds;
        *child = candidate[0];
        if (gains) child->algorithm.provider = TCPLAN_PROVIDER_LIBXSMM;
        ranking.entry_count--;
        struct surrogate *surrogate = new_surrogate(&ranking);
        assert_null(surrogate_next_parent(surrogate, a_second, NULL, 0)); /* NULL: nothing was
                                                                             evaluated yet */
        surrogate_learn(surrogate, &candidate[0], seconds);
        assert_ptr_equal(surrogate_next_parent(surrogate, a_second, NULL, 0.15), &candidate[0]);
        assert_null(surrogate_next_parent(surrogate, a_second, NULL,
                                          0.15)); /* NULL: all expected times are too uncertain */
        ranking.entry_count++;
        assert_true(surrogate_extend(surrogate, 0));
        surrogate_learn(surrogate, child, 0.3 * seconds);
        size_t others = 0;
        for (const struct tcplan_entry *next;
             (next = surrogate_next_parent(surrogate, a_second, NULL, 0.02));)
            others += next != child;
        assert_true(gains ? others > 0 : others == 0);
        surrogate_free(surrogate);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_estimate_is_offered_first),
        cmocka_unit_test(heuristic_costs_may_be_wrong_by_half),
        cmocka_unit_test(an_evaluation_changes_the_estimates_of_its_kind),
        cmocka_unit_test(the_cheaper_of_equal_improvements_is_next),
        cmocka_unit_test(unexpected_results_increase_all_uncertainties),
        cmocka_unit_test(similar_candidates_have_similar_errors),
        cmocka_unit_test(unknown_candidates_are_tried),
        cmocka_unit_test(all_candidates_are_offered_once),
        cmocka_unit_test(prior_knowledge_counts),
        cmocka_unit_test(censored_prior_samples_count),
        cmocka_unit_test(the_learnt_time_is_a_bound_or_the_prediction),
        cmocka_unit_test(without_candidates_nothing_is_offered),
        cmocka_unit_test(an_improvement_of_one_is_proposed_for_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
