/*
 * Tests the order in which structures are arranged, by scripted heuristic costs. Also tests which
 * structures are retained, and that heuristic costs are those of the lowered calls.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "gen/space/structures.h"
#include "plan/sketch.h"
#include "support/random_contraction.h"

enum { FAMILIES = 7, MANY = 3000, FEW = 20, CONTRACTIONS = 60, MOST_OF_A_CONTRACTION = 300 };

/** Returns a structure of a family, identified by its provider. */
static struct tcplan_algorithm of_family(int family, enum tcplan_provider provider) {
    struct tcplan_algorithm structure = tcplan_algorithm_empty();
    structure.kernel = TCPLAN_GEMM;
    structure.group[TCPLAN_M] = 1;
    structure.group[TCPLAN_K] = (uint64_t)family << 1;
    structure.provider = provider;
    return structure;
}

static void add(struct sketches *sketches, int family, double seconds) {
    const struct tcplan_algorithm structure = of_family(family, TCPLAN_PROVIDER_BLAS);
    assert_true(sketches_add(sketches, &structure, seconds));
}

/* Order of structures. */

static void the_best_guess_comes_first(void **state) {
    (void)state;
    struct sketches sketches = {.most = FEW};
    for (int family = 1; family < FAMILIES; family++) add(&sketches, family, FAMILIES - family);
    sketches_sort(&sketches);
    assert_int_equal(sketches.count, FAMILIES - 1);
    for (size_t s = 1; s < sketches.count; s++)
        assert_true(sketches.sketch[s - 1].seconds < sketches.sketch[s].seconds);
    sketches_free(&sketches);
}

/** One family has by far the lowest costs. The best structures of families that are nearly as good
 * precede its other structures. */
static void a_family_does_not_crowd_out_the_others(void **state) {
    (void)state;
    struct sketches sketches = {.most = FEW};
    for (int i = 0; i < 10; i++) add(&sketches, 1, 1 + 0.001 * i);
    add(&sketches, 2, 1.3);
    add(&sketches, 3, 1.9);
    add(&sketches, 4, 5);
    sketches_sort(&sketches);
    static const uint64_t family[] = {1, 2, 1, 1, 3};
    for (size_t s = 0; s < sizeof family / sizeof *family; s++)
        assert_true(sketches.sketch[s].structure.group[TCPLAN_K] == family[s] << 1);
    assert_true(sketches.sketch[sketches.count - 1].structure.group[TCPLAN_K] ==
                4 << 1); /* structures that cannot win do not precede them */
    sketches_free(&sketches);
}

static void equal_guesses_keep_their_order(void **state) {
    (void)state;
    struct sketches sketches = {.most = FEW};
    for (int family = FAMILIES; family > 0; family--) add(&sketches, family, 1);
    sketches_sort(&sketches);
    for (size_t s = 0; s < sketches.count; s++) assert_int_equal(sketches.sketch[s].number, s);
    sketches_free(&sketches);
}

/* Retained structures. */

/** The retained structures are the first ones of the order, independent of when they were added. */
static void the_first_candidates_are_retained(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        struct random random = {seed};
        struct sketches kept = {.most = FEW}, all = {.most = MANY};
        for (int i = 0; i < MANY; i++) {
            const int family = (int)random_below(&random, FAMILIES);
            const double seconds = 1 + family * 0.2 + random_unit(&random) * (seed % 2 ? 3 : 0.01);
            add(&kept, family, seconds);
            add(&all, family, seconds);
            assert_true(kept.count <= 2 * kept.most);
        }
        sketches_sort(&kept);
        sketches_sort(&all);
        assert_int_equal(all.count, MANY);
        assert_int_equal(kept.count, FEW);
        for (size_t s = 0; s < FEW; s++)
            assert_int_equal(kept.sketch[s].number, all.sketch[s].number);
        sketches_free(&kept);
        sketches_free(&all);
    }
}

/* Calls. */

struct visit {
    const struct random_contraction *given;
    int structures;
    int lowered;
};

/** Checks that the heuristic cost of a structure is that of its lowered call; a structures_fn. */
static bool check_call(void *context, const struct tcplan_algorithm *structure) {
    struct visit *visit = context;
    struct blas_call call;
    double calls, sketched_calls;
    const struct blas_call sketched =
        sketch_call(&sketched_calls, &visit->given->problem, structure);
    visit->structures++;
    if (blas_call_of(&call, &calls, &visit->given->problem, structure, NULL) != TCPLAN_OK)
        return true;
    visit->lowered++;
    assert_true(calls == sketched_calls);
    assert_true(call.kernel == sketched.kernel && call.provider == sketched.provider);
    if (call.m != sketched.m || call.n != sketched.n || call.k != sketched.k ||
        call.products != sketched.products || call.length != sketched.length) {
        fail_msg("%s: a call of %d x %d x %d is guessed as one of %d x %d x %d",
                 random_contraction_describe(visit->given), call.m, call.n, call.k, sketched.m,
                 sketched.n, sketched.k);
    }
    return visit->structures < MOST_OF_A_CONTRACTION;
}

static void guessed_calls_are_those_of_the_lowered_nest(void **state) {
    (void)state;
    struct random_contraction_options options = random_contraction_defaults();
    int lowered = 0;
    options.max_extent = 40; /* with tiles */
    options.zeros = false;   /* with an extent of 0, there is no call */
    for (uint64_t seed = 0; seed < CONTRACTIONS; seed++) {
        struct random_contraction given;
        random_contraction_init(&given, seed, &options);
        struct visit visit = {.given = &given};
        const struct structures_options structures = {.problem = &given.problem,
                                                      .line_elems = 4,
                                                      .near_elems = {64, 512},
                                                      .provider = {true, true, true},
                                                      .threads = 1};
        structures_visit(&structures, check_call, &visit);
        random_contraction_free(&given);
        lowered += visit.lowered;
    }
    assert_true(lowered > CONTRACTIONS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_guess_comes_first),
        cmocka_unit_test(a_family_does_not_crowd_out_the_others),
        cmocka_unit_test(equal_guesses_keep_their_order),
        cmocka_unit_test(the_first_candidates_are_retained),
        cmocka_unit_test(guessed_calls_are_those_of_the_lowered_nest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
