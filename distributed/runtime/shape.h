/**
 * Blocks of tensors on a grid of processes: which elements each rank holds, and which elements it
 * sends to other ranks.
 *
 * The planner, the library for MPI and emitted programs share this file, so it needs only the C
 * library. The processes of a grid are numbered in row-major order: the last axis is the fastest.
 * If an extent n is split into p blocks, the first n % p blocks have n / p + 1 elements, the
 * remaining blocks n / p. Tensors of the caller may also have block-cyclic layouts, like those of
 * ScaLAPACK: blocks of b elements are dealt to the p processes in turn. Rank 0 holds the largest
 * part of every tensor.
 */
#ifndef DISTRIBUTED_RUNTIME_SHAPE_H
#define DISTRIBUTED_RUNTIME_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

enum { DIST_AXES = 4, DIST_INDICES = 64 };
enum { DIST_A, DIST_B, DIST_C, DIST_TENSORS };

/** A grid of processes. A grid without axes has one process. */
struct dist_grid {
    int axes;
    int size[DIST_AXES];
};

/** A split of an index along an axis. It divides each block left by earlier splits into one block
 * for each coordinate of the axis. */
struct dist_split {
    uint8_t index, axis;
    int64_t cyclic; /**< block length of a block-cyclic split, which must be the only split of the
                       index; 0: one block for each coordinate */
};

/** A distribution of a tensor over a grid. Processes whose coordinates differ only along axes
 * without a split hold copies. */
struct dist_layout {
    struct dist_grid grid;
    int count;
    struct dist_split split[DIST_AXES];
};

/** The dimensions of a dense tensor, the contiguous one first. */
struct dist_tensor {
    int rank;
    uint8_t dims[DIST_INDICES];
};

/** Block-cyclic elements of an index: `block` elements out of every `period` elements. */
struct dist_cycle {
    int64_t block, period; /**< if `block` is 0, the elements are one contiguous range */
    int64_t skipped; /**< number of elements at the beginning of the first blocks that are omitted
                      */
};

/** A part of the iteration space: for each index a range, or block-cyclic elements. */
struct dist_box {
    int64_t first[DIST_INDICES]; /**< number of the first element of the range, or of the first
                                    block if the elements are block-cyclic */
    int64_t length[DIST_INDICES];
    struct dist_cycle cycle[DIST_INDICES];
};

/** How an operand is moved from its home to the blocks of the local products, or the result to its
 * home. */
enum dist_gathering {
    DIST_STAYS,     /**< the tensor is already in place and is not moved */
    DIST_GATHERED,  /**< MPI_Allgatherv along the axes of `group` */
    DIST_EXCHANGED, /**< MPI_Alltoallv among all processes */
    DIST_BROADCAST, /**< MPI_Bcast along the axes of `group`, one panel of an index at a time */
    DIST_MOVED      /**< pdgemr2d of ScaLAPACK */
};

/** How the partial sums of the result are added. */
enum dist_reduction {
    DIST_COMPLETE,  /**< no addition is needed, because no block is a partial sum */
    DIST_SCATTERED, /**< MPI_Reduce_scatter along the axes of `group` */
    DIST_SUMMED     /**< MPI_Allreduce along the axes of `group` */
};

/** What a local product does with the elements of its result. */
enum dist_start {
    DIST_SETS,     /**< overwrites the result */
    DIST_ADDS,     /**< adds to the result */
    DIST_CONTINUES /**< multiplies the result by beta and adds to it */
};

/** Multiplies blocks. `length` has the block length of each index; all are positive. Returns 0 or
 * an errno. */
typedef int dist_local(void *context, const int64_t length[], enum dist_start start, const void *A,
                       const void *B, void *C);

/** A contraction as a product of matrices, for ScaLAPACK: C := alpha * op(left) * op(right) + beta
 * * C. */
struct dist_pdgemm {
    bool is_used;
    double alpha[2];
    int rows[DIST_TENSORS]; /**< for each tensor, the number of leading dimensions that form the
                               rows */
    int left;               /**< the operand that has the rows of C: DIST_A or DIST_B */
    char op[2];             /**< 'N', 'T' or 'C' for the left and the right operand */
};

/** A distributed contraction: everything that its execution needs except the local products. */
struct dist_plan {
    int index_count;
    int64_t extent[DIST_INDICES];
    int element_bytes; /**< 4: float; 8: double or float complex; 16: double complex */
    bool is_complex;
    struct dist_tensor tensor[DIST_TENSORS];
    struct dist_layout home[DIST_TENSORS]; /**< layouts of the caller's tensors */
    struct dist_layout work[DIST_TENSORS]; /**< layouts in which local products use the tensors */
    struct dist_layout reduced;            /**< the layout of the result after the reduction */
    enum dist_gathering gathering[DIST_TENSORS]; /**< how each tensor is moved, see dist_source()
                                                    and dist_target() */
    enum dist_reduction reduction;
    unsigned group[DIST_TENSORS]; /**< for each tensor, the axes along which its collective
                                     communicates; bit k: axis k of the algorithm's grid */
    int panel_index;              /**< the contracted index that is processed in panels; -1: none */
    int64_t panel;                /**< maximum length of a panel */
    double beta[2];  /**< factor of the previous result, applied once: by the local product if
                        dist_is_direct(), otherwise by dist_combine() */
    bool conjugated; /**< whether the previous result is conjugated before it is multiplied by beta
                      */
    struct dist_pdgemm pdgemm; /**< parameters of ScaLAPACK's pdgemm; if set, pdgemm multiplies
                                  instead of local products */
};

static inline int dist_grid_processes(const struct dist_grid *grid) {
    int processes = 1;
    for (int k = 0; k < grid->axes; k++) processes *= grid->size[k];
    return processes;
}

static inline int dist_coordinate(const struct dist_grid *grid, int rank, int axis) {
    for (int k = grid->axes - 1; k > axis; k--) rank /= grid->size[k];
    return rank % grid->size[axis];
}

/** Returns the number of processes in a group. The coordinates of its processes differ only along
 * the axes of `group`. */
static inline int dist_group_size(const struct dist_grid *grid, unsigned group) {
    int size = 1;
    for (int k = 0; k < grid->axes; k++) size *= group >> k & 1U ? grid->size[k] : 1;
    return size;
}

/** Returns the rank of member number `member` in the group of `rank`. Members are sorted by
 * rank. */
static inline int dist_member(const struct dist_grid *grid, unsigned group, int rank, int member) {
    int result = 0, stride = 1;
    for (int k = grid->axes - 1; k >= 0; k--) {
        const int size = grid->size[k];
        const bool moves = group >> k & 1U;
        result += stride * (moves ? member % size : dist_coordinate(grid, rank, k));
        if (moves) member /= size;
        stride *= size;
    }
    return result;
}

/** Returns the length of block `part` of `parts` blocks; `*first` receives the number of its first
 * element. */
static inline int64_t dist_block(int64_t extent, int parts, int part, int64_t *first) {
    const int64_t length = extent / parts, longer = extent % parts;
    *first = part * length + (part < longer ? part : longer);
    return length + (part < longer);
}

/** Returns how many elements before `end` belong to the blocks of a cycle that begins at element
 * `first`. */
static inline int64_t dist_cycle_before(const struct dist_cycle *cycle, int64_t first,
                                        int64_t end) {
    if (end <= first) return 0;
    const int64_t rest = (end - first) % cycle->period;
    return (end - first) / cycle->period * cycle->block +
           (rest < cycle->block ? rest : cycle->block);
}

/** Returns the number, within the whole index, of element `at` of a box. */
static inline int64_t dist_global(const struct dist_box *box, int index, int64_t at) {
    const struct dist_cycle *cycle = &box->cycle[index];
    if (cycle->block == 0) return box->first[index] + at;
    at += cycle->skipped;
    return box->first[index] + at / cycle->block * cycle->period + at % cycle->block;
}

/** Returns the box of a tensor that a rank holds in this layout. Indices without a split have their
 * whole range, even if the tensor lacks them. */
static inline struct dist_box dist_box_of(const struct dist_plan *plan,
                                          const struct dist_layout *layout, int rank) {
    struct dist_box box = {.first = {0}};
    for (int i = 0; i < plan->index_count; i++) box.length[i] = plan->extent[i];
    for (int s = 0; s < layout->count; s++) {
        const int i = layout->split[s].index, axis = layout->split[s].axis;
        const int parts = layout->grid.size[axis],
                  part = dist_coordinate(&layout->grid, rank, axis);
        const int64_t block = layout->split[s].cyclic;
        int64_t first;
        if (block > 0) {
            box.cycle[i] = (struct dist_cycle){.block = block, .period = block * parts};
            box.first[i] = block * part;
            box.length[i] = dist_cycle_before(&box.cycle[i], box.first[i], plan->extent[i]);
            continue;
        }
        box.length[i] = dist_block(box.length[i], parts, part, &first);
        box.first[i] += first;
    }
    return box;
}

/** Returns the number of elements of a tensor inside a box. */
static inline int64_t dist_elements(const struct dist_tensor *tensor, const struct dist_box *box) {
    int64_t elements = 1;
    for (int d = 0; d < tensor->rank; d++) elements *= box->length[tensor->dims[d]];
    return elements;
}

/** Returns whether an index is a dimension of a tensor. */
static inline bool dist_has(const struct dist_tensor *tensor, int index) {
    bool has = false;
    for (int d = 0; d < tensor->rank; d++) has = has || tensor->dims[d] == index;
    return has;
}

/** Returns the number of elements that a rank holds of a tensor with this layout. */
static inline int64_t dist_held(const struct dist_plan *plan, int tensor,
                                const struct dist_layout *layout, int rank) {
    const struct dist_box box = dist_box_of(plan, layout, rank);
    return dist_elements(&plan->tensor[tensor], &box);
}

/** Returns the intersection of two boxes. For each index, at most one of them may be
 * block-cyclic. */
static inline struct dist_box dist_intersection(const struct dist_plan *plan,
                                                const struct dist_box *a,
                                                const struct dist_box *b) {
    struct dist_box box = {.first = {0}};
    for (int i = 0; i < plan->index_count; i++) {
        if (a->cycle[i].block > 0 || b->cycle[i].block > 0) {
            const struct dist_box *cyclic = a->cycle[i].block > 0 ? a : b;
            const struct dist_box *range = cyclic == a ? b : a;
            const int64_t from = range->first[i], to = from + range->length[i];
            box.cycle[i] = cyclic->cycle[i];
            box.first[i] = cyclic->first[i];
            box.cycle[i].skipped = dist_cycle_before(&box.cycle[i], box.first[i], from);
            box.length[i] =
                dist_cycle_before(&box.cycle[i], box.first[i], to) - box.cycle[i].skipped;
            continue;
        }
        const int64_t first = a->first[i] > b->first[i] ? a->first[i] : b->first[i];
        const int64_t end_a = a->first[i] + a->length[i], end_b = b->first[i] + b->length[i];
        const int64_t end = end_a < end_b ? end_a : end_b;
        box.first[i] = first;
        box.length[i] = end > first ? end - first : 0;
    }
    return box;
}

/** Returns whether `rank` receives elements of a tensor from `source`. If several processes hold
 * copies, the source is the one with the same coordinates as `rank` along the axes without a
 * split. */
static inline bool dist_serves(const struct dist_layout *from, int source, int rank) {
    unsigned split = 0;
    for (int s = 0; s < from->count; s++) split |= 1U << from->split[s].axis;
    for (int k = 0; k < from->grid.axes; k++) {
        if (!(split >> k & 1U) &&
            dist_coordinate(&from->grid, source, k) != dist_coordinate(&from->grid, rank, k))
            return false;
    }
    return true;
}

/** Returns the number of elements that `source` sends to `rank` when a tensor changes its layout.
 * If there are any, `*box` receives their ranges. */
static inline int64_t dist_piece(const struct dist_plan *plan, int tensor,
                                 const struct dist_layout *from, int source,
                                 const struct dist_layout *to, int rank, struct dist_box *box) {
    if (!dist_serves(from, source, rank)) return 0;
    const struct dist_box there = dist_box_of(plan, from, source);
    const struct dist_box here = dist_box_of(plan, to, rank);
    *box = dist_intersection(plan, &there, &here);
    return dist_elements(&plan->tensor[tensor], box);
}

/** Returns the layout from which an exchange moves a tensor: the home of an operand, or the layout
 * of the reduced result. */
static inline const struct dist_layout *dist_source(const struct dist_plan *plan, int tensor) {
    return tensor == DIST_C ? &plan->reduced : &plan->home[tensor];
}

/** Returns the layout to which an exchange moves a tensor: the layout of the local products, or the
 * home of the result. */
static inline const struct dist_layout *dist_target(const struct dist_plan *plan, int tensor) {
    return tensor == DIST_C ? &plan->home[DIST_C] : &plan->work[tensor];
}

/**
 * Returns whether the pieces of a tensor that the members of a rank's group hold are consecutive in
 * the rank's block, in the order of the members. This holds if the axes of the group divide one
 * index, and all slower indices have extent 1. Such pieces need no packing.
 */
static inline bool dist_is_sliced(const struct dist_plan *plan, int tensor,
                                  const struct dist_layout *pieces, int rank) {
    const struct dist_box box = dist_box_of(plan, &plan->work[tensor], rank);
    int index = -1, axis = -1;
    for (int s = 0; s < pieces->count; s++) {
        const struct dist_split split = pieces->split[s];
        if (!(plan->group[tensor] >> split.axis & 1U)) continue;
        if ((index >= 0 && split.index != index) || split.axis < axis) return false;
        index = split.index;
        axis = split.axis;
    }
    for (int d = plan->tensor[tensor].rank - 1; d >= 0 && index >= 0; d--) {
        const int i = plan->tensor[tensor].dims[d];
        if (i == index) return true;
        if (box.length[i] > 1) return false;
    }
    return false;
}

/** Returns whether the local product writes to the caller's result instead of a buffer. */
static inline bool dist_is_direct(const struct dist_plan *plan) {
    return plan->reduction == DIST_COMPLETE && plan->gathering[DIST_C] == DIST_STAYS;
}

/** Returns how the first local product treats its result; with panels, later ones add to it. */
static inline enum dist_start dist_first_start(const struct dist_plan *plan) {
    return dist_is_direct(plan) ? DIST_CONTINUES : DIST_SETS;
}

/** Returns the part of the iteration space that a rank's local product computes. */
static inline struct dist_box dist_local_box(const struct dist_plan *plan, int rank) {
    struct dist_box box = dist_box_of(plan, &plan->work[DIST_A], rank);
    for (int t = DIST_B; t <= DIST_C; t++) {
        const struct dist_box other = dist_box_of(plan, &plan->work[t], rank);
        box = dist_intersection(plan, &box, &other);
    }
    return box;
}

/** A range of the panel index that one rank holds. */
struct dist_range {
    int64_t first, length;
    int member; /**< number, within the group, of the rank that holds the range */
};

/**
 * Returns the piece that contains `element`, among the pieces of the panel index that the members
 * of `rank`'s group hold. Every axis of the group splits this index, so each split gives one
 * coordinate of the member.
 */
static inline struct dist_range dist_panel_piece(const struct dist_plan *plan, int tensor, int rank,
                                                 int64_t element) {
    const struct dist_layout *home = &plan->home[tensor];
    int coordinate[DIST_AXES] = {0};
    struct dist_range piece = {.length = plan->extent[plan->panel_index]};
    for (int s = 0; s < home->count; s++) {
        const int axis = home->split[s].axis, parts = home->grid.size[axis];
        if (home->split[s].index != plan->panel_index) continue;
        int part = dist_coordinate(&home->grid, rank, axis);
        if (plan->group[tensor] >> axis & 1U) {
            const int64_t length = piece.length / parts, longer = piece.length % parts;
            const int64_t at = element - piece.first, short_at = at - longer * (length + 1);
            part = (int)(short_at < 0 ? at / (length + 1) : longer + short_at / length);
        }
        int64_t first;
        piece.length = dist_block(piece.length, parts, part, &first);
        piece.first += first;
        coordinate[axis] = part;
    }
    for (int k = 0; k < home->grid.axes; k++) {
        if (plan->group[tensor] >> k & 1U)
            piece.member = piece.member * home->grid.size[k] + coordinate[k];
    }
    return piece;
}

/**
 * Returns the end of the panel that begins at element `first` of the panel index. Each panel lies
 * in a single piece of A and a single piece of B. The elements up to the next end of a piece are
 * divided into as few panels of at most plan->panel elements as possible. The lengths of these
 * panels differ by at most one, so that local products have few shapes.
 */
static inline int64_t dist_panel_end(const struct dist_plan *plan, int rank, int64_t first) {
    int64_t end = INT64_MAX;
    for (int t = DIST_A; t <= DIST_B; t++) {
        const struct dist_range piece = dist_panel_piece(plan, t, rank, first);
        if (piece.first + piece.length < end) end = piece.first + piece.length;
    }
    const int64_t left = end - first;
    if (plan->panel <= 0 || left <= plan->panel) return end;
    const int64_t panels = (left + plan->panel - 1) / plan->panel;
    return first + (left + panels - 1) / panels;
}

/** Returns the number, within the group, of the member that holds an operand's panel beginning at
 * element `first`. */
static inline int dist_panel_root(const struct dist_plan *plan, int tensor, int rank,
                                  int64_t first) {
    return dist_panel_piece(plan, tensor, rank, first).member;
}

#endif
