/*
 * Emits every algorithm of random contractions, compiles and runs it, and compares the result with
 * naive loops. Many functions are compiled together without optimization, by two compilers in
 * turn. A failure names the seed, which is the contraction's number below, and the command that
 * shows the contraction.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "support/emitted.h"
#include "support/naive.h"
#include "support/random_contraction.h"
#include "tcplan/emit.h"

enum { MAX_CASES = 24 };

/** Contractions whose algorithms are compiled together. */
struct batch {
    int count;
    struct random_contraction contraction[MAX_CASES];
    uint64_t step[MAX_CASES]; /* every step-th algorithm of each contraction is tested */
    const char *compiler;     /* NULL: the compiler that builds tcplan */
    struct strbuf text;
};

static void name_function(char name[40], int contraction, uint64_t number) {
    snprintf(name, 40, "f%d_%llu", contraction, (unsigned long long)number);
}

static void emit(struct batch *batch, int contraction, uint64_t number,
                 const struct tcplan_algorithm *algorithm) {
    struct tcplan_error error = {0};
    struct tcplan_nest *nest = NULL;
    char name[40], *text = NULL;
    name_function(name, contraction, number);
    const struct tcplan_emit_options options = {.function = name};
    const struct random_contraction *random = &batch->contraction[contraction];
    assert_int_equal(tcplan_nest_build(&nest, random->contraction, algorithm, &error), TCPLAN_OK);
    if (tcplan_emit_c(&text, nest, &random->problem, &options, &error))
        fail_msg("%s: %s", random_contraction_describe(random), error.message);
    strbuf_add(&batch->text, "%s\n", text);
    free(text);
    tcplan_nest_free(nest);
}

static bool is_taken(const struct batch *batch, int contraction, uint64_t number,
                     const struct tcplan_algorithm *algorithm) {
    return number % batch->step[contraction] == 0 &&
           random_contraction_suits(&batch->contraction[contraction], algorithm);
}

static void emit_all(struct batch *batch) {
    for (int c = 0; c < batch->count; c++) {
        struct tcplan_enumerator enumerator;
        struct tcplan_algorithm algorithm;
        tcplan_enumerator_init(&enumerator, batch->contraction[c].contraction);
        for (uint64_t number = 0; tcplan_enumerator_next(&enumerator, &algorithm); number++) {
            if (is_taken(batch, c, number, &algorithm)) emit(batch, c, number, &algorithm);
        }
    }
}

static void check(const struct batch *batch, const struct emitted *emitted, int contraction,
                  uint64_t number, const struct tcplan_algorithm *algorithm,
                  struct naive_case *naive) {
    const struct random_contraction *random = &batch->contraction[contraction];
    char name[40];
    name_function(name, contraction, number);
    naive_case_reset(naive);
    assert_int_equal(emitted_compute(emitted, name, naive), 0);
    const double error = naive_case_error(naive), allowed = naive_tolerance(&random->problem);
    if (error <= allowed) return;
    char *algorithm_name =
        tcplan_algorithm_name(algorithm, random->contraction, random->problem.dtype);
    fail_msg("%s --algorithm \"%s\": error %g, allowed %g", random_contraction_describe(random),
             algorithm_name, error, allowed);
}

static void check_all(const struct batch *batch, const struct emitted *emitted) {
    for (int c = 0; c < batch->count; c++) {
        struct tcplan_enumerator enumerator;
        struct tcplan_algorithm algorithm;
        struct naive_case naive;
        naive_case_init(&naive, &batch->contraction[c].problem, batch->contraction[c].seed);
        tcplan_enumerator_init(&enumerator, batch->contraction[c].contraction);
        for (uint64_t number = 0; tcplan_enumerator_next(&enumerator, &algorithm); number++) {
            if (is_taken(batch, c, number, &algorithm))
                check(batch, emitted, c, number, &algorithm, &naive);
        }
        naive_case_free(&naive);
    }
}

typedef struct emitted *build_fn(const char *compiler, const char *text);

/** Emits, compiles and runs the algorithms of a batch, compares their results, and empties the
 * batch. */
static void run_batch(struct batch *batch, build_fn *build) {
    emit_all(batch);
    char *text = strbuf_finish(&batch->text);
    assert_non_null(text);
    struct emitted *emitted = build(batch->compiler, text);
    free(text);
    check_all(batch, emitted);
    emitted_free(emitted);
    for (int c = 0; c < batch->count; c++) random_contraction_free(&batch->contraction[c]);
    const bool is_clangs_turn = !batch->compiler && emitted_has_compiler("clang");
    *batch = (struct batch){.compiler = is_clangs_turn ? "clang" : NULL};
}

/** Returns a step for which about `limit` evenly spread algorithms are tested. */
static uint64_t step_for(const struct random_contraction *random, uint64_t limit) {
    uint64_t count[TCPLAN_KERNELS + 1];
    assert_int_equal(tcplan_algorithm_count(random->contraction, count), TCPLAN_OK);
    return (count[TCPLAN_KERNELS] + limit - 1) / limit;
}

static void run_random(uint64_t first_seed, int count,
                       const struct random_contraction_options *options, uint64_t limit,
                       build_fn *build) {
    struct batch *batch = calloc(1, sizeof *batch);
    assert_non_null(batch);
    for (int c = 0; c < count; c++) {
        random_contraction_init(&batch->contraction[batch->count], first_seed + (uint64_t)c,
                                options);
        batch->step[batch->count] = step_for(&batch->contraction[batch->count], limit);
        batch->count++;
        if (batch->count == MAX_CASES) run_batch(batch, build);
    }
    if (batch->count > 0) run_batch(batch, build);
    free(batch);
}

static void every_algorithm_of_random_contractions_equals_naive_loops(void **state) {
    (void)state;
    struct random_contraction_options options = random_contraction_defaults();
    options.max_indices = 4;
    run_random(1, 72, &options, UINT64_MAX / 2, emitted_build_unoptimized);
}

static void every_algorithm_of_random_contractions_of_five_indices_equals_naive_loops(
    void **state) {
    (void)state;
    struct random_contraction_options options = random_contraction_defaults();
    options.max_extent = 5;
    options.min_rank = 3;
    run_random(1001, 12, &options, UINT64_MAX / 2, emitted_build_unoptimized);
}

static void algorithms_of_random_contractions_of_seven_indices_equal_naive_loops(void **state) {
    (void)state;
    struct random_contraction_options options = random_contraction_defaults();
    options.max_indices = 7;
    options.min_rank = 4;
    options.max_extent = 4;
    run_random(2001, 12, &options, 40, emitted_build_unoptimized);
}

static void algorithms_of_given_contractions_equal_naive_loops(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *sizes;
    } given[] = {{"C=A_i*B_i", "i=7"},
                 {"C=2*A_i*B_i-3*C", "i=1"},
                 {"C_a=A_a*B", "a=5"},
                 {"C_ab=A_ab*B_ab", "a=3,b=4"},
                 {"C_ab=0.5*A_ab*B_ba+2*C_ab", "a=3,b=4"},
                 {"C=A*B", ""},
                 {"C_abc=A_ai*B_ibc", "a=1,b=1,c=1,i=1"},
                 {"C_a+=A_iaj*B_ji", "a=7,i=3,j=5"},
                 {"C_ab=A_aaib*B_bia", "a=3,b=4,i=5"},
                 {"C_ij=A_iikk*B_kkj+1.5*C_ij", "i=4,j=5,k=3"},
                 {"C_ab=T_ai*T_bi", "a=4,b=4,i=6"},
                 {"C_a=A_iaj*B_ji+1e-60*C_a", "a=7,i=3,j=5"}, /* 1e-60 rounds to 0 in single
                                                                 precision: C is not read */
                 {"C_a=1e-60*A_iaj*B_ji-0.1*C_a", "a=7,i=3,j=5"},
                 {"C_a+=0*A_ai*B_i", "a=7,i=3"}, /* alpha = 0: neither A nor B is read */
                 {"C_ab=0*A_ai*B_ib", "a=4,b=3,i=5"},
                 {"D_ab=0*A_ai*B_ib-2*C_ba", "a=4,b=3,i=5"},
                 {"D_ab=0*A_ai*B_ib+0*C_ba", "a=4,b=3,i=5"},
                 {"C[I,for]=A[I,while]*B[while,for]", "I=3,for=4,while=5"}};
    struct batch *batch = calloc(1, sizeof *batch);
    assert_non_null(batch);
    for (int dtype = 0; dtype < TCPLAN_DTYPES; dtype++) {
        for (size_t g = 0; g < sizeof given / sizeof *given; g++) {
            const enum tcplan_order order =
                (g + (size_t)dtype) % 2 ? TCPLAN_ROW_MAJOR : TCPLAN_COLUMN_MAJOR;
            random_contraction_given(&batch->contraction[batch->count], given[g].text,
                                     given[g].sizes, order, (enum tcplan_dtype)dtype);
            batch->step[batch->count++] = 1;
            if (batch->count == MAX_CASES) run_batch(batch, emitted_build);
        }
    }
    if (batch->count > 0) run_batch(batch, emitted_build);
    free(batch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(algorithms_of_given_contractions_equal_naive_loops),
        cmocka_unit_test(every_algorithm_of_random_contractions_equals_naive_loops),
        cmocka_unit_test(every_algorithm_of_random_contractions_of_five_indices_equals_naive_loops),
        cmocka_unit_test(algorithms_of_random_contractions_of_seven_indices_equal_naive_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
