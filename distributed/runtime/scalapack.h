/**
 * Executes a contraction that is a product of matrices with ScaLAPACK: pdgemr2d moves tensors to
 * block-cyclic layouts, pdgemm multiplies, pdgemr2d moves the result back.
 *
 * The library for MPI and emitted programs share this file. The rules of execute.h hold: all ranks
 * call dist_pdgemm() together, and all memory of tcplan is allocated before the first byte is sent.
 * ScaLAPACK allocates its own buffers and ends the program if memory runs out.
 */
#ifndef DISTRIBUTED_RUNTIME_SCALAPACK_H
#define DISTRIBUTED_RUNTIME_SCALAPACK_H

#include "distributed/runtime/execute.h"
#include "distributed/runtime/matrix.h"

enum { DIST_DESCRIPTOR = 9 };

int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridmap(int *context, int *map, int leading, int rows, int columns);
void Cblacs_gridexit(int context);

/** Types of the functions p?gemm and Cp?gemr2d. Elements are untyped, so that the types fit every
 * precision. */
typedef void dist_gemm(const char *left, const char *right, const int *m, const int *n,
                       const int *k, const void *alpha, const void *A, const int *ia, const int *ja,
                       const int *a, const void *B, const int *ib, const int *jb, const int *b,
                       const void *beta, void *C, const int *ic, const int *jc, const int *c);
typedef void dist_gemr2d(int m, int n, void *from, int i, int j, int *descriptor, void *to,
                         int to_i, int to_j, int *to_descriptor, int context);
dist_gemm psgemm_, pdgemm_, pcgemm_, pzgemm_;
dist_gemr2d Cpsgemr2d, Cpdgemr2d, Cpcgemr2d, Cpzgemr2d;

/** A tensor in a layout, as ScaLAPACK describes it. */
struct dist_described {
    int descriptor[DIST_DESCRIPTOR];
    int64_t held;
};

/** Contexts of BLACS: one for the grid of pdgemm, one for the layout of each tensor of the caller,
 * and one for all ranks. */
enum { DIST_SQUARE, DIST_HOMES, DIST_ALL = DIST_HOMES + DIST_TENSORS, DIST_CONTEXTS };

/** Data that dist_pdgemm() stores between executions. */
struct dist_scalapack {
    int handle;                 /* the BLACS handle of the communicator */
    int context[DIST_CONTEXTS]; /* BLACS contexts; -1: there is none */
    struct dist_described home[DIST_TENSORS], work[DIST_TENSORS];
    char *block[DIST_TENSORS]; /* buffers of the tensors that are moved, in pdgemm's layout; NULL:
                                  the tensor is used in place */
    char *landed;              /* the result after pdgemr2d moved it back */
};

/** Makes a BLACS context whose process (r, c) is the rank with these coordinates in the matrix's
 * layout. Returns -1 if memory runs out. */
static int dist_context(int handle, const struct dist_matrix *matrix,
                        const struct dist_grid *grid) {
    const int rows = matrix->side[0].parts, columns = matrix->side[1].parts;
    int context = handle, *map = (int *)malloc((size_t)rows * (size_t)columns * sizeof *map);
    if (!map) return -1;
    for (int rank = 0; rank < rows * columns; rank++)
        map[dist_side_part(&matrix->side[0], grid, rank) +
            rows * dist_side_part(&matrix->side[1], grid, rank)] = rank;
    Cblacs_gridmap(&context, map, rows, rows, columns);
    free(map);
    return context;
}

/** Describes a tensor in a layout for ScaLAPACK; makes the context of the layout at its first
 * use. */
static void dist_describe(struct dist_described *out, const struct dist_run *run, int handle,
                          int *context, int tensor, const struct dist_layout *layout) {
    struct dist_matrix matrix = {.side = {{.parts = 1, .axis = -1}}};
    int64_t held[2];
    dist_matrix_of(&matrix, run->plan, tensor, layout);
    for (int s = 0; s < 2; s++)
        held[s] = dist_side_held(&matrix.side[s],
                                 dist_side_part(&matrix.side[s], &layout->grid, run->rank));
    if (*context < 0) *context = dist_context(handle, &matrix, &layout->grid);
    out->held = held[0] * held[1];
    const int descriptor[DIST_DESCRIPTOR] = {1,
                                             *context,
                                             (int)matrix.side[0].extent,
                                             (int)matrix.side[1].extent,
                                             (int)matrix.side[0].block,
                                             (int)matrix.side[1].block,
                                             0,
                                             0,
                                             held[0] > 1 ? (int)held[0] : 1};
    memcpy(out->descriptor, descriptor, sizeof descriptor);
}

/** Frees the data that dist_pdgemm() stores. `exits` is true while MPI is not finalized; it also
 * frees the BLACS contexts. */
static void dist_scalapack_free(void *kept, bool exits) {
    struct dist_scalapack *scalapack = (struct dist_scalapack *)kept;
    for (int c = 0; c < DIST_CONTEXTS; c++) {
        if (exits && scalapack->context[c] >= 0) Cblacs_gridexit(scalapack->context[c]);
    }
    if (exits) Cfree_blacs_system_handle(scalapack->handle);
    for (int t = 0; t < DIST_TENSORS; t++) free(scalapack->block[t]);
    free(scalapack->landed);
    free(scalapack);
}

/** Makes contexts and buffers at the first execution; returns 0 or ENOMEM. */
static int dist_scalapack_begin(struct dist_run *run) {
    const struct dist_plan *plan = run->plan;
    struct dist_scalapack *made = (struct dist_scalapack *)calloc(1, sizeof *made);
    struct dist_matrix line = {.side = {{.parts = 1, .axis = -1}, {.parts = run->processes}}};
    const struct dist_grid grid = {.axes = 1, .size = {run->processes}};
    int status = 0;
    if (dist_agree(run, made ? 0 : ENOMEM) != 0) {
        free(made);
        return ENOMEM;
    }
    for (int c = 0; c < DIST_CONTEXTS; c++) made->context[c] = -1;
    made->handle = Csys2blacs_handle(run->world);
    made->context[DIST_ALL] = dist_context(made->handle, &line, &grid);
    for (int t = 0; t < DIST_TENSORS; t++) {
        dist_describe(&made->work[t], run, made->handle, &made->context[DIST_SQUARE], t,
                      &plan->work[t]);
        if (plan->gathering[t] == DIST_STAYS) continue;
        dist_describe(&made->home[t], run, made->handle, &made->context[DIST_HOMES + t], t,
                      &plan->home[t]);
        if (made->context[DIST_HOMES + t] < 0) status = ENOMEM;
        made->block[t] = dist_allocate(plan, made->work[t].held, &status);
    }
    if (made->context[DIST_ALL] < 0 || made->context[DIST_SQUARE] < 0) status = ENOMEM;
    if (plan->gathering[DIST_C] != DIST_STAYS)
        made->landed = dist_allocate(plan, made->home[DIST_C].held, &status);
    run->scalapack = made;
    run->scalapack_free = dist_scalapack_free;
    return status;
}

static void dist_move_matrix(const struct dist_plan *plan, int all, struct dist_described *from,
                             char *source, struct dist_described *to, char *target) {
    dist_gemr2d *move = plan->element_bytes == 4    ? Cpsgemr2d
                        : plan->element_bytes == 16 ? Cpzgemr2d
                        : plan->is_complex          ? Cpcgemr2d
                                                    : Cpdgemr2d;
    move(from->descriptor[2], from->descriptor[3], source, 1, 1, from->descriptor, target, 1, 1,
         to->descriptor, all);
}

static void dist_multiply_matrices(const struct dist_plan *plan, struct dist_scalapack *scalapack,
                                   char *const block[], const double beta[2]) {
    dist_gemm *gemm = plan->element_bytes == 4    ? psgemm_
                      : plan->element_bytes == 16 ? pzgemm_
                      : plan->is_complex          ? pcgemm_
                                                  : pdgemm_;
    const double wide[2][2] = {{plan->pdgemm.alpha[0], plan->pdgemm.alpha[1]}, {beta[0], beta[1]}};
    const float narrow[2][2] = {{(float)wide[0][0], (float)wide[0][1]},
                                {(float)wide[1][0], (float)wide[1][1]}};
    const bool is_single = plan->element_bytes == (plan->is_complex ? 8 : 4);
    const int left = plan->pdgemm.left, right = DIST_B - left, one = 1;
    const int *of_left = scalapack->work[left].descriptor, *C = scalapack->work[DIST_C].descriptor;
    gemm(&plan->pdgemm.op[0], &plan->pdgemm.op[1], &C[2], &C[3],
         &of_left[plan->pdgemm.op[0] == 'N' ? 3 : 2],
         is_single ? (const void *)narrow[0] : (const void *)wide[0], block[left], &one, &one,
         of_left, block[right], &one, &one, scalapack->work[right].descriptor,
         is_single ? (const void *)narrow[1] : (const void *)wide[1], block[DIST_C], &one, &one, C);
}

/** Contracts the blocks of this rank. Arguments and result are those of dist_execute(). */
static inline int dist_pdgemm(struct dist_run *run, const void *A, const void *B, void *C) {
    const struct dist_plan *plan = run->plan;
    static const double none[2] = {0, 0};
    char *home[DIST_TENSORS] = {(char *)(uintptr_t)A, (char *)(uintptr_t)B, (char *)C};
    char *block[DIST_TENSORS];
    int status = run->scalapack ? 0 : dist_scalapack_begin(run);
    status = dist_agree(run, status);
    struct dist_scalapack *scalapack = (struct dist_scalapack *)run->scalapack;
    if (status != 0) {
        if (scalapack) dist_scalapack_free(scalapack, true);
        run->scalapack = NULL;
        return status;
    }
    const bool is_moved = plan->gathering[DIST_C] != DIST_STAYS;
    for (int t = 0; t < DIST_TENSORS; t++) {
        block[t] = scalapack->block[t] ? scalapack->block[t] : home[t];
        if (t != DIST_C && scalapack->block[t])
            dist_move_matrix(plan, scalapack->context[DIST_ALL], &scalapack->home[t], home[t],
                             &scalapack->work[t], block[t]);
    }
    dist_multiply_matrices(plan, scalapack, block, is_moved ? none : plan->beta);
    if (is_moved) {
        dist_move_matrix(plan, scalapack->context[DIST_ALL], &scalapack->work[DIST_C],
                         block[DIST_C], &scalapack->home[DIST_C], scalapack->landed);
        dist_combine(plan, home[DIST_C], scalapack->landed, scalapack->home[DIST_C].held);
    }
    return 0;
}

#endif
