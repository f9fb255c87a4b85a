/*
 * contraction: C_mn+=A_mk*B_kn
 * sizes: m=100,n=1030,k=300
 * type: double
 * storage: column-major: the first index is contiguous
 * algorithm: n:512.k:256'Btp+4.m:96'Ap.n:8.m:16-dgemm
 *
 * for n = 1:512:n
 *   for k = 1:256:k
 *     B~[:n'',:k',:n'] := B[k:k+255,n:n+511] (padded by 4)
 *     for m = 1:96:m
 *       A~[:m'',:k',:m'] := A[m:m+95,k:k+255]
 *       for n' = n:8:n+511
 *         for m' = m:16:m+95
 *           dgemm_NT: C[m':m'+15,n':n'+7] += A~[:m'',:k',m'] B~[:n'',:k',n']^T
 *
 * The tensors are dense; C must not overlap A or B, which may overlap each other:
 *
 *   A = A[m,k]: 100 x 300, strides 1, 100
 *   B = B[k,n]: 300 x 1030, strides 1, 300
 *   C = C[m,n]: 100 x 1030, strides 1, 100
 *
 * Planned for 1 thread of the BLAS.
 *
 * Returns 0, or ENOMEM when a temporary cannot be allocated; C is then untouched.
 * The memory of large temporaries is reused by the next call; tcplan_release_memory() frees it.
 *
 * Emitted by tcplan @VERSION@.
 * link: -lopenblas
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include <cblas.h>

int contract(const double *A, const double *B, double *C) {
    double *A_copy = pool_take(0, 196608);
    double *B_copy = pool_take(1, 1572864);
    if (!A_copy || !B_copy) {
        pool_give(0, A_copy);
        pool_give(1, B_copy);
        return ENOMEM;
    }
    for (ptrdiff_t s512_n = 0; s512_n < 3; s512_n++) { /* n in steps of 512 */
        const int n8_n = s512_n < 2 ? 64 : 1;
        for (ptrdiff_t s_k = 0; s_k < 2; s_k++) { /* k in steps of 256 */
            const int n_k = s_k < 1 ? 256 : 44;
            if (s512_n < 2) {
                copy_d_block(B_copy, B + 153600 * s512_n + 256 * s_k, 3, (const struct copy_d_dimension[]){{8, 1, 300}, {n_k, 12, 1}, {64, 3072, 2400}}, 0, 0.0, NULL);
            } else {
                copy_d_block(B_copy, B + 153600 * s512_n + 256 * s_k, 3, (const struct copy_d_dimension[]){{6, 1, 300}, {n_k, 12, 1}, {1, 3072, 2400}}, 0, 0.0, NULL);
            }
            for (ptrdiff_t s96_m = 0; s96_m < 2; s96_m++) { /* m in steps of 96 */
                const int n16_m = s96_m < 1 ? 6 : 1;
                if (s96_m < 1) {
                    copy_d_block(A_copy, A + 25600 * s_k + 96 * s96_m, 3, (const struct copy_d_dimension[]){{16, 1, 1}, {6, 4096, 16}, {n_k, 16, 100}}, 0, 0.0, NULL);
                } else {
                    copy_d_block(A_copy, A + 25600 * s_k + 96 * s96_m, 3, (const struct copy_d_dimension[]){{4, 1, 1}, {1, 4096, 16}, {n_k, 16, 100}}, 0, 0.0, NULL);
                }
                for (ptrdiff_t s8_n = 0; s8_n < n8_n; s8_n++) { /* n in steps of 8 */
                    const int n_n = s512_n < 2 ? 8 : 6;
                    for (ptrdiff_t s16_m = 0; s16_m < n16_m; s16_m++) { /* m in steps of 16 */
                        const int n_m = s96_m < 1 ? 16 : 4;
                        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n_m, n_n, n_k,
                                    1.0, A_copy + 4096 * s16_m, 16, B_copy + 3072 * s8_n, 12,
                                    1.0, C + 51200 * s512_n + 96 * s96_m + 800 * s8_n + 16 * s16_m, 100);
                    }
                }
            }
        }
    }
    copy_d_fence();
    pool_give(0, A_copy);
    pool_give(1, B_copy);
    return 0;
}
