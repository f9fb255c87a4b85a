#include "gen/provider.h"

#include "ast/kernel_class.h"

/**
 * What libxsmm is still offered, in bytes of the first factor. It neither packs nor blocks: every few columns of the result read all of the
 * first factor again. That is the fastest way while the factor stays in the second-level cache, and no more than half as fast as others
 * beyond it: measured with bench/providers.c, libxsmm won at 1.2 MB and lost from 1.5 to 2 MB where that cache has 2 MiB (docs/providers.md).
 * Twice this cache leaves the decision near the edge, and on machines with more of it, to the prediction.
 */
#define LIBXSMM_MAX_FACTOR_BYTES ((int64_t)4 << 20)

void blas_call_set_strides(struct blas_call *call) {
    for (int part = 0; part < 3; part++) {
        const bool transposed = part < 2 && call->transposed[part];
        call->strides[part][0] = transposed ? call->ld[part] : 1;
        call->strides[part][1] = transposed ? 1 : call->ld[part];
    }
}

bool provider_sums_pay(void) {
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_cpu_supports("avx512vl") != 0;
#else
    return false;
#endif
}

/** Whether the strides of a gemm are those that its leading dimensions and transpositions say. */
static bool has_leading_dimensions(const struct blas_call *call) {
    struct blas_call plain = *call;
    blas_call_set_strides(&plain);
    for (int part = 0; part < 3; part++) {
        if (call->strides[part][0] != plain.strides[part][0] || call->strides[part][1] != plain.strides[part][1]) return false;
    }
    return true;
}

static bool is_real(struct tcplan_scalar scalar, double value) {
    return scalar.re == value && scalar.im == 0;
}

static bool libxsmm_has(const struct blas_call *call, enum tcplan_dtype dtype) {
    return !tcplan_dtype_is_complex(dtype) && has_leading_dimensions(call) && !call->transposed[0] && is_real(call->alpha, 1) &&
           (is_real(call->beta, 0) || is_real(call->beta, 1));
}

bool blas_call_provider_has(const struct blas_call *call, enum tcplan_dtype dtype, enum tcplan_provider provider) {
    if (!kernel_has_provider(call->kernel, provider)) return false;
    if (provider == TCPLAN_PROVIDER_LIBXSMM) return libxsmm_has(call, dtype);
    return provider == TCPLAN_PROVIDER_BLIS || !kernel_class_of(call->kernel)->has_others || has_leading_dimensions(call);
}

bool blas_call_provider_applies(const struct blas_call *call, enum tcplan_dtype dtype, enum tcplan_provider provider) {
    if (!blas_call_provider_has(call, dtype, provider)) return false;
    if (provider != TCPLAN_PROVIDER_LIBXSMM) return true;
    return (int64_t)call->m * call->k <= LIBXSMM_MAX_FACTOR_BYTES / (int64_t)tcplan_dtype_bytes(dtype);
}
