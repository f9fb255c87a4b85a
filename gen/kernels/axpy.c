#include "gen/emit/arguments.h"
#include "gen/kernels/kernel_code.h"
#include "gen/lower/lowering.h"

static void lower(struct blas_call *out, struct lowering *lowering) {
    enum tcplan_role role = lowering_has_role(lowering, TCPLAN_M) ? TCPLAN_M : TCPLAN_N;
    lowering_set_order(out, lowering);
    out->m = lowering_extent(lowering, role);
    out->ld[0] = lowering_stride(lowering, out->first, role);
    out->ld[2] = lowering_stride(lowering, TCPLAN_C, role);
}

static enum tcplan_role role_at(const struct emit_call *call, int place) {
    (void)place;
    return kernel_rows(call);
}

static struct kernel_step step(const struct emit_call *call, int part) {
    return (struct kernel_step){.role = part == 1 ? TCPLAN_ROLES : kernel_rows(call), .rows = -1};
}

static void emit(const struct emitter *emitter, const struct emit_call *call) {
    emit_element_setup(emitter, call);
    emit_indent(emitter);
    emit_routine(emitter, call);
    strbuf_add(emitter->out, "(");
    emit_count(emitter, call, 0);
    strbuf_add(emitter->out, ", ");
    emit_element_argument(emitter, call);
    emit_array(emitter, call, 0);
    emit_array(emitter, call, 2);
    strbuf_add(emitter->out, ");\n");
}

KERNEL_CODE(axpy, lower, role_at, step, emit,
            .argument = {{"alpha", KERNEL_FACTOR, 0},
                         {"incx", KERNEL_INCREMENT, 0},
                         {"incy", KERNEL_INCREMENT, 2}});
