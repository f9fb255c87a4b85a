#include "gen/copy_shape.h"

#include <stdlib.h>

#include "ast/nest.h"
#include "ast/refine.h"
#include "ast/slice.h"
#include "base/indexset.h"

static struct copy_shape_dimension dimension_of(const struct refined_problem *problem, const struct tcplan_copy *copy, int index,
                                                uint64_t steps) {
    const int tile = refinement_tile_of_points(problem->refinement, index);
    const bool is_whole = tile >= 0 && indexset_has(steps, problem->refinement->tile[tile].steps);
    return (struct copy_shape_dimension){.extent = is_whole ? problem_whole_extent(problem, index) : problem->extent[index],
                                         .to = slice_stride(problem, copy->to, index),
                                         .from = slice_stride(problem, copy->from, index),
                                         .index = index};
}

/** Dimensions by rising steps in the destination, whatever their sign. */
static void insert(struct copy_shape *shape, struct copy_shape_dimension added) {
    int place = shape->rank++;
    for (; place > 0 && llabs(shape->dimension[place - 1].to) > llabs(added.to); place--)
        shape->dimension[place] = shape->dimension[place - 1];
    shape->dimension[place] = added;
}

static bool continues(const struct copy_shape_dimension *inner, const struct copy_shape_dimension *outer, uint64_t partial) {
    return !indexset_has(partial, inner->index) && !indexset_has(partial, outer->index) && outer->to == inner->to * inner->extent &&
           outer->from == inner->from * inner->extent;
}

static void merge(struct copy_shape *shape, uint64_t partial) {
    int last = 0;
    for (int d = 1; d < shape->rank; d++) {
        if (continues(&shape->dimension[last], &shape->dimension[d], partial)) {
            shape->dimension[last].extent *= shape->dimension[d].extent;
        } else {
            shape->dimension[++last] = shape->dimension[d];
        }
    }
    if (shape->rank > 0) shape->rank = last + 1;
}

/** Sorts all dimensions but the first by rising steps in the source. */
static void follow_source(struct copy_shape *shape) {
    for (int d = 2; d < shape->rank; d++) {
        const struct copy_shape_dimension moved = shape->dimension[d];
        int place = d;
        for (; place > 1 && llabs(shape->dimension[place - 1].from) > llabs(moved.from); place--)
            shape->dimension[place] = shape->dimension[place - 1];
        shape->dimension[place] = moved;
    }
}

/** The steps among the indices of a span whose points are there, too: these stand for both. */
static uint64_t steps_of_points(const struct refined_problem *problem, uint64_t span) {
    const struct tcplan_refinement *refinement = problem->refinement;
    uint64_t steps = 0;
    for (int t = 0; t < refinement->tile_count; t++) {
        if (indexset_has(span, refinement->tile[t].point)) steps |= indexset_of(refinement->tile[t].steps);
    }
    return steps & span;
}

/** Adds the dimensions that are summed over by rising steps in the source, those as one that continue each other. */
static void add_summed(struct copy_shape *shape, const struct refined_problem *problem, const struct tcplan_copy *copy) {
    struct copy_shape summed = {0};
    for (uint64_t rest = copy->summed; rest; rest &= rest - 1) {
        struct copy_shape_dimension dimension = dimension_of(problem, copy, indexset_first(rest), 0);
        dimension.to = dimension.from; /* merge() wants both to continue */
        if (dimension.extent > 1) insert(&summed, dimension);
    }
    merge(&summed, 0);
    for (int d = 0; d < summed.rank; d++) {
        summed.dimension[d].to = 0;
        shape->dimension[shape->rank + shape->summed++] = summed.dimension[d];
    }
}

struct copy_shape copy_shape_of(const struct refined_problem *problem, const struct tcplan_copy *copy) {
    const uint64_t partial = problem_varying(problem, copy->to.span);
    const uint64_t steps = steps_of_points(problem, copy->to.span);
    struct copy_shape shape = {0};
    for (uint64_t rest = copy->to.span & ~steps; rest; rest &= rest - 1) {
        const int index = indexset_first(rest);
        const struct copy_shape_dimension dimension = dimension_of(problem, copy, index, steps);
        if (dimension.extent > 1 || indexset_has(partial, index)) insert(&shape, dimension);
    }
    merge(&shape, partial);
    follow_source(&shape);
    add_summed(&shape, problem, copy);
    return shape;
}

/* Ends of more rows take more than a quarter of a second cache of 1 MiB, the smallest of processors for which streaming pays. */
enum { MOST_ENDS = (1 << 18) / COPY_END_BYTES };

/** The copy of a nest's result to where it belongs, and the step of the innermost loop around; NULL: there is none, or it is made again and again. */
static const struct tcplan_copy *find_copy_back(const struct tcplan_node *node, const struct refined_problem *problem, int64_t *step) {
    for (; node; node = node->next) {
        if (node->kind == TCPLAN_NODE_COPY && !node->copy.to.temporary) return &node->copy;
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
        rows *= shape.dimension[d].extent; /* those that go on, too: in a smaller tile they do not */
    }
    return goes_on && rows <= MOST_ENDS ? rows : 0;
}
