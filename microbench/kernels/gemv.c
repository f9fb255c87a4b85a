#include "microbench/predict/kernel_bursts.h"

static inline void call_sgemv(const struct kernel *k, struct kernel_operands at) {
    k->cblas->sgemv(CblasColMajor, kernel_transposition(k, 0), k->call.m, k->call.n, k->alpha.s,
                    (const float *)at.first, k->call.ld[0], (const float *)at.second, k->call.ld[1],
                    k->beta.s, (float *)at.result, k->call.ld[2]);
}

static inline void call_dgemv(const struct kernel *k, struct kernel_operands at) {
    k->cblas->dgemv(CblasColMajor, kernel_transposition(k, 0), k->call.m, k->call.n, k->alpha.d,
                    (const double *)at.first, k->call.ld[0], (const double *)at.second,
                    k->call.ld[1], k->beta.d, (double *)at.result, k->call.ld[2]);
}

static inline void call_cgemv(const struct kernel *k, struct kernel_operands at) {
    k->cblas->cgemv(CblasColMajor, kernel_transposition(k, 0), k->call.m, k->call.n, &k->alpha,
                    at.first, k->call.ld[0], at.second, k->call.ld[1], &k->beta, at.result,
                    k->call.ld[2]);
}

static inline void call_zgemv(const struct kernel *k, struct kernel_operands at) {
    k->cblas->zgemv(CblasColMajor, kernel_transposition(k, 0), k->call.m, k->call.n, &k->alpha,
                    at.first, k->call.ld[0], at.second, k->call.ld[1], &k->beta, at.result,
                    k->call.ld[2]);
}

KERNEL_BURST(sgemv)
KERNEL_BURST(dgemv)
KERNEL_BURST(cgemv)
KERNEL_BURST(zgemv)

static void pack(struct blas_call *call) {
    call->ld[0] = kernel_packed_ld(call->ld[0], call->m);
    call->ld[1] = call->ld[2] = 1;
}

KERNEL_BURSTS(gemv, KERNEL_COST(45, 3, 45, 7, 0),
              KERNEL_ROUTINES(burst_sgemv, burst_dgemv, burst_cgemv, burst_zgemv), .pack = pack);
