/*
 * libxsmm: code generated at run time for the extents, leading dimensions and beta of one gemm.
 *
 * The library generates the code of a call once per process and keeps it. Its calls run in the calling thread.
 */
#include "gen/provider.h"
#include "microbench/providers.h"

#if TCPLAN_HAS_LIBXSMM

#include <libxsmm.h>

/** Code for any type: what libxsmm makes takes addresses, and behind those of the operands what its options add. */
typedef void code_fn(const void *first, const void *second, void *result, ...);

static void move(struct kernel_operands *at, struct kernel_steps steps, int64_t calls) {
    at->first += calls * steps.first;
    at->second += calls * steps.second;
    at->result += calls * steps.result;
}

static void burst_single(const struct kernel *kernel, struct kernel_operands at, struct kernel_steps steps, int64_t count) {
    code_fn *const code = (code_fn *)kernel->generated;
    for (int64_t i = 0; i < count; i++) {
        code(at.first, at.second, at.result);
        move(&at, steps, 1);
    }
}

/** The first operand of the next call is fetched into the second cache meanwhile: the code does that where it has time to. */
static void burst_ahead(const struct kernel *kernel, struct kernel_operands at, struct kernel_steps steps, int64_t count) {
    code_fn *const code = (code_fn *)kernel->generated;
    for (int64_t i = 0; i < count; i++) {
        const char *next = i + 1 < count || !at.next_first ? at.first + steps.first : at.next_first;
        code(at.first, at.second, at.result, next, at.second, at.result);
        move(&at, steps, 1);
    }
}

static bool bind(struct kernel *kernel, enum tcplan_dtype dtype) {
    const struct blas_call *call = &kernel->call;
    if (!blas_call_provider_has(call, dtype, TCPLAN_PROVIDER_LIBXSMM)) return false;
    const int flags = call->transposed[1] ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE;
    const int prefetch = call->fetches_ahead ? LIBXSMM_GEMM_PREFETCH_AL2 : LIBXSMM_GEMM_PREFETCH_NONE;
    const int *ld = call->ld;
    libxsmm_xmmfunction code;
    if (dtype == TCPLAN_FLOAT) {
        code.smm =
            libxsmm_smmdispatch(call->m, call->n, call->k, &ld[0], &ld[1], &ld[2], &kernel->alpha.s, &kernel->beta.s, &flags, &prefetch);
    } else {
        code.dmm =
            libxsmm_dmmdispatch(call->m, call->n, call->k, &ld[0], &ld[1], &ld[2], &kernel->alpha.d, &kernel->beta.d, &flags, &prefetch);
    }
    kernel->generated = (void (*)(void))code.xmm;
    kernel->burst = call->fetches_ahead ? burst_ahead : burst_single;
    return kernel->generated != NULL;
}

static bool find(struct tcplan_provider_info *out, enum tcplan_provider provider) {
    (void)provider;
    *out = (struct tcplan_provider_info){.name = "libxsmm", .version = LIBXSMM_VERSION, .core = libxsmm_get_target_arch()};
    return true;
}

#else

static bool bind(struct kernel *kernel, enum tcplan_dtype dtype) {
    (void)kernel, (void)dtype;
    return false;
}

static bool find(struct tcplan_provider_info *out, enum tcplan_provider provider) {
    (void)out, (void)provider;
    return false;
}

#endif

const struct provider provider_libxsmm = {.find = find, .bind = bind};
