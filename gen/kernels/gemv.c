#include "gen/emit/arguments.h"
#include "gen/kernels/kernel_code.h"
#include "gen/lower/lowering.h"

static void lower(struct blas_call *out, struct lowering *lowering) {
    enum tcplan_role role = lowering_has_role(lowering, TCPLAN_M) ? TCPLAN_M : TCPLAN_N;
    lowering_set_order(out, lowering);
    out->transposed[0] = lowering_transposes(lowering, out->first);
    out->m = lowering_extent(lowering, out->transposed[0] ? TCPLAN_K : role);
    out->n = lowering_extent(lowering, out->transposed[0] ? role : TCPLAN_K);
    out->ld[0] = lowering_leading(lowering, out->first, out->transposed[0] ? role : TCPLAN_K,
                                  out->m, out->n);
    out->ld[1] = lowering_stride(lowering, out->second, TCPLAN_K);
    out->ld[2] = lowering_stride(lowering, TCPLAN_C, role);
}

static enum tcplan_role role_at(const struct emit_call *call, int place) {
    return (place == 0) == call->blas.transposed[0] ? TCPLAN_K : kernel_rows(call);
}

static struct kernel_step step(const struct emit_call *call, int part) {
    if (part == 0) return (struct kernel_step){.role = role_at(call, 1), .rows = 0};
    return (struct kernel_step){.role = part == 1 ? TCPLAN_K : kernel_rows(call), .rows = -1};
}

static void emit(const struct emitter *emitter, const struct emit_call *call) {
    emit_matrix_call(emitter, call, 1, 2);
}

KERNEL_CODE(gemv, lower, role_at, step, emit, .emit_setup = emit_factor_setup,
            .argument = {{"trans", KERNEL_FLAG, 0},
                         {"alpha", KERNEL_ALPHA, 0},
                         {"beta", KERNEL_BETA, 0},
                         {"incx", KERNEL_INCREMENT, 1},
                         {"incy", KERNEL_INCREMENT, 2}});
