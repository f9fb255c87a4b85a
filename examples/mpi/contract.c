/*
 * Contracts two tensors that are distributed over the ranks of MPI, with libtcplan-mpi: plans once,
 * executes three times, and compares the sum of the result with the known one.
 *
 *   mpicc contract.c $(pkg-config --cflags --libs tcplan) -ltcplan-mpi -o contract
 *   mpirun -n 4 ./contract
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tcplan/mpi.h"

enum { A_EXTENT = 60, B_EXTENT = 40, I_EXTENT = 50, EXECUTIONS = 3 };

/** Fills this rank's block: element (x, y) of a matrix is x + y. */
static void fill(double *block, const int64_t first[], const int64_t extent[]) {
    for (int64_t y = 0; y < extent[1]; y++) {
        for (int64_t x = 0; x < extent[0]; x++)
            block[y * extent[0] + x] = (double)(first[0] + x + first[1] + y);
    }
}

/** Allocates this rank's block of a tensor; NULL if memory runs out. */
static double *block_new(const struct tcplan_mpi_plan *plan, enum tcplan_operand operand,
                         int64_t *elements) {
    int64_t first[2], extent[2];
    *elements = tcplan_mpi_plan_block(plan, operand, first, extent);
    double *block = calloc((size_t)*elements + 1, sizeof *block);
    if (block && operand != TCPLAN_RESULT) fill(block, first, extent);
    return block;
}

/** Returns the expected sum of all elements of the result. */
static double expected_sum(void) {
    double sum = 0;
    for (int i = 0; i < I_EXTENT; i++) {
        double a_sum = 0, b_sum = 0;
        for (int a = 0; a < A_EXTENT; a++) a_sum += a + i;
        for (int b = 0; b < B_EXTENT; b++) b_sum += i + b;
        sum += a_sum * b_sum;
    }
    return sum;
}

int main(int argc, char **argv) {
    struct tcplan_mpi_plan *plan = NULL;
    struct tcplan_error error;
    char sizes[64];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(sizes, sizeof sizes, "a=%d,b=%d,i=%d", A_EXTENT, B_EXTENT, I_EXTENT);
    enum tcplan_status status =
        tcplan_mpi_plan_new(&plan, MPI_COMM_WORLD, "C_ab=A_ai*B_ib", sizes, TCPLAN_DOUBLE,
                            TCPLAN_COLUMN_MAJOR, NULL, &error);
    if (status != TCPLAN_OK) { /* the status is the same on all ranks */
        if (rank == 0) fprintf(stderr, "%s\n", error.message);
        MPI_Finalize();
        return 1;
    }
    int64_t elements[3];
    double *A = block_new(plan, TCPLAN_A, &elements[0]),
           *B = block_new(plan, TCPLAN_B, &elements[1]),
           *C = block_new(plan, TCPLAN_RESULT, &elements[2]);
    if (!A || !B || !C) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int e = 0; e < EXECUTIONS && status == TCPLAN_OK; e++)
        status = tcplan_mpi_plan_execute(plan, A, B, C, &error);
    double mine = 0, sum;
    for (int64_t e = 0; e < elements[2]; e++) mine += C[e];
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    const double expected = expected_sum();
    const int wrong = status != TCPLAN_OK || !(fabs(sum - expected) <= 1e-9 * expected);
    if (rank == 0)
        printf("algorithm %s: %s\n", tcplan_mpi_plan_algorithm(plan),
               wrong ? "the sum is wrong" : "the sum is correct");
    free(A);
    free(B);
    free(C);
    tcplan_mpi_plan_free(plan);
    MPI_Finalize();
    return wrong;
}
