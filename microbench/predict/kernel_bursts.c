#include "microbench/predict/kernel_bursts.h"

/* clang-format off */

/** The registry: a line for each class. */
static const struct kernel_bursts *const bursts[TCPLAN_KERNELS] = {
    [TCPLAN_DOT] = &bursts_dot,
    [TCPLAN_AXPY] = &bursts_axpy,
    [TCPLAN_GEMV] = &bursts_gemv,
    [TCPLAN_GER] = &bursts_ger,
    [TCPLAN_GEMM] = &bursts_gemm,
    [TCPLAN_MUL] = &bursts_mul,
    [TCPLAN_BRGEMM] = &bursts_brgemm,
    [TCPLAN_LOOPS] = &bursts_loops,
};

/* clang-format on */

const struct kernel_bursts *kernel_bursts_of(enum tcplan_kernel kernel) {
    return bursts[kernel];
}
