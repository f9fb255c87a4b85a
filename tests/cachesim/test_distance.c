#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/indexset.h"
#include "cachesim/distance.h"
#include "support/named_nest.h"

/* The running example of Peise (2017), section 6.2.1; the indices a, b, c, i have the numbers 0 to
 * 3. */
static const char example[] = "C_abc+=A_ai*B_ibc";
static const char example_sizes[] = "a=400,b=400,c=400,i=8";

enum { A = TCPLAN_A, B = TCPLAN_B, C = TCPLAN_C, NO_FIRST = TCPLAN_MAX_INDICES };

static struct named_nest example_nest(const char *algorithm) {
    struct named_nest named;
    named_nest_init(&named, example, TCPLAN_COLUMN_MAJOR, example_sizes, TCPLAN_DOUBLE, algorithm);
    return named;
}

static struct distance distance(const struct named_nest *named, int operand, int first) {
    const struct distance_call call = {
        .nest = named->nest, .problem = &named->refined, .first = first, .warm = true};
    return distance_of_access(&call, (enum tcplan_operand)operand);
}

static int64_t elems(const struct named_nest *named, const struct distance *distance) {
    int64_t sum;
    assert_true(collection_elems(&distance->collected, &named->refined, &sum));
    return sum;
}

/** Checks which indices of each operand the walk has collected, by their letters; `-`: the operand
 * is not collected. */
static void assert_collected(const struct named_nest *named, const struct distance *distance,
                             int slot, const char *letters) {
    uint64_t span = 0;
    assert_int_equal(distance->collected.has[slot], letters[0] != '-');
    if (letters[0] == '-') return;
    for (; *letters; letters++) {
        for (int i = 0; i < named->contraction->index_count; i++) {
            if (named->contraction->index[i].name[0] == *letters) span |= indexset_of(i);
        }
    }
    assert_true(distance->collected.span[slot] == span);
}

static void assert_collection(const struct named_nest *named, const struct distance *distance,
                              const char *a, const char *b, const char *c) {
    assert_collected(named, distance, A, a);
    assert_collected(named, distance, B, b);
    assert_collected(named, distance, C, c);
}

/* Examples 6.4 to 6.6 and table 6.2 of Peise (2017). */

static void an_operand_that_does_not_vary_has_distance_zero(void **state) {
    (void)state;
    struct named_nest named = example_nest("ca-dgemv");
    const struct distance found = distance(&named, B, NO_FIRST);
    assert_int_equal(found.end, DISTANCE_ITERATION);
    assert_int_equal(found.loop, 1);
    assert_collection(&named, &found, "-", "-", "-");
    assert_true(elems(&named, &found) == 0);
    named_nest_free(&named);
}

static void the_distance_of_a_varying_operand_ends_in_the_loop_around(void **state) {
    (void)state;
    struct named_nest named = example_nest("ca-dgemv");
    const struct distance found = distance(&named, A, NO_FIRST);
    assert_int_equal(found.end, DISTANCE_ITERATION);
    assert_int_equal(found.loop, 0);
    assert_collection(&named, &found, "ai", "ib", "ab");
    assert_true(elems(&named, &found) == 166400);
    named_nest_free(&named);
}

static void at_the_root_the_contraction_is_repeated(void **state) {
    (void)state;
    struct named_nest named = example_nest("ca-dgemv");
    const struct distance found = distance(&named, C, NO_FIRST);
    assert_int_equal(found.end, DISTANCE_EXECUTION);
    assert_collection(&named, &found, "ai", "ibc", "abc");
    assert_true(elems(&named, &found) == 65283200);
    named_nest_free(&named);
}

static void cold_caches_hold_nothing_at_the_root(void **state) {
    (void)state;
    struct named_nest named = example_nest("ca-dgemv");
    const struct distance_call call = {
        .nest = named.nest, .problem = &named.refined, .first = NO_FIRST};
    assert_int_equal(distance_of_access(&call, TCPLAN_C).end, DISTANCE_NEVER);
    assert_int_equal(distance_of_access(&call, TCPLAN_A).end, DISTANCE_ITERATION);
    named_nest_free(&named);
}

/* Example 6.11 of Peise (2017): in the first iteration over i, all data was last used at least one
 * iteration of c ago. */
static void a_first_iteration_starts_from_its_loop_joined(void **state) {
    (void)state;
    struct named_nest named = example_nest("ci-dger");
    struct distance found = distance(&named, A, 1);
    assert_int_equal(found.loop, 0);
    assert_collection(&named, &found, "ai", "ib", "ab");
    assert_true(elems(&named, &found) == 166400);
    found = distance(&named, C, 1);
    assert_int_equal(found.end, DISTANCE_EXECUTION);
    assert_collection(&named, &found, "ai", "ibc", "abc");
    found = distance(&named, C, NO_FIRST);
    assert_true(elems(&named, &found) == 0);
    named_nest_free(&named);
}

/* Peise's rule: the collection "already contains" the loop, even for an operand that does not
 * depend on the loop. */
static void a_first_iteration_counts_its_loop_for_every_operand(void **state) {
    (void)state;
    struct named_nest named;
    named_nest_init(&named, example, TCPLAN_COLUMN_MAJOR, example_sizes, TCPLAN_DOUBLE,
                    "ibc-daxpy");
    const struct distance found = distance(&named, A, 2);
    assert_int_equal(found.loop, 1);
    assert_collection(&named, &found, "a", "c", "ac");
    named_nest_free(&named);
}

static void a_nest_without_loops_is_a_kernel_repeated(void **state) {
    (void)state;
    struct named_nest named;
    named_nest_init(&named, "C_ab+=A_ai*B_ib", TCPLAN_COLUMN_MAJOR, "a=5,b=6,i=7", TCPLAN_DOUBLE,
                    "dgemm");
    const struct distance found = distance(&named, C, NO_FIRST);
    assert_int_equal(found.end, DISTANCE_EXECUTION);
    assert_true(elems(&named, &found) == 0);
    named_nest_free(&named);
}

static void a_loop_of_one_iteration_is_passed_by(void **state) {
    (void)state;
    struct named_nest named;
    named_nest_init(&named, "C_abcx+=A_ai*B_ibcx", TCPLAN_COLUMN_MAJOR, "a=400,b=400,c=400,i=8,x=1",
                    TCPLAN_DOUBLE, "cxa-dgemv");
    struct distance found = distance(&named, C, NO_FIRST);
    assert_int_equal(found.end, DISTANCE_EXECUTION);
    assert_true(elems(&named, &found) == 65283200);
    found = distance(&named, A, NO_FIRST);
    assert_int_equal(found.loop, 0);
    assert_true(elems(&named, &found) == 166400);
    named_nest_free(&named);
}

/* The nest of j'c-dgemm: for i { A~[:,:] := A[i,:,:]; for c: C[:,:,c] += A~[:,:] B[:,:,i,c] } */
static void make_copying_nest(struct named_nest *out) {
    named_nest_init(out, "C_abc+=A_iaj*B_jbic", TCPLAN_COLUMN_MAJOR, "a=10,b=11,c=12,i=8,j=9",
                    TCPLAN_DOUBLE, "ic-dgemm");
}

static void a_temporary_was_last_touched_by_the_copy_before_the_loop(void **state) {
    (void)state;
    struct named_nest named;
    make_copying_nest(&named);
    struct distance found = distance(&named, A, 1);
    assert_int_equal(found.end, DISTANCE_SIBLING);
    assert_non_null(found.node);
    assert_int_equal(found.node->kind, TCPLAN_NODE_COPY);
    assert_true(elems(&named, &found) == 0);
    found = distance(&named, A, NO_FIRST);
    assert_int_equal(found.end, DISTANCE_ITERATION);
    assert_int_equal(found.node->kind, TCPLAN_NODE_KERNEL);
    assert_true(elems(&named, &found) == 0);
    named_nest_free(&named);
}

static void a_copy_counts_as_touched_data(void **state) {
    (void)state;
    struct named_nest named;
    make_copying_nest(&named);
    const struct distance found = distance(&named, C, NO_FIRST);
    assert_int_equal(found.loop, 0);
    /* The copy touches A[i,:,:], the kernel calls touch B[:,:,i,:] and all of C. */
    assert_collection(&named, &found, "aj", "jbc", "abc");
    assert_collected(&named, &found, TCPLAN_TENSORS + A, "aj");
    assert_true(elems(&named, &found) == 90 + 9 * 11 * 12 + 10 * 11 * 12 + 90);
    named_nest_free(&named);
}

static void a_scaling_before_the_loop_touched_the_result(void **state) {
    (void)state;
    struct named_nest named;
    named_nest_init(&named, "C_ab=A_ai*B_ib", TCPLAN_COLUMN_MAJOR, "a=5,b=6,i=7", TCPLAN_DOUBLE,
                    "bi-daxpy");
    const struct distance found = distance(&named, C, 1);
    assert_int_equal(found.end, DISTANCE_SIBLING);
    assert_int_equal(found.node->kind, TCPLAN_NODE_SCALE);
    assert_true(elems(&named, &found) == 0);
    named_nest_free(&named);
}

/* Each iteration of k copies C to C~, updates C~, and copies it back. So two copies are between
 * consecutive kernel calls. */
static void the_copies_of_both_iterations_are_between_two_kernels(void **state) {
    (void)state;
    struct named_nest named;
    named_nest_init(&named, "C_xab+=A_ai*B_ibx", TCPLAN_COLUMN_MAJOR, "a=5,b=6,i=7,x=3",
                    TCPLAN_DOUBLE, "x-dgemm");
    const struct distance_call call = {
        .nest = named.nest, .problem = &named.refined, .first = NO_FIRST, .warm = true};
    struct distance found = distance(&named, A, NO_FIRST);
    assert_int_equal(found.end, DISTANCE_ITERATION);
    assert_collection(&named, &found, "-", "-", "ab");
    assert_collected(&named, &found, TCPLAN_TENSORS + C, "ab");
    found = distance_of_prefetch(&call);
    assert_true(elems(&named, &found) == 60);
    found = distance(&named, C, NO_FIRST);
    assert_int_equal(found.end, DISTANCE_SIBLING);
    named_nest_free(&named);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_operand_that_does_not_vary_has_distance_zero),
        cmocka_unit_test(the_distance_of_a_varying_operand_ends_in_the_loop_around),
        cmocka_unit_test(at_the_root_the_contraction_is_repeated),
        cmocka_unit_test(cold_caches_hold_nothing_at_the_root),
        cmocka_unit_test(a_first_iteration_starts_from_its_loop_joined),
        cmocka_unit_test(a_first_iteration_counts_its_loop_for_every_operand),
        cmocka_unit_test(a_nest_without_loops_is_a_kernel_repeated),
        cmocka_unit_test(a_loop_of_one_iteration_is_passed_by),
        cmocka_unit_test(a_temporary_was_last_touched_by_the_copy_before_the_loop),
        cmocka_unit_test(a_copy_counts_as_touched_data),
        cmocka_unit_test(a_scaling_before_the_loop_touched_the_result),
        cmocka_unit_test(the_copies_of_both_iterations_are_between_two_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
