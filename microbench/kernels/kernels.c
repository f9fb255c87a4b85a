#include "microbench/kernels/kernels.h"

#include "ast/algorithm/kernel_class.h"
#include "ast/scalar.h"
#include "microbench/predict/kernel_bursts.h"
#include "microbench/providers/providers.h"

union kernel_scalar kernel_scalar_of(struct tcplan_scalar scalar, enum tcplan_dtype dtype) {
    switch (dtype) {
    case TCPLAN_FLOAT: return (union kernel_scalar){.s = (float)scalar.re};
    case TCPLAN_FLOAT_COMPLEX:
        return (union kernel_scalar){.c = {(float)scalar.re, (float)scalar.im}};
    case TCPLAN_DOUBLE_COMPLEX: return (union kernel_scalar){.z = {scalar.re, scalar.im}};
    case TCPLAN_DOUBLE:
    case TCPLAN_DTYPES: break;
    }
    return (union kernel_scalar){.d = scalar.re};
}

struct kernel kernel_unbound(const struct blas_call *call, enum tcplan_dtype dtype) {
    struct kernel kernel = {.call = *call,
                            .alpha = kernel_scalar_of(call->alpha, dtype),
                            .beta = kernel_scalar_of(call->beta, dtype),
                            .alpha_is_one = scalar_is(call->alpha, 1),
                            .beta_is_one = scalar_is(call->beta, 1),
                            .beta_is_zero = scalar_is(call->beta, 0)};
    const struct kernel_bursts *bursts = kernel_bursts_of(call->kernel);
    if (bursts->prepare) bursts->prepare(&kernel, dtype);
    return kernel;
}

struct kernel kernel_bind(const struct blas_call *call, enum tcplan_dtype dtype,
                          struct kernel_maker *maker) {
    struct kernel kernel = kernel_unbound(call, dtype);
    if (kernel_class_of(call->kernel)->is_own) {
        kernel.burst = kernel_bursts_of(call->kernel)->burst[dtype];
        return kernel;
    }
    if (!provider_of(call->provider)->bind(&kernel, dtype, maker)) kernel.burst = NULL;
    return kernel;
}
