#include "microbench/predict/kernel_bursts.h"

/* Calls axpy, whose scalar is alpha times an element of one operand. */

static inline void call_saxpy(const struct kernel *k, struct kernel_operands at) {
    float scalar = k->alpha.s * *(const float *)at.second;
    k->cblas->saxpy(k->call.m, scalar, (const float *)at.first, k->call.ld[0], (float *)at.result,
                    k->call.ld[2]);
}

static inline void call_daxpy(const struct kernel *k, struct kernel_operands at) {
    double scalar = k->alpha.d * *(const double *)at.second;
    k->cblas->daxpy(k->call.m, scalar, (const double *)at.first, k->call.ld[0], (double *)at.result,
                    k->call.ld[2]);
}

static inline void call_caxpy(const struct kernel *k, struct kernel_operands at) {
    const float *x = (const float *)at.second;
    const float *a = k->alpha.c;
    const float im = k->call.conjugated[1] ? -x[1] : x[1];
    const float scalar[2] = {a[0] * x[0] - a[1] * im, a[0] * im + a[1] * x[0]};
    k->cblas->caxpy(k->call.m, scalar, at.first, k->call.ld[0], at.result, k->call.ld[2]);
}

static inline void call_zaxpy(const struct kernel *k, struct kernel_operands at) {
    const double *x = (const double *)at.second;
    const double *a = k->alpha.z;
    const double im = k->call.conjugated[1] ? -x[1] : x[1];
    const double scalar[2] = {a[0] * x[0] - a[1] * im, a[0] * im + a[1] * x[0]};
    k->cblas->zaxpy(k->call.m, scalar, at.first, k->call.ld[0], at.result, k->call.ld[2]);
}

KERNEL_BURST(saxpy)
KERNEL_BURST(daxpy)
KERNEL_BURST(caxpy)
KERNEL_BURST(zaxpy)

static double elements(const struct blas_call *call) {
    return (double)call->m * (call->ld[0] > call->ld[2] ? call->ld[0] : call->ld[2]);
}

static void pack(struct blas_call *call) {
    for (int v = 0; v < 3; v += 2)
        call->ld[v] = call->ld[v] < KERNEL_PACKED_INCREMENT ? call->ld[v] : KERNEL_PACKED_INCREMENT;
}

KERNEL_BURSTS(axpy, KERNEL_COST(12, 14, 0, 0, 0),
              KERNEL_ROUTINES(burst_saxpy, burst_daxpy, burst_caxpy, burst_zaxpy), .pack = pack,
              .elements = elements);
