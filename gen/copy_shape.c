#include "gen/copy_shape.h"

#include "ast/slice.h"
#include "base/indexset.h"

static struct copy_shape_dimension dimension_of(const struct tcplan_problem *problem, const struct tcplan_copy *copy, int index) {
    return (struct copy_shape_dimension){.extent = problem->extent[index],
                                         .to = slice_stride(problem, copy->to, index),
                                         .from = slice_stride(problem, copy->from, index),
                                         .index = index};
}

/** Dimensions by rising steps in the destination. */
static void insert(struct copy_shape *shape, struct copy_shape_dimension added) {
    int place = shape->rank++;
    for (; place > 0 && shape->dimension[place - 1].to > added.to; place--) shape->dimension[place] = shape->dimension[place - 1];
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
        for (; place > 1 && shape->dimension[place - 1].from > moved.from; place--) shape->dimension[place] = shape->dimension[place - 1];
        shape->dimension[place] = moved;
    }
}

struct copy_shape copy_shape_of(const struct tcplan_problem *problem, const struct tcplan_copy *copy, uint64_t partial) {
    struct copy_shape shape = {0};
    for (uint64_t rest = copy->to.span; rest; rest &= rest - 1) {
        const int index = indexset_first(rest);
        if (problem->extent[index] > 1 || indexset_has(partial, index)) insert(&shape, dimension_of(problem, copy, index));
    }
    merge(&shape, partial);
    follow_source(&shape);
    return shape;
}

bool copy_reads_destination(const struct tcplan_problem *problem, const struct tcplan_copy *copy) {
    const struct tcplan_scalar beta = problem->beta;
    return copy->accumulates && (beta.re != 0 || beta.im != 0);
}
