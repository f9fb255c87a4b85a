#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tcplan/contraction.h"

/** Parses `text`, and compares its canonical text with the expected one. */
static void assert_reads_as(const char *text, const char *canonical) {
    struct tcplan_error error = {0};
    struct tcplan_contraction *contraction = NULL;
    if (tcplan_contraction_parse(&contraction, text, TCPLAN_COLUMN_MAJOR, &error) != TCPLAN_OK)
        fail_msg("%s: %s", text, error.message);
    char *printed = tcplan_contraction_text(contraction);
    assert_string_equal(printed, canonical);
    free(printed);
    tcplan_contraction_free(contraction);
}

/** Parses `text`, which must be refused with `message`. The error must mark `length` bytes from
 * `column` on. */
static void assert_refused(const char *text, size_t column, size_t length, const char *message) {
    struct tcplan_contraction untouched, *contraction = &untouched;
    struct tcplan_error error;
    assert_int_equal(tcplan_contraction_parse(&contraction, text, TCPLAN_COLUMN_MAJOR, &error),
                     TCPLAN_INVALID);
    assert_ptr_equal(contraction, &untouched);
    assert_int_equal(error.status, TCPLAN_INVALID);
    assert_string_equal(error.message, message);
    if (error.column != column || error.length != length) {
        fail_msg("%s: marks %zu+%zu, expected %zu+%zu", text, error.column, error.length, column,
                 length);
    }
    assert_true(error.column >= 1 && error.column - 1 + error.length <= strlen(text));
}

static void letters_after_an_underscore_are_indices(void **state) {
    (void)state;
    assert_reads_as("C_abc=A_ai*B_ibc", "C_abc=A_ai*B_ibc");
    assert_reads_as("X1_Ab=Y2_Ai*Z3_ib", "X1_Ab=Y2_Ai*Z3_ib");
    assert_reads_as("C_abc:=A_ai*B_ibc", "C_abc=A_ai*B_ibc");
    assert_reads_as("C_abc+=A_ai*B_ibc", "C_abc+=A_ai*B_ibc");
}

static void names_in_brackets_are_read(void **state) {
    (void)state;
    assert_reads_as("C[row,col]=A[row,k]*B[k,col]", "C[row,col]=A[row,k]*B[k,col]");
    assert_reads_as("C[a1,_]=A[a1,i_2]*B[i_2,_]", "C[a1,_]=A[a1,i_2]*B[i_2,_]");
    assert_reads_as("my_C[a,b]=A[a,i]*B[i,b]", "my_C[a,b]=A[a,i]*B[i,b]");
}

static void conjugates_are_read(void **state) {
    (void)state;
    assert_reads_as("C_ab=conj(A)_ai*B_ib", "C_ab=conj(A)_ai*B_ib");
    assert_reads_as("C_ab = conj ( A )_ai * conj(B)[i,b]", "C_ab=conj(A)_ai*conj(B)_ib");
    assert_reads_as("C[row]=conj(my_A)[row,k]*B[k]", "C[row]=conj(my_A)[row,k]*B[k]");
    assert_reads_as("C=conj(A)_i*conj(B)_i", "C=conj(A)_i*conj(B)_i");
    assert_reads_as("C_a=A_a*conj(B)", "C_a=A_a*conj(B)");
    assert_reads_as("C_ab=A_ai*B_ib+conj(C)_ab", "C_ab=A_ai*B_ib+conj(C)_ab");
    assert_reads_as("C_ab=A_ai*B_ib-(0,2)*conj(C)_ab", "C_ab=A_ai*B_ib+(0,-2)*conj(C)_ab");
    assert_reads_as("C_ab=A_ai*B_ib+0*conj(C)_ab", "C_ab=A_ai*B_ib");
    assert_reads_as("C_ab=conj_ai*conj[i,b]", "C_ab=conj_ai*conj_ib");
}

static void the_conjugate_of_the_result_is_pushed_inwards(void **state) {
    (void)state;
    assert_reads_as("conj(C)_ab=A_ai*conj(B)_ib", "C_ab=conj(A)_ai*B_ib");
    assert_reads_as("conj(C)_ab=(1,2)*A_ai*B_ib+(3,4)*C_ab",
                    "C_ab=(1,-2)*conj(A)_ai*conj(B)_ib+(3,-4)*conj(C)_ab");
    assert_reads_as("conj(C)_ab=A_ai*B_ib+2*conj(C)_ab", "C_ab=conj(A)_ai*conj(B)_ib+2*C_ab");
    assert_reads_as("conj(C)_ab+=A_ai*B_ib", "C_ab+=conj(A)_ai*conj(B)_ib");
}

static void a_tensor_has_at_most_64_dimensions_though_its_indices_are_few(void **state) {
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_error error = {0};
    char text[100] = "C=A_";
    (void)state;
    memset(text + 4, 'i', 64);
    memcpy(text + 68, "*B_i", 5);
    assert_int_equal(tcplan_contraction_parse(&contraction, text, TCPLAN_COLUMN_MAJOR, &error),
                     TCPLAN_OK);
    tcplan_contraction_free(contraction);
    memcpy(text + 68, "i*B_i", 6);
    assert_refused(text, 69, 1, "tensor 'A' has more than 64 indices");
}

static void malformed_conjugates_are_refused(void **state) {
    (void)state;
    assert_refused(
        "C_ab=conj(A_ai)*B_ib", 11, 4,
        "expected the name of a tensor without '_', with its indices after the parenthesis, found 'A_ai'");
    assert_refused("C_ab=conj()_ai*B_ib", 11, 1,
                   "expected the name of a tensor, as in conj(A)_ai, found ')'");
    assert_refused("C_ab=conj(A", 12, 0,
                   "expected ')' after the name of a tensor, as in conj(A)_ai, found the end");
    assert_refused("C_ab=conj(A_ai*B_ib", 15, 1,
                   "expected ')' after the name of a tensor, as in conj(A)_ai, found '*'");
    assert_refused("C_ab=conj(A)_*B_ib", 13, 1,
                   "expected index letters after '_', found none; a scalar is written without '_'");
    assert_refused("C_ab=conj(C)_ai*B_ib", 6, 10,
                   "the result 'C' cannot be a factor of the product as well");
}

static void brackets_around_letters_become_letters(void **state) {
    (void)state;
    assert_reads_as("C[a,b]=A[a,i]*B[i,b]", "C_ab=A_ai*B_ib");
    assert_reads_as("C[a,b]=A_ai*B[i,b]+2*C_ab", "C_ab=A_ai*B_ib+2*C_ab");
}

static void einsum_is_read_with_operands_named_a_b_c(void **state) {
    (void)state;
    assert_reads_as("ai,ibc->abc", "C_abc=A_ai*B_ibc");
    assert_reads_as("i,i->", "C=A_i*B_i");
    assert_reads_as(",a->a", "C_a=A*B_a");
    assert_reads_as("a,->a", "C_a=A_a*B");
    assert_reads_as(",->", "C=A*B");
}

static void tensors_without_indices_are_scalars(void **state) {
    (void)state;
    assert_reads_as("C=A_i*B_i", "C=A_i*B_i");
    assert_reads_as("C[]=A[i]*B[i]", "C=A_i*B_i");
    assert_reads_as("C_a=A_a*B", "C_a=A_a*B");
    assert_reads_as("my_C[]=A[]*B", "my_C[]=A[]*B[]");
}

static void spaces_and_tabs_separate_tokens(void **state) {
    (void)state;
    assert_reads_as("  C_ab\t:= \t- 2 * A_ai *B_ib  + ( 1 , - 2 ) * C_ab \t",
                    "C_ab=-2*A_ai*B_ib+(1,-2)*C_ab");
    assert_reads_as(" C [ a , b ] = A [ a , i ] * B [ i , b ] ", "C_ab=A_ai*B_ib");
    assert_reads_as(" a i , i b -> a b ", "C_ab=A_ai*B_ib");
}

static void factors_multiply_to_alpha_and_beta(void **state) {
    (void)state;
    assert_reads_as("C_a=2*3*A_ai*B_i+4*0.5*C_a", "C_a=6*A_ai*B_i+2*C_a");
    assert_reads_as("C_a=(0,1)*(0,1)*A_ai*B_i-(0,1)*C_a", "C_a=-A_ai*B_i+(0,-1)*C_a");
    assert_reads_as("C_a=(2,-1)*A_ai*B_i", "C_a=(2,-1)*A_ai*B_i");
    assert_reads_as("C_a=(+1,0)*A_ai*B_i", "C_a=A_ai*B_i");
}

static void terms_come_in_either_order(void **state) {
    (void)state;
    assert_reads_as("C_a=2*C_a+3*A_ai*B_i", "C_a=3*A_ai*B_i+2*C_a");
    assert_reads_as("C_a=C_a+A_ai*B_i", "C_a+=A_ai*B_i");
    assert_reads_as("C_a=-C_a-A_ai*B_i", "C_a=-A_ai*B_i-C_a");
    assert_reads_as("C_a=+A_ai*B_i+C_a", "C_a+=A_ai*B_i");
    assert_reads_as("C_a+=-0.5*A_ai*B_i", "C_a+=-0.5*A_ai*B_i");
}

static void a_factor_of_zero_is_no_term_for_beta_and_stays_for_alpha(void **state) {
    (void)state;
    assert_reads_as("C_a=A_ai*B_i+0*C_a", "C_a=A_ai*B_i");
    assert_reads_as("C_a=A_ai*B_i-(0,0)*C_a", "C_a=A_ai*B_i");
    assert_reads_as("C_a=-0*A_ai*B_i", "C_a=0*A_ai*B_i");
}

static void decimal_numbers_are_read_in_every_form(void **state) {
    (void)state;
    assert_reads_as("C=1.*A_i*B_i", "C=A_i*B_i");
    assert_reads_as("C=.25*A_i*B_i", "C=0.25*A_i*B_i");
    assert_reads_as("C=1E+2*A_i*B_i", "C=100*A_i*B_i");
    assert_reads_as("C=12.5e-1*A_i*B_i", "C=1.25*A_i*B_i");
    assert_reads_as("C=0.1*A_i*B_i", "C=0.1*A_i*B_i");
    assert_reads_as("C=1e308*A_i*B_i", "C=1e+308*A_i*B_i");
}

static void both_operands_may_be_the_same_tensor(void **state) {
    (void)state;
    assert_reads_as("C_ab=A_ai*A_bi", "C_ab=A_ai*A_bi");
}

static void malformed_text_is_refused_with_its_position(void **state) {
    (void)state;
    static const char tensor[] = "expected a tensor such as A_ai or A[a,i], found ";
    static const struct {
        const char *text;
        size_t column, length;
        const char *prefix, *rest;
    } cases[] = {
        {"", 1, 0, "", "expected a contraction such as C_abc=A_ai*B_ibc, found the end"},
        {" \t", 3, 0, "", "expected a contraction such as C_abc=A_ai*B_ibc, found the end"},
        {"=", 1, 1, tensor, "'='"},
        {"2*C_a=A_ai*B_i", 1, 1, tensor, "'2'"},
        {"_a=A_ai*B_i", 1, 2, tensor, "'_a'"},
        {"C_ab", 5, 0, "", "expected '=', ':=', '+=' or '-=', found the end"},
        {"C_ab A_ai*B_ib", 6, 4, "", "expected '=', ':=', '+=' or '-=', found 'A_ai'"},
        {"C_ab: =A_ai*B_ib", 5, 1, "", "expected '=', ':=', '+=' or '-=', found ':'"},
        {"C_ab=", 6, 0, tensor, "the end"},
        {"C_ab==A_ai*B_ib", 6, 1, tensor, "'='"},
        {"C_ab=A_ai*", 11, 0, tensor, "the end"},
        {"C_ab=A_ai**B_ib", 11, 1, tensor, "'*'"},
        {"C_ab=--A_ai*B_ib", 7, 1, tensor, "'-'"},
        {"C_ab=A_ai*B_ib+", 16, 0, tensor, "the end"},
        {"C_ab=A_ai*B_ib+-2*C_ab", 16, 1, tensor, "'-'"},
        {"C_ab=A_ai*B_ib;", 15, 1, "", "expected '*', '+', '-' or the end, found ';'"},
        {"C_ab=A_ai*B_ib C_ab", 16, 4, "", "expected '*', '+', '-' or the end, found 'C_ab'"},
        {"C_ab=A_ai*B_ib*D_bb", 15, 1, "",
         "expected '+', '-' or the end after a product of two tensors, found '*'"},
        {"C_ab=A_ai*2*B_ib", 11, 1, "",
         "expected scalar factors in front of the tensors, found '2'"},
        {"C_ab=A_ai*(1,2)*B_ib", 11, 1, "",
         "expected scalar factors in front of the tensors, found '('"},
        {"C_=A_i*B_i", 2, 1, "",
         "expected index letters after '_', found none; a scalar is written without '_'"},
        {"C_a1=A_ai*B_i", 4, 1, "",
         "expected a letter as index, found '1'; longer names are written in brackets, as in A[row,k]"},
        {"C_a_b=A_ai*B_ib", 4, 1, "",
         "expected a letter as index, found '_'; longer names are written in brackets, as in A[row,k]"},
        {"C[a,b=A_ai*B_ib", 6, 1, "", "expected ',' or ']', found '='"},
        {"C[a,b", 6, 0, "", "expected ',' or ']', found the end"},
        {"C[", 3, 0, "", "expected an index name, found the end"},
        {"C[a,]=A_ai*B_i", 5, 1, "", "expected an index name, found ']'"},
        {"C[a,1b]=A_ai*B_i", 5, 2, "", "expected an index name, found '1b'"},
        {"C[a]_b=A_ai*B_ib", 1, 4, "",
         "the indices of a tensor follow '_' or are in one pair of brackets"},
        {"C[a][b]=A_ai*B_ib", 1, 4, "",
         "the indices of a tensor follow '_' or are in one pair of brackets"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char message[TCPLAN_MESSAGE_SIZE];
        snprintf(message, sizeof message, "%s%s", cases[i].prefix, cases[i].rest);
        assert_refused(cases[i].text, cases[i].column, cases[i].length, message);
    }
}

static void einsum_without_a_result_has_the_indices_that_are_there_once(void **state) {
    (void)state;
    assert_reads_as("ij,jk", "C_ik=A_ij*B_jk");
    assert_reads_as("kj,ji", "C_ik=A_kj*B_ji");
    assert_reads_as("ba,", "C_ab=A_ba*B");
    assert_reads_as("iij,k", "C_jk=A_iij*B_k");
    assert_reads_as("ij,ij", "C=A_ij*B_ij");
    assert_reads_as("aB,cD", "C_BDac=A_aB*B_cD");
    assert_reads_as(",", "C=A*B");
}

static void malformed_einsum_is_refused_with_its_position(void **state) {
    (void)state;
    assert_refused("ai->a", 3, 1,
                   "expected an index letter, or ',' and the second operand, found '-'");
    assert_refused("->a", 1, 1,
                   "expected an index letter, or ',' and the second operand, found '-'");
    assert_refused("ai,ib,c->ab", 6, 1,
                   "expected two operands and then '->' or the end, found ','");
    assert_refused("ai,ib->a1", 9, 1, "expected an index letter or the end, found '1'");
    assert_refused("a..,..b->ab", 2, 1, "expected '...' or an index letter, found '.'");
    assert_refused("...i,i->...", 1, 3, "'...' needs the shapes of both operands; found none");
    assert_refused("...", 4, 0,
                   "expected an index letter, or ',' and the second operand, found the end");
    assert_refused("ai,...ib...->ab", 9, 3, "expected one '...' in an operand, found a second one");
    assert_refused("ai,ib->ab->", 10, 1, "expected an index letter or the end, found '-'");
    assert_refused("ai,ib- >ab", 6, 1,
                   "expected an index letter, '->' and the result, or the end, found '-'");
}

static void malformed_numbers_are_refused_as_a_whole(void **state) {
    (void)state;
    static const char *const numbers[] = {"2A_ai", "0x10", "1e",  "1e+", "1.2.3", ".",
                                          "1_000", "1e5x", "2.e", ".e1", "1ee1"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char text[80], message[160];
        snprintf(text, sizeof text, "C_ab=%s*A_ai*B_ib", numbers[i]);
        snprintf(message, sizeof message,
                 "expected a decimal number such as 2, 0.5 or 1e-3 and then '*', found '%s'",
                 numbers[i]);
        assert_refused(text, 6, strlen(numbers[i]), message);
    }
    assert_refused("C=2 A_i*B_i", 5, 3, "expected '*' after a scalar factor, found 'A_i'");
    assert_refused("C=2", 4, 0, "expected '*' after a scalar factor, found the end");
    assert_refused("C=inf*A_i*B_i", 10, 1,
                   "expected '+', '-' or the end after a product of two tensors, found '*'");
    assert_refused("C=00000000001111111111222222222233333333334444444444555555555566666*A_i*B_i", 3,
                   65, "expected a decimal number of at most 64 characters, found 65");
}

static void malformed_complex_numbers_are_refused(void **state) {
    (void)state;
    assert_refused("C=(1 2)*A_i*B_i", 6, 1, "expected ',' and the imaginary part, found '2'");
    assert_refused("C=(1,2*A_i*B_i", 7, 1, "expected ')', found '*'");
    assert_refused("C=(,1)*A_i*B_i", 4, 1, "expected a decimal number, found ','");
    assert_refused("C=(1,)*A_i*B_i", 6, 1, "expected a decimal number, found ')'");
    assert_refused("C=(1,nan)*A_i*B_i", 6, 3, "expected a decimal number, found 'nan'");
    assert_refused("C=(1,--2)*A_i*B_i", 7, 1, "expected a decimal number, found '-'");
}

static void factors_beyond_a_double_are_refused(void **state) {
    (void)state;
    assert_refused("C=1e999*A_i*B_i", 3, 5, "'1e999' is beyond the largest double");
    assert_refused("C=1e99999999999999999999*A_i*B_i", 3, 22,
                   "'1e99999999999999999999' is beyond the largest double");
    assert_refused("C=1e200*1e200*A_i*B_i", 9, 5,
                   "the product of the scalar factors is beyond the largest double");
    assert_refused("C=(1e200,1e200)*(1e200,1e200)*A_i*B_i", 17, 13,
                   "the product of the scalar factors is beyond the largest double");
    assert_reads_as("C=1e-999*A_i*B_i", "C=0*A_i*B_i");
}

static void sums_that_are_no_contraction_are_refused(void **state) {
    (void)state;
    assert_refused(
        "C_a=A_ai", 5, 4,
        "expected '*' and a second tensor after 'A_ai', or the indices of the result 'C_a': 'i' is none of them");
    assert_refused("C_ab=C_ab", 10, 0, "expected '+' and a product of two tensors, found the end");
    assert_refused("C_ab=A_ai*B_ib+C_ba", 16, 4,
                   "expected the result as 'C_ab', found 'C_ba': same indices in the same order");
    assert_refused("C_ab=A_ai*B_ib+2*C_a", 18, 3,
                   "expected the result as 'C_ab', found 'C_a': same indices in the same order");
    assert_refused("C_ab=C_ab+A_ai*B_ib+2*C_ab", 21, 6,
                   "the result 'C_ab' is added twice; expected it once");
    assert_refused("C_a=A_ai*B_i-2*A_ai*B_i", 14, 10,
                   "expected one product of two tensors, found a second one: '2*A_ai*B_i'");
    assert_refused("C_ab+=A_ai*B_ib+2*C_ab", 17, 6,
                   "'+=' already adds the result once; write '=' with a factor");
    assert_refused("C_ab+=C_ab+A_ai*B_ib", 7, 4,
                   "'+=' already adds the result once; write '=' with a factor");
}

static void a_subtraction_from_the_result_changes_the_sign_of_alpha(void **state) {
    (void)state;
    assert_reads_as("C_ab-=A_ai*B_ib", "C_ab+=-A_ai*B_ib");
    assert_reads_as("C_ab -= -2*A_ai*B_ib", "C_ab+=2*A_ai*B_ib");
    assert_reads_as("conj(C)_ab-=(1,2)*A_ai*B_ib", "C_ab+=(-1,2)*conj(A)_ai*conj(B)_ib");
    assert_refused("D_ab-=A_ai*B_ib+C_ab", 17, 4,
                   "'-=' adds the result 'D_ab'; expected '=' where 'C_ab' is added");
    assert_refused("C_ab- =A_ai*B_ib", 5, 1, "expected '=', ':=', '+=' or '-=', found '-'");
}

static void a_scalar_may_be_a_fraction(void **state) {
    (void)state;
    assert_reads_as("C_ab=1/2*A_ai*B_ib", "C_ab=0.5*A_ai*B_ib");
    assert_reads_as("C_ab=A_ai*B_ib - 3 / 4 * 2*C_ab", "C_ab=A_ai*B_ib-1.5*C_ab");
    assert_reads_as("C_ab=(1,2)/4*A_ai*B_ib", "C_ab=(0.25,0.5)*A_ai*B_ib");
    assert_refused("C_ab=1/0*A_ai*B_ib", 8, 1, "a scalar is divided by 0");
    assert_refused("C_ab=1/A_ai*B_ib", 8, 4, "expected a decimal number, found 'A_ai'");
    assert_refused("C_ab=1/2A_ai*B_ib", 8, 5,
                   "expected a decimal number such as 2, 0.5 or 1e-3 and then '*', found '2A_ai'");
    assert_refused("C_ab=1/2/2*A_ai*B_ib", 9, 1, "expected '*' after a scalar factor, found '/'");
}

static void the_addend_may_be_a_separate_tensor(void **state) {
    (void)state;
    assert_reads_as("D_ab=A_ai*B_ib+2*C_ab", "D_ab=A_ai*B_ib+2*C_ab");
    assert_reads_as("D_ab = 3*A_ai*B_ib + 2*C_ba", "D_ab=3*A_ai*B_ib+2*C_ba");
    assert_reads_as("D_ab=C_ba-A_ai*B_ib", "D_ab=-A_ai*B_ib+C_ba");
    assert_reads_as("D[row]=A[row,k]*B[k]-my_C[row]", "D[row]=A[row,k]*B[k]-my_C[row]");
    assert_reads_as("D=A_i*B_i+(0,2)*C", "D=A_i*B_i+(0,2)*C");
    assert_reads_as("C_ab=A_ai*B_ib+0*D_ab", "C_ab=A_ai*B_ib+0*D_ab");
    assert_reads_as("D_ab=A_ai*B_ib+C_aab", "D_ab=A_ai*B_ib+C_aab");
    assert_reads_as("D_ab=A_ai*A_ib+A_ba", "D_ab=A_ai*A_ib+A_ba");
}

static void a_conjugated_addend_is_read(void **state) {
    (void)state;
    assert_reads_as("D_ab=A_ai*B_ib+2*conj(C)_ab", "D_ab=A_ai*B_ib+2*conj(C)_ab");
    assert_reads_as("D_ab=A_ai*B_ib+0*conj(C)_ab", "D_ab=A_ai*B_ib+0*C_ab");
    assert_reads_as("conj(D)_ab=(1,2)*A_ai*B_ib+(3,4)*C_ab",
                    "D_ab=(1,-2)*conj(A)_ai*conj(B)_ib+(3,-4)*conj(C)_ab");
    assert_reads_as("conj(D)_ab=A_ai*B_ib+2*conj(C)_ba", "D_ab=conj(A)_ai*conj(B)_ib+2*C_ba");
}

static void an_invalid_addend_is_refused(void **state) {
    (void)state;
    assert_refused(
        "D_ab=A_ai*B_ib+2*C_a", 18, 3,
        "expected '*' and a second tensor after 'C_a', or the indices of the result 'D_ab': 'b' is missing");
    assert_refused(
        "D_ab=A_ai*B_ib+C_abi", 16, 5,
        "expected '*' and a second tensor after 'C_abi', or the indices of the result 'D_ab': 'i' is none of them");
    assert_refused("D_ab=A_ai*B_ib+C_ab+2*E_ab", 21, 6,
                   "'C_ab' is added to the product already; expected one such tensor");
    assert_refused("D_ab=A_ai*B_ib+C_ab+2*D_ab", 21, 6,
                   "'C_ab' is added to the product already; expected one such tensor");
    assert_refused("D_ab=D_ab+A_ai*B_ib+C_ab", 21, 4,
                   "'D_ab' is added to the product already; expected one such tensor");
    assert_refused("D_ab+=A_ai*B_ib+C_ab", 17, 4,
                   "'+=' adds the result 'D_ab'; expected '=' where 'C_ab' is added");
    assert_refused("D_ab=C_ab", 10, 0, "expected '+' and a product of two tensors, found the end");
    assert_refused("D_ab=A_abi*B_i+A_ab", 16, 4, "tensor 'A' has rank 2 here and rank 3 before");
    assert_refused("D_ab=B_ba+A_ai*B_bci", 16, 5, "tensor 'B' has rank 3 here and rank 2 before");
}

static void conjugates_are_named_outside_the_notation(void **state) {
    (void)state;
    static const struct {
        const char *text, *names, *expected; /* NULL: refused */
        size_t column;
    } cases[] = {
        {"ai,ib->ab", "A", "C_ab=conj(A)_ai*B_ib", 0},
        {"ai,ib->ab", " A , B ", "C_ab=conj(A)_ai*conj(B)_ib", 0},
        {"ai,ib->ab", "", "C_ab=A_ai*B_ib", 0},
        {"ai,ib->ab", "C,A", "C_ab=A_ai*conj(B)_ib", 0},
        {"D_ab=(1,2)*A_ai*A_ib+(0,1)*C_ab", "C,A",
         "D_ab=(1,2)*conj(A)_ai*conj(A)_ib+(0,1)*conj(C)_ab", 0},
        {"C_ab=A_ai*B_ib+(0,1)*C_ab", "C", "C_ab=conj(A)_ai*conj(B)_ib+(0,-1)*conj(C)_ab", 0},
        {"ai,ib->ab", "D", NULL, 1},
        {"ai,ib->ab", "A,A", NULL, 3},
        {"ai,ib->ab", "C,C", NULL, 3},
        {"C_ab=conj(A)_ai*B_ib", "B,A", NULL, 3},
        {"ai,ib->ab", "A,", NULL, 3},
        {"ai,ib->ab", "A B", NULL, 3}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct tcplan_contraction *contraction = NULL;
        struct tcplan_error error = {0};
        assert_int_equal(
            tcplan_contraction_parse(&contraction, cases[c].text, TCPLAN_COLUMN_MAJOR, NULL),
            TCPLAN_OK);
        char *before = tcplan_contraction_text(contraction);
        const enum tcplan_status status =
            tcplan_conjugates_parse(contraction, cases[c].names, &error);
        char *after = tcplan_contraction_text(contraction);
        assert_int_equal(status, cases[c].expected ? TCPLAN_OK : TCPLAN_INVALID);
        assert_string_equal(after, cases[c].expected ? cases[c].expected : before);
        if (!cases[c].expected) assert_int_equal(error.column, cases[c].column);
        free(before);
        free(after);
        tcplan_contraction_free(contraction);
    }
}

static void aliases_are_refused(void **state) {
    (void)state;
    assert_refused("C_ab=C_ai*B_ib", 6, 4,
                   "the result 'C' cannot be a factor of the product as well");
    assert_refused("C_ab=A_ai*C[i,b]", 11, 6,
                   "the result 'C' cannot be a factor of the product as well");
    assert_refused("C_ab=A_ai*A_bii", 11, 5, "tensor 'A' has rank 3 here and rank 2 before");
}

static void bytes_that_are_not_printable_ascii_are_refused(void **state) {
    (void)state;
    assert_refused("C\xc3\xa9_a=A_ai*B_i", 2, 1, "byte 0xc3 at position 2 is not printable ASCII");
    assert_refused("C_a=A_ai*B_i\n", 13, 1, "byte 0x0a at position 13 is not printable ASCII");
    assert_refused("\x7f", 1, 1, "byte 0x7f at position 1 is not printable ASCII");
    assert_refused("\xff\xfe", 1, 1, "byte 0xff at position 1 is not printable ASCII");
}

/** Parses every text of `length` characters of `alphabet`; crashes and leaks are the failures. */
static void parse_everything(const char *alphabet, size_t length) {
    size_t letters = strlen(alphabet), count = 1;
    for (size_t i = 0; i < length; i++) count *= letters;
    for (size_t number = 0; number < count; number++) {
        char text[16] = "";
        size_t rest = number;
        for (size_t i = 0; i < length; i++, rest /= letters) text[i] = alphabet[rest % letters];
        struct tcplan_contraction *contraction = NULL;
        struct tcplan_error error = {0};
        if (tcplan_contraction_parse(&contraction, text, TCPLAN_COLUMN_MAJOR, &error) !=
            TCPLAN_OK) {
            assert_true(error.message[0] != '\0' && error.column - 1 + error.length <= length);
        }
        tcplan_contraction_free(contraction);
    }
}

static void every_short_text_is_read_or_refused_with_a_mark(void **state) {
    (void)state;
    parse_everything("AC_a=*-+:[](),>2.e \x80", 4);
    parse_everything("C_a=*[", 6);
}

static void every_prefix_of_a_contraction_can_be_parsed_safely(void **state) {
    (void)state;
    static const char whole[] = "C[row,col] := -0.5*(1,-2e3)*A[row,k]*B[k,col] + 2*C[row,col]";
    for (size_t length = 0; length < sizeof whole - 1; length++) {
        char text[sizeof whole] = "";
        memcpy(text, whole, length);
        struct tcplan_contraction *contraction = NULL;
        struct tcplan_error error = {0};
        enum tcplan_status status =
            tcplan_contraction_parse(&contraction, text, TCPLAN_COLUMN_MAJOR, &error);
        assert_true(status == TCPLAN_OK || error.column - 1 + error.length <= length);
        tcplan_contraction_free(contraction);
    }
}

static void a_megabyte_of_random_bytes_is_handled(void **state) {
    (void)state;
    enum { BYTES = 1 << 20 };
    static const char fillers[] = "C_=*[(-+a,12. ";
    char *text = malloc(BYTES + 1);
    for (size_t f = 0; f < sizeof fillers - 1; f++) {
        memset(text, fillers[f], BYTES);
        text[BYTES] = '\0';
        struct tcplan_error error;
        struct tcplan_contraction *contraction = NULL;
        assert_int_equal(tcplan_contraction_parse(&contraction, text, TCPLAN_COLUMN_MAJOR, &error),
                         TCPLAN_INVALID);
        assert_true(strlen(error.message) < 200);
    }
    free(text);
}

static void the_error_argument_is_optional(void **state) {
    (void)state;
    struct tcplan_contraction *contraction = NULL;
    assert_int_equal(tcplan_contraction_parse(&contraction, "C_a=", TCPLAN_COLUMN_MAJOR, NULL),
                     TCPLAN_INVALID);
    assert_null(contraction);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_after_an_underscore_are_indices),
        cmocka_unit_test(names_in_brackets_are_read),
        cmocka_unit_test(conjugates_are_read),
        cmocka_unit_test(the_conjugate_of_the_result_is_pushed_inwards),
        cmocka_unit_test(a_tensor_has_at_most_64_dimensions_though_its_indices_are_few),
        cmocka_unit_test(malformed_conjugates_are_refused),
        cmocka_unit_test(brackets_around_letters_become_letters),
        cmocka_unit_test(einsum_is_read_with_operands_named_a_b_c),
        cmocka_unit_test(tensors_without_indices_are_scalars),
        cmocka_unit_test(spaces_and_tabs_separate_tokens),
        cmocka_unit_test(factors_multiply_to_alpha_and_beta),
        cmocka_unit_test(terms_come_in_either_order),
        cmocka_unit_test(a_factor_of_zero_is_no_term_for_beta_and_stays_for_alpha),
        cmocka_unit_test(decimal_numbers_are_read_in_every_form),
        cmocka_unit_test(both_operands_may_be_the_same_tensor),
        cmocka_unit_test(malformed_text_is_refused_with_its_position),
        cmocka_unit_test(einsum_without_a_result_has_the_indices_that_are_there_once),
        cmocka_unit_test(malformed_einsum_is_refused_with_its_position),
        cmocka_unit_test(malformed_numbers_are_refused_as_a_whole),
        cmocka_unit_test(malformed_complex_numbers_are_refused),
        cmocka_unit_test(factors_beyond_a_double_are_refused),
        cmocka_unit_test(sums_that_are_no_contraction_are_refused),
        cmocka_unit_test(a_subtraction_from_the_result_changes_the_sign_of_alpha),
        cmocka_unit_test(a_scalar_may_be_a_fraction),
        cmocka_unit_test(the_addend_may_be_a_separate_tensor),
        cmocka_unit_test(a_conjugated_addend_is_read),
        cmocka_unit_test(an_invalid_addend_is_refused),
        cmocka_unit_test(conjugates_are_named_outside_the_notation),
        cmocka_unit_test(aliases_are_refused),
        cmocka_unit_test(bytes_that_are_not_printable_ascii_are_refused),
        cmocka_unit_test(every_short_text_is_read_or_refused_with_a_mark),
        cmocka_unit_test(every_prefix_of_a_contraction_can_be_parsed_safely),
        cmocka_unit_test(a_megabyte_of_random_bytes_is_handled),
        cmocka_unit_test(the_error_argument_is_optional),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
