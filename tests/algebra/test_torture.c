/*
 * Random algorithms of random contractions - any kernel, tiles, copies, provider, parallel loops - run in-process and as emitted, compiled C, both
 * compared with naive loops. scripts/torture runs as many as one likes:
 *
 *   TCPLAN_TORTURE_PAIRS  how many pairs of a contraction and an algorithm at least (default 400)
 *   TCPLAN_TORTURE_SEED   where to begin (default 1): the same seed makes the same pairs
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "microbench/program/program.h"
#include "support/emitted.h"
#include "support/naive.h"
#include "support/random_algorithm.h"
#include "support/random_contraction.h"
#include "support/rng.h"
#include "tcplan/blas.h"
#include "tcplan/emit.h"

/* Compiled together: a compiler's start costs as much as a few functions. */
enum { CONTRACTIONS = 20, ALGORITHMS = 10, ATTEMPTS = 60, MOST_THREADS = 3 };

/** A contraction and an algorithm of it. */
struct pair {
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest;
    int threads;
};

struct batch {
    struct random_contraction contraction[CONTRACTIONS];
    struct pair pair[CONTRACTIONS][ALGORITHMS];
    int count[CONTRACTIONS];
};

static uint64_t setting(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void fail_pair(const struct random_contraction *random, const struct pair *pair, const char *why) {
    fail_msg("%s --algorithm \"%s\" --threads %d: %s\n%s", random_contraction_describe(random),
             tcplan_algorithm_name(&pair->algorithm, random->contraction, random->problem.dtype), pair->threads, why,
             tcplan_nest_text(pair->nest, &random->problem, random->problem.dtype));
}

/* Drawing. */

static struct random_contraction_options draw_options(uint64_t *bits) {
    struct random_contraction_options options = random_contraction_defaults();
    options.min_rank = rng_below(bits, 3);
    options.max_indices = 4 + rng_below(bits, 3);
    options.max_extent = 3 + rng_below(bits, 8);
    return options;
}

/** NULL where the provider lacks the kernel's routine; the BLAS has all. */
static struct tcplan_program *build(struct pair *pair, const struct random_contraction *random) {
    struct tcplan_program *program = NULL;
    struct tcplan_error error = {0};
    enum tcplan_status status = tcplan_nest_build(&pair->nest, random->contraction, &pair->algorithm, &error);
    if (status == TCPLAN_OK) status = tcplan_program_build(&program, pair->nest, &random->problem, &error);
    if (status == TCPLAN_OK) return program;
    if (pair->algorithm.provider == TCPLAN_PROVIDER_BLAS) fail_pair(random, pair, error.message);
    tcplan_nest_free(pair->nest);
    return NULL;
}

/** Draws a pair and runs it in-process; false where no algorithm with a kernel of the provider's was found. */
static bool run_in_process(struct pair *pair, const struct random_contraction *random, enum tcplan_provider provider,
                           struct naive_case *naive, uint64_t *bits) {
    *pair = (struct pair){.threads = 1};
    if (!random_algorithm(&pair->algorithm, random->contraction, provider, bits) || !random_contraction_suits(random, &pair->algorithm))
        return false;
    if (rng_once_in(bits, 3) && random_parallel_loop(&pair->algorithm, random->contraction, bits)) {
        pair->threads = 1 + rng_below(bits, MOST_THREADS);
    }
    struct tcplan_program *program = build(pair, random);
    if (!program) return false;
    assert_int_equal(tcplan_program_set_threads(program, pair->threads, NULL), TCPLAN_OK);
    naive_case_reset(naive);
    tcplan_program_run_adding(program, naive->A, naive->B, naive->addend, naive->C, NULL);
    if (!(naive_case_error(naive) <= naive_tolerance(&random->problem))) fail_pair(random, pair, "the result in-process is wrong");
    tcplan_program_free(program);
    return true;
}

/* Batches. */

static void name_function(char name[40], int c, int a) {
    snprintf(name, 40, "f%d_%d", c, a);
}

static void add_function(struct strbuf *all, const struct random_contraction *random, const struct pair *pair, int c, int a) {
    char name[40];
    char *text = NULL;
    struct tcplan_error error = {0};
    name_function(name, c, a);
    const struct tcplan_emit_options options = {.function = name, .threads = pair->threads};
    if (tcplan_emit_c(&text, pair->nest, &random->problem, &options, &error)) fail_pair(random, pair, error.message);
    strbuf_add(all, "%s\n", text);
    free(text);
}

static void compare_emitted(struct batch *batch, const struct emitted *emitted, int c) {
    const struct random_contraction *random = &batch->contraction[c];
    struct naive_case naive;
    naive_case_init(&naive, &random->problem, random->seed);
    for (int a = 0; a < batch->count[c]; a++) {
        char name[40];
        name_function(name, c, a);
        naive_case_reset(&naive);
        if (emitted_compute(emitted, name, &naive) != 0) fail_pair(random, &batch->pair[c][a], "the function failed");
        if (!(naive_case_error(&naive) <= naive_tolerance(&random->problem))) {
            fail_pair(random, &batch->pair[c][a], "the result of the emitted C is wrong");
        }
    }
    naive_case_free(&naive);
}

static void run_contraction(struct batch *batch, int c, uint64_t seed, enum tcplan_provider provider, struct strbuf *all) {
    struct naive_case naive;
    uint64_t bits = seed;
    const struct random_contraction_options options = draw_options(&bits);
    random_contraction_init(&batch->contraction[c], seed, &options);
    naive_case_init(&naive, &batch->contraction[c].problem, seed);
    for (int attempt = 0; attempt < ATTEMPTS && batch->count[c] < ALGORITHMS; attempt++) {
        struct pair *pair = &batch->pair[c][batch->count[c]];
        if (!run_in_process(pair, &batch->contraction[c], provider, &naive, &bits)) continue;
        add_function(all, &batch->contraction[c], pair, c, batch->count[c]++);
    }
    naive_case_free(&naive);
}

/** The kernels of a batch: emitted functions of several providers do not go into one file. Every other one is the BLAS's. */
static enum tcplan_provider provider_of(uint64_t first_seed) {
    const uint64_t number = first_seed / CONTRACTIONS % 4;
    const enum tcplan_provider provider = number == 1 ? TCPLAN_PROVIDER_LIBXSMM : number == 3 ? TCPLAN_PROVIDER_BLIS : TCPLAN_PROVIDER_BLAS;
    struct tcplan_provider_info info;
    return tcplan_provider_info(&info, provider) ? provider : TCPLAN_PROVIDER_BLAS;
}

static void compile_and_compare(struct batch *batch, const char *text) {
    struct emitted *emitted = emitted_build_unoptimized(NULL, text);
    for (int c = 0; c < CONTRACTIONS; c++) compare_emitted(batch, emitted, c);
    emitted_free(emitted);
}

/** Returns the number of pairs; none where no algorithm of the contractions suits the provider. */
static uint64_t run_batch(uint64_t first_seed) {
    struct batch *batch = calloc(1, sizeof *batch);
    struct strbuf all = {0};
    uint64_t pairs = 0;
    assert_non_null(batch);
    for (int c = 0; c < CONTRACTIONS; c++) run_contraction(batch, c, first_seed + (uint64_t)c, provider_of(first_seed), &all);
    for (int c = 0; c < CONTRACTIONS; c++) pairs += (uint64_t)batch->count[c];
    char *text = strbuf_finish(&all);
    assert_non_null(text);
    if (pairs > 0) compile_and_compare(batch, text);
    free(text);
    for (int c = 0; c < CONTRACTIONS; c++) {
        for (int a = 0; a < batch->count[c]; a++) tcplan_nest_free(batch->pair[c][a].nest);
        random_contraction_free(&batch->contraction[c]);
    }
    free(batch);
    return pairs;
}

static void random_algorithms_equal_naive_loops_in_process_and_emitted(void **state) {
    (void)state;
    const uint64_t wanted = setting("TCPLAN_TORTURE_PAIRS", 400);
    uint64_t seed = setting("TCPLAN_TORTURE_SEED", 1);
    uint64_t pairs = 0;
    for (; pairs < wanted; seed += CONTRACTIONS) {
        pairs += run_batch(seed);
        if (wanted > 10000 && pairs % 2000 < CONTRACTIONS * ALGORITHMS)
            fprintf(stderr, "%llu of %llu pairs\n", (unsigned long long)pairs, (unsigned long long)wanted);
    }
    print_message("%llu pairs of a contraction and an algorithm, in-process and emitted\n", (unsigned long long)pairs);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_algorithms_equal_naive_loops_in_process_and_emitted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
