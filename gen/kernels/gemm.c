#include "gen/emit_arguments.h"
#include "gen/kernel_code.h"
#include "gen/lowering.h"
#include "gen/provider.h"

/** BLAS wants a leading dimension no smaller than the rows, even of a matrix of one column that has none. */
static int leading(int stride, int rows) {
    return stride > rows ? stride : rows;
}

/** What BLIS takes: both strides of each matrix as they are. */
static void set_general_strides(struct blas_call *out, const struct lowering *lowering, enum tcplan_role rows, enum tcplan_role columns) {
    const enum tcplan_operand operand[3] = {out->first, out->second, TCPLAN_C};
    const enum tcplan_role role[3][2] = {{rows, TCPLAN_K}, {TCPLAN_K, columns}, {rows, columns}};
    for (int part = 0; part < 3; part++) {
        for (int side = 0; side < 2; side++) out->strides[part][side] = lowering_long_stride(lowering, operand[part], role[part][side]);
    }
}

static void lower(struct blas_call *out, struct lowering *lowering) {
    enum tcplan_role rows;
    enum tcplan_role columns;
    lowering_result_roles(lowering, &rows, &columns);
    lowering_set_order(out, lowering_operand_of(rows));
    out->m = lowering_extent(lowering, rows);
    out->n = lowering_extent(lowering, columns);
    out->k = lowering_extent(lowering, TCPLAN_K);
    if (lowering->call->provider == TCPLAN_PROVIDER_BLIS) {
        set_general_strides(out, lowering, rows, columns);
        return;
    }
    /* Where a matrix is but a vector, its one index need not be contiguous: it becomes the leading dimension. */
    const bool has_rows = lowering_has_role(lowering, rows);
    out->transposed[0] = has_rows ? !lowering_is_unit(lowering, out->first, rows) : lowering_is_unit(lowering, out->first, TCPLAN_K);
    out->transposed[1] = lowering_has_role(lowering, TCPLAN_K) && !lowering_is_unit(lowering, out->second, TCPLAN_K);
    out->ld[0] = leading(lowering_stride(lowering, out->first, out->transposed[0] ? rows : TCPLAN_K), out->transposed[0] ? out->k : out->m);
    out->ld[1] =
        leading(lowering_stride(lowering, out->second, out->transposed[1] ? TCPLAN_K : columns), out->transposed[1] ? out->n : out->k);
    out->ld[2] = leading(lowering_stride(lowering, TCPLAN_C, columns), out->m);
    blas_call_set_strides(out);
}

static void emit(const struct emitter *emitter, const struct emit_call *call) {
    const struct blas_call *blas = &call->blas;
    emit_beta_by_visit(emitter, call);
    emit_indent(emitter);
    emit_routine(emitter, call);
    strbuf_add(emitter->out, "(CblasColMajor, %s, %s", emit_transposition(blas->transposed[0]), emit_transposition(blas->transposed[1]));
    for (int place = 0; place < 3; place++) emit_next_count(emitter, call, place);
    emit_break(emitter);
    emit_alpha_argument(emitter, call);
    emit_array(emitter, emit_first_slice(call), blas->ld[0]);
    emit_array(emitter, emit_second_slice(call), blas->ld[1]);
    emit_break(emitter);
    emit_beta_argument(emitter, call);
    emit_array(emitter, emit_result_slice(call), blas->ld[2]);
    strbuf_add(emitter->out, ");\n");
}

const struct kernel_code kernel_gemm = {.lower = lower, .role_at = kernel_matrix_role_at, .emit_setup = emit_factor_setup, .emit = emit};
