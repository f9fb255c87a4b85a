#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <tapp.h>
#include <tapp/tcplan.h>

/** Checks that the text of an error contains `part`. */
static void assert_explained(TAPP_error error, const char *part) {
    char text[512];
    const size_t length = TAPP_explain_error(error, 0, NULL);
    assert_int_equal(TAPP_explain_error(error, sizeof text, text), length);
    assert_int_equal(strlen(text), length);
    if (!strstr(text, part)) fail_msg("'%s' lacks '%s'", text, part);
}

/** Arguments for the info of one tensor. */
struct given {
    const char *index;
    int64_t extent[4];
    int64_t stride[4];
};

/** Makes a product of doubles from four tensors; returns the TAPP error. */
static TAPP_error make(TAPP_tensor_product *product, const struct given tensor[4]) {
    TAPP_tensor_info info[4] = {0};
    int64_t index[4][4] = {{0}};
    for (int t = 0; t < 4; t++) {
        const int rank = (int)strlen(tensor[t].index);
        for (int d = 0; d < rank; d++) index[t][d] = tensor[t].index[d];
        assert_int_equal(
            TAPP_create_tensor_info(&info[t], TAPP_F64, rank, tensor[t].extent, tensor[t].stride),
            0);
    }
    const TAPP_error error =
        TAPP_create_tensor_product(product, 0, 0, info[0], index[0], 0, info[1], index[1], 0,
                                   info[2], index[2], 0, info[3], index[3], TAPP_DEFAULT_PREC);
    for (int t = 0; t < 4; t++) assert_int_equal(TAPP_destroy_tensor_info(info[t]), 0);
    return error;
}

static void invalid_products_are_refused_when_made_and_when_executed(void **state) {
    static const struct {
        TAPP_error code;
        const char *says;
        struct given tensor[4];
    } cases[] = {
        {TAPP_TCPLAN_EXTENT_A_B,
         "'i') has extent 4 in dimension 2 of A, and 5 in dimension 1 of B",
         {{"ai", {2, 4}, {1, 2}},
          {"ib", {5, 3}, {1, 5}},
          {"ab", {2, 3}, {1, 2}},
          {"ab", {2, 3}, {1, 2}}}},
        {TAPP_TCPLAN_EXTENT_A_D,
         "'a') has extent 2 in dimension 1 of A, and 3",
         {{"ai", {2, 4}, {1, 2}},
          {"ib", {4, 3}, {1, 4}},
          {"ab", {3, 3}, {1, 3}},
          {"ab", {3, 3}, {1, 3}}}},
        {TAPP_TCPLAN_EXTENT_B_D,
         "'b') has extent 3 in dimension 2 of B, and 7",
         {{"ai", {2, 4}, {1, 2}},
          {"ib", {4, 3}, {1, 4}},
          {"ab", {2, 7}, {1, 2}},
          {"ab", {2, 7}, {1, 2}}}},
        {TAPP_TCPLAN_INDEX_ONLY_IN_D,
         "'x') of D",
         {{"ai", {2, 4}, {1, 2}},
          {"ib", {4, 3}, {1, 4}},
          {"ax", {2, 3}, {1, 2}},
          {"ax", {2, 3}, {1, 2}}}},
        {TAPP_TCPLAN_RANK_C_D,
         "C has 1 dimensions and D has 2; expected equal numbers",
         {{"ai", {2, 4}, {1, 2}}, {"ib", {4, 3}, {1, 4}}, {"a", {2}, {1}}, {"ab", {2, 3}, {1, 2}}}},
        {TAPP_TCPLAN_INDEX_C_D,
         "'b') in C and 97 ('a') in D",
         {{"ai", {2, 4}, {1, 2}},
          {"ib", {4, 2}, {1, 4}},
          {"ba", {2, 2}, {1, 2}},
          {"ab", {2, 2}, {1, 2}}}},
        {TAPP_TCPLAN_EXTENT_C_D,
         "has extent 4 in C and 3 in D; expected equal extents",
         {{"ai", {2, 4}, {1, 2}},
          {"ib", {4, 3}, {1, 4}},
          {"ab", {2, 4}, {1, 2}},
          {"ab", {2, 3}, {1, 2}}}},
        {TAPP_TCPLAN_ALIASING,
         "",
         {{"ai", {2, 4}, {1, 2}},
          {"ib", {4, 3}, {1, 4}},
          {"ab", {2, 3}, {1, 2}},
          {"ab", {2, 3}, {1, 1}}}},
        {TAPP_TCPLAN_ALIASING,
         "",
         {{"ai", {2, 4}, {1, 2}},
          {"ib", {4, 3}, {1, 4}},
          {"ab", {2, 3}, {1, 2}},
          {"ab", {2, 3}, {1, 0}}}},
        {TAPP_TCPLAN_EXTENT_A,
         "of A, and 3 in dimension 2 of A",
         {{"aa", {2, 3}, {1, 2}}, {"ab", {2, 3}, {1, 2}}, {"b", {3}, {1}}, {"b", {3}, {1}}}},
        {TAPP_TCPLAN_EXTENT_B,
         "of B, and 3 in dimension 2 of B",
         {{"a", {2}, {1}}, {"bb", {2, 3}, {1, 2}}, {"a", {2}, {1}}, {"a", {2}, {1}}}},
        {TAPP_TCPLAN_LIMIT,
         "at most 2147483647",
         {{"a", {2147483648}, {0}}, {"", {0}, {0}}, {"", {0}, {0}}, {"", {0}, {0}}}},
    };
    const double one = 1, zero = 0;
    double D = 5;
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        TAPP_tensor_product product = 0;
        assert_int_equal(make(&product, cases[c].tensor), cases[c].code);
        assert_explained(cases[c].code, cases[c].says);
        assert_int_equal(TAPP_execute_product(product, 0, NULL, &one, &one, &one, &zero, NULL, &D),
                         cases[c].code);
        assert_explained(cases[c].code, cases[c].says);
        assert_true(D == 5);
        assert_int_equal(TAPP_destroy_tensor_product(product), 0);
    }
}

/** Makes D_ab = A_ai B_ib, in which each tensor has one element. */
static TAPP_tensor_product make_smallest(void) {
    static const struct given tensor[4] = {{"ai", {1, 1}, {1, 1}},
                                           {"ib", {1, 1}, {1, 1}},
                                           {"ab", {1, 1}, {1, 1}},
                                           {"ab", {1, 1}, {1, 1}}};
    TAPP_tensor_product product = 0;
    assert_int_equal(make(&product, tensor), 0);
    return product;
}

static void executions_with_missing_arguments_are_refused(void **state) {
    const double one = 1, zero = 0;
    double D = 5;
    TAPP_executor exec = 0;
    TAPP_status status = 7;
    (void)state;
    const TAPP_tensor_product product = make_smallest();
    assert_int_equal(TAPP_execute_product(product, 0, &status, &one, &one, &one, &one, NULL, &D),
                     TAPP_TCPLAN_NULL_C);
    assert_explained(TAPP_TCPLAN_NULL_C, "C is NULL, but beta is not 0.");
    assert_int_equal(status, 0);
    assert_int_equal(TAPP_execute_product(product, 0, NULL, NULL, &one, &one, &one, &one, &D),
                     TAPP_TCPLAN_NULL_POINTER);
    assert_explained(TAPP_TCPLAN_NULL_POINTER, "alpha");
    assert_int_equal(TAPP_execute_product(product, 0, NULL, &one, &one, &one, NULL, &one, &D),
                     TAPP_TCPLAN_NULL_POINTER);
    assert_explained(TAPP_TCPLAN_NULL_POINTER, "beta");
    assert_int_equal(TAPP_execute_product(product, 0, NULL, &one, NULL, &one, &zero, NULL, &D),
                     TAPP_TCPLAN_NULL_POINTER);
    assert_int_equal(TAPP_execute_product(product, 0, NULL, &one, &one, NULL, &zero, NULL, &D),
                     TAPP_TCPLAN_NULL_POINTER);
    assert_int_equal(TAPP_execute_product(product, 0, NULL, &one, &one, &one, &zero, NULL, NULL),
                     TAPP_TCPLAN_NULL_POINTER);
    assert_int_equal(
        TAPP_execute_batched_product(product, 0, NULL, -1, &one, NULL, NULL, &one, NULL, NULL),
        TAPP_TCPLAN_NEGATIVE_BATCHES);
    assert_int_equal(
        TAPP_execute_batched_product(product, 0, NULL, 1, &one, NULL, NULL, &one, NULL, NULL),
        TAPP_TCPLAN_NULL_POINTER);
    assert_int_equal(TAPP_create_executor(&exec), 0);
    assert_int_equal(TAPP_destroy_executor(exec), 0);
    assert_int_equal(TAPP_execute_product(product, exec, NULL, &one, &one, &one, &zero, NULL, &D),
                     TAPP_TCPLAN_NO_EXECUTOR);
    assert_true(D == 5);
    assert_int_equal(TAPP_destroy_tensor_product(product), 0);
    assert_int_equal(TAPP_execute_product(product, 0, NULL, &one, &one, &one, &zero, NULL, &D),
                     TAPP_TCPLAN_NO_OBJECT);
}

static void operands_without_elements_may_be_null(void **state) {
    static const struct given contracted[4] = {{"ai", {2, 0}, {1, 2}},
                                               {"ib", {0, 1}, {1, 1}},
                                               {"ab", {2, 1}, {1, 2}},
                                               {"ab", {2, 1}, {1, 2}}};
    static const struct given summed[4] = {{"ai", {2, 0}, {1, 2}},
                                           {"ab", {2, 1}, {1, 2}},
                                           {"ab", {2, 1}, {1, 2}},
                                           {"ab", {2, 1}, {1, 2}}};
    static const struct given free[4] = {{"ai", {0, 2}, {1, 1}},
                                         {"ib", {2, 1}, {1, 1}},
                                         {"ab", {0, 1}, {1, 1}},
                                         {"ab", {0, 1}, {1, 1}}};
    static const struct given *const cases[] = {contracted, summed, free};
    const double one = 1, beta = 2;
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double D[2] = {5, 7};
        TAPP_tensor_product product = 0;
        assert_int_equal(make(&product, cases[c]), 0);
        assert_int_equal(TAPP_execute_product(product, 0, NULL, &one, NULL, NULL, &beta, D, D), 0);
        const double factor = cases[c] == free ? 1 : beta;
        assert_true(D[0] == factor * 5 && D[1] == factor * 7);
        assert_int_equal(TAPP_destroy_tensor_product(product), 0);
    }
}

static void C_may_not_be_D_with_other_strides(void **state) {
    static const struct given tensor[4] = {{"ai", {2, 1}, {1, 2}},
                                           {"ib", {1, 2}, {1, 1}},
                                           {"ab", {2, 2}, {2, 1}},
                                           {"ab", {2, 2}, {1, 2}}};
    const double one = 1, zero = 0, A[2] = {1, 2}, B[2] = {3, 4};
    double D[4] = {0};
    TAPP_tensor_product product = 0;
    (void)state;
    assert_int_equal(make(&product, tensor), 0);
    assert_int_equal(TAPP_execute_product(product, 0, NULL, &one, A, B, &one, D, D),
                     TAPP_TCPLAN_C_IS_OTHER_D);
    assert_int_equal(TAPP_execute_product(product, 0, NULL, &one, A, B, &zero, D, D),
                     0); /* beta = 0: C is not read */
    assert_int_equal(TAPP_destroy_tensor_product(product), 0);
}

static void tensors_are_checked(void **state) {
    const int64_t list[2] = {2, -3};
    TAPP_tensor_info info = 1;
    (void)state;
    assert_int_equal(TAPP_create_tensor_info(&info, TAPP_F64, -1, list, list),
                     TAPP_TCPLAN_NEGATIVE_RANK);
    assert_explained(TAPP_TCPLAN_NEGATIVE_RANK, "-1 dimensions");
    assert_int_equal(info, 0);
    assert_int_equal(TAPP_create_tensor_info(&info, TAPP_F64, 2, list, list),
                     TAPP_TCPLAN_NEGATIVE_EXTENT);
    assert_explained(TAPP_TCPLAN_NEGATIVE_EXTENT, "Dimension 2 of 2 of a tensor has extent -3");
    assert_int_equal(TAPP_create_tensor_info(&info, TAPP_F64, 1, NULL, list),
                     TAPP_TCPLAN_NULL_POINTER);
    assert_int_equal(TAPP_create_tensor_info(&info, TAPP_F64, 1, list, NULL),
                     TAPP_TCPLAN_NULL_POINTER);
    assert_int_equal(TAPP_create_tensor_info(NULL, TAPP_F64, 1, list, list),
                     TAPP_TCPLAN_NULL_POINTER);
    assert_int_equal(TAPP_create_tensor_info(&info, TAPP_F16, 1, list, list), TAPP_TCPLAN_TYPE);
    assert_explained(TAPP_TCPLAN_TYPE, "F16 are not supported: expected F32, F64, C32 or C64");
    assert_int_equal(TAPP_create_tensor_info(&info, TAPP_BF16, 1, list, list), TAPP_TCPLAN_TYPE);
    assert_int_equal(TAPP_create_tensor_info(&info, 0x1000, 1, list, list), TAPP_TCPLAN_TYPE);
    assert_int_equal(TAPP_create_tensor_info(&info, -1, 1, list, list), TAPP_TCPLAN_TYPE);
}

static void tensors_are_changed_and_read_back(void **state) {
    const int64_t extents[3] = {4, 5, 6}, strides[3] = {-1, 4, 0}, negative[3] = {1, -1, 1};
    int64_t got[3] = {0};
    TAPP_tensor_info info = 0;
    (void)state;
    assert_int_equal(TAPP_create_tensor_info(&info, TAPP_C32, 2, extents, strides), 0);
    assert_int_equal(TAPP_get_nmodes(info), 2);
    assert_int_equal(TAPP_set_nmodes(info, 3), 0);
    TAPP_get_extents(info, got);
    assert_true(got[0] == 4 && got[1] == 5 && got[2] == 1);
    assert_int_equal(TAPP_set_extents(info, extents), 0);
    assert_int_equal(TAPP_set_strides(info, strides), 0);
    assert_int_equal(TAPP_set_extents(info, negative), TAPP_TCPLAN_NEGATIVE_EXTENT);
    assert_int_equal(TAPP_set_nmodes(info, -1), TAPP_TCPLAN_NEGATIVE_RANK);
    TAPP_get_extents(info, got);
    assert_memory_equal(got, extents, sizeof extents);
    TAPP_get_strides(info, got);
    assert_memory_equal(got, strides, sizeof strides);
    assert_int_equal(TAPP_set_nmodes(info, 0), 0);
    assert_int_equal(TAPP_get_nmodes(info), 0);
    assert_int_equal(TAPP_destroy_tensor_info(info), 0);
    assert_int_equal(TAPP_get_nmodes(info), -1);
    assert_int_equal(TAPP_destroy_tensor_info(info), TAPP_TCPLAN_NO_OBJECT);
}

static void invalid_handles_are_recognised(void **state) {
    static const intptr_t numbers[] = {
        0, 1, -1, 12345, -12345, INTPTR_MAX, INTPTR_MIN, (intptr_t)1 << 31, 0x7ffd1234};
    const double one = 1;
    double D = 0;
    TAPP_handle handle = 0;
    (void)state;
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
        assert_true(TAPP_destroy_tensor_info(numbers[n]) == TAPP_TCPLAN_NO_OBJECT);
        assert_true(TAPP_destroy_handle(numbers[n]) == TAPP_TCPLAN_NO_OBJECT);
        assert_true(TAPP_destroy_executor(numbers[n]) == TAPP_TCPLAN_NO_OBJECT);
        assert_int_equal(TAPP_destroy_status(numbers[n]), 0);
        assert_true(TAPP_execute_product(numbers[n], 0, NULL, &one, &one, &one, &one, &one, &D) !=
                    0);
    }
    assert_int_equal(TAPP_create_handle(&handle),
                     0); /* wrong: a handle where an executor is expected */
    assert_int_equal(TAPP_destroy_executor(handle), TAPP_TCPLAN_NO_OBJECT);
    assert_int_equal(TAPP_execute_product(handle, 0, NULL, &one, &one, &one, &one, &one, &D),
                     TAPP_TCPLAN_NO_OBJECT);
    assert_int_equal(TAPP_destroy_handle(handle), 0);
    assert_int_equal(TAPP_create_handle(NULL), TAPP_TCPLAN_NULL_POINTER);
    assert_int_equal(TAPP_create_executor(NULL), TAPP_TCPLAN_NULL_POINTER);
}

static void arguments_of_products_are_checked(void **state) {
    const int64_t extent = 2, stride = 1, index = 'a';
    TAPP_tensor_info info = 0, scalar = 0;
    TAPP_tensor_product product = 0;
    (void)state;
    assert_int_equal(TAPP_create_tensor_info(&info, TAPP_F64, 1, &extent, &stride), 0);
    assert_int_equal(TAPP_create_tensor_info(&scalar, TAPP_F64, 0, NULL, NULL), 0);
    assert_int_equal(TAPP_create_tensor_product(NULL, 0, 0, info, &index, 0, scalar, NULL, 0, info,
                                                &index, 0, info, &index, -1),
                     TAPP_TCPLAN_NULL_POINTER);
    assert_int_equal(TAPP_create_tensor_product(&product, 0, 2, info, &index, 0, scalar, NULL, 0,
                                                info, &index, 0, info, &index, -1),
                     TAPP_TCPLAN_OPERATION);
    assert_explained(TAPP_TCPLAN_OPERATION, "The operation of A is 2");
    assert_int_equal(TAPP_create_tensor_product(&product, 0, 0, info, &index, 0, scalar, NULL, 0,
                                                info, &index, 0, info, &index, 2),
                     TAPP_TCPLAN_OPERATION);
    assert_explained(TAPP_TCPLAN_OPERATION, "Precision 2 is unknown");
    assert_int_equal(TAPP_create_tensor_product(&product, 0, 0, info, NULL, 0, scalar, NULL, 0,
                                                info, &index, 0, info, &index, -1),
                     TAPP_TCPLAN_NULL_POINTER);
    assert_explained(TAPP_TCPLAN_NULL_POINTER, "The indices of A are NULL");
    assert_int_equal(TAPP_create_tensor_product(&product, 0, 0, info, &index, 0, 0, NULL, 0, info,
                                                &index, 0, info, &index, -1),
                     TAPP_TCPLAN_NO_OBJECT);
    assert_explained(TAPP_TCPLAN_NO_OBJECT, "The tensor info of B");
    assert_int_equal(TAPP_destroy_tensor_info(info), 0);
    assert_int_equal(TAPP_destroy_tensor_info(scalar), 0);
}

static void more_than_64_indices_are_refused(void **state) {
    int64_t ones[65], index[65];
    TAPP_tensor_info info = 0, scalar = 0;
    TAPP_tensor_product product = 0;
    (void)state;
    for (int d = 0; d < 65; d++) {
        ones[d] = 1;
        index[d] = d;
    }
    assert_int_equal(TAPP_create_tensor_info(&scalar, TAPP_F64, 0, NULL, NULL), 0);
    assert_int_equal(TAPP_create_tensor_info(&info, TAPP_F64, 65, ones, ones), 0);
    assert_int_equal(TAPP_create_tensor_product(&product, 0, 0, info, index, 0, scalar, NULL, 0,
                                                scalar, NULL, 0, scalar, NULL, -1),
                     TAPP_TCPLAN_LIMIT);
    assert_int_equal(TAPP_set_nmodes(info, 64), 0);
    assert_int_equal(TAPP_create_tensor_product(&product, 0, 0, info, index, 0, info, index + 1, 0,
                                                scalar, NULL, 0, scalar, NULL, -1),
                     TAPP_TCPLAN_LIMIT);
    assert_explained(TAPP_TCPLAN_LIMIT, "more than 64 indices");
    assert_int_equal(TAPP_destroy_tensor_info(info), 0);
    assert_int_equal(TAPP_destroy_tensor_info(scalar), 0);
}

static void texts_are_cut_and_terminated(void **state) {
    char text[8] = "xxxxxxx";
    (void)state;
    assert_true(TAPP_check_success(0));
    assert_false(TAPP_check_success(TAPP_TCPLAN_ALIASING));
    assert_false(TAPP_check_success(-1));
    assert_int_equal(TAPP_explain_error(0, 0, NULL), strlen("Success."));
    assert_int_equal(TAPP_explain_error(0, 1, text), 0);
    assert_string_equal(text, "");
    assert_int_equal(TAPP_explain_error(0, 5, text), 4);
    assert_string_equal(text, "Succ");
    assert_int_equal(text[5], 'x');
    for (TAPP_error code = -2; code < 100; code++)
        assert_true(TAPP_explain_error(code, 0, NULL) > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invalid_products_are_refused_when_made_and_when_executed),
        cmocka_unit_test(executions_with_missing_arguments_are_refused),
        cmocka_unit_test(operands_without_elements_may_be_null),
        cmocka_unit_test(C_may_not_be_D_with_other_strides),
        cmocka_unit_test(tensors_are_checked),
        cmocka_unit_test(tensors_are_changed_and_read_back),
        cmocka_unit_test(invalid_handles_are_recognised),
        cmocka_unit_test(arguments_of_products_are_checked),
        cmocka_unit_test(more_than_64_indices_are_refused),
        cmocka_unit_test(texts_are_cut_and_terminated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
