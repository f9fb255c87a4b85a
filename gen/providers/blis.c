/*
 * BLIS: gemm through its typed interface, which takes factors by address, operands without const,
 * and complex numbers in its own types.
 */
#include "gen/emit/arguments.h"
#include "gen/emit/extents.h"
#include "gen/kernels/kernel_code.h"
#include "gen/providers/provider_code.h"

static const char *type_of(enum tcplan_dtype dtype) {
    static const char *const type[TCPLAN_DTYPES] = {"float", "double", "scomplex", "dcomplex"};
    return type[dtype];
}

/** Prints a factor that is beta in the first iteration of the loops over `first_of`, and 1 in later
 * ones. */
static void add_factor(const struct emitter *emitter, const char *name, struct tcplan_scalar scalar,
                       uint64_t first_of) {
    const enum tcplan_dtype dtype = emitter->problem->dtype;
    emit_indent(emitter);
    strbuf_add(emitter->out, "%s %s = ", type_of(dtype), name);
    if (tcplan_dtype_is_complex(dtype)) {
        struct emitter part = *emitter;
        struct tcplan_problem real = *emitter->problem;
        real.dtype = dtype == TCPLAN_FLOAT_COMPLEX ? TCPLAN_FLOAT : TCPLAN_DOUBLE;
        part.problem = &real;
        strbuf_add(emitter->out, "{");
        emit_factor(&part, (struct tcplan_scalar){scalar.re, 0}, first_of);
        strbuf_add(emitter->out, ", ");
        if (first_of && scalar.im != 0) {
            emit_first(emitter, first_of);
            strbuf_add(emitter->out, " ? ");
        }
        emit_constant(emitter->out, real.dtype, (struct tcplan_scalar){scalar.im, 0});
        if (first_of && scalar.im != 0) {
            strbuf_add(emitter->out, " : ");
            emit_constant(emitter->out, real.dtype, (struct tcplan_scalar){0, 0});
        }
        strbuf_add(emitter->out, "}");
    } else {
        emit_factor(emitter, scalar, first_of);
    }
    strbuf_add(emitter->out, ";\n");
}

/** Prints the stride between rows (side 0) or columns (side 1) of a matrix; any number if there is
 * only one row or column. */
static void add_stride(const struct emitter *emitter, const struct emit_call *call, int part,
                       int side) {
    const enum tcplan_role rows = part == 1 ? TCPLAN_K : kernel_matrix_role_at(call, 0);
    const enum tcplan_role columns = part == 0 ? TCPLAN_K : kernel_matrix_role_at(call, 1);
    const struct tcplan_group *group = &call->node->group[side == 0 ? rows : columns];
    if (!emitter->takes_extents) {
        strbuf_add(emitter->out, "%lld", (long long)call->blas.strides[part][side]);
    } else if (group->count == 0 ||
               !emit_given_stride(emitter, emit_slice(call, part), group->index[0])) {
        strbuf_add(emitter->out, "1");
    }
}

/** Prints a matrix with its strides: `, (double *)(B + 3200 * i_c), 1, 8`. */
static void add_matrix(const struct emitter *emitter, const struct emit_call *call, int part) {
    strbuf_add(emitter->out, ", (%s *)(", type_of(emitter->problem->dtype));
    emit_pointer(emitter, emit_slice(call, part));
    strbuf_add(emitter->out, ")");
    for (int side = 0; side < 2; side++) {
        strbuf_add(emitter->out, ", ");
        add_stride(emitter, call, part, side);
    }
}

static void add_break(const struct emitter *emitter) {
    strbuf_add(emitter->out, ",\n");
    emit_indent(emitter);
    strbuf_add(emitter->out, "          ");
}

static const char *transposition_of(const struct emit_call *call, int factor) {
    return call->blas.conjugated[factor] ? "BLIS_CONJ_NO_TRANSPOSE" : "BLIS_NO_TRANSPOSE";
}

/** Emits the call. In a function with a parallel loop the call uses one thread, whatever
 * BLIS_NUM_THREADS or OMP_NUM_THREADS say. */
static void emit(const struct emitter *emitter, const struct emit_call *call) {
    const bool is_alone = emit_is_shared(emitter);
    if (call->node->update.first_of)
        add_factor(emitter, "beta", call->blas.beta, call->node->update.first_of);
    emit_indent(emitter);
    strbuf_add(emitter->out, "bli_%cgemm%s(%s, %s", tcplan_dtype_letter(emitter->problem->dtype),
               is_alone ? "_ex" : "", transposition_of(call, 0), transposition_of(call, 1));
    for (int place = 0; place < 3; place++) {
        strbuf_add(emitter->out, ", ");
        emit_count(emitter, call, place);
    }
    add_break(emitter);
    strbuf_add(emitter->out, "&alpha");
    add_matrix(emitter, call, 0);
    add_matrix(emitter, call, 1);
    add_break(emitter);
    strbuf_add(emitter->out, "&beta");
    add_matrix(emitter, call, 2);
    strbuf_add(emitter->out, "%s);\n", is_alone ? ", NULL, &alone" : "");
}

static void add_alone(const struct emitter *emitter) {
    static const char *const line[] = {"rntm_t alone; /* the loop already uses the threads */",
                                       "bli_rntm_init(&alone);",
                                       "bli_rntm_set_num_threads(1, &alone);"};
    for (size_t l = 0; l < sizeof line / sizeof *line; l++) {
        emit_indent(emitter);
        strbuf_add(emitter->out, "%s\n", line[l]);
    }
}

static void emit_setup(const struct emitter *emitter, const struct emit_call *call) {
    add_factor(emitter, "alpha", call->blas.alpha, 0);
    if (!call->node->update.first_of) add_factor(emitter, "beta", call->blas.beta, 0);
    if (emit_is_shared(emitter)) add_alone(emitter);
}

/** Includes blis.h, which needs POSIX declarations. The first header of a file enables these. If
 * another header comes first, _POSIX_C_SOURCE must be defined. */
static void emit_include(struct strbuf *out) {
    strbuf_add(
        out,
        "#if defined(__GLIBC__) && !defined(__USE_XOPEN2K)\n"
        "#error \"blis.h needs POSIX: put this text in front of the others, or define _POSIX_C_SOURCE=200809L\"\n"
        "#endif\n"
        "#if __has_include(<blis/blis.h>)\n#include <blis/blis.h>\n#else\n#include <blis.h>\n#endif\n\n"
        "_Static_assert(sizeof(dim_t) == 8, \"BLIS with 64-bit integers\");\n\n");
}

static void emit_link(struct strbuf *out, const char *file) {
    (void)file;
    strbuf_add(out, "-lblis -lpthread -lm");
}

static const char *const cmake =
    "if(links MATCHES \"-lblis \") # after the CBLAS, because BLIS contains a CBLAS too\n    "
    "find_path(BLIS_INCLUDE_DIR NAMES blis/blis.h blis.h REQUIRED)\n    find_library(BLIS_LIBRARY "
    "blis REQUIRED)\n    list(APPEND includes ${BLIS_INCLUDE_DIR})\n    list(APPEND libraries "
    "${BLIS_LIBRARY})\nendif()\n";

static const char *const prefixes[] = {"bli_", "bla_", "BLIS_", NULL};
static const char *const variables[] = {"alpha",    "beta", "alone", "rntm_t", "scomplex",
                                        "dcomplex", "real", "imag",  NULL};

/* blis.h must be included first: it needs POSIX declarations. */
PROVIDER_CODE(blis, emit_include, emit_link, .includes_first = true, .cmake = cmake,
              .emit_setup = emit_setup, .emit = emit, .prefixes = prefixes, .variables = variables);
