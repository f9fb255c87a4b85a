/*
 * Calls of libxsmm with extents as arguments: its code has fixed extents, so each call looks up
 * the code for its extents.
 */
#include "gen/emit/arguments.h"
#include "gen/emit/extents.h"
#include "gen/providers/libxsmm.h"

static void add_line(const struct emitter *emitter, const char *text) {
    emit_indent(emitter);
    strbuf_add(emitter->out, "%s\n", text);
}

/** Adds `const libxsmm_blasint lda = n_a;`. */
static void add_leading_dimension(const struct emitter *emitter, const struct emit_call *call,
                                  int part) {
    emit_indent(emitter);
    strbuf_add(emitter->out, "const libxsmm_blasint ld%c = ", "abc"[part]);
    emit_given_step(emitter, call, part);
    strbuf_add(emitter->out, ";\n");
}

/** Emits the constants for alpha, for beta, which is 1 except in the first visit of the result, and
 * for libxsmm's flags. */
static void add_factors(const struct emitter *emitter, const struct emit_call *call) {
    const char *type = emit_type(emitter->problem->dtype);
    emit_indent(emitter);
    strbuf_add(emitter->out, "const %s alpha = ", type);
    emit_constant(emitter->out, emitter->problem->dtype, call->blas.alpha);
    strbuf_add(emitter->out, ", first = ");
    emit_factor(emitter, call->blas.beta, call->node->update.first_of);
    strbuf_add(emitter->out, ";\n");
    emit_indent(emitter);
    strbuf_add(emitter->out, "const int flags = %s, prefetch = LIBXSMM_GEMM_PREFETCH_NONE;\n",
               call->blas.transposed[1] ? "LIBXSMM_GEMM_FLAG_TRANS_B" : "LIBXSMM_GEMM_FLAG_NONE");
}

/** Prints ` && 8 * stride <= 2147483647`: the limit on the distance between products of a sum. */
static void add_product_limit(const struct emitter *emitter, const struct emit_call *call,
                              int part) {
    const int index = call->node->group[TCPLAN_R].index[0];
    strbuf_add(emitter->out, " && %d * ", (int)emitter->problem->element_bytes);
    if (!emit_given_stride(emitter, emit_slice(call, part), index)) strbuf_add(emitter->out, "1");
    strbuf_add(emitter->out, " <= %d", INT32_MAX);
}

/** Prints the condition that the matrices are within the limits of libxsmm's code (libxsmm.c), such
 * as `(int64_t)lda * n_i <= 268435455`. */
static void add_code_limits(const struct emitter *emitter, const struct emit_call *call) {
    static const char *const name[] = {"lda", "ldb", "ldc"};
    const int columns[] = {2, call->blas.transposed[1] ? 2 : 1, 1};
    for (int part = 0; part < 3; part++) {
        strbuf_add(emitter->out, "%s(int64_t)%s * ", part > 0 ? " && " : "", name[part]);
        emit_count(emitter, call, columns[part]);
        strbuf_add(emitter->out, " <= %d", INT32_MAX / (int)emitter->problem->element_bytes);
    }
    for (int part = 0; part < 2 && call->blas.products > 0; part++)
        add_product_limit(emitter, call, part);
}

static void add_lookup(const struct emitter *emitter, const struct emit_call *call) {
    const char letter = tcplan_dtype_letter(emitter->problem->dtype);
    const char *suffix = call->blas.products > 0 ? "_reducebatch_strd" : "";
    emit_indent(emitter);
    strbuf_add(emitter->out, "const libxsmm_%cmmfunction%s kernel =\n", letter, suffix);
    emit_indent(emitter);
    strbuf_add(emitter->out, "    ");
    add_code_limits(emitter, call);
    strbuf_add(emitter->out, "\n");
    emit_indent(emitter);
    strbuf_add(emitter->out, "        ? libxsmm_%cmmdispatch%s(", letter, suffix);
    for (int place = 0; place < 3; place++) {
        emit_count(emitter, call, place);
        strbuf_add(emitter->out, ", ");
    }
    for (int part = 0; part < 2 && call->blas.products > 0; part++) {
        strbuf_add(emitter->out, "%d * ", (int)emitter->problem->element_bytes);
        if (!emit_given_stride(emitter, emit_slice(call, part),
                               call->node->group[TCPLAN_R].index[0]))
            strbuf_add(emitter->out, "1");
        strbuf_add(emitter->out, ", ");
    }
    strbuf_add(emitter->out, "&lda, &ldb, &ldc, &alpha, &first, &flags, &prefetch)\n");
    add_line(emitter, "        : NULL;");
}

static void add_made_call(const struct emitter *emitter, const struct emit_call *call) {
    emit_indent(emitter);
    strbuf_add(emitter->out, "kernel(");
    for (int part = 0; part < 3; part++) {
        strbuf_add(emitter->out, "%s", part > 0 ? ", " : "");
        emit_pointer(emitter, emit_slice(call, part));
    }
    if (call->blas.products > 0) {
        strbuf_add(emitter->out, ", &(const unsigned long long){(unsigned long long)(");
        emit_count(emitter, call, EMIT_PRODUCTS);
        strbuf_add(emitter->out, ")}");
    }
    strbuf_add(emitter->out, ");\n");
    add_line(emitter, "kernel_leave();");
}

void libxsmm_emit_lookup(const struct emitter *emitter, const struct emit_call *call) {
    struct emitter inside = *emitter;
    struct emit_call plain = *call;
    plain.blas.provider = TCPLAN_PROVIDER_BLAS;
    add_line(emitter, "{");
    inside.level++;
    for (int part = 0; part < 3; part++) add_leading_dimension(&inside, call, part);
    add_factors(&inside, call);
    add_lookup(&inside, call);
    add_line(&inside, "if (kernel) {");
    inside.level++;
    add_made_call(&inside, call);
    inside.level--;
    add_line(&inside, "} else {");
    inside.level++;
    emit_kernel(&inside, &plain);
    emit_end(&inside);
    emit_end(&inside);
}
