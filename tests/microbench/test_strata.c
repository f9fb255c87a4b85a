/*
 * Tests strata of calls: full and last tiles, first and later iterations. The calls of each stratum
 * are counted correctly, and samples are weighted by these counts. Times are scripted: no clock is
 * read.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "microbench/predict/strata.h"
#include "microbench/timing/statistics.h"
#include "support/named_nest.h"

struct fixture {
    struct named_nest named;
    struct tcplan_program *program;
};

static void fixture_init(struct fixture *out, const char *contraction, const char *sizes,
                         const char *algorithm) {
    struct tcplan_error error = {0};
    named_nest_init(&out->named, contraction, TCPLAN_COLUMN_MAJOR, sizes, TCPLAN_DOUBLE, algorithm);
    if (tcplan_program_build(&out->program, out->named.nest, &out->named.problem, &error))
        fail_msg("%s", error.message);
}

static void fixture_free(struct fixture *fixture) {
    tcplan_program_free(fixture->program);
    named_nest_free(&fixture->named);
}

static int64_t calls_of(const struct strata *strata, unsigned is_partial, bool later) {
    int64_t calls = 0;
    for (int s = 0; s < strata->count; s++) {
        if ((strata->stratum[s].partial != 0) == (is_partial != 0) &&
            strata->stratum[s].later == later)
            calls += strata->stratum[s].calls;
    }
    return calls;
}

/** Makes an algorithm with three full tiles of 64 rows and one of 8, with 50 calls for each tile.
 */
static void tile_init(struct fixture *out) {
    fixture_init(out, "C_abc=A_acd*B_db", "a=200,b=8,c=50,d=4", "a:64.c'Cs-dgemm");
}

static void last_tiles_are_a_stratum_where_they_are_longer_than_a_stretch(void **state) {
    (void)state;
    struct fixture fixture;
    tile_init(&fixture);
    const struct strata longer = strata_of(fixture.program, 10);
    assert_int_equal(longer.count, 2);
    assert_int_equal(calls_of(&longer, 0, false), 150);
    assert_int_equal(calls_of(&longer, 1, false), 50);
    const struct strata shorter = strata_of(fixture.program, 100);
    assert_int_equal(shorter.count, 1);
    assert_int_equal(shorter.stratum[0].calls, 200);
    const struct strata alike = strata_of(fixture.program, 12);
    assert_true(strata_are_alike(&longer, &alike));
    assert_false(strata_are_alike(&longer, &shorter));
    fixture_free(&fixture);
}

/** A sample of one call belongs to one stratum: full tiles, or the last one. */
static void tiles_of_one_call_are_strata_of_stretches_of_one_call(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, "C_abc=A_acd*B_db", "a=200,b=8,c=50,d=4", "c.a:64'Cs-dgemm");
    const struct strata strata = strata_of(fixture.program, 1);
    assert_int_equal(calls_of(&strata, 0, false), 150);
    assert_int_equal(calls_of(&strata, 1, false), 50);
    fixture_free(&fixture);
}

static void first_visits_are_a_stratum(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, "C_abc=A_aid*B_dibc", "a=5,b=6,c=40,d=4,i=3", "i=.c-dgemm");
    const struct strata strata = strata_of(fixture.program, 10);
    assert_int_equal(calls_of(&strata, 0, false), 40);
    assert_int_equal(calls_of(&strata, 0, true), 80);
    fixture_free(&fixture);
}

static void small_strata_are_counted_with_the_largest(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, "C_abc=A_acd*B_db", "a=803,b=8,c=50,d=4",
                 "a:8.c'Cs-dgemm"); /* a=803: the last of 101 tiles has three rows */
    const struct strata strata = strata_of(fixture.program, 10);
    assert_int_equal(strata.count, 1);
    assert_int_equal(strata.stratum[0].calls, 5050);
    fixture_free(&fixture);
}

static void stretches_are_within_their_stratum(void **state) {
    (void)state;
    struct fixture fixture;
    tile_init(&fixture);
    const struct strata strata = strata_of(fixture.program, 10);
    for (int s = 0; s < strata.count; s++) {
        const bool is_last = strata.stratum[s].partial != 0;
        for (int64_t first = 0; first < 200; first++) {
            assert_int_equal(strata_hold(&strata, s, fixture.program, first, 10),
                             is_last ? first >= 150 && first <= 190 : first <= 140);
        }
    }
    fixture_free(&fixture);
}

/** Calls of full tiles take 1000 ns with some noise, those of the last tile 125 ns. The mean of
 * randomly chosen calls would have a large error. */
static void estimates_from_strata_cover_all_calls(void **state) {
    (void)state;
    enum { SAMPLES = 4 };
    static const double noise[SAMPLES] = {0.99, 1.02, 1, 0.98};
    struct fixture fixture;
    double sample_ns[SAMPLES];
    tile_init(&fixture);
    const struct strata strata = strata_of(fixture.program, 10);
    const double all_ns = 150 * 1000.0 + 50 * 125.0;
    for (int n = 0; n < SAMPLES; n++) {
        double call_ns[STRATA_MOST];
        for (int s = 0; s < strata.count; s++)
            call_ns[s] = noise[n] * (strata.stratum[s].partial != 0 ? 125 : 1000);
        sample_ns[n] = strata_weigh(&strata, call_ns);
        assert_true(fabs(sample_ns[n] / all_ns - 1) <= 0.02 + 1e-12);
    }
    const struct tcplan_estimate estimate = statistics_mean_estimate(sample_ns, SAMPLES);
    assert_true(estimate.low * 1e9 <= all_ns && all_ns <= estimate.high * 1e9);
    assert_true(estimate.high - estimate.low < 0.1 * estimate.seconds);
    fixture_free(&fixture);
}

static const struct operation *copy_back(const struct operation *body) {
    for (const struct operation *o = body; o; o = o->next) {
        const struct operation *found = o->kind == OPERATION_LOOP ? copy_back(o->body) : NULL;
        if (found || o->kind == OPERATION_COPY) return found ? found : o;
    }
    return NULL;
}

static void copies_of_last_tiles_count_by_their_elements(void **state) {
    (void)state;
    struct fixture fixture;
    tile_init(&fixture);
    assert_true(fabs(strata_full_blocks(fixture.program, copy_back(fixture.program->body)) -
                     (150 + 50 * 8.0 / 64)) < 1e-9);
    fixture_free(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_tiles_are_a_stratum_where_they_are_longer_than_a_stretch),
        cmocka_unit_test(tiles_of_one_call_are_strata_of_stretches_of_one_call),
        cmocka_unit_test(first_visits_are_a_stratum),
        cmocka_unit_test(small_strata_are_counted_with_the_largest),
        cmocka_unit_test(stretches_are_within_their_stratum),
        cmocka_unit_test(estimates_from_strata_cover_all_calls),
        cmocka_unit_test(copies_of_last_tiles_count_by_their_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
