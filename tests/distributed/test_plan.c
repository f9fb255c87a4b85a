/*
 * Tests process grids, distributions and algorithms as text, the elements of tensors that each rank
 * has, and the bytes of collective calls.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/indexset.h"
#include "distributed/algorithm.h"
#include "distributed/traffic.h"
#include "support/random_contraction.h"

/** A contraction with its extents. */
struct subject {
    struct tcplan_contraction *contraction;
    struct tcplan_problem problem;
};

static struct subject subject_of(const char *text, const int64_t extent[]) {
    struct subject subject;
    struct tcplan_error error = {0};
    if (tcplan_contraction_parse(&subject.contraction, text, TCPLAN_COLUMN_MAJOR, &error) !=
            TCPLAN_OK ||
        tcplan_problem_init(&subject.problem, subject.contraction, extent, TCPLAN_DOUBLE, &error) !=
            TCPLAN_OK)
        fail_msg("%s: %s", text, error.message);
    return subject;
}

static struct algorithm algorithm_of(const struct subject *subject, const char *name) {
    struct algorithm algorithm;
    struct tcplan_error error = {0};
    if (algorithm_parse(&algorithm, subject->contraction, name, &error) != TCPLAN_OK)
        fail_msg("%s: %s", name, error.message);
    return algorithm;
}

static struct dist_plan plan_of(const struct subject *subject, const char *name,
                                const char *grid_text, const char *distribution_text) {
    struct dist_plan plan;
    struct tcplan_error error = {0};
    struct dist_grid grid = {.axes = 0};
    struct distribution distribution = {.given = {false}};
    const struct algorithm algorithm = algorithm_of(subject, name);
    if (grid_text) assert_int_equal(grid_parse(&grid, grid_text, &error), TCPLAN_OK);
    if (distribution_text && distribution_parse(&distribution, subject->contraction, &grid,
                                                distribution_text, &error) != TCPLAN_OK)
        fail_msg("%s: %s", distribution_text, error.message);
    if (algorithm_plan(&plan, &subject->problem, &algorithm, &distribution, &error) != TCPLAN_OK)
        fail_msg("%s: %s", name, error.message);
    return plan;
}

static const int64_t sizes[] = {40, 30, 20};

static void check_message(const char *text, enum tcplan_status status,
                          const struct tcplan_error *error, size_t column, const char *message) {
    if (status != TCPLAN_INVALID || error->column != column || strcmp(error->message, message) != 0)
        fail_msg("%s: column %zu, %s", text, error->column, error->message);
}

static void wrong_texts_are_marked(void **state) {
    (void)state;
    struct subject subject = subject_of("C_ab=A_ai*B_ib", sizes);
    struct {
        const char *grid, *distribution, *algorithm;
        size_t column;
        const char *message;
    } cases[] = {
        {"4y2", NULL, NULL, 2, "expected x or the end of the grid, found 'y2'"},
        {"4x0", NULL, NULL, 3, "an axis of a grid has at least 1 process"},
        {"2x2x2x2x2", NULL, NULL, 9, "a grid has at most 4 axes"},
        {"4096x4097", NULL, NULL, 1, "the grid has more than 16777216 processes"},
        {NULL, "A=a:0 D=a:0", NULL, 7, "the contraction has no tensor 'D'"},
        {NULL, "A=a:0 A=i:1", NULL, 7, "tensor 'A' is distributed twice"},
        {NULL, "A=b:0", NULL, 3, "tensor A has no index 'b'"},
        {NULL, "A=a:2", NULL, 5, "the grid has no axis 2: it has 2"},
        {NULL, "A=a:0,i:0", NULL, 9, "axis 0 already splits another index of A"},
        {NULL, "A=a:0/0", NULL, 7, "a block has at least 1 element"},
        {NULL, "A=a:0/x", NULL, 7, "expected the length of block-cyclic blocks, found 'x'"},
        {NULL, "A=a:0,a:1/2", NULL, 7, "index 'a' is split twice, so no split is block-cyclic"},
        {NULL, NULL, "2x2:a", 6, "expected ',' and an index for each axis, found the end"},
        {NULL, NULL, "2x2:a,a", 7, "index 'a' is split twice"},
        {NULL, NULL, "2:q", 3, "the contraction has no index 'q'"},
        {NULL, NULL, "2:a/b:4", 5, "panels need a contracted index; 'b' is not contracted"},
        {NULL, NULL, "2:a/i:0", 7, "a panel has 1 to 2147483647 elements"},
        {NULL, NULL, "pdgemm", 7, "expected ':' and a grid such as 2x2, found the end"},
        {NULL, NULL, "pdgemm:4", 8, "pdgemm has a grid of two axes, such as 1x4"},
        {NULL, NULL, "pdgemm:2x2/0", 12, "a block has 1 to 2147483647 elements"},
        {NULL, NULL, "pdgemm:2x2/8/8", 13, "expected '/' or the end of the name, found '/'"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct dist_grid grid = {.axes = 2, .size = {2, 2}};
        struct distribution distribution;
        struct algorithm algorithm;
        struct tcplan_error error = {0};
        const char *text;
        enum tcplan_status status;
        if ((text = cases[c].grid)) {
            status = grid_parse(&grid, text, &error);
        } else if ((text = cases[c].distribution)) {
            status = distribution_parse(&distribution, subject.contraction, &grid, text, &error);
        } else {
            text = cases[c].algorithm;
            status = algorithm_parse(&algorithm, subject.contraction, text, &error);
        }
        check_message(text, status, &error, cases[c].column, cases[c].message);
    }
    tcplan_contraction_free(subject.contraction);
}

static void blocks_cover_an_extent_and_the_first_is_the_longest(void **state) {
    (void)state;
    for (int64_t extent = 0; extent < 20; extent++) {
        for (int parts = 1; parts < 25; parts++) {
            int64_t end = 0, first, longest;
            for (int part = 0; part < parts; part++) {
                const int64_t length = dist_block(extent, parts, part, &first);
                if (part == 0) longest = length;
                assert_int_equal(first, end);
                assert_true(length <= longest && length + 1 >= longest);
                end += length;
            }
            assert_int_equal(end, extent);
        }
    }
}

static void cyclic_blocks_are_dealt_in_turn(void **state) {
    (void)state;
    struct subject subject = subject_of("C_ab=A_ai*B_ib", sizes);
    for (int64_t block = 1; block < 45; block++) {
        char text[32];
        snprintf(text, sizeof text, "A=a:0/%d", (int)block);
        const struct dist_plan plan = plan_of(&subject, "3:a", "3", text);
        int64_t held[3] = {0};
        for (int64_t a = 0; a < sizes[0]; a++) { /* as INDXG2P and INDXG2L of ScaLAPACK */
            const int owner = (int)(a / block % 3);
            const struct dist_box box = dist_box_of(&plan, &plan.home[DIST_A], owner);
            assert_int_equal(dist_global(&box, 0, held[owner]++), a);
        }
        for (int rank = 0; rank < 3; rank++)
            assert_int_equal(dist_held(&plan, DIST_A, &plan.home[DIST_A], rank),
                             held[rank] * sizes[2]);
        assert_int_equal(plan.gathering[DIST_A], DIST_EXCHANGED);
    }
    tcplan_contraction_free(subject.contraction);
}

static void free_operands_are_gathered_and_results_scattered(void **state) {
    (void)state;
    struct subject subject = subject_of("C_ab=A_ai*B_ib", sizes);
    struct dist_plan plan = plan_of(&subject, "2x3:a,i", NULL, NULL);
    assert_int_equal(plan.gathering[DIST_A],
                     DIST_STAYS); /* A has both distributed indices, so no call gathers it */
    assert_int_equal(plan.gathering[DIST_B], DIST_GATHERED);
    assert_int_equal(plan.reduction, DIST_SCATTERED);
    struct traffic_call call[TRAFFIC_MOST_CALLS];
    assert_int_equal(traffic_of(call, &plan, 0), 3); /* the last: status */
    assert_int_equal(call[0].ranks,
                     2); /* gathers B: 20 / 3 rows of 30 columns, of which this rank has half */
    assert_int_equal(call[0].sent, 8 * 7 * 15);
    assert_int_equal(call[0].received, 8 * 7 * 30);
    assert_int_equal(call[1].ranks,
                     3); /* reduces C: 20 x 30 elements, of which this rank keeps 10 columns */
    assert_int_equal(call[1].sent, 8 * 20 * 30);
    assert_int_equal(call[1].received, 8 * 20 * 10);
    tcplan_contraction_free(subject.contraction);
}

static void given_layouts_decide_how_tensors_move(void **state) {
    (void)state;
    struct subject subject = subject_of("C_ab=A_ai*B_ib", sizes);
    struct {
        const char *distribution;
        int gathering_A, gathering_C, reduction;
    } cases[] = {
        {"A=a:0,i:1", DIST_STAYS, DIST_STAYS, DIST_SCATTERED},
        {"A=a:1,i:0", DIST_EXCHANGED, DIST_STAYS, DIST_SCATTERED},
        {"A=", DIST_EXCHANGED, DIST_STAYS, DIST_SCATTERED},
        {"C=a:0", DIST_STAYS, DIST_STAYS, DIST_SUMMED},
        {"C=a:0,a:1", DIST_STAYS, DIST_STAYS, DIST_SCATTERED},
        {"C=a:1,a:0", DIST_STAYS, DIST_EXCHANGED, DIST_SCATTERED},
        {"C=", DIST_STAYS, DIST_EXCHANGED, DIST_SCATTERED},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct dist_plan plan = plan_of(&subject, "2x2:a,i", "2x2", cases[c].distribution);
        if ((int)plan.gathering[DIST_A] != cases[c].gathering_A ||
            (int)plan.gathering[DIST_C] != cases[c].gathering_C ||
            (int)plan.reduction != cases[c].reduction)
            fail_msg("%s: %d %d %d", cases[c].distribution, plan.gathering[DIST_A],
                     plan.gathering[DIST_C], plan.reduction);
    }
    tcplan_contraction_free(subject.contraction);
}

static void panels_are_refused_where_an_operand_lies_otherwise(void **state) {
    (void)state;
    struct subject subject = subject_of("C_ab=A_ai*B_ib", sizes);
    struct dist_grid grid = {.axes = 2, .size = {2, 2}};
    struct distribution distribution;
    struct dist_plan plan;
    struct tcplan_error error = {0};
    const struct algorithm algorithm = algorithm_of(&subject, "2x2:a,b/i:4");
    assert_int_equal(
        distribution_parse(&distribution, subject.contraction, &grid, "A=a:0,a:1", &error),
        TCPLAN_OK);
    assert_int_equal(algorithm_plan(&plan, &subject.problem, &algorithm, &distribution, &error),
                     TCPLAN_NOT_APPLICABLE);
    assert_string_equal(error.message,
                        "panels of i cannot be broadcast with the distribution of A");
    tcplan_contraction_free(subject.contraction);
}

/* Totals over all ranks for random contractions: all sent data must be received. */

struct sums {
    const struct tcplan_problem *problem;
    int processes, algorithms;
};

static bool check_sums(void *context, const struct algorithm *algorithm) {
    struct sums *sums = context;
    struct distribution distribution = {.given = {false}};
    struct dist_plan plan;
    struct tcplan_error error = {0};
    int64_t sent[TRAFFIC_MOST_CALLS] = {0}, received[TRAFFIC_MOST_CALLS] = {0};
    struct traffic_call call[TRAFFIC_MOST_CALLS], first[TRAFFIC_MOST_CALLS];
    assert_int_equal(algorithm_plan(&plan, sums->problem, algorithm, &distribution, &error),
                     TCPLAN_OK);
    const int count = traffic_of(first, &plan, 0);
    for (int rank = 0; rank < sums->processes; rank++) {
        assert_int_equal(traffic_of(call, &plan, rank), count);
        for (int c = 0; c < count; c++) {
            sent[c] += call[c].sent;
            received[c] += call[c].received;
            assert_true(call[c].received <= first[c].received); /* no rank has more elements than
                                                                   rank 0 */
        }
    }
    for (int c = 0; c < count; c++) {
        const int64_t ranks = first[c].ranks;
        int64_t expected = ranks * sent[c]; /* gather: every rank receives every rank's piece */
        if (first[c].collective == TCPLAN_BCAST) expected = (ranks - 1) * sent[c];
        if (first[c].collective == TCPLAN_ALLREDUCE) expected = sent[c];
        if (first[c].collective == TCPLAN_REDUCE_SCATTER) {
            expected = received[c] * ranks;
            received[c] = sent[c];
        }
        assert_int_equal(received[c], expected);
    }
    sums->algorithms++;
    return true;
}

static void sent_data_arrives(void **state) {
    (void)state;
    struct random_contraction_options options = random_contraction_defaults();
    options.strides = options.overlaps = options.addends = options.wide_results = false;
    int algorithms = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct random_contraction random;
        random_contraction_init(&random, seed, &options);
        struct sums sums = {.problem = &random.problem, .processes = 1 + (int)(seed * 7 % 16)};
        assert_true(algorithm_enumerate(&random.problem, sums.processes, NULL, seed % 2 == 0,
                                        check_sums, &sums));
        algorithms += sums.algorithms;
        random_contraction_free(&random);
    }
    assert_true(algorithms > 500);
}

/* Panels. */

/** Returns the end of the piece that contains an element, and sets the rank that owns it, by
 * searching the pieces of all ranks. */
static int64_t searched_piece_end(const struct dist_plan *plan, int tensor, int rank,
                                  int64_t element, int *root) {
    const int x = plan->panel_index;
    const struct dist_grid *grid = &plan->work[tensor].grid;
    int64_t end = INT64_MAX;
    for (int m = 0; m < dist_group_size(grid, plan->group[tensor]); m++) {
        const int member = dist_member(grid, plan->group[tensor], rank, m);
        const struct dist_box piece = dist_box_of(plan, &plan->home[tensor], member);
        const int64_t bound = piece.first[x] + piece.length[x];
        if (bound > element && bound < end) end = bound;
        if (element >= piece.first[x] && element < bound) *root = m;
    }
    return end;
}

static int check_panels(const struct dist_plan *plan, int processes) {
    const int x = plan->panel_index;
    int broadcasts = 0;
    for (int rank = 0; rank < processes; rank++) {
        const struct dist_box box = dist_local_box(plan, rank);
        for (int64_t e = box.first[x]; e < box.first[x] + box.length[x]; e++) {
            int64_t end = INT64_MAX;
            for (int t = DIST_A; t <= DIST_B; t++) {
                int root = -1;
                const int64_t bound = searched_piece_end(plan, t, rank, e, &root);
                if (bound < end) end = bound;
                assert_int_equal(dist_panel_root(plan, t, rank, e), root);
                broadcasts += plan->gathering[t] == DIST_BROADCAST;
            }
            const int64_t panels = (end - e + plan->panel - 1) / plan->panel;
            assert_int_equal(dist_panel_end(plan, rank, e), e + (end - e + panels - 1) / panels);
        }
    }
    return broadcasts;
}

static void panels_are_those_that_a_search_of_all_members_finds(void **state) {
    (void)state;
    struct subject subject = subject_of("C_abc=A_aij*B_ijbc", (const int64_t[]){7, 5, 3, 23, 4});
    struct {
        const char *algorithm, *grid, *distribution;
    } cases[] = {
        {"2x3:a,b/i:4", NULL, NULL},
        {"3x5x2:a,b,i/i:3", NULL, NULL}, /* pieces of blocks */
        {"4x8x2:a,b,c/i:9", NULL, NULL}, /* 9 ranks, but the index has fewer elements */
        {"2x2x3:i,b,a/i:2", NULL, NULL},
        {"3x2x2:a,j,b/i:5", NULL, NULL},
        {"5x4:a,b/i:6", "5x4", "B=b:1"},               /* copies */
        {"2x3x2:a,b,c/i:7", "2x3x2", "A=a:0,i:2,i:1"}, /* later axes first */
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct dist_plan plan =
            plan_of(&subject, cases[c].algorithm, cases[c].grid, cases[c].distribution);
        assert_true(check_panels(&plan, dist_grid_processes(&plan.work[DIST_A].grid)) > 0);
    }
    tcplan_contraction_free(subject.contraction);
}

/* Enumeration and bounds. */

static bool count_one(void *context, const struct algorithm *algorithm) {
    int *count = context;
    (void)algorithm;
    return ++*count < 1000;
}

static void every_product_of_factors_is_an_algorithm(void **state) {
    (void)state;
    struct subject subject = subject_of("C_ab=A_ai*B_ib", sizes);
    int count = 0;
    /* Grids of 8 ranks on three indices: 8, 2 * 4, 4 * 2 and 2 * 2 * 2 give 3 + 3 * 2 + 1; if the
     * order of indices matters, 3 + 12 + 6. */
    assert_true(algorithm_enumerate(&subject.problem, 8, NULL, false, count_one, &count));
    assert_int_equal(count, 10);
    count = 0;
    assert_true(algorithm_enumerate(&subject.problem, 8, NULL, true, count_one, &count));
    assert_int_equal(count, 21);
    count = 0;
    const struct dist_grid grid = {.axes = 2, .size = {4, 2}};
    assert_true(algorithm_enumerate(&subject.problem, 8, &grid, false, count_one, &count));
    assert_int_equal(count, 6);
    count = 998; /* count_one() ends the enumeration after two more */
    assert_false(algorithm_enumerate(&subject.problem, 8, NULL, false, count_one, &count));
    count = 0; /* a prime number of processes above all extents: grids may exceed extents */
    assert_true(algorithm_enumerate(&subject.problem, 101, NULL, false, count_one, &count));
    assert_int_equal(count, 3);
    tcplan_contraction_free(subject.contraction);
}

static void bounds_are_those_of_the_papers(void **state) {
    (void)state;
    const int64_t square[] = {1024, 1024, 1024}, tall[] = {1 << 20, 64, 64};
    struct subject subject = subject_of("C_ab=A_ai*B_ib", square);
    /* a three-dimensional grid is optimal: 3 (n^3 / P)^(2/3) - 3 n^2 / P words per process */
    struct traffic_bounds bounds = traffic_bounds_of(&subject.problem, 64, 0);
    assert_true(bounds.dependent == 0);
    assert_float_equal(bounds.independent, 8 * (3. * 65536 - 3. * 16384), 1);
    bounds = traffic_bounds_of(&subject.problem, 64, 8 * 65536.);
    assert_float_equal(bounds.dependent,
                       8 * (16777216 / (2 * 1.4142135623730951 * 256) - 65536) > 0
                           ? 8 * (16777216 / (2 * 1.4142135623730951 * 256) - 65536)
                           : 0,
                       1);
    tcplan_contraction_free(subject.contraction);
    subject = subject_of("C_ab=A_ai*B_ib", tall); /* a one-dimensional grid is optimal: only the
                                                     small matrix is sent */
    bounds = traffic_bounds_of(&subject.problem, 4, 0);
    assert_float_equal(bounds.independent, 8 * (64. * 64 - 64. * 64 / 4), 1);
    struct dist_plan plan = plan_of(&subject, "4:a", NULL, NULL);
    struct traffic_call call[TRAFFIC_MOST_CALLS];
    assert_int_equal(traffic_of(call, &plan, 0), 2);
    assert_float_equal((double)call[0].moved, bounds.independent,
                       1); /* the algorithm attains the lower bound */
    tcplan_contraction_free(subject.contraction);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_texts_are_marked),
        cmocka_unit_test(blocks_cover_an_extent_and_the_first_is_the_longest),
        cmocka_unit_test(cyclic_blocks_are_dealt_in_turn),
        cmocka_unit_test(free_operands_are_gathered_and_results_scattered),
        cmocka_unit_test(given_layouts_decide_how_tensors_move),
        cmocka_unit_test(panels_are_refused_where_an_operand_lies_otherwise),
        cmocka_unit_test(sent_data_arrives),
        cmocka_unit_test(panels_are_those_that_a_search_of_all_members_finds),
        cmocka_unit_test(every_product_of_factors_is_an_algorithm),
        cmocka_unit_test(bounds_are_those_of_the_papers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
