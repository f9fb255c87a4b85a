/*
 * Tests where windows are placed in synthetic sequences of calls, and how synthetic times of
 * windows are evaluated.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "routines/blocked/cache/stretches.h"

enum { MOST_CALLS = 2000, MOST_STATEMENTS = 8 };

struct made {
    int count;
    struct stretch_call call[MOST_CALLS];
};

static void add(struct made *made, int statement, double work) {
    assert_true(made->count < MOST_CALLS);
    made->call[made->count++] = (struct stretch_call){.statement = statement, .work = work};
}

/** Makes the calls of the right-looking Cholesky algorithm, whose three statements are numbered 0,
 * 1 and 2. */
static struct made cholesky(int steps) {
    struct made made = {0};
    for (int s = 0; s < steps; s++) {
        const double rest = steps - s - 1;
        add(&made, 0, 0.3);
        if (rest > 0) add(&made, 1, rest);
        if (rest > 0) add(&made, 2, rest * (rest + 1) / 2);
    }
    return made;
}

/** Makes a sequence of calls with an inner loop, copied rows, and a statement that rarely occurs.
 */
static struct made nested(int steps) {
    struct made made = {0};
    for (int s = 0; s < steps; s++) {
        add(&made, 0, 4 * steps);
        for (int i = 0; i < steps; i++) {
            for (int row = 0; row < 3; row++) add(&made, 1, 0.1);
            add(&made, 2, 1 + i);
            add(&made, 3, 1);
        }
    }
    add(&made, 4, 1e-9);
    return made;
}

static struct stretches divided(const struct made *made, int statements, int strata) {
    struct stretches stretches = {
        .count = made->count, .call = made->call, .statements = statements, .strata = strata};
    assert_true(stretches_init(&stretches));
    return stretches;
}

static void strata_have_about_equal_work(void **state) {
    const struct made made = cholesky(100);
    struct stretches stretches = divided(&made, 3, 4);
    const double all = stretches_work(&stretches, 0, stretches.count);
    (void)state;
    assert_int_equal(stretches.strata, 4);
    assert_int_equal(stretches.begin[0], 0);
    assert_int_equal(stretches.begin[4], made.count);
    for (int k = 0; k < 4; k++) {
        const double share =
            stretches_work(&stretches, stretches.begin[k], stretches.begin[k + 1]) / all;
        assert_true(fabs(share - 0.25) < 0.03);
    }
    stretches_free(&stretches);
}

static void one_call_is_one_stratum(void **state) {
    struct made made = {0};
    struct random random = {.state = 1};
    struct stretch stretch;
    add(&made, 0, 5);
    struct stretches stretches = divided(&made, 1, 4);
    (void)state;
    assert_int_equal(stretches.strata, 1);
    assert_true(stretches_next(&stretch, &stretches, 0, &random));
    assert_true(stretch.lead == 0 && stretch.first == 0 && stretch.end == 1);
    stretches_note(&stretches, 0, 0, 7);
    assert_false(stretches_next(&stretch, &stretches, 0, &random));
    assert_true(stretches_sum(&stretches, NULL) == 7);
    stretches_free(&stretches);
}

/** Returns the synthetic time of a call: its work, times the seconds per unit of work of its
 * statement. With `drift`, calls become slower along the sequence. */
static double time_of(const struct made *made, int64_t call, double drift) {
    static const double seconds_per_work[MOST_STATEMENTS] = {9, 3, 1, 2, 5, 1, 1, 1};
    const double along = (double)call / made->count;
    return made->call[call].work * seconds_per_work[made->call[call].statement] *
           (1 + drift * along * along);
}

static double whole_time(const struct made *made, double drift) {
    double all = 0;
    for (int c = 0; c < made->count; c++) all += time_of(made, c, drift);
    return all;
}

/** Checks that a warm-up contains all statements of the timed range of calls, or is as long as
 * permitted. */
static void check_lead(const struct stretches *stretches, const struct stretch *stretch) {
    bool wanted[MOST_STATEMENTS] = {false};
    int missing = 0;
    for (int64_t c = stretch->first; c < stretch->end; c++)
        wanted[stretches->call[c].statement] = true;
    for (int64_t c = stretch->lead; c < stretch->first; c++)
        wanted[stretches->call[c].statement] = false;
    for (int s = 0; s < MOST_STATEMENTS; s++) missing += wanted[s];
    const double lead = stretches_work(stretches, stretch->lead, stretch->first),
                 all = stretches_work(stretches, 0, stretches->count);
    assert_true(missing == 0 || stretch->lead == 0 || lead >= all / 16 * (1 - 1e-9));
    if (stretch->first - stretch->lead > 1)
        assert_true(stretches_work(stretches, stretch->lead + 1, stretch->first) <
                    all / 16 * (1 + 1e-9));
}

/** Takes one sample of windows with synthetic times; returns the total work of the timed calls. */
static double take_sample(const struct made *made, struct stretches *stretches, double drift,
                          struct random *random) {
    double made_work = 0;
    stretches_begin(stretches);
    for (int k = 0; k < stretches->strata; k++) {
        struct stretch stretch;
        int count = 0;
        while (stretches_next(&stretch, stretches, k, random)) {
            assert_true(++count <= stretches->statements);
            assert_int_equal(stretch.stratum, k);
            assert_true(stretch.lead >= 0 && stretch.lead <= stretch.first &&
                        stretch.first < stretch.end && stretch.end <= made->count);
            assert_true(stretch.first >= stretches->begin[k] &&
                        stretch.first < stretches->begin[k + 1]);
            check_lead(stretches, &stretch);
            made_work += stretches_work(stretches, stretch.lead, stretch.end);
            for (int64_t c = stretch.first; c < stretch.end; c++)
                stretches_note(stretches, k, c, time_of(made, c, drift));
        }
    }
    return made_work;
}

static void times_that_follow_the_work_are_summed_up_exactly(void **state) {
    struct random random = {.state = 2};
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        const struct made made = kind == 0 ? cholesky(40) : nested(12);
        struct stretches stretches = divided(&made, MOST_STATEMENTS, 4);
        double of_statement[MOST_STATEMENTS];
        for (int round = 0; round < 50; round++) {
            take_sample(&made, &stretches, 0, &random);
            const double sum = stretches_sum(&stretches, of_statement);
            double parts = 0;
            for (int s = 0; s < MOST_STATEMENTS; s++) parts += of_statement[s];
            assert_true(fabs(sum / whole_time(&made, 0) - 1) < 1e-9);
            assert_true(fabs(parts / sum - 1) < 1e-12);
        }
        stretches_free(&stretches);
    }
}

static void changing_clock_regimes_are_averaged(void **state) {
    const struct made made = cholesky(60);
    struct stretches stretches = divided(&made, 3, 4);
    struct random random = {.state = 3};
    double sum = 0, least = INFINITY, most = 0;
    enum { ROUNDS = 400 };
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        take_sample(&made, &stretches, 1, &random);
        const double one = stretches_sum(&stretches, NULL) / whole_time(&made, 1);
        sum += one / ROUNDS;
        least = fmin(least, one);
        most = fmax(most, one);
    }
    assert_true(fabs(sum - 1) < 0.01);
    assert_true(least > 0.7 && most < 1.3);
    assert_true(most > least); /* samples are taken at different places of the sequence */
    stretches_free(&stretches);
}

static void stretches_of_many_steps_are_a_small_part_of_them(void **state) {
    const struct made made = cholesky(200);
    struct stretches stretches = divided(&made, 3, 4);
    struct random random = {.state = 4};
    (void)state;
    for (int round = 0; round < 20; round++) {
        const double share = take_sample(&made, &stretches, 0, &random) /
                             stretches_work(&stretches, 0, stretches.count);
        assert_true(share < 0.15);
    }
    stretches_free(&stretches);
}

static void a_single_statement_is_not_timed_from_end_to_end(void **state) {
    struct made made = {0};
    struct random random = {.state = 5};
    struct stretch stretch;
    for (int c = 0; c < 1000; c++) add(&made, 0, 1);
    struct stretches stretches = divided(&made, 1, 2);
    (void)state;
    assert_true(stretches_next(&stretch, &stretches, 0, &random));
    assert_true(stretch.end - stretch.first <= 64);
    stretches_free(&stretches);
}

static void without_times_the_sum_is_zero(void **state) {
    const struct made made = cholesky(5);
    struct stretches stretches = divided(&made, 3, 2);
    (void)state;
    assert_true(stretches_sum(&stretches, NULL) == 0);
    stretches_free(&stretches);
}

/** Every repetition of a long run is disturbed somewhere. The time of each call is the shortest of
 * its undisturbed times, or of all if it was always disturbed. */
static void load_does_not_make_long_runs_longer(void **state) {
    const double tries[3][4] = {{1, 90, 3, 80}, {70, 2, 60, 50}, {9, 9, 9, 55}};
    const bool disturbed[3][4] = {
        {false, true, false, true}, {true, false, true, true}, {false, false, false, true}};
    const double expected[] = {1, 2, 3, 50}; /* all repetitions of the last call were disturbed */
    const int64_t open[] = {2, 1, 1};
    double ns[] = {INFINITY, INFINITY, INFINITY, INFINITY};
    bool settled[4] = {false};
    (void)state;
    for (int t = 0; t < 3; t++)
        assert_int_equal(stretches_settle(ns, settled, tries[t], disturbed[t], 4), open[t]);
    for (int c = 0; c < 4; c++) assert_true(ns[c] == expected[c]);
}

static void out_of_memory_is_reported(void **state) {
    const struct made made = cholesky(5);
    (void)state;
    for (long n = 0; n < 4; n++) {
        struct stretches stretches = {
            .count = made.count, .call = made.call, .statements = 3, .strata = 4};
        base_alloc_fail_after(n);
        assert_false(stretches_init(&stretches));
        base_alloc_fail_after(-1);
        stretches_free(&stretches);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strata_have_about_equal_work),
        cmocka_unit_test(one_call_is_one_stratum),
        cmocka_unit_test(times_that_follow_the_work_are_summed_up_exactly),
        cmocka_unit_test(changing_clock_regimes_are_averaged),
        cmocka_unit_test(stretches_of_many_steps_are_a_small_part_of_them),
        cmocka_unit_test(a_single_statement_is_not_timed_from_end_to_end),
        cmocka_unit_test(without_times_the_sum_is_zero),
        cmocka_unit_test(load_does_not_make_long_runs_longer),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
