/*
 * libxsmm: code generated at run time for the extents, leading dimensions and beta of one gemm. The
 * library generates the code of a call once per process and caches it. Its calls run in the calling
 * thread.
 */
#include <stdlib.h>
#include <string.h>

#include "gen/providers/provider.h"
#include "microbench/providers/address_sum.h"
#include "microbench/providers/providers.h"

#ifdef TCPLAN_HAS_LIBXSMM

#include <libxsmm.h>
#include <pthread.h>

static pthread_once_t has_begun = PTHREAD_ONCE_INIT;

/**
 * Ignores what libxsmm adds to the environment. In libxsmm_init() it sets OMP_PROC_BIND=TRUE unless
 * GOMP_CPU_AFFINITY, KMP_AFFINITY or OMP_PROC_BIND is set (libxsmm 1.17, internal_init()); none of
 * its own variables prevents that. Then an OpenMP library that is loaded later binds all threads to
 * one processor, and other threads see the environment change. libtcplan is linked with
 * --wrap=putenv, so that libxsmm, which is a static library, calls this function instead. Nothing
 * else in libtcplan calls putenv().
 */
int __wrap_putenv(char *text); /* NOLINT(bugprone-reserved-identifier): name that the linker
                                  requires */

int __wrap_putenv(char *text) { /* NOLINT(bugprone-reserved-identifier) */
    (void)text;
    return 0;
}

static void begin(void) {
    libxsmm_init();
}

/** Code for any type: it takes the addresses of the operands, followed by arguments that depend
 * on its options. */
typedef void code_fn(const void *first, const void *second, void *result, ...);

static void move(struct kernel_operands *at, struct kernel_steps steps) {
    at->first += steps.first;
    at->second += steps.second;
    at->result += steps.result;
}

/** Clears the upper parts of vector registers, which libxsmm's code leaves in use and which slow
 * down code for smaller vectors tenfold. */
static void leave(void) {
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx")) return;
    __asm__ volatile("vzeroupper" ::
                         : "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                           "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
#endif
}

static void burst_single(const struct kernel *kernel, struct kernel_operands at,
                         struct kernel_steps steps, int64_t count) {
    code_fn *const code = (code_fn *)kernel->generated;
    for (int64_t i = 0; i < count; i++) {
        code(at.first, at.second, at.result);
        move(&at, steps);
    }
    leave();
}

/** The code prefetches the first operand of the next call into the second cache while it
 * computes. */
static void burst_ahead(const struct kernel *kernel, struct kernel_operands at,
                        struct kernel_steps steps, int64_t count) {
    code_fn *const code = (code_fn *)kernel->generated;
    for (int64_t i = 0; i < count; i++) {
        const char *next = i + 1 < count || !at.next_first ? at.first + steps.first : at.next_first;
        code(at.first, at.second, at.result, next, at.second, at.result);
        move(&at, steps);
    }
    leave();
}

static void burst_sum(const struct kernel *kernel, struct kernel_operands at,
                      struct kernel_steps steps, int64_t count) {
    code_fn *const code = (code_fn *)kernel->generated;
    const unsigned long long products = (unsigned long long)kernel->call.products;
    for (int64_t i = 0; i < count; i++) {
        code(at.first, at.second, at.result, &products);
        move(&at, steps);
    }
    leave();
}

static libxsmm_xmmfunction make_s(const struct kernel *kernel, int flags, int prefetch) {
    const struct blas_call *call = &kernel->call;
    const int *ld = call->ld;
    libxsmm_xmmfunction code;
    if (call->products > 0) {
        const int bytes = (int)sizeof(float); /* bytes by which both factors advance; within
                                                 blas_call_check()'s limits */
        code.smrs = libxsmm_smmdispatch_reducebatch_strd(
            call->m, call->n, call->k, (int)call->product_elems[0] * bytes,
            (int)call->product_elems[1] * bytes, &ld[0], &ld[1], &ld[2], &kernel->alpha.s,
            &kernel->beta.s, &flags, &prefetch);
    } else {
        code.smm = libxsmm_smmdispatch(call->m, call->n, call->k, &ld[0], &ld[1], &ld[2],
                                       &kernel->alpha.s, &kernel->beta.s, &flags, &prefetch);
    }
    return code;
}

static libxsmm_xmmfunction make_d(const struct kernel *kernel, int flags, int prefetch) {
    const struct blas_call *call = &kernel->call;
    const int *ld = call->ld;
    libxsmm_xmmfunction code;
    if (call->products > 0) {
        const int bytes = (int)sizeof(double);
        code.dmrs = libxsmm_dmmdispatch_reducebatch_strd(
            call->m, call->n, call->k, (int)call->product_elems[0] * bytes,
            (int)call->product_elems[1] * bytes, &ld[0], &ld[1], &ld[2], &kernel->alpha.d,
            &kernel->beta.d, &flags, &prefetch);
    } else {
        code.dmm = libxsmm_dmmdispatch(call->m, call->n, call->k, &ld[0], &ld[1], &ld[2],
                                       &kernel->alpha.d, &kernel->beta.d, &flags, &prefetch);
    }
    return code;
}

static bool bind(struct kernel *kernel, enum tcplan_dtype dtype, struct kernel_maker *maker) {
    (void)maker;
    const struct blas_call *call = &kernel->call;
    if (!blas_call_provider_has(call, dtype, TCPLAN_PROVIDER_LIBXSMM)) return false;
    const int flags = call->transposed[1] ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE;
    const int prefetch =
        call->fetches_ahead ? LIBXSMM_GEMM_PREFETCH_AL2 : LIBXSMM_GEMM_PREFETCH_NONE;
    pthread_once(&has_begun, begin);
    const libxsmm_xmmfunction code =
        dtype == TCPLAN_FLOAT ? make_s(kernel, flags, prefetch) : make_d(kernel, flags, prefetch);
    kernel->generated = (void (*)(void))code.xmm;
    if (!kernel->generated)
        return provider_openblas.bind(kernel, dtype,
                                      maker); /* the BLAS makes this call, as in emitted C */
    kernel->burst = call->products > 0    ? burst_sum
                    : call->fetches_ahead ? burst_ahead
                                          : burst_single;
    return true;
}

address_sum_fn *address_sum_code(const struct blas_call *call, enum tcplan_dtype dtype, bool adds) {
    const int *ld = call->ld;
    const int flags = call->transposed[1] ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE;
    const int prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
    const float beta_s = adds ? 1 : 0, alpha_s = 1;
    const double beta_d = adds ? 1 : 0, alpha_d = 1;
    struct blas_call summed = *call;
    libxsmm_xmmfunction code = {NULL};
    summed.beta = (struct tcplan_scalar){.re = adds ? 1 : 0};
    if (call->kernel != TCPLAN_GEMM ||
        !blas_call_provider_has(&summed, dtype, TCPLAN_PROVIDER_LIBXSMM))
        return NULL;
    pthread_once(&has_begun, begin);
    if (dtype == TCPLAN_FLOAT)
        code.smra =
            libxsmm_smmdispatch_reducebatch_addr(call->m, call->n, call->k, &ld[0], &ld[1], &ld[2],
                                                 &alpha_s, &beta_s, &flags, &prefetch);
    else
        code.dmra =
            libxsmm_dmmdispatch_reducebatch_addr(call->m, call->n, call->k, &ld[0], &ld[1], &ld[2],
                                                 &alpha_d, &beta_d, &flags, &prefetch);
    return (address_sum_fn *)code.xmm;
}

product_fn *address_product_code(const struct kernel *kernel) {
    return kernel->burst == burst_single ? (product_fn *)kernel->generated : NULL;
}

void address_sum_leave(void) {
    leave();
}

static int processor; /* the processor's number in libxsmm's lists */

/** Identifies the processor. The instruction for this takes 20 us and more in a virtual machine. */
static void identify(void) {
    processor = libxsmm_cpuid();
}

/**
 * Finds the library without calling it. Its first call locks 10 MB of memory, which would dominate
 * the time to recognise a machine or to estimate. It generates code for the processor's features
 * unless an environment variable of libxsmm selects another target.
 */
static bool find(struct tcplan_provider_info *out, enum tcplan_provider provider) {
    static pthread_once_t is_known = PTHREAD_ONCE_INIT;
    (void)provider;
    pthread_once(&is_known, identify);
    const bool tells = processor >= LIBXSMM_X86_AVX && !getenv("LIBXSMM_TARGET");
    if (!tells) pthread_once(&has_begun, begin);
    if (!tells && !libxsmm_dmmdispatch(8, 8, 8, NULL, NULL, NULL, NULL, NULL, NULL, NULL))
        return false; /* libxsmm was found, but generates no code for this machine */
    const char *core = tells ? libxsmm_cpuid_name(processor) : libxsmm_get_target_arch();
    *out =
        (struct tcplan_provider_info){.name = "libxsmm", .version = LIBXSMM_VERSION, .core = core};
    return true;
}

/* Routines of libxsmm with gemm's arguments by reference: they look up the code at each call, or
 * call the BLAS. */

/* NOLINTNEXTLINE(readability-function-size): as many parameters as the routine has arguments */
static void sgemm(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                  const float *alpha, const float *a, const int *lda, const float *b,
                  const int *ldb, const float *beta, float *c, const int *ldc) {
    pthread_once(&has_begun, begin);
    libxsmm_sgemm(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    leave();
}

/* NOLINTNEXTLINE(readability-function-size): as many parameters as the routine has arguments */
static void dgemm(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                  const double *alpha, const double *a, const int *lda, const double *b,
                  const int *ldb, const double *beta, double *c, const int *ldc) {
    pthread_once(&has_begun, begin);
    libxsmm_dgemm(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    leave();
}

static provider_routine *symbol(enum tcplan_provider provider, const char *name) {
    (void)provider;
    if (strcmp(name, "sgemm_") == 0) return (provider_routine *)sgemm;
    return strcmp(name, "dgemm_") == 0 ? (provider_routine *)dgemm : NULL;
}

#else

address_sum_fn *address_sum_code(const struct blas_call *call, enum tcplan_dtype dtype, bool adds) {
    (void)call, (void)dtype, (void)adds;
    return NULL;
}

product_fn *address_product_code(const struct kernel *kernel) {
    (void)kernel;
    return NULL;
}

void address_sum_leave(void) {
}

static provider_routine *symbol(enum tcplan_provider provider, const char *name) {
    (void)provider, (void)name;
    return NULL;
}

static bool bind(struct kernel *kernel, enum tcplan_dtype dtype, struct kernel_maker *maker) {
    (void)maker;
    (void)kernel, (void)dtype;
    return false;
}

static bool find(struct tcplan_provider_info *out, enum tcplan_provider provider) {
    (void)out, (void)provider;
    return false;
}

#endif

PROVIDER_CALLS(libxsmm, find, bind, .gemm_cost = {10, 1, 8, 2, 4}, .symbol = symbol);
