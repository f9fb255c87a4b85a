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

/** The role of the indices that m, n or k (place 0, 1 or 2) counts. */
static enum tcplan_role role_at(const struct emit_call *call, int place) {
    const enum tcplan_role rows = call->blas.first == TCPLAN_A ? TCPLAN_M : TCPLAN_N;
    const enum tcplan_role columns = rows == TCPLAN_M ? TCPLAN_N : TCPLAN_M;
    switch (call->blas.kernel) {
    case TCPLAN_DOT: return TCPLAN_K;
    case TCPLAN_AXPY: return rows;
    case TCPLAN_GEMV: return (place == 0) == call->blas.transposed[0] ? TCPLAN_K : rows;
    case TCPLAN_GER:
    case TCPLAN_GEMM:
    case TCPLAN_KERNELS: break;
    }
    return place == 0 ? rows : place == 1 ? columns : TCPLAN_K;
}

int emit_varying_index(const struct emitter *emitter, const struct emit_call *call, int place) {
    const struct tcplan_group *group = &call->node->group[role_at(call, place)];
    const int last = group->count > 0 ? group->index[group->count - 1] : -1;
    return last >= 0 && emit_is_partial(emitter, last) ? last : -1;
}

/** m, n or k less some: a number, or `24 * n_a` where a tile is smaller in its last step. */
static void add_count_less(const struct emitter *emitter, const struct emit_call *call, int place, int less) {
    const struct tcplan_group *group = &call->node->group[role_at(call, place)];
    const int varying = emit_varying_index(emitter, call, place);
    int64_t number = 1;
    for (int i = 0; i < group->count - (varying >= 0); i++) number *= emitter->problem->extent[group->index[i]];
    if (varying < 0) {
        strbuf_add(emitter->out, "%lld", (long long)number - less);
        return;
    }
    if (number != 1) strbuf_add(emitter->out, "%lld * ", (long long)number);
    emit_extent(emitter, varying);
    if (less > 0) strbuf_add(emitter->out, " - %d", less);
}

void emit_count(const struct emitter *emitter, const struct emit_call *call, int place) {
    add_count_less(emitter, call, place, 0);
}

/** `, ` and a count. */
static void add_next_count(const struct emitter *emitter, const struct emit_call *call, int place) {
    strbuf_add(emitter->out, ", ");
    emit_count(emitter, call, place);
}

/** Breaks an argument list: what belongs together stands on one line. */
static void add_break(const struct emitter *emitter) {
    strbuf_add(emitter->out, ",\n");
    emit_indent(emitter);
    strbuf_add(emitter->out, "            ");
}

/** alpha as an argument: complex factors are passed by address, see emit_kernel_setup(). */
static void add_alpha_argument(const struct emitter *emitter, const struct emit_call *call) {
    if (is_complex(emitter)) {
        strbuf_add(emitter->out, "&alpha");
    } else {
        add_constant(emitter, call->blas.alpha);
    }
}

static void add_beta_argument(const struct emitter *emitter, const struct emit_call *call) {
    if (is_complex(emitter) || call->node->update.first_of) {
        strbuf_add(emitter->out, is_complex(emitter) ? "&beta" : "beta");
    } else {
        add_constant(emitter, call->blas.beta);
    }
}

/** Contracted loops around the kernel: beta applies to the first visit of the result only. */
static void add_beta_by_visit(const struct emitter *emitter, const struct emit_call *call) {
    if (!call->node->update.first_of) return;
    emit_indent(emitter);
    strbuf_add(emitter->out, "const %s beta = ", emit_type(emitter->problem->dtype));
    emit_factor(emitter, call->blas.beta, call->node->update.first_of);
    strbuf_add(emitter->out, ";\n");
}

static const char *transposition(bool transposed) {
    return transposed ? "CblasTrans" : "CblasNoTrans";
}

static void add_dot_arguments(const struct emitter *emitter, const struct emit_call *call) {
    strbuf_add(emitter->out, "(");
    add_count_less(emitter, call, 0, blas_call_spares_last(&call->blas, emitter->problem->dtype) ? 1 : 0);
    add_array(emitter, slice_first(call), call->blas.ld[0]);
    add_array(emitter, slice_second(call), call->blas.ld[1]);
}

/** The last element that a dot takes of a vector: `(B + i_row)[15]`. */
static void add_last_element(const struct emitter *emitter, const struct emit_call *call, struct tcplan_slice slice, int increment) {
    const bool varies = emit_varying_index(emitter, call, 0) >= 0;
    strbuf_add(emitter->out, "(");
    emit_pointer(emitter, slice);
    if (varies) {
        strbuf_add(emitter->out, ")[%d * (ptrdiff_t)(", increment);
        add_count_less(emitter, call, 0, 1);
        strbuf_add(emitter->out, ")]");
    } else {
        strbuf_add(emitter->out, ")[%lld]", (long long)(call->blas.m - 1) * increment);
    }
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
    add_last_element(emitter, call, slice_first(call), call->blas.ld[0]);
    strbuf_add(emitter->out, " * ");
    add_last_element(emitter, call, slice_second(call), call->blas.ld[1]);
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
    if (!accumulates) emit_scaled(emitter, slice_result(call), 0, call->blas.beta, call->node->update.first_of);
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
    strbuf_add(emitter->out, "(");
    emit_count(emitter, call, 0);
    strbuf_add(emitter->out, ", ");
    add_axpy_factor(emitter, call);
    add_array(emitter, slice_first(call), call->blas.ld[0]);
    add_array(emitter, slice_result(call), call->blas.ld[2]);
    strbuf_add(emitter->out, ");\n");
}

static void add_gemv(const struct emitter *emitter, const struct emit_call *call) {
    add_beta_by_visit(emitter, call);
    emit_indent(emitter);
    add_routine(emitter, call);
    strbuf_add(emitter->out, "(CblasColMajor, %s", transposition(call->blas.transposed[0]));
    for (int place = 0; place < 2; place++) add_next_count(emitter, call, place);
    add_break(emitter);
    add_alpha_argument(emitter, call);
    add_array(emitter, slice_first(call), call->blas.ld[0]);
    add_array(emitter, slice_second(call), call->blas.ld[1]);
    add_break(emitter);
    add_beta_argument(emitter, call);
    add_array(emitter, slice_result(call), call->blas.ld[2]);
    strbuf_add(emitter->out, ");\n");
}

static void add_ger(const struct emitter *emitter, const struct emit_call *call) {
    emit_indent(emitter);
    add_routine(emitter, call);
    strbuf_add(emitter->out, "(CblasColMajor");
    for (int place = 0; place < 2; place++) add_next_count(emitter, call, place);
    strbuf_add(emitter->out, ", ");
    add_alpha_argument(emitter, call);
    add_array(emitter, slice_first(call), call->blas.ld[0]);
    add_array(emitter, slice_second(call), call->blas.ld[1]);
    add_array(emitter, slice_result(call), call->blas.ld[2]);
    strbuf_add(emitter->out, ");\n");
}

static void add_gemm(const struct emitter *emitter, const struct emit_call *call) {
    const struct blas_call *blas = &call->blas;
    add_beta_by_visit(emitter, call);
    emit_indent(emitter);
    add_routine(emitter, call);
    strbuf_add(emitter->out, "(CblasColMajor, %s, %s", transposition(blas->transposed[0]), transposition(blas->transposed[1]));
    for (int place = 0; place < 3; place++) add_next_count(emitter, call, place);
    add_break(emitter);
    add_alpha_argument(emitter, call);
    add_array(emitter, slice_first(call), blas->ld[0]);
    add_array(emitter, slice_second(call), blas->ld[1]);
    add_break(emitter);
    add_beta_argument(emitter, call);
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
    if (kernel == TCPLAN_GER || call->node->update.first_of) return;
    emit_indent(emitter);
    strbuf_add(emitter->out, "const %s beta = ", type);
    add_constant(emitter, call->blas.beta);
    strbuf_add(emitter->out, ";\n");
}
