/*
 * libxsmm: code generated for the extents, leading dimensions and beta of one gemm, or of a sum of
 * them.
 */
#include "gen/providers/libxsmm.h"
#include "ast/nest/refine.h"
#include "ast/scalar.h"
#include "gen/emit/arguments.h"
#include "gen/providers/linked_blas.h"
#include "gen/providers/provider_code.h"
#include "gen/providers/variants.h"

/**
 * The largest first factor, in bytes (of a sum: of all products), for which libxsmm is considered.
 * It neither packs nor blocks: every few columns of the result reread all of the first factor.
 * That is fastest while the factor stays in the second-level cache, and at most half as fast as
 * other providers beyond it. Measured with bench/providers.c: libxsmm won at 1.2 MB and lost from
 * 1.5 to 2 MB with a cache of 2 MiB (docs/providers.md). Twice this cache leaves cases near the
 * edge, and machines with larger caches, to the prediction.
 */
#define LIBXSMM_MAX_FACTOR_BYTES ((int64_t)4 << 20)

static bool takes(const struct blas_call *call, enum tcplan_dtype dtype) {
    return !tcplan_dtype_is_complex(dtype) && !call->transposed[0] && scalar_is(call->alpha, 1) &&
           (scalar_is(call->beta, 0) || scalar_is(call->beta, 1));
}

static bool may_win(const struct blas_call *call, enum tcplan_dtype dtype) {
    const int64_t most = LIBXSMM_MAX_FACTOR_BYTES / (int64_t)tcplan_dtype_bytes(dtype) /
                         (call->products > 0 ? call->products : 1);
    return (int64_t)call->m * call->k <= most;
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/** Returns the bytes from the first column to the end of the last one, for the largest matrix of a
 * gemm. */
static int64_t matrix_bytes(const struct blas_call *call, enum tcplan_dtype dtype) {
    const int64_t first = (int64_t)call->ld[0] * (call->transposed[0] ? call->m : call->k);
    const int64_t second = (int64_t)call->ld[1] * (call->transposed[1] ? call->k : call->n);
    return provider_bytes(larger(larger(first, second), (int64_t)call->ld[2] * call->n), dtype);
}

/** Returns the bytes between the factors of adjacent products of a sum. */
static int64_t product_bytes(const struct blas_call *call, enum tcplan_dtype dtype) {
    return provider_bytes(larger(call->product_elems[0], call->product_elems[1]), dtype);
}

static const struct provider_limit limits[] = {
    /* The code of libxsmm 1.17 adds ld * columns * bytes to pointers as a sign-extended 32-bit
     * constant, and uses parts of it as displacements. 300 random calls with a matrix just below 2
     * GiB were correct with its code for SSE, AVX, AVX2 and AVX-512; of 300 with one of 4 GiB, 134
     * crashed. */
    {PROVIDER_ANY, PROVIDER_ANY, INT32_MAX, matrix_bytes,
     "bytes from the first element to the end of the last column of a matrix"},

    /* Its code multiplies the number of a product by a 32-bit constant. */
    {1U << TCPLAN_BRGEMM, PROVIDER_ANY, INT32_MAX, product_bytes,
     "bytes from one product of a sum to the next"},
};

/** Returns the suffix of function names for sums. */
static const char *sum_suffix(const struct blas_call *call) {
    return call->products > 0 ? "_reducebatch_strd" : "";
}

/** Returns the name of the emitted variable that contains beta for the first visit of the result.
 * If beta varies, BLAS calls have a `beta` of their own. */
static const char *first_factor(const struct emit_call *call) {
    return call->node->update.first_of || call->blas.products > 0 ? "first" : "beta";
}

/** Emits the call by which libxsmm generates the code for entry `number` of the table. */
static void add_code(const struct emitter *emitter, const struct emit_call *call, int number) {
    const struct refined_problem *problem = emitter->refined;
    struct blas_call blas;
    const bool later = variants_lower(&blas, emitter, call, number);
    strbuf_add(emitter->out, "libxsmm_%cmmdispatch%s(%d, %d, %d, ",
               tcplan_dtype_letter(problem->written.dtype), sum_suffix(&blas), blas.m, blas.n,
               blas.k);
    for (int f = 0; f < 2 && blas.products > 0; f++) {
        strbuf_add(emitter->out, "%lld, ",
                   (long long)blas.product_elems[f] * (long long)problem->written.element_bytes);
    }
    strbuf_add(emitter->out, "&lda, &ldb, &ldc, &alpha, &%s, &flags, &prefetch)",
               later ? "later" : first_factor(call));
}

static void add_table(const struct emitter *emitter, const struct emit_call *call, int size) {
    const char letter = tcplan_dtype_letter(emitter->problem->dtype);
    emit_indent(emitter);
    strbuf_add(emitter->out, "const libxsmm_%cmmfunction%s kernel[%d] = {\n", letter,
               sum_suffix(&call->blas), size);
    for (int number = 0; number < size; number++) {
        emit_indent(emitter);
        strbuf_add(emitter->out, "    ");
        add_code(emitter, call, number);
        strbuf_add(emitter->out, number < size - 1 ? ",\n" : "};\n");
    }
    emit_indent(emitter);
    strbuf_add(emitter->out, "int has_kernels = 1;\n");
    emit_indent(emitter);
    strbuf_add(emitter->out,
               "for (int j = 0; j < %d; j++) has_kernels = has_kernels && kernel[j];\n", size);
}

static void emit_condition(const struct emitter *emitter, const struct emit_call *call) {
    strbuf_add(emitter->out, variants_conditions(emitter, call) > 0 ? "has_kernels" : "kernel");
}

/** Emits the constants that libxsmm needs to generate code: factors, leading dimensions and
 * flags. */
static void add_settings(const struct emitter *emitter, const struct emit_call *call) {
    const struct blas_call *blas = &call->blas;
    emit_indent(emitter);
    strbuf_add(emitter->out, "const %s alpha = ", emit_type(emitter->problem->dtype));
    emit_constant(emitter->out, emitter->problem->dtype, blas->alpha);
    strbuf_add(emitter->out, ", %s = ", first_factor(call));
    emit_constant(emitter->out, emitter->problem->dtype, blas->beta);
    if (call->node->update.first_of) {
        strbuf_add(emitter->out, ", later = ");
        emit_constant(emitter->out, emitter->problem->dtype, (struct tcplan_scalar){1, 0});
    }
    strbuf_add(emitter->out, ";\n");
    emit_indent(emitter);
    strbuf_add(emitter->out, "const libxsmm_blasint lda = %d, ldb = %d, ldc = %d;\n", blas->ld[0],
               blas->ld[1], blas->ld[2]);
    emit_indent(emitter);
    strbuf_add(emitter->out, "const int flags = %s, prefetch = %s;\n",
               blas->transposed[1] ? "LIBXSMM_GEMM_FLAG_TRANS_B" : "LIBXSMM_GEMM_FLAG_NONE",
               blas->fetches_ahead ? "LIBXSMM_GEMM_PREFETCH_AL2" : "LIBXSMM_GEMM_PREFETCH_NONE");
}

/** Emits the variable `kernel` of a call that never varies: the code that an earlier call
 * generated, or code generated now. */
static void add_kernel(const struct emitter *emitter, const struct emit_call *call) {
    const char letter = tcplan_dtype_letter(emitter->problem->dtype);
    const char *suffix = sum_suffix(&call->blas);
    struct emitter inside = *emitter;
    inside.level++;
    emit_indent(emitter);
    strbuf_add(emitter->out, "static _Atomic(libxsmm_%cmmfunction%s) made;\n", letter, suffix);
    emit_indent(emitter);
    strbuf_add(emitter->out, "libxsmm_%cmmfunction%s kernel =\n", letter, suffix);
    emit_indent(emitter);
    strbuf_add(emitter->out, "    atomic_load_explicit(&made, memory_order_acquire);\n");
    emit_indent(emitter);
    strbuf_add(emitter->out, "if (!kernel) {\n");
    add_settings(&inside, call);
    emit_indent(&inside);
    strbuf_add(emitter->out, "kernel =\n");
    emit_indent(&inside);
    strbuf_add(emitter->out, "    ");
    add_code(emitter, call, 0);
    strbuf_add(emitter->out, ";\n");
    emit_indent(&inside);
    strbuf_add(emitter->out, "atomic_store_explicit(&made, kernel, memory_order_release);\n");
    emit_end(&inside);
}

static void emit_setup(const struct emitter *emitter, const struct emit_call *call) {
    const int conditions = variants_conditions(emitter, call);
    if (emitter->takes_extents) return;
    if (conditions == 0) {
        add_kernel(emitter, call);
        return;
    }
    add_settings(emitter, call);
    add_table(emitter, call, 1 << conditions);
}

/** Adds `A + 312 * i_a + (i_a + 1 < n_a ? 312 : -2184)`: the first operand of the next call. */
static void add_next_first(const struct emitter *emitter, const struct emit_call *call) {
    const struct tcplan_algorithm *algorithm = &emitter->nest->algorithm;
    const int innermost = algorithm->loop[algorithm->loop_count - 1];
    int64_t step;
    int64_t outer_step;
    blas_call_first_steps(&call->blas, emitter->nest, call->node, emitter->refined, &step,
                          &outer_step);
    emit_pointer(emitter, emit_slice(call, 0));
    strbuf_add(emitter->out, " + (");
    emit_index(emitter, innermost);
    strbuf_add(emitter->out, " + 1 < ");
    emit_extent(emitter, innermost);
    strbuf_add(emitter->out, " ? %lld : %lld - ", (long long)step, (long long)outer_step);
    emit_index(emitter, innermost);
    strbuf_add(emitter->out, " * %lld)", (long long)step);
}

/** Prints the addresses that the kernel prefetches: the first operand of the next call, and the
 * second operand and the result of this call. */
static void add_ahead(const struct emitter *emitter, const struct emit_call *call) {
    strbuf_add(emitter->out, ",\n");
    emit_indent(emitter);
    strbuf_add(emitter->out, "       ");
    add_next_first(emitter, call);
    for (int part = 1; part < TCPLAN_OPERANDS; part++) {
        strbuf_add(emitter->out, ", ");
        emit_pointer(emitter, emit_slice(call, part));
    }
}

/** Adds `, &(const unsigned long long){8}`: the number of summed products. */
static void add_products(const struct emitter *emitter, const struct emit_call *call) {
    const bool varies = emit_varying_index(emitter, call, EMIT_PRODUCTS) >= 0;
    strbuf_add(emitter->out, ",\n");
    emit_indent(emitter);
    strbuf_add(emitter->out, "       &(const unsigned long long){%s",
               varies ? "(unsigned long long)(" : "");
    emit_count(emitter, call, EMIT_PRODUCTS);
    strbuf_add(emitter->out, varies ? ")}" : "}");
}

/** Adds the call of libxsmm's code. */
static void add_made_call(const struct emitter *emitter, const struct emit_call *call) {
    emit_indent(emitter);
    strbuf_add(emitter->out, "kernel");
    variants_add_choice(emitter, call);
    strbuf_add(emitter->out, "(");
    for (int part = 0; part < TCPLAN_OPERANDS; part++) {
        strbuf_add(emitter->out, "%s", part > 0 ? ", " : "");
        emit_pointer(emitter, emit_slice(call, part));
    }
    if (call->blas.fetches_ahead) add_ahead(emitter, call);
    if (call->blas.products > 0) add_products(emitter, call);
    strbuf_add(emitter->out, ");\n");
    emit_indent(emitter);
    strbuf_add(emitter->out, "kernel_leave();\n");
}

/** Emits the call of the generated code, with a BLAS call for machines that libxsmm generates no
 * code for. */
static void emit(const struct emitter *emitter, const struct emit_call *call) {
    struct emitter inside = *emitter;
    struct emit_call plain = *call;
    plain.blas.provider = TCPLAN_PROVIDER_BLAS;
    if (emitter->takes_extents) {
        libxsmm_emit_lookup(emitter, call);
        return;
    }
    emit_indent(emitter);
    strbuf_add(emitter->out, "if (");
    emit_condition(emitter, call);
    strbuf_add(emitter->out, ") {\n");
    inside.level++;
    add_made_call(&inside, call);
    emit_indent(emitter);
    strbuf_add(emitter->out, "} else {\n");
    emit_kernel(&inside, &plain);
    emit_end(&inside);
}

static const char *const around =
    "#ifndef KERNEL_LEAVE /* emitted files may be concatenated */\n#define KERNEL_LEAVE\n/* The "
    "code of libxsmm leaves the upper parts of vector registers in use. This slows down code for "
    "smaller vectors tenfold. */\nstatic inline void kernel_leave(void) {\n#if "
    "defined(__x86_64__)\n    if (!__builtin_cpu_supports(\"avx\")) return;\n    __asm__ "
    "volatile(\"vzeroupper\" ::: \"memory\", \"xmm0\", \"xmm1\", \"xmm2\", \"xmm3\", \"xmm4\", "
    "\"xmm5\", \"xmm6\", \"xmm7\",\n                     \"xmm8\", \"xmm9\", \"xmm10\", "
    "\"xmm11\", \"xmm12\", \"xmm13\", \"xmm14\", \"xmm15\");\n#endif\n}\n#endif\n";

static void emit_include(struct strbuf *out) {
    strbuf_add(out, "#include <cblas.h>\n#include <libxsmm.h>\n#include <stdatomic.h>\n%s", around);
}

/**
 * Links libxsmm as a static library, and the BLAS for calls that libxsmm has no code for. A shared
 * object that contains libxsmm must not be unloaded, since libxsmm puts one of its own strings
 * into the environment (docs/limitations.md).
 */
static void emit_link(struct strbuf *out, const char *file) {
    (void)file;
    strbuf_add(out, "-lxsmm ");
    emit_linked_blas(out);
    strbuf_add(out, " -lpthread -lrt -ldl -lm -Wl,-z,nodelete");
}

static const char *const cmake =
    "if(links MATCHES \"-lxsmm \")\n"
    "    find_path(LIBXSMM_INCLUDE_DIR libxsmm.h REQUIRED)\n"
    "    find_library(LIBXSMM_LIBRARY xsmm REQUIRED)\n"
    "    find_package(Threads REQUIRED)\n"
    "    list(APPEND includes ${LIBXSMM_INCLUDE_DIR})\n"
    "    set(libraries ${LIBXSMM_LIBRARY} ${CBLAS_LIBRARY} ${CMAKE_THREAD_LIBS_INIT} ${CMAKE_DL_LIBS} rt m -Wl,-z,nodelete)\n"
    "endif()\n";

static const char *const prefixes[] = {"libxsmm_", "LIBXSMM_", "kernel_", "KERNEL_", NULL};
static const char *const variables[] = {"alpha", "first", "later", "kernel",   "made", "lda",
                                        "ldb",   "ldc",   "flags", "prefetch", NULL};

PROVIDER_CODE(
    libxsmm, emit_include, emit_link, .limits = limits,
    .limit_count = sizeof limits / sizeof *limits, .takes = takes, .may_win = may_win,
    .calls_cblas = true, .cmake = cmake, .emit_setup = emit_setup, .emit = emit,
    .emit_condition = emit_condition,
    .remark =
        "If libxsmm generates no code for the machine, the BLAS executes the calls. In its first "
        "call libxsmm sets OMP_PROC_BIND=TRUE for the process; set OMP_PROC_BIND to prevent this.",
    .prefixes = prefixes, .variables = variables);
