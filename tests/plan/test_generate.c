/*
 * Tests which structures are arranged if time does not suffice for all. Heuristic costs and call
 * times are scripted, and no kernel runs. Only tests with `guess_seconds` or a deadline read a
 * clock, that of CPU time.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ast/nest/nest.h"
#include "gen/lower/sharing.h"
#include "gen/space/structures.h"
#include "plan/generate.h"
#include "plan/loop_sharing.h"
#include "support/random_contraction.h"

enum { MOST_TAKEN = 4096, ARRANGEMENTS_OF_A_STRUCTURE = 3 };

/* Scripted time of calls of the fast kernels, in ns; other calls take longer. */
#define FAST_NS 1e3
#define SLOW_NS 1e9

/** Scripted heuristic costs and times; the candidates that the generator returned. */
struct script {
    const char *contraction;
    const char *sizes;
    enum tcplan_kernel fast; /**< kernel class with a low heuristic cost */
    int fast_rows;        /**< only kernels with this number of rows or columns are fast; 0: all */
    double guess_seconds; /**< CPU seconds to compute a heuristic cost */
    int guesses;
    int timed;
    int taken;
    struct tcplan_algorithm first;
    int fast_taken;
    double best_seconds; /**< shortest estimated time of the returned candidates */
};

static double guess_call(void *context, const struct blas_call *call) {
    struct script *script = context;
    const struct deadline end = deadline_in_cpu(script->guess_seconds);
    script->guesses++;
    while (script->guess_seconds > 0 && !deadline_is_over(end)) continue;
    const bool is_fast = script->fast_rows > 0
                             ? call->m == script->fast_rows || call->n == script->fast_rows
                             : call->kernel == script->fast;
    return is_fast ? FAST_NS : SLOW_NS;
}

/** All calls take the same time, so the order of the generated candidates shows the effect of the
 * heuristic costs. */
static struct call_time call_time(void *context, const struct blas_call *call, int threads,
                                  double doubtful_ns) {
    struct script *script = context;
    (void)call;
    (void)threads;
    (void)doubtful_ns;
    script->timed++;
    return (struct call_time){
        .ns = FAST_NS, .low_ns = FAST_NS, .high_ns = FAST_NS, .source = TCPLAN_TIME_TIMED};
}

static double best_seconds(void *context) {
    (void)context;
    return INFINITY;
}

static bool take(void *context, const struct generated *generated) {
    struct script *script = context;
    if (script->taken == 0) script->first = generated->algorithm;
    script->taken++;
    script->fast_taken += generated->algorithm.kernel == script->fast;
    return script->taken < MOST_TAKEN;
}

static bool refuse(void *context, const struct tcplan_algorithm *structure) {
    (void)context;
    (void)structure;
    return true;
}

static const struct tcplan_machine machine = {
    .line_bytes = 64,
    .page_bytes = 4096,
    .cache_count = 2,
    .cache = {{.level = 1, .size_bytes = 32 << 10, .line_bytes = 64},
              {.level = 2, .size_bytes = 1 << 20, .line_bytes = 64}}};

static void run_script(struct script *script, size_t structures, struct deadline deadline) {
    struct random_contraction given;
    random_contraction_given(&given, script->contraction, script->sizes, TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    const struct generator generator = {.problem = &given.problem,
                                        .machine = &machine,
                                        .threads = 1,
                                        .beam_width = 3,
                                        .deadline = deadline,
                                        .structures = structures,
                                        .context = script,
                                        .call_time = call_time,
                                        .guess_call = guess_call,
                                        .best_seconds = best_seconds,
                                        .take = take,
                                        .refuse = refuse};
    assert_int_equal(generate_arrangements(&generator, NULL), TCPLAN_OK);
    random_contraction_free(&given);
}

static struct script generate(enum tcplan_kernel fast, size_t structures,
                              struct deadline deadline) {
    struct script script = {
        .contraction = "C_abcd=A_debac*B_ec", .sizes = "a=6,b=5,c=7,d=9,e=8", .fast = fast};
    run_script(&script, structures, deadline);
    return script;
}

static const struct deadline never = {0};

static void structures_with_low_heuristic_cost_are_arranged_first(void **state) {
    (void)state;
    static const enum tcplan_kernel kernels[] = {TCPLAN_DOT, TCPLAN_GEMV, TCPLAN_GEMM};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        const struct script script = generate(kernels[k], 100, never);
        assert_true(script.taken > 0 && script.first.kernel == kernels[k]);
        assert_true(script.guesses > script.timed); /* heuristic costs were computed before the
                                                       first call was timed */
    }
}

static void the_few_arranged_structures_are_the_fast_ones(void **state) {
    (void)state;
    const struct script script = generate(TCPLAN_DOT, 2, never);
    assert_in_range(script.taken, 1, 2 * ARRANGEMENTS_OF_A_STRUCTURE);
    assert_int_equal(script.fast_taken, script.taken);
    assert_int_equal(script.timed, 2);
}

static void without_a_bound_all_are_arranged_in_their_order(void **state) {
    (void)state;
    const struct script script = generate(TCPLAN_DOT, 0, never);
    const struct script bounded = generate(TCPLAN_DOT, MOST_TAKEN, never);
    assert_int_equal(script.guesses, 0);
    assert_true(script.first.kernel != TCPLAN_DOT);
    assert_int_equal(script.taken, bounded.taken);
    assert_int_equal(script.timed, bounded.timed);
}

static void without_time_some_arrangements_are_generated(void **state) {
    (void)state;
    const struct deadline over = deadline_in_cpu(1e-9);
    while (!deadline_is_over(over)) continue;
    const struct script script = generate(TCPLAN_GEMM, 100, over);
    const struct script all = generate(TCPLAN_GEMM, 100, never);
    assert_in_range(script.taken, 1, ARRANGEMENTS_OF_A_STRUCTURE);
    assert_true(script.taken < all.taken && script.guesses < all.guesses);
}

enum { FEW_SKETCHED = 3, MANY_SKETCHED = 4000, MANY_ARRANGED = 500 };

/** Returns the shortest estimated time of the returned candidates. */
static double least_taken(void *context) {
    const struct script *script = context;
    return script->best_seconds;
}

static bool take_better(void *context, const struct generated *generated) {
    struct script *script = context;
    if (generated->estimate.seconds < script->best_seconds) script->first = generated->algorithm;
    script->best_seconds = fmin(script->best_seconds, generated->estimate.seconds);
    script->taken++;
    return true;
}

/** Each call takes the time of its heuristic cost. */
static struct call_time guessed_time(void *context, const struct blas_call *call, int threads,
                                     double doubtful_ns) {
    struct script *script = context;
    const double ns = 20 + 0.1 * call->m * call->n * (call->k + 2.0);
    (void)threads;
    (void)doubtful_ns;
    script->timed++;
    return (struct call_time){.ns = ns, .low_ns = ns, .high_ns = ns, .source = TCPLAN_TIME_NOMINAL};
}

static double guess_alike(void *context, const struct blas_call *call) {
    struct script *script = context;
    const int timed = script->timed;
    const double ns = guessed_time(context, call, 1, INFINITY).ns;
    script->timed = timed;
    script->guesses++;
    return ns;
}

/** Generates candidates for an estimate: limited to this amount of work, or, without a limit, with
 * all structures arranged. */
static struct script estimate(struct effort_work work) {
    struct script script = {.best_seconds = INFINITY};
    struct random_contraction given;
    random_contraction_given(&given, "C_abcd=A_debac*B_ec", "a=6,b=5,c=7,d=9,e=8",
                             TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    const struct generator generator = {.problem = &given.problem,
                                        .machine = &machine,
                                        .threads = 1,
                                        .beam_width = 3,
                                        .work = work,
                                        .guess_error = 1,
                                        .context = &script,
                                        .call_time = guessed_time,
                                        .guess_call = guess_alike,
                                        .best_seconds = least_taken,
                                        .take = take_better,
                                        .refuse = refuse};
    assert_int_equal(generate_arrangements(&generator, NULL), TCPLAN_OK);
    random_contraction_free(&given);
    return script;
}

static void an_estimate_finds_the_best_of_all_and_arranges_few(void **state) {
    (void)state;
    const struct script all = estimate((struct effort_work){0});
    const struct script few =
        estimate((struct effort_work){.sketched = MANY_SKETCHED, .arranged = MANY_ARRANGED});
    assert_true(few.best_seconds <= all.best_seconds * (1 + 1e-12));
    assert_true(few.timed < all.timed / 4);
}

static void work_ends_an_estimate_and_it_is_the_same_again(void **state) {
    (void)state;
    const struct effort_work work = {.sketched = FEW_SKETCHED, .arranged = 1};
    const struct script first = estimate(work), again = estimate(work);
    assert_true(first.taken > 0 && first.timed <= work.sketched);
    assert_true(first.best_seconds == again.best_seconds && first.timed == again.timed &&
                first.guesses == again.guesses);
    assert_true(tcplan_algorithm_equal(&first.first, &again.first));
}

struct counted {
    int all;
    int without_steps;
};

/** Counts structures whose kernel has steps; a structures_fn. */
static bool count_steps(void *context, const struct tcplan_algorithm *structure) {
    struct counted *counted = context;
    counted->all++;
    counted->without_steps += structure->split_count == 0;
    return true;
}

static struct counted count_structures(const struct script *script) {
    struct counted counted = {0};
    struct random_contraction given;
    random_contraction_given(&given, script->contraction, script->sizes, TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    struct structures_options options = {
        .problem = &given.problem, .line_elems = 8, .near_elems = {4096, 131072}, .threads = 1};
    options.provider[TCPLAN_PROVIDER_BLAS] = true;
    structures_visit(&options, count_steps, &counted);
    random_contraction_free(&given);
    return counted;
}

/**
 * If time suffices for some structures only, structures with steps are among them, although the
 * enumeration lists these last.
 */
static void steps_are_found_without_time_for_all_structures(void **state) {
    (void)state;
    struct script all = {.contraction = "C_abcd=A_aebf*B_dfce",
                         .sizes = "a=40,b=24,c=36,d=17,e=20,f=30",
                         .fast_rows = 16};
    struct script script = all;
    const struct counted counted = count_structures(&all);
    const double part = 0.8 * counted.without_steps / counted.all;
    run_script(&all, 100, never);
    script.guess_seconds = 10e-6;
    run_script(&script, 100, deadline_in_cpu(part * all.guesses * script.guess_seconds / 0.4));
    assert_true(script.guesses < all.guesses);
    assert_true(script.taken > 0 && script.first.split_count > 0);
}

/** Checks that the estimated share of the busiest thread equals its share in the execution. */
static void assert_shared(const char *name, const char *sizes, int threads) {
    struct random_contraction given;
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest;
    random_contraction_given(&given, "C_abc=A_ai*B_ibc", sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    assert_int_equal(
        tcplan_algorithm_parse(&algorithm, given.contraction, TCPLAN_DOUBLE, name, NULL),
        TCPLAN_OK);
    assert_int_equal(tcplan_nest_build(&nest, given.contraction, &algorithm, NULL), TCPLAN_OK);
    const struct refined_problem refined = problem_refine(&given.problem, nest->refinement);
    const struct sharing sharing = sharing_of(nest, &refined, threads),
                         whole = sharing_of(nest, &refined, 1);
    const double share = (double)sharing.iterations / (double)whole.iterations;
    assert_true(fabs(loop_sharing_largest(&given.problem, &algorithm, threads) - share) < 1e-12);
    tcplan_nest_free(nest);
    random_contraction_free(&given);
}

static void threads_share_loops_in_whole_lines(void **state) {
    (void)state;
    for (int threads = 2; threads <= 4; threads++) {
        assert_shared("a|.c-dgemv", "a=72,b=16,c=20,i=5", threads);
        assert_shared("a|.c-dgemv", "a=24,b=16,c=20,i=5", threads);
        assert_shared("a:4|.c-dgemm", "a=72,b=16,c=20,i=5", threads);
        assert_shared("c|-dgemm", "a=72,b=16,c=21,i=5", threads);
        assert_shared("c|.a|-dgemv", "a=72,b=16,c=5,i=5", threads);
        assert_shared("c|.a|-dgemv", "a=21,b=16,c=5,i=5", threads);
        assert_shared("c|'C-dgemm", "a=72,b=16,c=21,i=5", threads);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structures_with_low_heuristic_cost_are_arranged_first),
        cmocka_unit_test(the_few_arranged_structures_are_the_fast_ones),
        cmocka_unit_test(without_a_bound_all_are_arranged_in_their_order),
        cmocka_unit_test(without_time_some_arrangements_are_generated),
        cmocka_unit_test(an_estimate_finds_the_best_of_all_and_arranges_few),
        cmocka_unit_test(work_ends_an_estimate_and_it_is_the_same_again),
        cmocka_unit_test(threads_share_loops_in_whole_lines),
        cmocka_unit_test(steps_are_found_without_time_for_all_structures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
