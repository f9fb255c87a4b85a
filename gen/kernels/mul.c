/*
 * The element-wise product of vectors: C[v] := alpha * A[v] * B[v] + beta * C[v]. No BLAS has it;
 * its functions are in gen/runtime, for emitted programs and the executor alike.
 */
#include "gen/emit/arguments.h"
#include "gen/emit/extents.h"
#include "gen/emit/runtime.h"
#include "gen/emit/runtime_text.h"
#include "gen/kernels/kernel_code.h"
#include "gen/lower/lowering.h"

static void lower(struct blas_call *out, struct lowering *lowering) {
    static const enum tcplan_operand operand[] = {TCPLAN_A, TCPLAN_B, TCPLAN_C};
    lowering_set_order(out, lowering);
    out->length = lowering_elems(lowering, TCPLAN_H);
    for (int part = 0; part < 3; part++)
        out->strides[part][0] = lowering_increment(lowering, operand[part], TCPLAN_H);
}

/** Returns the role of the kernel's only index. */
static enum tcplan_role role_at(const struct emit_call *call, int place) {
    (void)call, (void)place;
    return TCPLAN_H;
}

static struct kernel_step step(const struct emit_call *call, int part) {
    (void)call, (void)part;
    return (struct kernel_step){.role = TCPLAN_H, .rows = -1};
}

/** Prints the length of the vectors. If it contains a variable, it may exceed an int. */
static void add_length(const struct emitter *emitter, const struct emit_call *call) {
    if (emit_varying_index(emitter, call, 0) >= 0) strbuf_add(emitter->out, "(ptrdiff_t)");
    emit_count(emitter, call, 0);
}

static void add_increment(const struct emitter *emitter, const struct emit_call *call, int part) {
    if (emitter->takes_extents) {
        emit_given_step(emitter, call, part);
    } else {
        strbuf_add(emitter->out, "%lld", (long long)call->blas.strides[part][0]);
    }
}

static void emit(const struct emitter *emitter, const struct emit_call *call) {
    const int conjugated = call->blas.conjugated[0] + 2 * call->blas.conjugated[1];
    emit_indent(emitter);
    emit_runtime(emitter, "mul_", conjugated ? "mul_conjugated(" : "mul_vectors(");
    add_length(emitter, call);
    strbuf_add(emitter->out, ", ");
    emit_scalar(emitter, call->blas.alpha);
    strbuf_add(emitter->out, ", ");
    emit_pointer(emitter, emit_slice(call, 0));
    strbuf_add(emitter->out, ", ");
    emit_pointer(emitter, emit_slice(call, 1));
    emit_break(emitter);
    emit_factor(emitter, call->blas.beta, call->node->update.first_of);
    strbuf_add(emitter->out, ", ");
    emit_pointer(emitter, emit_slice(call, 2));
    for (int part = 0; part < 3; part++) {
        strbuf_add(emitter->out, part == 0 ? ", (const ptrdiff_t[]){" : ", ");
        add_increment(emitter, call, part);
    }
    strbuf_add(emitter->out, "}");
    if (conjugated) strbuf_add(emitter->out, ", %d", conjugated);
    strbuf_add(emitter->out, ");\n");
}

static void emit_functions(const struct emitter *emitter) {
    const char *type = emit_type(emitter->problem->dtype);
    emit_runtime(
        emitter, "mul_",
        "#ifndef MUL_KERNELS /* emitted files may be concatenated */\n#define MUL_KERNELS\n\n");
    strbuf_add(emitter->out, "typedef %s ", type);
    emit_runtime(emitter, "mul_", "mul_element;\n\n");
    emit_runtime(emitter, "mul_", emit_is_complex(emitter) ? mul_complex_text : mul_real_text);
    strbuf_add(emitter->out, "\n");
    emit_runtime(emitter, "mul_", mul_end_text);
    strbuf_add(emitter->out, "\n#endif\n\n");
    const bool *conjugated = emit_find_kernel(emitter->nest)->conjugated;
    if (!emit_is_complex(emitter) || (!conjugated[TCPLAN_A] && !conjugated[TCPLAN_B])) return;
    emit_runtime(emitter, "mul_", "#ifndef MUL_CONJUGATED\n#define MUL_CONJUGATED\n\n");
    emit_runtime(emitter, "mul_", mul_conjugated_text);
    strbuf_add(emitter->out, "\n#endif\n\n");
}

KERNEL_CODE(mul, lower, role_at, step, emit, .emit_functions = emit_functions,
            .argument = {{"alpha", KERNEL_ALPHA, 0},
                         {"beta", KERNEL_BETA, 0},
                         {"incx", KERNEL_INCREMENT, 0},
                         {"incy", KERNEL_INCREMENT, 1},
                         {"incz", KERNEL_INCREMENT, 2}});
