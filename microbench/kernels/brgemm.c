/*
 * Computes a sum of products by one BLAS call for each product; the first call applies beta.
 * libxsmm needs only one call for the sum (providers/libxsmm.c).
 */
#include "microbench/predict/kernel_bursts.h"

/** Computes one sum of products: `first` calls the first product, `later` the other products. */
static void add_up(const struct kernel *first, const struct kernel *later,
                   struct kernel_operands at, ptrdiff_t element_bytes) {
    const struct kernel_steps step = {
        .first = (ptrdiff_t)first->call.product_elems[0] * element_bytes,
        .second = (ptrdiff_t)first->call.product_elems[1] * element_bytes};
    first->burst(first, at, step, 1);
    at.first += step.first;
    at.second += step.second;
    later->burst(later, at, step, first->call.products - 1);
}

static void add_up_all(struct kernel first, union kernel_scalar one, enum tcplan_dtype dtype,
                       struct kernel_operands at, struct kernel_steps steps, int64_t count) {
    first.burst = kernel_bursts_of(TCPLAN_GEMM)->burst[dtype];
    struct kernel later = first;
    later.beta = one;
    for (int64_t i = 0; i < count; i++) {
        add_up(&first, &later, at, (ptrdiff_t)tcplan_dtype_bytes(dtype));
        at.first += steps.first;
        at.second += steps.second;
        at.result += steps.result;
    }
}

static void burst_s(const struct kernel *kernel, struct kernel_operands at,
                    struct kernel_steps steps, int64_t count) {
    add_up_all(*kernel, (union kernel_scalar){.s = 1}, TCPLAN_FLOAT, at, steps, count);
}

static void burst_d(const struct kernel *kernel, struct kernel_operands at,
                    struct kernel_steps steps, int64_t count) {
    add_up_all(*kernel, (union kernel_scalar){.d = 1}, TCPLAN_DOUBLE, at, steps, count);
}

/** Makes all products of a sum use the same factors. */
static void pack(struct blas_call *call) {
    kernel_bursts_of(TCPLAN_GEMM)->pack(call);
    call->product_elems[0] = call->product_elems[1] = 0;
}

KERNEL_BURSTS(brgemm, KERNEL_COST(25, 1, 10, 3, 0), KERNEL_ROUTINES(burst_s, burst_d, NULL, NULL),
              .pack = pack);
