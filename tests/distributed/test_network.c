/*
 * Tests expressions of several tensors over processes: choices of algorithms and layouts, memory
 * limits, and texts that are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tcplan/distributed_network.h"

static const struct tcplan_network_texts chain = {.notation = "Z_ad=A_ab*B_bc*C_cd",
                                                  .sizes = "a=b=c=d=40"};

static struct tcplan_distributed_network *network_of(const struct tcplan_network_texts *texts,
                                                     struct tcplan_distributed_options options) {
    struct tcplan_distributed_network *network = NULL;
    struct tcplan_error error = {0};
    if (tcplan_distributed_network_new(&network, texts, TCPLAN_DOUBLE, &options, NULL, &error) !=
        TCPLAN_OK)
        fail_msg("%s: %s", texts->notation, error.message);
    return network;
}

static void algorithms_are_sorted_and_their_names_plan_the_same(void **state) {
    (void)state;
    struct tcplan_distributed_network *found =
        network_of(&chain, (struct tcplan_distributed_options){.processes = 4});
    const int count = tcplan_distributed_network_count(found);
    assert_true(count > 3);
    for (int a = 0; a < count; a++) {
        const struct tcplan_distributed_entry entry = tcplan_distributed_network_entry(found, a);
        if (a > 0)
            assert_true(entry.seconds >= tcplan_distributed_network_entry(found, a - 1).seconds);
        struct tcplan_network_texts texts = chain;
        char *order = tcplan_tree_text(tcplan_distributed_network_tree(found, a));
        texts.path = order;
        struct tcplan_distributed_network *named = network_of(
            &texts, (struct tcplan_distributed_options){
                        .processes = 4, .algorithm = tcplan_distributed_network_name(found, a)});
        assert_int_equal(tcplan_distributed_network_count(named), 1);
        assert_string_equal(tcplan_distributed_network_name(named, 0),
                            tcplan_distributed_network_name(found, a));
        const struct tcplan_distributed_entry again = tcplan_distributed_network_entry(named, 0);
        assert_true(again.moved_bytes == entry.moved_bytes);
        assert_true(again.memory_bytes == entry.memory_bytes);
        tcplan_distributed_network_free(named);
        free(order);
    }
    tcplan_distributed_network_free(found);
}

static void an_intermediate_that_fits_is_not_moved(void **state) {
    (void)state;
    struct tcplan_network_texts texts = chain;
    texts.path = "[(0, 1), (0, 1)]";
    struct tcplan_distributed_network *found = network_of(
        &texts, (struct tcplan_distributed_options){.processes = 4, .algorithm = "4:a;4:a"});
    struct tcplan_distributed_call call[2 * TCPLAN_DISTRIBUTED_MOST_CALLS];
    const int count = tcplan_distributed_network_calls(call, found, 0, 0);
    assert_int_equal(count, 3); /* B and C are gathered, and the ranks agree on errors */
    assert_string_equal(call[0].tensor, "B");
    assert_string_equal(call[1].tensor, "C");
    assert_string_equal(call[2].tensor, "status");
    assert_int_equal(call[2].calls, 5);
    char *left = tcplan_distributed_network_layout(found, 0, 0, TCPLAN_RESULT, false);
    /* The path multiplies C by the intermediate, which is the right tensor. */
    char *read = tcplan_distributed_network_layout(found, 0, 1, TCPLAN_B, false);
    assert_string_equal(left, "4 a:0");
    assert_string_equal(read, left);
    free(left);
    free(read);
    tcplan_distributed_network_free(found);
}

static void the_memory_of_a_rank_is_limited(void **state) {
    (void)state;
    struct tcplan_distributed_network *found =
        network_of(&chain, (struct tcplan_distributed_options){.processes = 4});
    int64_t most = 0, over;
    for (int a = 0; a < tcplan_distributed_network_count(found); a++) {
        const int64_t bytes = tcplan_distributed_network_entry(found, a).memory_bytes;
        if (bytes > most) most = bytes;
    }
    tcplan_distributed_network_free(found);
    found = network_of(
        &chain, (struct tcplan_distributed_options){.processes = 4, .max_memory_bytes = most - 1});
    for (int a = 0; a < tcplan_distributed_network_count(found); a++)
        assert_true(tcplan_distributed_network_entry(found, a).memory_bytes < most);
    tcplan_distributed_network_enumerated(found, &over);
    assert_true(over > 0);
    tcplan_distributed_network_free(found);
}

static void a_tensor_that_occurs_twice_has_one_layout(void **state) {
    (void)state;
    const struct tcplan_network_texts texts = {.notation = "Z_ad=A_ab*A_bc*A_cd",
                                               .sizes = "a=b=c=d=40"};
    struct tcplan_distributed_network *found =
        network_of(&texts, (struct tcplan_distributed_options){.processes = 4});
    assert_int_equal(tcplan_distributed_network_inputs(found), 1);
    for (int a = 0; a < tcplan_distributed_network_count(found); a++) {
        int64_t first[2], extent[2];
        tcplan_distributed_network_block(found, a, 0, 3, first, extent);
        assert_int_equal(first[1], 30);
        assert_int_equal(extent[0], 40);
        assert_int_equal(extent[1], 10);
    }
    tcplan_distributed_network_free(found);
}

/** Returns the number of calls of a collective on rank 3. */
static int64_t calls_of(const struct tcplan_distributed_network *network, const char *collective) {
    struct tcplan_distributed_call call[8 * TCPLAN_DISTRIBUTED_MOST_CALLS];
    const int count = tcplan_distributed_network_calls(call, network, 0, 3);
    int64_t calls = 0;
    for (int c = 0; c < count; c++)
        calls +=
            strcmp(call[c].collective, collective) == 0 && strcmp(call[c].tensor, "status") != 0
                ? call[c].calls
                : 0;
    return calls;
}

static void slices_of_a_summed_index_need_one_reduction(void **state) {
    (void)state;
    struct tcplan_network_texts texts = chain;
    texts.path = "[(0, 1), (0, 1)]";
    /* b is summed over in the first step, whose result is therefore a partial sum on each rank. C
     * lacks b, and has a copy on each rank. */
    struct tcplan_distributed_network *found = network_of(
        &texts, (struct tcplan_distributed_options){
                    .processes = 4, .algorithm = "slices:4:b", .grid = "4", .distribute = "C="});
    assert_string_equal(tcplan_distributed_network_name(found, 0), "slices:4:b");
    assert_int_equal(calls_of(found, "MPI_Reduce_scatter"), 1);
    assert_int_equal(calls_of(found, "MPI_Allgatherv"), 0);
    assert_int_equal(calls_of(found, "MPI_Alltoallv"), 0);
    assert_int_equal(calls_of(found, "MPI_Allreduce"), 0);
    tcplan_distributed_network_free(found);
    /* Slices of indices of the result need no reduction. Each tensor lacks an index, so that it is
     * gathered. */
    found = network_of(
        &texts, (struct tcplan_distributed_options){.processes = 4, .algorithm = "slices:2x2:a,d"});
    assert_int_equal(calls_of(found, "MPI_Reduce_scatter"), 0);
    assert_int_equal(calls_of(found, "MPI_Allgatherv"), 3);
    tcplan_distributed_network_free(found);
}

static void slices_are_among_the_algorithms(void **state) {
    (void)state;
    struct tcplan_distributed_network *found =
        network_of(&chain, (struct tcplan_distributed_options){.processes = 4});
    int slices = 0;
    for (int a = 0; a < tcplan_distributed_network_count(found); a++)
        slices += strncmp(tcplan_distributed_network_name(found, a), "slices:", 7) == 0;
    assert_true(slices > 0);
    tcplan_distributed_network_free(found);
}

static void orders_of_many_tensors_are_compared(void **state) {
    (void)state;
    const struct tcplan_network_texts texts = {.notation = "Z_af=A_ab*B_bc*C_cd*D_de*E_ef",
                                               .sizes = "a=b=c=d=e=f=40"};
    struct tcplan_distributed_network *found =
        network_of(&texts, (struct tcplan_distributed_options){.processes = 4});
    char *first = tcplan_tree_path(tcplan_distributed_network_tree(found, 0));
    int different = 0;
    for (int a = 1; a < tcplan_distributed_network_count(found); a++) {
        char *path = tcplan_tree_path(tcplan_distributed_network_tree(found, a));
        different += strcmp(path, first) != 0;
        free(path);
    }
    assert_true(different > 0);
    free(first);
    tcplan_distributed_network_free(found);
}

static void wrong_texts_are_marked(void **state) {
    (void)state;
    const struct {
        const char *notation, *path, *grid, *distribute, *algorithm;
        enum tcplan_status status;
        size_t column;
        const char *message;
    } cases[] = {
        {.notation = "Z_ad=A_ab*B_bc*C_cd+A_ab*B_bd",
         .status = TCPLAN_NOT_APPLICABLE,
         .message = "sums of terms"},
        {.notation = "Z_ab=A_ba", .status = TCPLAN_NOT_APPLICABLE, .message = "at least two"},
        {.grid = "3", .status = TCPLAN_INVALID, .column = 1, .message = "has 3 processes, not 4"},
        {.distribute = "A=a:0", .status = TCPLAN_INVALID, .column = 1, .message = "needs a grid"},
        {.grid = "2x2",
         .distribute = "A=a:0 Q=a:0",
         .status = TCPLAN_INVALID,
         .column = 7,
         .message = "the expression has no tensor Q"},
        {.grid = "2x2",
         .distribute = "A=a:0; A=a:1",
         .status = TCPLAN_INVALID,
         .column = 8,
         .message = "tensor A is distributed twice"},
        {.grid = "2x2",
         .distribute = "A=a:0 C=a:0",
         .status = TCPLAN_INVALID,
         .column = 9,
         .message = "tensor C has no index 'a'"},
        {.path = "[(0, 1), (0, 1)]",
         .algorithm = "4:a;2x2:a,q",
         .status = TCPLAN_INVALID,
         .column = 11,
         .message = "no index 'q'"},
        {.path = "[(0, 1), (0, 1)]",
         .algorithm = "4:a",
         .status = TCPLAN_INVALID,
         .column = 4,
         .message = "expected 2 names"},
        {.path = "[(0, 1), (0, 1)]",
         .algorithm = "4:a;4:a;4:a",
         .status = TCPLAN_INVALID,
         .column = 9,
         .message = "found more"},
        {.path = "[(0, 1), (0, 1)]",
         .algorithm = "4:a;2:a",
         .status = TCPLAN_INVALID,
         .column = 5,
         .message = "for 2 processes, not for 4"},
        {.algorithm = "slices:4:q",
         .status = TCPLAN_INVALID,
         .column = 10,
         .message = "no index 'q'"},
        {.algorithm = "slices:2x2:b,b",
         .status = TCPLAN_INVALID,
         .column = 14,
         .message = "sliced twice"},
        {.algorithm = "slices:2:b",
         .status = TCPLAN_INVALID,
         .column = 1,
         .message = "for 2 processes, not for 4"},
        {.algorithm = "slices:2x2:b",
         .status = TCPLAN_INVALID,
         .column = 13,
         .message = "',' and an index for each axis"},
        {.algorithm = "slices:4:b;4:a",
         .status = TCPLAN_INVALID,
         .column = 11,
         .message = "the end of the name"},
        {.notation = "Z_ad=A_aab*B_bc*C_cd",
         .algorithm = "slices:4:a",
         .status = TCPLAN_NOT_APPLICABLE,
         .message = "diagonal"},
        {.path = "[(0, 1), (0, 1)]",
         .algorithm = "4:a;pdgemm:2x2",
         .status = TCPLAN_NOT_APPLICABLE,
         .message = "ScaLAPACK multiplies two tensors only"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct tcplan_network_texts texts = chain;
        const struct tcplan_distributed_options options = {.processes = 4,
                                                           .grid = cases[c].grid,
                                                           .distribute = cases[c].distribute,
                                                           .algorithm = cases[c].algorithm};
        struct tcplan_distributed_network *found = NULL;
        struct tcplan_error error = {0};
        const char *wrong = NULL;
        if (cases[c].notation) texts.notation = cases[c].notation;
        if (cases[c].notation && strstr(cases[c].notation, "A_ba")) texts.sizes = "a=b=40";
        texts.path = cases[c].path;
        const enum tcplan_status status =
            tcplan_distributed_network_new(&found, &texts, TCPLAN_DOUBLE, &options, &wrong, &error);
        if (status != cases[c].status || error.column != cases[c].column ||
            !strstr(error.message, cases[c].message))
            fail_msg("case %zu: status %d, column %zu, %s", c, (int)status, error.column,
                     error.message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(algorithms_are_sorted_and_their_names_plan_the_same),
        cmocka_unit_test(an_intermediate_that_fits_is_not_moved),
        cmocka_unit_test(the_memory_of_a_rank_is_limited),
        cmocka_unit_test(a_tensor_that_occurs_twice_has_one_layout),
        cmocka_unit_test(slices_of_a_summed_index_need_one_reduction),
        cmocka_unit_test(slices_are_among_the_algorithms),
        cmocka_unit_test(orders_of_many_tensors_are_compared),
        cmocka_unit_test(wrong_texts_are_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
