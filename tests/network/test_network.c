#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "network/text.h"
#include "tcplan/network.h"

static struct tcplan_network *network_of(const char *text) {
    struct tcplan_network *network = NULL;
    struct tcplan_error error = {0};
    if (tcplan_network_parse(&network, text, TCPLAN_COLUMN_MAJOR, &error) != TCPLAN_OK)
        fail_msg("%s: %s", text, error.message);
    return network;
}

static void assert_text(const char *text, const char *expected) {
    struct tcplan_network *network = network_of(text);
    char *printed = tcplan_network_text(network);
    assert_string_equal(printed, expected);
    struct tcplan_network *again = network_of(printed);
    char *reprinted = tcplan_network_text(again);
    assert_string_equal(reprinted, printed);
    free(reprinted);
    free(printed);
    tcplan_network_free(again);
    tcplan_network_free(network);
}

/** Checks that an expression is refused with `message`, and that the error marks the text `marked`.
 */
static void assert_refused(const char *text, const char *marked, const char *message) {
    struct tcplan_network *network = NULL;
    struct tcplan_error error = {0};
    assert_int_equal(tcplan_network_parse(&network, text, TCPLAN_COLUMN_MAJOR, &error),
                     TCPLAN_INVALID);
    assert_null(network);
    assert_string_equal(error.message, message);
    assert_int_equal(error.length, strlen(marked));
    if (strncmp(text + error.column - 1, marked, strlen(marked)) != 0)
        fail_msg("%s: marks column %zu", text, error.column);
}

static void several_factors_are_read(void **state) {
    (void)state;
    struct tcplan_network *network = network_of("E_ad=2*A_ab*B_bc*conj(C)_cd");
    assert_int_equal(network->index_count, 4);
    assert_string_equal(network->index[0], "a");
    assert_string_equal(network->index[1], "d");
    assert_int_equal(network->term_count, 1);
    assert_int_equal(network->operand_count, 3);
    assert_int_equal(network->tensor_count, 3);
    assert_true(network->term[0].factor.re == 2);
    assert_true(network->operand[2].conjugated);
    assert_int_equal(network->operand[1].dims[1], 3);
    assert_int_equal(network->operand[1].column, 13);
    assert_true(network->beta.re == 0);
    tcplan_network_free(network);
}

static void terms_are_read(void **state) {
    (void)state;
    struct tcplan_network *network =
        network_of("R_ij = V_ijab*T_ab - 0.5*T_ij + (0,2)*V_ijab*T_ac*T_cb + 3*R_ij");
    assert_int_equal(network->term_count, 3);
    assert_int_equal(network->term[1].first, 2);
    assert_int_equal(network->term[2].count, 3);
    assert_true(network->term[1].factor.re == -0.5 && network->term[2].factor.im == 2);
    assert_true(network->beta.re == 3);
    assert_int_equal(network->tensor_count, 2);
    assert_int_equal(network->operand[5].tensor, 1);
    tcplan_network_free(network);
}

/** Dividing 0 by a negative number gives the factor -0. */
static void a_factor_of_minus_zero_prints_and_parses_back(void **state) {
    (void)state;
    struct strbuf out = {0};
    network_print_factor(&out, (struct tcplan_scalar){.re = -0.0}, "+");
    char *printed = strbuf_finish(&out);
    assert_string_equal(printed, "-0*");
    free(printed);
}

static void einsum_names_its_tensors(void **state) {
    (void)state;
    assert_text("ij,jk,kl->il", "D_il=A_ij*B_jk*C_kl");
    assert_text("ij,jk,kl", "D_il=A_ij*B_jk*C_kl");
    assert_text("ii,jk,,k->j", "E_j=A_ii*B_jk*C*D_k");
    struct tcplan_network *network =
        network_of("a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a->a");
    assert_string_equal(network->operand[25].name, "A26");
    assert_string_equal(network->result.name, "R");
    tcplan_network_free(network);
}

static void text_reads_back(void **state) {
    (void)state;
    assert_text("E_ad += A_ab*B_bc*C_cd", "E_ad+=A_ab*B_bc*C_cd");
    assert_text("E[x1,d]:=-A[x1,b]*B[b,c]*C[c,d]+0.5*D[d,x1]+2*E[x1,d]",
                "E[x1,d]=-A[x1,b]*B[b,c]*C[c,d]+0.5*D[d,x1]+2*E[x1,d]");
    assert_text("conj(E)_a=(1,2)*A_ab*conj(B)_b*C_a+E_a",
                "E_a=(1,-2)*conj(A)_ab*B_b*conj(C)_a+conj(E)_a");
    assert_text("s=A_ij*B_jk*C_ki", "s=A_ij*B_jk*C_ki");
    assert_text("D_aa=A_ab*B_bc*C_ca", "D_aa=A_ab*B_bc*C_ca");
}

static void sums_are_read(void **state) {
    (void)state;
    struct tcplan_network *network =
        network_of("X_ab=2*A_ab-B_ac*C_cb; Y_a = X_ab*D_b; R_cd+=X_cd*E+Y_c*D_d");
    assert_int_equal(network->sum_count, 2);
    assert_int_equal(network->tensor_count, 5);
    assert_int_equal(network->term_count, 5);
    assert_int_equal(network->term[1].into, 0);
    assert_int_equal(network->term[2].into, 1);
    assert_int_equal(network->term[4].into, 2);
    assert_int_equal(network->operand[3].tensor, TCPLAN_NETWORK_SUMS);
    assert_int_equal(network->operand[7].tensor, TCPLAN_NETWORK_SUMS + 1);
    assert_string_equal(tcplan_network_target(network, 1)->name, "X");
    assert_string_equal(tcplan_network_target(network, 4)->name, "R");
    assert_true(tcplan_network_begins(network, 2) && !tcplan_network_begins(network, 1));
    assert_true(network->beta.re == 1);
    tcplan_network_free(network);
    assert_text("X_ab:=2*A_ab-B_ac*C_cb ; Y_a=X_ab*D_b;R_cd+=X_cd*E+Y_c*D_d",
                "X_ab=2*A_ab-B_ac*C_cb; Y_a=X_ab*D_b; R_cd+=X_cd*E+Y_c*D_d");
    assert_text("X_ab=(1,1)*A_ab+B_ab; conj(R)_cd=X_cd*E",
                "X_ab=(1,1)*A_ab+B_ab; R_cd=conj(X)_cd*conj(E)");
}

static void impossible_sums_are_refused(void **state) {
    (void)state;
    assert_refused("X_ab=A_ab*B; R_a=A_ac*C_c", "X_ab",
                   "sum 'X' is never used; expected it in a later term");
    assert_refused("X_ab+=A_ab*B; R_a=X_ac*C_c", "X_ab+=A_ab*B",
                   "a sum must be defined by '=', without X among its terms; found 'X_ab+=A_ab*B'");
    assert_refused(
        "X_ab=A_ab*B+X_ab; R_a=X_ac*C_c", "X_ab=A_ab*B+X_ab",
        "a sum must be defined by '=', without X among its terms; found 'X_ab=A_ab*B+X_ab'");
    assert_refused("R_a=X_ac*C_c; X_ab=A_ab*B", "X_ab",
                   "'X' is read before it is computed; expected its sum before its first use");
    assert_refused("X_ab=A_ab*B; X_ab=A_ab*C; R_a=X_ac*C_c", "X_ab",
                   "sum 'X' is defined already; expected another name");
    assert_refused("X_ab=A_ab*B; R_a=X_a*C", "X_a",
                   "sum 'X' is defined with rank 2, but used with rank 1");
    assert_refused(
        "X_ab=A_a*B; R_a=X_ac*C_c", "A_a*B",
        "index 'b' of the result 'X' is in no factor of 'A_a*B'; expected it in each term");
    assert_refused("X_aa=A_a*B; R_a=X_ac*C_c", "X_aa",
                   "sum 'X_aa' has an index twice, so some of its elements would be undefined");
    assert_refused("X_ab=A_ab*B;", "", "expected a tensor such as A_ai or A[a,i], found the end");
    assert_refused("X_ab=A_ab*B; R_a=2*R_a", "", "expected '+' and another tensor, found the end");
}

static bool is_several(const char *text) {
    bool out;
    assert_int_equal(tcplan_network_is_several(&out, text), TCPLAN_OK);
    return out;
}

static void a_single_contraction_is_no_network(void **state) {
    (void)state;
    static const char *const one[] = {"C_ab=A_ai*B_ib",
                                      "C_ab=A_ai*B_ib+2*C_ab",
                                      "D_ab=2*C_ab+A_ai*B_ib",
                                      "ai,ib->ab",
                                      "ai,ib",
                                      "",
                                      "C_ab=",
                                      "C_ab=A_ai*B_ib*",
                                      "C_ab=A_ai*B_ib+",
                                      "C_ab=A_ai*B_ib+2*C_a",
                                      "C_ab=A_ai*B_ib+A_a",
                                      "C_ab=A_ai*A_i"};
    static const char *const several[] = {"D_ab=A_ai*B_ij*C_jb",
                                          "ai,ij,jb->ab",
                                          "ai,ij,jb",
                                          "D_ab=A_ai*B_ib+C_ab+E_ab",
                                          "E_ab=A_ai*B_ib+C_ai*D_ib",
                                          "D_ab=A_ai*B_ij*C_jb*",
                                          "E_ab=A_ai*B_ib+C_ai*D_ib+",
                                          "X_ab=A_ab+B_ab;R_a=X_ab*C_b",
                                          "X_ab=A_ab+B_ab;",
                                          "C_ab=A_ai*B_ib+2*A_ai*B_i",
                                          "C_ab=A_ai*B_ib+A_a*B_ib",
                                          "C_ab=A_ai*A_i*B_b",
                                          "B_ab=A_ba",
                                          "B_ab=2*A_ba+B_ab",
                                          "B_ab=2*B_ab",
                                          "D_ab=A_ab+B_ab",
                                          "ab->ba"};
    for (size_t t = 0; t < sizeof one / sizeof *one; t++) {
        if (is_several(one[t])) fail_msg("%s", one[t]);
    }
    for (size_t t = 0; t < sizeof several / sizeof *several; t++) {
        if (!is_several(several[t])) fail_msg("%s", several[t]);
    }
}

static void refusals_mark_their_text(void **state) {
    (void)state;
    assert_refused(
        "E_az=A_ab*B_bc*C_cd", "A_ab*B_bc*C_cd",
        "index 'z' of the result 'E' is in no factor of 'A_ab*B_bc*C_cd'; expected it in each term");
    assert_refused(
        "E_ad=A_ab*B_bc*C_cd+F_a", "F_a",
        "index 'd' of the result 'E' is in no factor of 'F_a'; expected it in each term");
    assert_refused("E_ad=A_ab*E_bc*C_cd", "E_bc",
                   "the result 'E' cannot be a factor of a term as well");
    assert_refused("E_ad=A_ab*A_bcd*C_c", "A_bcd", "tensor 'A' has rank 3 here and rank 2 before");
    assert_refused("E_ad+=A_ab*B_bd*C+E_ad", "E_ad",
                   "the result 'E_ad' is already added, by '+=', '-=' or a term; expected it once");
    assert_refused("E_ad=A_ab*B_bd*C+E_da", "E_da",
                   "expected the result 'E' with the same indices in the same order, found 'E_da'");
    assert_refused("E_ad=A_ab*2*B_bd*C", "2",
                   "expected scalar factors in front of the tensors, found '2'");
    assert_refused("E_a=2*E_a", "", "expected '+' and another tensor, found the end");
    assert_refused("...a,a,a->a", ".",
                   "expected an index letter, found '.': '...' is read with two operands only");
    assert_refused("a,a,a->a,b", ",", "expected an index letter or the end, found ','");
    assert_refused(
        "a,a;a->a", ";",
        "expected an index letter, ',' and the next operand, '->' and the result, or the end, found ';'");
}

static void too_many_items_are_refused(void **state) {
    (void)state;
    char text[16384];
    size_t length = (size_t)snprintf(text, sizeof text, "R=A");
    for (int n = 0; n < TCPLAN_NETWORK_OPERANDS; n++)
        length += (size_t)snprintf(text + length, sizeof text - length, "*A");
    assert_refused(text, "A", "tensor 'A' exceeds the limit of 1024 tensors in an expression");
    length = (size_t)snprintf(text, sizeof text, "R=A[");
    for (int n = 0; n < TCPLAN_NETWORK_INDICES; n++) {
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   n % 64  ? ",i%d"
                                   : n > 0 ? "]*A[i%d"
                                           : "i%d",
                                   n);
    }
    snprintf(text + length, sizeof text - length, "]*B[x]");
    assert_refused(text, "x", "index 'x' exceeds the limit of 1024 indices in an expression");
}

static void sizes_are_read(void **state) {
    (void)state;
    struct tcplan_network *network = network_of("E_ad=A_ab*B_bc*A_cd");
    int64_t extent[4];
    struct tcplan_error error;
    assert_int_equal(tcplan_network_sizes(extent, network, "a=c=3,b=d=5", &error), TCPLAN_OK);
    assert_true(extent[0] == 3 && extent[1] == 5 && extent[2] == 5 && extent[3] == 3);
    assert_int_equal(tcplan_network_sizes(extent, network, "a=3,b=d=5,c=4", &error),
                     TCPLAN_INVALID);
    assert_string_equal(
        error.message,
        "dimension 1 of tensor 'A' has extent 3 as index 'a' and 4 as 'c'; expected equal extents");
    assert_int_equal(tcplan_network_sizes(extent, network, "a=3,b=d=5", &error), TCPLAN_INVALID);
    assert_string_equal(error.message, "no extent for index c; expected one for every index");
    assert_int_equal(tcplan_network_sizes(extent, network, "a=c=1:3:1,b=d=5", &error),
                     TCPLAN_INVALID);
    assert_string_equal(error.message, "expected one size point, found a sweep of 3 points");
    assert_int_equal(tcplan_network_sizes(extent, network, "a=b=c=d=z=5", &error), TCPLAN_INVALID);
    assert_string_equal(error.message, "the contraction has no index 'z'; its indices: a, d, b, c");
    tcplan_network_free(network);
    network = network_of("X_ab=A_ab+B_ab; R_c=X_cd*C_d");
    assert_int_equal(tcplan_network_sizes(extent, network, "a=c=3,b=5,d=4", &error),
                     TCPLAN_INVALID);
    assert_string_equal(
        error.message,
        "dimension 2 of tensor 'X' has extent 5 as index 'b' and 4 as 'd'; expected equal extents");
    tcplan_network_free(network);
}

static void shapes_contain_extents(void **state) {
    struct tcplan_network *network = network_of("E_ad=A_ab*B_bc*A_cd");
    int64_t extent[4];
    struct tcplan_error error;
    (void)state;
    assert_int_equal(tcplan_network_shapes(extent, network, "3,5 5,3", &error), TCPLAN_OK);
    assert_true(extent[0] == 3 && extent[1] == 5 && extent[2] == 5 && extent[3] == 3);
    assert_int_equal(tcplan_network_shapes(extent, network, "3,5 4,3", &error), TCPLAN_INVALID);
    assert_string_equal(error.message,
                        "expected the extent 5, which index 'b' has already, found 4");
    assert_int_equal(tcplan_network_shapes(extent, network, "3,5 5,3,1", &error), TCPLAN_INVALID);
    assert_int_equal(tcplan_network_shapes(extent, network, "3,5 5,4", &error), TCPLAN_INVALID);
    assert_int_equal(tcplan_network_shapes(extent, network, "3,5 5,3 3,5", &error), TCPLAN_INVALID);
    assert_string_equal(error.message, "expected the end after two shapes, found '3'");
    tcplan_network_free(network);
    network = network_of("ij,jk,kl->il");
    assert_int_equal(tcplan_network_shapes(extent, network, "(2, 3) (3, 4) (4, 5)", &error),
                     TCPLAN_OK);
    assert_int_equal(tcplan_network_shapes(extent, network, "2,3 3,4 4,5 6", &error),
                     TCPLAN_INVALID);
    assert_string_equal(error.message, "expected the end after 3 shapes, found '6'");
    tcplan_network_free(network);
}

static void memory_may_run_out_anywhere(void **state) {
    (void)state;
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    for (long successes = 0; status == TCPLAN_NO_MEMORY; successes++) {
        struct tcplan_network *network = NULL;
        base_alloc_fail_after(successes);
        status = tcplan_network_parse(
            &network,
            "X[row,b]=A[row,b]+Y[row,b]; E[row,d]=X[row,b]*D[b,d]+A[row,b]*B[b,c]*C[c,d]+A[row,d]",
            TCPLAN_ROW_MAJOR, NULL);
        base_alloc_fail_after(-1);
        assert_true(status == TCPLAN_OK ? network != NULL : network == NULL);
        tcplan_network_free(network);
    }
    assert_int_equal(status, TCPLAN_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_factors_are_read),
        cmocka_unit_test(terms_are_read),
        cmocka_unit_test(a_factor_of_minus_zero_prints_and_parses_back),
        cmocka_unit_test(einsum_names_its_tensors),
        cmocka_unit_test(text_reads_back),
        cmocka_unit_test(a_single_contraction_is_no_network),
        cmocka_unit_test(sums_are_read),
        cmocka_unit_test(impossible_sums_are_refused),
        cmocka_unit_test(refusals_mark_their_text),
        cmocka_unit_test(too_many_items_are_refused),
        cmocka_unit_test(sizes_are_read),
        cmocka_unit_test(shapes_contain_extents),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
