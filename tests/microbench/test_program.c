/*
 * Executes every algorithm of random contractions, and compares the results with naive loops. Also
 * checks that executing a program in parts has the result of a whole run, and that seeking a place
 * has the effect of stepping to it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "microbench/program/program.h"
#include "microbench/providers/blas.h"
#include "support/naive.h"
#include "support/random_algorithm.h"
#include "support/random_contraction.h"
#include "support/rng.h"

/** An algorithm of a random contraction, with its program. */
struct built {
    const struct random_contraction *random;
    const struct tcplan_algorithm *algorithm;
    struct tcplan_nest *nest;
    struct tcplan_program *program;
};

static void built_init(struct built *out, const struct random_contraction *random,
                       const struct tcplan_algorithm *algorithm) {
    struct tcplan_error error = {0};
    *out = (struct built){.random = random, .algorithm = algorithm};
    enum tcplan_status status =
        tcplan_nest_build(&out->nest, random->contraction, algorithm, &error);
    if (status == TCPLAN_OK)
        status = tcplan_program_build(&out->program, out->nest, &random->problem, &error);
    if (status != TCPLAN_OK) fail_msg("%s: %s", random_contraction_describe(random), error.message);
}

static void built_free(struct built *built) {
    tcplan_program_free(built->program);
    tcplan_nest_free(built->nest);
}

static void fail_built(const struct built *built, const char *why) {
    fail_msg("%s --algorithm \"%s\": %s\n%s", random_contraction_describe(built->random),
             tcplan_algorithm_name(built->algorithm, built->random->contraction,
                                   built->random->problem.dtype),
             why,
             tcplan_nest_text(built->nest, &built->random->problem, built->random->problem.dtype));
}

/** Checks one algorithm; `naive` has its tensors and expected results. */
typedef void check_fn(const struct built *built, struct naive_case *naive);

/** Checks every `step`-th algorithm of a contraction. */
static void check_algorithms(const struct random_contraction *random, uint64_t step,
                             check_fn *check) {
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm algorithm;
    struct naive_case naive;
    naive_case_init(&naive, &random->problem, random->seed);
    tcplan_enumerator_init(&enumerator, random->contraction);
    for (uint64_t number = 0; tcplan_enumerator_next(&enumerator, &algorithm); number++) {
        struct built built;
        if (number % step || !random_contraction_suits(random, &algorithm)) continue;
        built_init(&built, random, &algorithm);
        naive_case_reset(&naive);
        check(&built, &naive);
        built_free(&built);
    }
    naive_case_free(&naive);
}

static void for_random(uint64_t first_seed, int count,
                       const struct random_contraction_options *options, uint64_t step,
                       check_fn *check) {
    for (int c = 0; c < count; c++) {
        struct random_contraction random;
        random_contraction_init(&random, first_seed + (uint64_t)c, options);
        check_algorithms(&random, step, check);
        random_contraction_free(&random);
    }
}

/** Returns options for small contractions: some checks visit every position of a program. */
static struct random_contraction_options small(void) {
    struct random_contraction_options options = random_contraction_defaults();
    options.max_extent = 3;
    options.min_rank = 1;
    return options;
}

/* Whole runs. */

static void check_run(const struct built *built, struct naive_case *naive) {
    tcplan_program_run_adding(built->program, naive->A, naive->B, naive->addend, naive->C, NULL);
    if (naive_case_error(naive) > naive_tolerance(&built->random->problem))
        fail_built(built, "the result is wrong");
}

static void every_algorithm_of_random_contractions_equals_naive_loops(void **state) {
    (void)state;
    const struct random_contraction_options options = random_contraction_defaults();
    for_random(1, 1200, &options, 1, check_run);
}

static void every_algorithm_of_random_contractions_of_scalars_and_vectors_equals_naive_loops(
    void **state) {
    (void)state;
    struct random_contraction_options options = random_contraction_defaults();
    options.min_rank = 0;
    options.max_rank = 3;
    for_random(10001, 1000, &options, 1, check_run);
}

static void algorithms_of_random_contractions_of_eight_indices_equal_naive_loops(void **state) {
    (void)state;
    struct random_contraction_options options = random_contraction_defaults();
    options.max_indices = 8;
    options.min_rank = 4;
    options.max_extent = 3;
    for_random(20001, 20, &options, 97, check_run);
}

/** Checks `count` random algorithms of a contraction; returns how many were applicable. */
static int check_random(const struct random_contraction *random, int count, uint64_t *state,
                        check_fn *check) {
    struct naive_case naive;
    int built_count = 0;
    naive_case_init(&naive, &random->problem, random->seed);
    for (int a = 0; a < count; a++) {
        struct tcplan_algorithm algorithm;
        struct built built;
        if (!random_algorithm(&algorithm, random->contraction, TCPLAN_PROVIDER_BLAS, state) ||
            !random_contraction_suits(random, &algorithm))
            continue;
        built_init(&built, random, &algorithm);
        naive_case_reset(&naive);
        check(&built, &naive);
        built_free(&built);
        built_count++;
    }
    naive_case_free(&naive);
    return built_count;
}

/** Checks `count` random algorithms of each of several random contractions. */
static void for_random_algorithm(uint64_t first_seed, int contractions, int count,
                                 const struct random_contraction_options *options,
                                 check_fn *check) {
    int built_count = 0;
    for (int c = 0; c < contractions; c++) {
        struct random_contraction random;
        uint64_t state = first_seed + (uint64_t)c;
        random_contraction_init(&random, state, options);
        built_count += check_random(&random, count, &state, check);
        random_contraction_free(&random);
    }
    assert_true(built_count > contractions * count / 2);
}

static void algorithms_of_the_full_space_equal_naive_loops(void **state) {
    (void)state;
    const struct random_contraction_options options = random_contraction_defaults();
    for_random_algorithm(30001, 1500, 12, &options, check_run);
}

/** Memory that must not be read contains NaNs. */
static void no_algorithm_reads_operands_scaled_by_zero(void **state) {
    (void)state;
    static const char *const given[][2] = {
        {"C_ab=A_ai*B_ib+1e-60*C_ab", "a=4,b=5,i=6"},
        {"C_ab=1e-60*A_ai*B_ib+2*C_ab", "a=4,b=5,i=6"},
        {"C_abc+=1e-60*A_ija*B_jbic", "a=4,b=5,c=6,i=3,j=2"},
        {"C_abc=0*A_ija*B_jbic-0.1*C_abc", "a=4,b=5,c=6,i=3,j=2"},
        {"C_ab=0*A_ai*B_ib", "a=40,b=50,i=60"},
        {"C_ab=A_ai*B_ib", "a=4,b=5,i=0"},
        {"C_abc+=A_ija*B_jbic", "a=4,b=5,c=6,i=0,j=2"},
        {"C_abc=A_ija*B_jbic-2*C_abc", "a=4,b=0,c=6,i=3,j=2"},
        {"C_ab=A_aki*B_kb+2*C_ab", "a=4,b=5,i=0,k=3"},
        {"C_ab=A_ab*B_ab", "a=0,b=5"},
        {"C=A_i*B_i", "i=0"}};
    uint64_t random_state = 1;
    for (size_t g = 0; g < sizeof given / sizeof *given; g++) {
        for (int dtype = 0; dtype < TCPLAN_DTYPES; dtype++) {
            struct random_contraction random;
            random_contraction_given(&random, given[g][0], given[g][1], TCPLAN_COLUMN_MAJOR,
                                     (enum tcplan_dtype)dtype);
            check_algorithms(&random, 1, check_run);
            assert_true(check_random(&random, 40, &random_state, check_run) > 0);
            random_contraction_free(&random);
        }
    }
}

/** Checks all algorithms of the given contractions and sizes, for all element types, in both
 * storage orders. */
static void for_given(const char *const given[][2], size_t count, check_fn *check) {
    for (size_t g = 0; g < count; g++) {
        for (int dtype = 0; dtype < TCPLAN_DTYPES; dtype++) {
            for (int order = TCPLAN_COLUMN_MAJOR; order <= TCPLAN_ROW_MAJOR; order++) {
                struct random_contraction random;
                random_contraction_given(&random, given[g][0], given[g][1],
                                         (enum tcplan_order)order, (enum tcplan_dtype)dtype);
                check_algorithms(&random, 1, check);
                random_contraction_free(&random);
            }
        }
    }
}

static void algorithms_of_given_contractions_equal_naive_loops(void **state) {
    (void)state;
    static const char *const given[][2] = {{"C=A_i*B_i", "i=7"},
                                           {"C=2*A_i*B_i-3*C", "i=1"},
                                           {"C_a=A_a*B", "a=5"},
                                           {"C=A*B", ""},
                                           {"C+=A*B", ""},
                                           {"C_ab=0.5*A_ab*B_ba+2*C_ab", "a=3,b=4"},
                                           {"C_abc=A_ai*B_ibc", "a=1,b=1,c=1,i=1"},
                                           {"C_abc+=A_ai*B_ibc", "a=7,b=6,c=5,i=4"},
                                           {"C_a+=A_iaj*B_ji", "a=7,i=3,j=5"},
                                           {"C_abc=A_ija*B_jbic", "a=4,b=5,c=6,i=3,j=2"},
                                           {"C_ab=A_aaib*B_bia", "a=3,b=4,i=5"},
                                           {"C_ij=A_iikk*B_kkj+1.5*C_ij", "i=4,j=5,k=3"},
                                           {"C_ab=T_ai*T_bi", "a=4,b=4,i=6"},
                                           {"C_ab=0*A_ai*B_ib+0*C_ab", "a=4,b=4,i=6"}};
    for_given(given, sizeof given / sizeof *given, check_run);
}

/** Sums over rows longer and shorter than the buffer of the sums, in any layout, and over
 * diagonals. */
static void sums_over_indices_of_one_factor_equal_naive_loops(void **state) {
    (void)state;
    static const char *const given[][2] = {{"C=A_i*B_j", "i=3,j=7"},
                                           {"C=A_i*B_j", "i=1,j=1"},
                                           {"C+=A_i*B", "i=20001"},
                                           {"C_b=A_i*B_b", "i=5000,b=3"},
                                           {"C_a=2*A_ia*B-C_a", "i=9001,a=3"},
                                           {"C_a=A_ai*B", "i=3,a=9001"},
                                           {"C_ab=A_aib*B_j", "i=4,a=130,b=70,j=2"},
                                           {"C_ab=A_ixajbk*B", "i=3,a=40,b=30,j=5,k=2,x=7"},
                                           {"C_ab=A_ixajkb*B_lab", "i=2,a=10,b=5,j=3,k=2,l=4,x=3"},
                                           {"C_ab=A_jaij*B_bkkb", "i=6,a=50,b=12,j=5,k=4"},
                                           {"C_ab=A_akii*B_kbj", "a=7,b=6,k=5,i=4,j=3"},
                                           {"C_aab+=A_ai*B_ibj", "a=7,b=6,i=5,j=3"},
                                           {"C_baab=A_a*B_bj-0.5*C_baab", "a=7,b=6,j=3"}};
    for_given(given, sizeof given / sizeof *given, check_run);
}

static void check_runs_again(const struct built *built, struct naive_case *naive) {
    for (int run = 0; run < 2; run++) {
        naive_case_reset(naive);
        check_run(built, naive);
    }
}

static void a_program_may_run_again(void **state) {
    (void)state;
    const struct random_contraction_options options = random_contraction_defaults();
    for_random(3001, 15, &options, 5, check_runs_again);
}

static void the_calls_are_those_of_all_loops(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int64_t calls;
    } expected[] = {{"abc-ddot", 60},
                    {"cib-daxpy", 5 * 6 * 4},
                    {"ca-dgemv", 15},
                    {"ci-dger", 30},
                    {"c-dgemm", 5}};
    struct random_contraction given;
    random_contraction_given(&given, "C_abc=A_ai*B_ibc", "a=3,b=4,c=5,i=6", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    for (size_t e = 0; e < sizeof expected / sizeof *expected; e++) {
        struct tcplan_algorithm algorithm;
        struct built built;
        assert_int_equal(tcplan_algorithm_parse(&algorithm, given.contraction, TCPLAN_DOUBLE,
                                                expected[e].name, NULL),
                         TCPLAN_OK);
        built_init(&built, &given, &algorithm);
        assert_int_equal(tcplan_program_calls(built.program), expected[e].calls);
        built_free(&built);
    }
    random_contraction_free(&given);
}

/* Stretches. */

static struct tensor_pointers pointers_to(const struct naive_case *naive) {
    return (struct tensor_pointers){
        .tensor = {naive->A, naive->B, naive->C, naive->addend ? naive->addend : naive->C}};
}

/** Draws the number of calls of the next part of a run, at most `left`: often small, sometimes 0.
 */
static int64_t draw_stretch(uint64_t *random, int64_t left) {
    const int64_t limit = rng_once_in(random, 3) ? left : 4;
    const int64_t calls = (int64_t)(rng_next(random) % (uint64_t)(limit + 1));
    return calls < left ? calls : left;
}

static void run_in_stretches(const struct built *built, struct naive_case *naive, int64_t calls,
                             uint64_t *random) {
    struct cursor cursor = {0};
    while (calls > 0) {
        const int64_t stretch = draw_stretch(random, calls);
        program_run_calls(built->program, &cursor, stretch, pointers_to(naive));
        calls -= stretch;
    }
}

static char *copy_result(const struct naive_case *naive) {
    const size_t bytes = (size_t)naive->problem->elems[TCPLAN_C] * naive->problem->element_bytes;
    char *copy = malloc(bytes);
    assert_non_null(copy);
    memcpy(copy, naive->memory[TCPLAN_C], bytes);
    return copy;
}

/** Two runs make the same BLAS calls in the same order, so results have the same bits. */
static void check_same_bits(const struct built *built, const struct naive_case *naive,
                            char *expected, const char *why) {
    const size_t bytes = (size_t)naive->problem->elems[TCPLAN_C] * naive->problem->element_bytes;
    if (memcmp(naive->memory[TCPLAN_C], expected, bytes) != 0) fail_built(built, why);
    free(expected);
}

static void check_stretches(const struct built *built, struct naive_case *naive) {
    if (built->program->only_scales) return; /* programs that only scale make no calls */
    uint64_t random = built->random->seed;
    tcplan_program_run_adding(built->program, naive->A, naive->B, naive->addend, naive->C, NULL);
    char *expected = copy_result(naive);
    naive_case_reset(naive);
    run_in_stretches(built, naive, tcplan_program_calls(built->program), &random);
    check_same_bits(built, naive, expected, "stretches differ from one run");
}

static void stretches_of_any_length_add_up_to_one_run(void **state) {
    (void)state;
    const struct random_contraction_options options = random_contraction_defaults();
    for_random(1, 300, &options, 3, check_stretches);
}

/* Bursts. */

/** Checks that the burst of a program, if it has one, has the result of a run. */
static void check_burst(const struct built *built, struct naive_case *naive) {
    struct program_burst burst;
    if (!program_burst_of(&burst, built->program, 1)) return;
    assert_int_equal(burst.count, tcplan_program_calls(built->program));
    tcplan_program_run_adding(built->program, naive->A, naive->B, naive->addend, naive->C, NULL);
    char *expected = copy_result(naive);
    naive_case_reset(naive);
    program_burst_run(&burst, naive->A, naive->B, naive->C);
    check_same_bits(built, naive, expected, "its burst differs from one run");
}

static void a_burst_has_the_result_of_a_run(void **state) {
    (void)state;
    const struct random_contraction_options options = small();
    for_random(1, 300, &options, 1, check_burst);
    for_random_algorithm(60001, 300, 12, &options, check_burst);
}

/** Returns the number of calls in the burst of an algorithm for two threads; 0: it has none. */
static int64_t burst_calls(const struct random_contraction *given, const char *name) {
    struct tcplan_error error = {0};
    struct tcplan_algorithm algorithm;
    struct naive_case naive;
    struct built built;
    struct program_burst burst;
    if (tcplan_algorithm_parse(&algorithm, given->contraction, TCPLAN_DOUBLE, name, &error))
        fail_msg("%s: %s", name, error.message);
    naive_case_init(&naive, &given->problem, 1);
    built_init(&built, given, &algorithm);
    assert_int_equal(tcplan_program_set_threads(built.program, 2, &error), TCPLAN_OK);
    naive_case_reset(&naive);
    check_burst(&built, &naive);
    const int64_t calls = program_burst_of(&burst, built.program, 2) ? burst.count : 0;
    built_free(&built);
    naive_case_free(&naive);
    return calls;
}

static void a_burst_is_one_call_or_one_loop_of_calls(void **state) {
    (void)state;
    static const struct {
        const char *algorithm;
        int64_t calls;
    } expected[] = {{"dgemm", 1},    {"c-dgemm", 5},     {"b.c-dgemv", 0},      {"'C.c-dgemm", 0},
                    {"c|-dgemm", 0}, {"c:2.c-dgemm", 0}, {"c-dgemm@emitted", 5}};
    struct random_contraction given;
    random_contraction_given(&given, "C_abc=A_ai*B_ibc", "a=7,b=6,c=5,i=4", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    for (size_t e = 0; e < sizeof expected / sizeof *expected; e++) {
        const int64_t calls = burst_calls(&given, expected[e].algorithm);
        if (calls != expected[e].calls)
            fail_msg("%s: expected a burst of %d calls, found %d", expected[e].algorithm,
                     (int)expected[e].calls, (int)calls);
    }
    random_contraction_free(&given);
}

static void check_wrap(const struct built *built, struct naive_case *naive) {
    if (built->program->only_scales) return; /* programs that only scale make no calls */
    uint64_t random = built->random->seed;
    const int64_t calls = tcplan_program_calls(built->program);
    struct cursor cursor = {0};
    for (int run = 0; run < 3; run++)
        tcplan_program_run_adding(built->program, naive->A, naive->B, naive->addend, naive->C,
                                  NULL);
    char *expected = copy_result(naive), *again = copy_result(naive);
    naive_case_reset(naive);
    run_in_stretches(built, naive, 3 * calls, &random);
    check_same_bits(built, naive, expected, "stretches do not start over at the end");
    naive_case_reset(naive);
    program_run_calls(built->program, &cursor, 3 * calls, pointers_to(naive));
    check_same_bits(built, naive, again, "one long stretch does not start over at the end");
}

static void a_stretch_starts_over_at_the_end_of_the_nest(void **state) {
    (void)state;
    const struct random_contraction_options options = small();
    for_random(101, 300, &options, 3, check_wrap);
}

/* Places. */

static bool same_place(const struct cursor *a, const struct cursor *b) {
    if (a->resume != b->resume) return false;
    for (int depth = 0;; depth++) {
        if (a->at[depth] != b->at[depth]) return false;
        if (a->at[depth]->kind != OPERATION_LOOP) return true;
        if (a->iteration[depth] != b->iteration[depth]) return false;
    }
}

static void remember_temporaries(const struct tcplan_program *program,
                                 char *copy[TCPLAN_OPERANDS]) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (program->temporary[t])
            memcpy(copy[t], program->temporary[t], (size_t)program->temporary_bytes[t]);
    }
}

/** Steps from call to call. At each place, also seeks the place with different contents of the
 * temporaries, and compares. */
static void check_seek(const struct built *built, struct naive_case *naive) {
    struct tcplan_program *program = built->program;
    struct cursor stepped = {0}, sought;
    char *stepped_temporary[TCPLAN_OPERANDS] = {NULL};
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        stepped_temporary[t] = malloc((size_t)program->temporary_bytes[t] + 1);
    for (int64_t position = 0; position < program->calls; position++) {
        program_run_calls(program, &stepped, position > 0 ? 1 : 0, pointers_to(naive));
        remember_temporaries(program, stepped_temporary);
        for (int t = 0; t < TCPLAN_OPERANDS; t++) {
            if (program->temporary[t])
                memset(program->temporary[t], 0x5a, (size_t)program->temporary_bytes[t]);
        }
        program_seek(program, &sought, position, pointers_to(naive));
        if (!same_place(&stepped, &sought))
            fail_built(built, "seeking leads to another place than stepping");
        for (int t = 0; t < TCPLAN_C; t++) {
            if (!program->temporary[t]) continue;
            if (memcmp(program->temporary[t], stepped_temporary[t],
                       (size_t)program->temporary_bytes[t]) != 0) {
                fail_built(built, "seeking fills temporaries with something else than stepping");
            }
        }
        if (program->temporary[TCPLAN_C]) {
            memcpy(program->temporary[TCPLAN_C], stepped_temporary[TCPLAN_C],
                   (size_t)program->temporary_bytes[TCPLAN_C]);
        }
    }
    for (int t = 0; t < TCPLAN_OPERANDS; t++) free(stepped_temporary[t]);
}

static void seeking_a_position_agrees_with_stepping_to_it(void **state) {
    (void)state;
    const struct random_contraction_options options = small();
    for_random(201, 300, &options, 3, check_seek);
}

/** Executes the calls from a random position on, then those before it: together they are all calls
 * of a run. */
static void check_rest(const struct built *built, struct naive_case *naive) {
    if (built->program->only_scales) return; /* programs that only scale make no calls */
    struct tcplan_program *program = built->program;
    if (program->temporary[TCPLAN_C]) return; /* seeking fills the temporary of C from the result */
    uint64_t random = built->random->seed;
    const int64_t position = (int64_t)(rng_next(&random) % (uint64_t)program->calls);
    struct cursor cursor = {0};
    program_run_calls(program, &cursor, position, pointers_to(naive));
    if (position == 0) program_run_calls(program, &cursor, 0, pointers_to(naive));
    program_seek(program, &cursor, position, pointers_to(naive));
    program_run_calls(program, &cursor, program->calls - position, pointers_to(naive));
    if (naive_case_error(naive) > naive_tolerance(&built->random->problem))
        fail_built(built, "the rest from a position is wrong");
}

static void the_calls_before_a_position_and_those_from_it_on_make_a_run(void **state) {
    (void)state;
    const struct random_contraction_options options = random_contraction_defaults();
    for_random(301, 300, &options, 3, check_rest);
}

/* Counts how often operations occur, by the definition of loops. This walk executes nothing. */

struct occurrence_walk {
    const struct built *built;
    struct tensor_pointers base;
    const struct operation *watched;
    int64_t occurrence; /* how often the watched operation has occurred so far */
    int64_t calls;      /* calls so far */
};

static void meet(struct occurrence_walk *walk, struct tensor_pointers at) {
    const struct tensor_pointers located =
        program_locate(walk->built->program, walk->watched, walk->occurrence, walk->base);
    if (memcmp(&located, &at, sizeof at) != 0)
        fail_built(walk->built, "an occurrence is located elsewhere");
    if (program_calls_before(walk->built->program, walk->watched, walk->occurrence) !=
        walk->calls) {
        fail_built(walk->built, "calls before an occurrence are miscounted");
    }
    walk->occurrence++;
}

static void walk_occurrences(struct occurrence_walk *walk, const struct operation *body,
                             struct tensor_pointers at) {
    const struct tcplan_problem *problem = &walk->built->random->problem;
    for (; body; body = body->next) {
        if (body == walk->watched) meet(walk, at);
        walk->calls += body->kind == OPERATION_KERNEL;
        if (body->kind != OPERATION_LOOP) continue;
        const int index = body->node->loop.index;
        struct tensor_pointers inside = at;
        for (int64_t i = 0; i < problem->extent[index]; i++) {
            walk_occurrences(walk, body->body, inside);
            for (int t = 0; t < TCPLAN_TENSORS; t++)
                inside.tensor[t] +=
                    problem->stride_elems[t][index] * (int64_t)problem->element_bytes;
        }
    }
}

static void check_operation(const struct built *built, const struct naive_case *naive,
                            const struct operation *operation) {
    struct occurrence_walk walk = {
        .built = built, .base = pointers_to(naive), .watched = operation};
    walk_occurrences(&walk, built->program->body, walk.base);
    if ((double)walk.occurrence != program_occurrences(built->program, operation))
        fail_built(built, "occurrences are miscounted");
    if (walk.calls != built->program->calls) fail_built(built, "calls are miscounted");
}

static void check_operations(const struct built *built, const struct naive_case *naive,
                             const struct operation *body) {
    for (; body; body = body->next) {
        check_operation(built, naive, body);
        if (body->kind == OPERATION_LOOP) check_operations(built, naive, body->body);
    }
}

static void check_all_operations(const struct built *built, struct naive_case *naive) {
    check_operations(built, naive, built->program->body);
}

static void occurrences_are_located_and_the_calls_before_them_counted(void **state) {
    (void)state;
    const struct random_contraction_options options = small();
    for_random(401, 300, &options, 3, check_all_operations);
}

/** Checks that results are unchanged if the operations before the first call are skipped. */
static void check_skipped(const struct built *built, struct naive_case *naive) {
    if (built->program->only_scales)
        return; /* programs that only scale have no operations before a call */
    char *before = copy_result(naive);
    bool found = false;
    for (struct operation *o = built->program->body; o->kind != OPERATION_KERNEL;) {
        const bool is_loop = o->kind == OPERATION_LOOP;
        o->skipped = !is_loop;
        found = found || !is_loop;
        o = is_loop ? o->body : o->next;
    }
    struct cursor cursor = {0};
    program_run_calls(built->program, &cursor, 0, pointers_to(naive));
    if (found) {
        check_same_bits(built, naive, before, "a skipped operation changed the result");
    } else {
        free(before);
    }
}

static void skipped_operations_are_left_out(void **state) {
    (void)state;
    const struct random_contraction_options options = small();
    for_random(501, 300, &options, 3, check_skipped);
}

static void repeated_kernel_calls_add_up(void **state) {
    (void)state;
    struct random_contraction given;
    struct tcplan_algorithm algorithm;
    struct built built;
    const double A = 2, B = 3;
    double C = 1;
    random_contraction_given(&given, "C+=A_i*B_i", "i=1", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    assert_int_equal(
        tcplan_algorithm_parse(&algorithm, given.contraction, TCPLAN_DOUBLE, "ddot", NULL),
        TCPLAN_OK);
    built_init(&built, &given, &algorithm);
    program_repeat_kernel(built.program,
                          (struct tensor_pointers){
                              .tensor = {(char *)(uintptr_t)&A, (char *)(uintptr_t)&B, (char *)&C}},
                          5);
    assert_true(C == 31);
    built_free(&built);
    random_contraction_free(&given);
}

/* Refusals. */

static enum tcplan_status build_given(const char *contraction, const char *sizes, const char *name,
                                      struct tcplan_error *error) {
    struct random_contraction given;
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest = NULL;
    struct tcplan_program *program = NULL;
    random_contraction_given(&given, contraction, sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    assert_int_equal(
        tcplan_algorithm_parse(&algorithm, given.contraction, TCPLAN_DOUBLE, name, error),
        TCPLAN_OK);
    assert_int_equal(tcplan_nest_build(&nest, given.contraction, &algorithm, error), TCPLAN_OK);
    enum tcplan_status status = tcplan_program_build(&program, nest, &given.problem, error);
    assert_int_equal(program != NULL, status == TCPLAN_OK);
    tcplan_program_free(program);
    tcplan_nest_free(nest);
    random_contraction_free(&given);
    return status;
}

static void a_stride_beyond_the_blas_integer_does_not_apply(void **state) {
    (void)state;
    struct tcplan_error error = {0};
    assert_int_equal(build_given("C_abc=A_ai*B_ibc", "a=65536,b=65536,c=4,i=2", "b-dgemm", &error),
                     TCPLAN_NOT_APPLICABLE);
    assert_non_null(strstr(error.message, "stride 4294967296"));
}

static void more_calls_than_can_be_counted_do_not_apply(void **state) {
    (void)state;
    struct tcplan_error error = {0};
    assert_int_equal(build_given("C_ab=A_jai*B_jib", "a=b=i=268435456,j=1", "abi-ddot", &error),
                     TCPLAN_NOT_APPLICABLE);
    assert_string_equal(error.message, "more kernel calls than can be counted");
}

static void an_impossible_temporary_is_out_of_memory(void **state) {
    (void)state;
    struct tcplan_error error = {0};
#if defined(__SANITIZE_ADDRESS__)
    skip(); /* the sanitizer ends the program if a large allocation fails */
#endif
    enum tcplan_status status = build_given(
        "C_abc=A_ija*B_jbic", "a=1048576,b=2,c=2,i=2,j=1073741824", "i'c-dgemm", &error);
    assert_int_equal(status, TCPLAN_NO_MEMORY);
    assert_string_equal(error.message, "no memory for a temporary of 9007199254740992 bytes");
}

static void out_of_memory_is_reported(void **state) {
    (void)state;
    struct tcplan_error error = {0};
    struct random_contraction given;
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest = NULL;
    struct tcplan_program *program = NULL;
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    long successes = 0;
    random_contraction_given(&given, "C_xab=A_iai*B_ibx", "a=3,b=4,i=5,x=2", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    assert_int_equal(
        tcplan_algorithm_parse(&algorithm, given.contraction, TCPLAN_DOUBLE, "x-dgemm", &error),
        TCPLAN_OK);
    assert_int_equal(tcplan_nest_build(&nest, given.contraction, &algorithm, &error), TCPLAN_OK);
    for (; status == TCPLAN_NO_MEMORY; successes++) {
        error.status = TCPLAN_OK;
        base_alloc_fail_after(successes);
        status = tcplan_program_build(&program, nest, &given.problem, &error);
        base_alloc_fail_after(-1);
        assert_int_equal(error.status, status);
        assert_int_equal(program != NULL, status == TCPLAN_OK);
    }
    assert_int_equal(status, TCPLAN_OK);
    assert_true(successes > 3);
    tcplan_program_free(program);
    tcplan_program_free(NULL);
    tcplan_nest_free(nest);
    random_contraction_free(&given);
}

/* Large temporaries. */

/** Executes a product; returns whether the copy of A to a temporary uses non-temporal stores.
 * Checks the result. */
static bool streams_copy_of_A(const char *sizes) {
    struct tcplan_error error = {0};
    struct random_contraction given;
    struct tcplan_algorithm algorithm;
    struct naive_case naive;
    struct built built;
    random_contraction_given(&given, "C_ab=A_ia*B_ib", sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    assert_int_equal(
        tcplan_algorithm_parse(&algorithm, given.contraction, TCPLAN_DOUBLE, "'A-dgemm", &error),
        TCPLAN_OK);
    naive_case_init(&naive, &given.problem, 1);
    built_init(&built, &given, &algorithm);
    naive_case_reset(&naive);
    check_run(&built, &naive);
    const bool streams = built.program->body->strided.streamed;
    assert_int_equal(built.program->body->kind, OPERATION_COPY);
    built_free(&built);
    naive_case_free(&naive);
    random_contraction_free(&given);
    return streams;
}

static void temporaries_beyond_the_caches_are_filled_past_them(void **state) {
    (void)state;
    assert_false(streams_copy_of_A("a=1000,i=1000,b=2"));
    assert_false(streams_copy_of_A("a=2048,i=1024,b=1")); /* 16 MiB */
    assert_true(streams_copy_of_A("a=2056,i=1024,b=1"));
    assert_true(streams_copy_of_A("a=2063,i=1025,b=1")); /* yes, although columns start inside cache
                                                            lines */
    assert_true(streams_copy_of_A("a=2048,i=2048,b=1"));
    assert_true(streams_copy_of_A("a=2056,i=2048,b=1")); /* at least 32 MiB */
}

int main(void) {
    blas_set_threads(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(algorithms_of_the_full_space_equal_naive_loops),
        cmocka_unit_test(no_algorithm_reads_operands_scaled_by_zero),
        cmocka_unit_test(algorithms_of_given_contractions_equal_naive_loops),
        cmocka_unit_test(sums_over_indices_of_one_factor_equal_naive_loops),
        cmocka_unit_test(every_algorithm_of_random_contractions_equals_naive_loops),
        cmocka_unit_test(
            every_algorithm_of_random_contractions_of_scalars_and_vectors_equals_naive_loops),
        cmocka_unit_test(algorithms_of_random_contractions_of_eight_indices_equal_naive_loops),
        cmocka_unit_test(a_program_may_run_again),
        cmocka_unit_test(the_calls_are_those_of_all_loops),
        cmocka_unit_test(stretches_of_any_length_add_up_to_one_run),
        cmocka_unit_test(a_burst_has_the_result_of_a_run),
        cmocka_unit_test(a_burst_is_one_call_or_one_loop_of_calls),
        cmocka_unit_test(a_stretch_starts_over_at_the_end_of_the_nest),
        cmocka_unit_test(seeking_a_position_agrees_with_stepping_to_it),
        cmocka_unit_test(the_calls_before_a_position_and_those_from_it_on_make_a_run),
        cmocka_unit_test(occurrences_are_located_and_the_calls_before_them_counted),
        cmocka_unit_test(skipped_operations_are_left_out),
        cmocka_unit_test(repeated_kernel_calls_add_up),
        cmocka_unit_test(a_stride_beyond_the_blas_integer_does_not_apply),
        cmocka_unit_test(more_calls_than_can_be_counted_do_not_apply),
        cmocka_unit_test(an_impossible_temporary_is_out_of_memory),
        cmocka_unit_test(temporaries_beyond_the_caches_are_filled_past_them),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
