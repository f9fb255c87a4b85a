/*
 * Kernels that are generated for the call and included in the file: nothing is linked. Their code
 * has fixed extents and factors; if these vary, there is a table of functions.
 */
#include "gen/emitted/emitted.h"
#include "gen/emit/arguments.h"
#include "gen/emitted/loops.h"
#include "gen/providers/provider_code.h"
#include "gen/providers/variants.h"

enum { ALL_SETS = (1 << EMITTED_SETS) - 1 };

static bool takes(const struct blas_call *call, enum tcplan_dtype dtype) {
    const struct emitted_gemm gemm = emitted_gemm_of(call, dtype);
    if (call->kernel == TCPLAN_LOOPS) return true;
    return emitted_takes(&gemm) && (!gemm.streamed || emitted_streams(&gemm));
}

/** Returns the number of elements that a call reads or writes. */
static double elements(const struct blas_call *call) {
    double all = 0;
    for (int part = 0; part < 3; part++) {
        double own = 1;
        for (int l = 0; l < call->loop_count; l++)
            own *= call->loop[l].stride[part] != 0 ? (double)call->loop[l].extent : 1;
        all += own;
    }
    return all;
}

/* Maximum number of elements of loops in one kernel. Loops are not blocked for caches, so this
 * kernel suits small contractions and those that use each element a few times. */
#define MOST_ELEMENTS 32768.0
#define MOST_USES 8.0

static bool may_win(const struct blas_call *call, enum tcplan_dtype dtype) {
    double products = 1;
    (void)dtype;
    if (call->kernel != TCPLAN_LOOPS) return true;
    for (int l = 0; l < call->loop_count; l++) products *= (double)call->loop[l].extent;
    return elements(call) <= MOST_ELEMENTS || products <= MOST_USES * elements(call);
}

static const char *real_type(enum tcplan_dtype dtype) {
    return dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX ? "float" : "double";
}

static void add_kernel(const struct emitter *emitter, const char *name,
                       const struct blas_call *call) {
    const enum tcplan_dtype dtype = emitter->problem->dtype;
    if (call->kernel == TCPLAN_LOOPS) {
        const struct emitted_loops loops = emitted_loops_of(call, dtype);
        emitted_add_loops(emitter->out, name, &loops, ALL_SETS, NULL);
    } else {
        const struct emitted_gemm gemm = emitted_gemm_of(call, dtype);
        emitted_add_gemm(emitter->out, name, &gemm, ALL_SETS);
    }
}

/** Emits the kernel's functions before their caller, and a table if there are several. */
static void emit_functions(const struct emitter *emitter, const struct emit_call *call) {
    const char *type = real_type(emitter->problem->dtype);
    const int count = 1 << variants_conditions(emitter, call);
    for (int number = 0; number < count; number++) {
        struct strbuf name = {0};
        struct blas_call blas;
        variants_lower(&blas, emitter, call, number);
        strbuf_add(&name, "kernel_%s", emitter->function);
        if (count > 1) strbuf_add(&name, "_%d", number);
        if (name.failed) emitter->out->failed = true;
        if (!name.failed) add_kernel(emitter, name.text, &blas);
        strbuf_free(&name);
    }
    if (count == 1) return;
    strbuf_add(emitter->out, "static void (*const kernel_%s[%d])(const %s *, const %s *, %s *) = {",
               emitter->function, count, type, type, type);
    for (int number = 0; number < count; number++)
        strbuf_add(emitter->out, "%skernel_%s_%d", number > 0 ? ", " : "", emitter->function,
                   number);
    strbuf_add(emitter->out, "};\n\n");
}

/** Adds the address of an operand; of a complex one as a pointer to real numbers, such as `(const
 * double *)(B + 3200 * i_c)`. */
static void add_operand(const struct emitter *emitter, const struct emit_call *call, int part) {
    strbuf_add(emitter->out, part > 0 ? ", " : "");
    if (emit_is_complex(emitter))
        strbuf_add(emitter->out, "(%s%s *)(", part < 2 ? "const " : "",
                   real_type(emitter->problem->dtype));
    emit_pointer(emitter, emit_slice(call, part));
    if (emit_is_complex(emitter)) strbuf_add(emitter->out, ")");
}

static void emit(const struct emitter *emitter, const struct emit_call *call) {
    emit_indent(emitter);
    strbuf_add(emitter->out, "kernel_%s", emitter->function);
    variants_add_choice(emitter, call);
    strbuf_add(emitter->out, "(");
    for (int part = 0; part < TCPLAN_OPERANDS; part++) add_operand(emitter, call, part);
    strbuf_add(emitter->out, ");\n");
}

static const char *const prefixes[] = {"kernel_", "KERNEL_", NULL};

const struct provider_code provider_code_emitted = {.takes = takes,
                                                    .may_win = may_win,
                                                    .needs_extents = true,
                                                    .emit_include = emitted_add_common,
                                                    .emit_functions = emit_functions,
                                                    .emit = emit,
                                                    .prefixes = prefixes};
