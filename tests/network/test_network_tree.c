#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "tcplan/network_tree.h"

/** A network with extents. */
struct subject {
    struct tcplan_network *network;
    int64_t extent[64];
};

static struct subject subject_of(const char *text, const char *sizes) {
    struct subject subject = {.network = NULL};
    struct tcplan_error error = {0};
    if (tcplan_network_parse(&subject.network, text, TCPLAN_COLUMN_MAJOR, &error) != TCPLAN_OK)
        fail_msg("%s: %s", text, error.message);
    if (tcplan_network_sizes(subject.extent, subject.network, sizes, &error) != TCPLAN_OK)
        fail_msg("%s: %s", sizes, error.message);
    return subject;
}

static struct tcplan_tree *tree_of(const struct subject *subject, const char *text) {
    struct tcplan_tree *tree = NULL;
    struct tcplan_error error = {0};
    const enum tcplan_status status =
        text[0] == '[' ? tcplan_tree_parse_path(&tree, subject->network, subject->extent,
                                                TCPLAN_DOUBLE, text, &error)
                       : tcplan_tree_parse(&tree, subject->network, subject->extent, TCPLAN_DOUBLE,
                                           text, &error);
    if (status != TCPLAN_OK) fail_msg("%s: %s", text, error.message);
    return tree;
}

static void assert_text(const struct tcplan_tree *tree, const char *expected) {
    char *text = tcplan_tree_text(tree);
    assert_string_equal(text, expected);
    free(text);
}

static void assert_path(const struct tcplan_tree *tree, const char *expected) {
    char *path = tcplan_tree_path(tree);
    assert_string_equal(path, expected);
    free(path);
}

/** Checks the contraction of step number `s`. With `later`, checks its contraction in all but
 * the first iteration over sliced indices, in which the step may add to its result. */
static void assert_step(const struct tcplan_tree *tree, int s, bool later, const char *expected) {
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_error error = {0};
    if (tcplan_tree_step_contraction(&contraction, tree, s, later, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    char *text = tcplan_contraction_text(contraction);
    assert_string_equal(text, expected);
    free(text);
    tcplan_contraction_free(contraction);
}

static const char chain_sizes[] = "a=2,b=3,c=5,d=7";

static void factors_are_multiplied_from_left_to_right(void **state) {
    (void)state;
    struct subject chain = subject_of("E_ad=A_ab*B_bc*C_cd", chain_sizes);
    struct tcplan_tree *tree = NULL;
    assert_int_equal(
        tcplan_tree_make(&tree, chain.network, chain.extent, TCPLAN_DOUBLE, NULL, 0, NULL),
        TCPLAN_OK);
    assert_text(tree, "T1_ac=A_ab*B_bc; E_ad=T1_ac*C_cd");
    assert_path(tree, "[(0, 1), (0, 1)]");
    assert_true(tree->step[0].flops == 2 * 2 * 3 * 5 && tree->step[1].flops == 2 * 2 * 5 * 7);
    assert_true(tree->step[0].bytes == 8 * 2 * 5 && tree->step[1].last && !tree->step[0].last);
    const struct tcplan_tree_totals totals = tcplan_tree_totals(tree);
    assert_true(totals.flops == 200 && totals.peak_bytes == 80 && totals.seconds == 0 &&
                totals.slices == 1);
    tcplan_tree_free(tree);
    tcplan_network_free(chain.network);
}

static void paths_read_and_write_the_same(void **state) {
    (void)state;
    struct subject chain = subject_of("F_ae=A_ab*B_bc*C_cd*D_de", "a=2,b=3,c=5,d=7,e=4");
    struct tcplan_tree *tree = tree_of(&chain, "[(2, 3), (0, 1), (0, 1)]");
    assert_text(tree, "T1_ce=C_cd*D_de; T2_ac=A_ab*B_bc; F_ae=T1_ce*T2_ac");
    assert_path(tree, "[(2, 3), (0, 1), (0, 1)]");
    tcplan_tree_free(tree);
    tree = tree_of(&chain, "[(1, 2, 3), (0, 1)]"); /* one step with several factors */
    assert_text(tree, "T1_bd=B_bc*C_cd; T2_be=T1_bd*D_de; F_ae=A_ab*T2_be");
    tcplan_tree_free(tree);
    tree = tree_of(&chain, "[[0, 1], [0, 1], [0, 1]]"); /* the same path in JSON */
    assert_path(tree, "[(0, 1), (0, 1), (0, 1)]");
    tcplan_tree_free(tree);
    tree = tree_of(&chain, "[(0, 1, 2, 3)]");
    assert_path(tree, "[(0, 1), (0, 2), (0, 1)]");
    tcplan_tree_free(tree);
    tcplan_network_free(chain.network);
}

static void text_holds_layouts(void **state) {
    (void)state;
    struct subject chain = subject_of("E_ad=A_ab*B_bc*C_cd", chain_sizes);
    struct tcplan_tree *tree = tree_of(&chain, "T1_ca=B_bc*A_ab; E_ad=C_cd*T1_ca");
    assert_text(tree, "T1_ca=B_bc*A_ab; E_ad=C_cd*T1_ca");
    assert_step(tree, 0, false, "T1_ca=B_bc*A_ab");
    tcplan_tree_free(tree);
    tcplan_network_free(chain.network);
}

static void terms_add_to_the_result(void **state) {
    (void)state;
    struct subject sum =
        subject_of("conj(R)_ab=2*A_ac*B_cd*D_db-0.5*W_ba+V_ac*W_bc+3*conj(R)_ab", "a=b=c=2,d=4");
    assert_int_equal(sum.network->term_count, 3);
    struct tcplan_tree *tree = tree_of(&sum, "[(0, 1), (0, 1)]; [(0,)]; [(0, 1)]");
    assert_path(tree, "[(0, 1), (0, 1)]; [(0,)]; [(0, 1)]");
    assert_text(
        tree,
        "T1_ad=conj(A)_ac*conj(B)_cd; R_ab=conj(D)_db*T1_ad; R_ab+=conj(W)_ba; R_ab+=conj(V)_ac*conj(W)_bc");
    tree->dtype = TCPLAN_DOUBLE_COMPLEX;
    assert_step(tree, 0, false, "T1_ad=conj(A)_ac*conj(B)_cd");
    assert_step(tree, 1, false, "R_ab=2*conj(D)_db*T1_ad+3*R_ab");
    assert_step(tree, 2, false, "R_ab+=-0.5*conj(W)_ba*Tone");
    tcplan_tree_free(tree);
    tcplan_network_free(sum.network);
}

static void indices_of_many_factors_stay_until_the_last(void **state) {
    (void)state;
    struct subject hyper = subject_of("R_a=A_ax*B_xb*C_xbb*D_x*E", "a=2,x=3,b=4");
    struct tcplan_tree *tree = tree_of(&hyper, "[(1, 2), (0, 1), (0, 1), (0, 1)]");
    assert_text(tree, "T1_x=B_xb*C_xbb; T2_ax=A_ax*D_x; T3_x=E*T1_x; R_a=T2_ax*T3_x");
    tcplan_tree_free(tree);
    tcplan_network_free(hyper.network);
}

static void slices_leave_parts_of_operands(void **state) {
    (void)state;
    struct subject chain = subject_of("E_ad=A_ab*B_bc*A_cd", "a=c=2,b=d=3");
    struct tcplan_tree *tree = tree_of(&chain, "for b: T1_ac=A_ab*B_bc; E_ad=T1_ac*A_cd");
    assert_text(tree, "for b: T1_ac=A_ab*B_bc; E_ad=T1_ac*A_cd");
    assert_step(tree, 0, false, "T1_ac=A_a*B_c");
    assert_step(tree, 1, true, "E_ad+=T1_ac*A_cd");
    assert_true(tcplan_tree_totals(tree).slices == 3);
    struct tcplan_contraction *contraction = NULL;
    assert_int_equal(tcplan_tree_step_contraction(&contraction, tree, 0, false, NULL), TCPLAN_OK);
    assert_true(contraction->tensor[TCPLAN_B].strided &&
                contraction->tensor[TCPLAN_B].stride[0] == 3);
    tcplan_contraction_free(contraction);
    tcplan_tree_free(tree);
    tree = tree_of(&chain, "for d: T1_ac=A_ab*B_bc; E_ad=T1_ac*A_cd");
    assert_true(tree->step[0].once && !tree->step[1].once);
    assert_step(tree, 1, false, "E_a=T1_ac*A_c");
    assert_true(tcplan_tree_totals(tree).flops == 2 * 2 * 3 * 2 + 3 * (2 * 2 * 2));
    tcplan_tree_free(tree);
    tcplan_network_free(chain.network);
}

/** A step is repeated only for the sliced indices of its own term. */
static void terms_have_the_loops_over_their_own_indices(void **state) {
    static const double times[] = {3, 3, 5, 5, 1};
    (void)state;
    struct subject sum = subject_of("R_a=A_ai*B_i*C_i+D_ak*E_k*F_k+G_a", "a=2,i=3,k=5");
    struct tcplan_tree *tree = tree_of(&sum, "[(0, 1), (0, 1)]; [(0, 1), (0, 1)]; [(0,)]");
    double flops = 0;
    assert_int_equal(tcplan_tree_slice(tree, 1, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_tree_slice(tree, 2, NULL), TCPLAN_OK);
    assert_int_equal(tree->step_count, 5);
    for (int s = 0; s < tree->step_count; s++) {
        assert_true(tcplan_tree_step_times(tree, s) == times[s]);
        tree->step[s].seconds = 1;
        flops += times[s] * tree->step[s].flops;
    }
    const struct tcplan_tree_totals totals = tcplan_tree_totals(tree);
    assert_true(totals.flops == flops && totals.seconds == 17 && totals.slices == 5);
    assert_true(totals.peak_bytes == 8 * 2);
    tcplan_tree_free(tree);
    tcplan_network_free(sum.network);
}

/** Checks that a tree is refused with `message`, and that the error marks `marked`. */
static void assert_refused(const struct subject *subject, const char *text, const char *marked,
                           const char *message) {
    struct tcplan_tree *tree = NULL;
    struct tcplan_error error = {0};
    const enum tcplan_status status =
        text[0] == '[' ? tcplan_tree_parse_path(&tree, subject->network, subject->extent,
                                                TCPLAN_DOUBLE, text, &error)
                       : tcplan_tree_parse(&tree, subject->network, subject->extent, TCPLAN_DOUBLE,
                                           text, &error);
    assert_int_equal(status, TCPLAN_INVALID);
    assert_null(tree);
    assert_string_equal(error.message, message);
    assert_int_equal(error.length, strlen(marked));
    if (error.column > 0 && strncmp(text + error.column - 1, marked, strlen(marked)) != 0)
        fail_msg("%s: marks column %zu", text, error.column);
}

/** The second term's product equals the first term's, with other names of indices and its factors
 * exchanged. */
static void text_shows_shared_steps(void **state) {
    (void)state;
    static const char text[] =
        "T1_ac=A_ab*B_bc; R_ad=T1_ac*C_cd; T3_db=B_cb*A_dc=T1; R_ad+=T3_db*C_ba";
    struct subject sum = subject_of("R_ad=A_ab*B_bc*C_cd+A_dc*B_cb*C_ba", "a=2,b=2,c=2,d=2");
    struct tcplan_tree *tree = tree_of(&sum, text);
    assert_true(tree->step[2].same == 0 && tree->step[2].idle && !tree->step[0].idle);
    char *again = tcplan_tree_text(tree), *step = tcplan_tree_step_text(tree, 3),
         *path = tcplan_tree_path(tree);
    assert_string_equal(again, text);
    assert_string_equal(step, "R_ad+=T1_db*C_ba");
    assert_string_equal(path, "[(0, 1), (0, 1)]; [(0, 1), (0, 1)]");
    free(again);
    free(step);
    free(path);
    tcplan_tree_free(tree);
    tree = tree_of(&sum, "T1_ca=A_ab*B_bc; R_ad=T1_ca*C_cd; T3_db=B_cb*A_dc=T1; R_ad+=T3_db*C_ba");
    step = tcplan_tree_step_text(tree,
                                 3); /* the copy has the layout of the first term's intermediate */
    assert_string_equal(step, "R_ad+=T1_bd*C_ba");
    free(step);
    tcplan_tree_free(tree);
    assert_refused(
        &sum, "T1_ac=A_ab*B_bc; R_ad=T1_ac*C_cd; T3_ca=B_cb*C_ba=T1; R_ad+=A_dc*T3_ca", "T1",
        "expected an earlier step that computes the same and is executed once, found 'T1'");
    assert_refused(
        &sum, "for b: T1_ac=A_ab*B_bc; R_ad=T1_ac*C_cd; T3_d=B_cb*A_dc=T1; R_ad+=T3_d*C_ba", "T1",
        "expected an earlier step that computes the same and is executed once, found 'T1'");
    tcplan_network_free(sum.network);
}

static void the_result_of_one_term_may_have_another_layout(void **state) {
    (void)state;
    struct subject chain = subject_of("E_ad=A_ab*B_bc*C_cd", chain_sizes);
    struct tcplan_tree *tree = NULL;
    assert_int_equal(tcplan_tree_parse(&tree, chain.network, chain.extent, TCPLAN_DOUBLE,
                                       "T1_ca=A_ab*B_bc; E_da=T1_ca*C_cd", NULL),
                     TCPLAN_OK);
    assert_true(tree->frees_result);
    char *text = tcplan_tree_text(tree);
    assert_string_equal(text, "T1_ca=A_ab*B_bc; E_da=T1_ca*C_cd");
    free(text);
    tcplan_tree_free(tree);
    tcplan_network_free(chain.network);
}

static void the_result_may_have_a_diagonal(void **state) {
    (void)state;
    struct subject chain = subject_of("E_aad=A_ab*B_bc*C_cd", chain_sizes);
    struct tcplan_tree *tree = tree_of(&chain, "T1_ca=A_ab*B_bc; E_aad=T1_ca*C_cd");
    assert_text(tree, "T1_ca=A_ab*B_bc; E_aad=T1_ca*C_cd");
    assert_false(tree->frees_result);
    tcplan_tree_free(tree);
    tcplan_network_free(chain.network);
}

static void malformed_trees_are_refused(void **state) {
    (void)state;
    struct subject chain = subject_of("E_ad=A_ab*B_bc*C_cd", chain_sizes);
    assert_refused(&chain, "[(0, 1)]", "[(0, 1)]",
                   "expected a path that leaves one tensor of the term, found one that leaves 2");
    assert_refused(&chain, "[(0, 3), (0, 1)]", "3", "expected a position from 0 to 2, found '3'");
    assert_refused(&chain, "[(0, 0), (0, 1)]", "0",
                   "expected a position that the entry does not name yet, found '0'");
    assert_refused(&chain, "[(0, 1), (0, 1), (0,1)]", "1",
                   "expected a position from 0 to 0, found '1'");
    assert_refused(&chain, "[(0, 1), (0, 1)];", ";", "expected the end, found ';'");
    assert_refused(&chain, "T1_ac=A_ab*B_bc", "", "expected an order of 2 steps, found one of 1");
    assert_refused(
        &chain, "T1_ac=A_ab*B_bc; E_ad=T1_ac*B_bc", "B_bc",
        "expected an unused factor of the expression or the result of an earlier step, found 'B_bc'");
    assert_refused(&chain, "T1_a=A_ab*B_bc; E_ad=T1_a*C_cd", "T1_a",
                   "expected a tensor with the indices a, c, which later steps need, found 'T1_a'");
    assert_refused(
        &chain, "T1_ac=A_ab*B_bc; E_ad=T1_ac*T1_ac", "",
        "step 2 of the order does not apply to this expression: it uses a tensor that does not exist or was used before");
    assert_refused(&chain, "T1_ac=A_ab*B_bc; F_ad=T1_ac*C_cd", "F_ad",
                   "expected the result 'E' of the expression with its indices, found 'F_ad'");
    assert_refused(&chain, "T1_ac=A_ab*B_bc; E_dc=T1_ac*C_cd", "E_dc",
                   "expected a tensor with the indices a, d, which later steps need, found 'E_dc'");
    assert_refused(&chain, "for z: T1_ac=A_ab*B_bc; E_ad=T1_ac*C_cd", "z",
                   "expected an index of the expression to slice, found 'z'");
    assert_refused(&chain, "for b,b: T1_ac=A_ab*B_bc; E_ad=T1_ac*C_cd", "",
                   "index 'b' is sliced already");
    tcplan_network_free(chain.network);
}

static void memory_may_run_out_anywhere(void **state) {
    (void)state;
    struct subject chain = subject_of("E_ad=A_ab*B_bc*C_cd", chain_sizes);
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    for (long successes = 0; status == TCPLAN_NO_MEMORY; successes++) {
        struct tcplan_tree *tree = NULL;
        base_alloc_fail_after(successes);
        status = tcplan_tree_parse_path(&tree, chain.network, chain.extent, TCPLAN_DOUBLE,
                                        "[(1, 2), (0, 1)]", NULL);
        struct tcplan_tree *copy = status == TCPLAN_OK ? tcplan_tree_copy(tree) : NULL;
        base_alloc_fail_after(-1);
        assert_true(status == TCPLAN_OK ? tree != NULL : tree == NULL);
        tcplan_tree_free(copy);
        tcplan_tree_free(tree);
    }
    assert_int_equal(status, TCPLAN_OK);
    tcplan_network_free(chain.network);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_are_multiplied_from_left_to_right),
        cmocka_unit_test(paths_read_and_write_the_same),
        cmocka_unit_test(text_holds_layouts),
        cmocka_unit_test(terms_add_to_the_result),
        cmocka_unit_test(indices_of_many_factors_stay_until_the_last),
        cmocka_unit_test(slices_leave_parts_of_operands),
        cmocka_unit_test(terms_have_the_loops_over_their_own_indices),
        cmocka_unit_test(text_shows_shared_steps),
        cmocka_unit_test(the_result_of_one_term_may_have_another_layout),
        cmocka_unit_test(the_result_may_have_a_diagonal),
        cmocka_unit_test(malformed_trees_are_refused),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
