/*
 * Tests the search for arrangements (orders of loops, and layouts and places of copies): all
 * arrangements are valid, and sorted by the model's time. The model gives the same time when it
 * rates one arrangement alone.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/algorithm_check.h"
#include "base/alloc.h"
#include "cachesim/arrangement/arrangement.h"
#include "cachesim/arrangement/bound.h"
#include "cachesim/arrangement/model.h"
#include "gen/space/enumerate.h"
#include "gen/space/structures.h"
#include "support/random_contraction.h"

enum { MOST = 200, BEAM_WIDTH = 3 };

static const struct tcplan_machine machine = {
    .line_bytes = 64,
    .page_bytes = 4096,
    .cache_count = 2,
    .cache = {{.level = 1, .size_bytes = 32 << 10, .line_bytes = 64},
              {.level = 2, .size_bytes = 1 << 20, .line_bytes = 64}}};

static const struct tcplan_machine without_caches = {.line_bytes = 64, .page_bytes = 4096};

static const struct deadline never = {0};

/** The arrangements found for one structure, which is an algorithm without an order of loops. */
struct found {
    int count;
    struct arrangement arrangement[MOST];
};

typedef int find_fn(struct arranger *arranger, struct arrangement *out,
                    const struct tcplan_algorithm *structure);

static struct found find(find_fn *by, const struct tcplan_problem *problem,
                         const struct tcplan_machine *on, const struct tcplan_algorithm *structure,
                         int width) {
    struct arranger *arranger = arranger_new(problem, on, width, never);
    struct found found;
    assert_in_range(width, 1, MOST);
    assert_non_null(arranger);
    found.count = by(arranger, found.arrangement, structure);
    arranger_free(arranger);
    return found;
}

static struct tcplan_algorithm named(const struct random_contraction *given, const char *name) {
    struct tcplan_algorithm algorithm;
    struct tcplan_error error = {0};
    if (tcplan_algorithm_parse(&algorithm, given->contraction, TCPLAN_DOUBLE, name, &error))
        fail_msg("%s", error.message);
    return algorithm;
}

static bool is_close(double a, double b) {
    return fabs(a - b) <= 1e-12 * fabs(b);
}

/** Checks that the dimensions of a copy cover all elements, that those of the temporary are
 * consecutive, and that no dimension continues the previous one. */
static void assert_dimensions(const struct arrangement_copy *copy) {
    double elements = 1;
    assert_true(copy->rank >= 0 && copy->rank <= ARRANGEMENT_COPY_DIMENSIONS);
    for (int d = 0; d < copy->rank; d++) {
        const struct arrangement_dimension *dimension = &copy->dimension[d];
        assert_true(dimension->extent > 1 && dimension->tensor >= 1 &&
                    dimension->temporary == elements);
        if (d > 0) assert_true(dimension->tensor != dimension[-1].tensor * dimension[-1].extent);
        elements *= dimension->extent;
    }
    if (copy->rank > 0) assert_true(copy->elements == elements || copy->elements == 2 * elements);
    assert_true(copy->line_seconds >= 0 && copy->line_seconds <= copy->seconds);
}

/** Checks that each arrangement can be built, occurs once, and is no slower than the next one; and
 * that its time does not depend on arrangements rated before. */
static void assert_found(const struct found *found, const struct tcplan_problem *problem,
                         const struct tcplan_machine *on) {
    struct arranger *arranger = arranger_new(problem, on, 1, never);
    assert_non_null(arranger);
    for (int f = 0; f < found->count; f++) {
        const struct arrangement *arrangement = &found->arrangement[f];
        assert_int_equal(algorithm_check(&arrangement->algorithm, problem->contraction, NULL),
                         TCPLAN_OK);
        assert_true(isfinite(arrangement->seconds) && arrangement->seconds >= 0);
        const bool by_rules =
            tcplan_algorithm_in_blas_space(&arrangement->algorithm, problem->contraction);
        const double own = arrangement_seconds(arranger, &arrangement->algorithm, NULL);
        /* With several temporaries, the time may differ: the layout of one depends on the order of
         * loops, which the search fixes later. */
        assert_true(by_rules || own == arrangement->seconds
                        ? is_close(arrangement->seconds, own)
                        : fabs(log(own / arrangement->seconds)) < log(2));
        if (f > 0) assert_true(arrangement[-1].seconds <= arrangement->seconds);
        for (int t = 0; t < TCPLAN_OPERANDS; t++) assert_dimensions(&arrangement->parts.copy[t]);
        for (int other = 0; other < f; other++) {
            assert_false(tcplan_algorithm_equal(&found->arrangement[other].algorithm,
                                                &arrangement->algorithm));
        }
    }
    arranger_free(arranger);
}

/** Returns the smallest modelled time of all loop orders of a structure. The enumerator returns
 * them one after the other. */
static double exhaustive_minimum(struct tcplan_enumerator *enumerator, struct arranger *arranger,
                                 double orders) {
    double smallest = INFINITY;
    for (uint64_t o = 0; o < (uint64_t)orders; o++) {
        struct tcplan_algorithm algorithm;
        assert_true(tcplan_enumerator_next(enumerator, &algorithm));
        smallest = fmin(smallest, arrangement_seconds(arranger, &algorithm, NULL));
    }
    return smallest;
}

static void check_structures(const struct random_contraction *random,
                             const struct tcplan_machine *on) {
    struct arranger *arranger = arranger_new(&random->problem, on, 1, never);
    size_t count;
    struct tcplan_algorithm *structure = enumerator_structures(random->contraction, &count);
    struct tcplan_enumerator enumerator;
    assert_true(arranger && structure);
    tcplan_enumerator_init(&enumerator, random->contraction);
    for (size_t s = 0; s < count; s++) {
        const double orders = enumerator_orders(&structure[s]);
        const double smallest = exhaustive_minimum(&enumerator, arranger, orders);
        const struct found all =
            find(arrangements_by_rules, &random->problem, on, &structure[s], MOST);
        if ((double)all.count != orders)
            fail_msg("%s: %d of %g orders", random_contraction_describe(random), all.count, orders);
        assert_found(&all, &random->problem, on);
        if (!is_close(all.arrangement[0].seconds, smallest))
            fail_msg("%s: there is a better order", random_contraction_describe(random));
        for (int f = 0; f < all.count; f++) {
            assert_true(
                tcplan_algorithm_in_blas_space(&all.arrangement[f].algorithm, random->contraction));
        }
    }
    base_free(structure);
    arranger_free(arranger);
}

static void few_orders_are_all_found_and_the_first_is_the_best_there_is(void **state) {
    (void)state;
    struct random_contraction_options options = random_contraction_defaults();
    options.zeros = false;
    options.min_rank = 0;
    options.max_extent = 40;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct random_contraction random;
        random_contraction_init(&random, seed, &options);
        check_structures(&random, seed % 5 ? &machine : &without_caches);
        random_contraction_free(&random);
    }
}

static void an_algorithm_without_loops_is_its_only_order(void **state) {
    (void)state;
    struct random_contraction given;
    random_contraction_given(&given, "C_ab=A_ai*B_ib", "a=b=i=9", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    const struct tcplan_algorithm dgemm = named(&given, "dgemm");
    const struct found found = find(arrangements_by_rules, &given.problem, &machine, &dgemm, MOST);
    assert_int_equal(found.count, 1);
    assert_true(tcplan_algorithm_equal(&found.arrangement[0].algorithm, &dgemm));
    random_contraction_free(&given);
}

static void twelve_loops_have_the_requested_number_of_orders(void **state) {
    (void)state;
    static const int width[] = {1, 7, MOST};
    struct random_contraction given;
    random_contraction_given(&given, "C_abcdefgh=A_abcdijklm*B_mlkjiefgh",
                             "a=b=c=d=e=f=g=h=i=j=k=l=m=3", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    const struct tcplan_algorithm dot = named(&given, "abcdefghijkl-ddot");
    for (size_t w = 0; w < sizeof width / sizeof *width; w++) {
        const struct found found =
            find(arrangements_by_rules, &given.problem, &machine, &dot, width[w]);
        assert_int_equal(found.count, width[w]);
        assert_found(&found, &given.problem, &machine);
    }
    random_contraction_free(&given);
}

/* Places of copies. */

static void copies_are_placed_where_they_cost_least(void **state) {
    (void)state;
    static const char *const names[] = {"c'Bt-dgemm",        "'A.c'B-dgemm", "'B-dgemm",
                                        "a:8.c'BCs.a-dgemm", "c.j='B-dgemm", "c'BCs-dgemm"};
    struct random_contraction given;
    random_contraction_given(&given, "C_abc=A_aij*B_jbic", "a=b=c=40,i=8,j=9", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        const struct tcplan_algorithm algorithm = named(&given, names[n]);
        struct arranger *arranger = arranger_new(&given.problem, &machine, 6, never);
        assert_non_null(arranger);
        const double given_seconds = arrangement_seconds(arranger, &algorithm, NULL);
        const struct found found = find(arrangements_best, &given.problem, &machine, &algorithm, 6);
        assert_in_range(found.count, 1, 6);
        assert_found(&found, &given.problem, &machine);
        assert_true(found.arrangement[0].seconds <= given_seconds * 1.1);
        arranger_free(arranger);
    }
    random_contraction_free(&given);
}

/** In the `blas` space, a loop nest scales C before its contracted loops. Algorithms that apply
 * beta in the first iteration save this scaling. */
static void scaling_the_result_costs_something(void **state) {
    (void)state;
    struct random_contraction given;
    random_contraction_given(&given, "C_ab=A_aij*B_jib", "a=b=200,i=j=8", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    const struct tcplan_algorithm scales = named(&given, "i-dgemm"),
                                  starts = named(&given, "i=-dgemm");
    struct arranger *arranger = arranger_new(&given.problem, &machine, 1, never);
    assert_non_null(arranger);
    assert_true(arrangement_seconds(arranger, &starts, NULL) <
                arrangement_seconds(arranger, &scales, NULL));
    arranger_free(arranger);
    random_contraction_free(&given);
}

/** Returns the modelled time of all but the kernel of a dgemm that adds beta times a tensor of the
 * given strides. */
static double seconds_of_adding(const char *contraction, const char *strides) {
    struct random_contraction given;
    random_contraction_strided(&given, contraction, "a=b=400,i=8", strides, TCPLAN_COLUMN_MAJOR,
                               TCPLAN_DOUBLE);
    const struct tcplan_algorithm dgemm = named(&given, "dgemm");
    struct arranger *arranger = arranger_new(&given.problem, &machine, 1, never);
    assert_non_null(arranger);
    const double seconds = arrangement_seconds(arranger, &dgemm, NULL);
    arranger_free(arranger);
    random_contraction_free(&given);
    return seconds;
}

/** Copying an addend (the beta C term) takes longer if its elements are in more cache lines. */
static void an_addend_costs_its_copy(void **state) {
    (void)state;
    const double none = seconds_of_adding("C_ab=A_ai*B_ib", "");
    const double own = seconds_of_adding("D_ab=A_ai*B_ib+2*C_ab", "");
    const double lines = 400.0 * 400 * sizeof(double) / 64;
    assert_true(is_close(seconds_of_adding("D_ab=A_ai*B_ib+0*C_ab", ""), none));
    assert_true(is_close(seconds_of_adding("C_ab=A_ai*B_ib+2*C_ab", ""),
                         none)); /* without an addend of its own, dgemm itself applies beta */
    assert_true(own > none + lines * 1e-9);
    assert_true(seconds_of_adding("D_ab=A_ai*B_ib+2*C_ba", "") > own);
    assert_true(seconds_of_adding("D_ab=A_ai*B_ib+2*C_ab", "C=8,3200") > own + 6 * lines * 1e-9);
}

/** Contracted loops outside the kernel revisit the result, so the addend is copied to the result
 * before all of them. */
static void an_addend_costs_more_if_the_result_is_read_again(void **state) {
    (void)state;
    static const char *const contraction[] = {"C_ab=A_aij*B_jib", "D_ab=A_aij*B_jib+C_ab"};
    double extra[2] = {0};
    for (int added = 0; added < 2; added++) {
        struct random_contraction given;
        random_contraction_given(&given, contraction[added], "a=b=600,i=j=8", TCPLAN_COLUMN_MAJOR,
                                 TCPLAN_DOUBLE);
        const struct tcplan_algorithm once = named(&given, "'B-dgemm"),
                                      again = named(&given, "i=-dgemm");
        struct arranger *arranger = arranger_new(&given.problem, &machine, 1, never);
        assert_non_null(arranger);
        extra[added] = arrangement_seconds(arranger, &again, NULL) -
                       arrangement_seconds(arranger, &once, NULL);
        arranger_free(arranger);
        random_contraction_free(&given);
    }
    assert_true(extra[1] > extra[0]);
}

/** Returns the arrangement of B's copy in the named algorithm. */
static struct arrangement_copy copy_of_b(const char *contraction, const char *sizes,
                                         const char *name) {
    struct random_contraction given;
    struct arrangement_parts parts;
    random_contraction_given(&given, contraction, sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    const struct tcplan_algorithm algorithm = named(&given, name);
    struct arranger *arranger = arranger_new(&given.problem, &machine, 1, never);
    assert_non_null(arranger);
    assert_true(isfinite(arrangement_seconds(arranger, &algorithm, &parts)));
    arranger_free(arranger);
    random_contraction_free(&given);
    return parts.copy[TCPLAN_B];
}

/** The copy of A only needs the dimensions whose order changes; the temporary keeps i before j. */
static void a_copy_has_the_dimensions_that_it_puts_in_another_order(void **state) {
    (void)state;
    static const struct arrangement_dimension expected[] = {{6, 7, 1}, {7, 1, 6}, {5, 42, 42}};
    const struct arrangement_copy three =
        copy_of_b("C_ab=A_aij*B_jib", "a=4,b=5,i=6,j=7", "'B-dgemm");
    assert_int_equal(three.rank, 3);
    assert_true(three.executions == 1 && three.elements == 210);
    for (int d = 0; d < 3; d++) {
        assert_true(three.dimension[d].extent == expected[d].extent &&
                    three.dimension[d].tensor == expected[d].tensor);
        assert_true(three.dimension[d].temporary == expected[d].temporary);
    }
    const struct arrangement_copy whole = copy_of_b("C_ab=A_ai*B_ib", "a=4,b=5,i=6", "'B-dgemm");
    assert_int_equal(whole.rank,
                     1); /* the copied elements are contiguous in the tensor and in the temporary */
    assert_true(whole.dimension[0].extent == 30);
    const struct arrangement_copy sum = copy_of_b("C_ab=A_ai*B_ibj", "a=4,b=5,i=6,j=7", "'B-dgemm");
    assert_int_equal(sum.rank, 0);
}

/** Whether the next copy reads the slice that follows in memory, or one that follows only after the
 * slices of an outer loop. */
static void copies_stream_where_slices_follow_each_other(void **state) {
    (void)state;
    const struct arrangement_copy behind =
        copy_of_b("C_abc=A_ai*B_ibc", "a=8,b=200,c=400,i=200", "c'B-dgemm");
    const struct arrangement_copy apart =
        copy_of_b("C_abcd=A_ai*B_ibdc", "a=8,b=200,c=d=20,i=200", "dc'B-dgemm");
    const struct arrangement_copy inside = copy_of_b("C_ab=A_ai*B_ib", "a=8,b=8,i=8", "'B-dgemm");
    assert_true(behind.streams && behind.from_memory);
    assert_true(!apart.streams && apart.from_memory);
    assert_false(inside.streams || inside.from_memory);
}

/** A second execution finds the data of the first in the cache, unless non-temporal stores wrote it
 * to memory. */
static void data_that_fits_a_cache_stays_there_unless_streamed(void **state) {
    (void)state;
    struct random_contraction given;
    random_contraction_given(&given, "C_abc=A_ai*B_ibc", "a=b=16,c=8,i=8", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE); /* 25 KiB */
    const struct tcplan_algorithm in_place = named(&given, "c-dgemm"),
                                  copied = named(&given, "c'C-dgemm"),
                                  streamed = named(&given, "c'Cs-dgemm");
    struct arranger *arranger = arranger_new(&given.problem, &machine, 1, never);
    assert_non_null(arranger);
    struct arrangement_parts parts;
    assert_true(arrangement_seconds(arranger, &in_place, NULL) == 0);
    const double copied_seconds = arrangement_seconds(arranger, &copied, &parts);
    assert_true(copied_seconds > 0 && parts.copy[TCPLAN_C].line_seconds == 0);
    assert_true(arrangement_seconds(arranger, &streamed, &parts) > copied_seconds &&
                parts.copy[TCPLAN_C].line_seconds > 0);
    arranger_free(arranger);
    random_contraction_free(&given);
    random_contraction_given(&given, "C_abc=A_ai*B_ibc", "a=b=160,c=80,i=8", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE); /* 16 MiB */
    arranger = arranger_new(&given.problem, &machine, 1, never);
    assert_non_null(arranger);
    const struct tcplan_algorithm larger = named(&given, "c-dgemm"),
                                  larger_streamed = named(&given, "c'Cs-dgemm"),
                                  by_kernel = named(&given, "c-dgemm@emitted's");
    assert_true(arrangement_seconds(arranger, &larger_streamed, NULL) <
                arrangement_seconds(arranger, &larger, NULL));
    assert_true(arrangement_seconds(arranger, &by_kernel, NULL) <
                arrangement_seconds(arranger, &larger_streamed, NULL));
    arranger_free(arranger);
    random_contraction_free(&given);
}

/** Returns the seconds to load the operands of an algorithm, with costs of which long runs of
 * consecutive lines have this share of the cost of short ones. */
static double load_seconds(const char *notation, const char *sizes, const char *name,
                           double sequential) {
    struct tcplan_machine own = machine;
    struct tcplan_costs costs = tcplan_costs_assumed(&machine);
    struct random_contraction given;
    struct arrangement_parts parts;
    costs.sequential = sequential;
    own.costs = &costs;
    random_contraction_given(&given, notation, sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    const struct tcplan_algorithm algorithm = named(&given, name);
    struct arranger *arranger = arranger_new(&given.problem, &own, 1, never);
    assert_non_null(arranger);
    assert_true(isfinite(arrangement_seconds(arranger, &algorithm, &parts)));
    arranger_free(arranger);
    random_contraction_free(&given);
    return parts.operand_seconds;
}

static void a_transposed_factor_is_not_read_in_long_runs(void **state) {
    static const char sizes[] = "i=j=2000", name[] = "dloops@emitted";
    (void)state;
    assert_true(is_close(load_seconds("C_ij=A_ij*B_ij", sizes, name, 1),
                         load_seconds("C_ij=A_ij*B_ji", sizes, name, 1)));
    const double in_order = load_seconds("C_ij=A_ij*B_ij", sizes, name, 0.5),
                 transposed = load_seconds("C_ij=A_ij*B_ji", sizes, name, 0.5);
    assert_true(in_order < 0.9 * transposed);
    assert_true(transposed < load_seconds("C_ij=A_ij*B_ji", sizes, name, 1));
}

/** Each call reads two lines of each operand. The loop over j continues with the next two. */
static void an_inner_loop_over_the_next_lines_makes_runs_long(void **state) {
    static const char notation[] = "C_ijk=A_ijk*B_ijk", sizes[] = "i=16,j=300,k=300";
    (void)state;
    const double same = load_seconds(notation, sizes, "jk-dmul", 1);
    assert_true(is_close(load_seconds(notation, sizes, "jk-dmul", 0.5), same));
    const double continued = load_seconds(notation, sizes, "kj-dmul", 1);
    assert_true(load_seconds(notation, sizes, "kj-dmul", 0.5) < 0.8 * continued);
}

static void the_last_tile_counts_by_its_share(void **state) {
    (void)state;
    struct random_contraction given;
    struct arrangement_parts whole, tiled, even;
    random_contraction_given(&given, "C_abc=A_ai*B_ibc", "a=30,b=20,c=40,i=9", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    const struct tcplan_algorithm algorithm[] = {named(&given, "c'Cs-dgemm"),
                                                 named(&given, "c.a:16'Cs-dgemm"),
                                                 named(&given, "c.a:15'Cs-dgemm")};
    struct arranger *arranger = arranger_new(&given.problem, &machine, 1, never);
    assert_non_null(arranger);
    assert_true(isfinite(arrangement_seconds(arranger, &algorithm[0], &whole)));
    assert_true(isfinite(arrangement_seconds(arranger, &algorithm[1], &tiled)));
    assert_true(isfinite(arrangement_seconds(arranger, &algorithm[2], &even)));
    const double elements = (double)given.problem.elems[TCPLAN_C];
    assert_true(
        is_close(whole.copy[TCPLAN_C].executions * whole.copy[TCPLAN_C].elements, elements));
    assert_true(
        is_close(tiled.copy[TCPLAN_C].executions * tiled.copy[TCPLAN_C].elements, elements));
    assert_true(is_close(even.copy[TCPLAN_C].executions * even.copy[TCPLAN_C].elements, elements));
    arranger_free(arranger);
    random_contraction_free(&given);
}

static void the_loop_over_neighbouring_elements_goes_inside(void **state) {
    (void)state;
    /* Kernels on vectors or small matrices, which are adjacent along x: consecutive x share cache
     * lines and pages. */
    static const struct {
        const char *contraction;
        const char *sizes;
        enum tcplan_order order;
        const char *structure;
        const char *best;
    } expected[] = {
        {"C_xya=A_xya*B_xy", "x=y=500,a=64", TCPLAN_COLUMN_MAJOR, "xy-daxpy", "yx-daxpy"},
        {"C_ayx=A_ayx*B_yx", "x=y=500,a=64", TCPLAN_ROW_MAJOR, "xy-daxpy", "yx-daxpy"},
        {"C_abxy=A_aixy*B_ibxy", "x=y=1000,a=b=i=4", TCPLAN_COLUMN_MAJOR, "xy-dgemm", "yx-dgemm"},
        {"C_yxab=A_yxai*B_yxib", "x=y=1000,a=b=i=4", TCPLAN_ROW_MAJOR, "xy-dgemm", "yx-dgemm"}};
    for (size_t e = 0; e < sizeof expected / sizeof *expected; e++) {
        struct random_contraction given;
        random_contraction_given(&given, expected[e].contraction, expected[e].sizes,
                                 expected[e].order, TCPLAN_DOUBLE);
        const struct tcplan_algorithm structure = named(&given, expected[e].structure),
                                      best = named(&given, expected[e].best);
        const struct found found =
            find(arrangements_by_rules, &given.problem, &machine, &structure, MOST);
        assert_int_equal(found.count, 2);
        assert_true(tcplan_algorithm_equal(&found.arrangement[0].algorithm, &best));
        random_contraction_free(&given);
    }
}

static void operands_constant_in_the_inner_loop_stay_in_cache(void **state) {
    (void)state;
    /* A column of A or C is as large as the cache. With the loop over i inside, the column of C
     * stays in the cache and A is read; with b inside, the column of A stays and C is reloaded. */
    struct random_contraction given;
    random_contraction_given(&given, "C_ab=A_ai*B_ib", "a=3000,b=i=300", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    const struct tcplan_algorithm structure = named(&given, "ib-daxpy"),
                                  best = named(&given, "bi-daxpy");
    const struct found found =
        find(arrangements_by_rules, &given.problem, &machine, &structure, MOST);
    assert_int_equal(found.count, 2);
    assert_true(tcplan_algorithm_equal(&found.arrangement[0].algorithm,
                                       &best)); /* i inside: B is read along its columns */
    random_contraction_free(&given);
}

static void a_copy_stays_outside_of_loops_that_it_does_not_depend_on(void **state) {
    (void)state;
    /* B[j,b,:,:] has no unit stride, so it is copied; it does not depend on d. With the loop over
     * d inside all others, the copy is made once for each j and b. */
    struct random_contraction given;
    random_contraction_given(&given, "C_adbc=A_ijad*B_jbic", "a=4,b=j=5,c=i=30,d=50",
                             TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    const struct tcplan_algorithm structure = named(&given, "djb-dgemm");
    const struct found found =
        find(arrangements_by_rules, &given.problem, &machine, &structure, MOST);
    assert_int_equal(found.count, 6);
    for (int f = 0; f < found.count; f++) {
        const char *inner = given.contraction->index[found.arrangement[f].algorithm.loop[2]].name;
        assert_int_equal(strcmp(inner, "d") == 0, f < 2);
    }
    random_contraction_free(&given);
}

/* Limits. */

static void after_the_deadline_only_the_best_prefix_is_extended(void **state) {
    (void)state;
    struct random_contraction given;
    struct arrangement out[MOST];
    random_contraction_given(&given, "C_abc=A_ai*B_ibc", "a=b=c=9,i=3", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    const struct tcplan_algorithm dot = named(&given, "abc-ddot");
    struct arranger *arranger =
        arranger_new(&given.problem, &machine, MOST, (struct deadline){.ns = 1});
    assert_non_null(arranger);
    assert_int_equal(arrangements_by_rules(arranger, out, &dot),
                     1); /* past the deadline, only one order of loops is completed */
    arranger_free(arranger);
    random_contraction_free(&given);
}

static void without_memory_nothing_is_found(void **state) {
    (void)state;
    struct random_contraction given;
    struct arrangement out[MOST];
    random_contraction_given(&given, "C_abc=A_ai*B_ibc", "a=b=c=9,i=3", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    const struct tcplan_algorithm dot = named(&given, "abc-ddot");
    int found = 0;
    long successes = 0;
    for (; found == 0; successes++) {
        base_alloc_fail_after(successes);
        struct arranger *arranger = arranger_new(&given.problem, &machine, MOST, never);
        found = arranger ? arrangements_by_rules(arranger, out, &dot) : 0;
        if (arranger && found == 0) assert_true(isinf(arrangement_seconds(arranger, &dot, NULL)));
        base_alloc_fail_after(-1);
        arranger_free(arranger);
    }
    assert_int_equal(found, 6);
    assert_true(successes > 3);
    random_contraction_free(&given);
}

/* Checks that no arrangement of a structure is faster than the structure's lower bound. */

struct bounds {
    const struct random_contraction *random;
    struct arranger *arranger;
    const struct tcplan_machine *on;
    int structures;
    int copying;
};

/** No arrangement of a structure is faster than the structure's lower bound. */
static bool check_bound(void *context, const struct tcplan_algorithm *structure) {
    struct bounds *bounds = context;
    struct arrangement found[BEAM_WIDTH];
    const struct arrangement_bound given =
        arrangement_bound_of(&bounds->random->problem, bounds->on);
    const double all = arrangement_bound_seconds(&given, structure, false);
    const int count = arrangements_best(bounds->arranger, found, structure);
    bool copies = false;
    assert_true(arrangement_bound_seconds(&given, structure, true) <= all);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) copies = copies || structure->copy[t].depth >= 0;
    assert_true(!copies || all > 0);
    for (int f = 0; f < count; f++) {
        if (all > found[f].seconds * (1 + 1e-9)) {
            const struct tcplan_problem *problem = &bounds->random->problem;
            fail_msg(
                "%s, %s: %g s, said at least %g", random_contraction_describe(bounds->random),
                tcplan_algorithm_name(&found[f].algorithm, problem->contraction, problem->dtype),
                found[f].seconds, all);
        }
    }
    bounds->structures++;
    bounds->copying += copies;
    return bounds->structures < MOST;
}

static void no_arrangement_is_below_the_lower_bound_of_its_structure(void **state) {
    (void)state;
    const struct random_contraction_options options = {
        .min_rank = 1, .max_rank = 4, .max_indices = 5, .max_extent = 40, .batch = true};
    int copying = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct random_contraction random;
        random_contraction_init(&random, seed, &options);
        struct bounds bounds = {.random = &random, .on = seed % 4 ? &machine : &without_caches};
        bounds.arranger = arranger_new(&random.problem, bounds.on, BEAM_WIDTH, never);
        assert_non_null(bounds.arranger);
        const struct structures_options structures = {.problem = &random.problem,
                                                      .line_elems = 8,
                                                      .near_elems = {4096, 131072},
                                                      .provider = {true, true, true},
                                                      .threads = 1};
        structures_visit(&structures, check_bound, &bounds);
        arranger_free(bounds.arranger);
        random_contraction_free(&random);
        copying += bounds.copying;
    }
    assert_true(copying > MOST);
}

/** A sum over index 1, in rows of 6 doubles that are far apart. A row of 48 bytes is more than half
 * of a 64-byte line, and less than half of a 128-byte line. */
static void rows_are_short_by_the_lines_of_the_machine(void **state) {
    (void)state;
    const struct tcplan_copy_costs costs = {.scattered = 7e-9, .summed = 3e-9};
    struct model model = {.copy = &costs, .element_bytes = 8};
    struct stream tensor = {.indices = 3}, temporary = {.indices = 1, .temporary = true};
    stream_add(&tensor, (struct stream_dimension){0, 6, 8});
    stream_add(&tensor, (struct stream_dimension){1, 10, 4096});
    stream_add(&temporary, (struct stream_dimension){0, 6, 8});
    model.line_bytes = 64;
    assert_true(model_copied_element_seconds(&model, &tensor, &temporary, 3) == 3e-9);
    model.line_bytes = 128;
    assert_true(model_copied_element_seconds(&model, &tensor, &temporary, 3) == 7e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_short_by_the_lines_of_the_machine),
        cmocka_unit_test(no_arrangement_is_below_the_lower_bound_of_its_structure),
        cmocka_unit_test(few_orders_are_all_found_and_the_first_is_the_best_there_is),
        cmocka_unit_test(an_algorithm_without_loops_is_its_only_order),
        cmocka_unit_test(twelve_loops_have_the_requested_number_of_orders),
        cmocka_unit_test(copies_are_placed_where_they_cost_least),
        cmocka_unit_test(scaling_the_result_costs_something),
        cmocka_unit_test(an_addend_costs_its_copy),
        cmocka_unit_test(an_addend_costs_more_if_the_result_is_read_again),
        cmocka_unit_test(a_copy_has_the_dimensions_that_it_puts_in_another_order),
        cmocka_unit_test(copies_stream_where_slices_follow_each_other),
        cmocka_unit_test(data_that_fits_a_cache_stays_there_unless_streamed),
        cmocka_unit_test(a_transposed_factor_is_not_read_in_long_runs),
        cmocka_unit_test(an_inner_loop_over_the_next_lines_makes_runs_long),
        cmocka_unit_test(the_last_tile_counts_by_its_share),
        cmocka_unit_test(the_loop_over_neighbouring_elements_goes_inside),
        cmocka_unit_test(operands_constant_in_the_inner_loop_stay_in_cache),
        cmocka_unit_test(a_copy_stays_outside_of_loops_that_it_does_not_depend_on),
        cmocka_unit_test(after_the_deadline_only_the_best_prefix_is_extended),
        cmocka_unit_test(without_memory_nothing_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
