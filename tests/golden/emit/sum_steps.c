/*
 * contraction: C_mn=A_mk*B_kn
 * sizes: m=100,n=44,k=512
 * type: double
 * storage: column-major: the first index is contiguous
 * algorithm: n:20'Bp.m:48'Ap.n:4.m:16.k:64+-dbrgemm@libxsmm
 *
 * for n = 1:20:n
 *   B~[:k',:n'',:k,:n'] := B[:,n:n+19]
 *   for m = 1:48:m
 *     A~[:m'',:k',:k,:m'] := A[m:m+47,:]
 *     for n' = n:4:n+19
 *       for m' = m:16:m+47
 *         dbrgemm_NN@libxsmm: C[m':m'+15,n':n'+3] := sum(k = 1:64:k) A~[:m'',:k',k,m'] B~[:k',:n'',k,n']
 *
 * The tensors are dense; C must not overlap A or B, which may overlap each other:
 *
 *   A = A[m,k]: 100 x 512, strides 1, 100
 *   B = B[k,n]: 512 x 44, strides 1, 512
 *   C = C[m,n]: 100 x 44, strides 1, 100
 *
 * Planned for 1 thread of the BLAS.
 *
 * If libxsmm generates no code for the machine, the BLAS executes the calls. In its first call libxsmm sets OMP_PROC_BIND=TRUE for the process; set OMP_PROC_BIND to prevent this.
 *
 * Returns 0, or ENOMEM when a temporary cannot be allocated; C is then untouched.
 * The memory of large temporaries is reused by the next call; tcplan_release_memory() frees it.
 *
 * Emitted by tcplan @VERSION@.
 * link: -lxsmm -lopenblas -lpthread -lrt -ldl -lm -Wl,-z,nodelete
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include <cblas.h>
#include <libxsmm.h>
#include <stdatomic.h>
#ifndef KERNEL_LEAVE /* emitted files may be concatenated */
#define KERNEL_LEAVE
/* The code of libxsmm leaves the upper parts of vector registers in use. This slows down code for smaller vectors tenfold. */
static inline void kernel_leave(void) {
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx")) return;
    __asm__ volatile("vzeroupper" ::: "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                     "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
#endif
}
#endif

int contract(const double *A, const double *B, double *C) {
    const double alpha = 1.0, first = 0.0;
    const libxsmm_blasint lda = 16, ldb = 64, ldc = 100;
    const int flags = LIBXSMM_GEMM_FLAG_NONE, prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
    const libxsmm_dmmfunction_reducebatch_strd kernel[2] = {
        libxsmm_dmmdispatch_reducebatch_strd(16, 4, 64, 8192, 2048, &lda, &ldb, &ldc, &alpha, &first, &flags, &prefetch),
        libxsmm_dmmdispatch_reducebatch_strd(4, 4, 64, 8192, 2048, &lda, &ldb, &ldc, &alpha, &first, &flags, &prefetch)};
    int has_kernels = 1;
    for (int j = 0; j < 2; j++) has_kernels = has_kernels && kernel[j];
    double *A_copy = pool_take(0, 196608);
    double *B_copy = pool_take(1, 81920);
    if (!A_copy || !B_copy) {
        pool_give(0, A_copy);
        pool_give(1, B_copy);
        return ENOMEM;
    }
    for (ptrdiff_t s20_n = 0; s20_n < 3; s20_n++) { /* n in steps of 20 */
        const int n4_n = s20_n < 2 ? 5 : 1;
        if (s20_n < 2) {
            copy_d_block(B_copy, B + 10240 * s20_n, 4, (const struct copy_d_dimension[]){{64, 1, 1}, {8, 256, 64}, {4, 64, 512}, {5, 2048, 2048}}, 0, 0.0, NULL);
        } else {
            copy_d_block(B_copy, B + 10240 * s20_n, 4, (const struct copy_d_dimension[]){{64, 1, 1}, {8, 256, 64}, {4, 64, 512}, {1, 2048, 2048}}, 0, 0.0, NULL);
        }
        for (ptrdiff_t s48_m = 0; s48_m < 3; s48_m++) { /* m in steps of 48 */
            const int n16_m = s48_m < 2 ? 3 : 1;
            if (s48_m < 2) {
                copy_d_block(A_copy, A + 48 * s48_m, 3, (const struct copy_d_dimension[]){{16, 1, 1}, {3, 8192, 16}, {512, 16, 100}}, 0, 0.0, NULL);
            } else {
                copy_d_block(A_copy, A + 48 * s48_m, 3, (const struct copy_d_dimension[]){{4, 1, 1}, {1, 8192, 16}, {512, 16, 100}}, 0, 0.0, NULL);
            }
            for (ptrdiff_t s4_n = 0; s4_n < n4_n; s4_n++) { /* n in steps of 4 */
                for (ptrdiff_t s16_m = 0; s16_m < n16_m; s16_m++) { /* m in steps of 16 */
                    const int n_m = s48_m < 2 ? 16 : 4;
                    if (has_kernels) {
                        kernel[(n_m < 16)](A_copy + 8192 * s16_m, B_copy + 2048 * s4_n, C + 2000 * s20_n + 48 * s48_m + 400 * s4_n + 16 * s16_m,
                               &(const unsigned long long){8});
                        kernel_leave();
                    } else {
                        for (ptrdiff_t s_k = 0; s_k < 8; s_k++) { /* k in steps of 64 */
                            const double beta = s_k == 0 ? 0.0 : 1.0;
                            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n_m, 4, 64,
                                        1.0, A_copy + 8192 * s16_m + 1024 * s_k, 16, B_copy + 2048 * s4_n + 256 * s_k, 64,
                                        beta, C + 2000 * s20_n + 48 * s48_m + 400 * s4_n + 16 * s16_m, 100);
                        }
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
