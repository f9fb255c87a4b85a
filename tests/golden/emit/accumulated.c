/*
 * contraction: C_ab=A_ak*B_kb-0.5*C_ab
 * sizes: a=30,b=40,k=50
 * type: double _Complex
 * storage: row-major: the last index is contiguous
 * algorithm: a:8.k:16='A-zgemm
 *
 * for a = 1:8:a
 *   for k = 1:16:k
 *     A~[:k',:a'] := A[a:a+7,k:k+15]
 *     zgemm_TN: C[a:a+7,:] += A~[:k',:a']^T B[k:k+15,:] (to -0.5 C[a:a+7,:] where k = 1)
 *
 * The tensors are dense; C must not overlap A or B, which may overlap each other:
 *
 *   A = A[a,k]: 30 x 50, strides 50, 1
 *   B = B[k,b]: 50 x 40, strides 40, 1
 *   C = C[a,b]: 30 x 40, strides 40, 1
 *
 * Planned for 1 thread of the BLAS.
 *
 * Returns 0, or ENOMEM when a temporary cannot be allocated; C is then untouched.
 *
 * Emitted by tcplan @VERSION@.
 * link: -lopenblas
 */
#include <complex.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include <cblas.h>

int contract(const double _Complex *A, const double _Complex *B, double _Complex *C) {
    const double _Complex alpha = 1.0;
    double _Complex *A_copy = aligned_alloc(64, 2048);
    if (!A_copy) {
        free(A_copy);
        return ENOMEM;
    }
    for (ptrdiff_t s_a = 0; s_a < 4; s_a++) { /* a in steps of 8 */
        const int n_a = s_a < 3 ? 8 : 6;
        for (ptrdiff_t s_k = 0; s_k < 4; s_k++) { /* k in steps of 16 */
            const int n_k = s_k < 3 ? 16 : 2;
            copy_z_block(A_copy, A + 400 * s_a + 16 * s_k, 2, (const struct copy_z_dimension[]){{n_a, 1, 50}, {n_k, 8, 1}}, 0, 0.0, NULL);
            const double _Complex beta = s_k == 0 ? -0.5 : 1.0;
            cblas_zgemm(CblasColMajor, CblasNoTrans, CblasTrans, 40, n_a, n_k,
                        &alpha, B + 640 * s_k, 40, A_copy, 8,
                        &beta, C + 320 * s_a, 40);
        }
    }
    copy_z_fence();
    free(A_copy);
    return 0;
}
