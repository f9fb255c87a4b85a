/**
 * A program that calls only functions of TAPP: D_abc = A_ai B_ibc, planned once and executed in
 * steps. The program can be linked with any library that has the functions of TAPP; for tcplan:
 *
 *   cc tapp_client.c $(pkg-config --cflags --libs tcplan-tapp) -o tapp_client
 *   TCPLAN_EFFORT=normal ./tapp_client
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <tapp.h>

enum { A_ROWS = 24, INNER = 8, B_ROWS = 16, B_COLUMNS = 12, STEPS = 10 };

/** Prints why a call failed and ends the program; does nothing after a success. */
static void check(TAPP_error error, const char *what) {
    char text[256];
    if (TAPP_check_success(error)) return;
    TAPP_explain_error(error, sizeof text, text);
    fprintf(stderr, "tapp_client: %s: %s\n", what, text);
    exit(EXIT_FAILURE);
}

/** Returns the description of a dense tensor whose first index is contiguous. */
static TAPP_tensor_info dense(int rank, const int64_t extent[]) {
    int64_t stride[8] = {1};
    TAPP_tensor_info info = 0;
    for (int d = 1; d < rank; d++) stride[d] = stride[d - 1] * extent[d - 1];
    check(TAPP_create_tensor_info(&info, TAPP_F64, rank, extent, stride), "a tensor");
    return info;
}

int main(void) {
    const int64_t extent_A[] = {A_ROWS, INNER}, extent_B[] = {INNER, B_ROWS, B_COLUMNS},
                  extent_D[] = {A_ROWS, B_ROWS, B_COLUMNS};
    const int64_t index_A[] = {'a', 'i'}, index_B[] = {'i', 'b', 'c'}, index_D[] = {'a', 'b', 'c'};
    static double A[A_ROWS * INNER], B[INNER * B_ROWS * B_COLUMNS], D[A_ROWS * B_ROWS * B_COLUMNS];
    const double alpha = 1, beta = 1;
    TAPP_handle handle = 0;
    TAPP_executor exec = 0;
    TAPP_tensor_product product = 0;

    for (int e = 0; e < A_ROWS * INNER; e++) A[e] = e % 7;
    for (int e = 0; e < INNER * B_ROWS * B_COLUMNS; e++) B[e] = e % 5;

    check(TAPP_create_handle(&handle), "a handle");
    check(TAPP_create_executor(&exec), "an executor");
    TAPP_tensor_info info_A = dense(2, extent_A), info_B = dense(3, extent_B),
                     info_D = dense(3, extent_D);
    check(TAPP_create_tensor_product(&product, handle, TAPP_IDENTITY, info_A, index_A,
                                     TAPP_IDENTITY, info_B, index_B, TAPP_IDENTITY, info_D, index_D,
                                     TAPP_IDENTITY, info_D, index_D, TAPP_DEFAULT_PREC),
          "a product");
    for (int step = 0; step < STEPS; step++) { /* computes D := A * B + D in each step */
        check(TAPP_execute_product(product, exec, NULL, &alpha, A, B, &beta, D, D), "an execution");
    }

    double expected = 0;
    for (int i = 0; i < INNER; i++) expected += STEPS * A[A_ROWS * i] * B[i];
    printf("D[0,0,0] = %g, expected %g\n", D[0], expected);

    check(TAPP_destroy_tensor_product(product), "the product");
    check(TAPP_destroy_tensor_info(info_A), "A");
    check(TAPP_destroy_tensor_info(info_B), "B");
    check(TAPP_destroy_tensor_info(info_D), "D");
    check(TAPP_destroy_executor(exec), "the executor");
    check(TAPP_destroy_handle(handle), "the handle");
    return D[0] == expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
