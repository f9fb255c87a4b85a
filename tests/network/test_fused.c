/*
 * Tests terms of single tensors that are computed in one pass: results equal those of naive loops,
 * and a pass replaces steps if it saves time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ast/scalar.h"
#include "base/random.h"
#include "microbench/copy/terms.h"
#include "network/network.h"
#include "network/search/fused.h"
#include "support/emitted.h"
#include "support/naive_network.h"
#include "tcplan/network_emit.h"
#include "tcplan/network_plan.h"

enum { TRIALS = 4000, RANK = 4, TERMS = 4, GUARD = 8 };

/* The kernel. */

/** A random sum with its data; all values are small whole numbers, so that results are exact. */
struct trial {
    struct terms_shape shape;
    int parts;
    bool is_single;
    int64_t elems;
    void *memory[TERMS + 1]; /* tensors, and the result last; each begins at an offset */
    int64_t offset[TERMS + 1];
};

static double get(const struct trial *trial, int tensor, int64_t number) {
    return trial->is_single ? ((const float *)trial->memory[tensor])[number]
                            : ((const double *)trial->memory[tensor])[number];
}

static void set(struct trial *trial, int tensor, int64_t number, double value) {
    if (trial->is_single) {
        ((float *)trial->memory[tensor])[number] = (float)value;
    } else {
        ((double *)trial->memory[tensor])[number] = value;
    }
}

static void shuffle(int order[RANK], int rank, struct random *random) {
    for (int d = 0; d < rank; d++) {
        const int other = (int)random_below(random, d + 1);
        order[d] = order[other];
        order[other] = d;
    }
}

static int64_t random_extent(struct random *random, int64_t most) {
    const int64_t kind = random_below(random, 12);
    return kind == 0 ? 0 : kind < 3 ? 1 : 1 + random_below(random, most);
}

static double random_factor(struct random *random) {
    return (double)(random_below(random, 7) - 3);
}

static struct trial trial_of(struct random *random) {
    static const int64_t most[] = {20000, 150, 24, 12}; /* more than the blocks of the pass */
    struct trial trial = {.elems = 1};
    struct terms_shape *shape = &trial.shape;
    const int rank = 1 + (int)random_below(random, RANK);
    *shape = (struct terms_shape){.dtype = (enum tcplan_dtype)random_below(random, TCPLAN_DTYPES),
                                  .rank = rank < 2 ? 2 : rank,
                                  .count = 1 + (int)random_below(random, TERMS),
                                  .streamed = random_below(random, 2) == 0};
    trial.parts = tcplan_dtype_is_complex(shape->dtype) ? 2 : 1;
    trial.is_single = shape->dtype == TCPLAN_FLOAT || shape->dtype == TCPLAN_FLOAT_COMPLEX;
    for (int d = 0; d < shape->rank; d++) {
        shape->extent[d] = d < rank ? random_extent(random, most[rank - 1]) : 1;
        shape->step[d] = trial.elems;
        trial.elems *= shape->extent[d];
    }
    for (int t = 0; t < shape->count; t++) {
        int order[RANK];
        int64_t step = 1;
        shuffle(order, shape->rank, random);
        if (random_below(random, 3) == 0) {
            for (int d = 0; d < shape->rank; d++) order[d] = d;
        }
        for (int d = 0; d < shape->rank; d++) {
            shape->term[t].step[order[d]] = step;
            step *= shape->extent[order[d]];
        }
        shape->term[t].factor = (struct tcplan_scalar){
            random_factor(random), trial.parts == 2 ? random_factor(random) : 0};
        shape->term[t].conjugated = trial.parts == 2 && random_below(random, 2) == 0;
    }
    for (int n = 0; n <= shape->count; n++) {
        const int tensor = n < shape->count ? n : TERMS;
        const int64_t numbers = (trial.elems + 2 * GUARD) * trial.parts;
        trial.memory[tensor] = aligned_alloc(64, (size_t)(numbers * 8 + 63) / 64 * 64);
        trial.offset[tensor] = random_below(random, GUARD) * trial.parts;
        for (int64_t k = 0; k < numbers; k++)
            set(&trial, tensor, k, (double)(random_below(random, 17) - 8));
    }
    return trial;
}

static void check_element(const struct trial *trial, const int64_t at[], int64_t place,
                          unsigned number) {
    const struct terms_shape *shape = &trial->shape;
    double re = 0, im = 0;
    for (int t = 0; t < shape->count; t++) {
        int64_t from = 0;
        for (int d = 0; d < shape->rank; d++) from += at[d] * shape->term[t].step[d];
        const int64_t k = trial->offset[t] + from * trial->parts;
        const double x = get(trial, t, k), y = trial->parts == 1           ? 0
                                               : shape->term[t].conjugated ? -get(trial, t, k + 1)
                                                                           : get(trial, t, k + 1);
        re += shape->term[t].factor.re * x - shape->term[t].factor.im * y;
        im += shape->term[t].factor.re * y + shape->term[t].factor.im * x;
    }
    const int64_t k = trial->offset[TERMS] + place * trial->parts;
    if (get(trial, TERMS, k) != re || (trial->parts == 2 && get(trial, TERMS, k + 1) != im))
        fail_msg("trial %u: wrong at %lld", number, (long long)place);
}

static void check_result(const struct trial *trial, unsigned number) {
    int64_t at[TERMS_SHAPE_RANK] = {0};
    for (int64_t place = 0; place < trial->elems; place++) {
        check_element(trial, at, place, number);
        for (int d = 0; d < trial->shape.rank && ++at[d] == trial->shape.extent[d]; d++) at[d] = 0;
    }
}

static void *address(const struct trial *trial, int tensor) {
    return (char *)trial->memory[tensor] + trial->offset[tensor] * (trial->is_single ? 4 : 8);
}

static void random_sums_agree_with_loops(void **state) {
    (void)state;
    struct random random = {1};
    for (unsigned n = 0; n < TRIALS; n++) {
        struct trial trial = trial_of(&random);
        const void *from[TERMS];
        const int64_t first = trial.offset[TERMS], end = first + trial.elems * trial.parts;
        for (int t = 0; t < trial.shape.count; t++) from[t] = address(&trial, t);
        if (first > 0) set(&trial, TERMS, first - 1, 123);
        set(&trial, TERMS, end, 321);
        terms_run(&trial.shape, from, address(&trial, TERMS), 1 + (int)random_below(&random, 3));
        check_result(&trial, n);
        if (first > 0) assert_true(get(&trial, TERMS, first - 1) == 123);
        assert_true(get(&trial, TERMS, end) == 321);
        for (int t = 0; t < trial.shape.count; t++) free(trial.memory[t]);
        free(trial.memory[TERMS]);
    }
}

/* Trees. */

enum { EMITTED = 9 }; /* sums that are also emitted, from the first one on */

static const struct {
    const char *text, *sizes;
} sums[] = {
    {"S_klij=W_lkij", "k=9,l=17,i=j=5"},
    {"B_ba=A_ab", "a=33,b=34"},
    {"Z_abij=2*T_abji+3*Z_abij", "a=9,b=17,i=j=5"},
    {"conj(Z)_ab=(1,2)*conj(T)_ba+(2,1)*conj(Z)_ab", "a=33,b=34"},
    {"Z_abij=2*T_abij-T_abji", "a=9,b=17,i=j=5"},
    {"Z_abij=2*T_abij-T_abji+3*Z_abij", "a=9,b=17,i=j=5"},
    {"Z_abij+=T_baij+4*U_jiba-2*U_ijba", "a=9,b=17,i=j=5"},
    {"Z_ab=(1,2)*conj(T)_ba-(0,3)*U_ab+(2,1)*conj(Z)_ab", "a=33,b=34"},
    {"conj(Z)_ab=(1,2)*T_ba-(0,3)*conj(U)_ab", "a=33,b=34"},
    {"Z_abc=T_cab+T_bca-T_abc", "a=b=c=17"},
    {"Z_abc=T_cab-U_abc", "a=1,b=1,c=1"},
    {"Z_abc=(1,2)*conj(T)_cab", "a=b=c=17"},
    {"Z_ab+=-1*T_ab", "a=33,b=34"},
    {"Z=T-2*U", ""},
};

/** Makes a tree whose first step computes all terms. */
static struct tcplan_tree *joined_of(const struct naive_network *naive) {
    struct tcplan_tree *tree = NULL;
    assert_int_equal(
        tcplan_tree_make(&tree, naive->network, naive->extent, naive->dtype, NULL, 0, NULL),
        TCPLAN_OK);
    for (int s = 0; s < tree->step_count; s++) {
        tree->step[s].joined = 0;
        tree->step[s].idle = s > 0;
    }
    return tree;
}

static struct tcplan_planner *planner_of(int threads) {
    struct tcplan_planner *planner = NULL;
    assert_int_equal(tcplan_planner_new(&planner, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_effort(planner, TCPLAN_EFFORT_ESTIMATE, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_oversubscription(planner, true, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_threads(planner, threads, NULL), TCPLAN_OK);
    return planner;
}

static struct naive_network naive_of(size_t n) {
    return naive_network_of(sums[n].text, sums[n].sizes,
                            strchr(sums[n].text, '(') ? TCPLAN_DOUBLE_COMPLEX : TCPLAN_DOUBLE,
                            (enum tcplan_order)(n % 2));
}

static void joined_steps_agree_with_loops(void **state) {
    (void)state;
    for (size_t n = 0; n < 2 * sizeof sums / sizeof *sums; n++) {
        struct naive_network naive = naive_of(n / 2);
        struct tcplan_planner *planner = planner_of(1 + (int)(n % 2));
        struct tcplan_tree *tree = joined_of(&naive);
        struct tcplan_network_plan *plan = NULL;
        tree->step[0].pass_streamed = n % 4 > 1 && scalar_is(naive.network->beta, 0);
        tree->step[0].pass_threads = (int)(n % 3);
        assert_int_equal(tcplan_network_plan_new(&plan, tree, planner, NULL), TCPLAN_OK);
        assert_int_equal(tcplan_network_plan_step_count(plan), 1);
        assert_null(tcplan_network_plan_step(plan, 0));
        assert_int_equal(tcplan_network_execute(plan, (const void *const *)naive.tensor,
                                                naive.result, NULL, 0, NULL),
                         TCPLAN_OK);
        if (!naive_network_check(&naive)) fail_msg("%s: wrong", sums[n / 2].text);
        tcplan_network_plan_free(plan);
        tcplan_tree_free(tree);
        tcplan_planner_free(planner);
        naive_network_free(&naive);
    }
}

static void emitted_passes_agree_with_loops(void **state) {
    (void)state;
    for (size_t n = 0; n < EMITTED; n++) {
        struct naive_network naive = naive_of(n);
        struct tcplan_planner *planner = planner_of(1 + (int)(n % 2));
        struct tcplan_tree *tree = joined_of(&naive);
        char *text = NULL;
        assert_int_equal(tcplan_network_emit(&text, tree, planner, NULL, NULL), TCPLAN_OK);
        struct emitted *emitted = emitted_build(NULL, text);
        union {
            emitted_function *two;
            int (*one)(const void *, void *);
        } f = {emitted_find(emitted, "contract")};
        if (naive.network->tensor_count == 1) {
            assert_int_equal(f.one(naive.tensor[0], naive.result), 0);
        } else {
            assert_int_equal(f.two(naive.tensor[0], naive.tensor[1], naive.result), 0);
        }
        if (!naive_network_check(&naive)) fail_msg("%s: wrong:\n%s", sums[n].text, text);
        emitted_free(emitted);
        free(text);
        tcplan_tree_free(tree);
        tcplan_planner_free(planner);
        naive_network_free(&naive);
    }
}

/** Expressions in which terms of a named sum, or of the result after a product, are joined. */
static void joined_terms_among_products_agree_with_loops(void **state) {
    static const char *const texts[][2] = {
        {"R_ac=A_ab*D_bc-2*B_ba*D_bc", "X_ab=A_ab-2*B_ba; R_ac=X_ab*D_bc"},
        {"R_ac=D_ab*B_bc-A_ca+2*E_ac+3*A_ac", "R_ac=D_ab*B_bc-A_ca+2*E_ac+3*A_ac"},
    };
    (void)state;
    struct tcplan_planner *planner = planner_of(1);
    struct tcplan_machine machine;
    assert_int_equal(tcplan_machine_load(&machine, "live", NULL), TCPLAN_OK);
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++) {
        const enum tcplan_order order = (enum tcplan_order)(n % 2);
        struct naive_network naive =
            naive_network_of(texts[n][0], "a=b=c=19", TCPLAN_DOUBLE, order);
        struct tcplan_network *network = NULL;
        struct tcplan_tree *tree = NULL;
        int64_t extent[16];
        assert_int_equal(tcplan_network_parse(&network, texts[n][1], order, NULL), TCPLAN_OK);
        assert_int_equal(tcplan_network_sizes(extent, network, "a=b=c=19", NULL), TCPLAN_OK);
        assert_true(network_number_like(network, naive.network));
        struct tcplan_network_plan *plan = NULL;
        assert_int_equal(tcplan_tree_make(&tree, network, extent, TCPLAN_DOUBLE, NULL, 0, NULL),
                         TCPLAN_OK);
        int idle = 0;
        for (int s = 0; s < tree->step_count; s++) tree->step[s].seconds = 1;
        fused_join(tree, &machine, 1);
        for (int s = 0; s < tree->step_count; s++) idle += tree->step[s].idle;
        assert_int_equal(idle, n == 0 ? 1 : 2);
        assert_int_equal(tcplan_network_plan_new(&plan, tree, planner, NULL), TCPLAN_OK);
        for (int times = 0; times < 2; times++) {
            assert_int_equal(tcplan_network_execute(plan, (const void *const *)naive.tensor,
                                                    naive.result, NULL, 0, NULL),
                             TCPLAN_OK);
            if (!naive_network_check(&naive)) fail_msg("%s: wrong", texts[n][1]);
        }
        tcplan_network_plan_free(plan);
        tcplan_tree_free(tree);
        tcplan_network_free(network);
        naive_network_free(&naive);
    }
    tcplan_planner_free(planner);
}

/* Choosing. */

static void terms_are_joined_where_that_saves_time(void **state) {
    (void)state;
    struct tcplan_machine machine;
    assert_int_equal(tcplan_machine_load(&machine, "live", NULL), TCPLAN_OK);
    struct naive_network naive = naive_network_of(
        "Z_abc=A_ad*B_dbc+T_cab-T_abc+0*T_bca", "a=b=c=8,d=2", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR);
    struct tcplan_tree *tree = NULL;
    assert_int_equal(
        tcplan_tree_make(&tree, naive.network, naive.extent, TCPLAN_DOUBLE, NULL, 0, NULL),
        TCPLAN_OK);
    for (int s = 0; s < tree->step_count; s++) tree->step[s].seconds = 1e-12;
    fused_join(tree, &machine, 1);
    for (int s = 0; s < tree->step_count; s++) assert_int_equal(tree->step[s].joined, -1);
    for (int s = 0; s < tree->step_count; s++) tree->step[s].seconds = 1;
    fused_join(tree, &machine, 1);
    assert_int_equal(tree->step[0].joined, -1);
    assert_int_equal(tree->step[1].joined, 1);
    assert_int_equal(tree->step[2].joined, 1);
    assert_int_equal(tree->step[3].joined, -1); /* a factor 0 does not read its tensor */
    assert_true(tree->step[2].idle && !tree->step[1].idle);
    assert_true(tree->step[1].seconds < 1 && tree->step[1].apart_seconds == 2);
    char *text = tcplan_tree_step_text(tree, 1);
    assert_string_equal(text, "Z_abc+=T_cab-T_abc");
    free(text);
    fused_part(tree);
    assert_true(tree->step[1].seconds == 1 && !tree->step[2].idle && tree->step[1].joined == -1);
    tcplan_tree_free(tree);
    naive_network_free(&naive);
}

/** A single term: its pass is timed, and chosen only if it is faster than the step. */
static void a_pass_may_replace_a_single_term(void **state) {
    static const char *const texts[] = {"S_klij=W_lkij", "Z_klij=2*W_ijkl+3*Z_klij",
                                        "Z_klij+=-1*W_klij", "X_klij=W_lkij; Z_kl=X_klij*Y_ij"};
    (void)state;
    struct tcplan_machine machine;
    struct tcplan_rank_options options = tcplan_rank_defaults();
    assert_int_equal(tcplan_machine_load(&machine, "live", NULL), TCPLAN_OK);
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++) {
        struct naive_network naive =
            naive_network_of(n == 3 ? "Z_kl=W_lkij*Y_ij" : texts[n], "k=9,l=17,i=j=5",
                             TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR);
        struct tcplan_network *network = NULL;
        struct tcplan_tree *tree = NULL;
        int64_t extent[16];
        assert_int_equal(tcplan_network_parse(&network, texts[n], TCPLAN_COLUMN_MAJOR, NULL),
                         TCPLAN_OK);
        assert_int_equal(tcplan_network_sizes(extent, network, "k=9,l=17,i=j=5", NULL), TCPLAN_OK);
        assert_int_equal(tcplan_tree_make(&tree, network, extent, TCPLAN_DOUBLE, NULL, 0, NULL),
                         TCPLAN_OK);
        for (int s = 0; s < tree->step_count; s++) tree->step[s].seconds = 1;
        assert_int_equal(fused_time(tree, &options, deadline_in(0)), 1);
        const double seconds = tree->step[0].pass_seconds;
        assert_true(seconds > 0 && seconds < 1);
        tree->step[0].seconds = seconds / 2; /* the kernels are faster */
        fused_join(tree, &machine, 1);
        assert_int_equal(tree->step[0].joined, -1);
        tree->step[0].seconds = 1;
        fused_join(tree, &machine, 1);
        assert_true(tree->step[0].joined == 0 && !tree->step[0].idle && tree->step[0].timed);
        assert_true(tree->step[0].seconds == seconds && tree->step[0].apart_seconds == 1);
        if (n < 3) {
            struct tcplan_network_plan *plan = NULL;
            struct tcplan_planner *planner = planner_of(1);
            assert_int_equal(tcplan_network_plan_new(&plan, tree, planner, NULL), TCPLAN_OK);
            assert_null(tcplan_network_plan_step(plan, 0));
            assert_int_equal(tcplan_network_execute(plan, (const void *const *)naive.tensor,
                                                    naive.result, NULL, 0, NULL),
                             TCPLAN_OK);
            if (!naive_network_check(&naive)) fail_msg("%s: wrong", texts[n]);
            tcplan_network_plan_free(plan);
            tcplan_planner_free(planner);
        }
        tcplan_tree_free(tree);
        tcplan_network_free(network);
        naive_network_free(&naive);
    }
}

/** Estimates the pass of an expression, and returns its first step. */
static struct tcplan_tree_step estimated_step(const char *text, const char *sizes, int threads) {
    struct tcplan_machine machine;
    struct tcplan_network *network = NULL;
    struct tcplan_tree *tree = NULL;
    int64_t extent[4];
    assert_int_equal(
        tcplan_machine_load(&machine, "l2:1(size=1MiB) l1d:1(size=32kB) core:4 pu:1", NULL),
        TCPLAN_OK);
    assert_int_equal(tcplan_network_parse(&network, text, TCPLAN_ROW_MAJOR, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_network_sizes(extent, network, sizes, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_tree_make(&tree, network, extent, TCPLAN_DOUBLE, NULL, 0, NULL),
                     TCPLAN_OK);
    tree->step[0].seconds = 1000;
    fused_join(tree, &machine, threads);
    const struct tcplan_tree_step step = tree->step[0];
    tcplan_tree_free(tree);
    tcplan_network_free(network);
    assert_int_equal(step.joined, 0);
    return step;
}

/** Large results are written by non-temporal stores, small ones and those that are also read are
 * not; threads are used where they pay. */
static void estimates_choose_stores_and_threads(void **state) {
    (void)state;
    const struct tcplan_tree_step large = estimated_step("Z_ab=T_ba", "a=b=5000", 4),
                                  small = estimated_step("Z_ab=T_ba", "a=b=10", 4),
                                  added = estimated_step("Z_ab=T_ba+Z_ab", "a=b=5000", 1),
                                  kept = estimated_step("Z_ab=T_ab", "a=b=5000", 1),
                                  one = estimated_step("Z_ab=T_ba", "a=b=5000", 1);
    assert_true(large.pass_streamed && !small.pass_streamed && !added.pass_streamed);
    assert_true(large.pass_threads > 1 && small.pass_threads == 1 && one.pass_threads == 1);
    assert_true(large.seconds < one.seconds && kept.seconds < one.seconds &&
                one.seconds < added.seconds);
}

/** Steps of tensors that exceed the last cache are executed as a whole; others keep their times. */
static void large_steps_are_timed_as_a_whole(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int extent;
        bool large;
    } cases[] = {{"Z_ab=2*T_ab-T_ba+Z_ab", 200, true},
                 {"Z_ab=2*T_ab-T_ba+Z_ab", 20, false},
                 {"Z_ab=A_ac*B_cb-T_ba", 200, false}}; /* has a product */
    struct tcplan_machine machine;
    struct tcplan_rank_options options = tcplan_rank_defaults();
    assert_int_equal(
        tcplan_machine_load(&machine, "l2:1(size=64kB) l1d:1(size=32kB) core:1 pu:1", NULL),
        TCPLAN_OK);
    options.machine = &machine;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct tcplan_network *network = NULL;
        struct tcplan_tree *tree = NULL;
        int64_t extent[4] = {cases[n].extent, cases[n].extent, cases[n].extent};
        assert_int_equal(tcplan_network_parse(&network, cases[n].text, TCPLAN_ROW_MAJOR, NULL),
                         TCPLAN_OK);
        assert_int_equal(tcplan_tree_make(&tree, network, extent, TCPLAN_DOUBLE, NULL, 0, NULL),
                         TCPLAN_OK);
        for (int s = 0; s < tree->step_count; s++) tree->step[s].seconds = 1000;
        fused_time(tree, &options, deadline_in(0));
        for (int s = 0; s < tree->step_count; s++) {
            assert_int_equal(tree->step[s].timed, cases[n].large);
            assert_int_equal(tree->step[s].seconds < 1000, cases[n].large);
        }
        tcplan_tree_free(tree);
        tcplan_network_free(network);
    }
}

static void passes_are_timed_and_the_time_decides(void **state) {
    (void)state;
    struct tcplan_machine machine;
    struct tcplan_rank_options options = tcplan_rank_defaults();
    assert_int_equal(tcplan_machine_load(&machine, "live", NULL), TCPLAN_OK);
    struct naive_network naive = naive_network_of("Z_ab=A_ac*B_cb+T_ba-2*U_ab+3*Z_ab", "a=b=40,c=2",
                                                  TCPLAN_DOUBLE, TCPLAN_ROW_MAJOR);
    struct tcplan_tree *tree = NULL;
    assert_int_equal(
        tcplan_tree_make(&tree, naive.network, naive.extent, TCPLAN_DOUBLE, NULL, 0, NULL),
        TCPLAN_OK);
    for (int s = 0; s < tree->step_count; s++) tree->step[s].seconds = 1;
    options.threads = 2;
    options.cache = TCPLAN_CACHE_COLD;
    assert_int_equal(fused_time(tree, &options, deadline_in(0)), 0);
    options.cache = TCPLAN_CACHE_WARM;
    assert_int_equal(fused_time(tree, &options, deadline_in(1)), 0); /* the steps take 2 s */
    assert_int_equal(fused_time(tree, &options, deadline_in(0)), 1);
    for (int s = 0; s < tree->step_count; s++) {
        assert_int_equal(tree->step[s].joined, -1);
        assert_int_equal(tree->step[s].pass_seconds > 0, s == 1);
    }
    assert_in_range(tree->step[1].pass_threads, 1, 2);
    assert_false(tree->step[1].pass_streamed); /* the result is also read */
    const double seconds = tree->step[1].pass_seconds;
    fused_join(tree, &machine, 1);
    assert_true(tree->step[1].joined == 1 && tree->step[1].timed && !tree->step[1].alone_timed);
    assert_true(tree->step[1].seconds == seconds);
    fused_part(tree);
    assert_true(!tree->step[1].timed && tree->step[1].seconds == 1);
    tree->step[1].pass_seconds = 3; /* longer than both steps */
    fused_join(tree, &machine, 1);
    assert_int_equal(tree->step[1].joined, -1);
    tcplan_tree_free(tree);
    naive_network_free(&naive);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_sums_agree_with_loops),
        cmocka_unit_test(joined_steps_agree_with_loops),
        cmocka_unit_test(joined_terms_among_products_agree_with_loops),
        cmocka_unit_test(emitted_passes_agree_with_loops),
        cmocka_unit_test(terms_are_joined_where_that_saves_time),
        cmocka_unit_test(a_pass_may_replace_a_single_term),
        cmocka_unit_test(estimates_choose_stores_and_threads),
        cmocka_unit_test(large_steps_are_timed_as_a_whole),
        cmocka_unit_test(passes_are_timed_and_the_time_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
