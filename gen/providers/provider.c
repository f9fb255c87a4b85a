#include "gen/providers/provider.h"

#include "ast/algorithm/kernel_class.h"
#include "ast/algorithm/provider.h"
#include "base/error.h"
#include "gen/providers/provider_code.h"

#define CODE(NUMBER, name) [TCPLAN_PROVIDER_##NUMBER] = &provider_code_##name,
static const struct provider_code *const codes[TCPLAN_PROVIDERS] = {
    [TCPLAN_PROVIDER_EMITTED] = &provider_code_emitted,
    [TCPLAN_PROVIDER_FILE_1] =
        &provider_code_openblas, /* OpenBLAS's limits are used for every CBLAS */
    [TCPLAN_PROVIDER_FILE_2] = &provider_code_openblas,
    [TCPLAN_PROVIDER_FILE_3] = &provider_code_openblas,
    [TCPLAN_PROVIDER_FILE_4] = &provider_code_openblas,
    [TCPLAN_PROVIDER_TAPP_1] = &provider_code_tapp,
    [TCPLAN_PROVIDER_TAPP_2] = &provider_code_tapp,
    [TCPLAN_PROVIDER_TAPP_3] = &provider_code_tapp,
    [TCPLAN_PROVIDER_TAPP_4] = &provider_code_tapp,
    TCPLAN_PROVIDER_LIST(CODE)};

const struct provider_code *provider_code_of(enum tcplan_provider provider) {
    return codes[provider];
}

void blas_call_set_strides(struct blas_call *call) {
    for (int part = 0; part < 3; part++) {
        const bool transposed = part < 2 && call->transposed[part];
        call->strides[part][0] = transposed ? call->ld[part] : 1;
        call->strides[part][1] = transposed ? 1 : call->ld[part];
    }
}

/** Returns whether the strides of a product's matrices follow from leading dimensions and
 * transpositions. */
static bool has_leading_dimensions(const struct blas_call *call) {
    struct blas_call plain = *call;
    blas_call_set_strides(&plain);
    for (int part = 0; part < 3; part++) {
        if (call->strides[part][0] != plain.strides[part][0] ||
            call->strides[part][1] != plain.strides[part][1])
            return false;
    }
    return true;
}

int64_t provider_bytes(int64_t elems, enum tcplan_dtype dtype) {
    const int64_t bytes = (int64_t)tcplan_dtype_bytes(dtype);
    return elems > INT64_MAX / bytes ? INT64_MAX : elems * bytes;
}

/*
 * Limits. blas_call_lower() accepts extents, leading dimensions and increments up to INT_MAX, the
 * BLAS integer, and any strides for BLIS, whose integers have 64 bits. Further limits are in
 * gen/providers/; their amounts grow with the extents. No others were found: each kernel was run on
 * reserved memory with leading dimensions and increments of INT_MAX and compared with naive loops,
 * for OpenBLAS 0.3.21 (core types Prescott, Nehalem, Sandybridge, Haswell, Zen, SkylakeX,
 * Cooperlake, SapphireRapids), the reference BLAS 3.11 and BLIS 0.9.0 (tests/gen/test_limits.c).
 */

static bool is_of(const struct provider_limit *limit, const struct blas_call *call,
                  enum tcplan_dtype dtype) {
    return (limit->kernels >> call->kernel & 1U) && (limit->dtypes >> dtype & 1U);
}

static bool has_routine(const struct blas_call *call, enum tcplan_dtype dtype,
                        enum tcplan_provider provider) {
    const struct provider_code *code = codes[provider];
    if (!provider_has_kernel(provider, call->kernel)) return false;
    if (kernel_shape(call->kernel) == KERNEL_OF_MATRICES &&
        !provider_traits_of(provider)->takes_any_strides && !has_leading_dimensions(call))
        return false;
    return !code->takes || code->takes(call, dtype);
}

enum tcplan_status blas_call_check(const struct blas_call *call, enum tcplan_dtype dtype,
                                   enum tcplan_provider provider, struct tcplan_error *error) {
    const struct provider_code *code = codes[provider];
    const char *name = tcplan_provider_name(provider);
    if (!has_routine(call, dtype, provider)) {
        return error_set(error, TCPLAN_NOT_APPLICABLE, "%s has no routine for this kernel", name);
    }
    for (int l = 0; l < code->limit_count; l++) {
        const struct provider_limit *limit = &code->limits[l];
        if (!is_of(limit, call, dtype)) continue;
        const int64_t amount = limit->amount(call, dtype);
        if (amount <= limit->most) continue;
        return error_set(error, TCPLAN_NOT_APPLICABLE, "%s with %lld %s: %s takes at most %lld",
                         tcplan_kernel_name(call->kernel, dtype), (long long)amount, limit->what,
                         name, (long long)limit->most);
    }
    return TCPLAN_OK;
}

bool blas_call_provider_has(const struct blas_call *call, enum tcplan_dtype dtype,
                            enum tcplan_provider provider) {
    return blas_call_check(call, dtype, provider, NULL) == TCPLAN_OK;
}

bool blas_call_provider_applies(const struct blas_call *call, enum tcplan_dtype dtype,
                                enum tcplan_provider provider) {
    const struct provider_code *code = codes[provider];
    return blas_call_provider_has(call, dtype, provider) &&
           (!code->may_win || code->may_win(call, dtype));
}

int tcplan_algorithm_libraries(const struct tcplan_algorithm *algorithm,
                               enum tcplan_provider library[TCPLAN_ALGORITHM_LIBRARIES]) {
    const enum tcplan_provider own = algorithm->provider;
    int count = 0;
    if (kernel_class_of(algorithm->kernel)->is_own) return 0;
    library[count++] = own;
    if (codes[own]->calls_cblas && !provider_traits_of(own)->is_cblas)
        library[count++] = TCPLAN_PROVIDER_BLAS;
    return count;
}
