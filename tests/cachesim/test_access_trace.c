#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ast/nest/refine.h"
#include "cachesim/access_trace.h"
#include "support/addresses.h"
#include "support/named_nest.h"
#include "support/random_contraction.h"
#include "support/rng.h"

enum { CAPACITY = 1 << 20 };

/** The accesses of one execution, in order. Each number encodes the space, the element, and whether
 * it is written. */
struct record {
    const struct refined_problem *problem;
    struct access_layout layout;
    int64_t count;
    uint64_t access[CAPACITY];
};

static uint64_t code_of(int space, int64_t element, bool write) {
    return (uint64_t)space << 40 | (uint64_t)element << 1 | write;
}

static void record_run(void *context, const struct access_run *run) {
    struct record *record = context;
    const int space = address_space(run->slice);
    assert_true(run->count >= 1 && run->stride_bytes >= 0);
    for (int64_t i = 0; i < run->count; i++) {
        const uint64_t offset =
            run->address + (uint64_t)(i * run->stride_bytes) - record->layout.address[space];
        assert_true(offset % record->problem->written.element_bytes == 0 &&
                    record->count < CAPACITY);
        record->access[record->count++] =
            code_of(space, (int64_t)(offset / record->problem->written.element_bytes), run->write);
    }
}

/** The expected accesses, from the definitions of loops and slices. */
struct expectation {
    const struct refined_problem *problem;
    int64_t count;
    uint64_t access[CAPACITY];
    int last_space; /* space that the node writes, which is visited last */
};

static void expect_element(void *context, int space, int64_t element) {
    struct expectation *expected = context;
    assert_true(expected->count < CAPACITY);
    expected->access[expected->count++] = code_of(space, element, space == expected->last_space);
}

static int by_number(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/** Sorts the accesses from `begin` on; repeated accesses to an element, which have stride 0, count
 * once. */
static void sort_from(struct expectation *expected, int64_t begin, int64_t *end) {
    int64_t kept = begin;
    qsort(expected->access + begin, (size_t)(*end - begin), sizeof *expected->access, by_number);
    for (int64_t i = begin; i < *end; i++) {
        if (i == begin || expected->access[i] != expected->access[i - 1])
            expected->access[kept++] = expected->access[i];
    }
    memmove(expected->access + kept, expected->access + *end,
            (size_t)(expected->count - *end) * sizeof *expected->access);
    expected->count -= *end - kept;
    *end = kept;
}

static bool expect_step(void *context, const struct address_step *step) {
    struct expectation *expected = context;
    struct tcplan_slice touch[TCPLAN_OPERANDS];
    expected->last_space = address_space(touch[node_touches(step->leaf, touch) - 1]);
    /* The accesses to each slice of a node are consecutive, in the order of addresses. */
    int64_t begin = expected->count;
    address_leaf(expected->problem, step->leaf, step->at, expect_element, expected);
    for (int64_t end = begin; end <= expected->count; end++) {
        if (end < expected->count && expected->access[end] >> 40 == expected->access[begin] >> 40)
            continue;
        sort_from(expected, begin, &end);
        begin = end;
    }
    return true;
}

static void check_nest(const struct tcplan_nest *nest, const struct refined_problem *problem) {
    static struct record record;
    static struct expectation expected;
    const struct access_visitor visitor = {.context = &record, .run = record_run};
    record.problem = expected.problem = problem;
    record.layout = access_layout_of(problem);
    record.count = expected.count = 0;
    access_trace(nest, problem, &record.layout, &visitor);
    address_walk(nest, problem, expect_step, &expected);
    assert_true(record.count == expected.count);
    assert_memory_equal(record.access, expected.access,
                        (size_t)record.count * sizeof *record.access);
}

static void check_contraction(uint64_t seed) {
    struct random_contraction_options options = random_contraction_defaults();
    options.zeros = false;
    options.overlaps = false;
    struct random_contraction random;
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm algorithm;
    uint64_t rng = seed;
    options.max_extent = 4;
    random_contraction_init(&random, seed, &options);
    tcplan_enumerator_init(&enumerator, random.contraction);
    while (tcplan_enumerator_next(&enumerator, &algorithm)) {
        struct tcplan_nest *nest = NULL;
        if (!rng_once_in(&rng, 8)) continue;
        assert_int_equal(tcplan_nest_build(&nest, random.contraction, &algorithm, NULL), TCPLAN_OK);
        const struct refined_problem refined = problem_refine(&random.problem, nest->refinement);
        check_nest(nest, &refined);
        tcplan_nest_free(nest);
    }
    random_contraction_free(&random);
}

static void accesses_are_those_of_loops_and_slices(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) check_contraction(seed);
}

static void tensors_do_not_share_lines(void **state) {
    (void)state;
    struct named_nest named;
    named_nest_init(&named, "C_abc+=A_iaj*B_jbic", TCPLAN_COLUMN_MAJOR, "a=10,b=11,c=12,i=8,j=9",
                    TCPLAN_DOUBLE, "ic-dgemm");
    const struct access_layout layout = access_layout_of(&named.refined);
    for (int slot = 0; slot < COLLECTION_SLOTS; slot++)
        assert_true(layout.address[slot] % 4096 == 0);
    assert_true(layout.address[TCPLAN_B] >= layout.address[TCPLAN_A] + 720 * sizeof(double));
    assert_true(layout.address[TCPLAN_C] >= layout.address[TCPLAN_B] + 9504 * sizeof(double));
    assert_true(layout.address[TCPLAN_TENSORS + TCPLAN_B] >=
                layout.address[TCPLAN_TENSORS + TCPLAN_A] + 90 * sizeof(double));
    named_nest_free(&named);
}

/** Numbers of visited kernel calls and scalings, and the sum of the loop iterations passed to the
 * visitor. */
struct told {
    int64_t calls;
    int64_t scalings;
    int64_t iterations;
};

static void count_node(void *context, const struct tcplan_node *node, const int64_t at[]) {
    struct told *told = context;
    told->calls += node->kind == TCPLAN_NODE_KERNEL;
    told->scalings += node->kind == TCPLAN_NODE_SCALE;
    for (int i = 0; i < 4; i++) told->iterations += at[i];
}

static void ignore_run(void *context, const struct access_run *run) {
    (void)context;
    assert_non_null(run->node);
}

static void nodes_are_visited_with_their_iterations(void **state) {
    (void)state;
    struct named_nest named;
    struct told told = {0};
    const struct access_visitor visitor = {.context = &told, .run = ignore_run, .node = count_node};
    named_nest_init(&named, "C_ab=A_ai*B_ib", TCPLAN_COLUMN_MAJOR, "a=3,b=2,i=5", TCPLAN_DOUBLE,
                    "bi-daxpy");
    const struct access_layout layout = access_layout_of(&named.refined);
    access_trace(named.nest, &named.refined, &layout, &visitor);
    /* for b: scale, for i: axpy; iterations: 2 (0 + .. + 4) + 5 (0 + 1) in the calls, 0 + 1 in the
     * scalings */
    assert_true(told.calls == 10 && told.scalings == 2);
    assert_true(told.iterations == 20 + 5 + 1);
    named_nest_free(&named);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_are_those_of_loops_and_slices),
        cmocka_unit_test(tensors_do_not_share_lines),
        cmocka_unit_test(nodes_are_visited_with_their_iterations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
