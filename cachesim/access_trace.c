#include "cachesim/access_trace.h"

#include <assert.h>

#include "ast/nest/nest.h"
#include "ast/nest/refine.h"
#include "ast/problem/slice.h"
#include "base/indexset.h"
#include "cachesim/region.h"

enum { PAGE_BYTES = 4096 };

struct tracer {
    const struct refined_problem *problem;
    const struct access_layout *layout;
    const struct access_visitor *visitor;
    uint64_t fixed; /* indices of the loops around the traced node */
    int64_t at[TCPLAN_MAX_INDICES];
};

static int64_t elems_of(const struct refined_problem *problem, int slot) {
    const enum tcplan_operand operand = (enum tcplan_operand)(slot % TCPLAN_TENSORS);
    return slot < TCPLAN_TENSORS       ? problem->written.elems[operand]
           : operand < TCPLAN_OPERANDS ? problem->temporary_elems[operand]
                                       : 0;
}

struct access_layout access_layout_of(const struct refined_problem *problem) {
    struct access_layout layout;
    uint64_t next = PAGE_BYTES;
    for (int slot = 0; slot < COLLECTION_SLOTS; slot++) {
        layout.address[slot] = next;
        const uint64_t bytes = (uint64_t)elems_of(problem, slot) * problem->written.element_bytes;
        next += (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    }
    return layout;
}

/** Traces a region: runs along its dimension 0, for each position in the other `dimensions`
 * dimensions, of which the last one varies slowest. */
static void trace_region(const struct tracer *tracer, struct access_run *run,
                         const struct region *region, int dimensions) {
    if (dimensions <= 1) {
        tracer->visitor->run(tracer->visitor->context, run);
        return;
    }
    const struct region_dimension *dimension = &region->dimension[dimensions - 1];
    const uint64_t start = run->address;
    for (int64_t i = 0; i < dimension->extent;
         i++, run->address += (uint64_t)dimension->stride_bytes)
        trace_region(tracer, run, region, dimensions - 1);
    run->address = start;
}

static void trace_slice(const struct tracer *tracer, const struct tcplan_node *node,
                        struct tcplan_slice slice, bool write) {
    const struct region_scope scope = {.at = tracer->at, .fixed = tracer->fixed, .ranged = -1};
    const struct region region = region_of(tracer->problem, slice, write, &scope);
    const int slot = (int)slice.operand + (slice.temporary ? TCPLAN_TENSORS : 0);
    struct access_run run = {.node = node,
                             .slice = slice,
                             .address =
                                 tracer->layout->address[slot] + (uint64_t)region.offset_bytes,
                             .stride_bytes = region.rank > 0 ? region.dimension[0].stride_bytes : 0,
                             .count = region.rank > 0 ? region.dimension[0].extent : 1,
                             .write = write};
    trace_region(tracer, &run, &region, region.rank);
}

static void trace_leaf(const struct tracer *tracer, const struct tcplan_node *node) {
    struct tcplan_slice touch[TCPLAN_OPERANDS];
    const int count = node_touches(node, touch);
    if (tracer->visitor->node) tracer->visitor->node(tracer->visitor->context, node, tracer->at);
    /* trace the written slice last */
    for (int t = 0; t < count; t++) trace_slice(tracer, node, touch[t], t == count - 1);
}

static void trace_body(struct tracer *tracer, const struct tcplan_node *body);

static void trace_loop(struct tracer *tracer, const struct tcplan_loop *loop, int64_t first,
                       int64_t count) {
    assert(first >= 0 && count >= 0 && first + count <= tracer->problem->extent[loop->index]);
    assert(!indexset_has(tracer->fixed, loop->index)); /* no loop contains a loop over the same
                                                          index */
    tracer->fixed |= indexset_of(loop->index);
    for (tracer->at[loop->index] = first; tracer->at[loop->index] < first + count;
         tracer->at[loop->index]++)
        trace_body(tracer, loop->body);
    tracer->at[loop->index] = 0;
    tracer->fixed &= ~indexset_of(loop->index);
}

static void trace_body(struct tracer *tracer, const struct tcplan_node *body) {
    for (; body; body = body->next) {
        if (body->kind == TCPLAN_NODE_LOOP) {
            trace_loop(
                tracer, &body->loop, 0,
                problem_extent_at(tracer->problem, body->loop.index, tracer->fixed, tracer->at));
        } else {
            trace_leaf(tracer, body);
        }
    }
}

void access_trace(const struct tcplan_nest *nest, const struct refined_problem *problem,
                  const struct access_layout *layout, const struct access_visitor *visitor) {
    struct tracer tracer = {.problem = problem, .layout = layout, .visitor = visitor};
    trace_body(&tracer, nest->body);
}

void access_trace_stretch(const struct refined_problem *problem, const struct access_layout *layout,
                          const struct access_stretch *stretch,
                          const struct access_visitor *visitor) {
    struct tracer tracer = {
        .problem = problem, .layout = layout, .visitor = visitor, .fixed = stretch->around};
    for (int i = 0; i < problem->refinement->index_count; i++) {
        if (indexset_has(stretch->around, i)) tracer.at[i] = stretch->at[i];
    }
    if (stretch->node->kind == TCPLAN_NODE_LOOP) {
        trace_loop(&tracer, &stretch->node->loop, stretch->first, stretch->count);
    } else {
        trace_leaf(&tracer, stretch->node);
    }
}
