/*
 * A contraction is a product of the stored matrices if two conditions hold: in each tensor, the
 * indices of a group are adjacent; and the tensors that share a group have its indices in the same
 * order. ScaLAPACK deals blocks of rows and columns, so a layout splits only the slowest index of
 * each group. Tensors whose layout the caller does not prescribe get pdgemm's layout.
 *
 * The time of pdgemm is modelled as SUMMA (van de Geijn and Watts 1997): for each panel of
 * SCALAPACK_PANEL contracted elements, a process receives a panel of A from the other processes in
 * its grid row and a panel of B from those in its grid column, then adds the product of the panels.
 */
#include "distributed/scalapack.h"

#include <limits.h>

#include "base/error.h"
#include "base/indexset.h"
#include "distributed/runtime/matrix.h"

enum { USUAL_BLOCK = 128 };

const char *scalapack_link(void) {
#ifdef TCPLAN_SCALAPACK
    return TCPLAN_SCALAPACK;
#else
    return "";
#endif
}

bool scalapack_is_built(void) {
    return *scalapack_link() != '\0';
}

/* Matrices. */

/** Counts the leading dimensions of a tensor whose indices are of the same kind: they form the
 * rows. Returns false if the remaining dimensions are not all of one other kind. */
static bool find_rows(struct dist_plan *plan, const struct tcplan_contraction *contraction,
                      int tensor) {
    const struct dist_tensor *of = &plan->tensor[tensor];
    int rows = 0;
    if (of->rank == 0) return false;
    const enum tcplan_index_kind first = contraction->index[of->dims[0]].kind,
                                 last = contraction->index[of->dims[of->rank - 1]].kind;
    while (rows < of->rank && contraction->index[of->dims[rows]].kind == first) rows++;
    for (int d = rows; d < of->rank; d++) {
        if (contraction->index[of->dims[d]].kind != last) return false;
    }
    plan->pdgemm.rows[tensor] = rows;
    return rows < of->rank && first <= TCPLAN_CONTRACTED && last <= TCPLAN_CONTRACTED;
}

/** Returns whether two tensors have the indices of a kind in the same order. */
static bool is_same_group(const struct dist_plan *plan,
                          const struct tcplan_contraction *contraction, enum tcplan_index_kind kind,
                          int one, int other) {
    const struct dist_tensor *a = &plan->tensor[one], *b = &plan->tensor[other];
    int d = 0, e = 0;
    for (;; d++, e++) {
        while (d < a->rank && contraction->index[a->dims[d]].kind != kind) d++;
        while (e < b->rank && contraction->index[b->dims[e]].kind != kind) e++;
        if (d == a->rank || e == b->rank) return d == a->rank && e == b->rank;
        if (a->dims[d] != b->dims[e]) return false;
    }
}

/**
 * Sets the operation on an operand ('N', 'T' or 'C'); returns false if pdgemm does not offer the
 * required one.
 *
 * @param plain  the kind of the rows if the operand is not transposed
 */
static bool find_operation(char *out, const struct dist_plan *plan,
                           const struct tcplan_contraction *contraction, int tensor,
                           bool is_plain) {
    const bool conjugates = plan->is_complex && contraction->tensor[tensor].conjugated;
    *out = is_plain ? 'N' : conjugates ? 'C' : 'T';
    return !(is_plain && conjugates);
}

static bool find_matrices(struct dist_plan *plan, const struct tcplan_problem *problem) {
    const struct tcplan_contraction *contraction = problem->contraction;
    struct dist_pdgemm *pdgemm = &plan->pdgemm;
    if (algorithm_indices(contraction) != indexset_below(contraction->index_count)) return false;
    for (int t = 0; t < DIST_TENSORS; t++) {
        if (!find_rows(plan, contraction, t)) return false;
    }
    if (!is_same_group(plan, contraction, TCPLAN_FREE_A, DIST_A, DIST_C) ||
        !is_same_group(plan, contraction, TCPLAN_FREE_B, DIST_B, DIST_C) ||
        !is_same_group(plan, contraction, TCPLAN_CONTRACTED, DIST_A, DIST_B))
        return false;
    enum tcplan_index_kind first[DIST_TENSORS];
    for (int t = 0; t < DIST_TENSORS; t++)
        first[t] = contraction->index[plan->tensor[t].dims[0]].kind;
    *pdgemm = (struct dist_pdgemm){.is_used = true,
                                   .alpha = {problem->alpha.re, problem->alpha.im},
                                   .rows = {pdgemm->rows[0], pdgemm->rows[1], pdgemm->rows[2]},
                                   .left = first[DIST_C] == TCPLAN_FREE_A ? DIST_A : DIST_B};
    const int left = pdgemm->left, right = DIST_B - left;
    return find_operation(&pdgemm->op[0], plan, contraction, left,
                          first[left] != TCPLAN_CONTRACTED) &&
           find_operation(&pdgemm->op[1], plan, contraction, right,
                          first[right] == TCPLAN_CONTRACTED) &&
           !(plan->is_complex && plan->conjugated);
}

/* Layouts. */

/** Sets the layout in which pdgemm uses a tensor: axis 0 deals blocks of rows, axis 1 of columns.
 */
static void lay_out(struct dist_plan *plan, const struct algorithm *algorithm, int tensor) {
    struct dist_layout *work = &plan->work[tensor];
    const struct dist_tensor *of = &plan->tensor[tensor];
    const int rows = plan->pdgemm.rows[tensor];
    *work = (struct dist_layout){.grid = algorithm->grid, .count = 2};
    for (int axis = 0; axis < 2; axis++) {
        const int begin = axis == 0 ? 0 : rows, end = axis == 0 ? rows : of->rank;
        const int slowest = of->dims[end - 1], parts = algorithm->grid.size[axis];
        int64_t inner = 1;
        for (int d = begin; d + 1 < end && inner <= INT_MAX; d++)
            inner *= plan->extent[of->dims[d]];
        int64_t block = (plan->extent[slowest] + parts - 1) / parts;
        if (algorithm->block > 0) block = inner > 0 ? algorithm->block / inner : 0;
        work->split[axis] =
            (struct dist_split){(uint8_t)slowest, (uint8_t)axis, block > 0 ? block : 1};
    }
}

static bool has_narrow_numbers(const struct dist_plan *plan, int tensor,
                               const struct dist_layout *layout) {
    struct dist_matrix matrix;
    if (!dist_matrix_of(&matrix, plan, tensor, layout)) return false;
    const struct dist_side *rows = &matrix.side[0], *columns = &matrix.side[1];
    const double held = (double)dist_side_held(rows, 0) * (double)dist_side_held(columns, 0);
    return rows->extent <= INT_MAX && columns->extent <= INT_MAX && rows->block <= INT_MAX &&
           columns->block <= INT_MAX && held <= INT_MAX;
}

/** Returns whether a tensor has at least one element and fewer than 2^62. */
static bool has_elements(const struct dist_plan *plan, int tensor) {
    double elements = 1;
    for (int d = 0; d < plan->tensor[tensor].rank; d++)
        elements *= (double)plan->extent[plan->tensor[tensor].dims[d]];
    return elements > 0 && elements < 0x1p62;
}

static enum tcplan_status place(struct dist_plan *plan, const struct tcplan_problem *problem,
                                const struct distribution *distribution, int tensor,
                                struct tcplan_error *error) {
    const char *name = problem->contraction->tensor[tensor].name;
    const struct dist_layout *work = &plan->work[tensor];
    struct dist_layout *home = &plan->home[tensor];
    struct dist_matrix at_home, at_work;
    *home = distribution->given[tensor] ? distribution->layout[tensor] : *work;
    if (!dist_matrix_of(&at_home, plan, tensor, home) ||
        !dist_matrix_of(&at_work, plan, tensor, work))
        return error_set(
            error, TCPLAN_NOT_APPLICABLE,
            "%s is not distributed as ScaLAPACK requires: without copies, each side of the matrix split along its slowest index, in blocks of equal length",
            name);
    if (!has_narrow_numbers(plan, tensor, home) || !has_narrow_numbers(plan, tensor, work))
        return error_set(error, TCPLAN_NOT_APPLICABLE,
                         "%s is too large for the 32-bit descriptors of ScaLAPACK", name);
    plan->gathering[tensor] =
        !distribution->given[tensor] ||
                dist_is_same_matrix(&at_home, &home->grid, &at_work, &work->grid)
            ? DIST_STAYS
            : DIST_MOVED;
    return TCPLAN_OK;
}

enum tcplan_status scalapack_plan(struct dist_plan *plan, const struct tcplan_problem *problem,
                                  const struct algorithm *algorithm,
                                  const struct distribution *distribution,
                                  struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    if (!scalapack_is_built())
        return error_set(error, TCPLAN_NOT_APPLICABLE,
                         "this tcplan was built without ScaLAPACK (-DTCPLAN_SCALAPACK=ON)");
    if (!find_matrices(plan, problem))
        return error_set(
            error, TCPLAN_NOT_APPLICABLE,
            "pdgemm multiplies matrices: indices of the same kind must be adjacent "
            "and in the same order in all tensors, without batch indices or diagonals");
    for (int t = 0; t < DIST_TENSORS && status == TCPLAN_OK; t++) {
        if (!has_elements(plan, t))
            return error_set(error, TCPLAN_NOT_APPLICABLE, "pdgemm needs tensors with elements");
        lay_out(plan, algorithm, t);
        status = place(plan, problem, distribution, t, error);
    }
    plan->reduced = plan->work[DIST_C];
    return status;
}

bool scalapack_enumerate(int processes, algorithm_fn *receive, void *context) {
    bool goes_on = true;
    for (int rows = 1; rows <= processes && goes_on && scalapack_is_built(); rows++) {
        struct algorithm algorithm = {.grid = {.axes = 2, .size = {rows, processes / rows}},
                                      .panel_index = -1,
                                      .is_pdgemm = true,
                                      .block = USUAL_BLOCK};
        if (processes % rows != 0) continue;
        goes_on = receive(context, &algorithm);
        algorithm.block = 0;
        if (goes_on) goes_on = receive(context, &algorithm);
    }
    return goes_on;
}
