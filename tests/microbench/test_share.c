/*
 * Tests parallel loops: for every loop that threads may share, with copies at any depth, results
 * equal those of naive loops. A failure names the seed of the contraction.
 */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "microbench/program/program.h"
#include "microbench/program/share.h"
#include "microbench/program/stretch.h"
#include "microbench/providers/blas.h"
#include "support/naive.h"
#include "support/random_algorithm.h"
#include "support/rng.h"

/** A program with a parallel loop. */
struct built {
    const struct random_contraction *random;
    const struct tcplan_algorithm *algorithm;
    struct tcplan_nest *nest;
    struct tcplan_program *program;
};

static void fail_built(const struct built *built, const char *why) {
    fail_msg("%s --algorithm \"%s\", %d threads: %s\n%s",
             random_contraction_describe(built->random),
             tcplan_algorithm_name(built->algorithm, built->random->contraction,
                                   built->random->problem.dtype),
             built->program->sharing.threads, why,
             tcplan_nest_text(built->nest, &built->random->problem, built->random->problem.dtype));
}

static void built_init(struct built *out, const struct random_contraction *random,
                       const struct tcplan_algorithm *algorithm, int threads) {
    struct tcplan_error error = {0};
    *out = (struct built){.random = random, .algorithm = algorithm};
    enum tcplan_status status =
        tcplan_nest_build(&out->nest, random->contraction, algorithm, &error);
    if (status == TCPLAN_OK)
        status = tcplan_program_build(&out->program, out->nest, &random->problem, &error);
    if (status == TCPLAN_OK) status = tcplan_program_set_threads(out->program, threads, &error);
    if (status != TCPLAN_OK) fail_msg("%s: %s", random_contraction_describe(random), error.message);
}

static void built_free(struct built *built) {
    tcplan_program_free(built->program);
    tcplan_nest_free(built->nest);
}

typedef void check_fn(const struct built *built, struct naive_case *naive);

/** Checks random algorithms with a parallel loop, with 2 to 5 threads; returns in how many of them
 * several threads had iterations. */
static int check_algorithms(const struct random_contraction *random, int count, uint64_t *state,
                            check_fn *check) {
    struct naive_case naive;
    int shared = 0;
    naive_case_init(&naive, &random->problem, random->seed);
    for (int a = 0; a < count; a++) {
        struct tcplan_algorithm algorithm;
        struct built built;
        if (!random_algorithm(&algorithm, random->contraction, TCPLAN_PROVIDER_BLAS, state))
            continue;
        if (!random_parallel_loop(&algorithm, random->contraction, state) ||
            !random_contraction_suits(random, &algorithm))
            continue;
        built_init(&built, random, &algorithm, 2 + rng_below(state, 4));
        naive_case_reset(&naive);
        shared += built.program->shared != NULL;
        check(&built, &naive);
        built_free(&built);
    }
    naive_case_free(&naive);
    return shared;
}

static void for_random(uint64_t first_seed, int contractions, int count, check_fn *check) {
    struct random_contraction_options options = random_contraction_defaults();
    options.min_rank = 1;
    int shared = 0;
    for (int c = 0; c < contractions; c++) {
        struct random_contraction random;
        uint64_t state = first_seed + (uint64_t)c;
        random_contraction_init(&random, state, &options);
        shared += check_algorithms(&random, count, &state, check);
        random_contraction_free(&random);
    }
    assert_true(shared > contractions);
}

static void check_run(const struct built *built, struct naive_case *naive) {
    tcplan_program_run_adding(built->program, naive->A, naive->B, naive->addend, naive->C, NULL);
    if (naive_case_error(naive) > naive_tolerance(&built->random->problem))
        fail_built(built, "the result is wrong");
}

static void algorithms_with_a_parallel_loop_equal_naive_loops(void **state) {
    (void)state;
    for_random(60001, 400, 12, check_run);
}

static void check_back_and_forth(const struct built *built, struct naive_case *naive) {
    assert_int_equal(tcplan_program_set_threads(built->program, 1, NULL), TCPLAN_OK);
    assert_null(built->program->shared);
    check_run(built, naive);
    naive_case_reset(naive);
    assert_int_equal(tcplan_program_set_threads(built->program, 3, NULL), TCPLAN_OK);
    check_run(built, naive);
}

static void the_number_of_threads_may_change(void **state) {
    (void)state;
    for_random(61001, 100, 6, check_back_and_forth);
}

/** Checks that every thread has iterations of the parallel loop, and that each iteration belongs to
 * exactly one thread. */
static void check_shares(const struct built *built, struct naive_case *naive) {
    const struct tcplan_program *program = built->program;
    (void)naive;
    if (!program->shared) return;
    const struct sharing *sharing = &program->sharing;
    const int64_t count = program->shared->extent * (program->inner ? program->inner->extent : 1);
    int64_t end = 0;
    int64_t most = 0;
    assert_true(sharing->threads >= 2 && sharing->threads <= 5);
    for (int thread = 0; thread < sharing->threads; thread++) {
        const struct iterations part = sharing_part(sharing, count, thread);
        if (part.begin != end) fail_built(built, "parts that do not continue each other");
        if (part.begin == part.end) fail_built(built, "a thread has nothing to do");
        if (part.end - part.begin > most) most = part.end - part.begin;
        end = part.end;
    }
    if (end != count) fail_built(built, "iterations are left over");
    if (most != sharing->iterations) fail_built(built, "the longest part is not what is predicted");
}

static void shares_are_a_partition(void **state) {
    (void)state;
    for_random(62001, 400, 6, check_shares);
}

/** Returns whether the iteration at `at` belongs to the thread, if all tiles are full. */
static bool is_of(const struct tcplan_program *program, const int64_t at[], int thread) {
    const int64_t outer = at[program->shared->node->loop.index];
    const int64_t number =
        program->inner ? outer * program->inner->extent + at[program->inner->node->loop.index]
                       : outer;
    const int64_t count = program->shared->extent * (program->inner ? program->inner->extent : 1);
    const struct iterations part = sharing_part(&program->sharing, count, thread);
    return number >= part.begin && number < part.end;
}

/** Checks that seeking moves a thread's position into its share, and keeps a position that is
 * already there. */
static void check_positions(const struct built *built, struct naive_case *naive) {
    const struct tcplan_program *program = built->program;
    (void)naive;
    if (!program->shared) return;
    /* The last tile is smaller: its loop is divided differently, and a thread may have no
     * iteration of it. */
    const bool is_border =
        program->shared->points_of != 0 || (program->inner && program->inner->points_of != 0);
    for (int64_t position = 0; position < program->calls; position++) {
        int64_t before[TCPLAN_MAX_INDICES] = {0};
        program_iterations(program, program->kernel, position, before);
        for (int thread = 0; thread < program->sharing.threads; thread++) {
            int64_t at[TCPLAN_MAX_INDICES] = {0};
            const int64_t moved =
                program_share_occurrence(program, program->kernel, position, thread);
            if (moved < 0 || moved >= program->calls)
                fail_built(built, "a position beyond the end");
            program_iterations(program, program->kernel, moved, at);
            if (!is_border && is_of(program, before, thread) && moved != position)
                fail_built(built, "a position that moved");
            if (!is_border && !is_of(program, at, thread))
                fail_built(built, "a position in the wrong share");
        }
    }
}

/** Checks the predicted number of calls of the busiest thread against a count. */
static void check_largest_share(const struct built *built, struct naive_case *naive) {
    const struct tcplan_program *program = built->program;
    int64_t calls[5] = {0};
    int64_t most = 0;
    (void)naive;
    if (!program->shared || program->shared->points_of || program->shared->steps_of) return;
    if (program->inner && (program->inner->points_of || program->inner->steps_of)) return;
    for (int64_t position = 0; position < program->calls; position++) {
        int64_t at[TCPLAN_MAX_INDICES] = {0};
        program_iterations(program, program->kernel, position, at);
        for (int thread = 0; thread < program->sharing.threads; thread++)
            calls[thread] += is_of(program, at, thread);
    }
    for (int thread = 0; thread < program->sharing.threads; thread++)
        most = calls[thread] > most ? calls[thread] : most;
    const double predicted =
        program_largest_share(program, program->kernel) * (double)program->calls;
    if (fabs(predicted - (double)most) > 1e-9 * predicted)
        fail_built(built, "another number of calls than is predicted");
}

static void the_calls_of_the_longest_share_are_known(void **state) {
    (void)state;
    for_random(65001, 200, 6, check_largest_share);
}

/** Checks how many iterations each thread has in a named algorithm, with the given number of
 * threads. */
static void check_parts(const char *formula, const char *sizes, const char *name, int threads,
                        const char *expected) {
    struct random_contraction given;
    struct tcplan_algorithm algorithm;
    struct built built;
    struct tcplan_error error = {0};
    char text[200] = "";
    random_contraction_given(&given, formula, sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    if (tcplan_algorithm_parse(&algorithm, given.contraction, TCPLAN_DOUBLE, name, &error) !=
        TCPLAN_OK)
        fail_msg("%s", error.message);
    built_init(&built, &given, &algorithm, threads);
    const struct tcplan_program *program = built.program;
    const int64_t count = program->shared->extent * (program->inner ? program->inner->extent : 1);
    for (int thread = 0; thread < program->sharing.threads; thread++) {
        const struct iterations part = sharing_part(&program->sharing, count, thread);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d", thread > 0 ? " " : "",
                 (int)(part.end - part.begin));
    }
    assert_string_equal(text, expected);
    built_free(&built);
    random_contraction_free(&given);
}

static void iterations_are_divided_evenly(void **state) {
    (void)state;
    check_parts("C_abc=A_ai*B_ibc", "a=16,b=4,c=10,i=5", "c|-dgemm", 4, "2 3 2 3");
    check_parts("C_abc=A_ai*B_ibc", "a=16,b=4,c=9,i=5", "c|-dgemm", 8,
                "1 2 2 2 2"); /* a third thread would not reduce the largest share */
    check_parts("C_abc=A_ai*B_ibc", "a=16,b=5,c=3,i=5", "c|-dgemm", 2, "1 2");
    check_parts("C_abc=A_ai*B_ibc", "a=16,b=5,c=3,i=5", "c|.b|-dgemv", 2, "7 8");
    check_parts("C_abc=A_ai*B_ibc", "a=16,b=5,c=3,i=5", "c|.b|-dgemv", 4, "3 4 4 4");
    check_parts("C_abc=A_ai*B_ibc", "a=312,b=5,c=3,i=5", "a|.b-dgemv", 2,
                "152 160"); /* whole lines */
    check_parts("C_abc=A_ai*B_ibc", "a=20,b=5,c=3,i=5", "a:8|.b|.c-dgemv", 4, "3 4 4 4");
}

/** Copies and scalings outside the parallel loop are large enough to be divided among threads. */
static const struct {
    const char *formula, *sizes, *name;
} divided[] = {{"C_abc=A_ai*B_ibc", "a=50,b=90,c=13,i=20", "'AB.c|-dgemm"},
               {"C_abc=A_ai*B_ibc", "a=50,b=90,c=13,i=20", "'Bt.c|.b|-dgemv"},
               {"C_abc=A_ai*B_ibc+2*C_abc", "a=50,b=90,c=13,i=20", "'Cr.c|-dgemm"},
               {"C_abc=A_ai*B_ibc", "a=50,b=90,c=13,i=20", "'Cs.c|-dgemm"},
               {"C_abc=A_ija*B_jbic", "a=40,b=30,c=14,i=6,j=20", "i'A.c|-dgemm"},
               {"C_abc=A_ai*B_ibc", "a=50,b=90,c=13,i=40", "b:32'B.c|-dgemm"},
               {"C_abc=A_ai*B_ibc", "a=50,b=90,c=13,i=20", "'Bp.c|.b:8-dgemm"},
               {"C_abc=A_ai*B_ibc", "a=50,b=3,c=2,i=4000", "'B.b|-dgemm"}};

static bool any_divided(const struct tcplan_program *program, const struct operation *operation) {
    bool any = false;
    for (; operation && !any; operation = operation->next) {
        any = program_divides(program, operation) ||
              (operation->kind == OPERATION_LOOP && any_divided(program, operation->body));
    }
    return any;
}

static void divided_operations_agree_with_naive_loops(void **state) {
    (void)state;
    for (size_t d = 0; d < sizeof divided / sizeof *divided; d++) {
        struct random_contraction given;
        struct tcplan_algorithm algorithm;
        struct naive_case naive;
        struct tcplan_error error = {0};
        random_contraction_given(&given, divided[d].formula, divided[d].sizes, TCPLAN_COLUMN_MAJOR,
                                 TCPLAN_DOUBLE);
        if (tcplan_algorithm_parse(&algorithm, given.contraction, TCPLAN_DOUBLE, divided[d].name,
                                   &error))
            fail_msg("%s", error.message);
        naive_case_init(&naive, &given.problem, 1);
        for (int threads = 1; threads <= 4; threads++) {
            struct built built;
            built_init(&built, &given, &algorithm, threads);
            naive_case_reset(&naive);
            assert_int_equal(any_divided(built.program, built.program->body), threads > 1);
            check_run(&built, &naive);
            built_free(&built);
        }
        naive_case_free(&naive);
        random_contraction_free(&given);
    }
}

static void positions_are_moved_into_shares(void **state) {
    (void)state;
    for_random(63001, 100, 4, check_positions);
}

/** Returns whether a node scales the result, or copies the addend to it: a part of a run that
 * starts later does not repeat this. */
static bool scales_result(const struct tcplan_node *node) {
    for (; node; node = node->next) {
        if (node->kind == TCPLAN_NODE_SCALE && !node->scale.slice.temporary) return true;
        if (node->kind == TCPLAN_NODE_COPY && node->copy.from.operand == TCPLAN_ADDEND &&
            !node->copy.to.temporary)
            return true;
        if (node->kind == TCPLAN_NODE_LOOP && scales_result(node->loop.body)) return true;
    }
    return false;
}

/** Executes the shares of all threads one after the other, for nests without operations outside the
 * loop. */
static void check_stretches(const struct built *built, struct naive_case *naive) {
    struct tcplan_program *program = built->program;
    if (program->only_scales) return; /* programs that only scale make no calls */
    if (!program->shared || program->body != program->shared || program->body->next ||
        program->shared->steps_of)
        return;
    if (scales_result(built->nest->body)) return;
    if (program->inner && program->inner->steps_of) return;
    const int64_t count = program->shared->extent * (program->inner ? program->inner->extent : 1);
    if (program->calls % count != 0 || (program->inner && program->inner->points_of)) return;
    const int64_t each = program->calls / count;
    const struct tensor_pointers base = {
        .tensor = {naive->A, naive->B, naive->C, naive->addend ? naive->addend : naive->C}};
    for (int thread = 0; thread < program->sharing.threads; thread++) {
        const struct iterations part = sharing_part(&program->sharing, count, thread);
        int64_t left = each * (part.end - part.begin);
        struct cursor cursor;
        program_seek(program, &cursor, part.begin * each,
                     program_share_base(program, base, thread));
        for (int64_t length = 1; left > 0; left -= length++) {
            program_run_share(program, &cursor, length < left ? length : left, base, thread);
        }
    }
    if (naive_case_error(naive) > naive_tolerance(&built->random->problem))
        fail_built(built, "the shares do not make a run");
}

static void stretches_of_all_shares_add_up_to_one_run(void **state) {
    (void)state;
    for_random(64001, 300, 8, check_stretches);
}

static void out_of_memory_is_reported(void **state) {
    (void)state;
    struct tcplan_error error = {0};
    struct random_contraction given;
    struct tcplan_algorithm algorithm;
    struct built built;
    long successes = 0;
    random_contraction_given(&given, "C_abc=A_ai*B_ibc", "a=8,b=4,c=6,i=5", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    assert_int_equal(tcplan_algorithm_parse(&algorithm, given.contraction, TCPLAN_DOUBLE,
                                            "'A.c|'BC-dgemm", &error),
                     TCPLAN_OK);
    built_init(&built, &given, &algorithm, 1);
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    for (; status == TCPLAN_NO_MEMORY; successes++) {
        base_alloc_fail_after(successes);
        status = tcplan_program_set_threads(built.program, 2, &error);
        base_alloc_fail_after(-1);
        if (status == TCPLAN_NO_MEMORY)
            assert_string_equal(error.message, successes == 0
                                                   ? "no memory for 2 temporaries of 160 bytes"
                                                   : "no memory for 2 temporaries of 256 bytes");
    }
    assert_int_equal(status, TCPLAN_OK);
    assert_int_equal(successes, 3);
    built_free(&built);
    random_contraction_free(&given);
}

static void the_threads_of_the_blas_are_restored(void **state) {
    (void)state;
    struct random_contraction given;
    struct tcplan_algorithm algorithm;
    struct built built;
    struct naive_case naive;
    random_contraction_given(&given, "C_abc=A_ai*B_ibc", "a=8,b=4,c=6,i=5", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    assert_int_equal(
        tcplan_algorithm_parse(&algorithm, given.contraction, TCPLAN_DOUBLE, "c|-dgemm", NULL),
        TCPLAN_OK);
    built_init(&built, &given, &algorithm, 2);
    naive_case_init(&naive, &given.problem, 1);
    naive_case_reset(&naive);
    blas_set_threads(2);
    check_run(&built, &naive);
    assert_int_equal(blas_set_threads(1), 2);
    naive_case_free(&naive);
    built_free(&built);
    random_contraction_free(&given);
}

/** How often each part was executed, and how many parts were executed by threads other than the
 * caller. */
struct counted {
    int done[5];
    int by_others;
};

static void count_part(void *context, int part) {
    struct counted *counted = context;
    counted->done[part]++;
}

static void every_part_is_done_once(void **state) {
    (void)state;
    struct counted counted = {0};
    for (int run = 1; run <= 2000; run++) {
        int by[5];
        share_run(5, count_part, &counted, by);
        for (int p = 0; p < 5; p++) {
            assert_int_equal(counted.done[p], run);
            assert_in_range(by[p], 0, 4);
        }
    }
}

static void share_within(void *context, int part) {
    struct counted *counted = context;
    int by[5] = {0};
    share_run(5, count_part, &counted[part], by);
    for (int p = 0; p < 5; p++) counted[part].by_others += by[p] != 0;
}

static void a_part_that_shares_does_all_parts_itself(void **state) {
    (void)state;
    struct counted counted[5];
    memset(counted, 0, sizeof counted);
    share_run(5, share_within, counted, NULL);
    for (int part = 0; part < 5; part++) {
        assert_int_equal(counted[part].by_others, 0);
        for (int p = 0; p < 5; p++) assert_int_equal(counted[part].done[p], 1);
    }
}

static atomic_int holds, held;

/** Occupies a thread of the team until it is released. */
static void hold_part(void *context, int part) {
    (void)context;
    if (part == 0) return;
    atomic_store(&held, 1);
    while (atomic_load(&holds)) sched_yield();
}

static void *hold_team(void *unused) {
    share_run(2, hold_part, NULL, NULL);
    return unused;
}

static void a_caller_does_not_wait_for_busy_threads(void **state) {
    (void)state;
    struct counted counted = {0};
    pthread_t holder;
    int by[5];
    atomic_store(&holds, 1);
    atomic_store(&held, 0);
    assert_int_equal(pthread_create(&holder, NULL, hold_team, NULL), 0);
    while (!atomic_load(&held)) sched_yield();
    share_run(5, count_part, &counted, by);
    for (int p = 0; p < 5; p++) {
        assert_int_equal(counted.done[p], 1);
        assert_int_equal(by[p], 0);
    }
    atomic_store(&holds, 0);
    assert_int_equal(pthread_join(holder, NULL), 0);
}

static void a_forked_process_has_threads_of_its_own(void **state) {
    (void)state;
    struct counted counted = {0};
    share_run(5, count_part, &counted, NULL);
    const pid_t child = fork();
    if (child == 0) {
        for (int run = 0; run < 100; run++) share_run(5, count_part, &counted, NULL);
        for (int p = 0; p < 5; p++) {
            if (counted.done[p] != 101) _exit(1);
        }
        _exit(0);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void parts_of_one_thread_take_their_times_one_after_the_other(void **state) {
    (void)state;
    const double ns[] = {10, 20, 40, 80, 5};
    const int five[] = {0, 1, 2, 3, 4}, two[] = {0, 1, 0, 1, 0}, one[] = {0, 0, 0, 0, 0},
              last[] = {4, 4, 0, 1, 2};
    struct window_part part[5] = {0};
    for (int p = 0; p < 5; p++) part[p].timing.ns = ns[p];
    assert_true(stretch_joint_timing(part, five, 5).ns == 80);
    assert_true(stretch_joint_timing(part, two, 5).ns == 100);
    assert_true(stretch_joint_timing(part, one, 5).ns == 155);
    assert_true(stretch_joint_timing(part, last, 5).ns == 80);
    assert_false(stretch_joint_timing(part, two, 5).disturbed);
    part[4].timing.disturbed = true;
    assert_true(stretch_joint_timing(part, two, 5).disturbed);
}

static void a_slow_piece_of_the_warm_up_does_not_shorten_the_stretch(void **state) {
    (void)state;
    double rate = stretch_rate(0, 100, 50000); /* cold caches */
    assert_true(rate == 0.002);
    rate = stretch_rate(rate, 100, 20000);
    assert_true(rate == 0.005);
    rate = stretch_rate(rate, 100, 400000); /* the thread lost its core */
    assert_true(rate == 0.005);
    assert_true(stretch_rate(rate, 100, 0) == 0.005);
}

int main(void) {
    blas_set_threads(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(algorithms_with_a_parallel_loop_equal_naive_loops),
        cmocka_unit_test(the_number_of_threads_may_change),
        cmocka_unit_test(shares_are_a_partition),
        cmocka_unit_test(the_calls_of_the_longest_share_are_known),
        cmocka_unit_test(iterations_are_divided_evenly),
        cmocka_unit_test(divided_operations_agree_with_naive_loops),
        cmocka_unit_test(positions_are_moved_into_shares),
        cmocka_unit_test(stretches_of_all_shares_add_up_to_one_run),
        cmocka_unit_test(every_part_is_done_once),
        cmocka_unit_test(a_part_that_shares_does_all_parts_itself),
        cmocka_unit_test(a_caller_does_not_wait_for_busy_threads),
        cmocka_unit_test(a_forked_process_has_threads_of_its_own),
        cmocka_unit_test(a_slow_piece_of_the_warm_up_does_not_shorten_the_stretch),
        cmocka_unit_test(parts_of_one_thread_take_their_times_one_after_the_other),
        cmocka_unit_test(out_of_memory_is_reported),
        cmocka_unit_test(the_threads_of_the_blas_are_restored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
