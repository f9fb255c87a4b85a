#include "gen/lower/sharing.h"

#include <stdlib.h>

#include "ast/nest/nest.h"
#include "ast/problem/slice.h"

enum { LINE_BYTES = 64, ROUNDING_COST = 8 };

static const struct tcplan_node *parallel_within(const struct tcplan_node *node) {
    for (; node; node = node->next) {
        if (node->kind == TCPLAN_NODE_LOOP)
            return node->loop.parallel ? node : parallel_within(node->loop.body);
    }
    return NULL;
}

const struct tcplan_node *sharing_loop(const struct tcplan_nest *nest) {
    return parallel_within(nest->body);
}

const struct tcplan_node *sharing_inner_loop(const struct tcplan_node *loop) {
    return parallel_within(loop->loop.body);
}

/** Returns the distance between consecutive iterations in the written memory, in bytes: the result,
 * or its shared temporary. */
static int64_t step_bytes(const struct tcplan_nest *nest, const struct refined_problem *problem,
                          const struct sharing *sharing, int index) {
    const bool shares_temporary =
        nest_has_temporary(nest, TCPLAN_C) && !sharing->is_private[TCPLAN_C];
    const struct tcplan_slice result = {.operand = TCPLAN_C, .temporary = shares_temporary};
    return llabs(slice_stride(problem, result, index)) * (int64_t)problem->written.element_bytes;
}

/** Returns how many iterations write to the same cache line; 1 if each has lines of its own. */
static int64_t line_iterations(int64_t step) {
    return step > 0 && step < LINE_BYTES ? (LINE_BYTES + step - 1) / step : 1;
}

static int64_t rounded_up(int64_t count, int64_t unit) {
    return (count + unit - 1) / unit * unit;
}

/** Returns whether runs that are multiples of `unit` take little longer than runs of `most`
 * iterations, and leave work for all threads. */
static bool is_cheap(int64_t most, int64_t unit, int64_t count, int threads) {
    const int64_t whole = rounded_up(most, unit);
    return (whole - most) * ROUNDING_COST <= most && whole * (threads - 1) < count;
}

int64_t sharing_unit(int64_t step_bytes, int64_t count, int64_t inner, int threads) {
    const int64_t unit = line_iterations(step_bytes);
    const int64_t most = (count + threads - 1) / threads;
    return is_cheap(most, unit, count, threads) && inner % unit == 0 ? unit : 1;
}

static void find_private(struct sharing *sharing, const struct tcplan_algorithm *algorithm) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        sharing->is_private[t] = algorithm->copy[t].depth > algorithm->parallel;
}

struct sharing sharing_of(const struct tcplan_nest *nest, const struct refined_problem *problem,
                          int threads) {
    const struct tcplan_node *loop = sharing_loop(nest);
    const struct tcplan_node *inner = loop ? sharing_inner_loop(loop) : NULL;
    struct sharing sharing = {.threads = 1, .unit = 1};
    if (!loop) return sharing;
    sharing.inner = inner ? problem->extent[inner->loop.index] : 0;
    const int64_t count = problem->extent[loop->loop.index] * (inner ? sharing.inner : 1);
    sharing.iterations = count;
    if (count <= 1 || threads <= 1) return sharing;
    find_private(&sharing, &nest->algorithm);
    if (threads > count) threads = (int)count;
    sharing.unit =
        sharing_unit(step_bytes(nest, problem, &sharing, (inner ? inner : loop)->loop.index), count,
                     sharing.inner, threads);
    sharing.iterations = rounded_up((count + threads - 1) / threads, sharing.unit);
    sharing.threads = (int)((count + sharing.iterations - 1) / sharing.iterations);
    return sharing;
}

struct sharing sharing_of_any(const struct tcplan_nest *nest, int threads) {
    struct sharing sharing = {.threads = 1, .unit = 1};
    if (!sharing_loop(nest) || threads <= 1) return sharing;
    sharing.threads = threads;
    find_private(&sharing, &nest->algorithm);
    return sharing;
}

/** Returns floor(count * part / parts) without overflow. */
static int64_t fraction(int64_t count, int64_t part, int64_t parts) {
    return count / parts * part + count % parts * part / parts;
}

static int64_t at_most(int64_t value, int64_t most) {
    return value < most ? value : most;
}

static int64_t within(int64_t value, int64_t most) {
    return value < 0 ? 0 : at_most(value, most);
}

struct iterations sharing_part(const struct sharing *sharing, int64_t count, int thread) {
    const int64_t units = (count + sharing->unit - 1) / sharing->unit;
    return (struct iterations){
        .begin = at_most(sharing->unit * fraction(units, thread, sharing->threads), count),
        .end = at_most(sharing->unit * fraction(units, thread + 1, sharing->threads), count)};
}

struct iterations sharing_outer_part(const struct sharing *sharing, int64_t extent, int thread) {
    if (sharing->inner == 0) return sharing_part(sharing, extent, thread);
    const struct iterations part = sharing_part(sharing, extent * sharing->inner, thread);
    if (part.begin == part.end)
        return (struct iterations){.begin = part.begin / sharing->inner,
                                   .end = part.begin / sharing->inner};
    return (struct iterations){.begin = part.begin / sharing->inner,
                               .end = (part.end + sharing->inner - 1) / sharing->inner};
}

struct iterations sharing_inner_part(const struct sharing *sharing, int64_t extent, int64_t i,
                                     int64_t inner_extent, int thread) {
    const struct iterations part = sharing_part(sharing, extent * sharing->inner, thread);
    return (struct iterations){.begin = within(part.begin - i * sharing->inner, inner_extent),
                               .end = within(part.end - i * sharing->inner, inner_extent)};
}

int sharing_dimension(int rank, const int64_t extent[], const ptrdiff_t to[], int threads) {
    int best = 0;
    for (int d = 1; d < rank; d++) {
        const bool is_long = extent[d] >= threads, was_long = extent[best] >= threads;
        const bool is_better =
            is_long && was_long ? llabs(to[d]) > llabs(to[best]) : extent[d] > extent[best];
        if (is_better) best = d;
    }
    return best;
}

size_t sharing_stride_bytes(size_t bytes) {
    return (bytes + SHARING_PAGE_BYTES - 1) / SHARING_PAGE_BYTES * SHARING_PAGE_BYTES;
}
