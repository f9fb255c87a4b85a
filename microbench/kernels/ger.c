#include "microbench/predict/kernel_bursts.h"

static inline void call_sger(const struct kernel *k, struct kernel_operands at) {
    k->cblas->sger(CblasColMajor, k->call.m, k->call.n, k->alpha.s, (const float *)at.first,
                   k->call.ld[0], (const float *)at.second, k->call.ld[1], (float *)at.result,
                   k->call.ld[2]);
}

static inline void call_dger(const struct kernel *k, struct kernel_operands at) {
    k->cblas->dger(CblasColMajor, k->call.m, k->call.n, k->alpha.d, (const double *)at.first,
                   k->call.ld[0], (const double *)at.second, k->call.ld[1], (double *)at.result,
                   k->call.ld[2]);
}

static inline void call_cgeru(const struct kernel *k, struct kernel_operands at) {
    if (k->call.conjugated[1]) {
        k->cblas->cgerc(CblasColMajor, k->call.m, k->call.n, &k->alpha, at.first, k->call.ld[0],
                        at.second, k->call.ld[1], at.result, k->call.ld[2]);
        return;
    }
    k->cblas->cgeru(CblasColMajor, k->call.m, k->call.n, &k->alpha, at.first, k->call.ld[0],
                    at.second, k->call.ld[1], at.result, k->call.ld[2]);
}

static inline void call_zgeru(const struct kernel *k, struct kernel_operands at) {
    if (k->call.conjugated[1]) {
        k->cblas->zgerc(CblasColMajor, k->call.m, k->call.n, &k->alpha, at.first, k->call.ld[0],
                        at.second, k->call.ld[1], at.result, k->call.ld[2]);
        return;
    }
    k->cblas->zgeru(CblasColMajor, k->call.m, k->call.n, &k->alpha, at.first, k->call.ld[0],
                    at.second, k->call.ld[1], at.result, k->call.ld[2]);
}

KERNEL_BURST(sger)
KERNEL_BURST(dger)
KERNEL_BURST(cgeru)
KERNEL_BURST(zgeru)

static void pack(struct blas_call *call) {
    call->ld[0] = call->ld[1] = 1;
    call->ld[2] = kernel_packed_ld(call->ld[2], call->m);
}

KERNEL_BURSTS(ger, KERNEL_COST(10, 3, 300, 0, 0),
              KERNEL_ROUTINES(burst_sger, burst_dger, burst_cgeru, burst_zgeru), .pack = pack);
