#include "support/addresses.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ast/nest/nest.h"
#include "base/indexset.h"

int address_space(struct tcplan_slice slice) {
    return (int)slice.operand + (slice.temporary ? TCPLAN_TENSORS : 0);
}

/** Lists the dimensions of a slice in memory, slowest first; for a temporary, each of its indices
 * once. */
static int memory_dims(const struct tcplan_contraction *contraction, struct tcplan_slice slice,
                       int dims[TCPLAN_MAX_RANK]) {
    const struct tcplan_tensor *tensor = &contraction->tensor[slice.operand];
    uint64_t pending = slice.span;
    int count = 0, fastest_first[TCPLAN_MAX_RANK];
    for (int step = 0; step < tensor->rank;
         step++) { /* fastest dimension first: for a temporary, its first one */
        const int index =
            tensor
                ->dims[contraction->order == TCPLAN_COLUMN_MAJOR ? step : tensor->rank - 1 - step];
        if (slice.temporary && !indexset_has(pending, index)) continue;
        pending &= ~indexset_of(index);
        fastest_first[count++] = index;
    }
    for (int d = 0; d < count; d++) dims[d] = fastest_first[count - 1 - d];
    return count;
}

/** Returns the number of elements between the lowest address of a strided tensor and the element at
 * `point`. */
static int64_t address_in_strided(const struct refined_problem *problem,
                                  const struct tcplan_tensor *tensor, const int64_t point[]) {
    int64_t step[TCPLAN_MAX_INDICES] = {0}, element = 0;
    for (int d = 0; d < tensor->rank; d++) step[tensor->dims[d]] += tensor->stride[d];
    for (int i = 0; i < problem->refinement->index_count; i++) {
        element += step[i] < 0 ? -step[i] * (problem->extent[i] - 1 - point[i])
                               : step[i] * (indexset_has(tensor->indices, i) ? point[i] : 0);
    }
    return element;
}

int64_t address_of(const struct refined_problem *problem, struct tcplan_slice slice,
                   const int64_t point[]) {
    const struct tcplan_tensor *tensor = &problem->refinement->source->tensor[slice.operand];
    if (!slice.temporary && tensor->strided) return address_in_strided(problem, tensor, point);
    int dims[TCPLAN_MAX_RANK];
    const int count = memory_dims(problem->refinement->source, slice, dims);
    int64_t element = 0;
    for (int d = 0; d < count; d++) element = element * problem->extent[dims[d]] + point[dims[d]];
    return element;
}

/* Executions. */

struct address_walk {
    const struct refined_problem *problem;
    address_step_fn *visit;
    void *context;
    int64_t at[TCPLAN_MAX_INDICES];
    int64_t calls;
};

static bool walk_body(struct address_walk *walk, const struct tcplan_node *body) {
    for (; body; body = body->next) {
        if (body->kind != TCPLAN_NODE_LOOP) {
            const struct address_step step = {.leaf = body, .at = walk->at, .calls = walk->calls};
            if (!walk->visit(walk->context, &step)) return false;
            walk->calls += body->kind == TCPLAN_NODE_KERNEL;
            continue;
        }
        const int index = body->loop.index;
        for (walk->at[index] = 0; walk->at[index] < walk->problem->extent[index];
             walk->at[index]++) {
            if (!walk_body(walk, body->loop.body)) return false;
        }
        walk->at[index] = 0;
    }
    return true;
}

bool address_walk(const struct tcplan_nest *nest, const struct refined_problem *problem,
                  address_step_fn *visit, void *context) {
    struct address_walk walk = {.problem = problem, .visit = visit, .context = context};
    return walk_body(&walk, nest->body);
}

/* Elements. */

/** Advances to the next combination of the indices in `span`; returns false after the last one. */
static bool advance(const struct refined_problem *problem, uint64_t span, int64_t point[]) {
    for (int i = 0; i < problem->refinement->index_count; i++) {
        if (!indexset_has(span, i)) continue;
        if (++point[i] < problem->extent[i]) return true;
        point[i] = 0;
    }
    return false;
}

static void visit_slice(const struct refined_problem *problem, struct tcplan_slice slice,
                        const int64_t at[], address_fn *visit, void *context) {
    int64_t point[TCPLAN_MAX_INDICES];
    memcpy(point, at, sizeof point);
    for (int i = 0; i < problem->refinement->index_count; i++) {
        if (indexset_has(slice.span, i)) point[i] = 0;
    }
    do {
        visit(context, address_space(slice), address_of(problem, slice, point));
    } while (advance(problem, slice.span, point));
}

void address_leaf(const struct refined_problem *problem, const struct tcplan_node *leaf,
                  const int64_t at[], address_fn *visit, void *context) {
    switch (leaf->kind) {
    case TCPLAN_NODE_KERNEL:
        for (int t = 0; t < TCPLAN_OPERANDS; t++)
            visit_slice(problem, leaf->kernel.slice[t], at, visit, context);
        break;
    case TCPLAN_NODE_COPY:
        visit_slice(problem, leaf->copy.from, at, visit, context);
        visit_slice(problem, leaf->copy.to, at, visit, context);
        break;
    case TCPLAN_NODE_SCALE: visit_slice(problem, leaf->scale.slice, at, visit, context); break;
    case TCPLAN_NODE_LOOP:
    case TCPLAN_NODE_STEPS:
    case TCPLAN_NODE_CALL:
    case TCPLAN_NODE_AGAIN: break;
    }
}

static void visit_dimensions(const struct region *region, int dimensions, int64_t offset,
                             address_fn *visit, void *context) {
    if (dimensions == 0) {
        assert_true(offset % region->element_bytes == 0);
        visit(context, (int)region->operand + (region->temporary ? TCPLAN_TENSORS : 0),
              offset / region->element_bytes);
        return;
    }
    const struct region_dimension *dimension = &region->dimension[dimensions - 1];
    for (int64_t i = 0; i < dimension->extent; i++) {
        visit_dimensions(region, dimensions - 1, offset + i * dimension->stride_bytes, visit,
                         context);
    }
}

void address_region(const struct region *region, address_fn *visit, void *context) {
    visit_dimensions(region, region->rank, region->offset_bytes, visit, context);
}

/* Maps. */

void address_map_init(struct address_map *out, const struct tcplan_nest *nest,
                      const struct refined_problem *problem) {
    for (int space = 0; space < ADDRESS_SPACES; space++) {
        const int operand = space % TCPLAN_TENSORS;
        int64_t count = 1;
        if (space < TCPLAN_TENSORS && problem->refinement->source->tensor[operand].strided) {
            count = problem->written.elems[operand];
        } else if (space < TCPLAN_TENSORS) {
            for (int d = 0; d < problem->refinement->source->tensor[operand].rank; d++) {
                count *= problem->extent[problem->refinement->source->tensor[operand].dims[d]];
            }
        } else if (operand == TCPLAN_ADDEND ||
                   !nest_has_temporary(nest, (enum tcplan_operand)operand)) {
            count = 0;
        } else {
            for (int i = 0; i < problem->refinement->index_count; i++) {
                if (indexset_has(nest->temporary_span[operand], i)) count *= problem->extent[i];
            }
        }
        out->count[space] = count;
        out->value[space] = calloc((size_t)count + 1, sizeof **out->value);
        assert_non_null(out->value[space]);
    }
}

void address_map_clear(struct address_map *map) {
    for (int space = 0; space < ADDRESS_SPACES; space++)
        memset(map->value[space], 0, (size_t)map->count[space] * sizeof **map->value);
}

void address_map_mark(void *context, int space, int64_t element) {
    const struct address_map *map = context;
    assert_true(element >= 0 && element < map->count[space]);
    map->value[space][element] = 1;
}

void address_map_free(struct address_map *map) {
    for (int space = 0; space < ADDRESS_SPACES; space++) free(map->value[space]);
    *map = (struct address_map){0};
}
