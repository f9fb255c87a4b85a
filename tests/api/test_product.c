/* Tests products made from text, lists and einsum, and the messages about invalid input. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "support/listed_product.h"
#include "tcplan/tcplan.h"

static void assert_text(char *text, const char *expected) {
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

/* From text. */

static void a_product_from_text_returns_its_text_and_sizes(void **state) {
    struct tcplan_product *product = NULL;
    int64_t extent[3], stride[3], first;
    (void)state;
    assert_int_equal(tcplan_product_parse(&product, "D_ab=0.5*A_ai*B_ib+2*C_ba", "a=3,b=4,i=5",
                                          "A=1,-3", TCPLAN_FLOAT_COMPLEX, TCPLAN_ROW_MAJOR, NULL),
                     TCPLAN_OK);
    assert_text(tcplan_product_text(product), "D_ab=0.5*A_ai*B_ib+2*C_ba");
    assert_text(tcplan_product_sizes(product), "a=3,b=4,i=5");
    assert_text(tcplan_product_strides(product), "A=1,-3");
    assert_int_equal(tcplan_product_dtype(product), TCPLAN_FLOAT_COMPLEX);
    assert_int_equal(tcplan_product_order(product), TCPLAN_ROW_MAJOR);
    assert_true(tcplan_product_has_addend(product));
    assert_true(tcplan_product_flops(product) == 8.0 * 3 * 4 * 5);
    assert_int_equal(tcplan_product_rank(product, TCPLAN_ADDEND), 2);
    assert_int_equal(tcplan_product_shape(product, TCPLAN_ADDEND, extent, stride), TCPLAN_OK);
    assert_true(extent[0] == 4 && extent[1] == 3 && stride[0] == 3 && stride[1] == 1);
    assert_int_equal(tcplan_product_shape(product, TCPLAN_A, extent, stride), TCPLAN_OK);
    assert_true(extent[0] == 3 && extent[1] == 5 && stride[0] == 1 && stride[1] == -3);
    assert_int_equal(tcplan_product_span(product, TCPLAN_A, &first), 3 + 3 * 4);
    assert_int_equal(first, 12);
    tcplan_product_free(product);
    tcplan_product_free(NULL);
}

static void the_library_reports_its_version_and_statuses(void **state) {
    (void)state;
    assert_string_equal(tcplan_version(), TCPLAN_VERSION_STRING);
    assert_string_equal(tcplan_status_text(TCPLAN_NO_MEMORY), "out of memory");
    assert_string_equal(tcplan_status_text((enum tcplan_status)99), "unknown status");
}

/** Executes a plan of scalars with factors other than the product's: D := conj(alpha A B + beta C).
 */
static void assert_executes_conjugated(const struct tcplan_product *product) {
    const double A[2] = {2, 3}, B[2] = {1, -1}, C[2] = {0, 1}, alpha[2] = {0, 1}, beta[2] = {1, 1};
    double D[2] = {7, 7};
    struct tcplan_plan *plan = NULL;
    struct tcplan_error error = {0};
    if (tcplan_plan_new(&plan, NULL, product, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    const struct tcplan_execution execution = {
        .size = sizeof execution, .A = A, .B = B, .C = C, .D = D, .alpha = alpha, .beta = beta};
    if (tcplan_plan_run(plan, &execution, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    assert_true(D[0] == -1 - 1 && D[1] == -5 - 1); /* alpha A B + beta C = i (2+3i) (1-i) + (1+i) i
                                                      = (-1+5i) + (-1+i), then conjugated */
    tcplan_plan_free(plan);
}

static void a_conjugated_result_survives_its_text(void **state) {
    const struct tcplan_dimensions plain = {.rank = 0},
                                   conjugated = {.rank = 0, .conjugated = true};
    struct tcplan_product *product = NULL, *again = NULL;
    (void)state;
    assert_int_equal(tcplan_product_make(&product, &plain, &plain, &plain, &conjugated,
                                         TCPLAN_DOUBLE_COMPLEX, TCPLAN_COLUMN_MAJOR, NULL),
                     TCPLAN_OK);
    assert_executes_conjugated(product);
    char *text = tcplan_product_text(product);
    assert_non_null(text);
    assert_string_equal(text, "conj(D)=A*B+C");
    assert_int_equal(tcplan_product_parse(&again, text, NULL, NULL, TCPLAN_DOUBLE_COMPLEX,
                                          TCPLAN_COLUMN_MAJOR, NULL),
                     TCPLAN_OK);
    assert_executes_conjugated(again);
    assert_text(tcplan_product_text(again), text);
    free(text);
    tcplan_product_free(product);
    tcplan_product_free(again);
}

static void assert_parse_refused(const char *notation, const char *sizes, const char *strides,
                                 enum tcplan_status status, const char *why) {
    struct tcplan_product *product = NULL;
    struct tcplan_error error = {0};
    assert_int_equal(tcplan_product_parse(&product, notation, sizes, strides, TCPLAN_DOUBLE,
                                          TCPLAN_COLUMN_MAJOR, &error),
                     status);
    assert_null(product);
    if (!strstr(error.message, why)) fail_msg("'%s' lacks '%s'", error.message, why);
    assert_int_equal(tcplan_product_parse(&product, notation, sizes, strides, TCPLAN_DOUBLE,
                                          TCPLAN_COLUMN_MAJOR, NULL),
                     status);
}

static void wrong_texts_are_refused_with_their_names(void **state) {
    struct tcplan_product *product = NULL;
    struct tcplan_error error = {0};
    (void)state;
    assert_parse_refused(NULL, "a=1", NULL, TCPLAN_INVALID, "found NULL");
    assert_parse_refused("C_ab=A_ai*", "a=1", NULL, TCPLAN_INVALID, "tensor");
    assert_parse_refused("C_ab=A_ai*B_ib", "a=1", NULL, TCPLAN_INVALID,
                         "sizes: no extent for indices b, i");
    assert_parse_refused("C_ab=A_ai*B_ib", NULL, NULL, TCPLAN_INVALID, "sizes: no extent");
    assert_parse_refused("C_ab=A_ai*B_ib", "a=b=1:4:1,i=2", NULL, TCPLAN_INVALID,
                         "sizes: expected one size point, found a sweep of 4 points");
    assert_parse_refused("C_ab=A_ai*B_ib", "a=b=2,i=2", "A=1", TCPLAN_INVALID,
                         "strides: expected 2 strides");
    assert_parse_refused("C_ab=A_ai*B_ib", "a=b=2,i=2", "C=1,1", TCPLAN_INVALID,
                         "have the same address");
    assert_parse_refused("C_ab=A_ai*B_ib", "a=b=2147483647,i=2", "C=4000000000,1", TCPLAN_OVERFLOW,
                         "exceed");
    assert_int_equal(tcplan_product_parse(&product, "C_ab=A_ai*B_ib", "a=b=i=1,x=3", NULL,
                                          TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, &error),
                     TCPLAN_INVALID);
    assert_int_equal(error.column, 9); /* column of the error in the text of the sizes */
    assert_int_equal(
        tcplan_product_parse(NULL, "C=A*B", NULL, NULL, TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, &error),
        TCPLAN_INVALID);
    assert_int_equal(tcplan_product_parse(&product, "C=A*B", NULL, NULL, TCPLAN_DTYPES,
                                          TCPLAN_COLUMN_MAJOR, &error),
                     TCPLAN_INVALID);
    assert_int_equal(tcplan_product_parse(&product, "C=A*B", NULL, NULL, TCPLAN_DOUBLE,
                                          (enum tcplan_order)7, &error),
                     TCPLAN_INVALID);
    assert_null(product);
}

/* From lists. */

static void lists_follow_the_notation(void **state) {
    const int64_t a[] = {-5, INT64_MAX, -5}, ea[] = {3, 4, 3}, b[] = {INT64_MAX, 0, 77},
                  eb[] = {4, 2, 6}, d[] = {0, -5}, ed[] = {2, 3};
    const int64_t c[] = {-5, 0}, ec[] = {3, 2}, sc[] = {1, 10};
    const struct tcplan_dimensions A = {.rank = 3, .label = a, .extent = ea, .conjugated = true},
                                   B = {.rank = 3, .label = b, .extent = eb};
    const struct tcplan_dimensions D = {.rank = 2, .label = d, .extent = ed},
                                   C = {.rank = 2, .label = c, .extent = ec, .stride = sc};
    struct tcplan_product *product = NULL;
    (void)state;
    assert_int_equal(tcplan_product_make(&product, &A, &B, NULL, &D, TCPLAN_DOUBLE_COMPLEX,
                                         TCPLAN_COLUMN_MAJOR, NULL),
                     TCPLAN_OK);
    assert_text(tcplan_product_text(product), "C_ab=conj(A)_bcb*B_cad");
    assert_text(tcplan_product_sizes(product), "a=2,b=3,c=4,d=6");
    tcplan_product_free(product);
    assert_int_equal(
        tcplan_product_make(&product, &A, &B, &C, &D, TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, NULL),
        TCPLAN_OK);
    assert_text(tcplan_product_text(product), "D_ab=A_bcb*B_cad+C_ba");
    assert_text(tcplan_product_strides(product), "C=1,10");
    tcplan_product_free(product);
}

static void labels_that_are_letters_are_the_names(void **state) {
    const int64_t a[] = {'x', 'K'}, e[] = {2, 2}, b[] = {'K', 'y'}, d[] = {'x', 'y'};
    const struct tcplan_dimensions A = {.rank = 2, .label = a, .extent = e},
                                   B = {.rank = 2, .label = b, .extent = e};
    const struct tcplan_dimensions D = {.rank = 2, .label = d, .extent = e};
    struct tcplan_product *product = NULL;
    (void)state;
    assert_int_equal(
        tcplan_product_make(&product, &A, &B, NULL, &D, TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, NULL),
        TCPLAN_OK);
    assert_text(tcplan_product_text(product), "C_xy=A_xK*B_Ky");
    tcplan_product_free(product);
}

static void scalars_have_no_lists(void **state) {
    const struct tcplan_dimensions scalar = {0};
    const double two = 2, three = 3;
    double result = 0;
    struct tcplan_product *product = NULL;
    struct tcplan_plan *plan = NULL;
    (void)state;
    assert_int_equal(tcplan_product_make(&product, &scalar, &scalar, NULL, &scalar, TCPLAN_DOUBLE,
                                         TCPLAN_COLUMN_MAJOR, NULL),
                     TCPLAN_OK);
    assert_text(tcplan_product_text(product), "C=A*B");
    assert_text(tcplan_product_sizes(product), "");
    assert_int_equal(tcplan_product_rank(product, TCPLAN_C), 0);
    assert_int_equal(tcplan_product_rank(product, TCPLAN_ADDEND), -1);
    assert_int_equal(tcplan_plan_new(&plan, NULL, product, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_plan_execute(plan, &two, &three, &result, NULL), TCPLAN_OK);
    assert_true(result == 6);
    tcplan_plan_free(plan);
    tcplan_product_free(product);
}

static void strides_of_dense_tensors_are_found_to_be_dense_in_either_order(void **state) {
    const int64_t a[] = {1, 2}, b[] = {2, 3}, d[] = {1, 3}, ea[] = {3, 4}, eb[] = {4, 5},
                  ed[] = {3, 5};
    const int64_t sa[] = {4, 1}, sb[] = {5, 1}, sd[] = {5, 1};
    const struct tcplan_dimensions A = {.rank = 2, .label = a, .extent = ea, .stride = sa};
    const struct tcplan_dimensions B = {.rank = 2, .label = b, .extent = eb, .stride = sb};
    const struct tcplan_dimensions D = {.rank = 2, .label = d, .extent = ed, .stride = sd};
    struct tcplan_product *product = NULL;
    int64_t stride[2];
    (void)state;
    assert_int_equal(
        tcplan_product_make(&product, &A, &B, NULL, &D, TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, NULL),
        TCPLAN_OK);
    assert_int_equal(tcplan_product_order(product), TCPLAN_ROW_MAJOR);
    assert_text(tcplan_product_strides(product), "");
    assert_int_equal(tcplan_product_shape(product, TCPLAN_A, NULL, stride), TCPLAN_OK);
    assert_true(stride[0] == 4 && stride[1] == 1);
    tcplan_product_free(product);
}

/** Valid arguments for a product of two matrices. Each test makes one of them invalid. */
struct lists {
    int64_t label[4][3], extent[4][3], stride[3];
    struct tcplan_dimensions A, B, C, D;
};

static struct lists *good_lists(struct lists *out) {
    static const int64_t label[4][3] = {{1, 9, 0}, {9, 2, 0}, {2, 1, 0}, {1, 2, 0}},
                         extent[4][3] = {{3, 4, 2}, {4, 5, 2}, {5, 3, 2}, {3, 5, 2}};
    memcpy(out->label, label, sizeof label);
    memcpy(out->extent, extent, sizeof extent);
    memset(out->stride, 0, sizeof out->stride);
    struct tcplan_dimensions *tensor[] = {&out->A, &out->B, &out->C, &out->D};
    for (int t = 0; t < 4; t++)
        *tensor[t] =
            (struct tcplan_dimensions){.rank = 2, .label = out->label[t], .extent = out->extent[t]};
    return out;
}

static void assert_lists_refused(const struct lists *lists, const char *why) {
    struct tcplan_product *product = NULL;
    struct tcplan_error error = {0};
    assert_int_equal(tcplan_product_make(&product, &lists->A, &lists->B, &lists->C, &lists->D,
                                         TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, &error),
                     TCPLAN_INVALID);
    assert_null(product);
    if (!strstr(error.message, why)) fail_msg("'%s' lacks '%s'", error.message, why);
}

static void wrong_lists_are_refused_with_the_label(void **state) {
    struct lists lists;
    (void)state;
    good_lists(&lists)->extent[1][0] = 7;
    assert_lists_refused(&lists,
                         "the index with label 9 has extent 4 in A and 7 in dimension 1 of B");
    good_lists(&lists)->extent[2][1] = 7;
    assert_lists_refused(&lists,
                         "the index with label 1 has extent 3 in D and 7 in dimension 2 of C");
    good_lists(&lists)->label[3][0] = 'q';
    assert_lists_refused(&lists,
                         "the index with label 113 ('q') of the result D is in neither A nor B");
    good_lists(&lists)->label[2][0] = 9;
    lists.extent[2][0] = 4;
    assert_lists_refused(&lists, "C lacks the index with label 2");
    good_lists(&lists)->C.rank = 3;
    lists.label[2][2] = 9;
    lists.extent[2][2] = 4;
    assert_lists_refused(&lists, "C has an index with label 9, which D lacks");
    good_lists(&lists)->extent[0][1] = -1;
    assert_lists_refused(&lists, "dimension 2 of A has extent -1");
    good_lists(&lists)->extent[3][1] = (int64_t)INT_MAX + 1;
    assert_lists_refused(&lists, "dimension 2 of D has extent 2147483648");
    good_lists(&lists)->B.rank = -1;
    assert_lists_refused(&lists, "tensor B has -1 dimensions");
    good_lists(&lists)->B.rank = 65;
    assert_lists_refused(&lists, "tensor B has 65 dimensions");
    good_lists(&lists)->B.label = NULL;
    assert_lists_refused(&lists, "the labels of B");
    good_lists(&lists)->A.extent = NULL;
    assert_lists_refused(&lists, "the extents of A");
    good_lists(&lists)->D.stride = lists.stride;
    assert_lists_refused(&lists, "have the same address");
}

static void a_null_tensor_is_refused(void **state) {
    struct tcplan_product *product = NULL;
    struct tcplan_error error = {0};
    struct lists lists;
    (void)state;
    good_lists(&lists);
    assert_int_equal(tcplan_product_make(&product, NULL, &lists.B, NULL, &lists.D, TCPLAN_DOUBLE,
                                         TCPLAN_ROW_MAJOR, &error),
                     TCPLAN_INVALID);
    assert_int_equal(tcplan_product_make(&product, &lists.A, NULL, NULL, &lists.D, TCPLAN_DOUBLE,
                                         TCPLAN_ROW_MAJOR, &error),
                     TCPLAN_INVALID);
    assert_int_equal(tcplan_product_make(&product, &lists.A, &lists.B, NULL, NULL, TCPLAN_DOUBLE,
                                         TCPLAN_ROW_MAJOR, &error),
                     TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "dimensions of D"));
    assert_int_equal(tcplan_product_make(NULL, &lists.A, &lists.B, NULL, &lists.D, TCPLAN_DOUBLE,
                                         TCPLAN_ROW_MAJOR, &error),
                     TCPLAN_INVALID);
    assert_null(product);
    assert_null(tcplan_product_text(NULL));
    assert_int_equal(tcplan_product_rank(NULL, TCPLAN_A), -1);
    assert_int_equal(tcplan_product_shape(NULL, TCPLAN_A, NULL, NULL), TCPLAN_INVALID);
    assert_int_equal(tcplan_product_span(NULL, TCPLAN_A, NULL), 0);
}

static void more_than_64_indices_are_refused(void **state) {
    int64_t label[65], extent[65];
    const struct tcplan_dimensions scalar = {0};
    struct tcplan_dimensions A = {.rank = 64, .label = label, .extent = extent},
                             B = {.rank = 1, .label = label + 64, .extent = extent};
    struct tcplan_product *product = NULL;
    struct tcplan_error error = {0};
    (void)state;
    for (int i = 0; i < 65; i++) {
        label[i] = 1000 + i;
        extent[i] = 1;
    }
    assert_int_equal(tcplan_product_make(&product, &A, &B, NULL, &scalar, TCPLAN_DOUBLE,
                                         TCPLAN_COLUMN_MAJOR, &error),
                     TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "label 1064 of B exceeds the limit of 64"));
    B.label = label + 63;
    assert_int_equal(tcplan_product_make(&product, &A, &B, NULL, &scalar, TCPLAN_DOUBLE,
                                         TCPLAN_COLUMN_MAJOR, &error),
                     TCPLAN_OK);
    char *text = tcplan_product_text(product);
    assert_non_null(text);
    assert_non_null(strstr(text, "B[i63]"));
    free(text);
    tcplan_product_free(product);
}

static void sizes_that_overflow_are_refused(void **state) {
    const int64_t label[] = {1, 2, 3}, huge[] = {INT_MAX, INT_MAX, INT_MAX},
                  far[] = {INT64_MAX, 1, 1}, small[] = {2, 2, 2};
    const struct tcplan_dimensions scalar = {0};
    const struct tcplan_dimensions dense = {.rank = 3, .label = label, .extent = huge};
    const struct tcplan_dimensions strided = {
        .rank = 3, .label = label, .extent = small, .stride = far};
    struct tcplan_product *product = NULL;
    struct tcplan_error error = {0};
    (void)state;
    assert_int_equal(tcplan_product_make(&product, &dense, &scalar, NULL, &dense, TCPLAN_DOUBLE,
                                         TCPLAN_COLUMN_MAJOR, &error),
                     TCPLAN_OVERFLOW);
    assert_int_equal(tcplan_product_make(&product, &strided, &scalar, NULL, &scalar, TCPLAN_DOUBLE,
                                         TCPLAN_COLUMN_MAJOR, &error),
                     TCPLAN_OVERFLOW);
    assert_null(product);
}

/* einsum. */

static void einsum_has_ellipses_implicit_results_and_strides(void **state) {
    const int64_t ea[] = {1, 3, 4}, eb[] = {7, 4, 5}, sa[] = {99, 8, 2}, sd[] = {100, 20, 3};
    const struct tcplan_dimensions A = {.rank = 3, .extent = ea, .stride = sa},
                                   B = {.rank = 3, .extent = eb};
    struct tcplan_product *product = NULL;
    int64_t extent[3], stride[3];
    (void)state;
    assert_int_equal(tcplan_product_einsum(&product, "...ij,...jk", &A, &B, NULL, TCPLAN_DOUBLE,
                                           TCPLAN_ROW_MAJOR, NULL),
                     TCPLAN_OK);
    assert_text(tcplan_product_text(product), "C_aik=A_ij*B_ajk");
    assert_int_equal(tcplan_product_shape(product, TCPLAN_C, extent, stride), TCPLAN_OK);
    assert_true(extent[0] == 7 && extent[1] == 3 && extent[2] == 5 && stride[0] == 15 &&
                stride[1] == 5 && stride[2] == 1);
    assert_int_equal(tcplan_product_rank(product, TCPLAN_A),
                     2); /* the dimension of extent 1 is omitted */
    assert_int_equal(tcplan_product_shape(product, TCPLAN_A, extent, stride), TCPLAN_OK);
    assert_true(extent[0] == 3 && extent[1] == 4 && stride[0] == 8 && stride[1] == 2);
    tcplan_product_free(product);
    assert_int_equal(tcplan_product_einsum(&product, "...ij,...jk", &A, &B, sd, TCPLAN_DOUBLE,
                                           TCPLAN_ROW_MAJOR, NULL),
                     TCPLAN_OK);
    assert_text(tcplan_product_strides(product), "A=8,2;C=100,20,3");
    tcplan_product_free(product);
}

static void einsum_takes_conjugates(void **state) {
    const int64_t e[] = {2, 2};
    const struct tcplan_dimensions A = {.rank = 2, .extent = e},
                                   B = {.rank = 2, .extent = e, .conjugated = true};
    struct tcplan_product *product = NULL;
    (void)state;
    assert_int_equal(tcplan_product_einsum(&product, "ij,jk->ik", &A, &B, NULL,
                                           TCPLAN_DOUBLE_COMPLEX, TCPLAN_ROW_MAJOR, NULL),
                     TCPLAN_OK);
    assert_text(tcplan_product_text(product), "C_ik=A_ij*conj(B)_jk");
    tcplan_product_free(product);
}

static void assert_einsum_refused(const char *subscripts, const struct tcplan_dimensions *A,
                                  const struct tcplan_dimensions *B, const char *why) {
    struct tcplan_product *product = NULL;
    struct tcplan_error error = {0};
    assert_int_equal(tcplan_product_einsum(&product, subscripts, A, B, NULL, TCPLAN_DOUBLE,
                                           TCPLAN_ROW_MAJOR, &error),
                     TCPLAN_INVALID);
    assert_null(product);
    if (!strstr(error.message, why)) fail_msg("'%s' lacks '%s'", error.message, why);
}

static void einsum_that_is_wrong_is_refused(void **state) {
    const int64_t ea[] = {2, 3}, eb[] = {4, 5}, negative[] = {2, -3};
    const struct tcplan_dimensions A = {.rank = 2, .extent = ea}, B = {.rank = 2, .extent = eb},
                                   bad = {.rank = 2, .extent = negative};
    (void)state;
    assert_einsum_refused(NULL, &A, &B, "found NULL");
    assert_einsum_refused("ij,jk", NULL, &B, "dimensions of A");
    assert_einsum_refused("ij,jk", &A, NULL, "dimensions of B");
    assert_einsum_refused("ij,jk", &A, &bad, "extent -3");
    assert_einsum_refused("ij,jk->ik", &A, &B, "extent");
    assert_einsum_refused("ijk,jk->ik", &A, &B, "expected 3 extents");
    assert_einsum_refused("ij,jk->xk", &A, &B, "neither");
    assert_einsum_refused("C_ik=A_ij*B_jk", &A, &B, "expected subscripts of einsum");
}

/* Random products. */

static void products_of_random_lists_have_their_shapes(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        struct listed_product listed;
        listed_product_init(&listed, seed);
        for (int t = 0; t < TCPLAN_TENSORS; t++) {
            const struct tcplan_dimensions *tensor = &listed.tensor[t];
            int64_t extent[TCPLAN_MAX_RANK], stride[TCPLAN_MAX_RANK];
            const bool exists = t != TCPLAN_ADDEND || listed.has_addend;
            assert_int_equal(tcplan_product_rank(listed.product, (enum tcplan_operand)t),
                             exists ? tensor->rank : -1);
            if (!exists) continue;
            assert_int_equal(
                tcplan_product_shape(listed.product, (enum tcplan_operand)t, extent, stride),
                TCPLAN_OK);
            for (int d = 0; d < tensor->rank; d++) {
                assert_true(extent[d] == tensor->extent[d]);
                if (extent[d] > 1 && listed.random.problem.elems[t] > 0)
                    assert_true(stride[d] == listed.stride[t][d]);
            }
        }
        listed_product_free(&listed);
    }
}

static void the_text_of_a_product_makes_it_again(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct listed_product listed;
        struct tcplan_product *again = NULL;
        struct tcplan_error error = {0};
        listed_product_init(&listed, seed);
        char *text = tcplan_product_text(listed.product),
             *sizes = tcplan_product_sizes(listed.product);
        char *strides = tcplan_product_strides(listed.product);
        assert_true(text && sizes && strides);
        if (tcplan_product_parse(&again, text, sizes, strides, tcplan_product_dtype(listed.product),
                                 tcplan_product_order(listed.product), &error)) {
            fail_msg("%s %s %s: %s", text, sizes, strides, error.message);
        }
        assert_text(tcplan_product_text(again), text);
        assert_text(tcplan_product_sizes(again), sizes);
        assert_text(tcplan_product_strides(again), strides);
        free(text);
        free(sizes);
        free(strides);
        tcplan_product_free(again);
        listed_product_free(&listed);
    }
}

static void out_of_memory_is_reported(void **state) {
    struct lists lists;
    struct tcplan_product *product = NULL;
    int64_t labels_are_there = 0;
    (void)state;
    good_lists(&lists);
    for (long successes = 0;; successes++) {
        struct tcplan_error error = {0};
        base_alloc_fail_after(successes);
        const enum tcplan_status status =
            tcplan_product_make(&product, &lists.A, &lists.B, &lists.C, &lists.D, TCPLAN_DOUBLE,
                                TCPLAN_COLUMN_MAJOR, &error);
        base_alloc_fail_after(-1);
        if (status == TCPLAN_OK) break;
        assert_int_equal(status, TCPLAN_NO_MEMORY);
        assert_null(product);
        labels_are_there++;
    }
    assert_true(labels_are_there > 3);
    tcplan_product_free(product);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_from_text_returns_its_text_and_sizes),
        cmocka_unit_test(wrong_texts_are_refused_with_their_names),
        cmocka_unit_test(lists_follow_the_notation),
        cmocka_unit_test(labels_that_are_letters_are_the_names),
        cmocka_unit_test(scalars_have_no_lists),
        cmocka_unit_test(strides_of_dense_tensors_are_found_to_be_dense_in_either_order),
        cmocka_unit_test(wrong_lists_are_refused_with_the_label),
        cmocka_unit_test(a_null_tensor_is_refused),
        cmocka_unit_test(more_than_64_indices_are_refused),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(einsum_has_ellipses_implicit_results_and_strides),
        cmocka_unit_test(einsum_takes_conjugates),
        cmocka_unit_test(a_conjugated_result_survives_its_text),
        cmocka_unit_test(the_library_reports_its_version_and_statuses),
        cmocka_unit_test(einsum_that_is_wrong_is_refused),
        cmocka_unit_test(products_of_random_lists_have_their_shapes),
        cmocka_unit_test(the_text_of_a_product_makes_it_again),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
