#include <pthread.h>
#include <string.h>

#include "microbench/cblas_routines.h"
#include "microbench/kernels.h"
#include "microbench/providers.h"

/** One call; inlined into the burst of its routine, so that a step costs what a compiled loop around CBLAS costs. */
typedef void call_fn(const struct kernel *kernel, struct kernel_operands at);

static inline __attribute__((always_inline)) void repeat(call_fn *call, const struct kernel *kernel, struct kernel_operands at,
                                                         struct kernel_steps steps, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        call(kernel, at);
        at.first += steps.first;
        at.second += steps.second;
        at.result += steps.result;
    }
}

/* dot: the routine returns the sum; alpha, beta and the result are ours. */

static inline void call_sdot(const struct kernel *k, struct kernel_operands at) {
    float sum = k->cblas->sdot(k->call.m, (const float *)at.first, k->call.ld[0], (const float *)at.second, k->call.ld[1]);
    float *result = (float *)at.result;
    if (!k->alpha_is_one) sum *= k->alpha.s;
    *result = k->beta_is_zero ? sum : k->beta_is_one ? *result + sum : k->beta.s * *result + sum;
}

static inline void call_ddot(const struct kernel *k, struct kernel_operands at) {
    double sum = k->cblas->ddot(k->call.m, (const double *)at.first, k->call.ld[0], (const double *)at.second, k->call.ld[1]);
    double *result = (double *)at.result;
    if (!k->alpha_is_one) sum *= k->alpha.d;
    *result = k->beta_is_zero ? sum : k->beta_is_one ? *result + sum : k->beta.d * *result + sum;
}

static inline void call_cdotu(const struct kernel *k, struct kernel_operands at) {
    float sum[2];
    k->cblas->cdotu_sub(k->dot_length, at.first, k->call.ld[0], at.second, k->call.ld[1], sum);
    if (k->dot_length < k->call.m) {
        const float *x = (const float *)at.first + k->last_element[0];
        const float *y = (const float *)at.second + k->last_element[1];
        sum[0] += x[0] * y[0] - x[1] * y[1];
        sum[1] += x[0] * y[1] + x[1] * y[0];
    }
    float *result = (float *)at.result;
    const float *a = k->alpha.c;
    const float *b = k->beta.c;
    const float old[2] = {k->beta_is_zero ? 0 : result[0], k->beta_is_zero ? 0 : result[1]};
    result[0] = a[0] * sum[0] - a[1] * sum[1] + b[0] * old[0] - b[1] * old[1];
    result[1] = a[0] * sum[1] + a[1] * sum[0] + b[0] * old[1] + b[1] * old[0];
}

static inline void call_zdotu(const struct kernel *k, struct kernel_operands at) {
    double sum[2];
    k->cblas->zdotu_sub(k->dot_length, at.first, k->call.ld[0], at.second, k->call.ld[1], sum);
    if (k->dot_length < k->call.m) {
        const double *x = (const double *)at.first + k->last_element[0];
        const double *y = (const double *)at.second + k->last_element[1];
        sum[0] += x[0] * y[0] - x[1] * y[1];
        sum[1] += x[0] * y[1] + x[1] * y[0];
    }
    double *result = (double *)at.result;
    const double *a = k->alpha.z;
    const double *b = k->beta.z;
    const double old[2] = {k->beta_is_zero ? 0 : result[0], k->beta_is_zero ? 0 : result[1]};
    result[0] = a[0] * sum[0] - a[1] * sum[1] + b[0] * old[0] - b[1] * old[1];
    result[1] = a[0] * sum[1] + a[1] * sum[0] + b[0] * old[1] + b[1] * old[0];
}

/* axpy: the scalar is alpha times one element of the other operand. */

static inline void call_saxpy(const struct kernel *k, struct kernel_operands at) {
    float scalar = k->alpha.s * *(const float *)at.second;
    k->cblas->saxpy(k->call.m, scalar, (const float *)at.first, k->call.ld[0], (float *)at.result, k->call.ld[2]);
}

static inline void call_daxpy(const struct kernel *k, struct kernel_operands at) {
    double scalar = k->alpha.d * *(const double *)at.second;
    k->cblas->daxpy(k->call.m, scalar, (const double *)at.first, k->call.ld[0], (double *)at.result, k->call.ld[2]);
}

static inline void call_caxpy(const struct kernel *k, struct kernel_operands at) {
    const float *x = (const float *)at.second;
    const float *a = k->alpha.c;
    const float scalar[2] = {a[0] * x[0] - a[1] * x[1], a[0] * x[1] + a[1] * x[0]};
    k->cblas->caxpy(k->call.m, scalar, at.first, k->call.ld[0], at.result, k->call.ld[2]);
}

static inline void call_zaxpy(const struct kernel *k, struct kernel_operands at) {
    const double *x = (const double *)at.second;
    const double *a = k->alpha.z;
    const double scalar[2] = {a[0] * x[0] - a[1] * x[1], a[0] * x[1] + a[1] * x[0]};
    k->cblas->zaxpy(k->call.m, scalar, at.first, k->call.ld[0], at.result, k->call.ld[2]);
}

static inline CBLAS_TRANSPOSE transposition(const struct kernel *k, int operand) {
    return k->call.transposed[operand] ? CblasTrans : CblasNoTrans;
}

static inline void call_sgemv(const struct kernel *k, struct kernel_operands at) {
    k->cblas->sgemv(CblasColMajor, transposition(k, 0), k->call.m, k->call.n, k->alpha.s, (const float *)at.first, k->call.ld[0],
                    (const float *)at.second, k->call.ld[1], k->beta.s, (float *)at.result, k->call.ld[2]);
}

static inline void call_dgemv(const struct kernel *k, struct kernel_operands at) {
    k->cblas->dgemv(CblasColMajor, transposition(k, 0), k->call.m, k->call.n, k->alpha.d, (const double *)at.first, k->call.ld[0],
                    (const double *)at.second, k->call.ld[1], k->beta.d, (double *)at.result, k->call.ld[2]);
}

static inline void call_cgemv(const struct kernel *k, struct kernel_operands at) {
    k->cblas->cgemv(CblasColMajor, transposition(k, 0), k->call.m, k->call.n, &k->alpha, at.first, k->call.ld[0], at.second, k->call.ld[1],
                    &k->beta, at.result, k->call.ld[2]);
}

static inline void call_zgemv(const struct kernel *k, struct kernel_operands at) {
    k->cblas->zgemv(CblasColMajor, transposition(k, 0), k->call.m, k->call.n, &k->alpha, at.first, k->call.ld[0], at.second, k->call.ld[1],
                    &k->beta, at.result, k->call.ld[2]);
}

static inline void call_sger(const struct kernel *k, struct kernel_operands at) {
    k->cblas->sger(CblasColMajor, k->call.m, k->call.n, k->alpha.s, (const float *)at.first, k->call.ld[0], (const float *)at.second,
                   k->call.ld[1], (float *)at.result, k->call.ld[2]);
}

static inline void call_dger(const struct kernel *k, struct kernel_operands at) {
    k->cblas->dger(CblasColMajor, k->call.m, k->call.n, k->alpha.d, (const double *)at.first, k->call.ld[0], (const double *)at.second,
                   k->call.ld[1], (double *)at.result, k->call.ld[2]);
}

static inline void call_cgeru(const struct kernel *k, struct kernel_operands at) {
    k->cblas->cgeru(CblasColMajor, k->call.m, k->call.n, &k->alpha, at.first, k->call.ld[0], at.second, k->call.ld[1], at.result,
                    k->call.ld[2]);
}

static inline void call_zgeru(const struct kernel *k, struct kernel_operands at) {
    k->cblas->zgeru(CblasColMajor, k->call.m, k->call.n, &k->alpha, at.first, k->call.ld[0], at.second, k->call.ld[1], at.result,
                    k->call.ld[2]);
}

static inline void call_sgemm(const struct kernel *k, struct kernel_operands at) {
    k->cblas->sgemm(CblasColMajor, transposition(k, 0), transposition(k, 1), k->call.m, k->call.n, k->call.k, k->alpha.s,
                    (const float *)at.first, k->call.ld[0], (const float *)at.second, k->call.ld[1], k->beta.s, (float *)at.result,
                    k->call.ld[2]);
}

static inline void call_dgemm(const struct kernel *k, struct kernel_operands at) {
    k->cblas->dgemm(CblasColMajor, transposition(k, 0), transposition(k, 1), k->call.m, k->call.n, k->call.k, k->alpha.d,
                    (const double *)at.first, k->call.ld[0], (const double *)at.second, k->call.ld[1], k->beta.d, (double *)at.result,
                    k->call.ld[2]);
}

static inline void call_cgemm(const struct kernel *k, struct kernel_operands at) {
    k->cblas->cgemm(CblasColMajor, transposition(k, 0), transposition(k, 1), k->call.m, k->call.n, k->call.k, &k->alpha, at.first,
                    k->call.ld[0], at.second, k->call.ld[1], &k->beta, at.result, k->call.ld[2]);
}

static inline void call_zgemm(const struct kernel *k, struct kernel_operands at) {
    k->cblas->zgemm(CblasColMajor, transposition(k, 0), transposition(k, 1), k->call.m, k->call.n, k->call.k, &k->alpha, at.first,
                    k->call.ld[0], at.second, k->call.ld[1], &k->beta, at.result, k->call.ld[2]);
}

/** The burst of one routine: a loop around its call, which is known at compile time. */
#define BURST(routine)                                                                                                                     \
    static void burst_##routine(const struct kernel *kernel, struct kernel_operands at, struct kernel_steps steps, int64_t count) {        \
        repeat(call_##routine, kernel, at, steps, count);                                                                                  \
    }

BURST(sdot)
BURST(ddot)
BURST(cdotu)
BURST(zdotu)
BURST(saxpy)
BURST(daxpy)
BURST(caxpy)
BURST(zaxpy)
BURST(sgemv)
BURST(dgemv)
BURST(cgemv)
BURST(zgemv)
BURST(sger)
BURST(dger)
BURST(cgeru)
BURST(zgeru)
BURST(sgemm)
BURST(dgemm)
BURST(cgemm)
BURST(zgemm)

/** The table: one row per kernel, one column per type, in the order of enum tcplan_dtype. */
static kernel_burst_fn *const bursts[TCPLAN_KERNELS][TCPLAN_DTYPES] = {
    [TCPLAN_DOT] = {burst_sdot, burst_ddot, burst_cdotu, burst_zdotu},
    [TCPLAN_AXPY] = {burst_saxpy, burst_daxpy, burst_caxpy, burst_zaxpy},
    [TCPLAN_GEMV] = {burst_sgemv, burst_dgemv, burst_cgemv, burst_zgemv},
    [TCPLAN_GER] = {burst_sger, burst_dger, burst_cgeru, burst_zgeru},
    [TCPLAN_GEMM] = {burst_sgemm, burst_dgemm, burst_cgemm, burst_zgemm},
};

void cblas_bind(struct kernel *kernel, enum tcplan_dtype dtype, const struct cblas_routines *routines) {
    kernel->cblas = routines;
    kernel->burst = bursts[kernel->call.kernel][dtype];
}

/* The library that tcplan is linked with. */

static const struct cblas_routines linked = {.sdot = cblas_sdot,
                                             .ddot = cblas_ddot,
                                             .cdotu_sub = cblas_cdotu_sub,
                                             .zdotu_sub = cblas_zdotu_sub,
                                             .saxpy = cblas_saxpy,
                                             .daxpy = cblas_daxpy,
                                             .caxpy = cblas_caxpy,
                                             .zaxpy = cblas_zaxpy,
                                             .sgemv = cblas_sgemv,
                                             .dgemv = cblas_dgemv,
                                             .cgemv = cblas_cgemv,
                                             .zgemv = cblas_zgemv,
                                             .sger = cblas_sger,
                                             .dger = cblas_dger,
                                             .cgeru = cblas_cgeru,
                                             .zgeru = cblas_zgeru,
                                             .sgemm = cblas_sgemm,
                                             .dgemm = cblas_dgemm,
                                             .cgemm = cblas_cgemm,
                                             .zgemm = cblas_zgemm};

static bool bind_linked(struct kernel *kernel, enum tcplan_dtype dtype) {
    cblas_bind(kernel, dtype, &linked);
    return true;
}

static char linked_version[32];

static void read_linked_version(void) {
    openblas_version(linked_version, sizeof linked_version, openblas_get_config());
}

static bool find_linked(struct tcplan_provider_info *out, enum tcplan_provider provider) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)provider;
    pthread_once(&once, read_linked_version);
    *out = (struct tcplan_provider_info){.name = "OpenBLAS", .version = linked_version, .core = openblas_get_corename()};
    return true;
}

const struct provider provider_linked = {.find = find_linked, .bind = bind_linked, .set_threads = openblas_set_num_threads};

void openblas_version(char *out, size_t size, const char *config) {
    const char *space = strchr(config, ' ');
    const char *start = space ? space + 1 : config;
    size_t length = strcspn(start, " ");
    if (length >= size) length = size - 1;
    memcpy(out, start, length);
    out[length] = '\0';
}
