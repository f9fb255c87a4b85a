#include "gen/blas_call.h"

#include <limits.h>

#include "ast/kernel_class.h"
#include "ast/refine.h"
#include "ast/slice.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/indexset.h"
#include "gen/kernel_code.h"
#include "gen/lowering.h"
#include "gen/provider.h"

/* Where libxsmm adds up products, see the header. */
#define SUM_MAX_BYTES ((int64_t)512 << 10)
#define SUM_MAX_WALK_BYTES ((int64_t)4 << 20)
#define SUM_LEAST_COLUMNS 128
#define SUM_SHORT_PRODUCTS 2048

/* Where libxsmm fetches ahead no more, see the header. */
#define AHEAD_MAX_BYTES ((int64_t)64 << 10)
#define AHEAD_MAX_COLUMNS 128

int64_t blas_call_extent(const struct refined_problem *problem, int index, unsigned partial) {
    const int tile = refinement_tile_of_points(problem->refinement, index);
    return tile >= 0 && partial >> tile & 1U ? problem->last_extent[index] : problem->extent[index];
}

/** Whether the indices fused in a role continue each other in an operand that is used in place, and its elements follow each other upwards. */
static void check_group(struct lowering *lowering, enum tcplan_operand operand, const struct tcplan_group *group) {
    const struct refined_problem *problem = lowering->problem;
    const int64_t *stride = problem->stride_elems[operand];
    for (int i = 0; i < group->count; i++) {
        if (stride[group->index[i]] < 1) lowering_refuse(lowering, operand, "a stride is not positive");
        if (i > 0 && stride[group->index[i]] != stride[group->index[i - 1]] * problem->extent[group->index[i - 1]]) {
            lowering_refuse(lowering, operand, "indices that are fused do not continue each other");
        }
    }
}

/** What only sizes show of strided tensors. */
static void check_strides(struct lowering *lowering) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const enum tcplan_operand operand = (enum tcplan_operand)t;
        enum tcplan_role role[OPERAND_ROLES];
        if (lowering->call->slice[t].temporary || !lowering->problem->refinement->source->tensor[t].strided) continue;
        operand_roles(operand, role);
        for (int r = 0; r < OPERAND_ROLES; r++) check_group(lowering, operand, &lowering->call->group[role[r]]);
    }
}

void blas_call_first_steps(const struct blas_call *call, const struct tcplan_nest *nest, const struct tcplan_kernel_call *node,
                           const struct refined_problem *problem, int64_t *step, int64_t *outer_step) {
    const struct tcplan_algorithm *algorithm = &nest->algorithm;
    const struct tcplan_slice slice = node->slice[call->first];
    const int loops = algorithm->loop_count;
    *step = loops > 0 ? slice_stride(problem, slice, algorithm->loop[loops - 1]) : 0;
    *outer_step = loops > 1 ? slice_stride(problem, slice, algorithm->loop[loops - 2]) : 0;
}

/* Sums of products. */

/** Whether `loop` is around nothing but the kernel. */
static bool is_around_kernel(const struct tcplan_loop *loop, const struct tcplan_kernel_call *call) {
    return !loop->parallel && loop->body->kind == TCPLAN_NODE_KERNEL && &loop->body->kernel == call && !loop->body->next;
}

/** The contracted loop around nothing but the kernel; NULL where there is none. */
static const struct tcplan_loop *find_summing_loop(const struct lowering *lowering, const struct tcplan_node *node) {
    const struct tcplan_loop *found = NULL;
    for (; node && !found; node = node->next) {
        if (node->kind != TCPLAN_NODE_LOOP) continue;
        const bool contracted = refinement_index(lowering->nest->refinement, node->loop.index)->kind == TCPLAN_CONTRACTED;
        found = contracted && is_around_kernel(&node->loop, lowering->call) ? &node->loop : find_summing_loop(lowering, node->loop.body);
    }
    return found;
}

/** Multiplies *bytes by an extent; false where more than `most` come out. */
static bool grows_up_to(int64_t *bytes, int64_t extent, int64_t most) {
    return checked_mul_i64(*bytes, extent, bytes) && *bytes <= most;
}

/** Whether the first factors of a sum of so many products stay in the second cache together: each few columns of the result read all of them. */
static bool is_sum_small(const struct blas_call *out, const struct lowering *lowering, int64_t products) {
    const struct refined_problem *problem = lowering->problem;
    int64_t bytes = (int64_t)problem->written.element_bytes;
    for (uint64_t rest = lowering->call->slice[out->first].span; rest; rest &= rest - 1) {
        if (!grows_up_to(&bytes, problem->extent[indexset_first(rest)], SUM_MAX_BYTES)) return false;
    }
    return grows_up_to(&bytes, products, SUM_MAX_BYTES);
}

/** Whether what the calls read of the first factor is still in or near the second cache when they return to it. */
static bool is_first_in_cache(const struct blas_call *out, const struct lowering *lowering) {
    const struct refined_problem *problem = lowering->problem;
    const struct tcplan_algorithm *algorithm = &lowering->nest->algorithm;
    const struct tcplan_slice slice = lowering->call->slice[out->first];
    uint64_t walked = slice.span;
    int64_t bytes = (int64_t)problem->written.element_bytes;
    for (int l = algorithm->loop_count - 1; l >= 0; l--) {
        const int index = algorithm->loop[l];
        const bool moves = indexset_has(slice_moving_indices(lowering->nest->refinement, slice), index);
        if (!moves && problem->extent[index] > 1) break;
        if (moves) walked |= indexset_of(index);
    }
    for (; walked; walked &= walked - 1) {
        if (!grows_up_to(&bytes, problem->extent[indexset_first(walked)], SUM_MAX_WALK_BYTES)) return false;
    }
    return true;
}

/** Whether the first factor need not be fetched ahead: by full tiles, as the decision has to be the same in all places. */
static bool can_do_without_fetching(const struct blas_call *out, const struct lowering *lowering) {
    struct lowering full = *lowering;
    struct blas_call whole = {.m = 1};
    full.place.partial = 0;
    full.error = NULL; /* what exceeds an integer is said of the call itself */
    kernel_code_of(lowering->call->kernel)->lower(&whole, &full);
    return lowering->call->slice[out->first].temporary || whole.n >= SUM_LEAST_COLUMNS ||
           (int64_t)whole.m * whole.n <= SUM_SHORT_PRODUCTS / whole.k || is_first_in_cache(out, lowering);
}

static void lower_sum(struct blas_call *out, const struct lowering *lowering) {
    const enum tcplan_operand operand[2] = {out->first, out->second};
    const struct refined_problem *problem = lowering->problem;
    const struct tcplan_loop *loop = find_summing_loop(lowering, lowering->nest->body);
    if (!loop || problem->extent[loop->index] < 2 || !is_sum_small(out, lowering, problem->extent[loop->index])) return;
    for (int part = 0; part < 2; part++) {
        const int64_t elems = slice_stride(problem, lowering->call->slice[operand[part]], loop->index); /* libxsmm's walk is upwards */
        if (elems < 0 || elems > LIBXSMM_MAX_SUM_STEP_BYTES / (int64_t)problem->written.element_bytes) return;
        out->sum_step_bytes[part] = (int)(elems * (int64_t)problem->written.element_bytes);
    }
    if (can_do_without_fetching(out, lowering)) out->sums = (int)problem->extent[loop->index];
}

/** Whether processors fetch the next first factor in time by themselves. */
static bool is_long(const struct blas_call *out, const struct lowering *lowering) {
    const int64_t bytes = (int64_t)lowering->problem->written.element_bytes;
    return out->n >= AHEAD_MAX_COLUMNS && (int64_t)out->m * out->k > AHEAD_MAX_BYTES / bytes;
}

static void lower_for_libxsmm(struct blas_call *out, const struct lowering *lowering) {
    int64_t step;
    int64_t outer_step;
    if (kernel_has_provider(out->kernel, TCPLAN_PROVIDER_LIBXSMM)) lower_sum(out, lowering);
    blas_call_first_steps(out, lowering->nest, lowering->call, lowering->problem, &step, &outer_step);
    const bool moves = !lowering->call->slice[out->first].temporary && (step != 0 || outer_step != 0);
    out->fetches_ahead = out->sums == 0 && moves && !is_long(out, lowering);
}

enum tcplan_status blas_call_lower(struct blas_call *out, const struct tcplan_nest *nest, const struct tcplan_kernel_call *call,
                                   const struct refined_problem *problem, struct blas_call_place place, struct tcplan_error *error) {
    struct lowering lowering = {.nest = nest, .problem = problem, .call = call, .place = place, .error = error, .status = TCPLAN_OK};
    const struct tcplan_scalar one = {1, 0};
    *out = (struct blas_call){.kernel = call->kernel,
                              .provider = call->provider,
                              .m = 1,
                              .n = 1,
                              .k = 1,
                              .ld = {1, 1, 1},
                              .alpha = tcplan_problem_scalar(&problem->written, call->update.alpha),
                              .beta = place.later ? one : tcplan_problem_scalar(&problem->written, call->update.beta)};
    check_strides(&lowering);
    kernel_code_of(call->kernel)->lower(out, &lowering);
    if (call->provider == TCPLAN_PROVIDER_LIBXSMM) lower_for_libxsmm(out, &lowering);
    return lowering.status;
}
