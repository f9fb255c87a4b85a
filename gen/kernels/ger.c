#include "gen/emit/arguments.h"
#include "gen/kernels/kernel_code.h"
#include "gen/lower/lowering.h"

static void lower(struct blas_call *out, struct lowering *lowering) {
    enum tcplan_role rows;
    enum tcplan_role columns;
    lowering_set_result(out, lowering, &rows, &columns);
    out->ld[0] = lowering_stride(lowering, out->first, rows);
    out->ld[1] = lowering_stride(lowering, out->second, columns);
    out->ld[2] = lowering_leading(lowering, TCPLAN_C, columns, out->m, out->n);
}

static struct kernel_step step(const struct emit_call *call, int part) {
    return (struct kernel_step){.role = kernel_matrix_role_at(call, part == 0 ? 0 : 1),
                                .rows = part == 2 ? 0 : -1};
}

static void emit(const struct emitter *emitter, const struct emit_call *call) {
    emit_indent(emitter);
    emit_routine(emitter, call);
    strbuf_add(emitter->out, "(CblasColMajor");
    for (int place = 0; place < 2; place++) emit_next_count(emitter, call, place);
    strbuf_add(emitter->out, ", ");
    emit_alpha_argument(emitter, call);
    emit_array(emitter, call, 0);
    emit_array(emitter, call, 1);
    emit_array(emitter, call, 2);
    strbuf_add(emitter->out, ");\n");
}

KERNEL_CODE(ger, lower, kernel_matrix_role_at, step, emit, .emit_setup = emit_alpha_setup,
            .argument = {{"alpha", KERNEL_ALPHA, 0},
                         {"incx", KERNEL_INCREMENT, 0},
                         {"incy", KERNEL_INCREMENT, 1}});
