#include "ast/scalar.h"
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

/** Whether the scalar operand, of a complex type, is not passed as it lies. */
static bool has_factor(const struct emitter *emitter, const struct emit_call *call) {
    return emit_is_complex(emitter) &&
           (!scalar_is(call->blas.alpha, 1) || call->blas.conjugated[1]);
}

/** alpha times the scalar operand, by value or, where it is complex, by address. */
static void add_axpy_factor(const struct emitter *emitter, const struct emit_call *call) {
    if (!emit_is_complex(emitter)) {
        emit_times(emitter, call->blas.alpha);
        emit_element(emitter, emit_slice(call, 1), 0);
    } else if (!has_factor(emitter, call)) {
        emit_pointer(emitter, emit_slice(call, 1));
    } else {
        strbuf_add(emitter->out, "&factor");
    }
}

static void emit(const struct emitter *emitter, const struct emit_call *call) {
    if (has_factor(emitter, call)) {
        emit_indent(emitter);
        strbuf_add(emitter->out, "const %s factor = ", emit_type(emitter->problem->dtype));
        emit_times(emitter, call->blas.alpha);
        emit_begin_conjugate(emitter, call->blas.conjugated[1]);
        emit_element(emitter, emit_slice(call, 1), 0);
        emit_end_conjugate(emitter, call->blas.conjugated[1]);
        strbuf_add(emitter->out, ";\n");
    }
    emit_indent(emitter);
    emit_routine(emitter, call);
    strbuf_add(emitter->out, "(");
    emit_count(emitter, call, 0);
    strbuf_add(emitter->out, ", ");
    add_axpy_factor(emitter, call);
    emit_array(emitter, call, 0);
    emit_array(emitter, call, 2);
    strbuf_add(emitter->out, ");\n");
}

KERNEL_CODE(axpy, lower, role_at, step, emit,
            .argument = {{"alpha", KERNEL_FACTOR, 0},
                         {"incx", KERNEL_INCREMENT, 0},
                         {"incy", KERNEL_INCREMENT, 2}});
