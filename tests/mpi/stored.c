/*
 * Plans a matrix product on all ranks with the times of MPI's calls in a store, and prints its
 * algorithm and predicted microseconds. Without the store the prediction is another one.
 *
 * usage: mpirun -n N test_mpi_stored FOLDER
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tcplan/mpi.h"

static struct tcplan_mpi_plan *plan_with(const char *folder) {
    struct tcplan_mpi_plan *plan = NULL;
    struct tcplan_error error = {0};
    const struct tcplan_mpi_options options = {.size = sizeof options, .store = folder};
    const enum tcplan_status status =
        tcplan_mpi_plan_new(&plan, MPI_COMM_WORLD, "C_ab=A_ai*B_ib", "a=b=i=500", TCPLAN_DOUBLE,
                            TCPLAN_COLUMN_MAJOR, &options, &error);
    if (status == TCPLAN_OK) return plan;
    fprintf(stderr, "%s\n", error.message);
    MPI_Abort(MPI_COMM_WORLD, 1);
    return NULL;
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct tcplan_mpi_plan *assumed = plan_with(NULL), *stored = plan_with(argv[1]);
    const double seconds = tcplan_mpi_plan_seconds(stored);
    if (rank == 0) printf("%s %.2f\n", tcplan_mpi_plan_algorithm(stored), 1e6 * seconds);
    const int fails = argc < 2 || !(seconds > 0) || seconds == tcplan_mpi_plan_seconds(assumed);
    tcplan_mpi_plan_free(assumed);
    tcplan_mpi_plan_free(stored);
    MPI_Finalize();
    return fails;
}
