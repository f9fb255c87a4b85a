/*
 * contraction: C_ab=A_ak*B_kb
 * sizes: a=64,b=64,k=37
 * type: double
 * storage: column-major: the first index is contiguous
 * algorithm: b:8.k:8=-dgemm@libxsmm
 *
 * for b = 1:8:b
 *   for k = 1:8:k
 *     dgemm_NN@libxsmm: C[:,b:b+7] += A[:,k:k+7] B[k:k+7,b:b+7] (:= where k = 1)
 *
 * The tensors are dense; C must not overlap A or B, which may overlap each other:
 *
 *   A = A[a,k]: 64 x 37, strides 1, 64
 *   B = B[k,b]: 37 x 64, strides 1, 37
 *   C = C[a,b]: 64 x 64, strides 1, 64
 *
 * Where libxsmm makes no code for the machine, the BLAS makes the calls.
 *
 * Returns 0.
 *
 * Emitted by tcplan @VERSION@.
 * link: -lxsmm -lopenblas -lpthread -lrt -ldl -lm
 */
#include <stddef.h>

#include <cblas.h>
#include <libxsmm.h>

int contract(const double *A, const double *B, double *C) {
    const double alpha = 1.0, first = 0.0, later = 1.0;
    const libxsmm_blasint lda = 64, ldb = 37, ldc = 64;
    const int flags = LIBXSMM_GEMM_FLAG_NONE, prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
    const libxsmm_dmmfunction_reducebatch_strd kernel[4] = {
        libxsmm_dmmdispatch_reducebatch_strd(64, 8, 8, 4096, 64, &lda, &ldb, &ldc, &alpha, &first, &flags, &prefetch),
        libxsmm_dmmdispatch_reducebatch_strd(64, 8, 5, 4096, 64, &lda, &ldb, &ldc, &alpha, &first, &flags, &prefetch),
        libxsmm_dmmdispatch_reducebatch_strd(64, 8, 8, 4096, 64, &lda, &ldb, &ldc, &alpha, &later, &flags, &prefetch),
        libxsmm_dmmdispatch_reducebatch_strd(64, 8, 5, 4096, 64, &lda, &ldb, &ldc, &alpha, &later, &flags, &prefetch)};
    int has_kernels = 1;
    for (int j = 0; j < 4; j++) has_kernels = has_kernels && kernel[j];
    for (ptrdiff_t s_b = 0; s_b < 8; s_b++) { /* b in steps of 8 */
        if (has_kernels) {
            for (ptrdiff_t s_k = 0; s_k < 5; s_k += 4) { /* k in steps of 8: 4 of them, then the last */
                const int n_k = s_k < 4 ? 8 : 5;
                kernel[(n_k < 8) + 2 * !(s_k == 0)](A + 512 * s_k, B + 296 * s_b + 8 * s_k, C + 512 * s_b,
                       &(const unsigned long long){s_k < 4 ? 4 : 1});
            }
        } else {
            for (ptrdiff_t s_k = 0; s_k < 5; s_k++) { /* k in steps of 8 */
                const int n_k = s_k < 4 ? 8 : 5;
                const double beta = s_k == 0 ? 0.0 : 1.0;
                cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 64, 8, n_k,
                            1.0, A + 512 * s_k, 64, B + 296 * s_b + 8 * s_k, 37,
                            beta, C + 512 * s_b, 64);
            }
        }
    }
    return 0;
}
