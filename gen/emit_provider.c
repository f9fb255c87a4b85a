#include <string.h>

#include "gen/emit_parts.h"

/* Kernels of other providers than a CBLAS: all of them are gemm. */

static struct tcplan_slice slice_of(const struct emit_call *call, int part) {
    const enum tcplan_operand operand[] = {call->blas.first, call->blas.second, TCPLAN_C};
    return call->node->slice[operand[part]];
}

/* libxsmm: the code of the call is made once per run of the function; making it again is a look-up. */

static void add_libxsmm_dispatch(const struct emitter *emitter, const struct emit_call *call) {
    const struct blas_call *blas = &call->blas;
    const char *type = emit_type(emitter->problem->dtype);
    const char letter = tcplan_dtype_letter(emitter->problem->dtype);
    emit_indent(emitter);
    strbuf_add(emitter->out, "const %s alpha = ", type);
    emit_constant(emitter->out, emitter->problem->dtype, blas->alpha);
    strbuf_add(emitter->out, ", beta = ");
    emit_constant(emitter->out, emitter->problem->dtype, blas->beta);
    strbuf_add(emitter->out, ";\n");
    emit_indent(emitter);
    strbuf_add(emitter->out, "const libxsmm_blasint lda = %d, ldb = %d, ldc = %d;\n", blas->ld[0], blas->ld[1], blas->ld[2]);
    emit_indent(emitter);
    strbuf_add(emitter->out, "const int flags = %s, prefetch = LIBXSMM_GEMM_PREFETCH_NONE;\n",
               blas->transposed[1] ? "LIBXSMM_GEMM_FLAG_TRANS_B" : "LIBXSMM_GEMM_FLAG_NONE");
    emit_indent(emitter);
    strbuf_add(emitter->out, "const libxsmm_%cmmfunction kernel =\n", letter);
    emit_indent(emitter);
    strbuf_add(emitter->out, "    libxsmm_%cmmdispatch(%d, %d, %d, &lda, &ldb, &ldc, &alpha, &beta, &flags, &prefetch);\n", letter, blas->m,
               blas->n, blas->k);
    emit_indent(emitter);
    strbuf_add(emitter->out, "if (!kernel) return ENOSYS;\n");
}

static void add_libxsmm(const struct emitter *emitter, const struct emit_call *call) {
    emit_indent(emitter);
    strbuf_add(emitter->out, "kernel(");
    for (int part = 0; part < TCPLAN_OPERANDS; part++) {
        strbuf_add(emitter->out, "%s", part > 0 ? ", " : "");
        emit_pointer(emitter, slice_of(call, part));
    }
    strbuf_add(emitter->out, ");\n");
}

/* BLIS: factors by address, everything without const, complex numbers in its own types. */

static const char *blis_type(enum tcplan_dtype dtype) {
    static const char *const type[TCPLAN_DTYPES] = {"float", "double", "scomplex", "dcomplex"};
    return type[dtype];
}

static void add_blis_factor(const struct emitter *emitter, const char *name, struct tcplan_scalar scalar) {
    const enum tcplan_dtype dtype = emitter->problem->dtype;
    const enum tcplan_dtype part = dtype == TCPLAN_FLOAT_COMPLEX ? TCPLAN_FLOAT : TCPLAN_DOUBLE;
    emit_indent(emitter);
    strbuf_add(emitter->out, "%s %s = ", blis_type(dtype), name);
    if (tcplan_dtype_is_complex(dtype)) {
        strbuf_add(emitter->out, "{");
        emit_constant(emitter->out, part, (struct tcplan_scalar){scalar.re, 0});
        strbuf_add(emitter->out, ", ");
        emit_constant(emitter->out, part, (struct tcplan_scalar){scalar.im, 0});
        strbuf_add(emitter->out, "}");
    } else {
        emit_constant(emitter->out, dtype, scalar);
    }
    strbuf_add(emitter->out, ";\n");
}

/** `, (double *)(B + 3200 * i_c), 1, 8`: a matrix with its strides. */
static void add_blis_matrix(const struct emitter *emitter, const struct emit_call *call, int part) {
    strbuf_add(emitter->out, ", (%s *)(", blis_type(emitter->problem->dtype));
    emit_pointer(emitter, slice_of(call, part));
    strbuf_add(emitter->out, "), %lld, %lld", (long long)call->blas.strides[part][0], (long long)call->blas.strides[part][1]);
}

static void add_break(const struct emitter *emitter) {
    strbuf_add(emitter->out, ",\n");
    emit_indent(emitter);
    strbuf_add(emitter->out, "          ");
}

static void add_blis(const struct emitter *emitter, const struct emit_call *call) {
    emit_indent(emitter);
    strbuf_add(emitter->out, "bli_%cgemm(BLIS_NO_TRANSPOSE, BLIS_NO_TRANSPOSE, %d, %d, %d", tcplan_dtype_letter(emitter->problem->dtype),
               call->blas.m, call->blas.n, call->blas.k);
    add_break(emitter);
    strbuf_add(emitter->out, "&alpha");
    add_blis_matrix(emitter, call, 0);
    add_blis_matrix(emitter, call, 1);
    add_break(emitter);
    strbuf_add(emitter->out, "&beta");
    add_blis_matrix(emitter, call, 2);
    strbuf_add(emitter->out, ");\n");
}

bool emit_foreign_kernel(const struct emitter *emitter, const struct emit_call *call) {
    if (call->blas.provider == TCPLAN_PROVIDER_LIBXSMM) {
        add_libxsmm(emitter, call);
    } else if (call->blas.provider == TCPLAN_PROVIDER_BLIS) {
        add_blis(emitter, call);
    } else {
        return false;
    }
    return true;
}

bool emit_foreign_setup(const struct emitter *emitter, const struct emit_call *call) {
    if (call->blas.provider == TCPLAN_PROVIDER_LIBXSMM) {
        add_libxsmm_dispatch(emitter, call);
    } else if (call->blas.provider == TCPLAN_PROVIDER_BLIS) {
        add_blis_factor(emitter, "alpha", call->blas.alpha);
        add_blis_factor(emitter, "beta", call->blas.beta);
    } else {
        return false;
    }
    return true;
}

void emit_provider_include(struct strbuf *out, enum tcplan_provider provider) {
    if (provider == TCPLAN_PROVIDER_LIBXSMM) {
        strbuf_add(out, "#include <libxsmm.h>\n");
    } else if (provider == TCPLAN_PROVIDER_BLIS) {
        strbuf_add(out, "#if __has_include(<blis/blis.h>)\n#include <blis/blis.h>\n#else\n#include <blis.h>\n#endif\n\n");
    } else {
        strbuf_add(out, "#include <cblas.h>\n");
    }
}

/** A file name as a word for the shell. */
static void add_word(struct strbuf *out, const char *text, size_t length) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@:,=";
    if (strspn(text, plain) >= length) {
        strbuf_add(out, "%.*s", (int)length, text);
        return;
    }
    strbuf_add(out, "'");
    for (size_t c = 0; c < length; c++) strbuf_add(out, text[c] == '\'' ? "'\\''" : "%c", text[c]);
    strbuf_add(out, "'");
}

/** A library by its path, where the loader finds it again. */
static void add_file(struct strbuf *out, const char *path) {
    const char *slash = strrchr(path, '/');
    add_word(out, path, strlen(path));
    if (!slash || slash == path) return;
    strbuf_add(out, " -Wl,-rpath,");
    add_word(out, path, (size_t)(slash - path));
}

void emit_provider_link(struct strbuf *out, enum tcplan_provider provider, const char *const *blas_files) {
    const char *file = provider >= TCPLAN_PROVIDER_FILE_1 && blas_files ? blas_files[provider - TCPLAN_PROVIDER_FILE_1] : NULL;
    if (provider == TCPLAN_PROVIDER_LIBXSMM) {
        strbuf_add(out, "-lxsmm -lopenblas -lpthread -lrt -ldl -lm"); /* a static library that calls a BLAS where it makes no code */
    } else if (provider == TCPLAN_PROVIDER_BLIS) {
        strbuf_add(out, "-lblis -lpthread -lm");
    } else if (file) {
        add_file(out, file);
    } else {
        strbuf_add(out, "-lopenblas");
    }
}
