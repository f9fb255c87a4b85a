/*
 * Tests executions of algorithms that are stopped at a time limit, or compute the right result. No
 * time is asserted, except that censored samples exceeded their limit.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "microbench/predict/cutoff.h"
#include "microbench/providers/blas.h"
#include "support/naive.h"
#include "support/random_contraction.h"

/** An algorithm on tensors of random numbers. */
struct fixture {
    const struct tcplan_problem *problem;
    struct tcplan_nest *nest;
    struct tcplan_program *program;
    struct buffers buffers;
    struct naive_case naive;
};

static size_t bytes_of(const struct fixture *fixture, enum tcplan_operand operand) {
    return (size_t)fixture->problem->elems[operand] * fixture->problem->element_bytes;
}

static void fixture_init(struct fixture *out, const struct random_contraction *random,
                         const struct tcplan_algorithm *algorithm) {
    struct tcplan_error error = {0};
    *out = (struct fixture){.problem = &random->problem};
    enum tcplan_status status =
        tcplan_nest_build(&out->nest, random->contraction, algorithm, &error);
    if (status == TCPLAN_OK)
        status = tcplan_program_build(&out->program, out->nest, &random->problem, &error);
    if (status == TCPLAN_OK)
        status = buffers_reserve(&out->buffers, &random->problem, BUFFERS_ALIGNMENT, SIZE_MAX / 4,
                                 &error);
    if (status != TCPLAN_OK) fail_msg("%s: %s", random_contraction_describe(random), error.message);
    buffers_back_all(&out->buffers);
    naive_case_init(&out->naive, &random->problem, random->seed + 1);
    naive_case_reset(&out->naive);
    memcpy(out->buffers.tensor[TCPLAN_A].base, out->naive.memory[TCPLAN_A],
           bytes_of(out, TCPLAN_A));
    memcpy(out->buffers.tensor[TCPLAN_B].base, out->naive.memory[TCPLAN_B],
           bytes_of(out, TCPLAN_B));
    memcpy(out->buffers.tensor[TCPLAN_C].base, out->naive.memory[TCPLAN_C],
           bytes_of(out, TCPLAN_C));
    /* without an addend, the product is added to C */
    const enum tcplan_operand added = out->naive.memory[TCPLAN_ADDEND] ? TCPLAN_ADDEND : TCPLAN_C;
    if (out->naive.addend)
        memcpy(out->buffers.tensor[TCPLAN_ADDEND].base, out->naive.memory[added],
               bytes_of(out, TCPLAN_ADDEND));
}

static void fixture_named(struct fixture *out, const struct random_contraction *given,
                          const char *algorithm) {
    struct tcplan_algorithm parsed;
    assert_int_equal(
        tcplan_algorithm_parse(&parsed, given->contraction, given->problem.dtype, algorithm, NULL),
        TCPLAN_OK);
    fixture_init(out, given, &parsed);
}

static void fixture_free(struct fixture *fixture) {
    naive_case_free(&fixture->naive);
    buffers_free(&fixture->buffers);
    tcplan_program_free(fixture->program);
    tcplan_nest_free(fixture->nest);
}

/** Returns whether the tensors have the values that naive loops compute. */
static bool is_computed(struct fixture *fixture) {
    memcpy(fixture->naive.memory[TCPLAN_C], fixture->buffers.tensor[TCPLAN_C].base,
           bytes_of(fixture, TCPLAN_C));
    return naive_case_error(&fixture->naive) <= naive_tolerance(fixture->problem);
}

/** Checks one algorithm of a random contraction. */
typedef void check_fn(struct fixture *fixture);

/** Calls `check` for every third algorithm of random contractions. */
static void for_random(uint64_t first_seed, int count, check_fn *check) {
    struct random_contraction_options options = random_contraction_defaults();
    options.min_rank = 0;
    for (int c = 0; c < count; c++) {
        struct random_contraction random;
        struct tcplan_enumerator enumerator;
        struct tcplan_algorithm algorithm;
        random_contraction_init(&random, first_seed + (uint64_t)c, &options);
        tcplan_enumerator_init(&enumerator, random.contraction);
        for (int number = 0; tcplan_enumerator_next(&enumerator, &algorithm); number++) {
            struct fixture fixture;
            if (number % 3 || !random_contraction_suits(&random, &algorithm)) continue;
            fixture_init(&fixture, &random, &algorithm);
            check(&fixture);
            fixture_free(&fixture);
        }
        random_contraction_free(&random);
    }
}

static void check_finished(struct fixture *fixture) {
    const struct cutoff_run run = cutoff_execute(fixture->program, &fixture->buffers, INFINITY);
    assert_true(run.finished);
    assert_true(isfinite(run.ns) && run.ns >= 0);
    assert_true(is_computed(fixture));
}

static void a_finished_run_agrees_with_naive_loops(void **state) {
    (void)state;
    for_random(1, 40, check_finished);
}

static void check_cut(struct fixture *fixture) {
    const double limit_ns = 1;
    const struct cutoff_run run = cutoff_execute(fixture->program, &fixture->buffers, limit_ns);
    if (tcplan_program_calls(fixture->program) <= 1 || fixture->program->only_scales) {
        assert_true(run.finished && is_computed(fixture));
    } else {
        assert_false(run.finished);
        assert_true(isfinite(run.ns) && run.ns > limit_ns);
    }
}

static void a_run_that_is_cut_off_has_taken_longer_than_it_might(void **state) {
    (void)state;
    for_random(101, 40, check_cut);
}

static void a_run_that_is_cut_off_leaves_calls_out(void **state) {
    (void)state;
    struct random_contraction given;
    struct fixture fixture;
    random_contraction_given(&given, "C_abc=A_ai*B_ibc", "a=b=c=20,i=3", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    fixture_named(&fixture, &given, "abc-ddot"); /* C is NaN before: the test detects elements that
                                                    were not computed */
    assert_false(cutoff_execute(fixture.program, &fixture.buffers, 0).finished);
    assert_false(is_computed(&fixture));
    assert_true(cutoff_execute(fixture.program, &fixture.buffers, INFINITY)
                    .finished); /* the program starts from the beginning, not where it was
                                   interrupted */
    assert_true(is_computed(&fixture));
    fixture_free(&fixture);
    random_contraction_free(&given);
}

/** A sample that takes too long ends after a part of its calls, unless they differ in size. */
static void a_slow_sample_of_equal_calls_leaves_calls_out(void **state) {
    (void)state;
    static const char *const name[] = {"abc-ddot", "abc:3-dgemv"};
    struct random_contraction given;
    random_contraction_given(&given, "C_abc=A_ai*B_ibc", "a=b=c=20,i=3", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    for (int n = 0; n < 2; n++) {
        struct fixture fixture;
        fixture_named(&fixture, &given, name[n]);
        const double pieces_ns = 100e6, most_seconds = 1e-12;
        const struct drift_sample cut =
            cutoff_sample(fixture.program, &fixture.buffers, pieces_ns, most_seconds, NULL);
        assert_true(cut.seconds > most_seconds);
        assert_int_equal(is_computed(&fixture), n > 0);
        cutoff_sample(fixture.program, &fixture.buffers, pieces_ns, INFINITY, NULL);
        assert_true(is_computed(&fixture));
        fixture_free(&fixture);
    }
    random_contraction_free(&given);
}

static void check_long(struct fixture *fixture) {
    const struct cutoff_run run = cutoff_repeat(fixture->program, &fixture->buffers, 1e9);
    assert_true(run.finished);
    assert_true(is_computed(fixture));
}

static void a_long_run_is_made_once(void **state) {
    (void)state;
    for_random(201, 40, check_long); /* contractions that accumulate: the result shows how many
                                        executions there were */
}

static void short_runs_are_repeated_until_the_clock_resolves_them(void **state) {
    (void)state;
    struct random_contraction given;
    struct fixture fixture;
    random_contraction_given(&given, "C_a+=A_a*B", "a=1", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    fixture_named(&fixture, &given, "daxpy");
    double *C = (double *)fixture.buffers.tensor[TCPLAN_C].base;
    *C = 0;
    assert_true(cutoff_repeat(fixture.program, &fixture.buffers, 100).finished); /* each execution
                                                                                    adds the product
                                                                                    once */
    const double product = *(double *)fixture.buffers.tensor[TCPLAN_A].base *
                           *(double *)fixture.buffers.tensor[TCPLAN_B].base;
    assert_true(fabs(*C / product - 300) < 1e-9);
    fixture_free(&fixture);
    random_contraction_free(&given);
}

static void short_runs_are_made_at_every_placement(void **state) {
    (void)state;
    struct random_contraction given;
    struct fixture fixture;
    random_contraction_given(&given, "C_a=A_a*B_a", "a=1", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    fixture_named(&fixture, &given, "dmul");
    fixture.buffers.moves = true;
    for (int p = 0; p < BUFFERS_PLACEMENTS; p++)
        *(double *)program_base_at(&fixture.buffers, p).tensor[TCPLAN_C] = -1;
    assert_true(cutoff_repeat(fixture.program, &fixture.buffers, 19e3).finished);
    for (int p = 0; p < BUFFERS_PLACEMENTS; p++)
        assert_true(*(double *)program_base_at(&fixture.buffers, p).tensor[TCPLAN_C] >= 0);
    assert_true(is_computed(&fixture));
    fixture_free(&fixture);
    random_contraction_free(&given);
}

static void repeated_runs_leave_the_result_of_one(void **state) {
    (void)state;
    struct random_contraction given;
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm algorithm;
    random_contraction_given(&given, "C_abc=2*A_ija*B_jbic", "a=2,b=2,c=3,i=2,j=2",
                             TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    tcplan_enumerator_init(&enumerator, given.contraction);
    for (int number = 0; tcplan_enumerator_next(&enumerator, &algorithm); number++) {
        struct fixture fixture;
        if (number % 9) continue;
        fixture_init(&fixture, &given, &algorithm);
        const struct cutoff_run run =
            cutoff_repeat(fixture.program, &fixture.buffers, 1500); /* twenty executions */
        assert_true(run.finished && isfinite(run.ns) && run.ns >= 0);
        assert_true(is_computed(&fixture));
        fixture_free(&fixture);
    }
    random_contraction_free(&given);
}

/** Returns the run after which a program with these times (microseconds) is warm. */
static int runs_until_warm(const double run_us[], int count, double least_us) {
    double before_ns = INFINITY, spent_ns = 0;
    for (int r = 0; r < count; r++) {
        const double run_ns = 1e3 * run_us[r];
        spent_ns += run_ns;
        if (cutoff_is_warm(r + 1, run_ns, before_ns, spent_ns, 1e3 * least_us)) return r + 1;
        before_ns = run_ns;
    }
    return 0;
}

/* after_streaming is recorded: dgemm@libxsmm of C_abc=A_ai*B_ibc, a=b=c=95, i=8, after an algorithm
 * that streams C. */
static void a_program_is_warm_once_its_runs_get_no_faster(void **state) {
    (void)state;
    static const double after_streaming[] = {1273, 950, 488, 390, 406, 403};
    static const double equal_at_first[] = {591, 574, 303, 293};
    static const double steady[] = {411, 418, 421};
    static const double slower[] = {320, 502, 319};
    static const double endless[] = {2400, 2000, 1600, 1300};
    assert_int_equal(runs_until_warm(after_streaming, 6, 250), 5);
    assert_int_equal(runs_until_warm(equal_at_first, 4, 250), 4);
    assert_int_equal(runs_until_warm(steady, 3, 250), 3);
    assert_int_equal(runs_until_warm(steady, 2, 1000), 0);
    assert_int_equal(runs_until_warm(slower, 3, 250), 0);
    assert_int_equal(runs_until_warm(endless, 4, 250), 3);
}

int main(void) {
    blas_set_threads(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_finished_run_agrees_with_naive_loops),
        cmocka_unit_test(a_run_that_is_cut_off_has_taken_longer_than_it_might),
        cmocka_unit_test(a_run_that_is_cut_off_leaves_calls_out),
        cmocka_unit_test(a_slow_sample_of_equal_calls_leaves_calls_out),
        cmocka_unit_test(a_long_run_is_made_once),
        cmocka_unit_test(short_runs_are_repeated_until_the_clock_resolves_them),
        cmocka_unit_test(short_runs_are_made_at_every_placement),
        cmocka_unit_test(repeated_runs_leave_the_result_of_one),
        cmocka_unit_test(a_program_is_warm_once_its_runs_get_no_faster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
