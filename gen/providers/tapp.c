/*
 * Libraries with the C interface TAPP: the whole contraction is one TAPP product, made in the
 * first call and reused later.
 */
#include "gen/providers/tapp.h"

#include "gen/emit/arguments.h"
#include "gen/providers/provider_code.h"

struct tapp_modes tapp_modes_of(const struct blas_call *call, int part) {
    struct tapp_modes modes = {0};
    for (int l = 0; l < call->loop_count; l++) {
        const struct blas_call_loop *loop = &call->loop[l];
        const bool is_nowhere = loop->stride[0] == 0 && loop->stride[1] == 0;
        if (loop->stride[part] == 0 && !(is_nowhere && part == 0)) continue;
        modes.index[modes.rank] = l;
        modes.extent[modes.rank] = loop->extent;
        modes.stride[modes.rank++] = loop->stride[part];
    }
    return modes;
}

static const char *type_of(enum tcplan_dtype dtype) {
    static const char *const type[TCPLAN_DTYPES] = {"TAPP_F32", "TAPP_F64", "TAPP_C32", "TAPP_C64"};
    return type[dtype];
}

static void add_numbers(struct strbuf *out, const char *what, int part, int count,
                        const int64_t *number) {
    strbuf_add(out, "    static const int64_t %s_%c[] = {", what, "ABC"[part]);
    for (int n = 0; n < count; n++)
        strbuf_add(out, "%s%lld", n > 0 ? ", " : "", (long long)number[n]);
    strbuf_add(out, "%s};\n", count == 0 ? "0" : "");
}

/** Emits the function that makes the TAPP product in the first call. */
static void emit_functions(const struct emitter *emitter, const struct emit_call *call) {
    static const char *const op[] = {"TAPP_IDENTITY", "TAPP_CONJUGATE"};
    struct strbuf *out = emitter->out;
    strbuf_add(out,
               "/* The product, which the first call makes. */\n"
               "static struct {\n"
               "    TAPP_handle handle;\n"
               "    TAPP_executor executor;\n"
               "    TAPP_tensor_info info[3];\n"
               "    TAPP_tensor_product product;\n"
               "    int failed;\n"
               "} tapp_%s;\n\n"
               "static void make_tapp_%s(void) {\n",
               emitter->function, emitter->function);
    for (int part = 0; part < TCPLAN_OPERANDS; part++) {
        const struct tapp_modes modes = tapp_modes_of(&call->blas, part);
        add_numbers(out, "index", part, modes.rank, modes.index);
        add_numbers(out, "extent", part, modes.rank, modes.extent);
        add_numbers(out, "stride", part, modes.rank, modes.stride);
    }
    strbuf_add(out,
               "    tapp_%s.failed = TAPP_create_handle(&tapp_%s.handle) ||\n"
               "        TAPP_create_executor(&tapp_%s.executor)",
               emitter->function, emitter->function, emitter->function);
    for (int part = 0; part < TCPLAN_OPERANDS; part++) {
        const struct tapp_modes modes = tapp_modes_of(&call->blas, part);
        strbuf_add(out,
                   " ||\n        TAPP_create_tensor_info(&tapp_%s.info[%d], %s, %d, extent_%c, "
                   "stride_%c)",
                   emitter->function, part, type_of(emitter->problem->dtype), modes.rank,
                   "ABC"[part], "ABC"[part]);
    }
    strbuf_add(out,
               " ||\n        TAPP_create_tensor_product(&tapp_%s.product, tapp_%s.handle,\n"
               "            %s, tapp_%s.info[0], index_A, %s, tapp_%s.info[1], index_B,\n"
               "            TAPP_IDENTITY, tapp_%s.info[2], index_C, TAPP_IDENTITY, "
               "tapp_%s.info[2], index_C,\n            TAPP_DEFAULT_PREC);\n}\n\n",
               emitter->function, emitter->function, op[call->blas.conjugated[0]],
               emitter->function, op[call->blas.conjugated[1]], emitter->function,
               emitter->function, emitter->function);
}

static void add_scalar(const struct emitter *emitter, const char *name,
                       struct tcplan_scalar value) {
    const enum tcplan_dtype dtype = emitter->problem->dtype;
    emit_indent(emitter);
    strbuf_add(emitter->out, "static const %s %s = ", emit_type(dtype), name);
    emit_constant(emitter->out, dtype, value);
    strbuf_add(emitter->out, ";\n");
}

static void emit_setup(const struct emitter *emitter, const struct emit_call *call) {
    add_scalar(emitter, "alpha", call->blas.alpha);
    add_scalar(emitter, "beta", call->blas.beta);
    strbuf_add(emitter->out,
               "    static pthread_once_t once = PTHREAD_ONCE_INIT;\n"
               "    TAPP_status status = 0;\n"
               "    pthread_once(&once, make_tapp_%s);\n"
               "    if (tapp_%s.failed) return EINVAL;\n",
               emitter->function, emitter->function);
}

static void emit(const struct emitter *emitter, const struct emit_call *call) {
    emit_indent(emitter);
    strbuf_add(emitter->out,
               "if (TAPP_execute_product(tapp_%s.product, tapp_%s.executor, &status, &alpha, ",
               emitter->function, emitter->function);
    emit_pointer(emitter, emit_slice(call, 0));
    strbuf_add(emitter->out, ", ");
    emit_pointer(emitter, emit_slice(call, 1));
    strbuf_add(emitter->out, ", &beta, ");
    emit_pointer(emitter, emit_slice(call, 2));
    strbuf_add(emitter->out, ", ");
    emit_pointer(emitter, emit_slice(call, 2));
    strbuf_add(emitter->out, "))\n");
    emit_indent(emitter);
    strbuf_add(emitter->out, "    return EINVAL;\n");
}

static void emit_include(struct strbuf *out) {
    strbuf_add(out, "#include <errno.h>\n#include <pthread.h>\n\n#include <tapp.h>\n");
}

static void emit_link(struct strbuf *out, const char *file) {
    strbuf_add(out, "%s -lpthread", file ? file : "-ltapp");
}

static const char *const prefixes[] = {"TAPP_",    "TAPP",     "tapp_", "make_tapp_",
                                       "pthread_", "PTHREAD_", NULL};
static const char *const variables[] = {"alpha", "beta", "once", "status", NULL};

const struct provider_code provider_code_tapp = {
    .needs_extents = true,
    .emit_include = emit_include,
    .emit_link = emit_link,
    .emit_functions = emit_functions,
    .emit_setup = emit_setup,
    .emit = emit,
    .failure = ", or EINVAL if the TAPP library reports an error: %s is then untouched\n"
               "if the product could not be made, and undefined if its execution failed",
    .prefixes = prefixes,
    .variables = variables};
