/*
 * Times ScaLAPACK's way to C := A * B for matrices whose columns lie in one contiguous block per
 * rank: pdgemm on this layout, and pdgemr2d to square blocks, pdgemm, pdgemr2d back.
 *
 * usage: mpirun -n P scalapack M N K N|T N|T SECONDS       prints: direct SECONDS, moved SECONDS
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 128, ROUNDS = 50, DESCRIPTOR = 9 };

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
int numroc_(const int *n, const int *block, const int *at, const int *first, const int *count);
void descinit_(int *descriptor, const int *m, const int *n, const int *mb, const int *nb,
               const int *row, const int *column, const int *context, const int *leading,
               int *info);
void pdgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
             const double *alpha, const double *A, const int *ia, const int *ja, const int *da,
             const double *B, const int *ib, const int *jb, const int *db, const double *beta,
             double *C, const int *ic, const int *jc, const int *dc);
void Cpdgemr2d(int m, int n, double *A, int ia, int ja, int *da, double *B, int ib, int jb, int *db,
               int context);

/** A matrix in one layout. */
struct matrix {
    int rows, columns, descriptor[DESCRIPTOR];
    double *element;
};

static const int zero = 0, one = 1;

static struct matrix matrix_new(int context, int m, int n, int mb, int nb) {
    struct matrix matrix = {.rows = m, .columns = n};
    int grid_rows, grid_columns, row, column, info;
    Cblacs_gridinfo(context, &grid_rows, &grid_columns, &row, &column);
    const int held = numroc_(&m, &mb, &row, &zero, &grid_rows),
              across = numroc_(&n, &nb, &column, &zero, &grid_columns);
    const int leading = held > 1 ? held : 1;
    descinit_(matrix.descriptor, &m, &n, &mb, &nb, &zero, &zero, &context, &leading, &info);
    matrix.element = malloc(((size_t)leading * (size_t)across + 1) * sizeof(double));
    if (info != 0 || !matrix.element) MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t e = 0; e < (size_t)leading * (size_t)across; e++)
        matrix.element[e] = (double)(e % 17) / 8 - 1;
    return matrix;
}

static void multiply(const char *ta, const char *tb, int k, const struct matrix *A,
                     const struct matrix *B, struct matrix *C) {
    const double alpha = 1, beta = 0;
    pdgemm_(ta, tb, &C->rows, &C->columns, &k, &alpha, A->element, &one, &one, A->descriptor,
            B->element, &one, &one, B->descriptor, &beta, C->element, &one, &one, C->descriptor);
}

static void move(struct matrix *from, struct matrix *to, int context) {
    Cpdgemr2d(from->rows, from->columns, from->element, 1, 1, from->descriptor, to->element, 1, 1,
              to->descriptor, context);
}

static int compare(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/** Makes the grid whose extents differ least; returns its BLACS context. */
static int square_grid(int processes) {
    int context, rows = (int)sqrt(processes);
    while (processes % rows != 0) rows--;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", rows, processes / rows);
    return context;
}

int main(int argc, char **argv) {
    int processes, rank, line, rounds = 0;
    double seconds[2][ROUNDS];
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 7) return 2;
    const int m = atoi(argv[1]), n = atoi(argv[2]), k = atoi(argv[3]);
    const char *ta = argv[4], *tb = argv[5];
    const int shape[3][2] = {
        {*ta == 'T' ? k : m, *ta == 'T' ? m : k}, {*tb == 'T' ? n : k, *tb == 'T' ? k : n}, {m, n}};
    struct matrix home[3], square[3];
    Cblacs_get(-1, 0, &line);
    Cblacs_gridinit(&line, "Row", 1, processes);
    const int grid = square_grid(processes);
    for (int t = 0; t < 3; t++) {
        const int rows = shape[t][0], columns = shape[t][1];
        home[t] = matrix_new(line, rows, columns, rows, (columns + processes - 1) / processes);
        square[t] = matrix_new(grid, rows, columns, BLOCK, BLOCK);
    }
    const double limit = strtod(argv[6], NULL), begin = MPI_Wtime();
    for (int goes_on = 1; rounds < ROUNDS && goes_on; rounds++) {
        for (int way = 0; way < 2; way++) {
            MPI_Barrier(MPI_COMM_WORLD);
            const double from = MPI_Wtime();
            if (way == 0) {
                multiply(ta, tb, k, &home[0], &home[1], &home[2]);
            } else {
                move(&home[0], &square[0], line);
                move(&home[1], &square[1], line);
                multiply(ta, tb, k, &square[0], &square[1], &square[2]);
                move(&square[2], &home[2], line);
            }
            seconds[way][rounds] = MPI_Wtime() - from;
            MPI_Allreduce(MPI_IN_PLACE, &seconds[way][rounds], 1, MPI_DOUBLE, MPI_MAX,
                          MPI_COMM_WORLD);
        }
        goes_on = rounds < 2 || MPI_Wtime() - begin < limit;
        MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    for (int way = 0; way < 2; way++) qsort(seconds[way], (size_t)rounds, sizeof(double), compare);
    if (rank == 0)
        printf("direct %.6g moved %.6g\n", seconds[0][rounds / 2], seconds[1][rounds / 2]);
    for (int t = 0; t < 3; t++) {
        free(home[t].element);
        free(square[t].element);
    }
    MPI_Finalize();
    return 0;
}
