#include "ast/scalar.h"
#include "gen/emit/arguments.h"
#include "gen/emit/extents.h"
#include "gen/kernels/kernel_code.h"
#include "gen/lower/lowering.h"

static void lower(struct blas_call *out, struct lowering *lowering) {
    lowering_set_order(out, lowering);
    out->m = lowering_extent(lowering, TCPLAN_K);
    if (out->m == 1) return; /* any strides */
    out->ld[0] = lowering_stride(lowering, TCPLAN_A, TCPLAN_K);
    out->ld[1] = lowering_stride(lowering, TCPLAN_B, TCPLAN_K);
}

bool blas_call_spares_last(const struct blas_call *call, enum tcplan_dtype dtype) {
    return tcplan_dtype_is_complex(dtype) && (call->ld[0] != 1 || call->ld[1] != 1);
}

/** Returns the role of the kernel's only index. */
static enum tcplan_role role_at(const struct emit_call *call, int place) {
    (void)call, (void)place;
    return TCPLAN_K;
}

static struct kernel_step step(const struct emit_call *call, int part) {
    (void)call;
    return (struct kernel_step){.role = part == 2 ? TCPLAN_ROLES : TCPLAN_K, .rows = -1};
}

static bool spares_last(const struct emitter *emitter, const struct emit_call *call) {
    if (!emitter->takes_extents) return blas_call_spares_last(&call->blas, emitter->problem->dtype);
    return emit_is_complex(emitter) &&
           !(emit_step_is_1(emitter, call, 0) && emit_step_is_1(emitter, call, 1));
}

static void add_dot_arguments(const struct emitter *emitter, const struct emit_call *call) {
    strbuf_add(emitter->out, "(");
    emit_count_less(emitter, call, 0, spares_last(emitter, call) ? 1 : 0);
    /* dotc conjugates its first vector, so the vectors may be exchanged. */
    const bool swapped = call->blas.conjugated[1] && !call->blas.conjugated[0];
    emit_array(emitter, call, swapped);
    emit_array(emitter, call, !swapped);
}

/** Prints the last element of a vector of a dot: `(B + i_row)[15]`. */
static void add_last_element(const struct emitter *emitter, const struct emit_call *call,
                             int part) {
    const bool varies = emit_varying_index(emitter, call, 0) >= 0;
    strbuf_add(emitter->out, "(");
    emit_pointer(emitter, emit_slice(call, part));
    if (varies) {
        strbuf_add(emitter->out, ")[");
        emit_part_step(emitter, call, part);
        strbuf_add(emitter->out, " * (ptrdiff_t)(");
        emit_count_less(emitter, call, 0, 1);
        strbuf_add(emitter->out, ")]");
    } else {
        strbuf_add(emitter->out, ")[%lld]", (long long)(call->blas.m - 1) * call->blas.ld[part]);
    }
}

/** Returns whether both vectors are conjugated, so that the result of dotu is conjugated instead.
 */
static bool conjugates_both(const struct emit_call *call) {
    return call->blas.conjugated[0] && call->blas.conjugated[1];
}

/** Emits the call of a complex dot, which returns its result through a pointer. */
static void add_complex_dot(const struct emitter *emitter, const struct emit_call *call) {
    emit_indent(emitter);
    strbuf_add(emitter->out, "%s dot;\n", emit_type(emitter->problem->dtype));
    emit_indent(emitter);
    emit_routine(emitter, call);
    strbuf_add(emitter->out, "_sub");
    add_dot_arguments(emitter, call);
    strbuf_add(emitter->out, ", &dot);\n");
    if (!spares_last(emitter, call)) return;
    const bool both = conjugates_both(call);
    emit_indent(emitter);
    strbuf_add(emitter->out, "dot += ");
    emit_begin_conjugate(emitter, call->blas.conjugated[0] && !both);
    add_last_element(emitter, call, 0);
    emit_end_conjugate(emitter, call->blas.conjugated[0] && !both);
    strbuf_add(emitter->out, " * ");
    emit_begin_conjugate(emitter, call->blas.conjugated[1] && !both);
    add_last_element(emitter, call, 1);
    emit_end_conjugate(emitter, call->blas.conjugated[1] && !both);
    strbuf_add(emitter->out, "; /* no call: OpenBLAS would read one stride too far */\n");
}

static void emit(const struct emitter *emitter, const struct emit_call *call) {
    const bool accumulates = scalar_is(call->blas.beta, 1);
    if (emit_is_complex(emitter)) add_complex_dot(emitter, call);
    emit_indent(emitter);
    emit_element(emitter, emit_slice(call, 2), 0);
    strbuf_add(emitter->out, accumulates ? " += " : " = ");
    emit_times(emitter, call->blas.alpha);
    if (emit_is_complex(emitter)) {
        emit_begin_conjugate(emitter, conjugates_both(call));
        strbuf_add(emitter->out, "dot");
        emit_end_conjugate(emitter, conjugates_both(call));
    } else {
        emit_routine(emitter, call);
        add_dot_arguments(emitter, call);
        strbuf_add(emitter->out, ")");
    }
    if (!accumulates)
        emit_scaled(emitter, emit_slice(call, 2), 0, call->blas.beta, call->node->update.first_of);
    strbuf_add(emitter->out, ";\n");
}

KERNEL_CODE(dot, lower, role_at, step, emit,
            .argument = {{"incx", KERNEL_INCREMENT, 0}, {"incy", KERNEL_INCREMENT, 1}});
