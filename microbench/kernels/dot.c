#include "microbench/predict/kernel_bursts.h"

/* Calls dot and applies alpha and beta to the returned sum. */

static inline void call_sdot(const struct kernel *k, struct kernel_operands at) {
    float sum = k->cblas->sdot(k->call.m, (const float *)at.first, k->call.ld[0],
                               (const float *)at.second, k->call.ld[1]);
    float *result = (float *)at.result;
    if (!k->alpha_is_one) sum *= k->alpha.s;
    *result = k->beta_is_zero ? sum : k->beta_is_one ? *result + sum : k->beta.s * *result + sum;
}

static inline void call_ddot(const struct kernel *k, struct kernel_operands at) {
    double sum = k->cblas->ddot(k->call.m, (const double *)at.first, k->call.ld[0],
                                (const double *)at.second, k->call.ld[1]);
    double *result = (double *)at.result;
    if (!k->alpha_is_one) sum *= k->alpha.d;
    *result = k->beta_is_zero ? sum : k->beta_is_one ? *result + sum : k->beta.d * *result + sum;
}

static inline void call_cdotu(const struct kernel *k, struct kernel_operands at) {
    const bool *conjugated = k->call.conjugated;
    float sum[2];
    if (conjugated[0] == conjugated[1]) {
        k->cblas->cdotu_sub(k->dot_length, at.first, k->call.ld[0], at.second, k->call.ld[1], sum);
    } else if (conjugated[0]) {
        k->cblas->cdotc_sub(k->dot_length, at.first, k->call.ld[0], at.second, k->call.ld[1], sum);
    } else {
        k->cblas->cdotc_sub(k->dot_length, at.second, k->call.ld[1], at.first, k->call.ld[0], sum);
    }
    const bool both = conjugated[0] && conjugated[1];
    if (k->dot_length < k->call.m) {
        const float *x = (const float *)at.first + k->last_element[0];
        const float *y = (const float *)at.second + k->last_element[1];
        const float x_im = conjugated[0] && !both ? -x[1] : x[1];
        const float y_im = conjugated[1] && !both ? -y[1] : y[1];
        sum[0] += x[0] * y[0] - x_im * y_im;
        sum[1] += x[0] * y_im + x_im * y[0];
    }
    if (both) sum[1] = -sum[1];
    float *result = (float *)at.result;
    const float *a = k->alpha.c;
    const float *b = k->beta.c;
    const float old[2] = {k->beta_is_zero ? 0 : result[0], k->beta_is_zero ? 0 : result[1]};
    result[0] = a[0] * sum[0] - a[1] * sum[1] + b[0] * old[0] - b[1] * old[1];
    result[1] = a[0] * sum[1] + a[1] * sum[0] + b[0] * old[1] + b[1] * old[0];
}

static inline void call_zdotu(const struct kernel *k, struct kernel_operands at) {
    const bool *conjugated = k->call.conjugated;
    double sum[2];
    if (conjugated[0] == conjugated[1]) {
        k->cblas->zdotu_sub(k->dot_length, at.first, k->call.ld[0], at.second, k->call.ld[1], sum);
    } else if (conjugated[0]) {
        k->cblas->zdotc_sub(k->dot_length, at.first, k->call.ld[0], at.second, k->call.ld[1], sum);
    } else {
        k->cblas->zdotc_sub(k->dot_length, at.second, k->call.ld[1], at.first, k->call.ld[0], sum);
    }
    const bool both = conjugated[0] && conjugated[1];
    if (k->dot_length < k->call.m) {
        const double *x = (const double *)at.first + k->last_element[0];
        const double *y = (const double *)at.second + k->last_element[1];
        const double x_im = conjugated[0] && !both ? -x[1] : x[1];
        const double y_im = conjugated[1] && !both ? -y[1] : y[1];
        sum[0] += x[0] * y[0] - x_im * y_im;
        sum[1] += x[0] * y_im + x_im * y[0];
    }
    if (both) sum[1] = -sum[1];
    double *result = (double *)at.result;
    const double *a = k->alpha.z;
    const double *b = k->beta.z;
    const double old[2] = {k->beta_is_zero ? 0 : result[0], k->beta_is_zero ? 0 : result[1]};
    result[0] = a[0] * sum[0] - a[1] * sum[1] + b[0] * old[0] - b[1] * old[1];
    result[1] = a[0] * sum[1] + a[1] * sum[0] + b[0] * old[1] + b[1] * old[0];
}

KERNEL_BURST(sdot)
KERNEL_BURST(ddot)
KERNEL_BURST(cdotu)
KERNEL_BURST(zdotu)

static void prepare(struct kernel *kernel, enum tcplan_dtype dtype) {
    const struct blas_call *call = &kernel->call;
    kernel->dot_length = blas_call_spares_last(call, dtype) ? call->m - 1 : call->m;
    for (int v = 0; v < 2; v++)
        kernel->last_element[v] = 2 * (ptrdiff_t)(call->m - 1) * call->ld[v];
}

static double elements(const struct blas_call *call) {
    return (double)call->m * (call->ld[0] > call->ld[1] ? call->ld[0] : call->ld[1]);
}

static void pack(struct blas_call *call) {
    for (int v = 0; v < 2; v++)
        call->ld[v] = call->ld[v] < KERNEL_PACKED_INCREMENT ? call->ld[v] : KERNEL_PACKED_INCREMENT;
}

KERNEL_BURSTS(dot, KERNEL_COST(16, 7, 0, 0, 0),
              KERNEL_ROUTINES(burst_sdot, burst_ddot, burst_cdotu, burst_zdotu), .prepare = prepare,
              .elements = elements, .pack = pack);
