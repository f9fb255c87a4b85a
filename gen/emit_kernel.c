#include "gen/emit_parts.h"

static bool is_complex(const struct emitter *emitter) {
    return tcplan_dtype_is_complex(emitter->problem->dtype);
}

static void add_constant(const struct emitter *emitter, struct tcplan_scalar scalar) {
    emit_constant(emitter->out, emitter->problem->dtype, scalar);
}

/** A factor and ` * `; nothing where it is 1. */
static void add_factor(const struct emitter *emitter, struct tcplan_scalar scalar) {
    if (emit_is_real(scalar, 1)) return;
    add_constant(emitter, scalar);
    strbuf_add(emitter->out, " * ");
}

/** A matrix or vector argument: `, B + 3200 * i_c, 8`. */
static void add_array(const struct emitter *emitter, struct tcplan_slice slice, int ld) {
    strbuf_add(emitter->out, ", ");
    emit_pointer(emitter, slice);
    strbuf_add(emitter->out, ", %d", ld);
}

static struct tcplan_slice slice_first(const struct emit_call *call) {
    return call->node->slice[call->blas.first];
}

static struct tcplan_slice slice_second(const struct emit_call *call) {
    return call->node->slice[call->blas.second];
}

static struct tcplan_slice slice_result(const struct emit_call *call) {
    return call->node->slice[TCPLAN_C];
}

/** `cblas_dgemm(`. */
static void add_routine(const struct emitter *emitter, const struct emit_call *call) {
    const enum tcplan_dtype dtype = emitter->problem->dtype;
    strbuf_add(emitter->out, "cblas_%c%s", tcplan_dtype_letter(dtype), tcplan_kernel_name(call->blas.kernel, dtype));
}

/** Breaks an argument list: what belongs together stands on one line. */
static void add_break(const struct emitter *emitter) {
    strbuf_add(emitter->out, ",\n");
    emit_indent(emitter);
    strbuf_add(emitter->out, "            ");
}

/** alpha or beta as an argument: complex factors are passed by address, see emit_kernel_setup(). */
static void add_factor_argument(const struct emitter *emitter, struct tcplan_scalar scalar, const char *variable) {
    if (is_complex(emitter)) {
        strbuf_add(emitter->out, "&%s", variable);
    } else {
        add_constant(emitter, scalar);
    }
}

static const char *transposition(bool transposed) {
    return transposed ? "CblasTrans" : "CblasNoTrans";
}

static void add_dot_arguments(const struct emitter *emitter, const struct emit_call *call) {
    strbuf_add(emitter->out, "(%d", blas_call_spares_last(&call->blas, emitter->problem->dtype) ? call->blas.m - 1 : call->blas.m);
    add_array(emitter, slice_first(call), call->blas.ld[0]);
    add_array(emitter, slice_second(call), call->blas.ld[1]);
}

/** The last of `count` elements of a vector: `(B + i_row)[15]`. */
static void add_last_element(const struct emitter *emitter, struct tcplan_slice slice, int count, int increment) {
    strbuf_add(emitter->out, "(");
    emit_pointer(emitter, slice);
    strbuf_add(emitter->out, ")[%lld]", (long long)(count - 1) * increment);
}

/** A complex dot hands its result over through a pointer. */
static void add_complex_dot(const struct emitter *emitter, const struct emit_call *call) {
    emit_indent(emitter);
    strbuf_add(emitter->out, "%s dot;\n", emit_type(emitter->problem->dtype));
    emit_indent(emitter);
    add_routine(emitter, call);
    strbuf_add(emitter->out, "_sub");
    add_dot_arguments(emitter, call);
    strbuf_add(emitter->out, ", &dot);\n");
    if (!blas_call_spares_last(&call->blas, emitter->problem->dtype)) return;
    emit_indent(emitter);
    strbuf_add(emitter->out, "dot += ");
    add_last_element(emitter, slice_first(call), call->blas.m, call->blas.ld[0]);
    strbuf_add(emitter->out, " * ");
    add_last_element(emitter, slice_second(call), call->blas.m, call->blas.ld[1]);
    strbuf_add(emitter->out, "; /* by hand: OpenBLAS would read one stride beyond it */\n");
}

static void add_dot(const struct emitter *emitter, const struct emit_call *call) {
    const bool accumulates = emit_is_real(call->blas.beta, 1);
    if (is_complex(emitter)) add_complex_dot(emitter, call);
    emit_indent(emitter);
    emit_element(emitter, slice_result(call), 0);
    strbuf_add(emitter->out, accumulates ? " += " : " = ");
    add_factor(emitter, call->blas.alpha);
    if (is_complex(emitter)) {
        strbuf_add(emitter->out, "dot");
    } else {
        add_routine(emitter, call);
        add_dot_arguments(emitter, call);
        strbuf_add(emitter->out, ")");
    }
    if (!accumulates && !emit_is_real(call->blas.beta, 0)) {
        strbuf_add(emitter->out, " + ");
        add_factor(emitter, call->blas.beta);
        emit_element(emitter, slice_result(call), 0);
    }
    strbuf_add(emitter->out, ";\n");
}

/** alpha times the scalar operand, by value or, where it is complex, by address. */
static void add_axpy_factor(const struct emitter *emitter, const struct emit_call *call) {
    if (!is_complex(emitter)) {
        add_factor(emitter, call->blas.alpha);
        emit_element(emitter, slice_second(call), 0);
    } else if (emit_is_real(call->blas.alpha, 1)) {
        emit_pointer(emitter, slice_second(call));
    } else {
        strbuf_add(emitter->out, "&factor");
    }
}

static void add_axpy(const struct emitter *emitter, const struct emit_call *call) {
    if (is_complex(emitter) && !emit_is_real(call->blas.alpha, 1)) {
        emit_indent(emitter);
        strbuf_add(emitter->out, "const %s factor = ", emit_type(emitter->problem->dtype));
        add_factor(emitter, call->blas.alpha);
        emit_element(emitter, slice_second(call), 0);
        strbuf_add(emitter->out, ";\n");
    }
    emit_indent(emitter);
    add_routine(emitter, call);
    strbuf_add(emitter->out, "(%d, ", call->blas.m);
    add_axpy_factor(emitter, call);
    add_array(emitter, slice_first(call), call->blas.ld[0]);
    add_array(emitter, slice_result(call), call->blas.ld[2]);
    strbuf_add(emitter->out, ");\n");
}

static void add_gemv(const struct emitter *emitter, const struct emit_call *call) {
    emit_indent(emitter);
    add_routine(emitter, call);
    strbuf_add(emitter->out, "(CblasColMajor, %s, %d, %d", transposition(call->blas.transposed[0]), call->blas.m, call->blas.n);
    add_break(emitter);
    add_factor_argument(emitter, call->blas.alpha, "alpha");
    add_array(emitter, slice_first(call), call->blas.ld[0]);
    add_array(emitter, slice_second(call), call->blas.ld[1]);
    add_break(emitter);
    add_factor_argument(emitter, call->blas.beta, "beta");
    add_array(emitter, slice_result(call), call->blas.ld[2]);
    strbuf_add(emitter->out, ");\n");
}

static void add_ger(const struct emitter *emitter, const struct emit_call *call) {
    emit_indent(emitter);
    add_routine(emitter, call);
    strbuf_add(emitter->out, "(CblasColMajor, %d, %d, ", call->blas.m, call->blas.n);
    add_factor_argument(emitter, call->blas.alpha, "alpha");
    add_array(emitter, slice_first(call), call->blas.ld[0]);
    add_array(emitter, slice_second(call), call->blas.ld[1]);
    add_array(emitter, slice_result(call), call->blas.ld[2]);
    strbuf_add(emitter->out, ");\n");
}

static void add_gemm(const struct emitter *emitter, const struct emit_call *call) {
    const struct blas_call *blas = &call->blas;
    emit_indent(emitter);
    add_routine(emitter, call);
    strbuf_add(emitter->out, "(CblasColMajor, %s, %s, %d, %d, %d", transposition(blas->transposed[0]), transposition(blas->transposed[1]),
               blas->m, blas->n, blas->k);
    add_break(emitter);
    add_factor_argument(emitter, blas->alpha, "alpha");
    add_array(emitter, slice_first(call), blas->ld[0]);
    add_array(emitter, slice_second(call), blas->ld[1]);
    add_break(emitter);
    add_factor_argument(emitter, blas->beta, "beta");
    add_array(emitter, slice_result(call), blas->ld[2]);
    strbuf_add(emitter->out, ");\n");
}

void emit_kernel(const struct emitter *emitter, const struct emit_call *call) {
    static void (*const add[TCPLAN_KERNELS])(const struct emitter *, const struct emit_call *) = {
        [TCPLAN_DOT] = add_dot, [TCPLAN_AXPY] = add_axpy, [TCPLAN_GEMV] = add_gemv, [TCPLAN_GER] = add_ger, [TCPLAN_GEMM] = add_gemm};
    if (emit_foreign_kernel(emitter, call)) return;
    add[call->blas.kernel](emitter, call);
}

void emit_kernel_setup(const struct emitter *emitter, const struct emit_call *call) {
    const enum tcplan_kernel kernel = call->blas.kernel;
    const char *type = emit_type(emitter->problem->dtype);
    if (emit_foreign_setup(emitter, call)) return;
    if (!is_complex(emitter) || kernel == TCPLAN_DOT || kernel == TCPLAN_AXPY) return;
    emit_indent(emitter);
    strbuf_add(emitter->out, "const %s alpha = ", type);
    add_constant(emitter, call->blas.alpha);
    strbuf_add(emitter->out, ";\n");
    if (kernel == TCPLAN_GER) return;
    emit_indent(emitter);
    strbuf_add(emitter->out, "const %s beta = ", type);
    add_constant(emitter, call->blas.beta);
    strbuf_add(emitter->out, ";\n");
}
