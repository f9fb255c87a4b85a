#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <tapp.h>
#include <tapp/tcplan.h>

#include "support/rng.h"
#include "support/tapp_case.h"

/** Executes random products of one type, or of mixed types, and checks the results. */
static void run_random(TAPP_datatype type, struct tapp_case_kind kind, int count, uint64_t seed) {
    uint64_t random = seed;
    for (int c = 0; c < count; c++) {
        struct tapp_case with;
        tapp_case_random(&with, type, kind, &random);
        tapp_case_spoil(&with);
        struct tapp_case_expected expected = tapp_case_expect(&with);
        const TAPP_tensor_product product = tapp_case_product(&with, 0);
        tapp_case_execute(&with, product, 0, NULL);
        tapp_case_check(&with, &expected);
        assert_int_equal(TAPP_destroy_tensor_product(product), 0);
        tapp_case_free(&with);
    }
}

static void random_products_of_each_type_equal_naive_loops(void **state) {
    (void)state;
    for (TAPP_datatype type = TAPP_F32; type <= TAPP_C64; type++)
        run_random(type, (struct tapp_case_kind){false, false}, 100, 1 + (uint64_t)type);
}

static void random_products_of_mixed_types_equal_naive_loops(void **state) {
    (void)state;
    run_random(TAPP_F32, (struct tapp_case_kind){.mixes_types = true}, 400, 11);
}

static void products_with_empty_extents_equal_naive_loops(void **state) {
    (void)state;
    run_random(TAPP_F64, (struct tapp_case_kind){.has_empty = true}, 100, 21);
    run_random(TAPP_F64, (struct tapp_case_kind){.mixes_types = true, .has_empty = true}, 100, 22);
}

/** Makes D_ab = A_ai B_ib with a=2, b=3, i=4, all tensors dense and of one type. */
static void make_matrices(struct tapp_case *out, TAPP_datatype type, uint64_t seed) {
    *out = (struct tapp_case){
        .tensor = {{.rank = 2, .index = {'a', 'i'}, .extent = {2, 4}, .stride = {1, 2}},
                   {.rank = 2, .index = {'i', 'b'}, .extent = {4, 3}, .stride = {1, 4}},
                   {.rank = 2, .index = {'a', 'b'}, .extent = {2, 3}, .stride = {1, 2}},
                   {.rank = 2, .index = {'a', 'b'}, .extent = {2, 3}, .stride = {1, 2}}},
        .alpha = 1,
        .prec = TAPP_DEFAULT_PREC};
    for (int t = 0; t < TAPP_CASE_TENSORS; t++) out->tensor[t].type = type;
    tapp_case_fill(out, &seed);
}

/** Executes an existing product on the tensors of a case, and checks the result. */
static void check_execution(const struct tapp_case *with, TAPP_tensor_product product) {
    struct tapp_case_expected expected = tapp_case_expect(with);
    tapp_case_execute(with, product, 0, NULL);
    tapp_case_check(with, &expected);
}

static void one_product_takes_any_factors_and_any_place_of_C(void **state) {
    static const double complex factors[] = {0, 1, -1, 0.5, 2.5 + 1.5 * I};
    enum { FACTORS = sizeof factors / sizeof *factors };
    (void)state;
    for (TAPP_datatype type = TAPP_F32; type <= TAPP_C64; type++) {
        for (int conjugated = 0; conjugated < 4; conjugated++) {
            struct tapp_case with;
            make_matrices(&with, type, 31);
            with.tensor[CASE_C].op = conjugated & 1;
            with.tensor[CASE_D].op = conjugated >> 1;
            const TAPP_tensor_product product = tapp_case_product(&with, 0);
            for (int f = 0; f < FACTORS * FACTORS; f++) {
                with.alpha = factors[f % FACTORS];
                with.beta = factors[f / FACTORS];
                for (int place = 0; place < 2; place++) {
                    with.is_in_place = place == 1;
                    check_execution(&with, product);
                }
            }
            assert_int_equal(TAPP_destroy_tensor_product(product), 0);
            tapp_case_free(&with);
        }
    }
}

static void tensors_not_read_with_zero_factors_may_be_NULL(void **state) {
    struct tapp_case with;
    (void)state;
    make_matrices(&with, TAPP_F64, 41);
    const TAPP_tensor_product product = tapp_case_product(&with, 0);
    const double zero = 0, two = 2;
    double *D = with.tensor[CASE_D].memory;
    const double *C = with.tensor[CASE_C].memory;
    assert_int_equal(TAPP_execute_product(product, 0, NULL, &zero, NULL, NULL, &two, C, D), 0);
    for (int e = 0; e < 6; e++) assert_true(D[e] == 2 * C[e]);
    assert_int_equal(TAPP_execute_product(product, 0, NULL, &zero, NULL, NULL, &zero, NULL, D), 0);
    for (int e = 0; e < 6; e++) assert_true(D[e] == 0);
    void *results[1] = {D};
    const void *addends[1] = {C};
    assert_int_equal(TAPP_execute_batched_product(product, 0, NULL, 1, &zero, NULL, NULL, &two,
                                                  addends, results),
                     0);
    for (int e = 0; e < 6; e++) assert_true(D[e] == 2 * C[e]);
    assert_int_equal(TAPP_destroy_tensor_product(product), 0);
    tapp_case_free(&with);
}

static void a_product_outlives_its_infos_its_handle_and_changes_of_these(void **state) {
    struct tapp_case with;
    TAPP_handle handle = 0;
    TAPP_tensor_info info = 0;
    const int64_t other[2] = {7, 9};
    (void)state;
    make_matrices(&with, TAPP_F64, 51);
    assert_int_equal(TAPP_create_handle(&handle), 0);
    const TAPP_tensor_product product = tapp_case_product(&with, handle);
    assert_int_equal(TAPP_destroy_handle(handle), 0);
    for (int t = 0; t < TAPP_CASE_TENSORS; t++) {
        assert_int_equal(TAPP_set_extents(with.tensor[t].info, other), 0);
        assert_int_equal(TAPP_destroy_tensor_info(with.tensor[t].info), 0);
        assert_int_equal(TAPP_create_tensor_info(&info, TAPP_F32, 0, NULL, NULL),
                         0); /* may have the address of the destroyed product */
        with.tensor[t].info = info;
    }
    check_execution(&with, product);
    assert_int_equal(TAPP_destroy_tensor_product(product), 0);
    tapp_case_free(&with);
}

static void scalars_need_no_lists(void **state) {
    TAPP_tensor_info info = 0;
    TAPP_tensor_product product = 0;
    const float alpha = 2, A = 3, B = 5, beta = 7, C = 11;
    float D = 0;
    (void)state;
    assert_int_equal(TAPP_create_tensor_info(&info, TAPP_F32, 0, NULL, NULL), 0);
    assert_int_equal(TAPP_create_tensor_product(&product, 0, 0, info, NULL, 0, info, NULL, 0, info,
                                                NULL, 0, info, NULL, TAPP_DEFAULT_PREC),
                     0);
    assert_int_equal(TAPP_execute_product(product, 0, NULL, &alpha, &A, &B, &beta, &C, &D), 0);
    assert_true(D == 107);
    assert_int_equal(TAPP_destroy_tensor_product(product), 0);
    assert_int_equal(TAPP_destroy_tensor_info(info), 0);
}

static void C_without_an_info_is_like_D(void **state) {
    struct tapp_case with;
    (void)state;
    make_matrices(&with, TAPP_F64, 61);
    TAPP_tensor_info *info = &with.tensor[CASE_C].info;
    const TAPP_tensor_info own = *info;
    *info = 0;
    const TAPP_tensor_product product = tapp_case_product(&with, 0);
    *info = own;
    with.beta = 3;
    check_execution(&with, product);
    assert_int_equal(TAPP_destroy_tensor_product(product), 0);
    tapp_case_free(&with);
}

static void twenty_one_indices_are_taken(void **state) {
    static const char *const text[] = {"kdyzBvhwcqfnbeg", "htiAzxobvudBw", "ywukbnvizxo"};
    TAPP_tensor_info info[3] = {0};
    int64_t index[3][16] = {{0}};
    TAPP_tensor_product product = 0;
    (void)state;
    for (int t = 0; t < 3; t++) {
        int64_t extent[16] = {0}, stride[16] = {0};
        const int rank = (int)strlen(text[t]);
        for (int d = 0; d < rank; d++) {
            index[t][d] = text[t][d];
            extent[d] = text[t][d] == 'k' || text[t][d] == 't' ? 2 : 1 + text[t][d] % 2;
            stride[d] = d == 0 ? 1 : stride[d - 1] * extent[d - 1];
        }
        assert_int_equal(TAPP_create_tensor_info(&info[t], TAPP_F64, rank, extent, stride), 0);
    }
    assert_int_equal(TAPP_create_tensor_product(&product, 0, 0, info[0], index[0], 0, info[1],
                                                index[1], 0, info[2], index[2], 0, info[2],
                                                index[2], TAPP_DEFAULT_PREC),
                     0);
    assert_int_equal(TAPP_destroy_tensor_product(product), 0);
    for (int t = 0; t < 3; t++) assert_int_equal(TAPP_destroy_tensor_info(info[t]), 0);
}

/* Batches. */

enum { BATCHES = 7 };

/** Executes batches of a product, each with its own tensors, and checks the results. */
static void check_batches(struct tapp_case_kind kind, TAPP_executor exec, bool without_C,
                          uint64_t seed) {
    struct tapp_case with[BATCHES];
    struct tapp_case_expected expected[BATCHES];
    const void *A[BATCHES], *B[BATCHES], *C[BATCHES];
    void *D[BATCHES];
    for (int b = 0; b < BATCHES; b++) {
        uint64_t random = seed; /* the same product */
        tapp_case_random(&with[b], TAPP_C64, kind, &random);
        if (without_C) with[b].beta = 0;
        if (!without_C) with[b].lacks_C = false;
        uint64_t other = seed + 1000 + (uint64_t)b;
        for (int t = 0; t < TAPP_CASE_TENSORS; t++) {
            free(with[b].tensor[t].memory);
            assert_int_equal(TAPP_destroy_tensor_info(with[b].tensor[t].info), 0);
        }
        tapp_case_fill(&with[b], &other);
        tapp_case_spoil(&with[b]);
        expected[b] = tapp_case_expect(&with[b]);
        A[b] = tapp_case_at(&with[b].tensor[CASE_A]);
        B[b] = tapp_case_at(&with[b].tensor[CASE_B]);
        C[b] = tapp_case_at(&with[b].tensor[with[b].is_in_place ? CASE_D : CASE_C]);
        D[b] = tapp_case_at(&with[b].tensor[CASE_D]);
    }
    const TAPP_tensor_product product = tapp_case_product(&with[0], 0);
    const struct tapp_case_number alpha =
        tapp_case_number(with[0].alpha, with[0].tensor[CASE_D].type);
    const struct tapp_case_number beta =
        tapp_case_number(with[0].beta, with[0].tensor[CASE_D].type);
    assert_int_equal(TAPP_execute_batched_product(product, exec, NULL, BATCHES, &alpha, A, B, &beta,
                                                  without_C ? NULL : C, D),
                     0);
    for (int b = 0; b < BATCHES; b++) {
        tapp_case_check(&with[b], &expected[b]);
        tapp_case_free(&with[b]);
    }
    assert_int_equal(TAPP_destroy_tensor_product(product), 0);
}

static void batches_equal_naive_loops(void **state) {
    TAPP_executor exec = 0;
    int threads = 3;
    (void)state;
    assert_int_equal(TAPP_create_executor(&exec), 0);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        check_batches((struct tapp_case_kind){.mixes_types = seed % 2 == 0}, exec, seed % 3 == 0,
                      seed);
        if (seed == 10) assert_int_equal(TAPP_attr_set(exec, TAPP_TCPLAN_THREADS, &threads), 0);
    }
    assert_int_equal(TAPP_destroy_executor(exec), 0);
}

static void zero_batches_succeed_without_work(void **state) {
    struct tapp_case with;
    const double one = 1;
    (void)state;
    make_matrices(&with, TAPP_F64, 71);
    const TAPP_tensor_product product = tapp_case_product(&with, 0);
    assert_int_equal(
        TAPP_execute_batched_product(product, 0, NULL, 0, &one, NULL, NULL, &one, NULL, NULL), 0);
    assert_int_equal(TAPP_destroy_tensor_product(product), 0);
    tapp_case_free(&with);
}

static void a_missing_pointer_refuses_the_whole_batch(void **state) {
    struct tapp_case with;
    const double one = 1, zero = 0;
    (void)state;
    make_matrices(&with, TAPP_F64, 81);
    const TAPP_tensor_product product = tapp_case_product(&with, 0);
    const void *A[2] = {with.tensor[CASE_A].memory, NULL};
    const void *B[2] = {with.tensor[CASE_B].memory, with.tensor[CASE_B].memory};
    double D[2][6] = {{1, 2, 3, 4, 5, 6}};
    void *results[2] = {D[0], D[1]};
    TAPP_status status = 1;
    assert_int_equal(
        TAPP_execute_batched_product(product, 0, &status, 2, &one, A, B, &zero, NULL, results),
        TAPP_TCPLAN_NULL_POINTER);
    assert_true(D[0][0] == 1 && D[0][5] == 6);
    assert_int_equal(status, 0);
    assert_int_equal(TAPP_destroy_tensor_product(product), 0);
    tapp_case_free(&with);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_products_of_each_type_equal_naive_loops),
        cmocka_unit_test(random_products_of_mixed_types_equal_naive_loops),
        cmocka_unit_test(products_with_empty_extents_equal_naive_loops),
        cmocka_unit_test(one_product_takes_any_factors_and_any_place_of_C),
        cmocka_unit_test(tensors_not_read_with_zero_factors_may_be_NULL),
        cmocka_unit_test(a_product_outlives_its_infos_its_handle_and_changes_of_these),
        cmocka_unit_test(scalars_need_no_lists),
        cmocka_unit_test(C_without_an_info_is_like_D),
        cmocka_unit_test(twenty_one_indices_are_taken),
        cmocka_unit_test(batches_equal_naive_loops),
        cmocka_unit_test(zero_batches_succeed_without_work),
        cmocka_unit_test(a_missing_pointer_refuses_the_whole_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
