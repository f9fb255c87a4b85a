/**
 * Tensors as matrices of ScaLAPACK: the first dimensions of a tensor are the rows of a matrix, the
 * remaining ones its columns. ScaLAPACK supports a layout if each side is divided along the slowest
 * of its indices, by one axis of the grid, and no process holds a copy.
 */
#ifndef DISTRIBUTED_RUNTIME_MATRIX_H
#define DISTRIBUTED_RUNTIME_MATRIX_H

#include "distributed/runtime/shape.h"

/** One side of a matrix: its rows or its columns. */
struct dist_side {
    int64_t extent, block; /**< number of rows (or columns) of the matrix, and of a block */
    int parts;             /**< number of processes among which the rows (or columns) are divided */
    int axis; /**< axis of the grid that divides the rows (or columns); -1: not divided, `parts` is
                 1 */
};

/** A tensor in a layout, as a matrix: side 0 is the rows, side 1 the columns. */
struct dist_matrix {
    struct dist_side side[2];
};

/** Describes one side of a matrix: the dimensions of a tensor from `begin` to `end`, excluding
 * `end`. Returns false if ScaLAPACK does not support how the side is divided. */
static inline bool dist_side_of(struct dist_side *out, const struct dist_plan *plan, int tensor,
                                const struct dist_layout *layout, int begin, int end) {
    const uint8_t *dims = plan->tensor[tensor].dims;
    int64_t inner = 1; /* number of rows (or columns) for each element of the slowest index */
    for (int d = begin; d + 1 < end; d++) inner *= plan->extent[dims[d]];
    const int slowest = dims[end - 1];
    const int64_t extent = plan->extent[slowest];
    *out = (struct dist_side){inner * extent, inner * extent, 1, -1};
    for (int s = 0; s < layout->count; s++) {
        const struct dist_split split = layout->split[s];
        const int parts = layout->grid.size[split.axis];
        bool is_here = false;
        for (int d = begin; d < end; d++) is_here = is_here || dims[d] == split.index;
        if (!is_here || parts == 1) continue;
        if (split.index != slowest || out->axis >= 0) return false;
        /* All blocks of ScaLAPACK have the same length, except that the last block may be
         * shorter. */
        const int64_t length = extent / parts, rest = extent % parts;
        if (split.cyclic == 0 && length > 0 && rest != 0 && rest != parts - 1) return false;
        out->axis = split.axis;
        out->parts = parts;
        out->block = inner * (split.cyclic > 0 ? split.cyclic : length + (rest > 0));
    }
    return true;
}

/** Describes a tensor in a layout as a matrix whose rows are the first `rows` dimensions. Returns
 * false if ScaLAPACK does not support the layout. */
static inline bool dist_matrix_of(struct dist_matrix *out, const struct dist_plan *plan, int tensor,
                                  const struct dist_layout *layout) {
    const int rows = plan->pdgemm.rows[tensor];
    return dist_side_of(&out->side[0], plan, tensor, layout, 0, rows) &&
           dist_side_of(&out->side[1], plan, tensor, layout, rows, plan->tensor[tensor].rank) &&
           out->side[0].parts * out->side[1].parts == dist_grid_processes(&layout->grid);
}

/** Returns the coordinate of a rank along the axis that divides a side of a matrix. */
static inline int dist_side_part(const struct dist_side *side, const struct dist_grid *grid,
                                 int rank) {
    return side->axis < 0 ? 0 : dist_coordinate(grid, rank, side->axis);
}

/** Returns the number of rows (or columns) that a process holds; the same as ScaLAPACK's NUMROC. */
static inline int64_t dist_side_held(const struct dist_side *side, int part) {
    const struct dist_cycle cycle = {.block = side->block, .period = side->block * side->parts};
    return side->block == 0 ? 0 : dist_cycle_before(&cycle, side->block * part, side->extent);
}

/** Returns whether every rank holds the same elements of the matrix in both layouts. */
static inline bool dist_is_same_matrix(const struct dist_matrix *a, const struct dist_grid *grid_a,
                                       const struct dist_matrix *b,
                                       const struct dist_grid *grid_b) {
    bool same = true;
    for (int s = 0; s < 2 && same; s++) {
        same = a->side[s].parts == b->side[s].parts &&
               (a->side[s].parts == 1 || a->side[s].block == b->side[s].block);
        for (int rank = 0; rank < dist_grid_processes(grid_a) && same; rank++)
            same = dist_side_part(&a->side[s], grid_a, rank) ==
                   dist_side_part(&b->side[s], grid_b, rank);
    }
    return same;
}

#endif
