/*
 * A rank sends elements to all ranks that have its coordinates along the axes of the old layout
 * without a split, see dist_serves(). The coordinates on the old and on the new grid are digits of
 * the rank in two mixed bases. If the place values of both bases, sorted, divide each other, then
 * the rank has digits in a common finer base. Each of these digits of a receiver is fixed or takes
 * every value, independently of the other digits. The number of sent elements is then a product of
 * one sum for each dimension, and costs as much for a million processes as for ten. For other pairs
 * of grids, such as 2x3 and 3x2, the pieces are added rank by rank.
 */
#include "distributed/pieces.h"

#include <stddef.h>

enum { MOST_DIGITS = 2 * DIST_AXES };

/** A digit of the receiver's rank. */
struct digit {
    int stride, size; /* size: number of values; stride: that of all digits after this one */
    bool fixed;       /* whether the digit has the value `value` only */
    int value;
};

/** The digits of a rank, or of a coordinate along an axis, the most significant one first. */
struct digits {
    int count;
    struct digit digit[MOST_DIGITS];
};

/** Returns the number of ranks whose coordinates differ only after an axis. */
static int stride_of(const struct dist_grid *grid, int axis) {
    return dist_group_size(grid, ~0U << (axis + 1));
}

/** Divides ranks into digits of which the coordinates on both grids consist. Returns false if there
 * are none. */
static bool divide(struct digits *out, const struct dist_grid *a, const struct dist_grid *b) {
    int next = dist_grid_processes(a);
    *out = (struct digits){.count = 0};
    while (next > 1) {
        int stride = 1;
        for (int k = 0; k < a->axes; k++) {
            if (stride_of(a, k) < next && stride_of(a, k) > stride) stride = stride_of(a, k);
        }
        for (int k = 0; k < b->axes; k++) {
            if (stride_of(b, k) < next && stride_of(b, k) > stride) stride = stride_of(b, k);
        }
        if (next % stride != 0) return false;
        out->digit[out->count++] = (struct digit){.stride = stride, .size = next / stride};
        next = stride;
    }
    return true;
}

/** Fixes the digits along the axes of the old layout that have no split. */
static void fix(struct digits *digits, const struct dist_layout *from, int rank) {
    unsigned split = 0;
    for (int s = 0; s < from->count; s++) split |= 1U << from->split[s].axis;
    for (int n = 0; n < digits->count; n++) {
        struct digit *digit = &digits->digit[n];
        for (int k = 0; k < from->grid.axes; k++) {
            const int inner = stride_of(&from->grid, k);
            const bool is_along =
                digit->stride >= inner && digit->stride / inner < from->grid.size[k];
            if (is_along && !(split >> k & 1U)) digit->fixed = true;
        }
        digit->value = rank / digit->stride % digit->size;
    }
}

/** Returns the digits along an axis, whose strides are then those of the coordinate. */
static struct digits along(const struct digits *digits, const struct dist_grid *grid, int axis) {
    const int inner = stride_of(grid, axis);
    struct digits out = {.count = 0};
    for (int n = 0; n < digits->count; n++) {
        struct digit digit = digits->digit[n];
        if (digit.stride < inner || digit.stride / inner >= grid->size[axis]) continue;
        digit.stride /= inner;
        out.digit[out.count++] = digit;
    }
    return out;
}

/** Returns how many coordinates below `end` the digits allow. */
static int64_t allowed_below(const struct digits *digits, int64_t end) {
    int64_t count = 0, inner = 1; /* number of coordinates that the digits after one allow */
    for (int n = 0; n < digits->count; n++)
        inner *= digits->digit[n].fixed ? 1 : digits->digit[n].size;
    for (int n = 0; n < digits->count; n++) {
        const struct digit *digit = &digits->digit[n];
        const int64_t value = n == 0 ? end / digit->stride : end / digit->stride % digit->size;
        if (!digit->fixed) inner /= digit->size;
        if (!digit->fixed) {
            count += value * inner;
            continue;
        }
        if (value != digit->value) return count + (digit->value < value ? inner : 0);
    }
    return digits->count == 0 && end > 0 ? 1 : count;
}

/* Sums along an index. */

/** The splits of an index in the new layout, and the elements of it that the sender holds. */
struct division {
    const struct dist_box *box;
    int index, count;
    struct {
        int parts;
        int64_t cyclic;
        struct digits digits;
    } split[DIST_AXES];
};

/** Returns how many of the sender's elements along the index come before element `end`. */
static int64_t held_below(const struct division *division, int64_t end) {
    const struct dist_box *box = division->box;
    const int i = division->index;
    const int64_t before = end - box->first[i];
    if (box->cycle[i].block > 0) return dist_cycle_before(&box->cycle[i], box->first[i], end);
    return before < 0 ? 0 : before < box->length[i] ? before : box->length[i];
}

/** Returns how many elements of `length` before element `end` belong to allowed coordinates of the
 * last split. */
static int64_t allowed_elements(const struct division *division, int64_t length, int64_t end) {
    const int last = division->count - 1, parts = division->split[last].parts;
    const struct digits *digits = &division->split[last].digits;
    const int64_t cyclic = division->split[last].cyclic;
    if (end <= 0) return 0;
    if (cyclic > 0) {
        const int64_t rest = end % (cyclic * parts), part = rest / cyclic;
        const int64_t full = allowed_below(digits, part);
        return end / (cyclic * parts) * cyclic * allowed_below(digits, parts) + full * cyclic +
               (allowed_below(digits, part + 1) - full) * (rest - part * cyclic);
    }
    const int64_t each = length / parts, longer = length % parts;
    int64_t part = parts, first = length;
    if (end < longer * (each + 1)) {
        part = end / (each + 1);
    } else if (end < length) {
        part = longer + (end - longer * (each + 1)) / each;
    }
    if (part < parts) first = part * each + (part < longer ? part : longer);
    const int64_t full = allowed_below(digits, part);
    return full * each + allowed_below(digits, part < longer ? part : longer) +
           (end > first ? (allowed_below(digits, part + 1) - full) * (end - first) : 0);
}

/** Returns how many of the sender's elements between `first` and `first + length` are sent, summed
 * over the allowed coordinates of the splits from number `level` on. */
static int64_t sum_along(const struct division *division, int level, int64_t first,
                         int64_t length) {
    const int64_t below = held_below(division, first),
                  held = held_below(division, first + length) - below;
    bool is_fixed = false;
    for (int s = level; s < division->count; s++) {
        for (int n = 0; n < division->split[s].digits.count; n++)
            is_fixed = is_fixed || division->split[s].digits.digit[n].fixed;
    }
    if (!is_fixed || held == 0) return held; /* the blocks of all coordinates are the whole range */
    const struct dist_box *box = division->box;
    const int parts = division->split[level].parts;
    if (level == division->count - 1 && box->cycle[division->index].block == 0) {
        const int64_t from = box->first[division->index] - first;
        const int64_t begin = from > 0 ? from : 0;
        return allowed_elements(division, length, begin + held) -
               allowed_elements(division, length, begin);
    }
    int64_t sum = 0;
    for (int part = 0; part < parts; part++) {
        const struct digits *digits = &division->split[level].digits;
        int64_t offset;
        const int64_t block = dist_block(length, parts, part, &offset);
        if (allowed_below(digits, part + 1) > allowed_below(digits, part))
            sum += sum_along(division, level + 1, first + offset, block);
    }
    return sum;
}

/** Adds the pieces rank by rank. */
static int64_t sum_ranks(const struct dist_plan *plan, int tensor, const struct dist_layout *from,
                         const struct dist_layout *to, int rank) {
    const int ranks = dist_grid_processes(&to->grid);
    struct dist_box box;
    int64_t sum = 0;
    for (int other = 0; other < ranks; other++)
        sum += dist_piece(plan, tensor, from, rank, to, other, &box);
    return sum;
}

int64_t pieces_sent(const struct dist_plan *plan, int tensor, const struct dist_layout *from,
                    const struct dist_layout *to, int rank) {
    const struct dist_tensor *of = &plan->tensor[tensor];
    const struct dist_box box = dist_box_of(plan, from, rank);
    struct digits digits;
    int64_t sum = 1;
    unsigned split = 0;
    if (from->count == from->grid.axes) { /* every rank may receive from this one */
        divide(&digits, &to->grid, &to->grid);
    } else {
        if (!divide(&digits, &from->grid, &to->grid))
            return sum_ranks(plan, tensor, from, to, rank);
        fix(&digits, from, rank);
    }
    for (int d = 0; d < of->rank; d++) {
        struct division division = {.box = &box, .index = of->dims[d]};
        for (int s = 0; s < to->count; s++) {
            const int axis = to->split[s].axis;
            if (to->split[s].index != of->dims[d]) continue;
            division.split[division.count].parts = to->grid.size[axis];
            division.split[division.count].cyclic = to->split[s].cyclic;
            division.split[division.count++].digits = along(&digits, &to->grid, axis);
            split |= 1U << axis;
        }
        sum *= sum_along(&division, 0, 0, plan->extent[of->dims[d]]);
    }
    for (int k = 0; k < to->grid.axes; k++) {
        const struct digits copies = along(&digits, &to->grid, k);
        if (!(split >> k & 1U)) sum *= allowed_below(&copies, to->grid.size[k]);
    }
    return sum;
}

/* Panels. */

/** The pieces of the panel index that the members of a rank's group hold of an operand, visited in
 * the order of their elements. A level is a split of the index. */
struct walk {
    int levels, parts[DIST_AXES], part[DIST_AXES];
    bool moves[DIST_AXES];                               /* whether the split is along the group */
    int64_t first[DIST_AXES + 1], length[DIST_AXES + 1]; /* the range that each level divides; the
                                                            last one is the piece */
};

/** Sets the ranges after a level. */
static void walk_descend(struct walk *walk, int level) {
    for (int l = level; l < walk->levels; l++) {
        int64_t offset;
        walk->length[l + 1] = dist_block(walk->length[l], walk->parts[l], walk->part[l], &offset);
        walk->first[l + 1] = walk->first[l] + offset;
    }
}

static void walk_begin(struct walk *walk, const struct dist_plan *plan, int tensor, int rank) {
    const struct dist_layout *home = &plan->home[tensor];
    *walk = (struct walk){.length = {plan->extent[plan->panel_index]}};
    for (int s = 0; s < home->count; s++) {
        const int axis = home->split[s].axis, level = walk->levels;
        if (home->split[s].index != plan->panel_index) continue;
        walk->parts[level] = home->grid.size[axis];
        walk->moves[level] = plan->group[tensor] >> axis & 1U;
        walk->part[level] = walk->moves[level] ? 0 : dist_coordinate(&home->grid, rank, axis);
        walk->levels++;
    }
    walk_descend(walk, 0);
}

static int64_t walk_end(const struct walk *walk) {
    return walk->first[walk->levels] + walk->length[walk->levels];
}

/** Moves on to the piece after element `before`, or stays at the last piece. */
static void walk_beyond(struct walk *walk, int64_t before) {
    int level = 0;
    while (walk_end(walk) <= before && level >= 0) {
        for (level = walk->levels - 1; level >= 0; level--) {
            if (!walk->moves[level]) continue;
            if (++walk->part[level] < walk->parts[level]) break;
            walk->part[level] = 0;
        }
        if (level >= 0) walk_descend(walk, level);
    }
}

int64_t pieces_panels(const struct dist_plan *plan, int rank) {
    const struct dist_box work = dist_box_of(plan, &plan->work[DIST_A], rank);
    const int64_t begin = work.first[plan->panel_index],
                  end = begin + work.length[plan->panel_index];
    struct walk walk[2];
    int64_t panels = 0;
    for (int t = DIST_A; t <= DIST_B; t++) walk_begin(&walk[t], plan, t, rank);
    for (int64_t first = begin; first < end; panels++) {
        int64_t next = plan->panel > 0 ? first + plan->panel : end;
        for (int t = DIST_A; t <= DIST_B; t++) {
            walk_beyond(&walk[t], first);
            if (walk_end(&walk[t]) < next) next = walk_end(&walk[t]);
        }
        first = next;
    }
    return panels;
}
