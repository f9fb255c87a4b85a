#include "study/conformance/library.h"

/* A product of a CBLAS case has at most the indices a, b and c: D_ab = A_ac B_cb for gemm, D_a =
 * A_ac B_c for gemv, D_ab = A_a B_b for ger, D = A_c B_c for dot and D_a = A_a B for axpy. */

/** The arguments of a BLAS routine for a matrix. */
struct matrix {
    CBLAS_TRANSPOSE transpose; /* whether the matrix is transposed, relative to a matrix in the
                                  storage order of the call */
    int leading;
};

static struct matrix matrix_of(const struct product *product, int t) {
    const struct product_tensor *tensor = &product->tensor[t];
    const bool is_transposed = product->transposed >> t & 1;
    const CBLAS_TRANSPOSE transposed = tensor->op == TAPP_CONJUGATE ? CblasConjTrans : CblasTrans;
    return (struct matrix){.transpose = is_transposed ? transposed : CblasNoTrans,
                           .leading = (int)tensor->stride[is_transposed == product->is_row_major]};
}

/** The arguments of a BLAS routine for a vector. If the increment is negative, `at` is the lowest
 * address. */
struct vector {
    void *at;
    int increment;
};

static struct vector vector_of(const struct tensors *tensors, int t) {
    const struct product_tensor *tensor = &tensors->product->tensor[t];
    const int64_t stride = tensor->rank > 0 ? tensor->stride[0] : 1;
    return (struct vector){.at = stride < 0 ? (void *)tensors->tensor[t].memory
                                            : tensors_at(tensors, t),
                           .increment = (int)stride};
}

/** The arguments that routines have in common. */
struct call {
    const struct cblas_routines *cblas;
    const struct tensors *tensors;
    const struct product_tensor *A, *B, *D;
    TAPP_datatype type;
    CBLAS_ORDER order;
    double alpha[2], beta[2];
    float alpha_single[2], beta_single[2];
};

static void call_gemm(const struct call *call) {
    const struct cblas_routines *cblas = call->cblas;
    const struct product *product = call->tensors->product;
    const struct matrix A = matrix_of(product, PRODUCT_A), B = matrix_of(product, PRODUCT_B),
                        D = matrix_of(product, PRODUCT_D);
    const int m = (int)call->D->extent[0], n = (int)call->D->extent[1], k = (int)call->A->extent[1],
              ld = D.leading;
    const void *a = tensors_at(call->tensors, PRODUCT_A), *b = tensors_at(call->tensors, PRODUCT_B);
    void *d = tensors_at(call->tensors, PRODUCT_D);
    switch (call->type) {
    case TAPP_F32:
        cblas->sgemm(call->order, A.transpose, B.transpose, m, n, k, call->alpha_single[0], a,
                     A.leading, b, B.leading, call->beta_single[0], d, ld);
        return;
    case TAPP_F64:
        cblas->dgemm(call->order, A.transpose, B.transpose, m, n, k, call->alpha[0], a, A.leading,
                     b, B.leading, call->beta[0], d, ld);
        return;
    case TAPP_C32:
        cblas->cgemm(call->order, A.transpose, B.transpose, m, n, k, call->alpha_single, a,
                     A.leading, b, B.leading, call->beta_single, d, ld);
        return;
    default:
        cblas->zgemm(call->order, A.transpose, B.transpose, m, n, k, call->alpha, a, A.leading, b,
                     B.leading, call->beta, d, ld);
    }
}

static void call_gemv(const struct call *call) {
    const struct cblas_routines *cblas = call->cblas;
    const struct matrix A = matrix_of(call->tensors->product, PRODUCT_A);
    const bool is_transposed = A.transpose != CblasNoTrans;
    const int rows = (int)call->A->extent[is_transposed ? 1 : 0],
              columns = (int)call->A->extent[is_transposed ? 0 : 1];
    const struct vector x = vector_of(call->tensors, PRODUCT_B),
                        y = vector_of(call->tensors, PRODUCT_D);
    const void *a = tensors_at(call->tensors, PRODUCT_A);
    switch (call->type) {
    case TAPP_F32:
        cblas->sgemv(call->order, A.transpose, rows, columns, call->alpha_single[0], a, A.leading,
                     x.at, x.increment, call->beta_single[0], y.at, y.increment);
        return;
    case TAPP_F64:
        cblas->dgemv(call->order, A.transpose, rows, columns, call->alpha[0], a, A.leading, x.at,
                     x.increment, call->beta[0], y.at, y.increment);
        return;
    case TAPP_C32:
        cblas->cgemv(call->order, A.transpose, rows, columns, call->alpha_single, a, A.leading,
                     x.at, x.increment, call->beta_single, y.at, y.increment);
        return;
    default:
        cblas->zgemv(call->order, A.transpose, rows, columns, call->alpha, a, A.leading, x.at,
                     x.increment, call->beta, y.at, y.increment);
    }
}

static void call_ger(const struct call *call) {
    const struct cblas_routines *cblas = call->cblas;
    const int m = (int)call->D->extent[0], n = (int)call->D->extent[1],
              ld = matrix_of(call->tensors->product, PRODUCT_D).leading;
    const struct vector x = vector_of(call->tensors, PRODUCT_A),
                        y = vector_of(call->tensors, PRODUCT_B);
    const bool conjugates = call->B->op == TAPP_CONJUGATE;
    void *d = tensors_at(call->tensors, PRODUCT_D);
    switch (call->type) {
    case TAPP_F32:
        cblas->sger(call->order, m, n, call->alpha_single[0], x.at, x.increment, y.at, y.increment,
                    d, ld);
        return;
    case TAPP_F64:
        cblas->dger(call->order, m, n, call->alpha[0], x.at, x.increment, y.at, y.increment, d, ld);
        return;
    case TAPP_C32:
        (conjugates ? cblas->cgerc : cblas->cgeru)(call->order, m, n, call->alpha_single, x.at,
                                                   x.increment, y.at, y.increment, d, ld);
        return;
    default:
        (conjugates ? cblas->zgerc : cblas->zgeru)(call->order, m, n, call->alpha, x.at,
                                                   x.increment, y.at, y.increment, d, ld);
    }
}

static void call_dot(const struct call *call) {
    const struct cblas_routines *cblas = call->cblas;
    const int n = (int)call->A->extent[0];
    const struct vector x = vector_of(call->tensors, PRODUCT_A),
                        y = vector_of(call->tensors, PRODUCT_B);
    const bool conjugates = call->A->op == TAPP_CONJUGATE;
    void *d = tensors_at(call->tensors, PRODUCT_D);
    switch (call->type) {
    case TAPP_F32: *(float *)d = cblas->sdot(n, x.at, x.increment, y.at, y.increment); return;
    case TAPP_F64: *(double *)d = cblas->ddot(n, x.at, x.increment, y.at, y.increment); return;
    case TAPP_C32:
        (conjugates ? cblas->cdotc_sub : cblas->cdotu_sub)(n, x.at, x.increment, y.at, y.increment,
                                                           d);
        return;
    default:
        (conjugates ? cblas->zdotc_sub : cblas->zdotu_sub)(n, x.at, x.increment, y.at, y.increment,
                                                           d);
    }
}

static void call_axpy(const struct call *call) {
    const struct cblas_routines *cblas = call->cblas;
    const int n = (int)call->D->extent[0];
    const struct vector x = vector_of(call->tensors, PRODUCT_A),
                        y = vector_of(call->tensors, PRODUCT_D);
    const void *alpha = tensors_at(call->tensors, PRODUCT_B); /* factor B is a single element, which
                                                                 becomes part of alpha */
    switch (call->type) {
    case TAPP_F32:
        cblas->saxpy(n, *(const float *)alpha, x.at, x.increment, y.at, y.increment);
        return;
    case TAPP_F64:
        cblas->daxpy(n, *(const double *)alpha, x.at, x.increment, y.at, y.increment);
        return;
    case TAPP_C32: cblas->caxpy(n, alpha, x.at, x.increment, y.at, y.increment); return;
    default: cblas->zaxpy(n, alpha, x.at, x.increment, y.at, y.increment);
    }
}

void cblas_compute(const struct cblas_routines *cblas, struct tensors *tensors) {
    typedef void routine(const struct call *call);
    static routine *const routines[] = {[CBLAS_GEMM] = call_gemm,
                                        [CBLAS_GEMV] = call_gemv,
                                        [CBLAS_GER] = call_ger,
                                        [CBLAS_DOT] = call_dot,
                                        [CBLAS_AXPY] = call_axpy};
    const struct product *product = tensors->product;
    const struct call call = {
        .cblas = cblas,
        .tensors = tensors,
        .A = &product->tensor[PRODUCT_A],
        .B = &product->tensor[PRODUCT_B],
        .D = &product->tensor[PRODUCT_D],
        .type = product->tensor[PRODUCT_D].type,
        .order = product->is_row_major ? CblasRowMajor : CblasColMajor,
        .alpha = {creal(product->alpha), cimag(product->alpha)},
        .beta = {creal(product->beta), cimag(product->beta)},
        .alpha_single = {(float)creal(product->alpha), (float)cimag(product->alpha)},
        .beta_single = {(float)creal(product->beta), (float)cimag(product->beta)}};
    routines[product->routine](&call);
}
