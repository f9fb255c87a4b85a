#include "gen/sharing.h"

#include <stdlib.h>

#include "ast/nest.h"
#include "ast/slice.h"

enum { LINE_BYTES = 64, ROUNDING_COST = 8 };

static const struct tcplan_node *parallel_within(const struct tcplan_node *node) {
    for (; node; node = node->next) {
        if (node->kind == TCPLAN_NODE_LOOP) return node->loop.parallel ? node : parallel_within(node->loop.body);
    }
    return NULL;
}

const struct tcplan_node *sharing_loop(const struct tcplan_nest *nest) {
    return parallel_within(nest->body);
}

/** From one iteration to the next in what the threads write: the result, or the temporary of it that they share. */
static int64_t step_bytes(const struct tcplan_nest *nest, const struct refined_problem *problem, const struct sharing *sharing, int index) {
    const bool shares_temporary = nest_has_temporary(nest, TCPLAN_C) && !sharing->is_private[TCPLAN_C];
    const struct tcplan_slice result = {.operand = TCPLAN_C, .temporary = shares_temporary};
    return llabs(slice_stride(problem, result, index)) * (int64_t)problem->written.element_bytes;
}

/** The iterations that fill a cache line; 1 where each has lines of its own. */
static int64_t line_iterations(int64_t step) {
    return step > 0 && step < LINE_BYTES ? (LINE_BYTES + step - 1) / step : 1;
}

static int64_t rounded(int64_t iterations, int64_t unit, int64_t extent, int threads) {
    const int64_t whole = (iterations + unit - 1) / unit * unit;
    const bool is_cheap = (whole - iterations) * ROUNDING_COST <= iterations;
    return is_cheap && whole * (threads - 1) < extent ? whole : iterations;
}

struct sharing sharing_of(const struct tcplan_nest *nest, const struct refined_problem *problem, int threads) {
    const struct tcplan_algorithm *algorithm = &nest->algorithm;
    const struct tcplan_node *loop = sharing_loop(nest);
    struct sharing sharing = {.threads = 1, .iterations = loop ? problem->extent[loop->loop.index] : 0};
    if (sharing.iterations <= 1 || threads <= 1) return sharing;
    const int64_t extent = sharing.iterations;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) sharing.is_private[t] = algorithm->copy[t].depth > algorithm->parallel;
    if (threads > extent) threads = (int)extent;
    const int64_t unit = line_iterations(step_bytes(nest, problem, &sharing, loop->loop.index));
    sharing.iterations = rounded((extent + threads - 1) / threads, unit, extent, threads);
    sharing.threads = (int)((extent + sharing.iterations - 1) / sharing.iterations);
    return sharing;
}

struct sharing sharing_of_any(const struct tcplan_nest *nest, int threads) {
    struct sharing sharing = {.threads = 1};
    if (!sharing_loop(nest) || threads <= 1) return sharing;
    sharing.threads = threads;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) sharing.is_private[t] = nest->algorithm.copy[t].depth > nest->algorithm.parallel;
    return sharing;
}

size_t sharing_stride_bytes(size_t bytes) {
    return (bytes + SHARING_PAGE_BYTES - 1) / SHARING_PAGE_BYTES * SHARING_PAGE_BYTES;
}
