/*
 * The kernel brgemm: a sum of products of matrices in one call (batch-reduce gemm) with constant
 * distances between them. The result stays in registers. libxsmm has this kernel; this file emits
 * BLAS calls for machines on which libxsmm generates no code.
 */
#include "ast/nest/refine.h"
#include "ast/scalar.h"
#include "base/error.h"
#include "gen/emit/arguments.h"
#include "gen/kernels/kernel_code.h"
#include "gen/lower/lowering.h"

/** Checks that all summed steps are full, or that there is only one: libxsmm sums products of
 * equal size. */
static void check_steps(struct lowering *lowering) {
    const struct tcplan_group *summed = &lowering->call->group[TCPLAN_R];
    const struct refined_problem *problem = lowering->problem;
    for (int i = 0; i < summed->count && lowering->status == TCPLAN_OK; i++) {
        const int tile = refinement_tile_of_steps(problem->refinement, summed->index[i]);
        if (tile < 0 || !problem_varies(problem, problem->refinement->tile[tile].inner)) continue;
        const int point = problem->refinement->tile[tile].point;
        lowering->status = error_set(
            lowering->error, TCPLAN_NOT_APPLICABLE,
            "the steps of index %.40s that the kernel sums have length %d; expected a divisor of "
            "its extent %lld",
            problem->refinement->source->index[point].name,
            (int)problem->refinement->tile[tile].step, (long long)problem->written.extent[point]);
    }
}

static void lower(struct blas_call *out, struct lowering *lowering) {
    kernel_gemm.lower(out, lowering);
    check_steps(lowering);
    out->products = lowering_extent(lowering, TCPLAN_R);
    out->product_elems[0] = lowering_long_stride(lowering, out->first, TCPLAN_R);
    out->product_elems[1] = lowering_long_stride(lowering, out->second, TCPLAN_R);
}

static enum tcplan_role role_at(const struct emit_call *call, int place) {
    return place == EMIT_PRODUCTS ? TCPLAN_R : kernel_matrix_role_at(call, place);
}

/** Returns the call for a single product of a sum, inside loops over the products; beta applies in
 * their first iteration. */
static struct tcplan_kernel_call product_of(const struct tcplan_kernel_call *sum) {
    const uint64_t summed = group_indices(&sum->group[TCPLAN_R]);
    struct tcplan_kernel_call product = *sum;
    product.kernel = TCPLAN_GEMM;
    product.group[TCPLAN_R].count = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) product.slice[t].span &= ~summed;
    if (!scalar_is(product.update.beta, 1)) product.update.first_of |= summed;
    return product;
}

static void emit(const struct emitter *emitter, const struct emit_call *call) {
    const struct tcplan_group *summed = &call->node->group[TCPLAN_R];
    const struct tcplan_kernel_call product = product_of(call->node);
    struct emit_call single = {.node = &product, .blas = call->blas};
    struct emitter inside = *emitter;
    single.blas.kernel = TCPLAN_GEMM;
    for (int i = summed->count - 1; i >= 0; i--) emit_for(&inside, summed->index[i]);
    kernel_gemm.emit(&inside, &single);
    for (int i = 0; i < summed->count; i++) emit_end(&inside);
}

KERNEL_CODE(brgemm, lower, role_at, kernel_matrix_step, emit, .emit_setup = emit_factor_setup);
