/*
 * Tests the errors of evaluations that comparisons reveal, and the spread that later rankings
 * expect.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plan/learn/errors.h"
#include "store/experience.h"

enum { ARMS = 5 };

/** Records a comparison, by windows, in which every evaluation was wrong by the factor `error`. */
static void learn(struct tcplan_experience *experience, int rankings, double error) {
    struct tcplan_entry entry[ARMS];
    struct select_arm arm[ARMS];
    struct tcplan_ranking ranking = {.entry = entry, .entry_count = ARMS};
    const struct ranker ranker = {.ranking = &ranking, .options = {.experience = experience}};
    const struct select select = {.count = ARMS, .arm = arm};
    memset(entry, 0, sizeof entry);
    for (int a = 0; a < ARMS; a++) {
        entry[a].basis = TCPLAN_BASIS_WINDOWS;
        arm[a] = (struct select_arm){.count = 2, .square = error * error};
    }
    entry[1].basis = TCPLAN_BASIS_ESTIMATE; /* no evaluation */
    entry[2].at_ceiling = true; /* the measured time was below the ceiling's, which replaced it */
    arm[3].count = 0;           /* not sampled */
    for (int r = 0; r < rankings; r++) errors_learn(&ranker, &select);
}

static void without_observations_the_prior_holds(void **state) {
    (void)state;
    assert_true(errors_spread(NULL, TCPLAN_BASIS_PROBE) > errors_spread(NULL, TCPLAN_BASIS_RUNS));
    assert_true(errors_spread(NULL, TCPLAN_BASIS_ESTIMATE) >
                errors_spread(NULL, TCPLAN_BASIS_PROBE));
}

static void observed_errors_adapt_the_prior_of_a_basis(void **state) {
    (void)state;
    const double prior = errors_spread(NULL, TCPLAN_BASIS_WINDOWS);
    for (int wide = 0; wide < 2; wide++) {
        struct tcplan_experience *experience = tcplan_experience_new();
        assert_non_null(experience);
        const double error = wide ? 0.3 : 0.02;
        learn(experience, 2, error);
        assert_int_equal(experience->error_count, 1);
        /* Each group has two arms; subtracting their common bias leaves one degree of freedom. */
        assert_true(fabs(experience->error[0].count - 2) < 1e-9);
        const double once = errors_spread(experience, TCPLAN_BASIS_WINDOWS);
        learn(experience, 200, error);
        const double often = errors_spread(experience, TCPLAN_BASIS_WINDOWS);
        assert_true(wide ? prior < once && once < often && often < 0.45
                         : prior > once && once > often && often > 0.02);
        assert_true(errors_spread(experience, TCPLAN_BASIS_RUNS) ==
                    errors_spread(NULL, TCPLAN_BASIS_RUNS));
        tcplan_experience_free(experience);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_observations_the_prior_holds),
        cmocka_unit_test(observed_errors_adapt_the_prior_of_a_basis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
