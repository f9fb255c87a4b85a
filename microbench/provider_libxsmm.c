/*
 * libxsmm: code generated at run time for the extents, leading dimensions and beta of one gemm.
 *
 * The library generates the code of a call once per process and keeps it. Its calls run in the calling thread.
 */
#include "gen/provider.h"
#include "microbench/providers.h"

#if TCPLAN_HAS_LIBXSMM

#include <libxsmm.h>

static void burst_s(const struct kernel *kernel, struct kernel_operands at, struct kernel_steps steps, int64_t count) {
    const libxsmm_smmfunction call = (libxsmm_smmfunction)kernel->generated;
    for (int64_t i = 0; i < count; i++) {
        call((const float *)at.first, (const float *)at.second, (float *)at.result);
        at.first += steps.first;
        at.second += steps.second;
        at.result += steps.result;
    }
}

static void burst_d(const struct kernel *kernel, struct kernel_operands at, struct kernel_steps steps, int64_t count) {
    const libxsmm_dmmfunction call = (libxsmm_dmmfunction)kernel->generated;
    for (int64_t i = 0; i < count; i++) {
        call((const double *)at.first, (const double *)at.second, (double *)at.result);
        at.first += steps.first;
        at.second += steps.second;
        at.result += steps.result;
    }
}

/* The first operand of the next call is fetched into the second cache meanwhile: the code does that where it has time to. */

static void burst_s_ahead(const struct kernel *kernel, struct kernel_operands at, struct kernel_steps steps, int64_t count) {
    const libxsmm_smmfunction call = (libxsmm_smmfunction)kernel->generated;
    for (int64_t i = 0; i < count; i++) {
        const char *next = i + 1 < count || !at.next_first ? at.first + steps.first : at.next_first;
        call((const float *)at.first, (const float *)at.second, (float *)at.result, (const float *)next, (const float *)at.second,
             (const float *)at.result);
        at.first += steps.first;
        at.second += steps.second;
        at.result += steps.result;
    }
}

static void burst_d_ahead(const struct kernel *kernel, struct kernel_operands at, struct kernel_steps steps, int64_t count) {
    const libxsmm_dmmfunction call = (libxsmm_dmmfunction)kernel->generated;
    for (int64_t i = 0; i < count; i++) {
        const char *next = i + 1 < count || !at.next_first ? at.first + steps.first : at.next_first;
        call((const double *)at.first, (const double *)at.second, (double *)at.result, (const double *)next, (const double *)at.second,
             (const double *)at.result);
        at.first += steps.first;
        at.second += steps.second;
        at.result += steps.result;
    }
}

static bool bind(struct kernel *kernel, enum tcplan_dtype dtype) {
    const struct blas_call *call = &kernel->call;
    if (!blas_call_provider_has(call, dtype, TCPLAN_PROVIDER_LIBXSMM)) return false;
    const int flags = call->transposed[1] ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE;
    const int prefetch = call->fetches_ahead ? LIBXSMM_GEMM_PREFETCH_AL2 : LIBXSMM_GEMM_PREFETCH_NONE;
    const int *ld = call->ld;
    if (dtype == TCPLAN_FLOAT) {
        kernel->generated = (void (*)(void))libxsmm_smmdispatch(call->m, call->n, call->k, &ld[0], &ld[1], &ld[2], &kernel->alpha.s,
                                                                &kernel->beta.s, &flags, &prefetch);
        kernel->burst = call->fetches_ahead ? burst_s_ahead : burst_s;
    } else {
        kernel->generated = (void (*)(void))libxsmm_dmmdispatch(call->m, call->n, call->k, &ld[0], &ld[1], &ld[2], &kernel->alpha.d,
                                                                &kernel->beta.d, &flags, &prefetch);
        kernel->burst = call->fetches_ahead ? burst_d_ahead : burst_d;
    }
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
