#include <string.h>

#include "ast/refine.h"
#include "base/indexset.h"
#include "gen/emit_parts.h"

/* Kernels of other providers than a CBLAS: gemm, and libxsmm's brgemm. */

static struct tcplan_slice slice_of(const struct emit_call *call, int part) {
    const enum tcplan_operand operand[] = {call->blas.first, call->blas.second, TCPLAN_C};
    return call->node->slice[operand[part]];
}

/*
 * libxsmm: the code of the call is made once per run of the function; making it again is a look-up. It is made for given extents and beta:
 * where these vary there is a table, and each condition adds its weight to the place in it.
 */

/** What the code of a call depends on: conditions 0 to 2 are the last tiles of m, n and k, the last one is another visit than the first. */
enum { LATER = 3, CONDITIONS };

static bool has_condition(const struct emitter *emitter, const struct emit_call *call, int condition) {
    return condition == LATER ? call->node->update.first_of != 0 : emit_varying_index(emitter, call, condition) >= 0;
}

static int condition_count(const struct emitter *emitter, const struct emit_call *call) {
    int count = 0;
    for (int c = 0; c < CONDITIONS; c++) count += has_condition(emitter, call, c);
    return count;
}

/** What the names of functions for sums end in. */
static const char *sum_suffix(const struct blas_call *call) {
    return call->products > 0 ? "_reducebatch_strd" : "";
}

/** The variable of the factor of the result's first visit; the calls of the BLAS have a `beta` of their own where that varies. */
static const char *first_factor(const struct emit_call *call) {
    return call->node->update.first_of || call->blas.products > 0 ? "first" : "beta";
}

/** The code for one place of the table: bit b of `number` is the condition with weight 1 << b. */
static void add_code(const struct emitter *emitter, const struct emit_call *call, int number) {
    const struct refined_problem *problem = emitter->refined;
    struct blas_call_place place = {0};
    struct blas_call blas = call->blas;
    for (int c = 0; c < CONDITIONS; c++) {
        if (!has_condition(emitter, call, c)) continue;
        const bool holds = number & 1;
        number >>= 1;
        if (!holds) continue;
        if (c == LATER) {
            place.later = true;
        } else {
            place.partial |= 1U << refinement_tile_around(problem->refinement, emit_varying_index(emitter, call, c));
        }
    }
    blas_call_lower(&blas, emitter->nest, call->node, problem, place, NULL); /* smaller than what could be lowered */
    strbuf_add(emitter->out, "libxsmm_%cmmdispatch%s(%d, %d, %d, ", tcplan_dtype_letter(problem->written.dtype), sum_suffix(&blas), blas.m,
               blas.n, blas.k);
    for (int f = 0; f < 2 && blas.products > 0; f++) {
        strbuf_add(emitter->out, "%lld, ", (long long)blas.product_elems[f] * (long long)problem->written.element_bytes);
    }
    strbuf_add(emitter->out, "&lda, &ldb, &ldc, &alpha, &%s, &flags, &prefetch)", place.later ? "later" : first_factor(call));
}

static void add_table(const struct emitter *emitter, const struct emit_call *call, int size) {
    const char letter = tcplan_dtype_letter(emitter->problem->dtype);
    emit_indent(emitter);
    strbuf_add(emitter->out, "const libxsmm_%cmmfunction%s kernel[%d] = {\n", letter, sum_suffix(&call->blas), size);
    for (int number = 0; number < size; number++) {
        emit_indent(emitter);
        strbuf_add(emitter->out, "    ");
        add_code(emitter, call, number);
        strbuf_add(emitter->out, number < size - 1 ? ",\n" : "};\n");
    }
    emit_indent(emitter);
    strbuf_add(emitter->out, "int has_kernels = 1;\n");
    emit_indent(emitter);
    strbuf_add(emitter->out, "for (int j = 0; j < %d; j++) has_kernels = has_kernels && kernel[j];\n", size);
}

void emit_has_code(const struct emitter *emitter, const struct emit_call *call) {
    strbuf_add(emitter->out, condition_count(emitter, call) > 0 ? "has_kernels" : "kernel");
}

static void add_libxsmm_dispatch(const struct emitter *emitter, const struct emit_call *call) {
    const struct blas_call *blas = &call->blas;
    const char *type = emit_type(emitter->problem->dtype);
    const int conditions = condition_count(emitter, call);
    emit_indent(emitter);
    strbuf_add(emitter->out, "const %s alpha = ", type);
    emit_constant(emitter->out, emitter->problem->dtype, blas->alpha);
    strbuf_add(emitter->out, ", %s = ", first_factor(call));
    emit_constant(emitter->out, emitter->problem->dtype, blas->beta);
    if (call->node->update.first_of) {
        strbuf_add(emitter->out, ", later = ");
        emit_constant(emitter->out, emitter->problem->dtype, (struct tcplan_scalar){1, 0});
    }
    strbuf_add(emitter->out, ";\n");
    emit_indent(emitter);
    strbuf_add(emitter->out, "const libxsmm_blasint lda = %d, ldb = %d, ldc = %d;\n", blas->ld[0], blas->ld[1], blas->ld[2]);
    emit_indent(emitter);
    strbuf_add(emitter->out, "const int flags = %s, prefetch = %s;\n",
               blas->transposed[1] ? "LIBXSMM_GEMM_FLAG_TRANS_B" : "LIBXSMM_GEMM_FLAG_NONE",
               blas->fetches_ahead ? "LIBXSMM_GEMM_PREFETCH_AL2" : "LIBXSMM_GEMM_PREFETCH_NONE");
    if (conditions > 0) {
        add_table(emitter, call, 1 << conditions);
        return;
    }
    emit_indent(emitter);
    strbuf_add(emitter->out, "const libxsmm_%cmmfunction%s kernel =\n", tcplan_dtype_letter(emitter->problem->dtype), sum_suffix(blas));
    emit_indent(emitter);
    strbuf_add(emitter->out, "    ");
    add_code(emitter, call, 0);
    strbuf_add(emitter->out, ";\n");
}

/** `[(n_a < 8) + 2 * !(s_k == 0)]`: which code of the table it is; nothing where there is one. */
static void add_choice(const struct emitter *emitter, const struct emit_call *call) {
    int weight = 1;
    for (int c = 0; c < CONDITIONS; c++) {
        if (!has_condition(emitter, call, c)) continue;
        strbuf_add(emitter->out, weight == 1 ? "[" : " + %d * ", weight);
        weight *= 2;
        strbuf_add(emitter->out, c == LATER ? "!(" : "(");
        if (c == LATER) {
            emit_first(emitter, call->node->update.first_of);
        } else {
            const int index = emit_varying_index(emitter, call, c);
            emit_extent(emitter, index);
            strbuf_add(emitter->out, " < %lld", (long long)emitter->refined->extent[index]);
        }
        strbuf_add(emitter->out, ")");
    }
    strbuf_add(emitter->out, weight > 1 ? "]" : "");
}

/** `A + 312 * i_a + (i_a + 1 < n_a ? 312 : -2184)`: the first operand of the call that comes next. */
static void add_next_first(const struct emitter *emitter, const struct emit_call *call) {
    const struct tcplan_algorithm *algorithm = &emitter->nest->algorithm;
    const int innermost = algorithm->loop[algorithm->loop_count - 1];
    int64_t step;
    int64_t outer_step;
    blas_call_first_steps(&call->blas, emitter->nest, call->node, emitter->refined, &step, &outer_step);
    emit_pointer(emitter, slice_of(call, 0));
    strbuf_add(emitter->out, " + (");
    emit_index(emitter, innermost);
    strbuf_add(emitter->out, " + 1 < ");
    emit_extent(emitter, innermost);
    strbuf_add(emitter->out, " ? %lld : %lld - ", (long long)step, (long long)outer_step);
    emit_index(emitter, innermost);
    strbuf_add(emitter->out, " * %lld)", (long long)step);
}

/** What is fetched ahead: the first operand of the next call, the others as they are. */
static void add_ahead(const struct emitter *emitter, const struct emit_call *call) {
    strbuf_add(emitter->out, ",\n");
    emit_indent(emitter);
    strbuf_add(emitter->out, "       ");
    add_next_first(emitter, call);
    for (int part = 1; part < TCPLAN_OPERANDS; part++) {
        strbuf_add(emitter->out, ", ");
        emit_pointer(emitter, slice_of(call, part));
    }
}

/** `, &(const unsigned long long){8}`: how many products are summed up. */
static void add_products(const struct emitter *emitter, const struct emit_call *call) {
    const bool varies = emit_varying_index(emitter, call, EMIT_PRODUCTS) >= 0;
    strbuf_add(emitter->out, ",\n");
    emit_indent(emitter);
    strbuf_add(emitter->out, "       &(const unsigned long long){%s", varies ? "(unsigned long long)(" : "");
    emit_count(emitter, call, EMIT_PRODUCTS);
    strbuf_add(emitter->out, varies ? ")}" : "}");
}

/** The call of the code that libxsmm made. */
static void add_made_call(const struct emitter *emitter, const struct emit_call *call) {
    emit_indent(emitter);
    strbuf_add(emitter->out, "kernel");
    add_choice(emitter, call);
    strbuf_add(emitter->out, "(");
    for (int part = 0; part < TCPLAN_OPERANDS; part++) {
        strbuf_add(emitter->out, "%s", part > 0 ? ", " : "");
        emit_pointer(emitter, slice_of(call, part));
    }
    if (call->blas.fetches_ahead) add_ahead(emitter, call);
    if (call->blas.products > 0) add_products(emitter, call);
    strbuf_add(emitter->out, ");\n");
    emit_indent(emitter);
    strbuf_add(emitter->out, "kernel_leave();\n");
}

/** Where libxsmm makes no code for the machine the BLAS makes all calls. */
static void add_libxsmm(const struct emitter *emitter, const struct emit_call *call) {
    struct emitter inside = *emitter;
    struct emit_call plain = *call;
    plain.blas.provider = TCPLAN_PROVIDER_BLAS;
    emit_indent(emitter);
    strbuf_add(emitter->out, "if (");
    emit_has_code(emitter, call);
    strbuf_add(emitter->out, ") {\n");
    inside.level++;
    add_made_call(&inside, call);
    emit_indent(emitter);
    strbuf_add(emitter->out, "} else {\n");
    emit_kernel(&inside, &plain);
    emit_end(&inside);
}

/* BLIS: factors by address, everything without const, complex numbers in its own types. */

static const char *blis_type(enum tcplan_dtype dtype) {
    static const char *const type[TCPLAN_DTYPES] = {"float", "double", "scomplex", "dcomplex"};
    return type[dtype];
}

/** A factor that is 1 but in the first iteration of the loops over `first_of`. */
static void add_blis_factor(const struct emitter *emitter, const char *name, struct tcplan_scalar scalar, uint64_t first_of) {
    const enum tcplan_dtype dtype = emitter->problem->dtype;
    emit_indent(emitter);
    strbuf_add(emitter->out, "%s %s = ", blis_type(dtype), name);
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

static const char *blis_transposition(const struct emit_call *call, int factor) {
    return call->blas.conjugated[factor] ? "BLIS_CONJ_NO_TRANSPOSE" : "BLIS_NO_TRANSPOSE";
}

static void add_blis(const struct emitter *emitter, const struct emit_call *call) {
    if (call->node->update.first_of) add_blis_factor(emitter, "beta", call->blas.beta, call->node->update.first_of);
    emit_indent(emitter);
    strbuf_add(emitter->out, "bli_%cgemm(%s, %s", tcplan_dtype_letter(emitter->problem->dtype), blis_transposition(call, 0),
               blis_transposition(call, 1));
    for (int place = 0; place < 3; place++) {
        strbuf_add(emitter->out, ", ");
        emit_count(emitter, call, place);
    }
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
        add_blis_factor(emitter, "alpha", call->blas.alpha, 0);
        if (!call->node->update.first_of) add_blis_factor(emitter, "beta", call->blas.beta, 0);
    } else {
        return false;
    }
    return true;
}

bool emit_calls_blas(enum tcplan_provider provider) {
    return provider != TCPLAN_PROVIDER_BLIS;
}

static const char *const leave =
    "#ifndef KERNEL_LEAVE /* emitted files may be put together */\n"
    "#define KERNEL_LEAVE\n"
    "/* libxsmm's code leaves the upper parts of vector registers in use, which slows down code for smaller vectors tenfold. */\n"
    "static inline void kernel_leave(void) {\n"
    "#if defined(__x86_64__)\n"
    "    if (!__builtin_cpu_supports(\"avx\")) return;\n"
    "    __asm__ volatile(\"vzeroupper\" ::: \"memory\", \"xmm0\", \"xmm1\", \"xmm2\", \"xmm3\", \"xmm4\", \"xmm5\", \"xmm6\", \"xmm7\",\n"
    "                     \"xmm8\", \"xmm9\", \"xmm10\", \"xmm11\", \"xmm12\", \"xmm13\", \"xmm14\", \"xmm15\");\n"
    "#endif\n"
    "}\n"
    "#endif\n";

void emit_provider_include(struct strbuf *out, enum tcplan_provider provider) {
    if (provider == TCPLAN_PROVIDER_LIBXSMM) {
        strbuf_add(out, "#include <cblas.h>\n#include <libxsmm.h>\n%s", leave);
    } else if (provider == TCPLAN_PROVIDER_BLIS) {
        strbuf_add(out, "#if __has_include(<blis/blis.h>)\n#include <blis/blis.h>\n#else\n#include <blis.h>\n#endif\n\n"
                        "_Static_assert(sizeof(dim_t) == 8, \"BLIS with 64-bit integers\");\n\n");
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
        strbuf_add(out,
                   "-lxsmm -lopenblas -lpthread -lrt -ldl -lm"); /* a static library; the BLAS makes the calls that it has no code for */
    } else if (provider == TCPLAN_PROVIDER_BLIS) {
        strbuf_add(out, "-lblis -lpthread -lm");
    } else if (file) {
        add_file(out, file);
    } else {
        strbuf_add(out, "-lopenblas");
    }
}
