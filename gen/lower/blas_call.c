#include "gen/lower/blas_call.h"

#include "ast/algorithm/provider.h"

#include <limits.h>

#include "ast/algorithm/kernel_class.h"
#include "ast/nest/heuristics.h"
#include "ast/nest/refine.h"
#include "ast/problem/slice.h"
#include "ast/scalar.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/indexset.h"
#include "gen/kernels/kernel_code.h"
#include "gen/lower/lowering.h"
#include "gen/providers/provider.h"

int64_t blas_call_extent(const struct refined_problem *problem, int index, unsigned partial) {
    const int tile = refinement_tile_around(problem->refinement, index);
    return tile >= 0 && partial >> tile & 1U ? problem->last_extent[index] : problem->extent[index];
}

/** Refuses a call unless the fused indices of a role are contiguous with each other, with positive
 * strides, in an operand that is used in place. */
static void check_group(struct lowering *lowering, enum tcplan_operand operand,
                        const struct tcplan_group *group) {
    const struct refined_problem *problem = lowering->problem;
    const int64_t *stride = problem->stride_elems[operand];
    for (int i = 0; i < group->count; i++) {
        if (stride[group->index[i]] < 1)
            lowering_refuse(lowering, operand, "a stride is not positive");
        const bool continues =
            i == 0 || provider_traits_of(lowering->call->provider)->splits_groups;
        if (!continues && stride[group->index[i]] !=
                              stride[group->index[i - 1]] * problem->extent[group->index[i - 1]]) {
            lowering_refuse(lowering, operand, "fused indices do not continue each other");
        }
    }
}

/** Checks, for strided tensors, properties that depend on sizes. */
static void check_strides(struct lowering *lowering) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const enum tcplan_operand operand = (enum tcplan_operand)t;
        enum tcplan_role role[OPERAND_ROLES];
        if (lowering->call->slice[t].temporary ||
            !lowering->problem->refinement->source->tensor[t].strided)
            continue;
        const int roles = operand_roles(operand, role);
        for (int r = 0; r < roles; r++)
            check_group(lowering, operand, &lowering->call->group[role[r]]);
    }
}

void blas_call_first_steps(const struct blas_call *call, const struct tcplan_nest *nest,
                           const struct tcplan_kernel_call *node,
                           const struct refined_problem *problem, int64_t *step,
                           int64_t *outer_step) {
    const struct tcplan_algorithm *algorithm = &nest->algorithm;
    const struct tcplan_slice slice = node->slice[call->first];
    const int loops = algorithm->loop_count;
    *step = loops > 0 ? slice_stride(problem, slice, algorithm->loop[loops - 1]) : 0;
    *outer_step = loops > 1 ? slice_stride(problem, slice, algorithm->loop[loops - 2]) : 0;
}

enum tcplan_status blas_call_lower(struct blas_call *out, const struct tcplan_nest *nest,
                                   const struct tcplan_kernel_call *call,
                                   const struct refined_problem *problem,
                                   struct blas_call_place place, struct tcplan_error *error) {
    struct lowering lowering = {.nest = nest,
                                .problem = problem,
                                .call = call,
                                .place = place,
                                .error = error,
                                .status = TCPLAN_OK};
    const struct tcplan_scalar one = {1, 0};
    *out = (struct blas_call){
        .kernel = call->kernel,
        .provider = call->provider,
        .m = 1,
        .n = 1,
        .k = 1,
        .ld = {1, 1, 1},
        .alpha = tcplan_problem_scalar(&problem->written, call->update.alpha),
        .beta = place.later ? one : tcplan_problem_scalar(&problem->written, call->update.beta)};
    check_strides(&lowering);
    kernel_code_of(call->kernel)->lower(out, &lowering);
    out->conjugated[0] = scalar_conjugates(call->conjugated[out->first], problem->written.dtype);
    out->conjugated[1] = scalar_conjugates(call->conjugated[out->second], problem->written.dtype);
    out->tile = call->tile;
    out->streamed = heuristics_stream_kernel(call);
    out->fetches_ahead = heuristics_fetch_ahead(problem, nest, call);
    return lowering.status;
}

static const struct tcplan_node *kernel_node(const struct tcplan_node *node) {
    const struct tcplan_node *found = NULL;
    for (; node && !found; node = node->next) {
        if (node->kind == TCPLAN_NODE_KERNEL) found = node;
        if (node->kind == TCPLAN_NODE_LOOP) found = kernel_node(node->loop.body);
    }
    return found;
}

enum tcplan_status blas_call_of(struct blas_call *out, double *calls,
                                const struct tcplan_problem *problem,
                                const struct tcplan_algorithm *algorithm,
                                struct tcplan_error *error) {
    struct tcplan_nest *nest;
    enum tcplan_status status = tcplan_nest_build(&nest, problem->contraction, algorithm, error);
    if (status != TCPLAN_OK) return status;
    const struct refined_problem refined = problem_refine(problem, nest->refinement);
    const struct tcplan_kernel_call *call = &kernel_node(nest->body)->kernel;
    const struct blas_call_place place = {.later = call->update.first_of != 0};
    status = blas_call_lower(out, nest, call, &refined, place, error);
    *calls = 1;
    for (int l = 0; l < algorithm->loop_count; l++)
        *calls *= problem_full_extent(&refined, algorithm->loop[l]);
    tcplan_nest_free(nest);
    return status;
}

int blas_call_kinds_of(const struct tcplan_problem *problem,
                       const struct tcplan_algorithm *algorithm) {
    struct tcplan_nest *nest;
    if (tcplan_nest_build(&nest, problem->contraction, algorithm, NULL) != TCPLAN_OK) return 0;
    const struct refined_problem refined = problem_refine(problem, nest->refinement);
    const struct tcplan_kernel_call *call = &kernel_node(nest->body)->kernel;
    uint64_t span = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) span |= call->slice[t].span;
    const int visits = call->update.first_of != 0 ? 2 : 1;
    const int kinds = visits << __builtin_popcount(problem_partial_tiles(&refined, span));
    tcplan_nest_free(nest);
    return kinds;
}
