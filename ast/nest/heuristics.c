#include "ast/nest/heuristics.h"

#include "ast/algorithm/orientation.h"
#include "ast/algorithm/provider.h"
#include "ast/nest/nest.h"
#include "ast/problem/slice.h"
#include "ast/scalar.h"

bool heuristics_stream(const struct refined_problem *problem, const struct tcplan_copy *copy) {
    if (copy->streamed || !copy->to.temporary) return copy->streamed;
    if (copy->summed) return false; /* a copy that sums reads more than it writes */
    if (copy_scales(&problem->written, copy))
        return false; /* a copy that scales goes over each piece a second time */
    if (scalar_conjugates(copy->conjugated, problem->written.dtype))
        return false; /* copies that conjugate have no non-temporal stores */
    const double bytes =
        (double)slice_elems(problem, copy->to) * (double)problem->written.element_bytes;
    return bytes > (double)problem->written.heuristics.far_bytes;
}

bool heuristics_stream_kernel(const struct tcplan_kernel_call *call) {
    return call->streamed && !update_reads(&call->update);
}

bool heuristics_stream_node(const struct refined_problem *problem, const struct tcplan_node *node) {
    if (node->kind == TCPLAN_NODE_KERNEL) return heuristics_stream_kernel(&node->kernel);
    return node->kind == TCPLAN_NODE_COPY && heuristics_stream(problem, &node->copy) &&
           !update_reads(&node->copy.update);
}

static double group_values(const struct refined_problem *problem,
                           const struct tcplan_group *group) {
    double values = 1;
    for (int i = 0; i < group->count; i++) values *= (double)problem->extent[group->index[i]];
    return values;
}

/** Returns whether a slice changes from one iteration to the next in one of the two innermost
 * loops. */
static bool moves(const struct refined_problem *problem, const struct tcplan_nest *nest,
                  struct tcplan_slice slice) {
    const struct tcplan_algorithm *algorithm = &nest->algorithm;
    bool found = false;
    for (int l = algorithm->loop_count - 1; l >= 0 && l >= algorithm->loop_count - 2; l--) {
        found = found || slice_stride(problem, slice, algorithm->loop[l]) != 0;
    }
    return found;
}

bool heuristics_fetch_ahead(const struct refined_problem *problem, const struct tcplan_nest *nest,
                            const struct tcplan_kernel_call *call) {
    if (!(provider_traits_of(call->provider)->fetches_ahead >> call->kernel & 1U)) return false;
    const enum tcplan_role rows = algorithm_rows(&nest->algorithm, nest->contraction);
    const enum tcplan_role columns = rows == TCPLAN_M ? TCPLAN_N : TCPLAN_M;
    const struct tcplan_slice first = call->slice[rows == TCPLAN_M ? TCPLAN_A : TCPLAN_B];
    if (first.temporary || !moves(problem, nest, first)) return false;
    const double bytes = group_values(problem, &call->group[rows]) *
                         group_values(problem, &call->group[TCPLAN_K]) *
                         (double)problem->written.element_bytes;
    const bool is_wide = group_values(problem, &call->group[columns]) >=
                         (double)problem->written.heuristics.ahead_columns;
    return !is_wide || bytes <= (double)problem->written.heuristics.ahead_bytes;
}
