#include "gen/lower/copy_shape.h"

#include <assert.h>
#include <stdlib.h>

#include "ast/nest/nest.h"
#include "ast/problem/slice.h"
#include "base/indexset.h"

static struct copy_shape_dimension dimension_of(const struct refined_problem *problem,
                                                const struct tcplan_copy *copy, int index) {
    return (struct copy_shape_dimension){.extent = problem->extent[index],
                                         .to = slice_stride(problem, copy->to, index),
                                         .from = slice_stride(problem, copy->from, index),
                                         .index = index,
                                         .head = -1};
}

/** Inserts a dimension by increasing magnitude of its stride in the destination. */
static void insert(struct copy_shape *shape, struct copy_shape_dimension added) {
    assert(shape->rank < TCPLAN_MAX_INDICES);
    int place = shape->rank++;
    for (; place > 0 && llabs(shape->dimension[place - 1].to) > llabs(added.to); place--)
        shape->dimension[place] = shape->dimension[place - 1];
    shape->dimension[place] = added;
}

static bool continues(const struct copy_shape_dimension *inner,
                      const struct copy_shape_dimension *outer) {
    return outer->to == inner->to * inner->extent && outer->from == inner->from * inner->extent;
}

static void merge(struct copy_shape *shape) {
    int last = 0;
    for (int d = 1; d < shape->rank; d++) {
        struct copy_shape_dimension *inner = &shape->dimension[last];
        const struct copy_shape_dimension *outer = &shape->dimension[d];
        if (inner->head < 0 && outer->head < 0 && continues(inner, outer)) {
            inner->extent *= outer->extent;
        } else {
            shape->dimension[++last] = *outer;
        }
    }
    if (shape->rank > 0) shape->rank = last + 1;
}

/** Sorts all dimensions except the first by increasing strides in the source. */
static void follow_source(struct copy_shape *shape) {
    for (int d = 2; d < shape->rank; d++) {
        const struct copy_shape_dimension moved = shape->dimension[d];
        int place = d;
        for (; place > 1 && llabs(shape->dimension[place - 1].from) > llabs(moved.from); place--)
            shape->dimension[place] = shape->dimension[place - 1];
        shape->dimension[place] = moved;
    }
}

/** Lists the dimensions that an index and its tile loops form within the copy's span, innermost
 * first, and merges contiguous ones. Sets `head` to the outermost loop; returns their number. */
static int range_dimensions(struct copy_shape_dimension out[],
                            const struct refined_problem *problem, const struct tcplan_copy *copy,
                            int index, int *head) {
    int count = 0;
    for (; index >= 0 && indexset_has(copy->to.span, index);
         index = refinement_outer(problem->refinement, index)) {
        struct copy_shape_dimension next = dimension_of(problem, copy, index);
        *head = index;
        if (count > 0 && next.extent == 1) continue; /* a single step is not a dimension */
        if (count == 1 && out[0].extent == 1) count = 0;
        if (count > 0 && continues(&out[count - 1], &next)) {
            out[count - 1].extent = problem_count(problem, index, out[count - 1].index, false);
        } else {
            out[count++] = next;
        }
    }
    return count;
}

static void add_range(struct copy_shape *shape, const struct refined_problem *problem,
                      const struct tcplan_copy *copy, int index) {
    struct copy_shape_dimension range[TCPLAN_MAX_TILES + 1];
    int head = index;
    const int point = refinement_source_index(problem->refinement, index);
    const int count = range_dimensions(range, problem, copy, index, &head);
    const int64_t points = problem_count(problem, head, point, false);
    assert(count > 0);
    int64_t boxed = problem->step[range[0].index];
    for (int d = 0; d < count; d++) boxed *= range[d].extent;
    const bool varies = points != problem_count(problem, head, point, true);
    for (int d = 0; d < count; d++) {
        if (varies || boxed != points) range[d].head = head;
        if (range[d].extent > 1 || range[d].head >= 0) insert(shape, range[d]);
    }
}

/** Adds the summed dimensions by increasing strides in the source; merges those that are contiguous
 * with each other. */
static void add_summed(struct copy_shape *shape, const struct refined_problem *problem,
                       const struct tcplan_copy *copy) {
    struct copy_shape summed = {0};
    for (uint64_t rest = copy->summed; rest; rest &= rest - 1) {
        struct copy_shape_dimension dimension = dimension_of(problem, copy, indexset_first(rest));
        dimension.to =
            dimension.from; /* merge() compares the strides on both sides, so both are set */
        if (dimension.extent > 1) insert(&summed, dimension);
    }
    merge(&summed);
    for (int d = 0; d < summed.rank; d++) {
        summed.dimension[d].to = 0;
        assert(shape->rank + shape->summed < TCPLAN_MAX_INDICES);
        shape->dimension[shape->rank + shape->summed++] = summed.dimension[d];
    }
}

/** Returns whether an index of a span is the innermost one in its tiles. */
static bool is_innermost(const struct refined_problem *problem, uint64_t span, int index) {
    const int tile = refinement_tile_of_steps(problem->refinement, index);
    return tile < 0 || !indexset_has(span, problem->refinement->tile[tile].inner);
}

struct copy_shape copy_shape_of(const struct refined_problem *problem,
                                const struct tcplan_copy *copy) {
    struct copy_shape shape = {0};
    for (uint64_t rest = copy->to.span; rest; rest &= rest - 1) {
        const int index = indexset_first(rest);
        if (is_innermost(problem, copy->to.span, index)) add_range(&shape, problem, copy, index);
    }
    merge(&shape);
    follow_source(&shape);
    add_summed(&shape, problem, copy);
    return shape;
}

struct copy_shape copy_shape_of_ranges(const struct refined_problem *problem,
                                       const struct tcplan_copy *copy) {
    struct copy_shape shape = {0};
    for (uint64_t rest = copy->to.span; rest; rest &= rest - 1) {
        const int index = indexset_first(rest);
        if (!is_innermost(problem, copy->to.span, index)) continue;
        struct copy_shape_dimension range = dimension_of(problem, copy, index);
        for (int outer = index; outer >= 0 && indexset_has(copy->to.span, outer);
             outer = refinement_outer(problem->refinement, outer))
            range.head = outer;
        insert(&shape, range);
    }
    follow_source(&shape);
    for (uint64_t rest = copy->summed; rest; rest &= rest - 1) {
        shape.dimension[shape.rank + shape.summed++] =
            dimension_of(problem, copy, indexset_first(rest));
    }
    return shape;
}

/** Returns the dimension of a range with the longest step below `below`; -1 if there is none. */
static int next_dimension(const struct copy_shape *shape, const struct refined_problem *problem,
                          int head, int64_t below) {
    int found = -1;
    for (int d = 0; d < shape->rank; d++) {
        const struct copy_shape_dimension *dimension = &shape->dimension[d];
        if (dimension->head != head || problem->step[dimension->index] >= below) continue;
        if (found < 0 ||
            problem->step[dimension->index] > problem->step[shape->dimension[found].index])
            found = d;
    }
    return found;
}

/** Sets the dimensions of a box to their full extents for all steps within a range of `below`
 * values. */
static void fill(struct copy_box *box, const struct copy_shape *shape,
                 const struct refined_problem *problem, int head, int64_t below) {
    assert(below > 0);
    int d;
    while ((d = next_dimension(shape, problem, head, below)) >= 0) {
        const int64_t step = problem->step[shape->dimension[d].index];
        assert(below % step == 0); /* a step divides the step around it */
        box->extent[d] = below / step;
        below = step;
    }
}

/**
 * Divides a range of `count` values into boxes: its full longest steps, then the full shorter
 * steps of the remainder, and so on. Sets box `number`; returns the number of boxes.
 */
static int cut(struct copy_box *box, const struct copy_shape *shape,
               const struct refined_problem *problem, int head, int64_t points, int number) {
    int64_t below = INT64_MAX;
    int count = 0, d;
    while (points > 0 && (d = next_dimension(shape, problem, head, below)) >= 0) {
        const struct copy_shape_dimension *dimension = &shape->dimension[d];
        const int64_t step = problem->step[dimension->index], whole = points / step;
        if (count <= number) box->extent[d] = 1;
        if (whole > 0 && count++ == number) {
            box->extent[d] = whole;
            fill(box, shape, problem, head, step);
        }
        if (count <= number) {
            box->to += whole * dimension->to;
            box->from += whole * dimension->from;
        }
        points -= whole * step;
        below = step;
    }
    return count;
}

bool copy_shape_box(struct copy_box *out, const struct copy_shape *shape,
                    const struct refined_problem *problem, unsigned partial, int number) {
    assert(number >= 0);
    uint64_t seen = 0;
    *out = (struct copy_box){.to = 0};
    for (int d = 0; d < shape->rank + shape->summed; d++)
        out->extent[d] = shape->dimension[d].extent;
    for (int d = 0; d < shape->rank; d++) {
        const int head = shape->dimension[d].head;
        if (head < 0 || indexset_has(seen, head)) continue;
        seen |= indexset_of(head);
        const int tile = refinement_tile_around(problem->refinement, head);
        const int point = refinement_source_index(problem->refinement, head);
        const int64_t points =
            problem_count(problem, head, point, tile >= 0 && partial >> tile & 1U);
        struct copy_box unused = {0};
        const int count = cut(&unused, shape, problem, head, points, -1);
        if (count == 0) continue; /* an empty range has no boxes */
        cut(out, shape, problem, head, points, number % count);
        number /= count;
    }
    return number == 0;
}

/* Maximum number of buffers for partial lines: more would need over a quarter of an L2 cache of 1
 * MiB, the smallest on processors where non-temporal stores are worthwhile. */
enum { MOST_ENDS = (1 << 18) / COPY_END_BYTES };

/** Returns the copy of a nest's temporary to the result, and the step of the innermost loop around
 * it. NULL: there is none, or loops repeat it. */
static const struct tcplan_copy *find_copy_back(const struct tcplan_node *node,
                                                const struct refined_problem *problem,
                                                int64_t *step) {
    for (; node; node = node->next) {
        if (node->kind == TCPLAN_NODE_COPY && node->copy.from.operand == TCPLAN_C &&
            node->copy.from.temporary)
            return &node->copy;
        if (node->kind != TCPLAN_NODE_LOOP) continue;
        const int64_t own_step = problem->stride_elems[TCPLAN_C][node->loop.index];
        const bool repeats = own_step == 0 && problem->extent[node->loop.index] > 1;
        int64_t inner_step = own_step == 0 ? *step : own_step;
        const struct tcplan_copy *found = find_copy_back(node->loop.body, problem, &inner_step);
        if (found) *step = inner_step;
        if (found) return repeats ? NULL : found;
    }
    return NULL;
}

int64_t copy_shape_ends(const struct tcplan_nest *nest, const struct refined_problem *problem) {
    int64_t step = 0;
    const struct tcplan_copy *copy = find_copy_back(nest->body, problem, &step);
    if (!copy || !copy->streamed || update_reads(&copy->update)) return 0;
    const struct copy_shape shape = copy_shape_of(problem, copy);
    if (shape.rank == 0 || shape.dimension[0].to != 1) return 0;
    const int64_t width = shape.dimension[0].extent;
    bool goes_on = step == width;
    int64_t rows = 1;
    for (int d = 1; d < shape.rank && rows <= MOST_ENDS; d++) {
        goes_on = goes_on || shape.dimension[d].to == width;
        rows *= shape.dimension[d].extent; /* the product counts all dimensions as rows, because
                                              rows may not be contiguous in smaller tiles */
    }
    return goes_on && 2 * rows <= MOST_ENDS ? 2 * rows : 0;
}
