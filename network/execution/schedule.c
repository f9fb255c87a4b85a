/*
 * Places the intermediates, sums and temporaries of a tree's steps in one workspace. Each is a
 * *piece* with a size and a lifetime, an interval of steps. Invariant: pieces whose lifetimes
 * overlap do not overlap in memory. The placement is greedy: the largest piece comes first, and
 * each piece gets the lowest offset that keeps the invariant. All sizes and offsets are multiples
 * of SCHEDULE_ALIGNMENT. Finding one offset takes at most quadratic time in the number of pieces.
 */
#include "network/execution/schedule.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "network/sharing.h"
#include "network/tree.h"
#include "tcplan/problem.h"

/** A piece of the workspace. It is needed from step `first` to step `last`, both included, in the
 * order of execution. */
struct piece {
    int64_t bytes;
    int first, last;
    int64_t *place; /* receives the offset of the piece in the workspace */
};

/* Order. */

/** Returns whether the result is first written inside the loops. The last step of the first term
 * writes it. */
static bool begins_inside(const struct tcplan_tree *tree) {
    for (int s = 0; s < tree->step_count; s++) {
        if (tree->step[s].last && tree->step[s].term == 0) return !tree->step[s].once;
    }
    return false;
}

static enum schedule_phase phase_of(const struct tcplan_tree *tree, int s) {
    const struct tcplan_tree_step *step = &tree->step[s];
    if (tree->sliced_count == 0) return SCHEDULE_BEFORE;
    if (!step->once) return SCHEDULE_INSIDE;
    return step->last && begins_inside(tree) ? SCHEDULE_AFTER : SCHEDULE_BEFORE;
}

static bool has_index(const struct tree_tensor *tensor, int index) {
    for (int d = 0; d < tensor->rank; d++) {
        if (tensor->dims[d] == index) return true;
    }
    return false;
}

bool schedule_comes_back(const struct tcplan_tree *tree, int s) {
    const struct tree_tensor result = tree_tensor_of(tree, tree->network->operand_count + s);
    if (!tree->step[s].last || tree->step[s].once || tree->step[s].term > 0) return false;
    for (int i = 0; i < tree->sliced_count; i++) {
        if (!has_index(&result, tree->sliced[i])) return true;
    }
    return false;
}

/** Returns the sliced indices that no factor of a term has, as bits. Loops over such indices
 * compute the term only in their first iteration. */
static uint32_t strangers_of(const struct tcplan_tree *tree, int t) {
    const struct tcplan_network_term *term = &tree->network->term[t];
    uint32_t strangers = 0;
    for (int i = 0; i < tree->sliced_count; i++) {
        bool has = false;
        for (int o = term->first; o < term->first + term->count && !has; o++) {
            const struct tree_tensor factor = tree_tensor_of(tree, o);
            has = has_index(&factor, tree->sliced[i]);
        }
        if (!has) strangers |= (uint32_t)1 << i;
    }
    return strangers;
}

/* Strides of slices. */

/** Returns the stride of an index in a tensor stored as a whole; 0 if the tensor lacks the
 * index. */
static int64_t stride_of(const struct tcplan_tree *tree, int tensor, int index) {
    const struct tree_tensor all = tree_tensor_of(tree, tensor);
    const bool first = tree->network->order == TCPLAN_COLUMN_MAJOR;
    int64_t elems = 1, stride = 0;
    if (!all.is_whole) return 0;
    for (int i = 0; i < all.rank; i++) {
        const int dim = all.dims[first ? i : all.rank - 1 - i];
        if (dim == index) stride += elems;
        if (tree->extent[dim] > 0)
            elems *= tree->extent[dim]; /* This cannot overflow: tcplan_tree_make() checks the sizes
                                           of whole tensors. */
    }
    return stride;
}

static void set_strides(struct schedule_step *out, const struct tcplan_tree *tree) {
    const struct tcplan_tree_step *step = &tree->step[out->step];
    const int tensor[3] = {step->left, step->right, tree->network->operand_count + out->step};
    const int64_t bytes = (int64_t)tcplan_dtype_bytes(tree->dtype);
    for (int t = 0; t < 3; t++) {
        for (int i = 0; i < tree->sliced_count; i++)
            out->stride_bytes[t][i] = bytes * stride_of(tree, tensor[t], tree->sliced[i]);
    }
}

static void add_step(struct schedule *out, const struct tcplan_tree *tree, int s,
                     enum schedule_phase phase) {
    assert(out->count < tree->step_count); /* Each step belongs to exactly one phase. */
    struct schedule_step *step = &out->step[out->count++];
    *step = (struct schedule_step){.step = s, .phase = phase, .place = SCHEDULE_IN_RESULT};
    if (phase != SCHEDULE_INSIDE) return;
    step->later = schedule_comes_back(tree, s);
    step->only_first = strangers_of(tree, tree->step[s].term);
    set_strides(step, tree);
}

/** Adds the steps phase by phase and term by term: the first term writes the result, the others add
 * to it. */
static void put_in_order(struct schedule *out, const struct tcplan_tree *tree) {
    for (enum schedule_phase phase = SCHEDULE_BEFORE; phase <= SCHEDULE_AFTER; phase++) {
        for (int term = 0; term < tree->network->term_count; term++) {
            for (int s = 0; s < tree->step_count; s++) {
                if (tree->step[s].term == term && !tree->step[s].idle && phase_of(tree, s) == phase)
                    add_step(out, tree, s, phase);
            }
        }
    }
}

/* Places. */

/** Returns the last step, in the order of execution, that needs the result of step `made` because
 * step `read` reads it. A tensor that is made before the loops and read in them is needed until
 * the loops end. */
static int last_of(const struct schedule *schedule, int made, int read) {
    if (schedule->step[made].phase != SCHEDULE_BEFORE ||
        schedule->step[read].phase != SCHEDULE_INSIDE)
        return read;
    while (read + 1 < schedule->count && schedule->step[read + 1].phase == SCHEDULE_INSIDE) read++;
    return read;
}

static bool reads(const struct tcplan_tree *tree, const struct tcplan_tree_step *step, int made) {
    const int operands = tree->network->operand_count;
    return (step->left >= operands && sharing_maker(tree, step->left) == made) ||
           (step->right >= operands && sharing_maker(tree, step->right) == made);
}

/** Returns the last step, in the order of execution, that needs the result of a step. */
static int last_reader(const struct schedule *schedule, const struct tcplan_tree *tree, int made) {
    int last = made;
    for (int n = made + 1; n < schedule->count; n++) {
        if (reads(tree, &tree->step[schedule->step[n].step], schedule->step[made].step))
            last = last_of(schedule, made, n);
    }
    return last;
}

/** Computes the bytes of a tensor; returns false if they overflow. */
static bool bytes_of(int64_t *out, const struct tcplan_tree *tree, const uint16_t dims[],
                     int rank) {
    int64_t bytes = (int64_t)tcplan_dtype_bytes(tree->dtype);
    for (int d = 0; d < rank; d++) {
        if (!checked_mul_i64(bytes, tree->extent[dims[d]], &bytes)) return false;
    }
    *out = bytes;
    return true;
}

/** Returns the number of the sum that a tensor represents, as an operand or as the result of a
 * term's last step; -1 if it represents none. */
static int sum_of(const struct tcplan_tree *tree, int tensor) {
    const struct tcplan_network *network = tree->network;
    if (tensor < 0) return -1;
    if (tensor < network->operand_count)
        return network->operand[tensor].tensor >= TCPLAN_NETWORK_SUMS
                   ? network->operand[tensor].tensor - TCPLAN_NETWORK_SUMS
                   : -1;
    const struct tcplan_tree_step *step = &tree->step[tensor - network->operand_count];
    return step->last && network->term[step->term].into < network->sum_count
               ? network->term[step->term].into
               : -1;
}

/** Finds the lifetime of a sum: from the first step in the order that writes it to the last step
 * that reads or writes it. */
static void find_span(struct piece *out, const struct schedule *schedule,
                      const struct tcplan_tree *tree, int sum) {
    out->first = -1;
    for (int n = 0; n < schedule->count; n++) {
        const int s = schedule->step[n].step;
        const bool writes = sum_of(tree, tree->network->operand_count + s) == sum;
        if (writes && out->first < 0) out->first = n;
        if (writes || sum_of(tree, tree->step[s].left) == sum ||
            sum_of(tree, tree->step[s].right) == sum)
            out->last = n;
    }
}

static int compare_pieces(const void *a, const void *b) {
    const struct piece *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return x->first - y->first;
}

/** Returns the lowest offset at which a piece overlaps no placed piece with an overlapping
 * lifetime. */
static int64_t find_place(const struct piece piece[], int count) {
    const struct piece *own = &piece[count];
    int64_t place = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (int p = 0; p < count; p++) {
            const bool together = piece[p].first <= own->last && own->first <= piece[p].last;
            if (!together || *piece[p].place >= place + own->bytes ||
                place >= *piece[p].place + piece[p].bytes)
                continue;
            place = *piece[p].place + piece[p].bytes;
            moved = true;
        }
    }
    return place;
}

/** Places the pieces, the largest first, each at the lowest free offset. */
static void put_in_place(struct schedule *schedule, struct piece piece[], int count) {
    qsort(piece, (size_t)count, sizeof *piece, compare_pieces);
    for (int p = 0; p < count; p++) {
        const int64_t place = find_place(piece, p);
        assert(place % SCHEDULE_ALIGNMENT == 0);
        *piece[p].place = place;
        if (place + piece[p].bytes > schedule->bytes) schedule->bytes = place + piece[p].bytes;
    }
}

/** Sets the size of a piece, rounded up to whole cache lines, and adds it to the total; returns
 * false if that overflows. */
static bool add_piece(struct piece *out, int64_t bytes, int64_t *total) {
    int64_t rounded;
    if (!checked_add_i64(bytes, SCHEDULE_ALIGNMENT - 1, &rounded)) return false;
    out->bytes = rounded / SCHEDULE_ALIGNMENT * SCHEDULE_ALIGNMENT;
    return checked_add_i64(*total, out->bytes, total);
}

static enum tcplan_status refuse_bytes(struct tcplan_error *error) {
    return error_set(error, TCPLAN_OVERFLOW, "intermediates exceed the address space");
}

static enum tcplan_status place_all(struct schedule *schedule, const struct tcplan_tree *tree,
                                    const int64_t scratch_bytes[], struct piece piece[],
                                    struct tcplan_error *error) {
    int count = 0;
    int64_t total = 0;
    for (int n = 0; n < schedule->count; n++) {
        struct schedule_step *own = &schedule->step[n];
        int64_t bytes = 0;
        piece[count] = (struct piece){.first = n, .last = n, .place = &own->scratch_place};
        bool good = add_piece(&piece[count++], scratch_bytes[own->step], &total);
        if (good && !tree->step[own->step].last) {
            own->place = 0;
            piece[count] = (struct piece){.first = n, .place = &own->place};
            piece[count].last = last_reader(schedule, tree, n);
            uint16_t dims[TCPLAN_MAX_RANK];
            const int rank =
                tcplan_tree_tensor(dims, tree, tree->network->operand_count + own->step);
            good = bytes_of(&bytes, tree, dims, rank) && add_piece(&piece[count++], bytes, &total);
        }
        if (!good) return refuse_bytes(error);
    }
    for (int s = 0; s < tree->network->sum_count; s++) {
        const struct tcplan_network_operand *sum = &tree->network->sum[s];
        int64_t bytes = 0;
        piece[count] = (struct piece){.place = &schedule->sum_place[s]};
        find_span(&piece[count], schedule, tree, s);
        if (!bytes_of(&bytes, tree, sum->dims, sum->rank) ||
            !add_piece(&piece[count++], bytes, &total))
            return refuse_bytes(error);
    }
    for (int p = 0; p < count; p++) assert(0 <= piece[p].first && piece[p].first <= piece[p].last);
    put_in_place(schedule, piece, count);
    return TCPLAN_OK;
}

enum tcplan_status schedule_make(struct schedule *out, const struct tcplan_tree *tree,
                                 const int64_t scratch_bytes[], struct tcplan_error *error) {
    const size_t sums = (size_t)tree->network->sum_count;
    struct piece *piece = base_alloc_zero(2 * (size_t)tree->step_count + sums + 1, sizeof *piece);
    *out =
        (struct schedule){.step = base_alloc_zero((size_t)tree->step_count + 1, sizeof *out->step),
                          .sum_place = base_alloc_zero(sums + 1, sizeof *out->sum_place)};
    enum tcplan_status status =
        piece && out->step && out->sum_place ? TCPLAN_OK : error_no_memory(error);
    if (status == TCPLAN_OK) {
        put_in_order(out, tree);
        status = place_all(out, tree, scratch_bytes, piece, error);
    }
    base_free(piece);
    if (status != TCPLAN_OK) schedule_free(out);
    return status;
}

void schedule_free(struct schedule *schedule) {
    base_free(schedule->step);
    base_free(schedule->sum_place);
    *schedule = (struct schedule){0};
}

int64_t schedule_place(const struct schedule *schedule, const struct tcplan_tree *tree,
                       int tensor) {
    const int sum = sum_of(tree, tensor);
    if (sum >= 0) return schedule->sum_place[sum];
    const int maker = sharing_maker(tree, tensor);
    for (int n = 0; n < schedule->count; n++) {
        if (schedule->step[n].step == maker) return schedule->step[n].place;
    }
    return SCHEDULE_IN_RESULT;
}
