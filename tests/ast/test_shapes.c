#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tcplan/shapes.h"

static struct tcplan_shapes *shapes_of(const char *text) {
    struct tcplan_shapes *shapes = NULL;
    struct tcplan_error error;
    if (tcplan_shapes_parse(&shapes, text, &error) != TCPLAN_OK)
        fail_msg("%s: %s", text, error.message);
    return shapes;
}

/** Checks that a contraction and the shapes in `text` give the expected contraction and sizes, such
 * as "C_ik=A_ij*B_jk i=2,k=4,j=3". */
static void assert_means(const char *contraction_text, const char *text, const char *expected) {
    struct tcplan_shapes *shapes = shapes_of(text);
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_sizes *sizes = NULL;
    struct tcplan_error error;
    int64_t extent[TCPLAN_MAX_INDICES];
    char found[400];
    if (tcplan_contraction_parse_shaped(&contraction, contraction_text, shapes, TCPLAN_ROW_MAJOR,
                                        &error) != TCPLAN_OK) {
        fail_msg("%s: %s", contraction_text, error.message);
    }
    if (tcplan_shapes_sizes(&sizes, shapes, contraction, &error) != TCPLAN_OK)
        fail_msg("%s: %s", text, error.message);
    assert_true(tcplan_sizes_count(sizes) == 1);
    tcplan_sizes_point(sizes, 0, extent);
    char *canonical = tcplan_contraction_text(contraction);
    int length = snprintf(found, sizeof found, "%s ", canonical);
    for (int i = 0; i < contraction->index_count; i++) {
        length += snprintf(found + length, sizeof found - (size_t)length, "%s%s=%lld",
                           i > 0 ? "," : "", contraction->index[i].name, (long long)extent[i]);
    }
    assert_string_equal(found, expected);
    free(canonical);
    tcplan_sizes_free(sizes);
    tcplan_contraction_free(contraction);
    tcplan_shapes_free(shapes);
}

static void assert_error(const struct tcplan_error *error, size_t column, size_t length,
                         const char *message) {
    assert_string_equal(error->message, message);
    if (error->column != column || error->length != length) {
        fail_msg("%s: marks %zu+%zu, expected %zu+%zu", message, error->column, error->length,
                 column, length);
    }
}

static void assert_malformed(const char *text, size_t column, size_t length, const char *message) {
    struct tcplan_shapes *shapes = NULL;
    struct tcplan_error error;
    assert_int_equal(tcplan_shapes_parse(&shapes, text, &error), TCPLAN_INVALID);
    assert_null(shapes);
    assert_error(&error, column, length, message);
}

/** Checks that a contraction with an ellipsis is refused with these shapes. */
static void assert_no_contraction(const char *contraction_text, const char *text, size_t column,
                                  size_t length, const char *message) {
    struct tcplan_shapes *shapes = shapes_of(text);
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_error error;
    assert_int_equal(tcplan_contraction_parse_shaped(&contraction, contraction_text, shapes,
                                                     TCPLAN_ROW_MAJOR, &error),
                     TCPLAN_INVALID);
    assert_error(&error, column, length, message);
    tcplan_shapes_free(shapes);
}

/** Checks that shapes do not match a contraction. */
static void assert_no_sizes(const char *contraction_text, const char *text, size_t column,
                            size_t length, const char *message) {
    struct tcplan_shapes *shapes = shapes_of(text);
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_sizes *sizes = NULL;
    struct tcplan_error error;
    assert_int_equal(tcplan_contraction_parse_shaped(&contraction, contraction_text, shapes,
                                                     TCPLAN_ROW_MAJOR, NULL),
                     TCPLAN_OK);
    assert_int_equal(tcplan_shapes_sizes(&sizes, shapes, contraction, &error), TCPLAN_INVALID);
    assert_null(sizes);
    assert_error(&error, column, length, message);
    tcplan_contraction_free(contraction);
    tcplan_shapes_free(shapes);
}

static void shapes_are_equivalent_to_sizes(void **state) {
    (void)state;
    assert_means("ij,jk->ik", "2,3 3,4", "C_ik=A_ij*B_jk i=2,k=4,j=3");
    assert_means("ij,jk", "2x3 3x4", "C_ik=A_ij*B_jk i=2,k=4,j=3");
    assert_means("ij,jk", " (2, 3)  [3 ,4] ", "C_ik=A_ij*B_jk i=2,k=4,j=3");
    assert_means("ij,jk", "(2,3),(3,4)", "C_ik=A_ij*B_jk i=2,k=4,j=3");
    assert_means("ij,jk", "2, 3 3 ,4", "C_ik=A_ij*B_jk i=2,k=4,j=3");
    assert_means("iij,j", "2,2,3 3", "C=A_iij*B_j i=2,j=3");
    assert_means("C[row]=2*A[row,k]*B[k]", "2,3 3", "C[row]=2*A[row,k]*B[k] row=2,k=3");
}

static void scalars_have_empty_shapes(void **state) {
    (void)state;
    assert_means(",i", "() (3,)", "C_i=A*B_i i=3");
    assert_means("i,", "3", "C_i=A_i*B i=3");
    assert_means("i,", "3 []", "C_i=A_i*B i=3");
    assert_means(",", "", "C=A*B ");
}

static void an_ellipsis_represents_the_other_dimensions(void **state) {
    (void)state;
    assert_means("...ij,...jk->...ik", "5,2,3 5,3,4", "C_aik=A_aij*B_ajk a=5,i=2,k=4,j=3");
    assert_means("...ij,...jk", "5,2,3 5,3,4", "C_aik=A_aij*B_ajk a=5,i=2,k=4,j=3");
    assert_means("...ij,...jk", "2,3 3,4", "C_ik=A_ij*B_jk i=2,k=4,j=3");
    assert_means("...ij,...jk", "5,2,3 6,5,3,4", "C_abik=A_bij*B_abjk a=6,b=5,i=2,k=4,j=3");
    assert_means("...ij,jk", "7,5,2,3 3,4", "C_abik=A_abij*B_jk a=7,b=5,i=2,k=4,j=3");
    assert_means("a...b,b...->...a", "2,5,3 3,5", "C_ca=A_acb*B_bc c=5,a=2,b=3");
    assert_means("i...,i...->...", "3,5,6 3,5,6", "C_ab=A_iab*B_iab a=5,b=6,i=3");
    assert_means("ij,jk->...ik", "2,3 3,4", "C_ik=A_ij*B_jk i=2,k=4,j=3");
}

static void a_dimension_of_one_is_left_out_where_it_meets_a_larger_one(void **state) {
    (void)state;
    assert_means("...ij,...jk", "1,2,3 5,3,4", "C_aik=A_ij*B_ajk a=5,i=2,k=4,j=3");
    assert_means("...ij,...jk", "7,1,2,3 1,5,3,4", "C_abik=A_aij*B_bjk a=7,b=5,i=2,k=4,j=3");
    assert_means("i...j,...jk", "2,1,3 5,3,4", "C_aik=A_ij*B_ajk a=5,i=2,k=4,j=3");
    assert_means("...ij,...jk", "1,2,3 0,3,4", "C_aik=A_ij*B_ajk a=0,i=2,k=4,j=3");
    assert_means("...ij,...jk", "1,2,3 1,3,4", "C_aik=A_aij*B_ajk a=1,i=2,k=4,j=3");
}

static void malformed_shapes_are_refused_with_their_position(void **state) {
    (void)state;
    assert_malformed("2,3 3,4 5", 9, 1, "expected the end after two shapes, found '5'");
    assert_malformed("2,,3 3", 3, 1, "expected an extent, found ','");
    assert_malformed("2, 3,", 6, 0, "expected an extent, found the end");
    assert_malformed("(2,3 3,4", 6, 1, "expected ',' or ')', found '3'");
    assert_malformed("[2,3) 3,4", 5, 1, "expected ',' or ']', found ')'");
    assert_malformed("(,) 3", 2, 1, "expected an extent, found ','");
    assert_malformed("2,3.5 3", 3, 3, "expected an extent as a whole number, found '3.5'");
    assert_malformed("2,-3 3", 3, 2, "expected an extent of at least 0, found '-3'");
    assert_malformed("2,4294967296 3", 3, 10,
                     "'4294967296' exceeds the largest BLAS integer, 2147483647");
    assert_malformed("i=2 3", 1, 1, "expected an extent as a whole number, found 'i'");
}

static void more_extents_than_a_tensor_has_indices_are_refused(void **state) {
    (void)state;
    char text[2 * (TCPLAN_MAX_RANK + 1) + 1] = "";
    for (int d = 0; d <= TCPLAN_MAX_RANK; d++) strcat(text, d > 0 ? ",1" : "1");
    assert_malformed(text, 2 * TCPLAN_MAX_RANK + 1, 1,
                     "extent '1' is one too many: a tensor has at most 64 indices");
}

static void mismatches_are_marked_in_the_shapes(void **state) {
    (void)state;
    assert_no_sizes("ij,jk", "2,3 4,5", 5, 1,
                    "expected the extent 3, which index 'j' has already, found 4");
    assert_no_sizes("ii,i", "2,33 2", 3, 2,
                    "expected the extent 2, which index 'i' has already, found 33");
    assert_no_sizes(
        "ij,jk", "(2,3,4) 3,4", 1, 7,
        "expected 2 extents, one for each index of 'A', found 3 (a space ends the extents of a tensor)");
    assert_no_sizes("ij,j", "2,3", 4, 0, "expected 1 extent, one for each index of 'B', found 0");
}

static void ellipses_that_do_not_match_are_refused(void **state) {
    (void)state;
    assert_no_contraction(
        "...ij,...jk", "5,2,3 6,3,4", 7, 3,
        "expected the extent 5 or 1 in dimension 1 of '...', counted from its last one, found 6");
    assert_no_contraction("...ij,...jk", "2 6,3,4", 1, 5,
                          "expected a shape of 2 extents or more, found one of 1");
    assert_no_contraction("...ij,...jk->ik", "5,2,3 5,3,4", 14, 2,
                          "expected '...' in the result as well: it represents 1 index");
    assert_no_contraction("abcdefghijklmnopqrstuvwxyz...,ABCDEFGHIJKLMNOPQRSTUVWXYZ->...",
                          "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", 27, 3,
                          "'...' represents 1 indices, but only 0 letters are left for them");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_equivalent_to_sizes),
        cmocka_unit_test(scalars_have_empty_shapes),
        cmocka_unit_test(an_ellipsis_represents_the_other_dimensions),
        cmocka_unit_test(a_dimension_of_one_is_left_out_where_it_meets_a_larger_one),
        cmocka_unit_test(malformed_shapes_are_refused_with_their_position),
        cmocka_unit_test(more_extents_than_a_tensor_has_indices_are_refused),
        cmocka_unit_test(mismatches_are_marked_in_the_shapes),
        cmocka_unit_test(ellipses_that_do_not_match_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
