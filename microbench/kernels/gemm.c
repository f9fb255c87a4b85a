#include "gen/providers/provider.h"
#include "microbench/predict/kernel_bursts.h"

static inline void call_sgemm(const struct kernel *k, struct kernel_operands at) {
    k->cblas->sgemm(CblasColMajor, kernel_transposition(k, 0), kernel_transposition(k, 1),
                    k->call.m, k->call.n, k->call.k, k->alpha.s, (const float *)at.first,
                    k->call.ld[0], (const float *)at.second, k->call.ld[1], k->beta.s,
                    (float *)at.result, k->call.ld[2]);
}

static inline void call_dgemm(const struct kernel *k, struct kernel_operands at) {
    k->cblas->dgemm(CblasColMajor, kernel_transposition(k, 0), kernel_transposition(k, 1),
                    k->call.m, k->call.n, k->call.k, k->alpha.d, (const double *)at.first,
                    k->call.ld[0], (const double *)at.second, k->call.ld[1], k->beta.d,
                    (double *)at.result, k->call.ld[2]);
}

static inline void call_cgemm(const struct kernel *k, struct kernel_operands at) {
    k->cblas->cgemm(CblasColMajor, kernel_transposition(k, 0), kernel_transposition(k, 1),
                    k->call.m, k->call.n, k->call.k, &k->alpha, at.first, k->call.ld[0], at.second,
                    k->call.ld[1], &k->beta, at.result, k->call.ld[2]);
}

static inline void call_zgemm(const struct kernel *k, struct kernel_operands at) {
    k->cblas->zgemm(CblasColMajor, kernel_transposition(k, 0), kernel_transposition(k, 1),
                    k->call.m, k->call.n, k->call.k, &k->alpha, at.first, k->call.ld[0], at.second,
                    k->call.ld[1], &k->beta, at.result, k->call.ld[2]);
}

KERNEL_BURST(sgemm)
KERNEL_BURST(dgemm)
KERNEL_BURST(cgemm)
KERNEL_BURST(zgemm)

static void pack(struct blas_call *call) {
    call->ld[0] = kernel_packed_ld(call->ld[0], call->transposed[0] ? call->k : call->m);
    call->ld[1] = kernel_packed_ld(call->ld[1], call->transposed[1] ? call->n : call->k);
    call->ld[2] = kernel_packed_ld(call->ld[2], call->m);
    for (int s = 0; s < 3; s++) call->split[s].count = 0;
    blas_call_set_strides(call);
}

KERNEL_BURSTS(gemm, KERNEL_COST(130, 1, 4, 3, 7),
              KERNEL_ROUTINES(burst_sgemm, burst_dgemm, burst_cgemm, burst_zgemm), .pack = pack);
